// Notification of allocations, frees, new peaks and the limit, through handlers and polled queues. Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "base/fork_mutex.h"
#include "base/os/fork.h"
#include "base/queue.h"
#include "memory/stats.h"

namespace ckpt::memory {

// Bits, so that a subscription can select several.
enum class EventKind : std::uint32_t { allocated = 1, freed = 2, new_peak = 4, limit_exceeded = 8 };
constexpr std::uint32_t all_event_kinds = 15;
constexpr std::uint32_t bit(EventKind kind) { return static_cast<std::uint32_t>(kind); }

// Values are those at the transition, not at the time of reading. Events of one transition share its sequence number and arrive
// in the order of their kinds' numbers.
struct Event {
  EventKind kind{};
  LayerId layer_id = no_layer;  // no_layer if a limit was set below the live bytes
  const char* layer_name = "";  // lives as long as the tracker
  std::uint64_t sequence = 0;   // order of transitions, without gaps
  AllocationId allocation = 0;  // 0 if a limit was set below the live bytes
  std::int64_t bytes = 0;       // of the allocation
  std::int64_t current_bytes = 0;
  std::int64_t peak_bytes = 0;
  std::int64_t limit_bytes = 0;      // 0: no limit
  std::int64_t occurred_at_ns = 0;   // time of the transition on the tracker's clock
  std::int64_t occurred_utc_ns = 0;  // time of delivery to the hub
};

// A handler that throws counts as failed; the exception has no other effect.
using EventHandler = std::function<void(const Event&)>;
using SubscriptionId = std::int64_t;

class EventHub {
 public:
  EventHub() = default;
  EventHub(const EventHub&) = delete;
  EventHub& operator=(const EventHub&) = delete;

  SubscriptionId subscribe(std::uint32_t kinds, EventHandler handler);
  SubscriptionId subscribe_queue(std::uint32_t kinds, std::int64_t capacity);
  // Returns when no other thread is inside the handler, which is then destroyed; called inside the handler, it destroys the
  // handler after that returns. Fails with Error(not_found); with Error(invalid_state) if a thread inside the handler waits for
  // this thread to leave another one; with Error(forked) if the thread inside exists only in the parent process. A failure
  // changes nothing.
  void unsubscribe(SubscriptionId id);

  // Takes the oldest event of a queue; returns false if it is empty.
  bool poll(SubscriptionId id, Event& event);
  // Returns the number of events dropped because the queue was full.
  std::int64_t dropped(SubscriptionId id) const;

  void enable(bool enabled);
  // The event kinds with a subscription. One relaxed load.
  std::uint32_t wanted() const noexcept { return wanted_.load(std::memory_order_relaxed); }
  std::int64_t failures() const noexcept { return failures_.load(std::memory_order_relaxed); }
  void reset_failures() noexcept { failures_.store(0, std::memory_order_relaxed); }

  // Delivers the events to every subscription that wants them, with no lock held. A handler is not called for events that it
  // causes itself on the same thread: a handler that allocates would recurse without end. Allocates nothing. In a forked child,
  // if a thread of the parent was changing subscriptions at the fork, no subscription can be read: each event counts as a
  // failure.
  void deliver(std::span<const Event> events) noexcept;

 private:
  struct Subscription {
    SubscriptionId id = 0;
    std::uint32_t kinds = 0;
    EventHandler handler;                           // empty for a queue
    std::unique_ptr<base::MpmcQueue<Event>> queue;  // null for a handler
    std::atomic<std::int64_t> dropped{0};
    std::int64_t inside = 0;         // threads in the handler
    std::uint32_t inside_since = 0;  // process mark of the first of them
    bool removed = false;
    bool awaited = false;  // a thread waits in unsubscribe and will destroy the handler
  };
  using Shared = std::shared_ptr<Subscription>;
  // One handler call on this thread's stack; the innermost is current_frame.
  struct Frame {
    const Subscription* subscription;
    const Frame* outer;
  };
  // A thread that waits in unsubscribe. One list for all hubs of the process: handlers of two trackers can also wait for each
  // other.
  struct Waiter {
    const Subscription* target;
    const Frame* frames;
    std::uint32_t process;  // a forked child inherits the list, but not the threads of its parent
  };
  struct Waiters {
    base::ForkMutex mutex;  // taken while a hub's mutex is held, never the other way round
    std::vector<Waiter> list;
  };

  SubscriptionId add(const Shared& subscription);
  Shared find(SubscriptionId id) const;  // under mutex_
  // Locks the mutex; returns false if a thread of the parent held it when this process was forked.
  bool lock_unless_forked() noexcept;
  bool enter_next(SubscriptionId after, SubscriptionId last, std::uint32_t kind, Shared& next) noexcept;
  void call(const Shared& subscription, const Event& event) noexcept;
  void leave(const Shared& subscription) noexcept;
  void count_failure(SubscriptionId id, const char* reason) noexcept;
  static void announce_wait(const Subscription* target);
  static void end_wait(const Subscription* target) noexcept;
  static Waiters& waiters();
  static const Waiters& made_at_load;
  static bool waits_for_this_thread(const std::vector<Waiter>& waiters, const Subscription* target);
  void update_wanted();
  static bool contains(const Frame* frames, const Subscription* subscription) noexcept;

  static thread_local const Frame* current_frame;

  std::atomic<std::uint32_t> wanted_{0};
  std::atomic<std::int64_t> failures_{0};
  mutable base::ForkMutex mutex_;
  std::atomic<std::uint32_t> exits_{0};  // number of handler exits of ended subscriptions
  std::vector<Shared> subscriptions_;    // by id
  SubscriptionId last_id_ = 0;
  bool enabled_ = true;
};

}  // namespace ckpt::memory
