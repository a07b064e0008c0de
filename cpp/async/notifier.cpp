#include "async/notifier.h"

#include <new>
#include <utility>

#include "base/entered.h"

namespace ckpt::async {

Notifier::Notifier(std::shared_ptr<TaskListener> listener, const void* mark, std::function<void(Task&)> notified)
    : listener_(std::move(listener)), mark_(mark), notified_(std::move(notified)) {}

void Notifier::notify(Task& task, When when) {
  if (when == When::later && defer(task)) return;
  if (!task.begin_notifying()) return;
  const base::Entered entered(mark_);
  while (const auto event = task.next()) {
    if (listener_ != nullptr) notify_of(task, *event, *listener_);
    if (task.options.listener != nullptr) notify_of(task, *event, *task.options.listener);
    if (*event == Task::Event::ended) notified_(task);
  }
}

// Returns false if out of memory.
bool Notifier::defer(Task& task) noexcept {
  if (task.is_deferred.exchange(true)) return true;
  try {
    later_.push(task.shared_from_this());
    return true;
  } catch (const std::bad_alloc&) {
    task.is_deferred.store(false);
    return false;
  }
}

void Notifier::notify_of(const Task& task, Task::Event event, TaskListener& listener) {
  switch (event) {
    case Task::Event::staged: listener.staged(task.id, task.stall_ns.load()); return;
    case Task::Event::progress: listener.progress(task.id, task.done_bytes.load(), task.total_bytes.load()); return;
    case Task::Event::ended: listener.ended(task.result());
  }
}

}  // namespace ckpt::async
