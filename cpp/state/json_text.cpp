#include "state/json_text.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>
#include <vector>

#include "base/error.h"
#include "state/json_tree.h"

namespace ckpt::state {
namespace {

using nlohmann::json;

// The parser itself keeps a stack of bits on the heap; depth is bounded here so that later code may walk the tree by recursion.
class Checker final : public nlohmann::json_sax<json> {
 public:
  explicit Checker(std::int64_t deepest) : deepest_(deepest) {}

  std::string problem;

  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t& digits) override {
    // The parser falls back to floating point for integers that are too large, and would lose digits.
    if (digits.find_first_not_of("-0123456789") == string_t::npos)
      return refuse(base::cat("integer ", digits, " does not fit 64 bits"));
    return double_from_digits(digits).has_value() || refuse(base::cat("number ", digits, " is too large for a double"));
  }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return refuse("binary value"); }
  bool start_object(std::size_t) override {
    keys_.emplace_back();
    return deeper();
  }
  bool key(string_t& name) override {
    return keys_.back().insert(name).second || refuse(base::cat("key ", base::quoted(name), " twice"));
  }
  bool end_object() override {
    keys_.pop_back();
    return shallower();
  }
  bool start_array(std::size_t) override { return deeper(); }
  bool end_array() override { return shallower(); }
  bool parse_error(std::size_t position, const std::string&, const json::exception&) override {
    return refuse(base::cat("not JSON at byte ", position));
  }

 private:
  bool refuse(std::string what) {
    if (problem.empty()) problem = std::move(what);
    return false;
  }
  bool deeper() { return ++depth_ <= deepest_ || refuse(base::cat("nested deeper than ", deepest_)); }
  bool shallower() {
    --depth_;
    return true;
  }

  std::int64_t deepest_;
  std::int64_t depth_ = 0;
  std::vector<std::set<std::string>> keys_;
};

// Whether a number that is no double is too large for one, not too small: by the power of ten of its first digit that is not 0.
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
  // A text has far fewer digits than would make this sum overflow, unless the exponent itself is at the end of its range.
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
  // The parser takes a NUL for the end of its input.
  if (text.find('\0') != std::string_view::npos) return "a NUL byte";
  Checker checker(deepest);
  if (!json::sax_parse(text, &checker) && checker.problem.empty()) checker.problem = "not JSON";
  return checker.problem;
}

std::string normalized_json(std::string_view argument, std::string_view text) {
  const std::string problem = json_problem(text, deepest_value);
  base::require(problem.empty(), argument, " is not usable JSON: ", problem);
  return json_tree<nlohmann::ordered_json>(text).dump();
}

}  // namespace ckpt::state
