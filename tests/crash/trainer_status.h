// The progress of a trainer, in a page that outlives it.
#pragma once

#include <atomic>
#include <cstdint>

namespace ckpt::tests {

struct TrainerStatus {
  std::atomic<std::int64_t> operations = 0;  // number of started storage operations that change something
  std::atomic<std::int64_t> in_save = 0;
  std::atomic<std::int64_t> first_step = 0;    // the step at which it resumed
  std::atomic<std::int64_t> acknowledged = 0;  // the last step with a save that returned; kept across processes
};

}  // namespace ckpt::tests
