// Turns Ctrl-C and SIGTERM into a flag that the training loop checks.
#pragma once

namespace ckpt::cli {

// From now on the first Ctrl-C and, with terminate, the first SIGTERM only set the flag; a second one ends the process as usual.
void watch_interrupts(bool terminate);
bool interrupted();

}  // namespace ckpt::cli
