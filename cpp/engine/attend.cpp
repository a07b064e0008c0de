#include "engine/attend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attend_kernels.h"
#include "engine/blas.h"
#include "engine/layer.h"

namespace ckpt::engine {

// The location of one head's data in a sample.
template <class T>
struct Attend::Part {
  Part(const Attend& attend, Extent extent, std::int64_t sample, std::int64_t head)
      : width(attend.head_width_),
        stride(attend.row_length()),
        context_stride(attend.context_length()),
        tokens(extent.tokens),
        query(sample * tokens * stride + head * width),
        key(sample * tokens * stride + (attend.heads_ + head / (attend.heads_ / attend.key_heads_)) * width),
        value(key + attend.key_heads_ * width),
        context(sample * tokens * context_stride + head * width),
        log_sums((sample * attend.heads_ + head) * tokens),
        probabilities(log_sums * tokens),
        scale(static_cast<T>(1 / std::sqrt(static_cast<double>(width)))) {}

  static constexpr std::int64_t size = attend_block<T>;
  std::int64_t blocks() const { return (tokens + size - 1) / size; }
  Block block(std::int64_t i, std::int64_t j) const { return {length(i), length(j), i == j}; }
  std::int64_t length(std::int64_t i) const { return std::min(size, tokens - i * size); }
  std::int64_t row(std::int64_t i) const { return i * size * stride; }
  std::int64_t context_row(std::int64_t i) const { return i * size * context_stride; }

  // scores = Q_i K_j^T
  void scores(const T* qkv, std::int64_t i, std::int64_t j, T* out) const {
    gemm(false, true, length(i), length(j), width, qkv + query + row(i), stride, qkv + key + row(j), stride, T{0}, out, size);
  }

