#include "base/os/signals.h"

#include <pthread.h>

#include <initializer_list>

namespace ckpt::base {

SignalsBlocked::SignalsBlocked() noexcept {
  sigset_t program;
  sigemptyset(&program);
  for (const int signal : {SIGHUP, SIGINT, SIGQUIT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGVTALRM, SIGCHLD, SIGCONT, SIGWINCH,
                           SIGPIPE, SIGIO, SIGURG, SIGTSTP, SIGTTIN, SIGTTOU}) {
    sigaddset(&program, signal);
  }
  is_blocked_ = pthread_sigmask(SIG_BLOCK, &program, &before_) == 0;
}

SignalsBlocked::~SignalsBlocked() {
  if (is_blocked_) pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

}  // namespace ckpt::base
