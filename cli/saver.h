// The saves of a training run, in the background or not: how many, and how long they kept the training.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

// For saves in the background: a full queue keeps the training until there is a place.
CheckpointTaskOptions waiting_for_ever();

inline double seconds_of(std::chrono::nanoseconds duration) { return std::chrono::duration<double>(duration).count(); }

class Saver {
 public:
  struct Figures {
    std::int64_t saves = 0;      // that are durable
    double stall_seconds = 0;    // that they kept the training, in all
    double durable_seconds = 0;  // from their begin until they were durable, in all
  };

  Saver(CheckpointManager& checkpoint, bool async);

  // In the background: returns when the state may change again; throws what an earlier save has failed of.
  void save(const State& state, const SaveOptions& options);
  // Returns when all that are under way have ended.
  void wait();
  // Returns when all are durable, and throws what one has failed of.
  void finish();

  Figures figures() const;
  // nullptr when it saves in the foreground.
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
