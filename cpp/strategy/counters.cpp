#include "strategy/counters.h"

#include <bit>
#include <utility>

#include "base/os/thread_end.h"

namespace ckpt::strategy {
namespace {

// Bit i is set while stripe i belongs to a thread.
std::atomic<std::uint64_t> taken_stripes{0};
static_assert(stripe_count == 64);

// Locks the mutex. In a forked child, if a thread of the parent held it at the fork, continues without it: a count may be lost,
// but nothing waits.
class SharedLock {
 public:
  explicit SharedLock(base::ForkMutex& mutex) noexcept {
    try {
      mutex.lock();
      held_ = &mutex;
    } catch (const base::Error&) {
    }
  }
  ~SharedLock() {
    if (held_ != nullptr) held_->unlock();
  }
  SharedLock(const SharedLock&) = delete;
  SharedLock& operator=(const SharedLock&) = delete;

 private:
  base::ForkMutex* held_ = nullptr;
};

// Release order: the next owner continues from this thread's last counts.
void return_stripe(int stripe) noexcept { taken_stripes.fetch_and(~(std::uint64_t{1} << stripe), std::memory_order_release); }

int take_stripe() noexcept {
  std::uint64_t taken = taken_stripes.load(std::memory_order_relaxed);
  while (taken != ~std::uint64_t{0}) {
    const int free = std::countr_one(taken);
    if (taken_stripes.compare_exchange_weak(taken, taken | (std::uint64_t{1} << free), std::memory_order_acquire)) return free;
  }
  return stripe_shared;
}

base::ThreadEnd owner_ends([](void*) {
  const int stripe = std::exchange(thread_stripe, stripe_shared);  // thread-exit functions that run later may still ask strategies
  if (stripe >= 0) return_stripe(stripe);
});

}  // namespace

int assign_thread_stripe() noexcept {
  const int stripe = take_stripe();
  if (stripe >= 0 && !owner_ends.arrange(&taken_stripes)) {  // any value except nullptr
    return_stripe(stripe);
    return thread_stripe = stripe_shared;
  }
  return thread_stripe = stripe;
}

void StripedCounters::begin(Stripe& stripe, std::uint64_t generation) noexcept {
  stripe.asked.store(0, std::memory_order_relaxed);
  stripe.chosen.store(0, std::memory_order_relaxed);
  stripe.chosen_bytes.store(0, std::memory_order_relaxed);
  stripe.generation.store(generation, std::memory_order_release);
}

void StripedCounters::add_stripe(Counters& sum, const Stripe& stripe) const noexcept {
  if (stripe.generation.load(std::memory_order_acquire) != generation_.load(std::memory_order_acquire)) return;
  sum.asked_layers += stripe.asked.load(std::memory_order_relaxed);
  sum.chosen_layers += stripe.chosen.load(std::memory_order_relaxed);
  sum.chosen_bytes = add_up_to_limit(sum.chosen_bytes, stripe.chosen_bytes.load(std::memory_order_relaxed));
}

void StripedCounters::count_shared(bool chosen, std::int64_t bytes) noexcept {
  const SharedLock lock(shared_mutex_);
  add(shared_, chosen, bytes);
}

Counters StripedCounters::read() const noexcept {
  Counters sum;
  const SharedLock lock(shared_mutex_);
  add_stripe(sum, shared_);
  for (const Stripe& stripe : stripes_) add_stripe(sum, stripe);
  return sum;
}

}  // namespace ckpt::strategy
