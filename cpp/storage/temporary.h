// Files that get their last name only when they are whole.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "storage/storage.h"

namespace ckpt::storage {

// Writes a file under a name of its own beside path, syncs it and renames it to path; what had that name is replaced. Several
// writers of one path, in any processes, do not meet: each replaces the file by a whole one, and removes only what it made itself.
// After an error nothing is left, and path is what it was. Durable after sync_directory of path's parent.
void replace_file(Storage& storage, const std::string& path, const StreamOptions& options, const std::function<void(File&)>& write);

// A name beside path, with random digits.
std::string temporary_path(const std::string& path);

}  // namespace ckpt::storage
