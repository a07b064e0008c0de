#include "engine/attend.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attend_kernels.h"
#include "engine/blas.h"
#include "engine/layer.h"

namespace ckpt::engine {

// One head's data in a sample.
template <class T>
struct Attend::Part {
  Part(const Attend& attend, Extent extent, std::int64_t sample, std::int64_t head)
      : width(attend.head_width_),
        context_stride(attend.context_length()),
        queries(extent.queries),
        keys(extent.keys),
        causal(attend.causal_),
        first_query(sample * queries),
        first_key(sample * keys),
        head_column(head * width),
        key_column(head / (attend.heads_ / attend.key_heads_) * width),
        context(first_query * context_stride + head_column),
        log_sums((sample * attend.heads_ + head) * queries),
        probabilities(log_sums * keys),
        scale(static_cast<T>(1 / std::sqrt(static_cast<double>(width)))) {}

  static constexpr std::int64_t size = attend_block<T>;
  static std::int64_t blocks_of(std::int64_t tokens) { return (tokens + size - 1) / size; }
  // Blocks of queries and keys; block (i, j) is used unless j > i in a causal attention.
  std::int64_t query_blocks() const { return blocks_of(queries); }
  std::int64_t key_blocks() const { return blocks_of(keys); }
  std::int64_t last_keys(std::int64_t i) const { return causal ? i : key_blocks() - 1; }
  std::int64_t first_queries(std::int64_t j) const { return causal ? j : 0; }
  Block block(std::int64_t i, std::int64_t j) const { return {query_length(i), key_length(j), causal && i == j}; }
  std::int64_t query_length(std::int64_t i) const { return std::min(size, queries - i * size); }
  std::int64_t key_length(std::int64_t j) const { return std::min(size, keys - j * size); }
  std::int64_t context_row(std::int64_t i) const { return context + i * size * context_stride; }

  template <class U>
  U* query(const AttendRows<U>& rows, std::int64_t i) const {
    return rows.queries + (first_query + i * size) * rows.query_stride + head_column;
  }
  template <class U>
  U* key(const AttendRows<U>& rows, std::int64_t j) const {
    return rows.keys + (first_key + j * size) * rows.key_stride + key_column;
  }
  template <class U>
  U* value(const AttendRows<U>& rows, std::int64_t j) const {
    return rows.values + (first_key + j * size) * rows.key_stride + key_column;
  }

  // scores = Q_i K_j^T
  void scores(const AttendRows<const T>& rows, std::int64_t i, std::int64_t j, T* out) const {
    gemm(false, true, query_length(i), key_length(j), width, query(rows, i), rows.query_stride, key(rows, j), rows.key_stride, T{0},
         out, size);
  }

