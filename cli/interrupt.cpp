#include "interrupt.h"

#include <csignal>

namespace ckpt::cli {
namespace {

volatile std::sig_atomic_t noted = 0;

extern "C" void note(int signal) {
  noted = 1;
  std::signal(signal, SIG_DFL);
}

}  // namespace

void note_interrupts(bool terminate) {
  std::signal(SIGINT, note);
  if (terminate) std::signal(SIGTERM, note);
}

bool interrupted() { return noted != 0; }

}  // namespace ckpt::cli
