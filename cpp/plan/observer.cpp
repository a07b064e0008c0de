#include "plan/observer.h"

#include <atomic>
#include <utility>

namespace ckpt::plan {

class StepPeak::Observer final : public RunObserver {
 public:
  explicit Observer(strategy::StrategyPtr strategy) : strategy_(std::move(strategy)) {}

  void layer_runs(std::string_view name) override {
    if (strategy_ != nullptr) strategy_->observe_access(name);
  }

  void live_bytes_changed(std::int64_t by) noexcept override {
    const std::int64_t live = live_.fetch_add(by, std::memory_order_relaxed) + by;
    std::int64_t peak = peak_.load(std::memory_order_relaxed);
    while (live > peak && !peak_.compare_exchange_weak(peak, live, std::memory_order_relaxed)) {
    }
  }

  std::int64_t take() noexcept { return peak_.exchange(live_.load(std::memory_order_relaxed), std::memory_order_relaxed); }

 private:
  const strategy::StrategyPtr strategy_;
  std::atomic<std::int64_t> live_{0};
  std::atomic<std::int64_t> peak_{0};
};

std::shared_ptr<RunObserver> StepPeak::add_observer(strategy::StrategyPtr strategy) {
  return observers_.emplace_back(std::make_shared<Observer>(std::move(strategy)));
}

std::optional<std::int64_t> StepPeak::take() {
  std::int64_t sum = 0;
  for (const auto& observer : observers_) sum += observer->take();
  return sum > 0 ? std::optional(sum) : std::nullopt;
}

}  // namespace ckpt::plan
