// Signals in threads that are started inside the library.
#pragma once

#include <signal.h>

namespace ckpt::base {

// During its lifetime, threads that the calling thread starts run no signal handlers of the program: these run on the program's own
// threads. Blocks the signals in the calling thread; the destructor restores its mask. Not blocked are signals that a thread causes
// itself, SIGPROF, and those with which runtimes stop threads that run their callbacks: SIGPWR and SIGXCPU (Mono) and real-time
// signals (.NET). Java and current .NET unblock theirs in threads that they attach, Mono does not.
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
