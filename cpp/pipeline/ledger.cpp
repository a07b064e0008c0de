#include "pipeline/ledger.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::pipeline {

using base::fail;
using base::require;
using base::Status;

void Ledger::begin_step(std::int64_t micro_batches) {
  require(micro_batches >= unknown_count, "micro_batches is ", micro_batches, "; expected at least 0, or -1 if unknown");
  count_ = micro_batches;
  newest_ = -1;
  clear();
}

void Ledger::clear() {
  bytes_ = 0;
  entries_.clear();
  prefix_bytes_ = 0;
  prefix_.clear();
  is_prefix_ended_ = is_selection_ended_ = false;
}

void Ledger::check_index(std::int64_t micro_batch) const {
  require(micro_batch >= 0, "micro_batch is ", micro_batch, "; expected at least 0");
  if (count_ != unknown_count && micro_batch >= count_)
    fail(Status::out_of_range, "micro_batch is ", micro_batch, "; expected less than ", count_);
}

std::int64_t Ledger::last_with(std::int64_t micro_batch) const {
  return count_ == unknown_count ? std::max(newest_, micro_batch) : count_ - 1;
}

bool Ledger::is_selected(std::int64_t micro_batch, std::int64_t last) const {
  return policy_.interval == 0 || micro_batch % policy_.interval == 0 || is_end(micro_batch, last);
}

std::int64_t Ledger::bytes_without(std::int64_t micro_batch) const {
  const auto found = entries_.find(micro_batch);
  return found == entries_.end() ? bytes_ : bytes_ - found->second.bytes;
}

std::int64_t Ledger::prefix_without(std::int64_t micro_batch) const {
  const auto found = prefix_.find(micro_batch);
  return found == prefix_.end() ? prefix_bytes_ : prefix_bytes_ - found->second;
}

bool Ledger::fits_prefix(std::int64_t micro_batch, std::int64_t bytes) const {
  return !is_prefix_ended_ && bytes <= policy_.threshold_bytes - prefix_without(micro_batch);
}

bool Ledger::fits_selection(std::int64_t micro_batch, std::int64_t bytes) const {
  const std::int64_t limit = prefix_without(micro_batch) + (fits_prefix(micro_batch, bytes) ? bytes : 0);
  return !is_selection_ended_ && bytes <= limit - bytes_without(micro_batch);
}

void Ledger::extend_prefix(std::int64_t micro_batch, std::int64_t bytes) {
  const bool fits = fits_prefix(micro_batch, bytes);
  prefix_bytes_ = prefix_without(micro_batch) + (fits ? bytes : 0);
  prefix_.erase(micro_batch);
  if (fits) prefix_[micro_batch] = bytes;
  if (!fits) is_prefix_ended_ = true;
}

bool Ledger::is_wanted(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps) const {
  const std::int64_t last = last_with(micro_batch);
  switch (policy_.kind) {
    case Policy::Kind::store_all: return true;
    case Policy::Kind::recompute_all: return false;
    case Policy::Kind::selective: return is_selected(micro_batch, last);
    case Policy::Kind::strategy: return strategy_keeps;
    case Policy::Kind::memory_based:
      if (policy_.is_picked) return is_selected(micro_batch, last);
      // The first and the last stay whatever their size; the rest of the threshold is for all others.
      return is_end(micro_batch, last) || bytes <= policy_.threshold_bytes - end_bytes(micro_batch, last);
    case Policy::Kind::automatic: break;
  }
  return true;
}

bool Ledger::would_keep(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps) const {
  return is_wanted(micro_batch, bytes, strategy_keeps) && fits(micro_batch, bytes);
}

Ledger::Outcome Ledger::store(std::int64_t micro_batch, std::int64_t bytes, bool strategy_keeps) {
  check_index(micro_batch);
  require(bytes >= 0, "bytes is ", bytes, "; expected at least 0");
  Outcome outcome;
  const bool wanted = is_wanted(micro_batch, bytes, strategy_keeps);
  outcome.kept = wanted && fits(micro_batch, bytes);
  if (outcome.kept && bytes > INT64_MAX - bytes_)
    fail(Status::out_of_range, "bytes is ", bytes, "; together with the ", bytes_, " kept bytes it exceeds INT64_MAX");
  if (policy_.is_picked) {
    if (wanted && !outcome.kept) is_selection_ended_ = true;
    extend_prefix(micro_batch, bytes);
  }
  const std::int64_t last = last_with(micro_batch);
  const std::int64_t former = std::exchange(newest_, std::max(newest_, micro_batch));
  drop(micro_batch);
  drop_former_last(former, last, outcome.dropped);
  if (!outcome.kept) return outcome;
  if (policy_.kind == Policy::Kind::memory_based && !policy_.is_picked)
    drop_oldest_beyond(policy_.threshold_bytes - bytes, last, outcome.dropped);
  entries_[micro_batch] = {bytes, next_number_++};
  bytes_ += bytes;
  return outcome;
}

void Ledger::drop(std::int64_t micro_batch) {
  const auto found = entries_.find(micro_batch);
  if (found == entries_.end()) return;
  bytes_ -= found->second.bytes;
  entries_.erase(found);
}

void Ledger::finish(std::int64_t micro_batch) {
  drop(micro_batch);
  prefix_bytes_ = prefix_without(micro_batch);
  prefix_.erase(micro_batch);
  is_prefix_ended_ = is_selection_ended_ = false;
}

// Returns the bytes of the first and the last micro-batch, without `except`, which is about to be replaced.
std::int64_t Ledger::end_bytes(std::int64_t except, std::int64_t last) const {
  std::int64_t bytes = 0;
  for (const std::int64_t end : {std::int64_t{0}, last}) {
    const auto found = entries_.find(end);
    if (end != except && found != entries_.end()) bytes += found->second.bytes;
    if (last == 0) break;
  }
  return bytes;
}

// Drops the oldest entries other than the first and the last until at most room bytes are left.
void Ledger::drop_oldest_beyond(std::int64_t room, std::int64_t last, std::vector<std::int64_t>& dropped) {
  while (bytes_ > room) {
    auto oldest = entries_.end();
    for (auto each = entries_.begin(); each != entries_.end(); ++each) {
      if (is_end(each->first, last)) continue;
      if (oldest == entries_.end() || each->second.number < oldest->second.number) oldest = each;
    }
    if (oldest == entries_.end()) return;
    dropped.push_back(oldest->first);
    drop(oldest->first);
  }
}

// While the number of micro-batches is unknown, one that was kept only as the last is dropped when a newer one arrives.
void Ledger::drop_former_last(std::int64_t former, std::int64_t last, std::vector<std::int64_t>& dropped) {
  const auto found = entries_.find(former);
  if (count_ != unknown_count || is_end(former, last) || found == entries_.end()) return;
  const bool by_interval =
      policy_.kind == Policy::Kind::selective || (policy_.kind == Policy::Kind::memory_based && policy_.is_picked);
  const bool off_interval = by_interval && policy_.interval != 0 && former % policy_.interval != 0;
  const bool too_large = policy_.kind == Policy::Kind::memory_based && found->second.bytes > policy_.threshold_bytes;
  if (!off_interval && !too_large) return;
  dropped.push_back(former);
  drop(former);
}

}  // namespace ckpt::pipeline
