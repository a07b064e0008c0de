// Ctrl-C and SIGTERM as a question that the training loop asks.
#pragma once

namespace ckpt::cli {

// From now on the first Ctrl-C is only noted, and the first SIGTERM if terminate says so; a second one ends the process as usual.
void note_interrupts(bool terminate);
bool interrupted();

}  // namespace ckpt::cli
