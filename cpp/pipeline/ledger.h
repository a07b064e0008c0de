// What a policy keeps of the micro-batches of one step: indices and bytes, no data. The activation manager keeps tensors by it; a
// stage asks it beforehand, to know which tapes will stay. Not synchronised.
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
  // policy: not automatic, which is resolved before.
  explicit Ledger(Policy policy) : policy_(std::move(policy)) {}

  const Policy& policy() const noexcept { return policy_; }
  // Returns the former one: where it ends, a strategy may end with it, which a lock must not be held over.
  [[nodiscard]] Policy exchange_policy(Policy policy) { return std::exchange(policy_, std::move(policy)); }

  // Forgets everything. micro_batches: how many the step has; unknown_count: the newest counts as the last until a newer comes.
  void begin_step(std::int64_t micro_batches);

  // Error(out_of_range) for an index that the step does not have.
  void check_index(std::int64_t micro_batch) const;
  // Whether a store of so many bytes would be kept. strategy_says: the answer of the policy's strategy.
  bool would_keep(std::int64_t micro_batch, std::int64_t bytes, bool strategy_says) const;

  struct Outcome {
    bool kept = false;
    std::vector<std::int64_t> dropped;  // others that had to go, oldest first
  };
  // An index that is there already is replaced, or goes when the new one is not kept.
  Outcome store(std::int64_t micro_batch, std::int64_t bytes, bool strategy_says);
  void remove(std::int64_t micro_batch);

  bool has(std::int64_t micro_batch) const { return entries_.contains(micro_batch); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Entry {
    std::int64_t bytes = 0;
    std::int64_t number = 0;  // grows with every store: the smallest is the oldest
  };

  bool is_end(std::int64_t micro_batch, std::int64_t last) const { return micro_batch == 0 || micro_batch == last; }
  bool is_selected(std::int64_t micro_batch, std::int64_t last) const;
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
};

}  // namespace ckpt::pipeline
