// Bounded FIFO queues on Boost.Lockfree with exact capacity and no allocation after construction.
//
// SpscQueue: one pushing and one popping thread. MpmcQueue: any threads. Both offer try_push, try_pop, size and capacity.
// BlockingQueue<Queue> adds waiting with a timeout, and closing.
#pragma once

#include <atomic>
#include <boost/lockfree/queue.hpp>
#include <boost/lockfree/spsc_queue.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "base/error.h"
#include "base/os/thread.h"
#include "base/wait_point.h"

namespace ckpt::base {

constexpr std::int64_t largest_queue_capacity = std::int64_t{1} << 24;

inline std::size_t checked_queue_capacity(std::int64_t capacity) {
  require(capacity >= 1 && capacity <= largest_queue_capacity, "capacity is ", capacity, "; expected 1 .. ",
          largest_queue_capacity);
  return static_cast<std::size_t>(capacity);
}

template <class T>
class SpscQueue {
 public:
  explicit SpscQueue(std::int64_t capacity) : capacity_(capacity), ring_(checked_queue_capacity(capacity)) {}

  bool try_push(const T& value) { return ring_.push(value); }
  bool try_pop(T& value) { return ring_.pop(value); }
  // Each side reads its own index exactly and the other's possibly late: the result is a snapshot.
  std::int64_t size() const { return static_cast<std::int64_t>(ring_.read_available()); }
  std::int64_t capacity() const { return capacity_; }

 private:
  std::int64_t capacity_;
  boost::lockfree::spsc_queue<T> ring_;
};

template <class T>
class MpmcQueue {
  static_assert(std::is_trivially_copyable_v<T>, "boost::lockfree::queue copies nodes while others may write them");

 public:
  explicit MpmcQueue(std::int64_t capacity) : capacity_(capacity), nodes_(checked_queue_capacity(capacity)) {}

  // Boost's queue is bounded by its free nodes, an inexact number; a separate count makes the capacity exact.
  bool try_push(const T& value) {
    std::int64_t size = size_.load(std::memory_order_relaxed);
    do {
      if (size >= capacity_) return false;
    } while (!size_.compare_exchange_weak(size, size + 1, std::memory_order_acq_rel));
    // A popping thread returns its node before it lowers the count, so an admitted push always finds a free node.
    while (!nodes_.bounded_push(value)) spin_pause();
    return true;
  }

  bool try_pop(T& value) {
    if (!nodes_.pop(value)) return false;
    size_.fetch_sub(1, std::memory_order_acq_rel);
    return true;
  }

  std::int64_t size() const { return size_.load(std::memory_order_acquire); }
  std::int64_t capacity() const { return capacity_; }

 private:
  std::int64_t capacity_;
  std::atomic<std::int64_t> size_{0};
  boost::lockfree::queue<T> nodes_;
};

enum class QueueResult { done, full, empty, closed };

template <class Queue, class T>
class BlockingQueue {
 public:
  explicit BlockingQueue(std::int64_t capacity) : queue_(capacity) {}

  // Returns done, full (no space within timeout_ns) or closed. Error(forked) in a forked child.
  QueueResult push(const T& value, std::int64_t timeout_ns) {
    refuse_fork();
    bool pushed = false;
    bool was_closed = false;
    places_.wait(
        [&] {
          // Incremented before closed_ is read, so that pop() can distinguish "closed and empty" from "closed, and a push is
          // still in progress".
          entering_.fetch_add(1);
          was_closed = closed_.load();
          pushed = !was_closed && queue_.try_push(value);
          entering_.fetch_sub(1, std::memory_order_release);
          return pushed || was_closed;
        },
        timeout_ns);
    // Also after a refused push: a popping thread may have parked because this push was in progress.
    if (pushed || was_closed) values_.wake_all();
    if (pushed) return QueueResult::done;
    return was_closed ? QueueResult::closed : QueueResult::full;
  }

  // Returns done, empty (nothing arrived within timeout_ns) or closed (closed and nothing left).
  QueueResult pop(T& value, std::int64_t timeout_ns) {
    refuse_fork();
    bool popped = false;
    // Read before the attempt: everything pushed before the close is then found by the attempt.
    bool was_closed = false;
    values_.wait(
        [&] {
          was_closed = closed_.load() && entering_.load() == 0;
          popped = queue_.try_pop(value);
          return popped || was_closed;
        },
        timeout_ns);
    if (popped) {
      places_.wake_all();
      return QueueResult::done;
    }
    return was_closed ? QueueResult::closed : QueueResult::empty;
  }

  void close() {
    refuse_fork();
    closed_.store(true);
    places_.wake_all();
    values_.wake_all();
  }

  bool closed() const { return closed_.load(std::memory_order_acquire); }
  std::int64_t size() const { return queue_.size(); }
  std::int64_t capacity() const { return queue_.capacity(); }

 private:
  // The copied locks may be held by threads that do not exist in the child.
  void refuse_fork() const {
    if (generation_ != fork_generation()) [[unlikely]]
      fail(Status::forked, "the queue was created before this process was forked");
  }

  // On separate cache lines: the pushing thread's writes would otherwise slow down a polling consumer (false sharing).
  static constexpr std::size_t cache_line = 64;
  alignas(cache_line) Queue queue_;
  alignas(cache_line) std::uint64_t generation_ = fork_generation();
  std::atomic<bool> closed_{false};
  alignas(cache_line) std::atomic<std::int32_t> entering_{0};  // pushes between reading closed_ and being visible
  alignas(cache_line) WaitPoint places_;
  alignas(cache_line) WaitPoint values_;
};

}  // namespace ckpt::base
