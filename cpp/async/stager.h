// Copies the bytes of saves from the tensors: on the saving thread, with a pool, or on a separate thread. Thread-safe.
#pragma once

#include <cstdint>
#include <memory>

#include "async/arena.h"
#include "async/staging.h"
#include "async/tasks.h"
#include "base/thread_pool.h"

namespace ckpt::async {

class Stager {
 public:
  // threads: number that copy for one save; 0: the processors available to this process, at most 4. prepare_bytes of the memory
  // are touched now. make: as in Arena.
  Stager(Tasks& tasks, std::int64_t staging_bytes, std::int64_t prepare_bytes, std::int32_t threads, MakeBlock make);

  // Prepares the bytes of a task that is not in the table yet. source: empty for memory.
  void prepare(Task& task, state::State whole, TensorSource source) const;
  // Stages an admitted save according to its mode, and publishes it to the workers.
  void stage(const std::shared_ptr<Task>& task);
  // The function of the thread that stages deferred saves.
  void serve();

  std::int64_t allocated_bytes() const { return arena_->allocated_bytes(); }

 private:
  void copy(Task& task, Staging& staging, base::ThreadPool* pool, bool publish_first);

  Tasks& tasks_;
  const std::shared_ptr<Arena> arena_;
  base::ThreadPool pool_;
};

}  // namespace ckpt::async
