// File descriptors and the system calls that all files of this module share.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>

namespace ckpt::storage {

class Descriptor {
 public:
  Descriptor() = default;
  explicit Descriptor(int number) : number_(number) {}
  Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  // Errors of close are ignored: durable data was synced before, and Linux closes the descriptor even if it reports EINTR.
  ~Descriptor() {
    if (number_ >= 0) ::close(number_);
  }
  int get() const noexcept { return number_; }
  int give() noexcept { return std::exchange(number_, -1); }

 private:
  int number_ = -1;
};

// Repeats a system call that a signal interrupted.
template <class Call>
auto uninterrupted(Call&& call) {
  auto result = call();
  while (result < 0 && errno == EINTR) result = call();
  return result;
}

// Writes all bytes at offset; returns 0 or the error number.
int try_write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes) noexcept;

// Fills bytes from offset on; returns 0 or the error number. done: the number of bytes read; fewer than requested only at the end
// of the file or on an error.
int try_read_all(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::size_t& done) noexcept;

// The alignment that O_DIRECT requires for offsets and lengths.
struct DirectAlignment {
  std::size_t offset = 1;
  std::size_t memory = 1;  // divides a page
};
// Queries the file's O_DIRECT alignment and switches to O_DIRECT. Returns nothing if the file does not report an alignment or
// requires one that cannot be met.
std::optional<DirectAlignment> make_direct(int descriptor) noexcept;
// Switches back to the page cache. Returns false if O_DIRECT was not set.
bool make_buffered(int descriptor) noexcept;

// As try_write_all, but throws. shown: the file's path for the message.
void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, const std::string& shown);

}  // namespace ckpt::storage
