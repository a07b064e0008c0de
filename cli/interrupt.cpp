#include "interrupt.h"

#include <csignal>

namespace ckpt::cli {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = 1;
  (void)std::signal(signal, SIG_DFL);
}

}  // namespace

void note_interrupts(bool terminate) {
  (void)std::signal(SIGINT, note);
  if (terminate) (void)std::signal(SIGTERM, note);
}

bool interrupted() { return noted != 0; }

}  // namespace ckpt::cli
