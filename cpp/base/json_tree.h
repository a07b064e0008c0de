// A tree of JSON text. Its destructor allocates nothing: see json_writer.h.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace ckpt::base {

class JsonWriter;

class Json {
 public:
  struct Member;
  using List = std::vector<Json>;
  using Object = std::vector<Member>;  // in the text's order; each name once

  Json() = default;  // null
  template <class Value>
  explicit Json(Value value) : value_(std::move(value)) {}
  // Not std::variant's own copy: in libstdc++ 12 that crashes if an allocation fails.
  Json(const Json& other);
  Json(Json&&) noexcept;
  Json& operator=(const Json& other);
  Json& operator=(Json&&) noexcept;
  ~Json();

  bool is_null() const noexcept { return std::holds_alternative<std::monostate>(value_); }
  bool is_boolean() const noexcept { return std::holds_alternative<bool>(value_); }
  bool is_integer() const noexcept { return std::holds_alternative<std::int64_t>(value_) || is_count(); }
  bool is_count() const noexcept { return std::holds_alternative<std::uint64_t>(value_); }  // an integer without a sign
  bool is_number() const noexcept { return std::holds_alternative<double>(value_) || is_integer(); }
  bool is_string() const noexcept { return std::holds_alternative<std::string>(value_); }
  bool is_list() const noexcept { return std::holds_alternative<List>(value_); }
  bool is_object() const noexcept { return std::holds_alternative<Object>(value_); }

  // The value must be of the requested kind.
  bool boolean() const { return std::get<bool>(value_); }
  std::uint64_t count() const { return std::get<std::uint64_t>(value_); }
  std::int64_t integer() const;  // a count above INT64_MAX is negative
  double number() const;
  const std::string& string() const { return std::get<std::string>(value_); }
  const List& items() const { return std::get<List>(value_); }
  List& items() { return std::get<List>(value_); }
  const Object& members() const { return std::get<Object>(value_); }
  Object& members() { return std::get<Object>(value_); }
  // Returns nullptr if the value is not an object or has no such member.
  const Json* find(std::string_view name) const;

  void write(JsonWriter& out) const;
  // Returns JSON text without white space between tokens.
  std::string text() const;

 private:
  std::variant<std::monostate, bool, std::int64_t, std::uint64_t, double, std::string, List, Object> value_;
};

struct Json::Member {
  std::string name;
  Json value;
};

// Here, where Member is complete.
inline Json::Json(Json&&) noexcept = default;
inline Json& Json::operator=(const Json& other) { return *this = Json(other); }
inline Json& Json::operator=(Json&&) noexcept = default;
inline Json::~Json() = default;

// text: must have passed json_problem.
Json json_tree(std::string_view text);

// Returns the same value without white space between tokens, and with numbers as json_number writes them. text: as for json_tree.
std::string plain_json(std::string_view text);

}  // namespace ckpt::base
