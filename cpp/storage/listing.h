// The entries of a directory of the file system.
#pragma once

#include <string>
#include <vector>

#include "storage/descriptor.h"
#include "storage/storage.h"

namespace ckpt::storage {

// Sorted by name, without "." and "..". descriptor: of a directory, open for reading. shown: its path for messages.
std::vector<Entry> list_directory(Descriptor descriptor, const std::string& shown);

}  // namespace ckpt::storage
