// Generates the training text when no file is given.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// Returns `bytes` bytes of simple sentences, the same on every machine. They contain structure to learn: words, their order, and
// agreement between words.
std::string generated_text(std::int64_t bytes);

}  // namespace ckpt::cli
