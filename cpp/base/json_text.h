// JSON that another program wrote, checked before anything builds a tree of it. Numbers mean the same whatever the process's locale
// is.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::base {

constexpr std::int64_t deepest_json = 64;
constexpr std::int64_t deepest_value = 48;  // of a caller's, which goes into a larger text

// What is wrong with text as one JSON value, "" when nothing is: nesting deeper than deepest, a key twice in one object, an integer
// that 64 bits do not hold, a number that no double holds, a NUL, or no JSON at all. Uses no recursion.
std::string json_problem(std::string_view text, std::int64_t deepest);

// The same value without white space between its tokens; Error(invalid_argument) that names the argument when there is a problem.
std::string normalized_json(std::string_view argument, std::string_view text);

// The double that a JSON number stands for; nothing when it is too large for one. The digits are as the parser of json_tree.h hands
// them over: whatever byte the locale has for a decimal point stands where the point was.
std::optional<double> double_from_digits(std::string digits);

}  // namespace ckpt::base
