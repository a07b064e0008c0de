// Open files by number, and the system calls around them that every file here shares.
#pragma once

#include <unistd.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
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
  // An error of close is of no use here: what must last has been synced before, and Linux closes even when it reports EINTR.
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

// Writes all bytes at offset; the error number when the system refuses, else 0.
int try_write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes) noexcept;

// The same, or throws. shown: the file's path for the message.
void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, const std::string& shown);

}  // namespace ckpt::storage
