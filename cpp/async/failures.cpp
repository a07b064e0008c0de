#include "async/failures.h"

#include <utility>

namespace ckpt::async {

void Failures::add(std::int64_t id, base::Error error) {
  const std::lock_guard lock(mutex_);
  unseen_.emplace(id, std::move(error));
}

void Failures::forget(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  unseen_.erase(id);
}

std::optional<base::Error> Failures::take() {
  const std::lock_guard lock(mutex_);
  if (unseen_.empty()) return std::nullopt;
  const base::Error first = std::move(unseen_.extract(unseen_.begin()).mapped());
  const std::size_t more = unseen_.size();
  if (more == 0) return first;
  return base::Error(first.status(), base::cat(first.message(), "; ", more, more == 1 ? " more task" : " more tasks", " failed"));
}

}  // namespace ckpt::async
