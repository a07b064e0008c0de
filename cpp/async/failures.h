// The tasks that failed and that no caller has seen fail: each is reported once, the oldest first. Synchronised.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>

#include "base/error.h"

namespace ckpt::async {

class Failures {
 public:
  // id: of the task; the lower one is the older.
  void add(std::int64_t id, base::Error error);
  // A caller has seen how this task ended.
  void forget(std::int64_t id);
  // The oldest one, which is reported now; its message tells how many more there are.
  std::optional<base::Error> take();

 private:
  std::mutex mutex_;
  std::map<std::int64_t, base::Error> unseen_;  // by id
};

}  // namespace ckpt::async
