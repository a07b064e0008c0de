// Saves of a training run, in the foreground or background, and their statistics.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// Options for background saves: with a full queue, save() blocks until a slot is free.
CheckpointTaskOptions blocking_queue_options();

inline double seconds_of(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

class Saver {
 public:
  struct Figures {
    std::int64_t saves = 0;      // completed (durable) saves
    double stall_seconds = 0;    // total time that training was blocked
    double durable_seconds = 0;  // total time from start to durable
  };

  Saver(CheckpointManager& checkpoint, bool async);

  // In the background: returns when the state may be modified again; throws the error of an earlier save.
  void save(const State& state, const SaveOptions& options);
  // Returns when all saves in progress have ended.
  void wait();
  // Returns when all saves are durable; throws the error of a failed save.
  void finish();

  Figures figures() const;
  // nullptr if saves are in the foreground.
  AsyncManager* background() { return async_ ? &*async_ : nullptr; }
  const AsyncManager* background() const { return async_ ? &*async_ : nullptr; }

 private:
  void add(double stall_seconds, double durable_seconds);

  CheckpointManager& checkpoint_;
  mutable std::mutex mutex_;
  Figures figures_;
  std::optional<AsyncManager> async_;
};

}  // namespace ckpt::cli
