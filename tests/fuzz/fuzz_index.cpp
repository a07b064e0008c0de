// Any bytes as the index of a folder: refused with a specific status, or names that stay inside the folder.
#include <cstdlib>
#include <string>

#include "base/error.h"
#include "state/index.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    for (const auto& [file, tensors] : ckpt::state::parse_index({reinterpret_cast<const char*>(data), size})) {
      const bool leaves = file.empty() || file == "." || file == ".." || file.find('/') != std::string::npos ||
                          file.find('\\') != std::string::npos || file.find('\0') != std::string::npos;
      if (leaves || tensors.empty()) std::abort();
    }
  } catch (const ckpt::base::Error& error) {
    if (error.status() != ckpt::base::Status::corrupt) std::abort();
  }
  return 0;
}
