#include "async/table.h"

#include <utility>

namespace ckpt::async {

void TaskTable::add(const std::shared_ptr<Task>& task) {
  const std::lock_guard lock(mutex_);
  task->id = last_id_ + 1;
  current_.emplace(task->id, Known{task});
  ++last_id_;
}

void TaskTable::note_notified(Task& task) {
  ById::node_type evicted;  // destroyed after the lock: the destructor may run user code
  const std::lock_guard lock(mutex_);
  ended_.insert(current_.extract(task.id));
  (ended_.size() == 1 ? first_ended_ : ended_.at(last_ended_).ended_next) = task.id;
  last_ended_ = task.id;
  task.set_notified();
  if (static_cast<std::int64_t>(ended_.size()) <= history_) return;
  evicted = ended_.extract(first_ended_);
  first_ended_ = evicted.mapped().ended_next;
}

const TaskTable::Known* TaskTable::known_of(std::int64_t id) const {
  for (const ById* const tasks : {&current_, &ended_}) {
    if (const auto found = tasks->find(id); found != tasks->end()) return &found->second;
  }
  return nullptr;
}

std::shared_ptr<Task> TaskTable::find(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  const Known* const known = known_of(id);
  return known == nullptr ? nullptr : known->task;
}

std::vector<std::shared_ptr<Task>> TaskTable::live() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Task>> tasks;
  for (const auto& [id, known] : current_) {
    if (!known.task->has_ended()) tasks.push_back(known.task);
  }
  return tasks;
}

std::shared_ptr<Task> TaskTable::live_after(std::int64_t id) const {
  const std::lock_guard lock(mutex_);
  for (auto known = current_.upper_bound(id); known != current_.end(); ++known) {
    if (!known->second.task->has_ended()) return known->second.task;
  }
  return nullptr;
}

std::vector<std::shared_ptr<Task>> TaskTable::not_notified() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Task>> tasks;
  for (const auto& [id, known] : current_) tasks.push_back(known.task);
  return tasks;
}

std::vector<std::shared_ptr<Task>> TaskTable::ended() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Task>> tasks;
  tasks.reserve(ended_.size());
  for (std::int64_t id = first_ended_; id != 0;) {
    const Known& known = ended_.at(id);
    tasks.push_back(known.task);
    id = known.ended_next;
  }
  return tasks;
}

std::int64_t TaskTable::size() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(current_.size() + ended_.size());
}

// ---- Failures ----

namespace {

base::Error unnamed_failure() {
  return {base::Status::out_of_memory, "a background task failed, without memory to store its reason"};
}

}  // namespace

bool Failures::add(std::int64_t id, base::Error error) {
  const std::lock_guard lock(mutex_);
  return unseen_.emplace(id, std::move(error)).second;
}

void Failures::add_unnamed() noexcept {
  const std::lock_guard lock(mutex_);
  ++unnamed_;
}

void Failures::remove(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  unseen_.erase(id);
}

std::optional<base::Error> Failures::take() {
  const std::lock_guard lock(mutex_);
  auto first = first_of_all();
  if (!unseen_.empty()) {
    unseen_.erase(unseen_.begin());
  } else if (first) {
    --unnamed_;
  }
  return first;
}

std::optional<base::Error> Failures::oldest() const {
  const std::lock_guard lock(mutex_);
  return first_of_all();
}

std::optional<base::Error> Failures::first_of_all() const {
  if (count() == 0) return std::nullopt;
  const base::Error first = unseen_.empty() ? unnamed_failure() : unseen_.begin()->second;
  const std::size_t more = count() - 1;
  if (more == 0) return first;
  return base::Error(first.status(), base::cat(first.message(), "; ", more, more == 1 ? " more task" : " more tasks", " failed"));
}

std::vector<base::Error> Failures::take_all() {
  std::vector<base::Error> all;
  const std::lock_guard lock(mutex_);
  all.reserve(count());
  for (auto& [id, error] : unseen_) all.push_back(error);
  while (all.size() < count()) all.push_back(unnamed_failure());
  unseen_.clear();
  unnamed_ = 0;
  return all;
}

state::Unreported Failures::left() const {
  const std::lock_guard lock(mutex_);
  const auto oldest = first_of_all();
  if (!oldest) return {};
  return {static_cast<std::int64_t>(count()), oldest->status(),
          unseen_.empty() ? oldest->message() : unseen_.begin()->second.message()};
}

}  // namespace ckpt::async
