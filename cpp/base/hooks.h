// Hooks that run at the start and the end of every thread that the library makes. Synchronised.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ckpt::base {

using ThreadHook = std::function<void(const char* thread_name)>;

// Either hook may be empty. Returns an id for remove_thread_hooks.
std::int64_t add_thread_hooks(ThreadHook start, ThreadHook stop);

// No later thread runs the hooks; returns when every thread that ran start has run stop. Error(not_found) for an unknown id,
// Error(invalid_state) on a thread that runs hooks itself: it would wait for itself.
void remove_thread_hooks(std::int64_t id);

// Held by a library thread for its whole life: runs the start hooks now, and the stop hooks of the same sets in reverse at the end.
class ThreadHookScope {
 public:
  explicit ThreadHookScope(std::string thread_name);
  ~ThreadHookScope();
  ThreadHookScope(const ThreadHookScope&) = delete;
  ThreadHookScope& operator=(const ThreadHookScope&) = delete;

 private:
  std::string thread_name_;
  std::vector<std::shared_ptr<struct ThreadHookSet>> sets_;
};

}  // namespace ckpt::base
