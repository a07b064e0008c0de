// Storage in a directory of the file system (POSIX). All descriptors are closed on exec.
#pragma once

#include <memory>
#include <string>

#include "storage/file_lock.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"
#include "storage/stream_file.h"

namespace ckpt::storage {

enum class Root { must_exist, make };

// How files are written.
struct WriteOptions {
  WritePath first = WritePath::ring;                               // for large files; see WritePath
  std::int64_t stream_from_bytes = 2 * std::int64_t{chunk_bytes};  // smaller files go through the page cache
  std::int64_t bytes_per_second = 0;                               // of all files together, and of scratches' reads; 0: no limit
  std::shared_ptr<const base::Clock> clock;                        // of the limit; nullptr: the system's
  Sleep sleep;                                                     // of the limit; empty: really
  bool may_compress = false;  // files may take less room than their bytes: free_bytes() is not known
  LockKind lock = LockKind::flock;
};

// root: a directory, by any path (links in it are followed: it is the caller's own). Root::make makes it and what leads to it,
// durably. The storage holds the directory open: it stays the same one when the path is renamed or the process changes directory.
std::shared_ptr<Storage> open_file_system(const std::string& root, Root mode, const WriteOptions& options = {});

// One regular file for reading, by any path of the caller's own; links are followed.
std::unique_ptr<File> open_file(const std::string& path);

}  // namespace ckpt::storage
