// A FIFO queue of tasks for one thread. Thread-safe.
#pragma once

#include <deque>
#include <memory>
#include <mutex>

#include "async/task.h"
#include "base/wait_point.h"

namespace ckpt::async {

class TaskFifo {
 public:
  void push(std::shared_ptr<Task> task) {
    {
      const std::lock_guard lock(mutex_);
      tasks_.push_back(std::move(task));
    }
    changed_.wake_all();
  }

  // Waits for the next task; returns nullptr if there is none and over() is true. Call wake() when over() may have changed.
  template <class Over>
  std::shared_ptr<Task> take(const Over& over) {
    std::shared_ptr<Task> task;
    changed_.wait(
        [&] {
          const bool is_over = over();  // checked first: everything added before it became true is then found
          const std::lock_guard lock(mutex_);
          if (!tasks_.empty()) {
            task = std::move(tasks_.front());
            tasks_.pop_front();
          }
          return task != nullptr || is_over;
        },
        -1);
    return task;
  }

  void wake() noexcept { changed_.wake_all(); }

 private:
  std::mutex mutex_;
  std::deque<std::shared_ptr<Task>> tasks_;
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