  std::int64_t width, context_stride, queries, keys;
  bool causal;
  std::int64_t first_query, first_key, head_column, key_column;
  std::int64_t context, log_sums, probabilities;  // offsets
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
void Attend::forward(base::ThreadPool& pool, Extent extent, const AttendRows<const T>& rows, T* context, T* log_sums,
                     T* probabilities_out) const {
  constexpr std::int64_t size = attend_block<T>;
  const std::int64_t blocks = Part<T>::blocks_of(extent.queries);
  pool.run(extent.samples * heads_ * blocks, [&](std::int64_t number) {
    const std::int64_t i = number % blocks;
    const Part<T> part(*this, extent, number / blocks / heads_, number / blocks % heads_);
    alignas(64) T scores[size * size];
    Running<T> running[size];
    T factors[size];
    std::fill_n(running, size, Running<T>{-std::numeric_limits<T>::infinity(), T(0)});
    T* const to = context + part.context_row(i);
    T* const kept = probabilities_out == nullptr ? nullptr : probabilities_out + part.probabilities + i * size * part.keys;
    for (std::int64_t j = 0; j <= part.last_keys(i); ++j) {
      const Block block = part.block(i, j);
      part.scores(rows, i, j, scores);
      if (kept != nullptr) copy_rows(scores, size, block, kept + j * size, part.keys);
      update_softmax(scores, block, part.scale, running, factors);
      if (j > 0) scale_rows(to, part.context_stride, block.rows, part.width, factors);
      gemm(false, false, block.rows, part.width, block.columns, scores, size, part.value(rows, j), rows.key_stride,
           j == 0 ? T{0} : T{1}, to, part.context_stride);
    }
    const std::int64_t count = part.query_length(i);
    for (std::int64_t row = 0; row < count; ++row) factors[row] = T(1) / running[row].sum;
    scale_rows(to, part.context_stride, count, part.width, factors);
    for (std::int64_t row = 0; row < count; ++row) factors[row] = running[row].max + std::log(running[row].sum);
    if (log_sums != nullptr) std::copy_n(factors, count, log_sums + part.log_sums + i * size);
    if (kept == nullptr) return;
    for (std::int64_t j = 0; j <= part.last_keys(i); ++j)
      probabilities(kept + j * size, part.keys, part.block(i, j), part.scale, factors);
  });
}

// Heads that share keys and values form one part and run in order, which fixes the order of sums.
template <class T>
void Attend::backward(base::ThreadPool& pool, Extent extent, const AttendRows<const T>& rows, const T* context, const T* log_sums,
                      const T* probabilities_kept, const T* grad_context, const AttendRows<T>& grads) const {
  constexpr std::int64_t size = attend_block<T>;
  const std::int64_t sharing = heads_ / key_heads_;
  pool.run(extent.samples * key_heads_, [&](std::int64_t number) {
    alignas(64) T p[size * size];
    alignas(64) T grad[size * size];
    T shift[size];
    for (std::int64_t member = 0; member < sharing; ++member) {
      const Part<T> part(*this, extent, number / key_heads_, number % key_heads_ * sharing + member);
      for (std::int64_t j = 0; j < part.key_blocks(); ++j) {
        for (std::int64_t i = part.first_queries(j); i < part.query_blocks(); ++i) {
          const Block block = part.block(i, j);
          const std::int64_t at = part.context_row(i);
          if (probabilities_kept != nullptr) {
            copy_rows(probabilities_kept + part.probabilities + i * size * part.keys + j * size, part.keys, block, p, size);
          } else {
            part.scores(rows, i, j, p);
            probabilities(p, size, block, part.scale, log_sums + part.log_sums + i * size);
          }
          row_products(grad_context + at, context + at, part.context_stride, block.rows, part.width, shift);
          gemm(false, true, block.rows, block.columns, part.width, grad_context + at, part.context_stride, part.value(rows, j),
               rows.key_stride, T{0}, grad, size);
          score_gradients(p, block, shift, part.scale, grad);
          const T beta = member == 0 && i == part.first_queries(j) ? T{0} : T{1};
          gemm(true, false, block.columns, part.width, block.rows, p, size, grad_context + at, part.context_stride, beta,
               part.value(grads, j), grads.key_stride);
          gemm(true, false, block.columns, part.width, block.rows, grad, size, part.query(rows, i), rows.query_stride, beta,
               part.key(grads, j), grads.key_stride);
          gemm(false, false, block.rows, part.width, block.columns, grad, size, part.key(rows, j), rows.key_stride,
               j == 0 ? T{0} : T{1}, part.query(grads, i), grads.query_stride);
        }
      }
    }
  });
}

template <class T>
void Attend::rotate_rows(base::ThreadPool& pool, Extent extent, const T* rotations, bool back, T* qkv) const {
  for_parts(pool, extent.samples * extent.queries, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      for (std::int64_t head = 0; head < heads_ + key_heads_; ++head) {
        rotate(qkv + row * row_length() + head * head_width_, rotations + row % extent.queries * head_width_, head_width_, back);
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
#define CKPT_ATTEND(T)                                                                                                          \
  template void Attend::forward(base::ThreadPool&, Extent, const AttendRows<const T>&, T*, T*, T*) const;                       \
  template void Attend::backward(base::ThreadPool&, Extent, const AttendRows<const T>&, const T*, const T*, const T*, const T*, \
                                 const AttendRows<T>&) const;                                                                   \
  template void Attend::rotate_rows(base::ThreadPool&, Extent, const T*, bool, T*) const;                                       \
  template void Attend::fill_rotations(std::int64_t, double, T*) const;
CKPT_ATTEND(float)
CKPT_ATTEND(double)
#undef CKPT_ATTEND
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace ckpt::engine
