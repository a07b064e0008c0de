#include "state/known_manifests.h"

#include <set>
#include <string_view>

namespace ckpt::state {

const Found* KnownManifests::find(const std::string& directory, const storage::Stamp& stamp) const {
  const auto known = known_.find(directory);
  return known != known_.end() && known->second.stamp == stamp ? &known->second.found : nullptr;
}

void KnownManifests::note(const Found& found, FileSizes sizes, const storage::Stamp& stamp) {
  Known& known = known_[found.name];
  known = {found, std::move(sizes), stamp};
  known.found.manifest.reset();
}

void KnownManifests::keep_only(const std::vector<Found>& listed) {
  std::set<std::string_view> directories;
  for (const Found& found : listed) directories.insert(found.name);
  std::erase_if(known_, [&](const auto& known) { return !directories.contains(known.first); });
}

}  // namespace ckpt::state
