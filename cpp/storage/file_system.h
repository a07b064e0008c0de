// Storage in a directory of the file system (POSIX). All descriptors are close-on-exec.
#pragma once

#include <memory>
#include <string>

#include "storage/file_lock.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"
#include "storage/stream_file.h"

namespace ckpt::storage {

enum class Root { must_exist, make };

// Options for writing files.
struct WriteOptions {
  WritePath first = WritePath::ring;                               // for large files; see WritePath
  std::int64_t stream_from_bytes = 2 * std::int64_t{chunk_bytes};  // smaller files go through the page cache
  std::int64_t bytes_per_second = 0;         // total of all files, and of reads from scratch files; 0: unlimited
  std::shared_ptr<const base::Clock> clock;  // of the limit; nullptr: the system's
  Sleep sleep;                               // of the limit; empty: a real sleep
  bool may_compress = false;                 // files may occupy less space than their size: free_bytes() is unknown
  LockKind lock = LockKind::flock;
};

// root: a directory, given by any path; links in it are followed, because the caller chose it. Root::make creates it and its
// parents durably. The storage holds the directory open, so it stays the same one if the path is renamed or the process changes
// directory.
std::shared_ptr<Storage> open_file_system(const std::string& root, Root mode, const WriteOptions& options = {});

// Opens one regular file for reading, by any path that the caller gives; links are followed.
std::unique_ptr<File> open_file(const std::string& path);

}  // namespace ckpt::storage
