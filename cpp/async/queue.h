// Who has a place among the live tasks, and which of them a worker takes next. Synchronised.
//
// Callers and workers meet in lock-free queues alone. A place is a number; as many as the capacity says lie in the queue of free
// ones at first. A caller admits a task by taking one and gives it back when the task ends: each number is in that queue or belongs
// to one task. To hand a task over is to write its id to its place and, when nothing was written there, to push the number to the
// queue of those handed over: each number is in that queue at most once. So both queues have room for whatever comes, a dead task's
// entry is overwritten by the next one in its place, and no caller touches the workers' order.
//
// The workers take the numbers and put the tasks in order, those whose gate is closed aside, under a lock that they alone take.
// There, nothing is removed from the middle: what died stays until a worker meets it, or too many lie there.
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
  enum class Fate : std::uint8_t { dead, held, ready };
  // How a task stands that was handed over.
  struct Standing {
    Fate fate = Fate::dead;
    std::int32_t priority = 0;  // the higher one goes first, and of equals the lower id
  };
  static constexpr std::int32_t no_place = -1;

  // standing: of the task of an id, now; asked by workers, under their lock.
  TaskQueue(std::int64_t capacity, std::function<Standing(std::int64_t id)> standing);

  // ---- For callers ----

  // no_place when as many tasks as capacity says have one. Wakes no thread.
  std::int32_t try_admit();
  // The task there has ended.
  void give_back(std::int32_t place);
  std::int64_t live() const noexcept { return live_.load(); }
  std::int64_t capacity() const noexcept { return handed_.capacity(); }
  // Workers may take the task that has the place. Nothing when it has lost it meanwhile. Ids are positive and grow.
  void hand_over(std::int32_t place, std::int64_t id);
  // Gates may have opened.
  void look_again() noexcept;
  void wake() noexcept { entries_.wake_all(); }

  // ---- For workers ----

  // The next id that is ready; it may have died since. 0 when there is none and stop() is true: call wake() when that may have
  // changed.
  std::int64_t pop(const std::function<bool()>& stop);

  // For tests: entries inside, dead ones included.
  std::int64_t size() const;

 private:
  struct Entry {
    std::int64_t id = 0;
    std::int32_t priority = 0;
  };
  static bool goes_later(const Entry& a, const Entry& b) noexcept;

  // Under order_.
  Fate sort_in(std::int64_t id);  // ready ones into ready_
  bool look_at_held();            // true when some are held no more
  bool take_over();               // true when some are ready
  void put_in_order();
  void sort_out();
  std::int64_t try_pop();

  std::function<Standing(std::int64_t)> standing_;

  std::atomic<std::int64_t> live_{0};
  base::MpmcQueue<std::int32_t> free_;
  base::MpmcQueue<std::int32_t> handed_;
  std::vector<std::atomic<std::int64_t>> handed_ids_;  // by place; 0: not in handed_
  std::atomic<std::uint64_t> gates_{0};                // grows when gates may have opened
  base::WaitPoint entries_;

  mutable std::mutex order_;
  std::vector<Entry> ready_;  // a heap
  std::vector<std::int64_t> held_;
  std::uint64_t looked_ = 0;  // gates_ when the held ones were last looked at
};

}  // namespace ckpt::async
