#include "state/convert.h"

#include <array>
#include <bit>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <limits>
#include <utility>

namespace ckpt::state {
namespace {

using tensor::Dtype;

struct Float16 {  // IEEE 754 binary16
  std::uint16_t bits;
};
struct BFloat16 {  // the upper half of an IEEE 754 binary32
  std::uint16_t bits;
};

template <class T>
constexpr bool is_floating = std::floating_point<T> || std::same_as<T, Float16> || std::same_as<T, BFloat16>;

// Bits of the significand, including the leading one; for an integer the bits of its largest value.
template <class T>
constexpr int digits = std::numeric_limits<T>::digits;
template <>
constexpr int digits<Float16> = 11;
template <>
constexpr int digits<BFloat16> = 8;
template <class T>
constexpr int largest_exponent = std::numeric_limits<T>::max_exponent - 1;
template <>
constexpr int largest_exponent<Float16> = 15;
template <>
constexpr int largest_exponent<BFloat16> = 127;

template <class From, class To>
constexpr bool is_lossless() {
  if constexpr (is_floating<From>) {
    return is_floating<To> && digits<From> <= digits<To> && largest_exponent<From> <= largest_exponent<To>;
  } else if constexpr (is_floating<To>) {
    return std::floating_point<To> && digits<From> <= digits<To>;
  } else {
    return std::in_range<To>(std::numeric_limits<From>::min()) && std::in_range<To>(std::numeric_limits<From>::max());
  }
}

// The exact value of an element: an integer, a float or a double.
template <class T>
T value_of(T element) {
  return element;
}
float value_of(BFloat16 element) { return std::bit_cast<float>(std::uint32_t{element.bits} << 16); }
float value_of(Float16 element) {
  const std::uint32_t sign = std::uint32_t{element.bits} >> 15 << 31;
  const std::uint32_t exponent = element.bits >> 10 & 31U;
  const std::uint32_t fraction = element.bits & 1023U;
  if (exponent == 0) return std::bit_cast<float>(std::bit_cast<std::uint32_t>(static_cast<float>(fraction) * 0x1p-24F) | sign);
  const std::uint32_t widened = exponent == 31 ? 255 : exponent + 112;
  return std::bit_cast<float>(sign | widened << 23 | fraction << 13);
}

// Converts an integer to a double that rounds to the same short number. If the double has too few bits, its last bit is set if any
// of the discarded bits is set (round to odd).
template <std::integral Integer>
double for_rounding(Integer value) {
  if constexpr (digits<Integer> <= digits<double>) {
    return static_cast<double>(value);
  } else {
    constexpr int spare = 11;  // 64 - 53
    const bool is_negative = value < 0;
    auto magnitude = static_cast<std::uint64_t>(value);
    if (is_negative) magnitude = 0 - magnitude;
    if (magnitude >> 53 != 0) {
      const std::uint64_t lost = magnitude & ((std::uint64_t{1} << spare) - 1);
      magnitude = (magnitude >> spare | (lost != 0 ? 1 : 0)) << spare;
    }
    const auto converted = static_cast<double>(magnitude);
    return is_negative ? -converted : converted;
  }
}
double for_rounding(double value) { return value; }

// Returns the nearest number with the precision and exponent range of Short, as a double.
template <class Short>
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const int exponent = std::max(std::ilogb(value), 1 - largest_exponent<Short>);
  return std::ldexp(std::nearbyint(std::ldexp(value, digits<Short> - 1 - exponent)), exponent - (digits<Short> - 1));
}

// Returns false if the target type cannot represent the value.
template <class Value>
bool put(Value value, Float16& element) {
  const double number = rounded<Float16>(for_rounding(value));
  const auto sign = static_cast<std::uint16_t>(std::signbit(number) ? 0x8000 : 0);
  const double magnitude = std::fabs(number);
  if (std::isnan(number)) {
    element.bits = static_cast<std::uint16_t>(sign | 0x7E00);
  } else if (magnitude > 65504) {
    if constexpr (std::integral<Value>) return false;
    if (std::isfinite(for_rounding(value))) return false;
    element.bits = static_cast<std::uint16_t>(sign | 0x7C00);
  } else if (magnitude < 0x1p-14) {
    element.bits = static_cast<std::uint16_t>(sign | static_cast<std::uint16_t>(magnitude * 0x1p24));
  } else {
    const int exponent = std::ilogb(magnitude);
    const auto fraction = static_cast<std::uint16_t>(std::ldexp(magnitude, 10 - exponent));  // 1024 .. 2047
    element.bits = static_cast<std::uint16_t>(sign | ((exponent + 14) * 1024 + fraction));
  }
  return true;
}
bool put(float value, BFloat16& element) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  if (std::isnan(value)) {
    element.bits = static_cast<std::uint16_t>(bits >> 16 | 0x40);
    return true;
  }
  element.bits = static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
  return std::isinf(value) || (element.bits & 0x7F80) != 0x7F80;
}
template <class Value>
bool put(Value value, BFloat16& element) {
  const double number = rounded<BFloat16>(for_rounding(value));
  return put(static_cast<float>(number), element) && (std::isfinite(value_of(element)) || !std::isfinite(number));
}
template <class Value, std::floating_point Float>
bool put(Value value, Float& element) {
  element = static_cast<Float>(value);
  if constexpr (std::floating_point<Value>) return std::isfinite(element) || !std::isfinite(value);
  return true;
}
template <std::integral Value, std::integral Integer>
bool put(Value value, Integer& element) {
  element = static_cast<Integer>(value);  // NOLINT(bugprone-signed-char-misuse): a number, not a character
  return std::in_range<Integer>(value);
}
template <std::floating_point Value, std::integral Integer>
bool put(Value value, Integer& element) {
  constexpr double beyond = 2.0 * static_cast<double>(std::uint64_t{1} << (digits<Integer> - 1));  // largest value + 1
  constexpr double min = std::signed_integral<Integer> ? -beyond : 0;
  const double number = value;
  if (!(number >= min && number < beyond) || std::trunc(number) != number) return false;
  element = static_cast<Integer>(number);
  return true;
}

