// Notifies listeners of their tasks: on the thread where it happens, or on one of its own where that thread holds a lock or is
// inside a callback. Synchronised.
#pragma once

#include <functional>
#include <memory>

#include "async/mailbox.h"
#include "async/task.h"

namespace ckpt::async {

enum class When : std::uint8_t { now, later };

class Notifier {
 public:
  // listener: of all tasks, may be nullptr. mark: what threads enter that call listeners. notified: runs when a task's listeners
  // know of its end.
  Notifier(std::shared_ptr<TaskListener> listener, const void* mark, std::function<void(Task&)> notified);

  // Of what was posted to the task. Now: unless another thread is notifying of this task, which then goes on with what is new.
  void notify(Task& task, When when);
  // Reports what was left for later until over() is true and nothing is left: wake() then.
  template <class Over>
  void serve(const Over& over) {
    while (const auto task = later_.take(over)) {
      task->is_handed_over.store(false);
      notify(*task, When::now);
    }
  }
  void wake() noexcept { later_.wake(); }

 private:
  bool hand_over(Task& task) noexcept;
  static void notify_of(const Task& task, Task::Event event, TaskListener& listener);

  const std::shared_ptr<TaskListener> listener_;
  const void* const mark_;
  const std::function<void(Task&)> notified_;
  Mailbox later_;
};

}  // namespace ckpt::async
