// Selects every n-th layer, where n depends on memory pressure: live bytes over total memory.
//
// A follower adjusts n before each step, from the highest live bytes of the last step: between steps live bytes are near 0, so a
// current value would always show low pressure. The peak of a step with another n is predicted from the follower's profile, so n
// never grows so far that a step exceeds the share. Without a follower, queries adjust n at most once in 10 s, from the current
// live bytes.
#pragma once

#include <memory>
#include <optional>

#include "base/clock.h"
#include "base/fork_mutex.h"
#include "memory/tracker.h"
#include "strategy/strategy.h"

namespace ckpt::strategy {

struct MemoryAwareOptions {
  double max_share = 0.8;  // in (0, 1]: higher pressure shrinks the interval
  // Its live bytes count; in a follower's steps in addition to those of the executors. Without a tracker: the executors' bytes
  // alone, or without a follower the process's resident bytes.
  std::shared_ptr<const memory::Tracker> tracker;
  std::int64_t total_bytes = 0;              // 0: the memory available to the process
  std::shared_ptr<const base::Clock> clock;  // nullptr: the monotonic clock
};

class MemoryAware final : public Strategy {
 public:
  explicit MemoryAware(const MemoryAwareOptions& options);
  std::string name() const override;
  Parameters parameters() const override;
  std::vector<std::string> text_values() const override;
  void begin_step(const StepMemory& memory) override;
  std::int64_t interval() const noexcept { return interval_.load(std::memory_order_relaxed); }
  std::int64_t total_bytes() const noexcept { return total_bytes_; }

 private:
  bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) override;
  void clear_state() override;
  bool is_due(std::int64_t now_ns) const noexcept;
  void adjust(std::int64_t now_ns);
  std::int64_t now_ns() const;
  std::optional<std::int64_t> live_bytes() const;
  bool is_high(double live) const noexcept;
  bool is_low(double live) const noexcept;
  template <class Predict>
  std::int64_t fitting_interval(std::int64_t predicted, double other_bytes, Predict&& predict) const;

  double max_share_;
  std::shared_ptr<const memory::Tracker> tracker_;
  std::int64_t total_bytes_;
  bool given_total_;
  bool given_clock_;
  std::shared_ptr<const base::Clock> clock_;

  std::atomic<std::int64_t> interval_;
  std::atomic<std::int64_t> measured_ns_;  // last measurement of pressure

  // The inputs that determined the interval of a follower's last step. Another follower predicts from another profile.
  struct Adjusted {
    std::int64_t interval = 0;
    std::int64_t peak_bytes = -1;
    std::int64_t tracked_bytes = 0;
    std::weak_ptr<const void> follower = {};
    bool operator==(const Adjusted& other) const noexcept;
  };

  base::ForkMutex mutex_;  // guards everything below; clocks, trackers and predictions are called without it
  std::weak_ptr<const void> follower_;
  Adjusted adjusted_;
  std::int64_t calm_steps_ = 0;          // consecutive steps without high pressure
  std::optional<std::int64_t> high_ns_;  // last time that pressure exceeded the share, without a follower
};

}  // namespace ckpt::strategy
