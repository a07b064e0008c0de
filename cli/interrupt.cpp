#include "interrupt.h"

#include <csignal>

namespace ckpt::cli {
namespace {

volatile std::sig_atomic_t is_interrupted = 0;

extern "C" void set_interrupted(int signal) {
  is_interrupted = 1;
  (void)std::signal(signal, SIG_DFL);
}

}  // namespace

void watch_interrupts(bool terminate) {
  (void)std::signal(SIGINT, set_interrupted);
  if (terminate) (void)std::signal(SIGTERM, set_interrupted);
}

bool interrupted() { return is_interrupted != 0; }

}  // namespace ckpt::cli
