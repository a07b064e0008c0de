// Causal multi-head attention over rows that contain queries, keys and values side by side. Computed in blocks with a running
// maximum and sum, so that memory does not grow with the square of the tokens. The blocks are always the same, so the results
// have the same bits whatever is kept.
// Source: Dao, Fu, Ermon, Rudra, Re, "FlashAttention", arXiv:2205.14135.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"

namespace ckpt::engine {

// Rows of qkv: the queries by head, the keys by key head, the values by key head; rows of context: by head. Per sample and head:
// log_sums [tokens] and probabilities [tokens, tokens]; blocks above the diagonal are unused.
class Attend {
 public:
  Attend(std::int64_t heads, std::int64_t key_heads, std::int64_t head_width)
      : heads_(heads), key_heads_(key_heads), head_width_(head_width) {}

  std::int64_t row_length() const { return (heads_ + 2 * key_heads_) * head_width_; }
  std::int64_t context_length() const { return heads_ * head_width_; }

  struct Extent {
    std::int64_t samples;
    std::int64_t tokens;
  };

  // log_sums, probabilities: nullptr if not kept.
  template <class T>
  void forward(base::ThreadPool& pool, Extent extent, const T* qkv, T* context, T* log_sums, T* probabilities) const;

  // One of log_sums and probabilities must be given.
  template <class T>
  void backward(base::ThreadPool& pool, Extent extent, const T* qkv, const T* context, const T* log_sums, const T* probabilities,
                const T* grad_context, T* grad_qkv) const;

  // Rotates queries and keys by their tokens' positions (rotary embedding). rotations: head_width numbers for each token, from
  // fill_rotations. back: the inverse rotation.
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
};

}  // namespace ckpt::engine
