#include "state/json_text.h"

#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/error.h"

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
    return digits.find_first_of(".eE") != string_t::npos || refuse(base::cat("integer ", digits, " does not fit 64 bits"));
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

}  // namespace

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
  return nlohmann::ordered_json::parse(text).dump();
}

}  // namespace ckpt::state
