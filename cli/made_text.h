// A text to train on where none is given.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// bytes of simple sentences, the same on every machine. Something can be learned of them: words, their order, and which of them
// agree.
std::string made_text(std::int64_t bytes);

}  // namespace ckpt::cli
