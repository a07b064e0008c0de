// A tree of JSON text that json_problem finds nothing wrong with. The parser of the JSON library reads numbers by the C library,
// which takes the locale's decimal point for them; so the tree is built here, with numbers read from their digits.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/json_text.h"

// The library's assertions are left out: one of them, that the C library has read the whole of a number, fails under locales whose
// decimal point has two bytes. Every use of it in the core includes this file instead, so that there is one kind of it.
#define JSON_ASSERT(condition) static_cast<void>(0)
#include <nlohmann/json.hpp>  // IWYU pragma: export

namespace ckpt::base {

// Json: nlohmann::json or nlohmann::ordered_json.
template <class Json>
// NOLINTNEXTLINE(bugprone-exception-escape): the library's moves throw nothing
class TreeBuilder final : public nlohmann::json_sax<Json> {
 public:
  Json root;

  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(typename Json::number_integer_t value) override { return add(value); }
  bool number_unsigned(typename Json::number_unsigned_t value) override { return add(value); }
  bool number_float(typename Json::number_float_t, const std::string& digits) override {
    const auto value = double_from_digits(digits);
    return value && add(*value);
  }
  bool string(std::string& value) override { return add(std::move(value)); }
  bool binary(typename Json::binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(Json::object()); }
  bool key(std::string& name) override {
    key_ = std::move(name);
    return true;
  }
  bool end_object() override { return close(); }
  bool start_array(std::size_t) override { return open(Json::array()); }
  bool end_array() override { return close(); }
  bool parse_error(std::size_t, const std::string&, const typename Json::exception&) override { return false; }

 private:
  template <class Value>
  Json* put(Value&& value) {
    if (open_.empty()) return &(root = std::forward<Value>(value));
    Json& parent = *open_.back();
    if (parent.is_object()) return &(parent[std::move(key_)] = std::forward<Value>(value));
    parent.push_back(std::forward<Value>(value));
    return &parent.back();
  }
  template <class Value>
  bool add(Value&& value) {
    put(std::forward<Value>(value));
    return true;
  }
  // What lies above an open value does not grow, so its place stays where it is.
  bool open(Json&& value) {
    open_.push_back(put(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<Json*> open_;
  std::string key_;
};

template <class Json>
Json json_tree(std::string_view text) {
  TreeBuilder<Json> builder;
  if (!Json::sax_parse(text, &builder)) fail(Status::internal, "JSON that was checked could not be read");
  return std::move(builder.root);
}

}  // namespace ckpt::base
