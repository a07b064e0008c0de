// Open files by number, and the system calls around them that every file here shares.
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

// Fills bytes from offset on; done is how many there were: fewer only at the end of the file, and where an error number is
// returned.
int try_read_all(int descriptor, std::int64_t offset, std::span<std::byte> bytes, std::size_t& done) noexcept;

// What O_DIRECT wants the beginnings and lengths of copies to be multiples of.
struct DirectAlignment {
  std::size_t offset = 1;
  std::size_t memory = 1;  // divides a page
};
// Asks the file what it wants of O_DIRECT and switches to it. Nothing when it does not say, or wants what is not to be had here.
std::optional<DirectAlignment> make_direct(int descriptor) noexcept;
// Switches back. False where there was nothing to switch.
bool make_buffered(int descriptor) noexcept;

// As try_write_all, or throws. shown: the file's path for the message.
void write_all(int descriptor, std::int64_t offset, std::span<const std::byte> bytes, const std::string& shown);

}  // namespace ckpt::storage
