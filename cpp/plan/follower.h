// Follows a strategy with changing answers: asks it again between steps, and reports the memory of each step to it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/fork_mutex.h"
#include "plan/observer.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// Thread-safe. The strategy is called outside the lock.
class Follower {
 public:
  // Copies the profile. Errors as ChainProfile::require_complete.
  Follower(const ChainProfile& profile, strategy::StrategyPtr strategy);

  struct Next {
    std::shared_ptr<const Schedule> schedule;  // the same object as before unless it changed
    bool changed = true;                       // true for the first one
  };
  // Plans the next step: asks the strategy about each layer. If the strategy throws, nothing changes. Fails with
  // Error(invalid_state) within one of the strategy's callbacks.
  Next next();

  // The observer for executors of these schedules. It may outlive the follower.
  const std::shared_ptr<RunObserver>& observer() const noexcept { return observer_; }

 private:
  strategy::StepMemory step_memory();
  std::int64_t predicted_peak() const;

  const ChainProfile profile_;
  const strategy::StrategyPtr strategy_;
  const std::shared_ptr<const void> existence_ = std::make_shared<char>();  // expires with the follower, unlike the observer
  base::ForkMutex mutex_;                                                   // guards everything below
  StepPeak step_peak_;
  const std::shared_ptr<RunObserver> observer_;
  std::optional<std::int64_t> peak_bytes_;  // of the last step that ran
  std::int64_t unpredicted_bytes_ = 0;      // of that step
  std::shared_ptr<const Schedule> current_;
  std::optional<std::int64_t> current_peak_;  // the prediction for it, after the first step
};

}  // namespace ckpt::plan
