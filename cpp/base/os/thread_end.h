// What runs when a thread ends. A thread_local object with a destructor ends the program instead when memory is short as the thread
// uses it first: the C library cannot note the destructor then.
#pragma once

#include <pthread.h>

namespace ckpt::base {

class ThreadEnd {
 public:
  // run: with what arrange was given, on the thread that ends; not on the main thread when the process ends. Made before main, and
  // never destroyed.
  explicit ThreadEnd(void (*run)(void* value)) noexcept : is_made_(pthread_key_create(&key_, run) == 0) {}
  ThreadEnd(const ThreadEnd&) = delete;
  ThreadEnd& operator=(const ThreadEnd&) = delete;

  // For the calling thread, in the place of what was arranged before; nullptr: nothing. False when there is no memory for it.
  [[nodiscard]] bool arrange(void* value) noexcept { return is_made_ && pthread_setspecific(key_, value) == 0; }

 private:
  pthread_key_t key_{};
  const bool is_made_;
};

}  // namespace ckpt::base
