#include "storage/descriptor.h"

#include <fcntl.h>
#include <sys/stat.h>

#include "storage/os_error.h"

namespace ckpt::storage {

int try_write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes) noexcept {
  for (std::size_t done = 0; done < bytes.size();) {
    const ssize_t count = uninterrupted(
        [&] { return ::pwrite(descriptor, bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done)); });
    if (count <= 0) return count < 0 ? errno : EIO;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

int try_read_all(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::size_t& done) noexcept {
  for (done = 0; done < bytes.size();) {
    const ssize_t count = uninterrupted(
        [&] { return ::pread(descriptor, bytes.data() + done, bytes.size() - done, offset + static_cast<std::int64_t>(done)); });
    if (count < 0) return errno;
    if (count == 0) break;
    done += static_cast<std::size_t>(count);
  }
  return 0;
}

std::optional<DirectAlignment> make_direct(int descriptor) noexcept {
#if defined(__linux__) && defined(STATX_DIOALIGN) && defined(O_DIRECT)
  struct statx status {};
  if (::statx(descriptor, "", AT_EMPTY_PATH, STATX_DIOALIGN, &status) != 0) return std::nullopt;
  if ((status.stx_mask & STATX_DIOALIGN) == 0 || status.stx_dio_offset_align == 0 || status.stx_dio_mem_align == 0)
    return std::nullopt;
  const long page = ::sysconf(_SC_PAGESIZE);
  if (page < 1 || static_cast<unsigned long>(page) % status.stx_dio_mem_align != 0) return std::nullopt;
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0 || ::fcntl(descriptor, F_SETFL, flags | O_DIRECT) != 0) return std::nullopt;
  return DirectAlignment{status.stx_dio_offset_align, status.stx_dio_mem_align};
#else
  static_cast<void>(descriptor);
  return std::nullopt;
#endif
}

bool make_buffered(int descriptor) noexcept {
#if defined(O_DIRECT)
  const int flags = ::fcntl(descriptor, F_GETFL);
  return flags >= 0 && ::fcntl(descriptor, F_SETFL, flags & ~O_DIRECT) == 0;
#else
  static_cast<void>(descriptor);
  return false;
#endif
}

void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, const std::string& shown) {
  if (const int code = try_write_all(descriptor, offset, bytes); code != 0) fail_os(code, "write", shown);
}

}  // namespace ckpt::storage
