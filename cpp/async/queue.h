// Which task a worker takes next. Callers hand entries over through a bounded lock-free queue; the workers put them in order, those
// whose gate is closed aside, under a lock of their own. A caller who finds the hand-over full does that work for them.
// Synchronised.
//
// Nothing is removed from the middle: the entry of a task that was cancelled stays until a worker meets it or entries are sorted
// out.
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
  struct Entry {
    std::int64_t id = 0;
    std::int64_t sequence = 0;  // of equal priorities the lower one goes first
    std::int32_t priority = 0;  // the higher one goes first
    bool is_gated = false;      // its fate may be held
  };
  enum class Fate { dead, held, ready };

  // most_live: about so many entries are alive at a time. fate: of an entry's task, now; asked under the workers' lock.
  TaskQueue(std::int64_t most_live, std::function<Fate(std::int64_t id)> fate);

  void push(const Entry& entry);
  // The next id that is ready; it may have died since. 0 when there is none and stop() is true: call wake() when that may have
  // changed.
  std::int64_t pop(const std::function<bool()>& stop);
  void wake() noexcept { entries_.wake_all(); }
  // Gates may have opened.
  void look_again() noexcept;

  // Entries inside, dead ones included.
  std::int64_t size() const;

 private:
  // Under mutex_.
  void add_ready(const Entry& entry);
  void look_at_held();
  void take_over();
  void sort_out();
  std::int64_t try_pop();

  std::function<Fate(std::int64_t)> fate_;
  base::MpmcQueue<Entry> handed_;
  std::atomic<std::uint64_t> gates_{0};  // grows when gates may have opened
  mutable std::mutex mutex_;
  std::vector<Entry> ready_;  // a heap
  std::vector<Entry> held_;
  std::uint64_t looked_ = 0;  // gates_ when the held ones were last looked at
  std::size_t sort_out_at_;
  base::WaitPoint entries_;
};

}  // namespace ckpt::async
