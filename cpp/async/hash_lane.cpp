#include "async/hash_lane.h"

#include <new>

namespace ckpt::async {

HashLane::HashLane(std::int32_t nice)
    : thread_(std::make_unique<base::Thread>("ckpt-hash", [this, nice] {
        base::lower_priority(nice);
        serve();
      })) {}

HashLane::~HashLane() {
  if (generation_ == base::fork_generation()) parts_.close();
}

void HashLane::add(const Part& part) {
  parts_.push(part, -1);
  ++added_;
}

void HashLane::wait_for(std::uint64_t count) {
  progressed_.wait([&] { return done_.load(std::memory_order_acquire) >= count; }, -1);
}

HashLane::Digests HashLane::finish() {
  wait_for(added_);
  Digests digests = FileHasher::finish();
  if (has_failed_.exchange(false)) throw std::bad_alloc();
  return digests;
}

void HashLane::serve() {
  Part part;
  while (parts_.pop(part, -1) == base::QueueResult::done) {
    try {
      hash(part);
    } catch (const std::bad_alloc&) {
      has_failed_.store(true);  // finish() throws it
    }
    done_.fetch_add(1, std::memory_order_release);
    progressed_.wake_all();
  }
}

}  // namespace ckpt::async
