#include "state/pin.h"

#include "state/checkpoint_files.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::state {
namespace {

// Runs an attempt to create or remove the file; ignores that it already exists or is missing.
template <class Attempt>
void unless(base::Status already, Attempt&& attempt) {
  try {
    attempt();
  } catch (const base::Error& error) {
    if (error.status() != already) throw;
  }
}

}  // namespace

// Uses the directory listing: querying the size of a missing file would be an error, which a fault handler would see.
bool is_pinned(storage::Storage& storage, const std::string& directory) {
  try {
    return std::ranges::any_of(storage.list(directory), [](const storage::Entry& entry) { return entry.name == pin_name; });
  } catch (const base::Error& error) {
    return error.status() != base::Status::not_found;
  }
}

// An empty file is complete when created. An existing one may have been created, but not synced, by a killed process.
void pin(storage::Storage& storage, const std::string& directory) {
  unless(base::Status::already_exists, [&] { storage.create(path_in(directory, pin_name))->sync(); });
  storage.sync_directory(directory);
}

void unpin(storage::Storage& storage, const std::string& directory) {
  unless(base::Status::not_found, [&] { storage.remove(path_in(directory, pin_name)); });
  storage.sync_directory(directory);
}

}  // namespace ckpt::state
