#include "async/failures.h"

#include <algorithm>
#include <utility>

namespace ckpt::async {

void Failures::add(std::int64_t sequence, std::int64_t id, base::Error error) {
  const std::lock_guard lock(mutex_);
  const auto at = std::ranges::upper_bound(unseen_, sequence, {}, &Failure::sequence);
  unseen_.insert(at, {sequence, id, std::move(error)});
}

void Failures::forget(std::int64_t id) {
  const std::lock_guard lock(mutex_);
  std::erase_if(unseen_, [id](const Failure& failure) { return failure.id == id; });
}

std::optional<base::Error> Failures::take() {
  const std::lock_guard lock(mutex_);
  if (unseen_.empty()) return std::nullopt;
  const std::size_t more = unseen_.size() - 1;
  const base::Error& first = unseen_.front().error;
  base::Error out = more == 0 ? first
                              : base::Error(first.status(), base::cat(first.message(), "; ", more,
                                                                      more == 1 ? " more task" : " more tasks", " failed"));
  unseen_.pop_front();
  return out;
}

}  // namespace ckpt::async
