// The way back to the text form, whose grammar is in text.cpp.
#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "strategy/factory.h"

namespace ckpt::strategy {
namespace {

// Children may be shared: a few dozen strategies can stand for a text that no memory holds.
constexpr std::size_t longest_text = std::size_t{1} << 24;

constexpr std::string_view blanks = " \t\n\r";

bool is_blank(char c) { return blanks.find(c) != std::string_view::npos; }

// A pattern as one argument: what would end or begin something in the text gets a backslash, which a glob reads over.
std::string escaped(std::string_view pattern) {
  constexpr std::string_view marks = ",()=";
  const std::size_t first = std::min(pattern.find_first_not_of(blanks), pattern.size());
  std::string out;
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    const bool begins_excluded = i == 0 && pattern[i] == '!';
    const bool is_outer_blank =
        is_blank(pattern[i]) && (i < first || pattern.find_first_not_of(blanks, i) == std::string_view::npos);
    if (begins_excluded || is_outer_blank || marks.find(pattern[i]) != std::string_view::npos) out += '\\';
    out += pattern[i];
    if (pattern[i] == '\\' && i + 1 < pattern.size()) out += pattern[++i];
  }
  return out;
}

std::string size_text(std::int64_t bytes) {
  constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  std::size_t unit = 0;
  for (; bytes % 1024 == 0 && unit + 1 < std::size(units); ++unit) bytes /= 1024;
  return base::cat(bytes, units[unit]);
}

[[noreturn]] void refuse(const Parameters& is, std::string_view what) {
  base::fail(base::Status::unsupported, "text cannot say what this strategy of kind ", is.kind, " has: ", what);
}

std::vector<std::string> arguments_of(const Parameters& is) {
  constexpr SmartOptions usual;
  std::vector<std::string> arguments;
  if (is.kind == "custom") refuse(is, "functions of its user");
  if (is.has_tracker) refuse(is, "a tracker");
  if (is.has_total) refuse(is, base::cat("total_bytes, which is ", is.total_bytes));
  if (is.has_clock) refuse(is, "a clock");
  if (is.kind == "interval") arguments.push_back(base::cat(is.interval));
  if (is.kind == "size") arguments.push_back(size_text(is.threshold_bytes));
  if (is.kind == "memory-aware") arguments.push_back(base::cat(is.max_share));
  if (is.kind == "smart") {
    if (is.large_factor != usual.large_factor) refuse(is, base::cat("large_factor, which is ", is.large_factor));
    if (is.rare_accesses != usual.rare_accesses) refuse(is, base::cat("rare_accesses, which is ", is.rare_accesses));
    if (is.late_share != usual.late_share) refuse(is, base::cat("late_share, which is ", is.late_share));
  }
  for (const std::string& name : is.names) arguments.push_back(escaped(name));
  for (const std::string& name : is.excluded) arguments.push_back("!" + escaped(name));
  return arguments;
}

std::string joined(const std::vector<std::string>& arguments) {
  std::string out;
  for (const std::string& argument : arguments) out += (out.empty() ? "" : ",") + argument;
  return out;
}

// Inside parentheses only parentheses keep a list together.
std::string text_of(const Strategy& strategy, bool is_child) {
  const Parameters is = strategy.parameters();
  std::vector<std::string> arguments = arguments_of(is);
  for (std::size_t i = 0; i < is.children.size(); ++i) {
    const std::string rule = i < is.rules.size() ? escaped(is.rules[i]) + "=" : "";
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
