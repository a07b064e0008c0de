// Reads a text file as a whole.
#pragma once

#include <string>

namespace ckpt::cli {

// Throws std::runtime_error that names the file if it is missing, a directory, or contains a NUL byte. Stopping at the first NUL
// byte also ends the read of sparse files and endless devices.
std::string read_text_file(const std::string& path);

}  // namespace ckpt::cli
