// The inverse of text.cpp.
#include "base/error.h"
#include "base/form.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

// Children may be shared: a few dozen strategies can expand to a text that exceeds memory.
constexpr std::size_t longest_text = std::size_t{1} << 24;

std::vector<std::string> arguments_of(const Strategy& strategy, const Parameters& is) {
  std::vector<std::string> arguments = strategy.text_values();
  for (const std::string& name : is.names) arguments.push_back(base::pattern_argument(name));
  for (const std::string& name : is.excluded) arguments.push_back("!" + base::pattern_argument(name));
  return arguments;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) out += (out.empty() ? "" : ",") + argument;
  return out;
}

// A child needs parentheses to delimit its arguments from those of its parent.
std::string text_of(const Strategy& strategy, bool is_child) {
  const Parameters is = strategy.parameters();
  std::vector<std::string> arguments = arguments_of(strategy, is);
  for (std::size_t i = 0; i < is.children.size(); ++i) {
    const std::string rule = i < is.rules.size() ? base::pattern_argument(is.rules[i]) + "=" : "";
    arguments.push_back(rule + text_of(*is.children[i], true));
  }
  const std::string inside = joined(arguments);
  if (inside.size() > longest_text) {
    base::fail(base::Status::out_of_range, "the text of this strategy is longer than ", longest_text, " bytes");
  }
  if (inside.empty()) return std::string(is.kind);
  const bool in_parentheses = is_child || !is.children.empty();
  return in_parentheses ? base::cat(is.kind, "(", inside, ")") : base::cat(is.kind, ":", inside);
}

}  // namespace

std::string to_text(const Strategy& strategy) { return text_of(strategy, false); }

}  // namespace ckpt::strategy
