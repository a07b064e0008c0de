// Notifies listeners of their tasks: on the current thread, or on a separate one if the current thread holds a lock or is inside
// a callback. Thread-safe.
#pragma once

#include <functional>
#include <memory>

#include "async/task.h"
#include "async/task_fifo.h"

namespace ckpt::async {

enum class When : std::uint8_t { now, later };

class Notifier {
 public:
  // listener: of all tasks, may be nullptr. mark: entered by threads that call listeners. notified: runs when a task's listeners
  // were notified of its end.
  Notifier(std::shared_ptr<TaskListener> listener, const void* mark, std::function<void(Task&)> notified);

  // Delivers the task's posted events. When::now: unless another thread is delivering events of this task; that thread then also
  // delivers the new ones.
  void notify(Task& task, When when);
  // Delivers deferred events until over() is true and none are left; call wake() then.
  template <class Over>
  void serve(const Over& over) {
    while (const auto task = later_.take(over)) {
      task->is_deferred.store(false);
      notify(*task, When::now);
    }
  }
  void wake() noexcept { later_.wake(); }

 private:
  bool defer(Task& task) noexcept;
  static void notify_of(const Task& task, Task::Event event, TaskListener& listener);

  const std::shared_ptr<TaskListener> listener_;
  const void* const mark_;
  const std::function<void(Task&)> notified_;
  TaskFifo later_;
};

}  // namespace ckpt::async
