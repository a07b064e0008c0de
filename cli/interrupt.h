// Ctrl-C and SIGTERM as a question that the training loop asks.
#pragma once

namespace ckpt::cli {

// From now on the first of these signals is only noted; a second one ends the process as usual.
void note_interrupts();
bool interrupted();

}  // namespace ckpt::cli
