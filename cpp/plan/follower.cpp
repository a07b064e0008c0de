#include "plan/follower.h"

#include <atomic>
#include <mutex>
#include <utility>

#include "base/entered.h"

namespace ckpt::plan {
namespace {

class StrategyObserver final : public RunObserver {
 public:
  explicit StrategyObserver(strategy::StrategyPtr strategy) : strategy_(std::move(strategy)) {
    // Weak: the strategy may outlive the observer, which keeps it.
    strategy_->bind_live_bytes([weak = std::weak_ptr(live_)] {
      const auto live = weak.lock();
      return live == nullptr || !live->is_known.load() ? std::int64_t{-1} : live->bytes.load(std::memory_order_relaxed);
    });
  }

  void layer_runs(std::string_view name) override { strategy_->observe_access(name); }

  void live_bytes_changed(std::int64_t by) noexcept override {
    live_->bytes.fetch_add(by, std::memory_order_relaxed);
    live_->is_known.store(true);
  }

 private:
  struct Live {
    std::atomic<std::int64_t> bytes{0};
    std::atomic<bool> is_known{false};
  };
  const strategy::StrategyPtr strategy_;
  const std::shared_ptr<Live> live_ = std::make_shared<Live>();
};

}  // namespace

std::shared_ptr<RunObserver> make_observer(const strategy::StrategyPtr& strategy) {
  return std::make_shared<StrategyObserver>(strategy);
}

Follower::Follower(const ChainProfile& profile, strategy::StrategyPtr strategy)
    : profile_(profile), strategy_(std::move(strategy)), observer_(make_observer(strategy_)) {
  profile_.require_complete();
}

Follower::Next Follower::next() {
  base::Entered::refuse(this, "follower");
  const base::Entered entered(this);
  auto schedule = make_from_strategy(profile_, strategy_);
  const std::lock_guard lock(mutex_);
  const bool changed = current_ == nullptr || current_->fingerprint() != schedule->fingerprint();
  if (changed) current_ = std::move(schedule);
  return {current_, changed};
}

}  // namespace ckpt::plan
