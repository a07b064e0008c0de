// Takes the bytes of saves out of the tensors: on the thread that saves, with a pool to help, or on a thread of its own.
// Synchronised.
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
  // threads: that copy for one save; 0: what this process may use, at most 4. prepare_bytes of the memory are touched now.
  // make: as Arena's.
  Stager(Tasks& tasks, std::int64_t staging_bytes, std::int64_t prepare_bytes, std::int32_t threads, MakeBlock make);

  // Gives the task, which is not in the table yet, the bytes that it will save. source: empty for memory.
  void prepare(Task& task, state::State whole, TensorSource source) const;
  // Does for an admitted save what its mode says, and sees to it that a worker gets it.
  void stage(const std::shared_ptr<Task>& task);
  // What the thread does that stages deferred saves.
  void serve();

  std::int64_t allocated_bytes() const { return arena_->allocated_bytes(); }

 private:
  void copy(Task& task, Staging& staging, base::ThreadPool* pool, bool hand_over_first);

  Tasks& tasks_;
  const std::shared_ptr<Arena> arena_;
  base::ThreadPool pool_;
};

}  // namespace ckpt::async
