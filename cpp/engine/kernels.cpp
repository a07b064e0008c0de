#include "engine/kernels.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/kernel_math.h"

namespace ckpt::engine {
namespace {

template <class T>
constexpr T gelu_slope = static_cast<T>(0.79788456080286535588);  // sqrt(2/pi)
template <class T>
constexpr T gelu_cubic = static_cast<T>(0.044715);

template <class T>
CKPT_INLINE void gelu_body(const T* x, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) {
    const T v = x[i];
    y[i] = T(0.5) * v * (T(1) + fast_tanh(gelu_slope<T> * (v + gelu_cubic<T> * v * v * v)));
  }
}

template <class T>
CKPT_INLINE void gelu_backward_body(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) {
    const T v = x[i];
    const T t = fast_tanh(gelu_slope<T> * (v + gelu_cubic<T> * v * v * v));
    const T near = std::min(std::max(v, T(-30)), T(30));  // outside, inner is multiplied by 0, and must be finite for that
    const T inner = gelu_slope<T> * (T(1) + T(3) * gelu_cubic<T> * near * near);
    grad_x[i] = grad_y[i] * (T(0.5) * (T(1) + t) + T(0.5) * v * (T(1) - t * t) * inner);
  }
}

template <class T>
CKPT_INLINE void relu_body(const T* x, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] = x[i] > T(0) ? x[i] : T(0);
}

template <class T>
CKPT_INLINE void relu_backward_body(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) grad_x[i] = x[i] > T(0) ? grad_y[i] : T(0);
}

template <class T>
CKPT_INLINE void add_column_sums_body(const T* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                                      T* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const from = grad + row * columns;
    CKPT_ELEMENTWISE for (std::int64_t j = begin; j < end; ++j) sums[j] += from[j];
  }
}

// Sixteen blocks in parallel.
CKPT_INLINE void random_words_body(base::PhiloxKey key, std::uint32_t site, std::int64_t sample, std::int64_t begin,
                                   std::int64_t count, std::uint32_t* words) {
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
      c3[i] = site;
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
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] = words[i] >= threshold ? x[i] * scale : T(0);
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

template <class T>
CKPT_INLINE T log_sum_exp_body(const T* x, std::int64_t count) {
  const T max = lane_max(x, count, -std::numeric_limits<T>::infinity());
  return max + std::log(lane_sum<T>(count, [=](std::int64_t i) { return fast_exp(x[i] - max); }));
}

template <class T>
CKPT_INLINE void exp_shifted_body(const T* x, T shift, T scale, T* out, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) out[i] = fast_exp(x[i] - shift) * scale;
}

template <class T>
CKPT_INLINE double sum_of_squares_body(const T* x, std::int64_t count) {
  return lane_sum<double>(count, [=](std::int64_t i) { return static_cast<double>(x[i]) * static_cast<double>(x[i]); });
}

// 0 x is 0 for finite numbers, otherwise NaN.
template <class T>
CKPT_INLINE bool all_finite_body(const T* x, std::int64_t count) {
  return lane_sum<T>(count, [=](std::int64_t i) { return T(0) * x[i]; }) == T(0);
}

template <class T>
CKPT_INLINE void scale_body(T* x, T factor, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) x[i] *= factor;
}

template <class T>
CKPT_INLINE void sgd_update_body(T* w, T* v, const T* g, T learning_rate, T momentum, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) {
    v[i] = momentum * v[i] + g[i];
    w[i] -= learning_rate * v[i];
  }
}

// Copies the factors first: otherwise the compiler must assume that the stores may overwrite them.
template <class T>
CKPT_INLINE void adamw_update_body(T* w, T* m, T* v, const T* g, const AdamwFactors<T>& given, std::int64_t count) {
  const AdamwFactors<T> f = given;
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) {
    m[i] = f.beta1 * m[i] + (T(1) - f.beta1) * g[i];
    v[i] = f.beta2 * v[i] + (T(1) - f.beta2) * g[i] * g[i];
    const T step = (m[i] / f.correction1) / (std::sqrt(v[i] / f.correction2) + f.epsilon);
    w[i] -= f.learning_rate * (step + f.weight_decay * w[i]);
  }
}

template <class T>
CKPT_INLINE void silu_multiply_body(const T* gate, const T* up, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] = gate[i] * fast_sigmoid(gate[i]) * up[i];
}

template <class T>
CKPT_INLINE void silu_multiply_backward_body(const T* gate, const T* up, const T* grad_y, T* grad_gate, T* grad_up,
                                             std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) {
    const T s = fast_sigmoid(gate[i]);
    const T silu = gate[i] * s;
    grad_gate[i] = grad_y[i] * up[i] * (s + silu * (T(1) - s));
    grad_up[i] = grad_y[i] * silu;
  }
}

template <class T>
CKPT_INLINE void add_body(const T* x, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

template <class T>
CKPT_INLINE void multiply_body(const T* a, const T* b, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] = a[i] * b[i];
}

template <class T>
CKPT_INLINE void add_product_body(const T* a, const T* b, T* y, std::int64_t count) {
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < count; ++i) y[i] += a[i] * b[i];
}

}  // namespace

