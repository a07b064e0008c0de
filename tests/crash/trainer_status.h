// What a trainer is doing, in a page that outlives it.
#pragma once

#include <atomic>
#include <cstdint>

namespace ckpt::tests {

struct TrainerStatus {
  std::atomic<std::int64_t> operations = 0;  // of its storage that change something, begun
  std::atomic<std::int64_t> in_save = 0;
  std::atomic<std::int64_t> first_step = 0;    // at which it resumed
  std::atomic<std::int64_t> acknowledged = 0;  // the last step whose save returned; stays from one process to the next
};

}  // namespace ckpt::tests
