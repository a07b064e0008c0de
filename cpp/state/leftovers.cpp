#include "state/leftovers.h"

#include <exception>

namespace ckpt::state {

void Leftovers::note(const std::string& directory) noexcept {
  try {
    const std::lock_guard lock(mutex_);
    names_.insert(directory);
  } catch (const std::exception&) {  // no memory: the next writer of the storage removes it
  }
}

void Leftovers::retry(const std::function<bool(const std::string& directory)>& remove) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(names_, [&](const std::string& directory) {
    try {
      return remove(directory);
    } catch (const std::exception&) {  // most likely for the same reason, which was reported then
      return false;
    }
  });
}

}  // namespace ckpt::state
