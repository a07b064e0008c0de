// Finds the path at which a rename replaces a file of the caller. A rename to the given path would replace links and devices.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ckpt::storage {

struct Target {
  std::string directory;              // "." if the path has none
  std::string name;                   // name of the file in it, a regular file or a free name
  std::optional<std::uint32_t> mode;  // permission bits of the existing file
};

// Follows symbolic links, also to a file that does not exist yet. Error(invalid_argument) names the path and its type if it is
// neither a regular file nor free.
Target target_of(const std::string& path);

}  // namespace ckpt::storage
