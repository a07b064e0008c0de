#include "state/pin.h"

#include "state/checkpoint_files.h"

#include <algorithm>

#include "base/error.h"

namespace ckpt::state {
namespace {

// Runs an attempt to make or remove the file; that it is so already is no error.
template <class Attempt>
void unless(base::Status already, Attempt&& attempt) {
  try {
    attempt();
  } catch (const base::Error& error) {
    if (error.status() != already) throw;
  }
}

}  // namespace

// By the directory's list: a size that is asked of a file which is not there is an error, about which a fault handler is asked.
bool is_pinned(storage::Storage& storage, const std::string& directory) {
  try {
    return std::ranges::any_of(storage.list(directory), [](const storage::Entry& entry) { return entry.name == pin_name; });
  } catch (const base::Error& error) {
    return error.status() != base::Status::not_found;
  }
}

// An empty file is whole from the start. One that is there already may be what a killed process has made and not synced.
void pin(storage::Storage& storage, const std::string& directory) {
  unless(base::Status::already_exists, [&] { storage.create(path_in(directory, pin_name))->sync(); });
  storage.sync_directory(directory);
}

void unpin(storage::Storage& storage, const std::string& directory) {
  unless(base::Status::not_found, [&] { storage.remove(path_in(directory, pin_name)); });
  storage.sync_directory(directory);
}

}  // namespace ckpt::state
