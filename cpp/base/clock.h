// A monotonic clock that tests can replace. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

namespace ckpt::base {

class Clock {
 public:
  virtual ~Clock() = default;
  // Returns nanoseconds since a fixed, arbitrary moment.
  virtual std::int64_t now_ns() const = 0;
};

// Returns the system's monotonic clock: one object for the whole process.
const std::shared_ptr<const Clock>& monotonic_clock();
inline std::int64_t monotonic_ns() { return monotonic_clock()->now_ns(); }

// Returns nanoseconds since 1970-01-01T00:00:00Z by the system's clock. That clock can be set at any time: use it for display,
// never to measure durations.
std::int64_t utc_ns() noexcept;

// A clock that changes only when a test advances it.
class ManualClock final : public Clock {
 public:
  explicit ManualClock(std::int64_t start_ns);
  std::int64_t now_ns() const override { return now_ns_.load(std::memory_order_acquire); }
  void advance(std::int64_t ns);

 private:
  std::atomic<std::int64_t> now_ns_;
};

}  // namespace ckpt::base
