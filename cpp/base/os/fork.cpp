#include "base/os/fork.h"

#include <pthread.h>

namespace ckpt::base {

constinit std::atomic<std::uint32_t> detail::process_mark{1};

namespace {

// Registered at load, before any lock is taken.
[[maybe_unused]] const int fork_counted = pthread_atfork(nullptr, nullptr, [] {
  // 0 means unlocked, so it is skipped.
  if (++detail::process_mark == 0) ++detail::process_mark;
});

}  // namespace

}  // namespace ckpt::base
