// Storage in a directory of the file system (POSIX). All descriptors are closed on exec.
#pragma once

#include <memory>
#include <string>

#include "storage/storage.h"

namespace ckpt::storage {

enum class Root { must_exist, make };

// root: a directory, by any path (links in it are followed: it is the caller's own). Root::make makes it and what leads to it,
// durably. The storage holds the directory open: it stays the same one when the path is renamed or the process changes directory.
std::shared_ptr<Storage> open_file_system(const std::string& root, Root mode);

// One regular file for reading, by any path of the caller's own; links are followed.
std::unique_ptr<File> open_file(const std::string& path);

}  // namespace ckpt::storage
