#include "base/thread_pool.h"

#include <algorithm>
#include <atomic>
#include <exception>
#include <limits>
#include <mutex>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/os/cpu.h"
#include "base/os/thread.h"
#include "base/wait_point.h"

namespace ckpt::base {
namespace {

constexpr std::int64_t no_part = std::numeric_limits<std::int64_t>::max();
// Long enough to bridge the gaps between the layers of a step (about 20 microseconds) without parking.
constexpr int idle_spins = 2000;

}  // namespace

struct ThreadPool::State {
  std::uint64_t generation = fork_generation();
  std::atomic<bool> busy{false};  // parts of some job are being processed

  // The job. Written by the caller while no worker is inside (entered == left), published by ticket.
  PartFunction function = nullptr;
  void* context = nullptr;
  std::uint64_t parts = 0;
  // Unsigned: threads still increment it after it has reached parts, which may be INT64_MAX.
  std::atomic<std::uint64_t> next_part{0};

  std::atomic<std::uint64_t> ticket{0};  // incremented with every job
  std::atomic<std::int64_t> working{0};  // workers that have not finished the current job
  std::atomic<bool> stopping{false};
  WaitPoint job_posted;
  WaitPoint job_done;

  std::mutex error_mutex;
  std::int64_t error_part = no_part;
  std::exception_ptr error;

  std::vector<std::unique_ptr<Thread>> workers;

  void work() noexcept {
    for (;;) {
      const std::uint64_t next = next_part.fetch_add(1, std::memory_order_relaxed);
      if (next >= parts) return;
      const auto part = static_cast<std::int64_t>(next);
      try {
        function(context, part);
      } catch (...) {
        next_part.store(parts, std::memory_order_relaxed);
        const std::lock_guard lock(error_mutex);
        if (part < error_part) {
          error_part = part;
          error = std::current_exception();
        }
      }
    }
  }

  void serve() {
    for (std::uint64_t seen = 0;;) {
      job_posted.wait([&] { return stopping.load(std::memory_order_acquire) || ticket.load(std::memory_order_acquire) != seen; },
                      -1, idle_spins);
      if (stopping.load(std::memory_order_acquire)) return;
      seen = ticket.load(std::memory_order_acquire);
      work();
      if (working.fetch_sub(1, std::memory_order_acq_rel) == 1) job_done.wake_all();
    }
  }

  void stop() {
    stopping.store(true, std::memory_order_release);
    job_posted.wake_all();
    workers.clear();
  }
};

ThreadPool::ThreadPool(std::int32_t threads) {
  require(threads >= 0 && threads <= 1024, "thread_count is ", threads, "; expected 0 .. 1024");
  state_ = std::make_unique<State>();
  const std::int32_t count = threads == 0 ? std::min(available_threads(), 1024) : threads;
  // A failing push_back would join a thread that was never asked to stop.
  state_->workers.reserve(static_cast<std::size_t>(count));
  try {
    for (std::int32_t i = 1; i < count; ++i) {
      state_->workers.push_back(std::make_unique<Thread>(cat("ckpt-pool-", i), [state = state_.get()] { state->serve(); }));
    }
  } catch (...) {
    state_->stop();
    throw;
  }
}

ThreadPool::~ThreadPool() {
  if (state_->generation == fork_generation()) state_->stop();
}

std::int32_t ThreadPool::threads() const noexcept { return static_cast<std::int32_t>(state_->workers.size()) + 1; }

void ThreadPool::run_parts(std::int64_t parts, PartFunction function, void* context) {
  require(parts >= 0, "part_count is ", parts, "; expected at least 0");
  State& state = *state_;
  if (state.generation != fork_generation()) fail(Status::forked, "the pool's threads do not exist in a forked child");
  if (parts <= 1 || state.workers.empty() || state.busy.exchange(true, std::memory_order_acquire)) {
    for (std::int64_t part = 0; part < parts; ++part) function(context, part);
    return;
  }
  state.function = function;
  state.context = context;
  state.parts = static_cast<std::uint64_t>(parts);
  state.error_part = no_part;
  state.next_part.store(0, std::memory_order_relaxed);
  state.working.store(static_cast<std::int64_t>(state.workers.size()), std::memory_order_relaxed);
  state.ticket.fetch_add(1, std::memory_order_release);
  state.job_posted.wake_all();
  state.work();
  state.job_done.wait([&] { return state.working.load(std::memory_order_acquire) == 0; }, -1, idle_spins);
  const std::exception_ptr error = std::exchange(state.error, nullptr);
  state.busy.store(false, std::memory_order_release);
  if (error) std::rethrow_exception(error);
}

}  // namespace ckpt::base
