#include "storage/open_at.h"

#include <cerrno>

#include "base/error.h"
#include "storage/os_error.h"

namespace ckpt::storage {

Descriptor open_at(int directory, const std::string& name, int flags, const char* verb, const std::string& shown, mode_t mode) {
  const int number = uninterrupted([&] { return ::openat(directory, name.c_str(), flags | O_CLOEXEC, mode); });
  if (number < 0) fail_os(errno, verb, shown);
  return Descriptor(number);
}

struct stat status_of(int descriptor, const std::string& shown) {
  struct stat status {};
  if (::fstat(descriptor, &status) != 0) fail_os(errno, "examine", shown);
  return status;
}

void require_regular(const struct stat& status, const std::string& shown) {
  base::require(S_ISREG(status.st_mode), base::quote(shown), " is not a regular file");
}

}  // namespace ckpt::storage