CKPT_KERNEL(void, gelu, (const float* x, float* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, gelu, (const double* x, double* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, gelu_backward, (const float* x, const float* grad_y, float* grad_x, std::int64_t count),
            (x, grad_y, grad_x, count))
CKPT_KERNEL(void, gelu_backward, (const double* x, const double* grad_y, double* grad_x, std::int64_t count),
            (x, grad_y, grad_x, count))
CKPT_KERNEL(void, silu_multiply, (const float* gate, const float* up, float* y, std::int64_t count), (gate, up, y, count))
CKPT_KERNEL(void, silu_multiply, (const double* gate, const double* up, double* y, std::int64_t count), (gate, up, y, count))
CKPT_KERNEL(void, silu_multiply_backward,
            (const float* gate, const float* up, const float* grad_y, float* grad_gate, float* grad_up, std::int64_t count),
            (gate, up, grad_y, grad_gate, grad_up, count))
CKPT_KERNEL(void, silu_multiply_backward,
            (const double* gate, const double* up, const double* grad_y, double* grad_gate, double* grad_up, std::int64_t count),
            (gate, up, grad_y, grad_gate, grad_up, count))
CKPT_KERNEL(void, relu, (const float* x, float* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, relu, (const double* x, double* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, relu_backward, (const float* x, const float* grad_y, float* grad_x, std::int64_t count),
            (x, grad_y, grad_x, count))
CKPT_KERNEL(void, relu_backward, (const double* x, const double* grad_y, double* grad_x, std::int64_t count),
            (x, grad_y, grad_x, count))
CKPT_KERNEL(void, add, (const float* x, float* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, add, (const double* x, double* y, std::int64_t count), (x, y, count))
CKPT_KERNEL(void, multiply, (const float* a, const float* b, float* y, std::int64_t count), (a, b, y, count))
CKPT_KERNEL(void, multiply, (const double* a, const double* b, double* y, std::int64_t count), (a, b, y, count))
CKPT_KERNEL(void, add_product, (const float* a, const float* b, float* y, std::int64_t count), (a, b, y, count))
CKPT_KERNEL(void, add_product, (const double* a, const double* b, double* y, std::int64_t count), (a, b, y, count))
CKPT_KERNEL(void, add_column_sums,
            (const float* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end, float* sums),
            (grad, rows, columns, begin, end, sums))
CKPT_KERNEL(void, add_column_sums,
            (const double* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end, double* sums),
            (grad, rows, columns, begin, end, sums))
CKPT_KERNEL(void, random_words,
            (base::PhiloxKey key, std::uint32_t site, std::int64_t sample, std::int64_t first, std::int64_t count,
             std::uint32_t* words),
            (key, site, sample, first, count, words))
CKPT_KERNEL(void, dropout,
            (const float* x, const std::uint32_t* words, std::uint32_t threshold, float scale, float* y, std::int64_t count),
            (x, words, threshold, scale, y, count))
CKPT_KERNEL(void, dropout,
            (const double* x, const std::uint32_t* words, std::uint32_t threshold, double scale, double* y, std::int64_t count),
            (x, words, threshold, scale, y, count))
CKPT_KERNEL(void, dropout_masked, (const float* x, const std::uint8_t* mask, float scale, float* y, std::int64_t count),
            (x, mask, scale, y, count))
CKPT_KERNEL(void, dropout_masked, (const double* x, const std::uint8_t* mask, double scale, double* y, std::int64_t count),
            (x, mask, scale, y, count))
CKPT_KERNEL(float, log_sum_exp, (const float* x, std::int64_t count), (x, count))
CKPT_KERNEL(double, log_sum_exp, (const double* x, std::int64_t count), (x, count))
CKPT_KERNEL(void, exp_shifted, (const float* x, float shift, float scale, float* out, std::int64_t count),
            (x, shift, scale, out, count))
CKPT_KERNEL(void, exp_shifted, (const double* x, double shift, double scale, double* out, std::int64_t count),
            (x, shift, scale, out, count))
CKPT_KERNEL(bool, all_finite, (const float* x, std::int64_t count), (x, count))
CKPT_KERNEL(bool, all_finite, (const double* x, std::int64_t count), (x, count))
CKPT_KERNEL(double, sum_of_squares, (const float* x, std::int64_t count), (x, count))
CKPT_KERNEL(double, sum_of_squares, (const double* x, std::int64_t count), (x, count))
CKPT_KERNEL(void, scale, (float* x, float factor, std::int64_t count), (x, factor, count))
CKPT_KERNEL(void, scale, (double* x, double factor, std::int64_t count), (x, factor, count))
CKPT_KERNEL(void, sgd_update, (float* w, float* v, const float* g, float learning_rate, float momentum, std::int64_t count),
            (w, v, g, learning_rate, momentum, count))
CKPT_KERNEL(void, sgd_update, (double* w, double* v, const double* g, double learning_rate, double momentum, std::int64_t count),
            (w, v, g, learning_rate, momentum, count))
CKPT_KERNEL(void, adamw_update,
            (float* w, float* m, float* v, const float* g, const AdamwFactors<float>& factors, std::int64_t count),
            (w, m, v, g, factors, count))
CKPT_KERNEL(void, adamw_update,
            (double* w, double* m, double* v, const double* g, const AdamwFactors<double>& factors, std::int64_t count),
            (w, m, v, g, factors, count))

void pack_mask(const std::uint32_t* words, std::uint32_t threshold, std::uint8_t* mask, std::int64_t count) {
  for (std::int64_t first = 0; first < count; first += 8) {
    unsigned bits = 0;
    const auto here = static_cast<int>(std::min<std::int64_t>(8, count - first));
    for (int b = 0; b < here; ++b) bits |= (words[first + b] >= threshold ? 1U : 0U) << b;
    mask[first / 8] = static_cast<std::uint8_t>(bits);
  }
}

}  // namespace ckpt::engine
