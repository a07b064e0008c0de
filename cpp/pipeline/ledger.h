// Applies a policy to the micro-batches of one step: indices and bytes, no data. The activation manager keeps tensors according
// to it; a stage queries it in advance to determine which tapes will stay. Not thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <utility>
#include <vector>

#include "pipeline/policy.h"

namespace ckpt::pipeline {

constexpr std::int64_t unknown_count = -1;

class Ledger {
 public:
  // policy: not automatic, which must be resolved before.
  explicit Ledger(Policy policy) : policy_(std::move(policy)) {}

  const Policy& policy() const noexcept { return policy_; }
  // Returns the previous policy: destroying it may destroy a strategy, which must not happen under a lock.
  [[nodiscard]] Policy exchange_policy(Policy policy) { return std::exchange(policy_, std::move(policy)); }

  // Clears the ledger. micro_batches: the step's number; unknown_count: the newest counts as the last until a newer one arrives.
  void begin_step(std::int64_t micro_batches);

  // Fails with Error(out_of_range) for an index outside the step.
  void check_index(std::int64_t micro_batch) const;
  // Returns whether a store of this size would be kept. strategy_says: the answer of the policy's strategy.
  bool would_keep(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps) const;

  struct Outcome {
    bool kept = false;
    std::vector<std::int64_t> dropped;  // other entries that were dropped, oldest first
  };
  // An existing entry of this index is replaced, or dropped if the new one is not kept.
  Outcome store(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps);
  // Removes the entry: its tensor could not be kept after all.
  void drop(std::int64_t micro_batch);
  // After the backward part of a micro-batch: frees its bytes and its place in the prefix.
  void finish(std::int64_t micro_batch);
  // Frees all micro-batches.
  void clear();

  bool has(std::int64_t micro_batch) const { return entries_.contains(micro_batch); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Entry {
    std::int64_t bytes = 0;
    std::int64_t number = 0;  // increases with every store: the smallest is the oldest
  };

  bool is_end(std::int64_t micro_batch, std::int64_t last) const { return micro_batch == 0 || micro_batch == last; }
  bool is_selected(std::int64_t micro_batch, std::int64_t last) const;
  bool is_wanted(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps) const;
  std::int64_t prefix_without(std::int64_t micro_batch) const;
  bool fits_prefix(std::int64_t micro_batch, std::int64_t bytes) const;
  bool fits_selection(std::int64_t micro_batch, std::int64_t bytes) const;
  bool fits(std::int64_t micro_batch, std::int64_t bytes) const { return !policy_.is_picked || fits_selection(micro_batch, bytes); }
  void extend_prefix(std::int64_t micro_batch, std::int64_t bytes);
  std::int64_t bytes_without(std::int64_t micro_batch) const;
  std::int64_t last_with(std::int64_t micro_batch) const;
  std::int64_t end_bytes(std::int64_t except, std::int64_t last) const;
  void drop_oldest_beyond(std::int64_t room, std::int64_t last, std::vector<std::int64_t>& dropped);
  void drop_former_last(std::int64_t former, std::int64_t last, std::vector<std::int64_t>& dropped);

  Policy policy_;
  std::int64_t count_ = unknown_count;
  std::int64_t newest_ = -1;  // highest index that was stored or offered
  std::int64_t next_number_ = 0;
  std::int64_t bytes_ = 0;
  std::map<std::int64_t, Entry> entries_;

  // Under a policy that automatic picked: the longest prefix of the micro-batches, in the order of their stores, that the threshold
  // holds. The selection of the policy may not be larger than this prefix, and ends at its first micro-batch that does not fit.
  // Otherwise a smaller threshold could refuse a large micro-batch and keep more bytes of later ones.
  std::map<std::int64_t, std::int64_t> prefix_;  // bytes by micro-batch
  std::int64_t prefix_bytes_ = 0;
  bool is_prefix_ended_ = false;
  bool is_selection_ended_ = false;
};

}  // namespace ckpt::pipeline
