// Admission of live tasks, and the order in which workers take them. Thread-safe.
//
// The problem: a caller is a training loop, which must not wait for workers that sort tasks. A worker needs the ready task with the
// highest priority, and readiness (the task's gate, cancellation) changes at any time from outside.
//
// The scheme: callers and workers share only lock-free queues. A place is a number; `capacity` places are initially in the queue
// of free ones. A caller admits a task by taking a place and returns it when the task ends: each place is in that queue or
// belongs to one task. To publish a task, its id is written to its place and, if the place was empty, the place is pushed to
// the queue of published tasks: each place is in that queue at most once. So both queues always have room, an ended task's entry is
// overwritten by the next task in its place, and callers never touch the workers' order.
//
// Workers pop places and order their tasks by priority, with tasks that have closed gates in a separate list, under a lock that
// only workers take. Nothing is removed from the middle: ended tasks stay until a worker reaches them or too many accumulate.
//
// A single priority queue with one mutex would be simpler, but callers would then wait while a worker evaluates gates, which may
// be many tasks.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <vector>

#include "base/queue.h"
#include "base/wait_point.h"

namespace ckpt::async {

class TaskQueue {
 public:
  enum class Readiness : std::uint8_t { ended, blocked, ready };
  // The current state of a published task.
  struct EntryState {
    Readiness readiness = Readiness::ended;
    std::int32_t priority = 0;  // higher first; among equals the lower id
  };
  static constexpr std::int32_t no_place = -1;

  // state: returns the current state of a task by id; called by workers, under their lock.
  TaskQueue(std::int64_t capacity, std::function<EntryState(std::int64_t id)> state);

  // ---- For callers ----

  // Returns no_place if `capacity` tasks have one. Wakes no thread.
  std::int32_t try_admit();
  // Called when the place's task has ended.
  void release_place(std::int32_t place);
  std::int64_t live() const noexcept { return live_.load(); }
  std::int64_t capacity() const noexcept { return published_.capacity(); }
  // Workers may take the place's task from now on. No effect if it has lost the place meanwhile. Ids are positive and increase.
  void publish(std::int32_t place, std::int64_t id);
  // Called when gates may have opened.
  void recheck_gates() noexcept;
  void wake() noexcept { entries_.wake_all(); }

  // ---- For workers ----

  // Returns the next ready id; its task may have ended since. Returns 0 if none is ready and stop() is true: call wake() when
  // that may have changed.
  std::int64_t pop(const std::function<bool()>& stop);

  // For tests: the number of entries, including ended tasks.
  std::int64_t size() const;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::int32_t priority = 0;
  };
  static bool has_lower_priority(const Entry& a, const Entry& b) noexcept;

  // Called with order_ held.
  Readiness add_by_state(std::int64_t id);  // adds ready tasks to ready_
  bool recheck_blocked();                   // returns true if some are no longer blocked
  bool take_published();                    // returns true if some are ready
  void update_order();
  void remove_ended();
  std::int64_t try_pop();

  std::function<EntryState(std::int64_t)> state_of_;

  std::atomic<std::int64_t> live_{0};
  base::MpmcQueue<std::int32_t> free_;
  base::MpmcQueue<std::int32_t> published_;
  std::vector<std::atomic<std::int64_t>> published_ids_;  // by place; 0: not in published_
  std::atomic<std::uint64_t> gates_{0};                   // incremented when gates may have opened
  base::WaitPoint entries_;

  mutable std::mutex order_;
  std::vector<Entry> ready_;  // a heap
  std::vector<std::int64_t> blocked_;
  std::uint64_t checked_gates_ = 0;  // gates_ at the last check of the held tasks
};

}  // namespace ckpt::async
