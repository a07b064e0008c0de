#include "storage/rate_limit.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>

#include "base/error.h"

namespace ckpt::storage {
namespace {

// A sleeping writer checks its stop flag at least this often.
constexpr std::int64_t longest_sleep_ns = 20'000'000;

// Converts a double, which may exceed the range of int64; a century counts as forever.
std::int64_t whole_ns(double ns) {
  constexpr double century_ns = 100.0 * 365 * 24 * 3600 * 1e9;
  return static_cast<std::int64_t>(std::min(ns, century_ns));
}

}  // namespace

void sleep_ns(std::int64_t ns) { std::this_thread::sleep_for(std::chrono::nanoseconds(ns)); }

void require_running(const std::atomic<bool>* stop) {
  if (stop != nullptr && stop->load(std::memory_order_acquire))
    base::fail(base::Status::cancelled, "the write was stopped on request");
}

// NOLINTNEXTLINE(performance-unnecessary-value-param): stored
RateLimit::RateLimit(std::int64_t bytes_per_second, std::int64_t burst_bytes, std::shared_ptr<const base::Clock> clock, Sleep sleep)
    : clock_(clock == nullptr ? base::monotonic_clock() : clock), sleep_(sleep ? std::move(sleep) : sleep_ns) {
  base::require(bytes_per_second >= 1, "bytes_per_second is ", bytes_per_second, "; expected at least 1");
  base::require(burst_bytes >= 0, "burst_bytes is ", burst_bytes, "; expected at least 0");
  ns_per_byte_ = 1e9 / static_cast<double>(bytes_per_second);
  burst_ns_ = whole_ns(static_cast<double>(burst_bytes) * ns_per_byte_);
  paid_at_ns_ = clock_->now_ns() - burst_ns_;  // starts with a full bucket
}

std::int64_t RateLimit::due_after(std::int64_t bytes) {
  const std::int64_t now = clock_->now_ns();  // may be user code
  const std::lock_guard lock(mutex_);
  // A debt of more than a century does not grow, so that times stay far from overflow.
  constexpr std::int64_t latest = std::numeric_limits<std::int64_t>::max() / 2;
  const std::int64_t start = std::min(std::max(paid_at_ns_, now - burst_ns_), latest);
  paid_at_ns_ = start + whole_ns(static_cast<double>(bytes) * ns_per_byte_);
  return paid_at_ns_;
}

void RateLimit::take(std::int64_t bytes, const std::atomic<bool>* stop) {
  const std::int64_t due = due_after(bytes);
  for (std::int64_t left = due - clock_->now_ns(); left > 0; left = due - clock_->now_ns()) {
    require_running(stop);
    sleep_(std::min(left, longest_sleep_ns));
  }
}

}  // namespace ckpt::storage
