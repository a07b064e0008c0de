// Signals in threads that are started inside the library.
#pragma once

#include <signal.h>

namespace ckpt::base {

// While it lives, the calling thread starts threads that run none of the program's signal handlers: these run on the program's own
// threads. Blocks the signals in the calling thread, and restores its mask at the end. Not blocked are signals that a thread causes
// itself, SIGPROF, and those with which runtimes stop threads that run their callbacks: SIGPWR and SIGXCPU (Mono), real-time
// signals
// (.NET). Java unblocks its own in threads that it attaches.
class SignalsBlocked {
 public:
  SignalsBlocked() noexcept;
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_{};
  bool is_blocked_ = false;
};

}  // namespace ckpt::base
