// What a writer has read of the manifests on a disk. Retention looks at all checkpoints after each save: it reads a manifest again
// only when its file has changed, and asks for the files' sizes each time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "state/catalog.h"

namespace ckpt::state {

// For one thread at a time.
class KnownManifests {
 public:
  // What was found when the manifest had this stamp, without the manifest; nullptr else.
  const Found* find(const std::string& directory, const storage::Stamp& stamp) const;
  // Its files with their bytes, as the manifest says.
  const FileSizes& sizes(const std::string& directory) const { return known_.at(directory).sizes; }
  // stamp: from before the manifest was read.
  void note(const Found& found, FileSizes sizes, const storage::Stamp& stamp);
  // Forgets all others.
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
