#include "storage/listing.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <memory>
#include <string_view>

#include "base/error.h"
#include "storage/os_error.h"

namespace ckpt::storage {

std::vector<Entry> list_directory(Descriptor descriptor, const std::string& shown) {
  const std::unique_ptr<DIR, int (*)(DIR*)> directory(::fdopendir(descriptor.get()), ::closedir);
  if (directory == nullptr) fail_os(errno, "list", shown);
  const int number = descriptor.give();  // closedir closes it
  std::vector<Entry> entries;
  for (;;) {
    errno = 0;
    const dirent* const found = ::readdir(directory.get());  // NOLINT(concurrency-mt-unsafe): only this thread reads this stream
    if (found == nullptr) break;
    const std::string_view name = found->d_name;
    if (name == "." || name == "..") continue;
    struct stat status {};
    if (::fstatat(number, found->d_name, &status, AT_SYMLINK_NOFOLLOW) != 0) {
      if (errno == ENOENT) continue;  // removed since readdir
      fail_os(errno, "examine", base::cat(shown, '/', name));
    }
    entries.push_back({std::string(name), S_ISDIR(status.st_mode), S_ISLNK(status.st_mode)});
  }
  if (errno != 0) fail_os(errno, "list", shown);
  std::ranges::sort(entries, {}, &Entry::name);
  return entries;
}

}  // namespace ckpt::storage
