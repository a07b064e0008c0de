// Kernels on blocks of attention scores: a block has `columns` keys for each of `rows` queries, row by row, `stride` apart. In a
// diagonal block query r sees the first r + 1 keys; the other scores become 0.
#pragma once

#include <cstdint>

namespace ckpt::engine {

template <class T>
constexpr std::int64_t attend_block = sizeof(T) == 4 ? 128 : 64;

struct Block {
  std::int64_t rows;
  std::int64_t columns;
  bool diagonal;
  std::int64_t seen(std::int64_t row) const { return diagonal ? row + 1 : columns; }
};

// The state of a row's running softmax: the largest scaled score, and the sum of exp(score - largest); -infinity and 0 before the
// first block.
template <class T>
struct Running {
  T max;
  T sum;
};

// Replaces scores by exp(scale score - largest so far) and updates running; shrunk[row] receives the factor for the sums of
// values of earlier blocks. Stride: attend_block.
void update_softmax(float* scores, Block block, float scale, Running<float>* running, float* shrunk);
void update_softmax(double* scores, Block block, double scale, Running<double>* running, double* shrunk);

// Replaces scores by exp(scale score - log_sums[row]).
void probabilities(float* scores, std::int64_t stride, Block block, float scale, const float* log_sums);
void probabilities(double* scores, std::int64_t stride, Block block, double scale, const double* log_sums);

// grad[r, c] = p[r, c] (grad[r, c] - shift[r]) scale. Stride: attend_block.
void score_gradients(const float* p, Block block, const float* shift, float scale, float* grad);
void score_gradients(const double* p, Block block, const double* shift, double scale, double* grad);

// sums[r] = the sum of a[r, c] b[r, c].
void row_products(const float* a, const float* b, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* sums);
void row_products(const double* a, const double* b, std::int64_t stride, std::int64_t rows, std::int64_t columns, double* sums);

// x[r, c] *= factors[r].
void scale_rows(float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, const float* factors);
void scale_rows(double* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, const double* factors);

// Rotates pairs (x[2i], x[2i+1]) by an angle with cosine rotations[2i] and sine rotations[2i+1]; back: in the other direction.
void rotate(float* x, const float* rotations, std::int64_t width, bool back);
void rotate(double* x, const double* rotations, std::int64_t width, bool back);

}  // namespace ckpt::engine
