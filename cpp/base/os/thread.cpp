#include "base/os/thread.h"

#include <pthread.h>
#include <sys/resource.h>

#include <atomic>
#include <utility>

#include "base/error.h"
#include "base/hooks.h"
#include "base/log.h"
#include "base/os/signals.h"

namespace ckpt::base {
namespace {

std::atomic<std::uint64_t> generation{0};

// Registered at load: a fork before the first Thread loses no threads.
[[maybe_unused]] const int registered = pthread_atfork(hold_thread_hooks, release_thread_hooks, [] {
  generation.fetch_add(1, std::memory_order_relaxed);
  restart_thread_hooks();
  restart_log();
});

struct Start {
  std::string name;
  std::function<void()> body;
  ThreadHookScope hooks;

  Start(std::string thread_name, std::function<void()> thread_body)
      : name(std::move(thread_name)), body(std::move(thread_body)), hooks(name) {}
};

void* run(void* argument) {
  const std::unique_ptr<Start> start(static_cast<Start*>(argument));
  pthread_setname_np(pthread_self(), start->name.substr(0, 15).c_str());
  start->hooks.enter();
  start->body();
  return nullptr;
}

}  // namespace

struct Thread::Native {
  pthread_t id{};
};

std::uint64_t fork_generation() noexcept { return generation.load(std::memory_order_relaxed); }

void lower_priority(std::int32_t nice) noexcept {
#if defined(__linux__)
  // Affects only the calling thread, contrary to POSIX: setpriority(2), "C library/kernel differences".
  if (nice > 0) ::setpriority(PRIO_PROCESS, 0, ::getpriority(PRIO_PROCESS, 0) + nice);
#else
  static_cast<void>(nice);
#endif
}

Thread::Thread(std::string name, std::function<void()> body) : native_(std::make_unique<Native>()), generation_(fork_generation()) {
  auto start = std::make_unique<Start>(std::move(name), std::move(body));
  const int error = [&] {
    const SignalsBlocked blocked;
    return pthread_create(&native_->id, nullptr, run, start.get());
  }();
  if (error != 0) {
    fail(Status::out_of_memory, "the system could not create thread '", start->name, "' (error ", error, ")");
  }
  static_cast<void>(start.release());  // the thread owns it now
}

Thread::~Thread() { join(); }

void Thread::join() {
  if (joined_ || generation_ != fork_generation()) return;
  joined_ = true;
  pthread_join(native_->id, nullptr);
}

void Thread::detach() {
  if (joined_ || generation_ != fork_generation()) return;
  joined_ = true;
  pthread_detach(native_->id);
}

bool Thread::is_current() const noexcept { return pthread_equal(native_->id, pthread_self()) != 0; }

}  // namespace ckpt::base
