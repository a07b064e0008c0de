// Finds the path at which a rename replaces a file of the caller. A rename to the given path would replace links and devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ckpt::storage {

struct Target {
  std::string directory;              // "." where the path has none
  std::string name;                   // of the file in it, which is regular or does not exist
  std::optional<std::uint32_t> mode;  // permission bits of the file that exists
};

// Follows symbolic links, also to a file that does not exist yet. Error(invalid_argument) names the path and what it is when that
// is neither a regular file nor nothing.
Target target_of(const std::string& path);

}  // namespace ckpt::storage
