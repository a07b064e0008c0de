// Structs as arguments and results. Each begins with struct_size, which identifies the version of the struct that the caller was
// compiled with: an older one is shorter, and missing fields have their defaults; a newer one is longer, and bytes beyond the
// struct of this library must be zero.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>

#include <ckpt/ckpt.h>

#include "base/error.h"
#include "copy.h"
#include "guard.h"

namespace ckpt::capi {

// The size of the first version of each struct, which callers may still use, and the defaults of its fields.
template <class T>
struct FirstSize;
template <class T>
struct Defaults;
template <class T>
constexpr std::size_t first_size = FirstSize<T>::value;
template <class T>
constexpr const T& defaults = Defaults<T>::value;

template <class Struct, class Field>
constexpr std::size_t size_of(Field Struct::*) {
  return sizeof(Field);  // NOLINT(bugprone-sizeof-expression): of a pointer its own size is meant
}

#define CKPT_FIRST_SIZE(name, last, size)                                             \
  template <>                                                                         \
  struct FirstSize<name> {                                                            \
    static constexpr std::size_t value = offsetof(name, last) + size_of(&name::last); \
  };                                                                                  \
  static_assert(sizeof(void*) != 8 || first_size<name> == (size));
#define CKPT_DEFAULTS(name, initializer)       \
  template <>                                  \
  struct Defaults<name> {                      \
    static constexpr name value = initializer; \
  };
#include "generated/structs.inc"
#undef CKPT_DEFAULTS
#undef CKPT_FIRST_SIZE

// Larger than any version of any struct: a larger struct_size was not initialized, and memory after the struct would be read.
constexpr std::uint32_t largest_struct = 4096;

template <class T>
constexpr bool is_size_of(std::uint32_t size) {
  static_assert(first_size<T> % 4 == 0 && sizeof(T) <= largest_struct);
  return size >= first_size<T> && size <= largest_struct && size % 4 == 0;
}

// Returns the struct_size that the caller set. Error(invalid_argument) unless some version of T can have it.
template <class T>
std::uint32_t struct_size_of(const T* given, const char* argument) {
  std::uint32_t size = 0;
  std::memcpy(&size, not_null(given, argument), sizeof size);
  base::require(is_size_of<T>(size), argument, ".struct_size is ", size, "; use the initializer macro (a multiple of 4, ",
                first_size<T>, " .. ", largest_struct, ")");
  return size;
}

// Returns a copy of the caller's struct, with defaults in fields that the caller's version lacks. The copy has its own struct_size.
template <class T>
T struct_argument(const T* given, const char* argument) {
  T values = defaults<T>;
  const std::uint32_t size = struct_size_of(given, argument);
  std::memcpy(&values, given, std::min<std::size_t>(size, sizeof(T)));
  values.struct_size = sizeof(T);
  const auto* const bytes = reinterpret_cast<const unsigned char*>(given);
  if (size > sizeof(T) && !std::all_of(bytes + sizeof(T), bytes + size, [](unsigned char byte) { return byte == 0; })) {
    base::fail(base::Status::unsupported, argument, ".struct_size is ", size, "; expected at most ", sizeof(T),
               ", or zeros in the additional bytes");
  }
  return values;
}

// Returns a copy of the caller's struct as struct_argument, or the defaults for NULL.
template <class T>
T options_argument(const T* given, const char* argument) {
  return given == nullptr ? defaults<T> : struct_argument(given, argument);
}

// Refuses a struct that cannot be filled, before the function has any effect.
template <class T>
void check_struct(const T* out, const char* argument) {
  struct_size_of(out, argument);
}

// Fills the part of the struct that the caller's version has; memory after it is unchanged.
template <class T>
void fill_struct(T* out, T values, const char* argument) {
  values.struct_size = struct_size_of(out, argument);
  std::memcpy(out, &values, std::min<std::size_t>(values.struct_size, sizeof(T)));
}

// Checks an array that the library fills: the stride of its elements is the struct_size of the first one.
template <class T>
void check_array(const T* out, std::int64_t capacity, const char* argument) {
  base::require(capacity >= 0, "capacity is ", capacity, "; expected at least 0");
  base::require(out != nullptr || capacity == 0, argument, " is NULL but capacity is ", capacity);
  if (capacity > 0) check_struct(out, argument);
}

template <class T, class Items, class Convert>
void fill_array(T* out, std::int64_t capacity, const Items& items, Convert convert) {
  if (capacity == 0) return;
  const std::uint32_t stride = out->struct_size;
  auto* bytes = reinterpret_cast<std::byte*>(out);
  for (const auto& item : items) {
    if (capacity-- == 0) return;
    T values = convert(item);
    values.struct_size = stride;
    std::memcpy(bytes, &values, std::min<std::size_t>(stride, sizeof(T)));
    bytes += stride;
  }
}

// Returns a struct of C with the values of a core struct; by_hand fields are still to be set.
template <class T, int by_hand = 0, class From>
T struct_of(const From& from) {
  T values = defaults<T>;
  copy_to_c<by_hand>(values, from);
  return values;
}

}  // namespace ckpt::capi
