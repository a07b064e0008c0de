// Runs a function when a thread ends. A thread_local object with a destructor terminates the program if memory is short at its
// first use in a thread: the C library cannot register the destructor then.
#pragma once

#include <pthread.h>

namespace ckpt::base {

class ThreadEnd {
 public:
  // run: called on the ending thread with the value given to arrange; not on the main thread at process exit. Objects are
  // constructed before main and never destroyed.
  explicit ThreadEnd(void (*run)(void* value)) noexcept : is_made_(pthread_key_create(&key_, run) == 0) {}
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

  // Sets the value of the calling thread, replacing an earlier one; with nullptr, run is not called. Returns false if out of
  // memory.
  // memory for it.
  [[nodiscard]] bool arrange(void* value) noexcept { return is_made_ && pthread_setspecific(key_, value) == 0; }

 private:
  pthread_key_t key_{};
  const bool is_made_;
};

}  // namespace ckpt::base
