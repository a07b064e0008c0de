// Asynchronous writes and reads with Linux's io_uring, by direct system calls. Source: io_uring(7), io_uring_setup(2),
// io_uring_enter(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace ckpt::storage {

// Not thread-safe.
class Ring {
 public:
  // Returns nullptr if the system does not have io_uring or refuses it. entries: the most operations in flight, a power of 2.
  static std::unique_ptr<Ring> make(unsigned entries);
  // All operations must have completed: the system would otherwise continue to access their memory.
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Starts to write bytes, which must stay valid until their completion is reported. Returns false if the system does not accept
  // the request; nothing was started then.
  bool start_write(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag);
  // Starts to read into bytes, under the same conditions.
  bool start_read(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::uint64_t tag);

  struct End {
    std::uint64_t tag;
    std::int32_t result;  // bytes written or read, or a negative error number
  };
  // Returns a completion that was not reported yet; nothing if none is available.
  std::optional<End> take();
  // Waits until take has a completion. Returns false if the system refuses to wait.
  bool wait();

 private:
  struct Mapped;
  explicit Ring(std::unique_ptr<Mapped> mapped);
  bool start(std::uint8_t operation, int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag);

  std::unique_ptr<Mapped> mapped_;
};

}  // namespace ckpt::storage
