// Counts a strategy's queries and answers. Thread-safe; counting takes no lock and no locked instruction.
//
// Each thread owns one stripe and is its only writer, so plain loads and stores count exactly. A locked add costs about 5 ns,
// half of the target cost of a whole decision.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>

#include "base/fork_mutex.h"

namespace ckpt::strategy {

struct Counters {
  std::int64_t asked_layers = 0;
  std::int64_t chosen_layers = 0;
  std::int64_t chosen_bytes = 0;  // saturates at INT64_MAX
};

constexpr std::int64_t add_up_to_limit(std::int64_t a, std::int64_t b) noexcept {
  std::int64_t sum = 0;
  return __builtin_add_overflow(a, b, &sum) ? std::numeric_limits<std::int64_t>::max() : sum;
}

constexpr int stripe_count = 64;
constexpr int stripe_unassigned = -1;
constexpr int stripe_shared = -2;  // more threads than stripes, or the thread is exiting

// This thread's stripe in every StripedCounters of the process.
inline constinit thread_local int thread_stripe = stripe_unassigned;
// Assigns a free stripe to this thread until it exits.
int assign_thread_stripe() noexcept;

class StripedCounters {
 public:
  void count(bool chosen, std::int64_t bytes) noexcept {
    int stripe = thread_stripe;
    if (stripe == stripe_unassigned) [[unlikely]]
      stripe = assign_thread_stripe();
    if (stripe >= 0) [[likely]] {
      add(stripes_[static_cast<std::size_t>(stripe)], chosen, bytes);
    } else {
      count_shared(chosen, bytes);
    }
  }

  // Returns a snapshot: exact once the counting threads have been joined.
  Counters read() const noexcept;

  // Begins a new generation; a stripe of an older one counts as zero, and its owner clears it.
  void reset() noexcept { generation_.fetch_add(1, std::memory_order_acq_rel); }

 private:
  struct alignas(64) Stripe {
    std::atomic<std::uint64_t> generation{0};
    std::atomic<std::int64_t> asked{0};
    std::atomic<std::int64_t> chosen{0};
    std::atomic<std::int64_t> chosen_bytes{0};
  };

  void add(Stripe& stripe, bool chosen, std::int64_t bytes) noexcept {
    constexpr auto relaxed = std::memory_order_relaxed;
    const std::uint64_t generation = generation_.load(relaxed);
    if (stripe.generation.load(relaxed) != generation) [[unlikely]]
      begin(stripe, generation);
    stripe.asked.store(stripe.asked.load(relaxed) + 1, relaxed);
    if (!chosen) return;
    stripe.chosen.store(stripe.chosen.load(relaxed) + 1, relaxed);
    stripe.chosen_bytes.store(add_up_to_limit(stripe.chosen_bytes.load(relaxed), bytes), relaxed);
  }
  void count_shared(bool chosen, std::int64_t bytes) noexcept;
  static void begin(Stripe& stripe, std::uint64_t generation) noexcept;
  void add_stripe(Counters& sum, const Stripe& stripe) const noexcept;

  std::atomic<std::uint64_t> generation_{0};
  mutable base::ForkMutex shared_mutex_;
  Stripe shared_;
  std::array<Stripe, stripe_count> stripes_;
};

}  // namespace ckpt::strategy
