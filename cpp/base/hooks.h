// Hooks that run at the start and the end of every thread that the library creates. Thread-safe.
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

// Unregisters the hooks and returns when every thread that ran start has run stop. Fails with Error(not_found) for an unknown id,
// and with Error(invalid_state) on a thread that runs hooks: it would wait for itself.
void remove_thread_hooks(std::int64_t id);

// Fork handlers: lock the registry around fork() and unlock it in the parent. In the child, where no other thread exists, no
// thread counts as having run a hook.
void hold_thread_hooks();
void release_thread_hooks();
void restart_thread_hooks();

// The hooks of one library thread. Constructed by the thread's creator, so that the thread itself cannot fail; entered on the
// thread. The destructor runs the stop hooks on the thread, in reverse order.
class ThreadHookScope {
 public:
  explicit ThreadHookScope(std::string thread_name);
  ~ThreadHookScope();
  // Runs the start hooks.
  void enter() noexcept;
  ThreadHookScope(const ThreadHookScope&) = delete;
  ThreadHookScope& operator=(const ThreadHookScope&) = delete;

 private:
  std::string thread_name_;
  std::uint64_t generation_;
  bool entered_ = false;
  std::vector<std::shared_ptr<struct ThreadHookSet>> sets_;
};

}  // namespace ckpt::base
