#include "async/telling.h"

#include <new>
#include <utility>

#include "base/entered.h"

namespace ckpt::async {

Telling::Telling(std::shared_ptr<TaskListener> listener, const void* mark, std::function<void(Task&)> told)
    : listener_(std::move(listener)), mark_(mark), told_(std::move(told)) {}

void Telling::tell(Task& task, When when) {
  if (when == When::later && hand_over(task)) return;
  if (!task.begin_telling()) return;
  const base::Entered entered(mark_);
  while (const auto event = task.next()) {
    if (listener_ != nullptr) tell_of(task, *event, *listener_);
    if (task.options.listener != nullptr) tell_of(task, *event, *task.options.listener);
    if (*event == Task::Event::ended) told_(task);
  }
}

// False when there is no memory for it.
bool Telling::hand_over(Task& task) noexcept {
  if (task.is_handed_over.exchange(true)) return true;
  try {
    later_.push(task.shared_from_this());
    return true;
  } catch (const std::bad_alloc&) {
    task.is_handed_over.store(false);
    return false;
  }
}

void Telling::tell_of(const Task& task, Task::Event event, TaskListener& listener) {
  switch (event) {
    case Task::Event::staged: listener.staged(task.id, task.stall_ns.load()); return;
    case Task::Event::progress: listener.progress(task.id, task.done_bytes.load(), task.total_bytes); return;
    case Task::Event::ended: listener.ended(task.result());
  }
}

}  // namespace ckpt::async
