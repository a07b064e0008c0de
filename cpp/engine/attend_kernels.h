// Blocks of attention's scores: a block has `columns` keys for each of `rows` queries, row after row, `stride` apart. In a diagonal
// block query r sees the first r + 1 keys; what it does not see becomes 0.
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

// Where a row's running softmax stands: the largest scaled score, and the sum of exp(score - largest); before the first block
// -infinity and 0.
template <class T>
struct Running {
  T most;
  T sum;
};

// Scores become exp(scale score - largest so far), running goes on with them; shrunk[row] receives what earlier blocks' values have
// to be multiplied by. Stride: attend_block.
void soften(float* scores, Block block, float scale, Running<float>* running, float* shrunk);
void soften(double* scores, Block block, double scale, Running<double>* running, double* shrunk);

// Scores become exp(scale score - log_sums[row]).
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

// Turns pairs (x[2i], x[2i+1]) by an angle whose cosine and sine are turns[2i], turns[2i+1]; back: the other way.
void turn(float* x, const float* turns, std::int64_t width, bool back);
void turn(double* x, const double* turns, std::int64_t width, bool back);

}  // namespace ckpt::engine
