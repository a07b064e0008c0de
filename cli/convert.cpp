#include "convert.h"

#include <cstdint>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "npz.h"
#include "open_reader.h"
#include "output.h"
#include "progress.h"
#include "text.h"

namespace ckpt::cli {
namespace {

using IndexAndName = std::pair<std::int64_t, std::string>;

constexpr const char* file_group = "tensors";  // a group of the state in memory; the file does not know it

bool is_npz(const std::string& path) { return path.ends_with(".npz"); }

std::vector<IndexAndName> names_in(const Reader& reader, const std::string& group) {
  std::set<std::string> groups;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) groups.insert(reader.tensor(i).group);
  if (!group.empty() && !groups.contains(group)) throw std::runtime_error("there is no group " + printable(group));
  const bool prefixed = group.empty() && groups.size() > 1;
  std::vector<IndexAndName> names;
  for (std::int64_t i = 0; i < reader.tensor_count(); ++i) {
    const TensorInfo info = reader.tensor(i);
    if (group.empty() || info.group == group) names.emplace_back(i, prefixed ? info.group + '.' + info.name : info.name);
  }
  return names;
}

void report(const std::string& to, std::size_t tensors, bool as_json) {
  if (as_json) {
    const nlohmann::ordered_json document = {{"file", to}, {"tensors", tensors}};
    std::printf("%s\n", document.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace).c_str());
  } else {
    std::printf("%s: %zu tensors\n", printable(to).c_str(), tensors);
  }
}

void write_state(const std::string& to, const State& state, bool as_json) {
  {
    ByteProgress progress("written", 0);
    const ckpt::Progress told([&](std::int64_t done, std::int64_t total) { progress.reach(done, total); });
    write_whole(to, [&](const std::string& file) { write_safetensors(file, state, file_group); });
  }
  report(to, static_cast<std::size_t>(state.tensor_count()), as_json);
}

}  // namespace

void convert(const std::string& from, const std::string& to, const std::string& group, bool as_json) {
  if (!is_npz(to) && !to.ends_with(".safetensors")) throw std::runtime_error(to + " ends neither in .npz nor in .safetensors");
  State state;
  if (is_foreign(from)) {
    if (is_npz(from) && is_npz(to)) throw std::runtime_error("both are .npz files: copy it");
    if (!group.empty()) throw std::runtime_error(from + " has no groups");
    if (!is_npz(to)) {
      for (const auto& [name, tensor] : read_foreign(from)) state.add(file_group, name, tensor);
      return write_state(to, state, as_json);
    }
  }
  Reader reader = open_reader(from);
  const std::vector<IndexAndName> names = names_in(reader, group);
  if (is_npz(to)) {
    std::int64_t bytes = 0;
    for (const auto& [index, name] : names) bytes += reader.tensor(index).bytes;
    {
      ByteProgress progress("written", bytes);
      write_whole(to,
                  [&](const std::string& file) { write_npz(file, reader, names, [&](std::int64_t more) { progress.add(more); }); });
    }
    return report(to, names.size(), as_json);
  }
  for (const auto& [index, name] : names) state.add(file_group, name, tensor_at(reader, index));
  if (names.empty()) throw std::runtime_error(from + " holds no tensor");
  write_state(to, state, as_json);
}

}  // namespace ckpt::cli
