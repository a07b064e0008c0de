// Opens the files of a checkpoint before reading, since a writer may remove it during the read.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "state/checkpoint_files.h"
#include "state/manifest.h"
#include "storage/read_ahead.h"
#include "storage/storage.h"

namespace ckpt::state {

// An open file can be read even if a writer removes its checkpoint, so files are opened before anything is read.
class OpenFiles {
 public:
  static constexpr std::size_t max = 64;  // limits the use of file descriptors

  OpenFiles(storage::Storage& storage, const std::string& directory) : storage_(storage), directory_(directory) {}

  void open_ahead(const GroupRecord& group) {
    for (const FileRecord& record : group.files) {
      if (files_.size() == max) return;
      files_.emplace(record.name, open(record.name));
    }
  }
  std::unique_ptr<storage::File> take(const std::string& name) {
    auto found = files_.extract(name);
    return found.empty() ? open(name) : std::move(found.mapped());
  }

 private:
  std::unique_ptr<storage::File> open(const std::string& name) {
    const std::string path = path_in(directory_, name);
    return reading(path, [&] { return storage::open_ahead(storage_, path); });
  }

  storage::Storage& storage_;
  const std::string& directory_;
  std::map<std::string, std::unique_ptr<storage::File>> files_;
};

}  // namespace ckpt::state
