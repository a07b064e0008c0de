// Files with slow requests (object stores): reads ahead in large pieces, several concurrently.
#pragma once

#include <memory>
#include <string>

#include "storage/storage.h"

namespace ckpt::storage {

constexpr std::int64_t range_bytes = std::int64_t{4} << 20;  // size of one piece
constexpr std::int64_t ranges_at_once = 8;

// Opens a file for reading. Files of an object store, and files with ranges, are read ahead within the range given to expect, at
// most ranges_at_once pieces concurrently; other files are returned as open returns them. A separate thread fetches the next pieces
// while the current ones are used. So the caller's processing (hash, convert, copy) overlaps with the transfer as long as the
// transfer is slower.
std::unique_ptr<File> open_ahead(Storage& storage, const std::string& path);

}  // namespace ckpt::storage
