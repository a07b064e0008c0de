// Asynchronous writes and reads by Linux's io_uring, through its system calls alone. Source: io_uring(7), io_uring_setup(2),
// io_uring_enter(2).
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

namespace ckpt::storage {

// One thread at a time.
class Ring {
 public:
  // nullptr where the system has no io_uring or refuses it. entries: at most so many are under way at a time, a power of 2.
  static std::unique_ptr<Ring> make(unsigned entries);
  // What is under way must have ended: the system goes on reading the bytes otherwise.
  ~Ring();
  Ring(const Ring&) = delete;
  Ring& operator=(const Ring&) = delete;

  // Starts to write bytes, which stay where they are until their end is reported. False when the system does not take it: then
  // nothing was started.
  bool start_write(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag);
  // The same for a read into bytes.
  bool start_read(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::uint64_t tag);

  struct End {
    std::uint64_t tag;
    std::int32_t result;  // bytes written or read, or a negative error number
  };
  // One that has ended and was not yet reported; nothing when there is none.
  std::optional<End> take();
  // Waits until take has something. False when the system refuses to wait.
  bool wait();

 private:
  struct Mapped;
  explicit Ring(std::unique_ptr<Mapped> mapped);
  bool start(std::uint8_t operation, int descriptor, std::int64_t offset, std::span<const std::byte> bytes, std::uint64_t tag);

  std::unique_ptr<Mapped> mapped_;
};

}  // namespace ckpt::storage
