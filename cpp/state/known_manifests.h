// A writer's cache of the manifests on a disk. Retention examines all checkpoints after each save. It reads a manifest again only
// when its file has changed, and checks the sizes of the checkpoint's files each time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "state/checkpoint_files.h"

namespace ckpt::state {

// Not thread-safe.
class KnownManifests {
 public:
  // Returns the cached result for a manifest with this stamp, without the manifest; nullptr if none is cached.
  const Found* find(const std::string& directory, const storage::Stamp& stamp) const;
  // Returns the files and sizes from its manifest. Requires that find returned a result for the directory.
  const FileSizes& sizes(const std::string& directory) const { return known_.at(directory).sizes; }
  // stamp: taken before the manifest was read.
  void note(const Found& found, FileSizes sizes, const storage::Stamp& stamp);
  // Removes the entries of all other directories.
  void keep_only(const std::vector<Found>& listed);

 private:
  struct Known {
    Found found;
    FileSizes sizes;
    storage::Stamp stamp;
  };
  std::map<std::string, Known> known_;
};

}  // namespace ckpt::state
