// Signals in threads that the library starts.
#pragma once

#include <signal.h>

namespace ckpt::base {

// While it exists, threads that the calling thread starts do not run the program's signal handlers; these run on the program's
// own threads. Blocks the signals in the calling thread; the destructor restores its mask. Not blocked: signals that a thread
// raises itself, SIGPROF, and the signals with which runtimes stop threads that run their callbacks: SIGPWR and SIGXCPU (Mono)
// and real-time signals (.NET). Java and current .NET unblock theirs in threads that they attach, Mono does not.
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
