// Element-wise loops, written for automatic vectorization. Every element is computed with the same IEEE operations for every
// vector width, so the instruction set does not change results; sums have 16 lanes, folded in a fixed order.
#pragma once

#include <cstdint>

#include "base/philox.h"

namespace ckpt::engine {

// y = gelu(x) and grad_x = grad_y gelu'(x), tanh form.
void gelu(const float* x, float* y, std::int64_t count);
void gelu(const double* x, double* y, std::int64_t count);
void gelu_backward(const float* x, const float* grad_y, float* grad_x, std::int64_t count);
void gelu_backward(const double* x, const double* grad_y, double* grad_x, std::int64_t count);

// y = silu(gate) up, silu(x) = x / (1 + e^-x), and the gradients of both.
void silu_multiply(const float* gate, const float* up, float* y, std::int64_t count);
void silu_multiply(const double* gate, const double* up, double* y, std::int64_t count);
void silu_multiply_backward(const float* gate, const float* up, const float* grad_y, float* grad_gate, float* grad_up,
                            std::int64_t count);
void silu_multiply_backward(const double* gate, const double* up, const double* grad_y, double* grad_gate, double* grad_up,
                            std::int64_t count);

// y = max(x, 0) and grad_x = x > 0 ? grad_y : 0.
void relu(const float* x, float* y, std::int64_t count);
void relu(const double* x, double* y, std::int64_t count);
void relu_backward(const float* x, const float* grad_y, float* grad_x, std::int64_t count);
void relu_backward(const double* x, const double* grad_y, double* grad_x, std::int64_t count);

// y += x.
void add(const float* x, float* y, std::int64_t count);
void add(const double* x, double* y, std::int64_t count);

// y = a b, and y += a b.
void multiply(const float* a, const float* b, float* y, std::int64_t count);
void multiply(const double* a, const double* b, double* y, std::int64_t count);
void add_product(const float* a, const float* b, float* y, std::int64_t count);
void add_product(const double* a, const double* b, double* y, std::int64_t count);

// sums[j] += the sum over rows of grad[row * columns + j], begin <= j < end, rows in order.
void add_column_sums(const float* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end, float* sums);
void add_column_sums(const double* grad, std::int64_t rows, std::int64_t columns, std::int64_t begin, std::int64_t end,
                     double* sums);

// Writes random words first .. first+count-1 of one sample: word 4b+w is word w of the Philox block with counter {b, sample,
// site}. first is a multiple of 4; words has space for count rounded up to 64.
void random_words(base::PhiloxKey key, std::uint32_t site, std::int64_t sample, std::int64_t first, std::int64_t count,
                  std::uint32_t* words);

// y = keep[i] ? x * scale : 0, keep[i] = words[i] >= threshold; mask (may be nullptr) receives keep as bits, lowest first.
void dropout(const float* x, const std::uint32_t* words, std::uint32_t threshold, float scale, float* y, std::int64_t count);
void dropout(const double* x, const std::uint32_t* words, std::uint32_t threshold, double scale, double* y, std::int64_t count);
void pack_mask(const std::uint32_t* words, std::uint32_t threshold, std::uint8_t* mask, std::int64_t count);
void dropout_masked(const float* x, const std::uint8_t* mask, float scale, float* y, std::int64_t count);
void dropout_masked(const double* x, const std::uint8_t* mask, double scale, double* y, std::int64_t count);

// log(sum of exp(x)) of one row, without overflow.
float log_sum_exp(const float* x, std::int64_t count);
double log_sum_exp(const double* x, std::int64_t count);
// out = exp(x - shift) * scale.
void exp_shifted(const float* x, float shift, float scale, float* out, std::int64_t count);
void exp_shifted(const double* x, double shift, double scale, double* out, std::int64_t count);

bool all_finite(const float* x, std::int64_t count);
bool all_finite(const double* x, std::int64_t count);
double sum_of_squares(const float* x, std::int64_t count);
double sum_of_squares(const double* x, std::int64_t count);
void scale(float* x, float factor, std::int64_t count);
void scale(double* x, double factor, std::int64_t count);

template <class T>
struct AdamwFactors {
  T learning_rate, beta1, beta2, epsilon, weight_decay;
  T correction1, correction2;  // 1 - beta^t
};

void sgd_update(float* w, float* v, const float* g, float learning_rate, float momentum, std::int64_t count);
void sgd_update(double* w, double* v, const double* g, double learning_rate, double momentum, std::int64_t count);
void adamw_update(float* w, float* m, float* v, const float* g, const AdamwFactors<float>& factors, std::int64_t count);
void adamw_update(double* w, double* m, double* v, const double* g, const AdamwFactors<double>& factors, std::int64_t count);

}  // namespace ckpt::engine
