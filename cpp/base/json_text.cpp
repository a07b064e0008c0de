#include "base/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_sax.h"
#include "base/json_tree.h"

namespace ckpt::base {
namespace {

// Depth is bounded here so that later code may process the value recursively.
class Checker {
 public:
  explicit Checker(std::int64_t deepest) : deepest_(deepest) {}

  std::string problem;

  bool null() { return true; }
  bool boolean(bool) { return true; }
  bool number_integer(std::int64_t) { return true; }
  bool number_unsigned(std::uint64_t) { return true; }
  bool number_float(const std::string& digits) {
    if (digits.find_first_not_of("-0123456789") == std::string::npos)
      return refuse(cat("integer ", digits, " does not fit in 64 bits"));
    return double_from_digits(digits).has_value() || refuse(cat("not JSON: ", digits, " is too large for a double"));
  }
  bool string(const std::string&) { return true; }
  bool key(const std::string& name) {
    return keys_[static_cast<std::size_t>(depth_) - 1].add(name) || refuse(cat("key ", base::quote(name), " twice"));
  }
  bool start_object() {
    if (!deeper()) return false;
    if (keys_.size() < static_cast<std::size_t>(depth_)) keys_.resize(static_cast<std::size_t>(depth_));
    keys_[static_cast<std::size_t>(depth_) - 1].clear();
    return true;
  }
  bool end_object() { return shallower(); }
  bool start_array() { return deeper(); }
  bool end_array() { return shallower(); }
  bool syntax_error(std::size_t position) { return refuse(cat("not JSON at byte ", position)); }

 private:
  bool refuse(std::string what) {
    if (problem.empty()) problem = std::move(what);
    return false;
  }
  bool deeper() { return ++depth_ <= deepest_ || refuse(cat("nested deeper than ", deepest_)); }
  bool shallower() {
    --depth_;
    return true;
  }

  std::int64_t deepest_;
  std::int64_t depth_ = 0;
  std::vector<JsonKeys> keys_;  // by depth
};

// For a number that does not fit a double: returns true if it is too large, false if it is too small, by the power of ten of its
// first nonzero digit.
bool is_large(std::string_view digits) {
  const std::size_t exponent_at = std::min(digits.find_first_of("eE"), digits.size());
  std::int64_t exponent = 0;
  if (exponent_at < digits.size()) {
    std::string_view text = digits.substr(exponent_at + 1);
    if (text.starts_with('+')) text.remove_prefix(1);
    const auto end = text.data() + text.size();
    if (std::from_chars(text.data(), end, exponent).ec != std::errc()) return !text.starts_with('-');
  }
  std::string_view mantissa = digits.substr(0, exponent_at);
  if (mantissa.starts_with('-')) mantissa.remove_prefix(1);
  const auto point = static_cast<std::int64_t>(std::min(mantissa.find('.'), mantissa.size()));
  const auto first = static_cast<std::int64_t>(std::min(mantissa.find_first_of("123456789"), mantissa.size()));
  // The text has far too few digits to make this sum overflow, unless the exponent itself is at the end of its range.
  return exponent > 1'000'000 || (exponent > -1'000'000'000 && point - first + exponent > 0);
}

}  // namespace

std::optional<double> double_from_digits(std::string digits) {
  const std::size_t point = digits.find_first_not_of("0123456789+-eE");
  if (point != std::string::npos) digits[point] = '.';
  double value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (error == std::errc::result_out_of_range) {
    if (is_large(digits)) return std::nullopt;
    return digits.starts_with('-') ? -0.0 : 0.0;
  }
  if (error != std::errc() || end != digits.data() + digits.size() || !std::isfinite(value)) return std::nullopt;
  return value;
}

std::string json_problem(std::string_view text, std::int64_t deepest) {
  if (text.find('\0') != std::string_view::npos) return "a NUL byte";
  Checker checker(deepest);
  if (!read_json(text, checker) && checker.problem.empty()) checker.problem = "not JSON";
  return checker.problem;
}

std::string normalized_json(std::string_view argument, std::string_view text) {
  const std::string problem = json_problem(text, deepest_value);
  require(problem.empty(), argument, " is not usable JSON: ", problem);
  return plain_json(text);
}

}  // namespace ckpt::base
