#include "memory/events.h"

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/error.h"
#include "base/log.h"

namespace ckpt::memory {

thread_local const EventHub::Frame* EventHub::current_frame = nullptr;

SubscriptionId EventHub::subscribe(std::uint32_t kinds, EventHandler handler) {
  base::require(static_cast<bool>(handler), "handler is empty");
  const auto subscription = std::make_shared<Subscription>();
  subscription->kinds = kinds;
  subscription->handler = std::move(handler);
  return add(subscription);
}

SubscriptionId EventHub::subscribe_queue(std::uint32_t kinds, std::int64_t capacity) {
  const auto subscription = std::make_shared<Subscription>();
  subscription->kinds = kinds;
  subscription->queue = std::make_unique<base::MpmcQueue<Event>>(capacity);
  return add(subscription);
}

SubscriptionId EventHub::add(const Shared& subscription) {
  const std::uint32_t kinds = subscription->kinds;
  base::require(kinds != 0 && (kinds & ~all_event_kinds) == 0, "kinds is ", kinds, "; expected a bitmask of event kinds, 1 .. ",
                all_event_kinds);
  const std::lock_guard lock(mutex_);
  subscriptions_.push_back(subscription);
  subscription->id = ++last_id_;
  update_wanted();
  return subscription->id;
}

void EventHub::unsubscribe(SubscriptionId id) {
  EventHandler dying;  // destroyed with no lock held: the destructor may run user code
  Shared target;
  {
    std::unique_lock lock(mutex_);
    target = find(id);
    const std::int64_t own = contains(current_frame, target.get()) ? 1 : 0;
    const bool must_wait = target->inside > own;
    if (must_wait && target->inside_since != base::process_mark()) {
      base::fail(base::Status::forked, "subscription is ", id,
                 "; a thread of the parent process was inside its handler at the fork");
    }
    if (must_wait) announce_wait(target.get());
    target->removed = true;
    target->awaited = must_wait && own == 0;
    std::erase(subscriptions_, target);
    update_wanted();
    if (must_wait) {
      while (target->inside != own) {
        const std::uint32_t seen = exits_.load(std::memory_order_relaxed);
        lock.unlock();
        exits_.wait(seen, std::memory_order_relaxed);
        lock.lock();
      }
      end_wait(target.get());
    }
    if (own == 0) dying.swap(target->handler);
  }
}

bool EventHub::poll(SubscriptionId id, Event& event) {
  Shared subscription;
  {
    const std::lock_guard lock(mutex_);
    subscription = find(id);
  }
  if (!subscription->queue) {
    base::fail(base::Status::invalid_state, "subscription is ", id,
               "; expected a subscription with a queue, found one with a handler");
  }
  return subscription->queue->try_pop(event);
}

std::int64_t EventHub::dropped(SubscriptionId id) const {
  const std::lock_guard lock(mutex_);
  const Shared subscription = find(id);
  if (!subscription->queue) {
    base::fail(base::Status::invalid_state, "subscription is ", id,
               "; expected a subscription with a queue, found one with a handler");
  }
  return subscription->dropped.load(std::memory_order_relaxed);
}

void EventHub::enable(bool enabled) {
  const std::lock_guard lock(mutex_);
  enabled_ = enabled;
  update_wanted();
}

void EventHub::deliver(std::span<const Event> events) noexcept {
  if (events.empty()) return;
  if (!lock_unless_forked()) {
    failures_.fetch_add(static_cast<std::int64_t>(events.size()), std::memory_order_relaxed);
    return;
  }
  const SubscriptionId last = last_id_;  // a subscription made inside a handler receives only later events
  mutex_.unlock();
  for (const Event& event : events) {
    SubscriptionId done = 0;
    Shared subscription;
    while (enter_next(done, last, bit(event.kind), subscription)) {
      done = subscription->id;
      if (!subscription->queue) {
        call(subscription, event);
        leave(subscription);
      } else if (!subscription->queue->try_push(event)) {
        subscription->dropped.fetch_add(1, std::memory_order_relaxed);
      }
      subscription.reset();  // here, with no lock held: this may destroy its queue
    }
  }
}

bool EventHub::lock_unless_forked() noexcept {
  try {
    mutex_.lock();
    return true;
  } catch (const base::Error&) {
    return false;
  }
}

// Returns false if no further subscription is to be notified.
bool EventHub::enter_next(SubscriptionId after, SubscriptionId last, std::uint32_t kind, Shared& next) noexcept {
  if (!lock_unless_forked()) return false;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  for (const Shared& subscription : subscriptions_) {
    if (subscription->id <= after || subscription->id > last || (subscription->kinds & kind) == 0) continue;
    if (!subscription->queue) {
      if (contains(current_frame, subscription.get())) continue;
      if (subscription->inside++ == 0) subscription->inside_since = base::process_mark();
    }
    next = subscription;
    return true;
  }
  return false;
}

void EventHub::call(const Shared& subscription, const Event& event) noexcept {
  const Frame frame{subscription.get(), current_frame};
  current_frame = &frame;
  try {
    subscription->handler(event);
  } catch (...) {
    count_failure(subscription->id, base::current_error().message);
  }
  current_frame = frame.outer;
}

void EventHub::count_failure(SubscriptionId id, const char* reason) noexcept {
  failures_.fetch_add(1, std::memory_order_relaxed);
  try {
    base::warn("memory", base::cat("subscription ", id, ": the handler failed: ", reason));
  } catch (...) {
    // Out of memory for the message: the failure is still counted.
  }
}

void EventHub::leave(const Shared& subscription) noexcept {
  EventHandler dying;
  if (!lock_unless_forked()) return;
  const std::lock_guard lock(mutex_, std::adopt_lock);
  --subscription->inside;
  if (!subscription->removed) return;
  exits_.fetch_add(1, std::memory_order_relaxed);
  exits_.notify_all();
  if (subscription->inside == 0 && !subscription->awaited) dying.swap(subscription->handler);
}

EventHub::Waiters& EventHub::waiters() {
  static Waiters& all = *new Waiters;  // never destroyed: a thread may leave a handler during process exit
  return all;
}
// Initialized at load: a child forked during a lazy first call would wait forever for that call to complete.
const EventHub::Waiters& EventHub::made_at_load = waiters();

// Searching for a cycle and joining it is one atomic step for all threads, so the thread that would close a cycle detects it.
void EventHub::announce_wait(const Subscription* target) {
  Waiters& all = waiters();
  const std::lock_guard lock(all.mutex);
  if (waits_for_this_thread(all.list, target)) {
    base::fail(base::Status::invalid_state, "subscription is ", target->id,
               "; its handler runs on a thread that waits for this thread to leave another handler");
  }
  all.list.push_back({target, current_frame, base::process_mark()});
}

void EventHub::end_wait(const Subscription* target) noexcept {
  Waiters& all = waiters();
  const std::lock_guard lock(all.mutex);
  std::erase_if(all.list, [&](const Waiter& waiter) { return waiter.target == target; });
}

// Returns true if a thread inside target's handler waits, directly or through others, for this thread to leave a handler. Only
// such cycles can occur: a thread that unsubscribes inside its own handler waits for the other threads only, not for itself.
bool EventHub::waits_for_this_thread(const std::vector<Waiter>& waiters, const Subscription* target) {
  return std::any_of(waiters.begin(), waiters.end(), [&](const Waiter& waiter) {
    return waiter.process == base::process_mark() && contains(waiter.frames, target) &&
           (contains(current_frame, waiter.target) || (waiter.target != target && waits_for_this_thread(waiters, waiter.target)));
  });
}

EventHub::Shared EventHub::find(SubscriptionId id) const {
  const auto found = std::find_if(subscriptions_.begin(), subscriptions_.end(), [&](const Shared& each) { return each->id == id; });
  if (found == subscriptions_.end()) base::fail(base::Status::not_found, "subscription is ", id, "; unknown subscription");
  return *found;
}

void EventHub::update_wanted() {
  std::uint32_t kinds = 0;
  for (const Shared& subscription : subscriptions_) kinds |= subscription->kinds;
  wanted_.store(enabled_ ? kinds : 0, std::memory_order_relaxed);
}

bool EventHub::contains(const Frame* frames, const Subscription* subscription) noexcept {
  for (; frames != nullptr; frames = frames->outer) {
    if (frames->subscription == subscription) return true;
  }
  return false;
}

}  // namespace ckpt::memory
