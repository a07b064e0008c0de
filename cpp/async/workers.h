// What workers do with tasks: they write saves, with checksums made by another thread, and load. Each worker is one thread's.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "async/hash_lane.h"
#include "async/tasks.h"
#include "state/manager/checkpoint.h"
#include "storage/rate_limit.h"

namespace ckpt::async {

class Workers {
 public:
  // bytes_per_second: 0 for no limit. nice: of the threads that make checksums.
  Workers(Tasks& tasks, std::shared_ptr<state::Checkpoint> checkpoint, std::int32_t count, std::int64_t bytes_per_second,
          std::int32_t nice);

  std::size_t count() const noexcept { return lanes_.size(); }
  // What the thread of one worker does.
  void serve(std::size_t worker);

 private:
  void run(Task& task, HashLane& lane);
  TaskResult save(Task& task, HashLane& lane);
  TaskResult load(Task& task);

  Tasks& tasks_;
  const std::shared_ptr<state::Checkpoint> checkpoint_;
  std::shared_ptr<storage::RateLimit> limit_;  // nullptr: none
  std::vector<std::unique_ptr<HashLane>> lanes_;
};

}  // namespace ckpt::async
