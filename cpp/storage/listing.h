// Lists a directory of the file system.
#pragma once

#include <string>
#include <vector>

#include "storage/descriptor.h"
#include "storage/storage.h"

namespace ckpt::storage {

// Returns the entries sorted by name, without "." and "..". descriptor: a directory opened for reading. shown: its path for
// messages.
std::vector<Entry> list_directory(Descriptor descriptor, const std::string& shown);

}  // namespace ckpt::storage
