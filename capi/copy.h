// Copies between a struct of C and one of the core: every plain field by its name. Fields that the core's struct lacks are set by
// hand; each copy states their number, so that the compiler reports a field that was added or renamed.
#pragma once

#include <algorithm>
#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

#include <ckpt/ckpt.h>

namespace ckpt::capi {

struct Lacking {};

// Fields<T>::each calls its argument with every plain field of T.
template <class T>
struct Fields;

// Accesses a field by its name: returns a reference to the member, the result of the member function, or Lacking if the object has
// neither.
#define CKPT_FIELD(name)                              \
  field([](auto& object) -> decltype(auto) {          \
    if constexpr (requires { object.name(); }) {      \
      return object.name();                           \
    } else if constexpr (requires { object.name; }) { \
      return (object.name);                           \
    } else {                                          \
      return Lacking{};                               \
    }                                                 \
  });
#define CKPT_FIELDS(name, fields)              \
  template <>                                  \
  struct Fields<name> {                        \
    template <class Each>                      \
    static constexpr void each(Each&& field) { \
      fields                                   \
    }                                          \
  };
#include "generated/fields.inc"
#undef CKPT_FIELDS
#undef CKPT_FIELD

template <class Field, class Object>
constexpr bool lacks = std::is_same_v<std::remove_cvref_t<decltype(std::declval<Field>()(std::declval<Object&>()))>, Lacking>;

inline std::string_view text_of(std::string_view text) { return text; }
template <std::size_t size>
std::string_view text_of(const std::array<char, size>& text) {
  return text.data();
}

template <class To, class From>
void put(To& to, const From& from) {
  if constexpr (std::is_array_v<To>) {
    const std::string_view text = text_of(from);
    const std::size_t length = std::min(text.size(), sizeof to - 1);
    std::memcpy(to, text.data(), length);
    to[length] = '\0';
  } else if constexpr (std::is_same_v<To, std::string> && std::is_pointer_v<From>) {
    if (from != nullptr) to = from;  // else the default of the core's struct
  } else if constexpr (std::is_same_v<To, const char*> && !std::is_convertible_v<From, const char*>) {
    to = from.data();
  } else if constexpr (requires {
                         to = std::optional(from);
                         typename To::value_type;
                       }) {
    to = from;
  } else if constexpr (requires { from.value_or(To{}); }) {
    to = from.value_or(To{});
  } else if constexpr (std::is_same_v<To, bool>) {
    to = from != 0;
  } else {
    to = static_cast<To>(from);
  }
}

template <class T, class Object>
constexpr int lacking_fields() {
  int count = 0;
  Fields<T>::each([&](auto field) { count += lacks<decltype(field), Object> ? 1 : 0; });
  return count;
}

// Fills the struct of C; by_hand: number of its plain fields that from lacks.
template <int by_hand = 0, class T, class From>
void copy_to_c(T& to, const From& from) {
  static_assert(lacking_fields<T, const From>() == by_hand);
  Fields<T>::each([&](auto field) {
    if constexpr (!lacks<decltype(field), const From>) put(field(to), field(from));
  });
}

// Reads the struct of C; by_hand: number of its plain fields that to lacks.
template <int by_hand = 0, class T, class To>
void copy_from_c(const T& from, To& to) {
  static_assert(lacking_fields<T, To>() == by_hand);
  Fields<T>::each([&](auto field) {
    if constexpr (!lacks<decltype(field), To>) put(field(to), field(from));
  });
}

}  // namespace ckpt::capi
