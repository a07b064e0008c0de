// Files whose bytes come by requests that take long: what will be read is asked for in large pieces, several at a time.
#pragma once

#include <memory>
#include <string>

#include "storage/storage.h"

namespace ckpt::storage {

constexpr std::int64_t range_bytes = std::int64_t{4} << 20;  // of one piece
constexpr std::int64_t ranges_at_once = 8;

// Opens a file for reading. One of an object store, or one that has ranges, is read ahead as far as expect says, at most
// ranges_at_once pieces at once; other files are as open returns them. While the pieces that are there are used, a thread of its
// own gets the next ones: what the caller does with bytes (hash, convert, copy) costs no time as long as they come more slowly.
std::unique_ptr<File> open_ahead(Storage& storage, const std::string& path);

}  // namespace ckpt::storage