  std::int64_t width, stride, context_stride, tokens;
  std::int64_t query, key, value, context, log_sums, probabilities;  // offsets
  T scale;
};

namespace {

// Copies between contiguous blocks and rows that are `stride` apart.
template <class T>
void copy_rows(const T* from, std::int64_t from_stride, Block block, T* to, std::int64_t to_stride) {
  for (std::int64_t row = 0; row < block.rows; ++row) std::copy_n(from + row * from_stride, block.columns, to + row * to_stride);
}

}  // namespace

template <class T>
void Attend::forward(base::ThreadPool& pool, Extent extent, const T* qkv, T* context, T* log_sums, T* probabilities_out) const {
  constexpr std::int64_t size = attend_block<T>;
  const std::int64_t blocks = (extent.tokens + size - 1) / size;
  pool.run(extent.samples * heads_ * blocks, [&](std::int64_t number) {
    const std::int64_t i = number % blocks;
    const Part<T> part(*this, extent, number / blocks / heads_, number / blocks % heads_);
    alignas(64) T scores[size * size];
    Running<T> running[size];
    T factors[size];
    std::fill_n(running, size, Running<T>{-std::numeric_limits<T>::infinity(), T(0)});
    T* const to = context + part.context + part.context_row(i);
    T* const kept = probabilities_out == nullptr ? nullptr : probabilities_out + part.probabilities + i * size * part.tokens;
    for (std::int64_t j = 0; j <= i; ++j) {
      const Block block = part.block(i, j);
      part.scores(qkv, i, j, scores);
      if (kept != nullptr) copy_rows(scores, size, block, kept + j * size, part.tokens);
      update_softmax(scores, block, part.scale, running, factors);
      if (j > 0) scale_rows(to, part.context_stride, block.rows, part.width, factors);
      gemm(false, false, block.rows, part.width, block.columns, scores, size, qkv + part.value + part.row(j), part.stride,
           j == 0 ? T{0} : T{1}, to, part.context_stride);
    }
    const std::int64_t rows = part.length(i);
    for (std::int64_t row = 0; row < rows; ++row) factors[row] = T(1) / running[row].sum;
    scale_rows(to, part.context_stride, rows, part.width, factors);
    for (std::int64_t row = 0; row < rows; ++row) factors[row] = running[row].max + std::log(running[row].sum);
    if (log_sums != nullptr) std::copy_n(factors, rows, log_sums + part.log_sums + i * size);
    if (kept == nullptr) return;
    for (std::int64_t j = 0; j <= i; ++j) probabilities(kept + j * size, part.tokens, part.block(i, j), part.scale, factors);
  });
}

// Heads that share keys and values form one part and run in order, which fixes the order of sums.
template <class T>
void Attend::backward(base::ThreadPool& pool, Extent extent, const T* qkv, const T* context, const T* log_sums,
                      const T* probabilities_kept, const T* grad_context, T* grad_qkv) const {
  constexpr std::int64_t size = attend_block<T>;
  const std::int64_t sharing = heads_ / key_heads_;
  pool.run(extent.samples * key_heads_, [&](std::int64_t number) {
    alignas(64) T p[size * size];
    alignas(64) T grad[size * size];
    T shift[size];
    for (std::int64_t member = 0; member < sharing; ++member) {
      const Part<T> part(*this, extent, number / key_heads_, number % key_heads_ * sharing + member);
      for (std::int64_t j = 0; j < part.blocks(); ++j) {
        const T* const keys = qkv + part.key + part.row(j);
        const T* const values = qkv + part.value + part.row(j);
        for (std::int64_t i = j; i < part.blocks(); ++i) {
          const Block block = part.block(i, j);
          const std::int64_t at = part.context + part.context_row(i);
          if (probabilities_kept != nullptr) {
            copy_rows(probabilities_kept + part.probabilities + i * size * part.tokens + j * size, part.tokens, block, p, size);
          } else {
            part.scores(qkv, i, j, p);
            probabilities(p, size, block, part.scale, log_sums + part.log_sums + i * size);
          }
          row_products(grad_context + at, context + at, part.context_stride, block.rows, part.width, shift);
          gemm(false, true, block.rows, block.columns, part.width, grad_context + at, part.context_stride, values, part.stride,
               T{0}, grad, size);
          score_gradients(p, block, shift, part.scale, grad);
          const T beta = member == 0 && i == j ? T{0} : T{1};
          gemm(true, false, block.columns, part.width, block.rows, p, size, grad_context + at, part.context_stride, beta,
               grad_qkv + part.value + part.row(j), part.stride);
          gemm(true, false, block.columns, part.width, block.rows, grad, size, qkv + part.query + part.row(i), part.stride, beta,
               grad_qkv + part.key + part.row(j), part.stride);
          gemm(false, false, block.rows, part.width, block.columns, grad, size, keys, part.stride, j == 0 ? T{0} : T{1},
               grad_qkv + part.query + part.row(i), part.stride);
        }
      }
    }
  });
}

template <class T>
void Attend::rotate_rows(base::ThreadPool& pool, Extent extent, const T* rotations, bool back, T* qkv) const {
  for_parts(pool, extent.samples * extent.tokens, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t head = 0; head < heads_ + key_heads_; ++head) {
        rotate(qkv + row * row_length() + head * head_width_, rotations + row % extent.tokens * head_width_, head_width_, back);
      }
    }
  });
}

template <class T>
void Attend::fill_rotations(std::int64_t tokens, double base, T* rotations) const {
  for (std::int64_t i = 0; i < head_width_ / 2; ++i) {
    const double speed = std::pow(base, -2 * static_cast<double>(i) / static_cast<double>(head_width_));
    for (std::int64_t token = 0; token < tokens; ++token) {
      rotations[token * head_width_ + 2 * i] = static_cast<T>(std::cos(static_cast<double>(token) * speed));
      rotations[token * head_width_ + 2 * i + 1] = static_cast<T>(std::sin(static_cast<double>(token) * speed));
    }
  }
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define CKPT_ATTEND(T)                                                                                                   \
  template void Attend::forward(base::ThreadPool&, Extent, const T*, T*, T*, T*) const;                                  \
  template void Attend::backward(base::ThreadPool&, Extent, const T*, const T*, const T*, const T*, const T*, T*) const; \
  template void Attend::rotate_rows(base::ThreadPool&, Extent, const T*, bool, T*) const;                                \
  template void Attend::fill_rotations(std::int64_t, double, T*) const;
CKPT_ATTEND(float)
CKPT_ATTEND(double)
#undef CKPT_ATTEND
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace ckpt::engine
