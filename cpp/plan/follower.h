// Follows a strategy whose answers change: asks it again between steps, and reports to it what the steps took.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>

#include "base/fork_mutex.h"
#include "plan/observer.h"
#include "plan/schedule.h"

namespace ckpt::plan {

// Synchronised. The strategy is asked outside the lock.
class Follower {
 public:
  // The profile is copied. Error as ChainProfile::require_complete.
  Follower(const ChainProfile& profile, strategy::StrategyPtr strategy);

  struct Next {
    std::shared_ptr<const Schedule> schedule;  // the same object as before unless it changed
    bool changed = true;                       // true for the first one
  };
  // For the next step: asks the strategy about each layer. If the strategy throws, everything stays as it was.
  // Error(invalid_state) within one of the strategy's own callbacks.
  Next next();

  // For the executors of these schedules. It may outlive the follower.
  const std::shared_ptr<RunObserver>& observer() const noexcept { return observer_; }

 private:
  strategy::StepMemory step_memory();
  std::int64_t predicted_peak() const;

  const ChainProfile profile_;
  const strategy::StrategyPtr strategy_;
  const std::shared_ptr<const void> existence_ = std::make_shared<char>();  // expires with the follower, unlike the observer
  base::ForkMutex mutex_;                                                   // for all below
  StepPeak step_peak_;
  const std::shared_ptr<RunObserver> observer_;
  std::optional<std::int64_t> peak_bytes_;  // of the last step that ran
  std::int64_t unpredicted_bytes_ = 0;      // of that step
  std::shared_ptr<const Schedule> current_;
  std::optional<std::int64_t> current_peak_;  // predicted for it, once a step has run
};

}  // namespace ckpt::plan
