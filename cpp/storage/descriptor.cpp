#include "storage/descriptor.h"

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

void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, const std::string& shown) {
  if (const int code = try_write_all(descriptor, offset, bytes); code != 0) fail_os(code, "write", shown);
}

}  // namespace ckpt::storage
