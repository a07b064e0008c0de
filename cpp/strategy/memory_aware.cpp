#include "strategy/memory_aware.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>

#include "base/error.h"
#include "memory/probe.h"
#include "strategy/inside.h"
#include "strategy/resident.h"

namespace ckpt::strategy {
namespace {

constexpr std::int64_t first_interval = 2;
constexpr std::int64_t smallest_interval = 1;
constexpr std::int64_t largest_interval = 10;
constexpr std::int64_t second_ns = 1'000'000'000;
constexpr std::int64_t look_every_ns = 10 * second_ns;
constexpr std::int64_t high_lasts_ns = 30 * second_ns;
constexpr std::int64_t calm_before_growth = 3;  // consecutive follower steps without high pressure before the interval grows

// A user's clock may return anything: the difference must not overflow.
std::int64_t elapsed_ns(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

std::int64_t total_or_system(std::int64_t total_bytes) {
  base::require(total_bytes >= 0, "total_bytes is ", total_bytes,
                "; expected at least 1, or 0 for the memory available to the process");
  return total_bytes > 0 ? total_bytes : memory::probe_system_memory().total_bytes;
}

}  // namespace

MemoryAware::MemoryAware(const MemoryAwareOptions& options)
    : max_share_(options.max_share),
      tracker_(options.tracker),
      total_bytes_(total_or_system(options.total_bytes)),
      given_total_(options.total_bytes > 0),
      given_clock_(options.clock != nullptr && options.clock != base::monotonic_clock()),
      clock_(options.clock ? options.clock : base::monotonic_clock()),
      interval_(first_interval),
      measured_ns_(clock_->now_ns()),
      calm_steps_(calm_before_growth) {
  base::require(max_share_ > 0 && max_share_ <= 1, "max_share is ", max_share_, "; more than 0 and at most 1");
}

std::string MemoryAware::name() const { return base::cat("MemoryAware(", std::lround(max_share_ * 100), "%)"); }

Parameters MemoryAware::parameters() const {
  Parameters parameters{.kind = "memory-aware"};
  parameters.interval = interval();
  parameters.max_share = max_share_;
  parameters.total_bytes = total_bytes_;
  parameters.has_total = given_total_;
  parameters.has_tracker = tracker_ != nullptr;
  parameters.has_clock = given_clock_;
  return parameters;
}

std::vector<std::string> MemoryAware::text_values() const {
  if (tracker_ != nullptr) refuse_text("a tracker");
  if (given_clock_) refuse_text("a clock");
  std::vector<std::string> values = {base::cat(max_share_)};
  if (given_total_) values.push_back(base::cat("total_bytes=", total_bytes_));
  return values;
}

bool MemoryAware::decide(std::string_view, const Activation&, std::int64_t layer_index) {
  const std::int64_t now = now_ns();
  if (is_due(now)) adjust(now);
  return layer_index % interval() == 0;
}

// The clock may be user code: if it asks this strategy, that call would read the clock again.
std::int64_t MemoryAware::now_ns() const {
  if (!given_clock_) [[likely]]
    return clock_->now_ns();
  const Inside inside(this);
  return clock_->now_ns();
}

bool MemoryAware::is_due(std::int64_t now_ns) const noexcept {
  return elapsed_ns(measured_ns_.load(std::memory_order_relaxed), now_ns) >= look_every_ns;
}

bool MemoryAware::is_high(double live) const noexcept { return live > max_share_ * static_cast<double>(total_bytes_); }

// Returns true below 0.8 of the share, without the rounding error of 0.8.
bool MemoryAware::is_low(double live) const noexcept { return 5 * live < max_share_ * (4 * static_cast<double>(total_bytes_)); }

// Measures pressure only when an adjustment is due: answers depend on the interval, not on pressure.
void MemoryAware::adjust(std::int64_t now_ns) {
  const Inside inside(this);
  {
    const std::lock_guard lock(mutex_);
    if (!is_due(now_ns)) return;  // another thread has adjusted it
    measured_ns_.store(now_ns, std::memory_order_relaxed);
    if (!follower_.expired()) return;
  }
  const auto bytes = live_bytes();
  if (!bytes) return;

  const auto live = static_cast<double>(*bytes);
  const std::lock_guard lock(mutex_);
  if (is_high(live)) {
    high_ns_ = now_ns;
    interval_.store(std::max(smallest_interval, interval() - 1), std::memory_order_relaxed);
  } else if (is_low(live)) {
    const bool was_high = high_ns_ && elapsed_ns(*high_ns_, now_ns) <= high_lasts_ns;
    if (!was_high) interval_.store(std::min(largest_interval, interval() + 1), std::memory_order_relaxed);
  }
}

std::optional<std::int64_t> MemoryAware::live_bytes() const {
  return tracker_ ? tracker_->stats().current_bytes : resident_bytes();
}

// ---- A follower's steps ----

bool MemoryAware::Adjusted::operator==(const Adjusted& other) const noexcept {
  return interval == other.interval && peak_bytes == other.peak_bytes && tracked_bytes == other.tracked_bytes &&
         !follower.owner_before(other.follower) && !other.follower.owner_before(follower);
}

// Chooses an interval for a step that would exceed the share: the next smaller one that fits, else a larger one that fits (with
// boundaries, fewer of them may take less), else the one with the lowest peak.
template <class Predict>
std::int64_t MemoryAware::fitting_interval(std::int64_t predicted, double other_bytes, Predict&& predict) const {
  const std::int64_t now = interval();
  std::int64_t best = now;
  std::int64_t min = predicted;
  for (std::int64_t step = 1; step <= largest_interval; ++step) {
    const std::int64_t other = step < now ? now - step : step + 1;  // now - 1 .. 1, then now + 1 .. 10
    if (other > largest_interval) break;
    const std::int64_t bytes = predict(other);
    if (!is_high(static_cast<double>(bytes) + other_bytes)) return other;
    if (bytes < min) {
      min = bytes;
      best = other;
    }
  }
  return best;
}

void MemoryAware::begin_step(const StepMemory& memory) {
  const std::int64_t tracked = tracker_ ? tracker_->stats().current_bytes : 0;
  const std::int64_t before = interval();
  const Adjusted same{before, memory.peak_bytes.value_or(-1), tracked, memory.follower};
  {
    const std::lock_guard lock(mutex_);
    follower_ = memory.follower;
    if (adjusted_ == same) return;  // the answer would be the same, so the strategies need not be asked
  }
  // In doubles, which do not overflow: a tracker may count any number of bytes.
  const double other_bytes = static_cast<double>(memory.unpredicted_bytes) + static_cast<double>(tracked);
  // With an interval that applies to the prediction only.
  const auto predict = [&](std::int64_t interval) {
    struct Restored {
      std::atomic<std::int64_t>& now;
      std::int64_t before;
      ~Restored() { now.store(before, std::memory_order_relaxed); }
    } const restored{interval_, before};
    interval_.store(interval, std::memory_order_relaxed);
    return memory.predict();
  };
  const std::int64_t predicted = predict(before);
  const double live = static_cast<double>(predicted) + other_bytes;
  std::int64_t calm_steps = 0;
  std::int64_t after = before;
  if (is_high(live)) {
    after = fitting_interval(predicted, other_bytes, predict);
  } else {
    const std::lock_guard lock(mutex_);
    calm_steps = std::min(calm_steps_ + 1, calm_before_growth + 1);
  }
  const bool may_grow = calm_steps > calm_before_growth;
  if (may_grow && is_low(live) && before < largest_interval && !is_high(static_cast<double>(predict(before + 1)) + other_bytes))
    after = before + 1;

  const std::lock_guard lock(mutex_);
  calm_steps_ = std::min(calm_steps, calm_before_growth);
  interval_.store(after, std::memory_order_relaxed);
  if (after == before && (calm_steps == 0 || may_grow)) adjusted_ = same;
}

void MemoryAware::clear_state() {
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  interval_.store(first_interval, std::memory_order_relaxed);
  measured_ns_.store(now, std::memory_order_relaxed);
  adjusted_ = {};
  calm_steps_ = calm_before_growth;
  high_ns_.reset();
}

}  // namespace ckpt::strategy
