#include "base/json_tree.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/json_sax.h"
#include "base/json_text.h"
#include "base/json_writer.h"

namespace ckpt::base {
namespace {

class Builder {
 public:
  Json root;

  bool null() { return add(Json()); }
  bool boolean(bool value) { return add(Json(value)); }
  bool number_integer(std::int64_t value) { return add(Json(value)); }
  bool number_unsigned(std::uint64_t value) { return add(Json(value)); }
  bool number_float(const std::string& digits) {
    const auto value = double_from_digits(digits);
    return value && add(Json(*value));
  }
  bool string(std::string& value) { return add(Json(std::move(value))); }
  bool key(std::string& name) {
    key_ = std::move(name);
    return true;
  }
  bool start_object() { return open(Json(Json::Object())); }
  bool start_array() { return open(Json(Json::List())); }
  bool end_object() { return close(); }
  bool end_array() { return close(); }
  bool syntax_error(std::size_t) { return false; }

 private:
  Json* put(Json&& value) {
    if (open_.empty()) return &(root = std::move(value));
    Json& parent = *open_.back();
    if (parent.is_object()) {
      parent.members().push_back({std::move(key_), std::move(value)});
      return &parent.members().back().value;
    }
    return &parent.items().emplace_back(std::move(value));
  }
  bool add(Json&& value) {
    put(std::move(value));
    return true;
  }
  // The containers around an open value do not grow until it is closed, so its address stays valid.
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

class Copier {
 public:
  JsonWriter out;

  bool null() { return did(out.value(nullptr)); }
  bool boolean(bool value) { return did(out.value(value)); }
  bool number_integer(std::int64_t value) { return did(out.value(value)); }
  bool number_unsigned(std::uint64_t value) { return did(out.value(value)); }
  bool number_float(const std::string& digits) {
    const auto value = double_from_digits(digits);
    return value && did(out.value(*value));
  }
  bool string(const std::string& value) { return did(out.value(value)); }
  bool key(const std::string& name) { return did(out.key(name)); }
  bool start_object() { return did(out.begin_object()); }
  bool start_array() { return did(out.begin_list()); }
  bool end_object() { return did(out.end_object()); }
  bool end_array() { return did(out.end_list()); }
  bool syntax_error(std::size_t) { return false; }

 private:
  static bool did(const JsonWriter&) { return true; }
};

template <class Handler>
void read_checked(std::string_view text, Handler& handler) {
  if (!read_json(text, handler)) fail(Status::internal, "validated JSON could not be parsed");
}

}  // namespace

Json::Json(const Json& other) {
  std::visit(
      [this](const auto& each) {
        auto copy = each;
        value_ = std::move(copy);
      },
      other.value_);
}

std::int64_t Json::integer() const { return is_count() ? static_cast<std::int64_t>(count()) : std::get<std::int64_t>(value_); }

double Json::number() const {
  if (is_count()) return static_cast<double>(count());
  return is_integer() ? static_cast<double>(integer()) : std::get<double>(value_);
}

const Json* Json::find(std::string_view name) const {
  if (!is_object()) return nullptr;
  const auto found = std::ranges::find(members(), name, &Member::name);
  return found == members().end() ? nullptr : &found->value;
}

void Json::write(JsonWriter& out) const {
  if (is_list()) {
    out.begin_list();
    for (const Json& item : items()) item.write(out);
    out.end_list();
  } else if (is_object()) {
    out.begin_object();
    for (const Member& member : members()) {
      out.key(member.name);
      member.value.write(out);
    }
    out.end_object();
  } else {
    std::visit(
        [&]<class Value>(const Value& value) {
          if constexpr (std::is_same_v<Value, std::monostate>) {
            out.value(nullptr);
          } else if constexpr (!std::is_same_v<Value, List> && !std::is_same_v<Value, Object>) {
            out.value(value);
          }
        },
        value_);
  }
}

std::string Json::text() const {
  JsonWriter out;
  write(out);
  return std::move(out).text();
}

Json json_tree(std::string_view text) {
  Builder builder;
  read_checked(text, builder);
  return std::move(builder.root);
}

std::string plain_json(std::string_view text) {
  Copier copier;
  read_checked(text, copier);
  return std::move(copier.out).text();
}

}  // namespace ckpt::base
