#include "state/leftovers.h"

#include <exception>

#include "base/error.h"
#include "state/catalog.h"

namespace ckpt::state {
namespace {

// False when something stayed.
bool remove_left(storage::Storage& storage, const std::string& directory) {
  try {
    if (has_manifest(storage, directory)) return true;  // the removal has not begun, so it is for its caller to repeat it
  } catch (const base::Error& error) {
    if (error.status() == base::Status::not_found) return true;
    throw;
  }
  // The manifest's removal may not be durable: the files that it names must not go before it.
  storage.sync_directory(directory);
  return remove_checkpoint(storage, directory);
}

}  // namespace

void Leftovers::note(const std::string& directory) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    names_.insert(directory);
  } catch (const std::exception&) {  // no memory: the next opening removes it
  }
}

void Leftovers::retry(storage::Storage& storage, const Remove& remove) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(names_, [&](const std::string& directory) {
    try {
      return remove ? remove(directory) : remove_left(storage, directory);
    } catch (const std::exception&) {  // the same as before, most likely: it was reported then
      return false;
    }
  });
}

}  // namespace ckpt::state
