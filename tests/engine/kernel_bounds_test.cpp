// The error bounds documented with the kernels, against long double, over the whole range of their arguments.
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

#include "engine/kernel_math.h"
#include "engine/kernels.h"

namespace ckpt::engine {
namespace {

using Real = long double;

// Returns every stride-th float from -most to most, and both ends: small and large numbers equally.
std::vector<float> floats_within(float max, std::uint32_t stride) {
  std::vector<float> all;
  for (std::uint32_t bits = 0; bits < std::bit_cast<std::uint32_t>(max); bits += stride) {
    all.push_back(std::bit_cast<float>(bits));
    all.push_back(-std::bit_cast<float>(bits));
  }
  all.push_back(max);
  all.push_back(-max);
  return all;
}

std::vector<double> doubles_within(double max) {
  std::vector<double> all = {0, max, -max};
  std::mt19937_64 random(5);
  std::uniform_real_distribution<double> uniform(-1, 1);  // the distance from -most to most may overflow
  std::uniform_real_distribution<double> exponent(-1000, std::log2(max));
  for (int i = 0; i < 200000; ++i) {
    all.push_back(uniform(random) * max);
    all.push_back(std::exp2(exponent(random)) * (i % 2 == 0 ? 1 : -1));
  }
  return all;
}

// Returns the distance of y from exact, in units of exact's last place in type T.
template <class T>
Real units_off(T y, Real exact) {
  const int last_place = std::ilogb(exact) - (std::numeric_limits<T>::digits - 1);
  return std::abs(static_cast<Real>(y) - exact) / std::ldexp(Real{1}, last_place);
}

// Returns the largest error(x, y) over all x with their y, and its position.
template <class T, class Error>
void expect_worst(const std::vector<T>& x, const std::vector<T>& y, Real bound, const Error& error) {
  Real worst = 0;
  T where = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Real each = error(x[i], y[i]);
    if (each <= worst) continue;  // false for NaN
    worst = each;
    where = x[i];
    if (std::isnan(each)) break;
  }
  EXPECT_LE(worst, bound) << "at " << where;
}

template <class T, class Function>
std::vector<T> each_of(const std::vector<T>& x, const Function& function) {
  std::vector<T> y;
  y.reserve(x.size());
  for (const T value : x) y.push_back(function(value));
  return y;
}

template <class T>
Real relative_to_one(T x) {
  return std::max(Real{1}, std::abs(static_cast<Real>(x)));
}

Real exact_gelu(Real x) { return x / 2 * (1 + std::tanh(0.797884560802865355879892119868763737L * (x + 0.044715L * x * x * x))); }

Real exact_gelu_slope(Real x) {
  constexpr Real slope = 0.797884560802865355879892119868763737L;
  const Real t = std::tanh(slope * (x + 0.044715L * x * x * x));
  // Where 1 - t t is 0, the other factor may overflow.
  const Real rest = 1 - t * t;
  return (1 + t) / 2 + (rest == 0 ? 0 : x / 2 * rest * slope * (1 + 3 * 0.044715L * x * x));
}

TEST(KernelBounds, ExpOfFloats) {
  std::vector<float> x = floats_within(87.0F, 512);
  for (float each = 87.0F; each <= 88.0F; each = std::nextafter(each, 100.0F)) x.push_back(each);
  ASSERT_GT(x.size(), std::size_t{1} << 22);
  const auto y = each_of(x, [](float value) { return fast_exp(value); });
  expect_worst(x, y, 2, [](float value, float given) { return units_off(given, std::exp(static_cast<Real>(value))); });
}

TEST(KernelBounds, ExpOfDoubles) {
  const std::vector<double> x = doubles_within(708);
  const auto y = each_of(x, [](double value) { return fast_exp(value); });
  expect_worst(x, y, 4, [](double value, double given) { return units_off(given, std::exp(static_cast<Real>(value))); });
}

TEST(KernelBounds, ExpBeyondItsRangeStaysAtItsEnds) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  for (const float low : {-87.0F, -88.0F, -1e10F, -infinity}) EXPECT_EQ(fast_exp(low), fast_exp(-87.0F)) << low;
  for (const float high : {88.0F, 89.0F, 1e10F, infinity}) EXPECT_EQ(fast_exp(high), fast_exp(88.0F)) << high;
  EXPECT_GE(fast_exp(-infinity), 0.0F);
  EXPECT_LT(fast_exp(-infinity), 2e-38F);
  EXPECT_TRUE(std::isfinite(fast_exp(infinity)));
  EXPECT_TRUE(std::isnan(fast_exp(std::numeric_limits<float>::quiet_NaN())));
  EXPECT_TRUE(std::isnan(fast_exp(std::numeric_limits<double>::quiet_NaN())));
  EXPECT_LT(fast_exp(-std::numeric_limits<double>::infinity()), 1e-300);
  EXPECT_GT(fast_exp(std::numeric_limits<double>::infinity()), 1e300);
}

