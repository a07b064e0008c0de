// The tasks that failed and that no caller has seen fail: each is reported once, the oldest first. Synchronised.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace ckpt::async {

class Failures {
 public:
  // sequence: the lower one is the older.
  void add(std::int64_t sequence, std::int64_t id, base::Error error);
  // A caller has seen how this task ended.
  void forget(std::int64_t id);
  // The oldest one, which is reported now; its message tells how many more there are.
  std::optional<base::Error> take();

 private:
  struct Failure {
    std::int64_t sequence;
    std::int64_t id;
    base::Error error;
  };

  std::mutex mutex_;
  std::deque<Failure> unseen_;
};

}  // namespace ckpt::async
