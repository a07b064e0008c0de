#include "plan/follower.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/entered.h"
#include "plan/verifier.h"

namespace ckpt::plan {

Follower::Follower(const ChainProfile& profile, strategy::StrategyPtr strategy)
    : profile_(profile), strategy_(std::move(strategy)), observer_(step_peak_.add_observer(strategy_)) {
  profile_.require_complete();
}

std::int64_t Follower::predicted_peak() const { return verify(*make_from_strategy(profile_, strategy_), profile_).peak_bytes[0]; }

strategy::StepMemory Follower::step_memory() {
  const std::lock_guard lock(mutex_);
  if (const auto peak = step_peak_.take(); peak && current_ != nullptr) {
    if (!current_peak_) current_peak_ = verify(*current_, profile_).peak_bytes[0];
    peak_bytes_ = peak;
    unpredicted_bytes_ = std::max<std::int64_t>(0, *peak - *current_peak_);
  }
  return {peak_bytes_, unpredicted_bytes_, [this] { return predicted_peak(); }, existence_};
}

Follower::Next Follower::next() {
  base::Entered::refuse(this, "follower");
  const base::Entered entered(this);
  strategy_->begin_step(step_memory());
  auto schedule = make_from_strategy(profile_, strategy_);
  const std::lock_guard lock(mutex_);
  const bool changed = current_ == nullptr || current_->fingerprint() != schedule->fingerprint();
  if (changed) {
    current_ = std::move(schedule);
    current_peak_.reset();
  }
  return {current_, changed};
}

}  // namespace ckpt::plan
