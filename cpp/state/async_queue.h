// Which task a worker takes next: bounded lock-free queues of ids, one for each priority. Synchronised.
//
// A queue cannot remove from its middle: a cancelled task's entry stays until a worker meets it, or until the queue is full and the
// next producer sorts the dead entries out, under its lock.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>

#include "base/queue.h"
#include "base/wait_point.h"

namespace ckpt::state {

class TaskQueue {
 public:
  static constexpr std::int32_t priorities = 3;

  // most_live: at most so many entries of each priority are alive at a time. is_alive says whether an id still waits.
  TaskQueue(std::int64_t most_live, std::function<bool(std::int64_t id)> is_alive);

  // priority: 0 .. priorities-1, the last goes first.
  void push(std::int64_t id, std::int32_t priority);
  // The next id; it may have died since. 0 when there is none and stop() is true: call wake() when that may have changed.
  std::int64_t pop(const std::function<bool()>& stop);
  void wake() noexcept { entries_.wake_all(); }

  // Entries inside, dead ones included.
  std::int64_t size() const;

 private:
  using Lane = base::MpmcQueue<std::int64_t>;
  void compact(Lane& lane);
  std::int64_t try_pop();

  std::function<bool(std::int64_t)> is_alive_;
  std::array<std::unique_ptr<Lane>, priorities> lanes_;
  std::mutex producers_;
  std::mutex consumers_;  // held by a consumer for one pop, and while entries are sorted out: their order stays what it was
  base::WaitPoint entries_;
};

}  // namespace ckpt::state
