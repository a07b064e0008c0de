#include "engine/kernels.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "engine/kernel_clones.h"

namespace ckpt::engine {
namespace {

// exp by 2^n e^r with |r| <= ln2/2 and the Taylor series to degree 7: within 2 units in the last place for x in [-87, 88].
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
CKPT_INLINE double fast_exp(double x) { return std::exp(x); }

// Absolute error about 1e-7: what GELU needs, which adds 1 to it.
CKPT_INLINE float fast_tanh(float x) { return 1.0F - 2.0F / (fast_exp(2.0F * x) + 1.0F); }
CKPT_INLINE double fast_tanh(double x) { return std::tanh(x); }

template <class T>
constexpr T gelu_slope = static_cast<T>(0.79788456080286535588);  // sqrt(2/pi)
template <class T>
constexpr T gelu_cubic = static_cast<T>(0.044715);

template <class T>
CKPT_INLINE void gelu_body(const T* x, T* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T v = x[i];
    y[i] = T(0.5) * v * (T(1) + fast_tanh(gelu_slope<T> * (v + gelu_cubic<T> * v * v * v)));
  }
}

template <class T>
CKPT_INLINE void gelu_backward_body(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    const T v = x[i];
    const T t = fast_tanh(gelu_slope<T> * (v + gelu_cubic<T> * v * v * v));
    const T inner = gelu_slope<T> * (T(1) + T(3) * gelu_cubic<T> * v * v);
    grad_x[i] = grad_y[i] * (T(0.5) * (T(1) + t) + T(0.5) * v * (T(1) - t * t) * inner);
  }
}

template <class T>
CKPT_INLINE void relu_body(const T* x, T* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] > T(0) ? x[i] : T(0);
}

template <class T>
CKPT_INLINE void relu_backward_body(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) grad_x[i] = x[i] > T(0) ? grad_y[i] : T(0);
}

template <class T>
CKPT_INLINE void add_column_sums_body(const T* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                                      T* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const from = grad + row * columns;
    for (std::int64_t j = begin; j < end; ++j) sums[j] += from[j];
  }
}

// Sixteen blocks side by side.
CKPT_INLINE void random_words_body(base::PhiloxKey key, std::int64_t sample, std::int64_t begin, std::int64_t count,
                                   std::uint32_t* words) {
  constexpr int lanes = 16;
  const auto wide_sample = static_cast<std::uint64_t>(sample);
  for (std::int64_t first = 0; first < count; first += std::int64_t{4} * lanes) {
    std::uint32_t c0[lanes];
    std::uint32_t c1[lanes];
    std::uint32_t c2[lanes];
    std::uint32_t c3[lanes];
    for (int i = 0; i < lanes; ++i) {
      c0[i] = static_cast<std::uint32_t>((begin + first) / 4) + static_cast<std::uint32_t>(i);
      c1[i] = base::low_word(wide_sample);
      c2[i] = base::high_word(wide_sample);
      c3[i] = 0;
    }
    std::uint32_t k0 = key[0];
    std::uint32_t k1 = key[1];
    for (int round = 0; round < 10; ++round) {
      for (int i = 0; i < lanes; ++i) {
        const std::uint64_t product0 = std::uint64_t{0xD2511F53} * c0[i];
        const std::uint64_t product1 = std::uint64_t{0xCD9E8D57} * c2[i];
        c0[i] = base::high_word(product1) ^ c1[i] ^ k0;
        c1[i] = base::low_word(product1);
        c2[i] = base::high_word(product0) ^ c3[i] ^ k1;
        c3[i] = base::low_word(product0);
      }
      k0 += 0x9E3779B9;
      k1 += 0xBB67AE85;
    }
    std::uint32_t* const out = words + first;
    for (std::int64_t i = 0; i < lanes; ++i) {
      out[4 * i + 0] = c0[i];
      out[4 * i + 1] = c1[i];
      out[4 * i + 2] = c2[i];
      out[4 * i + 3] = c3[i];
    }
  }
}

template <class T>
CKPT_INLINE void dropout_body(const T* x, const std::uint32_t* words, std::uint32_t threshold, T scale, T* y, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) y[i] = words[i] >= threshold ? x[i] * scale : T(0);
}

template <class T>
CKPT_INLINE void dropout_masked_body(const T* x, const std::uint8_t* mask, T scale, T* y, std::int64_t count) {
  std::int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const unsigned bits = mask[i / 8];
    for (int b = 0; b < 8; ++b) y[i + b] = (bits >> b & 1U) != 0 ? x[i + b] * scale : T(0);
  }
  for (; i < count; ++i) y[i] = (mask[i / 8] >> (i % 8) & 1) != 0 ? x[i] * scale : T(0);
}

// Sums have eight lanes, folded in a fixed order.
template <class T>
CKPT_INLINE T log_sum_exp_body(const T* x, std::int64_t count) {
  constexpr int lanes = 8;
  T most = -std::numeric_limits<T>::infinity();
  for (std::int64_t i = 0; i < count; ++i) most = x[i] > most ? x[i] : most;
  T sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += fast_exp(x[i + lane] - most);
  }
  for (; i < count; ++i) sums[i % lanes] += fast_exp(x[i] - most);
  T sum = 0;
  for (const T each : sums) sum += each;
  return most + std::log(sum);
}

template <class T>
CKPT_INLINE void exp_shifted_body(const T* x, T shift, T scale, T* out, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) out[i] = fast_exp(x[i] - shift) * scale;
}

template <class T>
CKPT_INLINE double sum_of_squares_body(const T* x, std::int64_t count) {
  constexpr int lanes = 8;
  double sums[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes) {
    for (int lane = 0; lane < lanes; ++lane) sums[lane] += static_cast<double>(x[i + lane]) * static_cast<double>(x[i + lane]);
  }
  for (; i < count; ++i) sums[i % lanes] += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  double sum = 0;
  for (const double each : sums) sum += each;
  return sum;
}

