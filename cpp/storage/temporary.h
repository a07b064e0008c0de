// Writes files under a temporary name and renames them when they are complete.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "storage/storage.h"

namespace ckpt::storage {

// Writes a file under a temporary name next to path, syncs it and renames it to path, which replaces an existing file. Several
// writers of one path, in any processes, do not conflict: each replaces the file by a complete one, and removes only its own
// temporary file. After an error no temporary file remains, and path is unchanged. Durable after sync_directory of path's parent.
void replace_file(Storage& storage, const std::string& path, const StreamOptions& options, const std::function<void(File&)>& write);

// Returns a name next to path, with random digits.
std::string temporary_path(const std::string& path);

}  // namespace ckpt::storage
