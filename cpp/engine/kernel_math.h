// Scalar functions that compilers vectorize, and sums with a fixed order. Tests check the error bounds over the whole range.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "engine/kernel_levels.h"

namespace ckpt::engine {

// exp as 2^n e^r with |r| <= ln2/2 and the Taylor series of e^r to degree 7: within 2 ulp for x in [-87, 88]; clamped to the
// value at the range's end beyond that, and NaN for NaN.
CKPT_INLINE float fast_exp(float x) {
  constexpr float log2_e = 1.44269504F;
  constexpr float ln2_high = 0.693145751953125F;  // few enough bits that n * ln2_high is exact
  constexpr float ln2_low = 1.42860677e-6F;
  constexpr float to_integer = 12582912.0F;  // 1.5 * 2^23: adding it rounds to an integer
  x = std::min(std::max(x, -87.0F), 88.0F);
  const float shifted = x * log2_e + to_integer;
  const float n = shifted - to_integer;
  const float r = (x - n * ln2_high) - n * ln2_low;
  float p = 1.0F / 5040.0F;
  p = p * r + 1.0F / 720.0F;
  p = p * r + 1.0F / 120.0F;
  p = p * r + 1.0F / 24.0F;
  p = p * r + 1.0F / 6.0F;
  p = p * r + 0.5F;
  p = p * r + 1.0F;
  p = p * r + 1.0F;
  const auto exponent =
      static_cast<std::uint32_t>(std::bit_cast<std::int32_t>(shifted) - std::bit_cast<std::int32_t>(to_integer) + 127);
  return p * std::bit_cast<float>(exponent << 23);
}

// The same with degree 13: within 2 ulp for x in [-708, 709].
CKPT_INLINE double fast_exp(double x) {
  constexpr double log2_e = 1.44269504088896340736;
  constexpr double ln2_high = 0x1.62e42fee00000p-1;  // 32 bits of ln 2
  constexpr double ln2_low = 0x1.a39ef35793c76p-33;  // the rest
  constexpr double to_integer = 6755399441055744.0;  // 1.5 * 2^52
  x = std::min(std::max(x, -708.0), 709.0);
  const double shifted = x * log2_e + to_integer;
  const double n = shifted - to_integer;
  const double r = (x - n * ln2_high) - n * ln2_low;
  double p = 1.0 / 6227020800.0;
  p = p * r + 1.0 / 479001600.0;
  p = p * r + 1.0 / 39916800.0;
  p = p * r + 1.0 / 3628800.0;
  p = p * r + 1.0 / 362880.0;
  p = p * r + 1.0 / 40320.0;
  p = p * r + 1.0 / 5040.0;
  p = p * r + 1.0 / 720.0;
  p = p * r + 1.0 / 120.0;
  p = p * r + 1.0 / 24.0;
  p = p * r + 1.0 / 6.0;
  p = p * r + 0.5;
  p = p * r + 1.0;
  p = p * r + 1.0;
  const auto exponent =
      static_cast<std::uint64_t>(std::bit_cast<std::int64_t>(shifted) - std::bit_cast<std::int64_t>(to_integer) + 1023);
  return p * std::bit_cast<double>(exponent << 52);
}

// Absolute error below 3e-7 and 1e-15: sufficient for GELU, which adds 1 to it.
template <class T>
CKPT_INLINE T fast_tanh(T x) {
  return T(1) - T(2) / (fast_exp(T(2) * x) + T(1));
}

// 1 / (1 + e^-x).
template <class T>
CKPT_INLINE T fast_sigmoid(T x) {
  return T(1) / (T(1) + fast_exp(-x));
}

constexpr int sum_lanes = 16;

// Sums term(i) as a Sum: element i in lane i % 16, the lanes added in order.
template <class Sum, class Term>
CKPT_INLINE Sum lane_sum(std::int64_t count, const Term& term) {
  Sum sums[sum_lanes] = {};
  std::int64_t i = 0;
  for (; i + sum_lanes <= count; i += sum_lanes) {
    for (int lane = 0; lane < sum_lanes; ++lane) sums[lane] += term(i + lane);
  }
  for (; i < count; ++i) sums[i % sum_lanes] += term(i);
  Sum sum = 0;
  for (const Sum each : sums) sum += each;
  return sum;
}

// Returns the maximum of x and `least`; ignores NaN.
template <class T>
CKPT_INLINE T lane_max(const T* x, std::int64_t count, T min) {
  T max[sum_lanes];
  for (T& each : max) each = min;
  std::int64_t i = 0;
  for (; i + sum_lanes <= count; i += sum_lanes) {
    for (int lane = 0; lane < sum_lanes; ++lane) max[lane] = x[i + lane] > max[lane] ? x[i + lane] : max[lane];
  }
  for (; i < count; ++i) max[i % sum_lanes] = x[i] > max[i % sum_lanes] ? x[i] : max[i % sum_lanes];
  T all = min;
  for (const T each : max) all = each > all ? each : all;
  return all;
}

}  // namespace ckpt::engine
