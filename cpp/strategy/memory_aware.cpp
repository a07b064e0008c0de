#include "strategy/memory_aware.h"

#include <algorithm>
#include <cmath>
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

// A user's clock may return anything: the difference must not overflow.
std::int64_t elapsed_ns(std::int64_t from, std::int64_t to) noexcept {
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(to) - static_cast<std::uint64_t>(from));
}

std::int64_t total_or_system(std::int64_t total_bytes) {
  base::require(total_bytes >= 0, "total_bytes is ", total_bytes, "; at least 1, or 0 for what the process may use");
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
      looked_ns_(clock_->now_ns()) {
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
  if (given_total_) refuse_text(base::cat("total_bytes, which is ", total_bytes_));
  if (given_clock_) refuse_text("a clock");
  return {base::cat(max_share_)};
}

bool MemoryAware::decide(std::string_view, const Activation&, std::int64_t layer_index) {
  const std::int64_t now = now_ns();
  if (is_due(now)) adjust(now);
  return layer_index % interval() == 0;
}

// A clock may be the user's: who asks this strategy from inside it would ask the clock again.
std::int64_t MemoryAware::now_ns() const {
  if (!given_clock_) [[likely]]
    return clock_->now_ns();
  const Inside inside(this);
  return clock_->now_ns();
}

bool MemoryAware::is_due(std::int64_t now_ns) const noexcept {
  return elapsed_ns(looked_ns_.load(std::memory_order_relaxed), now_ns) >= look_every_ns;
}

// Pressure is looked at when an adjustment is due and not in between: interval, not pressure, is what the answers depend on.
void MemoryAware::adjust(std::int64_t now_ns) {
  const Inside inside(this);
  LiveBytes bound;
  {
    const std::lock_guard lock(mutex_);
    if (!is_due(now_ns)) return;  // another thread was first
    looked_ns_.store(now_ns, std::memory_order_relaxed);
    bound = bound_;
  }
  const auto live = live_bytes(bound);
  if (!live) return;

  const std::lock_guard lock(mutex_);
  const auto live_now = static_cast<double>(*live);
  const auto total = static_cast<double>(total_bytes_);
  if (live_now > max_share_ * total) {
    high_ns_ = now_ns;
    interval_.store(std::max(smallest_interval, interval() - 1), std::memory_order_relaxed);
  } else if (5 * live_now < max_share_ * (4 * total)) {  // below 0.8 of the share, without the rounding error of 0.8
    const bool was_high = high_ns_ && elapsed_ns(*high_ns_, now_ns) <= high_lasts_ns;
    if (!was_high) interval_.store(std::min(largest_interval, interval() + 1), std::memory_order_relaxed);
  }
}

std::optional<std::int64_t> MemoryAware::live_bytes(const LiveBytes& bound) const {
  if (tracker_) return tracker_->stats().current_bytes;
  if (bound) {
    const std::int64_t live = bound();
    if (live >= 0) return live;
  }
  return resident_bytes();
}

void MemoryAware::bind_live_bytes(const LiveBytes& source) {
  LiveBytes former = source;  // declared first: what the former source holds is destroyed after the lock
  const std::lock_guard lock(mutex_);
  bound_.swap(former);
}

void MemoryAware::forget() {
  const std::int64_t now = now_ns();
  const std::lock_guard lock(mutex_);
  interval_.store(first_interval, std::memory_order_relaxed);
  looked_ns_.store(now, std::memory_order_relaxed);
  high_ns_.reset();
}

}  // namespace ckpt::strategy
