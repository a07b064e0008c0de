// Reports a schedule's execution to the strategy that chooses the next schedule.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "strategy/strategy.h"

namespace ckpt::plan {

// Called on the threads that run schedules: must be thread-safe.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // Called before the layer runs, forward or backward, and uses its activation.
  virtual void layer_runs(std::string_view name) = 0;
  // Called when live bytes in memory change by this amount.
  virtual void live_bytes_changed(std::int64_t by) noexcept = 0;
};

// The highest live bytes of the runs of one step. Concurrent runs (a pipeline's stages) have one observer each; their peaks are
// added, so that the sum does not depend on how the runs overlapped.
class StepPeak {
 public:
  // Creates an observer that also reports each use of a layer's activation to the strategy; nullptr: to none. It may outlive this
  // object.
  std::shared_ptr<RunObserver> add_observer(strategy::StrategyPtr strategy);

  // Returns the peak since the last call; nothing if no run had live bytes since.
  std::optional<std::int64_t> take();

 private:
  class Observer;
  std::vector<std::shared_ptr<Observer>> observers_;
};

}  // namespace ckpt::plan
