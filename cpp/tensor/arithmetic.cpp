#include "tensor/arithmetic.h"

#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

#include "base/error.h"

namespace ckpt::tensor {
namespace {

// Calls body with a value of the tensor's element type.
template <class Body>
auto with_element_type(const Tensor& tensor, std::string_view argument, Body&& body) {
  if (tensor.dtype() == Dtype::f32) return body(float{});
  if (tensor.dtype() == Dtype::f64) return body(double{});
  base::fail(base::Status::unsupported, argument, " has dtype ", dtype_name(tensor.dtype()), "; expected F32 or F64");
}

void require_same(const Tensor& a, std::string_view a_name, const Tensor& b, std::string_view b_name) {
  if (a.dtype() == b.dtype() && a.shape() == b.shape()) return;
  base::fail(base::Status::invalid_argument, b_name, " is ", dtype_name(b.dtype()), " ", to_text(b.shape()), "; expected ",
             dtype_name(a.dtype()), " ", to_text(a.shape()), " as ", a_name);
}

template <class T>
T rounded_to(double value, std::string_view argument) {
  if (std::isfinite(value) && std::abs(value) > static_cast<double>(std::numeric_limits<T>::max())) {
    base::fail(base::Status::out_of_range, argument, " is ", value, "; F32 holds at most ", std::numeric_limits<T>::max());
  }
  return static_cast<T>(value);
}

template <class T>
T factor_as(double factor) {
  base::require(std::isfinite(factor), "factor is ", factor, "; expected a finite number");
  return rounded_to<T>(factor, "factor");
}

// Sums term(first) .. term(first + count - 1). The split depends on count alone.
template <class Term>
double pairwise_sum(std::int64_t first, std::int64_t count, const Term& term) {
  constexpr std::int64_t block = 1024;
  constexpr std::int64_t lanes = 8;  // independent sums, to hide the latency of additions
  if (count > block) {
    const std::int64_t half = count / 2 / block * block + (count / 2 < block ? block : 0);
    return pairwise_sum(first, half, term) + pairwise_sum(first + half, count - half, term);
  }
  std::array<double, lanes> sums{};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (std::int64_t lane = 0; lane < lanes; ++lane) sums[static_cast<std::size_t>(lane)] += term(first + i + lane);
  }
  double rest = 0;
  for (; i < count; ++i) rest += term(first + i);
  return (((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]))) + rest;
}

}  // namespace

void fill(Tensor& target, double value) {
  with_element_type(target, "target", [&](auto element) {
    using T = decltype(element);
    target.require_writable("target");
    const T rounded = rounded_to<T>(value, "value");
    T* const out = target.data_as<T>();
    for (std::int64_t i = 0; i < target.shape().elements(); ++i) out[i] = rounded;
  });
}

void scale(Tensor& target, double factor) {
  with_element_type(target, "target", [&](auto element) {
    using T = decltype(element);
    target.require_writable("target");
    const T a = factor_as<T>(factor);
    T* const out = target.data_as<T>();
    for (std::int64_t i = 0; i < target.shape().elements(); ++i) out[i] *= a;
  });
}

void add_scaled(Tensor& target, double factor, const Tensor& source) {
  with_element_type(target, "target", [&](auto element) {
    using T = decltype(element);
    require_same(target, "target", source, "source");
    target.require_writable("target");
    const T a = factor_as<T>(factor);
    T* const out = target.data_as<T>();
    const T* const in = source.data_as<T>();
    for (std::int64_t i = 0; i < target.shape().elements(); ++i) out[i] += a * in[i];
  });
}

double sum(const Tensor& tensor) {
  return with_element_type(tensor, "tensor", [&](auto element) {
    const auto* const in = tensor.data_as<decltype(element)>();
    return pairwise_sum(0, tensor.shape().elements(), [in](std::int64_t i) { return static_cast<double>(in[i]); });
  });
}

double dot(const Tensor& a, const Tensor& b) {
  return with_element_type(a, "a", [&](auto element) {
    require_same(a, "a", b, "b");
    const auto* const left = a.data_as<decltype(element)>();
    const auto* const right = b.data_as<decltype(element)>();
    return pairwise_sum(0, a.shape().elements(),
                        [=](std::int64_t i) { return static_cast<double>(left[i]) * static_cast<double>(right[i]); });
  });
}

void copy(Tensor& target, const Tensor& source) {
  require_same(target, "target", source, "source");
  target.require_writable("target");
  if (target.bytes() > 0) std::memmove(target.data(), source.data(), static_cast<std::size_t>(target.bytes()));
}

bool bit_equal(const Tensor& a, const Tensor& b) noexcept {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) return false;
  return a.bytes() == 0 || std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())) == 0;
}

}  // namespace ckpt::tensor