template <class T>
CKPT_INLINE void scale_body(T* x, T factor, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) x[i] *= factor;
}

template <class T>
CKPT_INLINE void sgd_body(T* w, T* v, const T* g, T learning_rate, T momentum, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    v[i] = momentum * v[i] + g[i];
    w[i] -= learning_rate * v[i];
  }
}

template <class T>
CKPT_INLINE void adamw_body(T* w, T* m, T* v, const T* g, const AdamwFactors<T>& f, std::int64_t count) {
  for (std::int64_t i = 0; i < count; ++i) {
    m[i] = f.beta1 * m[i] + (T(1) - f.beta1) * g[i];
    v[i] = f.beta2 * v[i] + (T(1) - f.beta2) * g[i] * g[i];
    const T step = (m[i] / f.correction1) / (std::sqrt(v[i] / f.correction2) + f.epsilon);
    w[i] -= f.learning_rate * (step + f.weight_decay * w[i]);
  }
}

}  // namespace

CKPT_KERNEL void gelu(const float* x, float* y, std::int64_t count) { gelu_body(x, y, count); }
void gelu(const double* x, double* y, std::int64_t count) { gelu_body(x, y, count); }
CKPT_KERNEL void gelu_backward(const float* x, const float* grad_y, float* grad_x, std::int64_t count) {
  gelu_backward_body(x, grad_y, grad_x, count);
}
void gelu_backward(const double* x, const double* grad_y, double* grad_x, std::int64_t count) {
  gelu_backward_body(x, grad_y, grad_x, count);
}

CKPT_KERNEL void relu(const float* x, float* y, std::int64_t count) { relu_body(x, y, count); }
void relu(const double* x, double* y, std::int64_t count) { relu_body(x, y, count); }
CKPT_KERNEL void relu_backward(const float* x, const float* grad_y, float* grad_x, std::int64_t count) {
  relu_backward_body(x, grad_y, grad_x, count);
}
void relu_backward(const double* x, const double* grad_y, double* grad_x, std::int64_t count) {
  relu_backward_body(x, grad_y, grad_x, count);
}

CKPT_KERNEL void add_column_sums(const float* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                                 float* sums) {
  add_column_sums_body(grad, rows, columns, begin, end, sums);
}
void add_column_sums(const double* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                     double* sums) {
  add_column_sums_body(grad, rows, columns, begin, end, sums);
}

CKPT_KERNEL void random_words(base::PhiloxKey key, std::int64_t sample, std::int64_t first, std::int64_t count,
                              std::uint32_t* words) {
  random_words_body(key, sample, first, count, words);
}

CKPT_KERNEL void dropout(const float* x, const std::uint32_t* words, std::uint32_t threshold, float scale, float* y,
                         std::int64_t count) {
  dropout_body(x, words, threshold, scale, y, count);
}
void dropout(const double* x, const std::uint32_t* words, std::uint32_t threshold, double scale, double* y, std::int64_t count) {
  dropout_body(x, words, threshold, scale, y, count);
}

void pack_mask(const std::uint32_t* words, std::uint32_t threshold, std::uint8_t* mask, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += 8) {
    unsigned bits = 0;
    const auto here = static_cast<int>(std::min<std::int64_t>(8, count - first));
    for (int b = 0; b < here; ++b) bits |= (words[first + b] >= threshold ? 1U : 0U) << b;
    mask[first / 8] = static_cast<std::uint8_t>(bits);
  }
}

CKPT_KERNEL void dropout_masked(const float* x, const std::uint8_t* mask, float scale, float* y, std::int64_t count) {
  dropout_masked_body(x, mask, scale, y, count);
}
void dropout_masked(const double* x, const std::uint8_t* mask, double scale, double* y, std::int64_t count) {
  dropout_masked_body(x, mask, scale, y, count);
}

CKPT_KERNEL float log_sum_exp(const float* x, std::int64_t count) { return log_sum_exp_body(x, count); }
double log_sum_exp(const double* x, std::int64_t count) { return log_sum_exp_body(x, count); }
CKPT_KERNEL void exp_shifted(const float* x, float shift, float scale, float* out, std::int64_t count) {
  exp_shifted_body(x, shift, scale, out, count);
}
void exp_shifted(const double* x, double shift, double scale, double* out, std::int64_t count) {
  exp_shifted_body(x, shift, scale, out, count);
}

CKPT_KERNEL double sum_of_squares(const float* x, std::int64_t count) { return sum_of_squares_body(x, count); }
double sum_of_squares(const double* x, std::int64_t count) { return sum_of_squares_body(x, count); }
CKPT_KERNEL void scale(float* x, float factor, std::int64_t count) { scale_body(x, factor, count); }
void scale(double* x, double factor, std::int64_t count) { scale_body(x, factor, count); }

CKPT_KERNEL void sgd_update(float* w, float* v, const float* g, float learning_rate, float momentum, std::int64_t count) {
  sgd_body(w, v, g, learning_rate, momentum, count);
}
void sgd_update(double* w, double* v, const double* g, double learning_rate, double momentum, std::int64_t count) {
  sgd_body(w, v, g, learning_rate, momentum, count);
}
CKPT_KERNEL void adamw_update(float* w, float* m, float* v, const float* g, const AdamwFactors<float>& factors,
                              std::int64_t count) {
  adamw_body(w, m, v, g, factors, count);
}
void adamw_update(double* w, double* m, double* v, const double* g, const AdamwFactors<double>& factors, std::int64_t count) {
  adamw_body(w, m, v, g, factors, count);
}

}  // namespace ckpt::engine
