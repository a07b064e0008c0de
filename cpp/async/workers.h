// Executes tasks: writes saves, with checksums from another thread, and loads. Each worker is used by one thread.
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
  // bytes_per_second: 0 for unlimited. nice: of the checksum threads.
  Workers(Tasks& tasks, std::shared_ptr<state::Checkpoint> checkpoint, std::int32_t count, std::int64_t bytes_per_second,
          std::int32_t nice);

  std::size_t count() const noexcept { return lanes_.size(); }
  // The function of one worker's thread.
  void serve(std::size_t worker);

 private:
  void run(Task& task, HashLane& lane);
  TaskResult save(Task& task, HashLane& lane);
  TaskResult load(Task& task);

  Tasks& tasks_;
  const std::shared_ptr<state::Checkpoint> checkpoint_;
  std::shared_ptr<storage::RateLimit> limit_;  // nullptr: unlimited
  std::vector<std::unique_ptr<HashLane>> lanes_;
};

}  // namespace ckpt::async
