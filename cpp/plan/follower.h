// Follows a strategy that changes its mind: asks it again between steps, and lets it learn of what runs meanwhile.
#pragma once

#include <memory>

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
  // For the next step: asks the strategy about each layer. What the strategy throws leaves everything as it was.
  // Error(invalid_state) within one of the strategy's own callbacks.
  Next next();

  // For the executors of these schedules. Lives on its own.
  const std::shared_ptr<RunObserver>& observer() const noexcept { return observer_; }

 private:
  const ChainProfile profile_;
  const strategy::StrategyPtr strategy_;
  const std::shared_ptr<RunObserver> observer_;
  base::ForkMutex mutex_;
  std::shared_ptr<const Schedule> current_;
};

}  // namespace ckpt::plan