TEST(KernelBounds, Tanh) {
  const std::vector<float> x = floats_within(std::numeric_limits<float>::max(), 2048);
  const auto y = each_of(x, [](float value) { return fast_tanh(value); });
  expect_worst(x, y, 2.5e-7L,
               [](float value, float given) { return std::abs(static_cast<Real>(given) - std::tanh(static_cast<Real>(value))); });
  const std::vector<double> wide = doubles_within(1e300);
  for (const auto& doubles : {doubles_within(30), wide}) {
    const auto tanhs = each_of(doubles, [](double value) { return fast_tanh(value); });
    expect_worst(doubles, tanhs, 1e-15L, [](double value, double given) {
      return std::abs(static_cast<Real>(given) - std::tanh(static_cast<Real>(value)));
    });
  }
  EXPECT_TRUE(std::isnan(fast_tanh(std::numeric_limits<float>::quiet_NaN())));
}

template <class T>
std::vector<T> gelu_of(const std::vector<T>& x) {
  std::vector<T> y(x.size());
  gelu(x.data(), y.data(), static_cast<std::int64_t>(x.size()));
  return y;
}

template <class T>
std::vector<T> gelu_slope_of(const std::vector<T>& x) {
  const std::vector<T> ones(x.size(), T(1));
  std::vector<T> y(x.size());
  gelu_backward(x.data(), ones.data(), y.data(), static_cast<std::int64_t>(x.size()));
  return y;
}

TEST(KernelBounds, Gelu) {
  const auto error = [](auto value, auto given) {
    return std::abs(static_cast<Real>(given) - exact_gelu(static_cast<Real>(value))) / relative_to_one(value);
  };
  const std::vector<float> floats = floats_within(std::numeric_limits<float>::max(), 1024);
  expect_worst(floats, gelu_of(floats), 3e-7L, error);
  for (const double max : {12.0, 1e90, std::numeric_limits<double>::max()}) {
    const std::vector<double> doubles = doubles_within(max);
    expect_worst(doubles, gelu_of(doubles), 1e-15L, error);
  }
}

// Both factors of the slope are off by a few units, and one of them grows with x until the other is 0.
TEST(KernelBounds, GeluBackward) {
  const auto error = [](auto value, auto given) {
    return std::abs(static_cast<Real>(given) - exact_gelu_slope(static_cast<Real>(value)));
  };
  const std::vector<float> floats = floats_within(std::numeric_limits<float>::max(), 1024);
  expect_worst(floats, gelu_slope_of(floats), 4e-6L, error);
  for (const double max : {12.0, 1e90, std::numeric_limits<double>::max()}) {
    const std::vector<double> doubles = doubles_within(max);
    expect_worst(doubles, gelu_slope_of(doubles), 1e-14L, error);
  }
}

// Rows of any length, also far from 0, where exp alone would overflow.
template <class T>
void check_log_sum_exp(Real bound) {
  std::mt19937 random(7);
  for (const std::int64_t count : {1, 2, 7, 8, 9, 15, 16, 17, 31, 33, 1000}) {
    for (const double middle : {0.0, 1e4, -1e4, 1e30, -1e30}) {
      for (const double spread : {1e-3, 1.0, 30.0}) {
        std::uniform_real_distribution<double> uniform(-spread, spread);
        std::vector<T> x(static_cast<std::size_t>(count));
        for (T& each : x) each = static_cast<T>(middle + uniform(random));
        const Real max = *std::max_element(x.begin(), x.end());
        Real sum = 0;
        for (const T each : x) sum += std::exp(static_cast<Real>(each) - max);
        const Real exact = max + std::log(sum);
        EXPECT_LE(std::abs(static_cast<Real>(log_sum_exp(x.data(), count)) - exact), bound * relative_to_one(exact))
            << count << " elements about " << middle << ", spread " << spread;
      }
    }
  }
  const T alone = T(-3.25);
  EXPECT_EQ(log_sum_exp(&alone, 1), alone);
}

TEST(KernelBounds, LogSumExp) {
  check_log_sum_exp<float>(1e-6L);
  check_log_sum_exp<double>(4e-15L);
}

// The difference is rounded before exp, and the product after it.
template <class T>
void check_exp_shifted(T max, Real bound) {
  std::mt19937 random(9);
  for (const T shift : {T(0), T(0.75), T(-20)}) {
    std::uniform_real_distribution<double> uniform(static_cast<double>(shift - max), static_cast<double>(shift + max / 2));
    std::vector<T> x(100003);
    for (T& each : x) each = static_cast<T>(uniform(random));
    for (const T factor : {T(1), T(-0.3)}) {
      std::vector<T> y(x.size());
      exp_shifted(x.data(), shift, factor, y.data(), static_cast<std::int64_t>(x.size()));
      expect_worst(x, y, bound, [&](T value, T given) {
        return units_off(given, std::exp(static_cast<Real>(static_cast<T>(value - shift))) * static_cast<Real>(factor));
      });
    }
  }
}

TEST(KernelBounds, ExpShifted) {
  check_exp_shifted<float>(80, 4.5L);  // two units of exp may be four of the product's
  check_exp_shifted<double>(700, 4.5L);
}

}  // namespace
}  // namespace ckpt::engine
