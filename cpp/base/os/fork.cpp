#include "base/os/fork.h"

#include <pthread.h>

namespace ckpt::base {

constinit std::atomic<std::uint32_t> detail::process_mark{1};

namespace {

// Registered when the library is loaded, before anything that is locked.
[[maybe_unused]] const int fork_counted = pthread_atfork(nullptr, nullptr, [] {
  // 0 is an open lock's.
  if (++detail::process_mark == 0) ++detail::process_mark;
});

}  // namespace

}  // namespace ckpt::base
