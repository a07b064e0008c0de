// Validates JSON from other programs before a tree is built from it. Numbers mean the same in every locale of the process.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::base {

constexpr std::int64_t deepest_json = 64;
constexpr std::int64_t deepest_value = 48;  // of a caller's value, which is embedded in a larger text

// Returns a description of the first problem in text, "" if it is one valid JSON value. Problems: nesting deeper than deepest, a
// duplicate key in an object, an integer that does not fit in 64 bits, a number too large for a double, a NUL byte, a syntax
// error. Uses no recursion.
std::string json_problem(std::string_view text, std::int64_t deepest);

// Returns the same value without white space between tokens; Error(invalid_argument) names the argument if there is a problem.
std::string normalized_json(std::string_view argument, std::string_view text);

// Returns the double of a JSON number; nothing if it is too large. digits: as the parser of json_tree.h passes them, with the
// locale's decimal point byte where the text has a point.
std::optional<double> double_from_digits(std::string digits);

}  // namespace ckpt::base
