// value.hpp - helpers for the values of all parts: flags, borrowed handles, times, and conversions to and from C.
#ifndef CKPT_VALUES_VALUE_HPP
#define CKPT_VALUES_VALUE_HPP

#include <ckpt/base.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ckpt {

// Enums that are sums of flags: a | b, and a test for a flag.
template <class Enum>
struct IsFlags : std::false_type {};

template <class Enum, std::enable_if_t<IsFlags<Enum>::value, int> = 0>
constexpr Enum operator|(Enum a, Enum b) noexcept {
  return static_cast<Enum>(static_cast<std::underlying_type_t<Enum>>(a) | static_cast<std::underlying_type_t<Enum>>(b));
}
template <class Enum, std::enable_if_t<IsFlags<Enum>::value, int> = 0>
constexpr bool has(Enum sum, Enum flag) noexcept {
  return (static_cast<std::underlying_type_t<Enum>>(sum) & static_cast<std::underlying_type_t<Enum>>(flag)) != 0;
}

// A time-out that waits forever.
constexpr std::chrono::nanoseconds forever{-1};

// The lengths of up to 8 dimensions, without heap memory. A longer one keeps its size, so that the library refuses it.
class Shape {
 public:
  Shape() = default;
  Shape(std::initializer_list<std::int64_t> lengths) : Shape(lengths.begin(), lengths.end()) {}
  Shape(const std::vector<std::int64_t>& lengths) : Shape(lengths.begin(), lengths.end()) {}  // NOLINT(google-explicit-constructor)
  template <class Iterator>
  Shape(Iterator first, Iterator last) : size_(static_cast<std::size_t>(last - first)) {
    std::copy_n(first, std::min(size_, most), lengths_.begin());
  }

  std::size_t size() const noexcept { return size_; }
  bool empty() const noexcept { return size_ == 0; }
  const std::int64_t* begin() const noexcept { return lengths_.data(); }
  const std::int64_t* end() const noexcept { return begin() + std::min(size_, most); }
  std::int64_t operator[](std::size_t dimension) const noexcept { return lengths_[dimension]; }
  operator std::vector<std::int64_t>() const { return {begin(), end()}; }  // NOLINT(google-explicit-constructor)
  friend bool operator==(const Shape& a, const Shape& b) noexcept {
    return a.size_ == b.size_ && std::equal(a.begin(), a.end(), b.begin());
  }
  friend bool operator!=(const Shape& a, const Shape& b) noexcept { return !(a == b); }

  // Creates a shape from a struct of C.
  template <std::size_t places>
  void put(std::int64_t (&out)[places], std::int32_t& ndim) const noexcept {
    std::copy_n(lengths_.begin(), std::min(places, most), out);
    ndim = static_cast<std::int32_t>(size_);
  }

 private:
  static constexpr std::size_t most = 8;
  std::array<std::int64_t, most> lengths_{};
  std::size_t size_ = 0;
};

// A borrowed sequence of contiguous elements, like std::span of C++20.
template <class T>
class Span {
 public:
  Span() = default;
  Span(T* first, std::size_t count) noexcept : first_(first), count_(count) {}
  // Creates a span of a vector, an array, a string or another span.
  template <class Elements, class = std::enable_if_t<std::is_convertible_v<decltype(std::declval<Elements&>().data()), T*>>>
  Span(Elements& elements) noexcept : Span(elements.data(), elements.size()) {}  // NOLINT(google-explicit-constructor)
  T* data() const noexcept { return first_; }
  std::size_t size() const noexcept { return count_; }
  bool empty() const noexcept { return count_ == 0; }
  T* begin() const noexcept { return first_; }
  T* end() const noexcept { return first_ + count_; }
  T& operator[](std::size_t index) const noexcept { return first_[index]; }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

namespace detail {

// A reference to an object in an option, or none: one of the classes of ckpt.hpp, a pointer to one, or a handle of C. The object
// must outlive the use of the option, so a temporary is refused.
template <class T>
class Borrowed {
 public:
  Borrowed() = default;
  Borrowed(T* handle) noexcept : handle_(handle) {}  // NOLINT(google-explicit-constructor)
  template <class Object, class = decltype(static_cast<T*>(std::declval<const Object&>().handle()))>
  Borrowed(const Object& object) noexcept : handle_(object.handle()) {}  // NOLINT(google-explicit-constructor)
  template <class Object, class = decltype(static_cast<T*>(std::declval<const Object&>().handle()))>
  Borrowed(const Object&& gone_too_soon) = delete;
  template <class Object, class = decltype(static_cast<T*>(std::declval<const Object&>().handle()))>
  // NOLINTNEXTLINE(google-explicit-constructor)
  Borrowed(const Object* object) noexcept : handle_(object == nullptr ? nullptr : object->handle()) {}
  operator T*() const noexcept { return handle_; }  // NOLINT(google-explicit-constructor)

 private:
  T* handle_ = nullptr;
};

inline const char* text_or_null(const std::string& text) { return text.empty() ? nullptr : text.c_str(); }

inline std::chrono::system_clock::time_point instant(std::int64_t utc_ns) {
  return std::chrono::system_clock::time_point(
      std::chrono::duration_cast<std::chrono::system_clock::duration>(std::chrono::nanoseconds(utc_ns)));
}

// ---- Conversions of a value to the fields of a C struct: the value, whether it is set, the number of elements ----

template <class From, class To>
void put(From from, To& to) {
  to = static_cast<To>(from);
}
inline void put(std::chrono::nanoseconds from, std::int64_t& to) { to = from.count(); }
inline void put(const std::string& from, const char*& to) { to = text_or_null(from); }
template <class From, class To>
void put(const std::optional<From>& from, To& to, ckpt_bool& has) {
  has = from ? 1 : 0;
  if (from) put(*from, to);
}
template <std::size_t places>
void put(const Shape& from, std::int64_t (&to)[places], std::int32_t& ndim) {
  from.put(to, ndim);
}
template <class T>
void put(const std::vector<T>& from, const T*& to, std::int64_t& count) {
  to = from.empty() ? nullptr : from.data();
  count = static_cast<std::int64_t>(from.size());
}

// ---- Conversions of the fields of a C struct to a value ----

template <class To, class From>
void take(To& to, From from) {
  to = static_cast<To>(from);
}
inline void take(std::chrono::system_clock::time_point& to, std::int64_t utc_ns) { to = instant(utc_ns); }
template <class T>
void take(Borrowed<T>& to, const T* from) {
  to = const_cast<T*>(from);
}
inline void take(std::string& to, const char* from) { to = from == nullptr ? "" : from; }
inline void take(std::string_view& to, const char* from) { to = from == nullptr ? "" : from; }
template <class T, std::size_t count>
void take(std::array<T, count>& to, const T (&from)[count]) {
  std::copy_n(from, count, to.begin());
}
template <class T>
void take(std::optional<T>& to, T from, ckpt_bool has) {
  to = has != 0 ? std::optional<T>(from) : std::nullopt;
}
template <class Lengths>
void take(Lengths& to, const std::int64_t* from, std::int32_t ndim) {
  to = Lengths(from, from + ndim);
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_VALUES_VALUE_HPP
