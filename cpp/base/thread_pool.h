// A fixed set of threads that process numbered parts. Thread-safe.
//
// Threads take part numbers from a counter, so the assignment of parts to threads varies. A computation that must produce the
// same bits everywhere derives its parts from its shape alone, and each part writes only its own output.
#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

namespace ckpt::base {

class ThreadPool {
 public:
  // threads: 1 .. 1024, including the calling thread; 0 uses available_threads().
  explicit ThreadPool(std::int32_t threads);
  ~ThreadPool();
  ThreadPool(const ThreadPool&) = delete;
  ThreadPool& operator=(const ThreadPool&) = delete;

  std::int32_t threads() const noexcept;

  // Calls work(part) for 0 <= part < parts and returns when all are done. If parts throw, the remaining ones are skipped and the
  // exception of the lowest part that threw is rethrown here. Allocates nothing unless one throws. If the pool is busy, or the
  // caller is one of its threads, the calling thread works alone. Error(forked) in a forked child.
  template <class Work>
  void run(std::int64_t parts, Work&& work) {
    run_parts(
        parts, [](void* context, std::int64_t part) { (*static_cast<std::remove_reference_t<Work>*>(context))(part); },
        const_cast<void*>(static_cast<const void*>(&work)));
  }

 private:
  using PartFunction = void (*)(void* context, std::int64_t part);
  void run_parts(std::int64_t parts, PartFunction function, void* context);

  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace ckpt::base
