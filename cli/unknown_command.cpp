#include "unknown_command.h"

#include <algorithm>
#include <vector>

#include "text.h"

namespace ckpt::cli {
namespace {

// Damerau-Levenshtein distance: insertions, deletions, replacements and swaps of neighbours.
std::size_t distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> steps(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        steps[i][j] = i + j;
        continue;
      }
      const std::size_t same = a[i - 1] == b[j - 1] ? 0 : 1;
      steps[i][j] = std::min({steps[i - 1][j] + 1, steps[i][j - 1] + 1, steps[i - 1][j - 1] + same});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        steps[i][j] = std::min(steps[i][j], steps[i - 2][j - 2] + 1);
    }
  }
  return steps[a.size()][b.size()];
}

}  // namespace

std::string unknown_command(const CLI::App& app, int argc, const char* const* argv) {
  if (argc < 2 || argv[1][0] == '-' || argv[1][0] == '\0') return "";
  const std::string given = argv[1];
  std::string lower = given.substr(0, 64);
  std::ranges::transform(lower, lower.begin(), [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  std::string known;
  std::string nearest;
  std::size_t min = 3;  // a larger distance is not a typo
  for (const CLI::App* const command : app.get_subcommands(nullptr)) {
    if (command->check_name(given)) return "";
    known += (known.empty() ? "" : ", ") + command->get_name();
    for (const std::string& name :
         {command->get_name(), command->get_aliases().empty() ? std::string() : command->get_aliases()[0]}) {
      if (name.empty() || distance(lower, name) >= min) continue;
      min = distance(lower, name);
      nearest = name;
    }
  }
  const std::string what = "unknown command '" + printable(given) + "'";
  return nearest.empty() ? what + "; expected one of " + known : what + "; did you mean '" + nearest + "'?";
}

}  // namespace ckpt::cli
