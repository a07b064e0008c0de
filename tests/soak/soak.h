// Shared by all activities of the soak: when to stop, counts, failures.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace soak {

using Clock = std::chrono::steady_clock;

// Counts of the activities. Each must be above 0 at the end: otherwise the soak has not tested that activity.
enum class Count {
  steps,                // training steps, of both trainers
  recomputed_forwards,  // under the activation budget
  saves,                // in the background, acknowledged
  cancelled_saves,
  decisions,      // of a controller: whether to save now
  decided_saves,  // that the controller requested
  audits,         // comparisons of the checkpoints that exist with those that retention must keep
  audited_loads,  // checkpoints that such a comparison loaded
  lives,          // managers, pipelines and controllers created, used and released
  resumes,        // lives that continue from a checkpoint
  steps_again,    // steps that an earlier life had saved; the digests are compared
  allocations,    // recorded in the memory tracker
  snapshots,      // of the memory tracker
  reader_loads,   // of the newest checkpoint, during saves
  verifications,  // of the newest checkpoint, during saves
  exports,        // to one safetensors file, read again and compared
  log_messages,   // of level INFO
  size
};
constexpr std::array<const char*, static_cast<std::size_t>(Count::size)> count_names = {
    "steps",     "recomputed forwards", "saves",         "cancelled saves", "decisions",   "decided saves",
    "audits",    "audited loads",       "lives",         "resumes",         "steps again", "allocations",
    "snapshots", "reader loads",        "verifications", "exports",         "log messages"};

// Deliberate faults. The soak must report each of them; this is its own test.
enum class Fault { none, memory, descriptors, threads, damage, lost, digest, log, idle };
constexpr std::array<const char*, 9> fault_names = {"none", "memory", "descriptors", "threads", "damage",
                                                    "lost", "digest", "log",         "idle"};

class Soak {
 public:
  explicit Soak(Fault fault) : fault_(fault) {}

  bool stopping() const { return stopping_.load(); }
  void stop() {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
    changed_.notify_all();
  }
  // Waits for this time, or until the soak stops.
  void pause(Clock::duration duration) {
    std::unique_lock lock(mutex_);
    changed_.wait_for(lock, duration, [&] { return stopping_.load(); });
  }

  // Records a failure, each text once, and stops the soak. Any thread.
  void fail(const std::string& text) {
    const std::lock_guard lock(mutex_);
    if (failures_.size() < 20 && std::find(failures_.begin(), failures_.end(), text) == failures_.end()) failures_.push_back(text);
    stopping_ = true;
    changed_.notify_all();
  }
  std::vector<std::string> failures() const {
    const std::lock_guard lock(mutex_);
    return failures_;
  }
  void require(bool condition, const std::string& text) {
    if (!condition) fail(text);
  }

  void count(Count what, std::int64_t number = 1) { counts_[static_cast<std::size_t>(what)] += number; }
  std::int64_t count_of(Count what) const { return counts_[static_cast<std::size_t>(what)]; }

  bool has(Fault fault) const { return fault_ == fault; }

 private:
  const Fault fault_;
  std::atomic<bool> stopping_{false};
  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<std::string> failures_;
  std::array<std::atomic<std::int64_t>, static_cast<std::size_t>(Count::size)> counts_{};
};

// Digests of the saved states by step, and the newest acknowledged step. Synchronized.
class Ledger {
 public:
  // Returns false if the step was recorded before with another digest.
  bool record(std::int64_t step, std::uint64_t digest, bool* known = nullptr) {
    const std::lock_guard lock(mutex_);
    const auto [found, is_new] = digests_.emplace(step, digest);
    if (known != nullptr) *known = !is_new;
    return found->second == digest;
  }
  std::optional<std::uint64_t> find(std::int64_t step) const {
    const std::lock_guard lock(mutex_);
    const auto found = digests_.find(step);
    return found == digests_.end() ? std::nullopt : std::optional(found->second);
  }
  // Drops the steps before this one, except those of keep.
  void drop_before(std::int64_t step, const std::vector<std::int64_t>& keep) {
    const std::lock_guard lock(mutex_);
    std::map<std::int64_t, std::uint64_t> kept;
    for (const std::int64_t each : keep) {
      if (const auto found = digests_.find(each); found != digests_.end()) kept.insert(*found);
    }
    kept.insert(digests_.lower_bound(step), digests_.end());
    digests_.swap(kept);
  }
  void acknowledge(std::int64_t step) {
    std::int64_t newest = newest_;
    while (newest < step && !newest_.compare_exchange_weak(newest, step)) {
    }
  }
  std::int64_t newest_acknowledged() const { return newest_; }

 private:
  mutable std::mutex mutex_;
  std::map<std::int64_t, std::uint64_t> digests_;
  std::atomic<std::int64_t> newest_{-1};
};

class Growth;  // growth.h

// The activities. Each runs until the soak stops.
void train(Soak& soak, const std::string& directory, Ledger& ledger, const ckpt::MemoryTracker& tracker);
void live(Soak& soak, const std::string& directory, Growth& growth);
void record_memory(Soak& soak, ckpt::MemoryTracker tracker);
void read_newest(Soak& soak, const std::string& directory, const Ledger& ledger);
void export_newest(Soak& soak, const std::string& directory, const Ledger& ledger, const std::string& path);

}  // namespace soak
