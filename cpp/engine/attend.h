// Multi-head attention over rows of queries, keys and values. Computed in blocks with a running maximum and sum, so that memory
// does not grow with the square of the tokens. The blocks are always the same, so the results have the same bits whatever is kept.
// Source: Dao, Fu, Ermon, Rudra, Re, "FlashAttention", arXiv:2205.14135.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"

namespace ckpt::engine {

// Rows of queries, by head, and of keys and values, by key head: one row for each token. Rows of one kind are `stride` apart.
template <class T>
struct AttendRows {
  T* queries;
  std::int64_t query_stride;
  T* keys;
  T* values;
  std::int64_t key_stride;
};

// Rows of context: by head. Per sample and head: log_sums [queries] and probabilities [queries, keys]; with `causal`, a query
// attends to the keys of the same and earlier tokens, and blocks above the diagonal are unused.
class Attend {
 public:
  Attend(std::int64_t heads, std::int64_t key_heads, std::int64_t head_width, bool causal)
      : heads_(heads), key_heads_(key_heads), head_width_(head_width), causal_(causal) {}

  // Length of a row with queries, keys and values side by side.
  std::int64_t row_length() const { return (heads_ + 2 * key_heads_) * head_width_; }
  std::int64_t context_length() const { return heads_ * head_width_; }
  // Returns the parts of such rows.
  template <class T>
  AttendRows<T> parts_of(T* qkv) const {
    return {qkv, row_length(), qkv + heads_ * head_width_, qkv + (heads_ + key_heads_) * head_width_, row_length()};
  }

  struct Extent {
    std::int64_t samples;
    std::int64_t queries;
    std::int64_t keys;  // equal to queries if causal
  };

  // log_sums, probabilities: nullptr if not kept.
  template <class T>
  void forward(base::ThreadPool& pool, Extent extent, const AttendRows<const T>& rows, T* context, T* log_sums,
               T* probabilities) const;

  // One of log_sums and probabilities must be given.
  template <class T>
  void backward(base::ThreadPool& pool, Extent extent, const AttendRows<const T>& rows, const T* context, const T* log_sums,
                const T* probabilities, const T* grad_context, const AttendRows<T>& grads) const;

  // Rotates queries and keys that are side by side by their tokens' positions (rotary embedding). rotations: head_width numbers for
  // each token, from fill_rotations. back: the inverse rotation.
  template <class T>
  void rotate_rows(base::ThreadPool& pool, Extent extent, const T* rotations, bool back, T* qkv) const;
  template <class T>
  void fill_rotations(std::int64_t tokens, double base, T* rotations) const;

 private:
  template <class T>
  struct Part;

  std::int64_t heads_;
  std::int64_t key_heads_;
  std::int64_t head_width_;
  bool causal_;
};

}  // namespace ckpt::engine
