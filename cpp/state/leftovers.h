// Attempts that could not be removed completely. No load finds them, but their files use space. Later saves of the same writer
// retry; the next writer of the storage removes them as unfinished attempts.
#pragma once

#include <functional>
#include <mutex>
#include <set>
#include <string>

namespace ckpt::state {

// Synchronized.
class Leftovers {
 public:
  void note(const std::string& directory) noexcept;
  // Retries each. remove: returns false or throws if files remain.
  void retry(const std::function<bool(const std::string& directory)>& remove) noexcept;

 private:
  std::mutex mutex_;
  std::set<std::string> names_;
};

}  // namespace ckpt::state