template <class From, class To>
std::size_t convert(const std::byte* from, std::byte* to, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    From element;
    To converted{};
    std::memcpy(&element, from + i * sizeof element, sizeof element);
    if (!put(value_of(element), converted)) return i;
    if (to != nullptr) std::memcpy(to + i * sizeof converted, &converted, sizeof converted);
  }
  return count;
}

struct Pair {
  Converter converter;
  bool is_lossless;
};

template <class From, class To>
constexpr Pair pair_of{convert<From, To>, is_lossless<From, To>()};

// Calls call with a value of the type (for type deduction only); returns false for types that are not converted.
template <class Call>
bool with_type(Dtype dtype, Call&& call) {
  switch (dtype) {
    case Dtype::u8: call(std::uint8_t{}); return true;
    case Dtype::i8: call(std::int8_t{}); return true;
    case Dtype::u16: call(std::uint16_t{}); return true;
    case Dtype::i16: call(std::int16_t{}); return true;
    case Dtype::u32: call(std::uint32_t{}); return true;
    case Dtype::i32: call(std::int32_t{}); return true;
    case Dtype::u64: call(std::uint64_t{}); return true;
    case Dtype::i64: call(std::int64_t{}); return true;
    case Dtype::f16: call(Float16{}); return true;
    case Dtype::bf16: call(BFloat16{}); return true;
    case Dtype::f32: call(float{}); return true;
    case Dtype::f64: call(double{}); return true;
    default: return false;
  }
}

}  // namespace

Converter find_converter(Dtype from, Dtype to, Conversion how) {
  Pair found{nullptr, false};
  if (how == Conversion::none) return nullptr;
  with_type(from, [&](auto source) { with_type(to, [&](auto target) { found = pair_of<decltype(source), decltype(target)>; }); });
  return how == Conversion::lossy || found.is_lossless ? found.converter : nullptr;
}

}  // namespace ckpt::state
