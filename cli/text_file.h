// Text that the command reads whole.
#pragma once

#include <string>

namespace ckpt::cli {

// Throws std::runtime_error that names the file when it is missing, a directory, or no text: at the first NUL byte, so that files
// of holes and endless devices end there.
std::string read_text_file(const std::string& path);

}  // namespace ckpt::cli
