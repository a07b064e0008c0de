// What a run of a schedule reports while it goes on, for whoever chooses the next schedule by it.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>

#include "strategy/strategy.h"

namespace ckpt::plan {

// Called on the threads that run schedules, several at once where a pipeline has stages: synchronised.
class RunObserver {
 public:
  virtual ~RunObserver() = default;
  // The layer is about to run, forward or backward, and with that to use its activation.
  virtual void layer_runs(std::string_view name) = 0;
  // Bytes that are alive in memory, more or fewer by this. A run that begins reports 0.
  virtual void live_bytes_changed(std::int64_t by) noexcept = 0;
};

// Passes on to a strategy what it goes by: each use of a layer's activation, and, whenever the strategy asks, the live bytes of all
// runs that report here. The strategy knows no live bytes before the first run begins and once the observer is gone.
std::shared_ptr<RunObserver> make_observer(const strategy::StrategyPtr& strategy);

}  // namespace ckpt::plan
