// Reports of a schedule's run while it executes, for the strategy that chooses the next schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"

namespace ckpt::plan {

// Called on the threads that run schedules: synchronised.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The layer is about to run, forward or backward, and to use its activation.
  virtual void layer_runs(std::string_view name) = 0;
  // Live bytes in memory changed by so many.
  virtual void live_bytes_changed(std::int64_t by) noexcept = 0;
};

// The highest live bytes of the runs that make up a step. Runs at the same time (a pipeline's stages) each have an observer; their
// peaks are added, so that the sum does not depend on how the runs overlapped.
class StepPeak {
 public:
  // The observer also reports each use of a layer's activation to the strategy; nullptr: to none. It may outlive this object.
  std::shared_ptr<RunObserver> add_observer(strategy::StrategyPtr strategy);

  // Returns the peak since the last call; nothing when no run has had live bytes since.
  std::optional<std::int64_t> take();

 private:
  class Observer;
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace ckpt::plan
