#include "base/os/standard_error.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <ctime>

namespace ckpt::base {
namespace {

constexpr int standard_error = 2;
constexpr std::size_t line_bytes = 4096;  // PIPE_BUF of Linux: writes of up to this size to a pipe are atomic

// Blocks the signals that a write can raise: SIGPIPE for a pipe without a reader, SIGTTOU in the background of a terminal with
// "tostop", SIGXFSZ for a file at its limit. Then discards those that this thread has raised, so that none is delivered.
class WriteSignals {
 public:
  WriteSignals() noexcept {
    sigemptyset(&signals_);
    for (const int signal : {SIGPIPE, SIGTTOU, SIGXFSZ}) sigaddset(&signals_, signal);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    sigemptyset(&ours_);
    for (const int signal : {SIGPIPE, SIGXFSZ}) {
      if (sigismember(&pending, signal) == 0) sigaddset(&ours_, signal);
    }
    is_blocked_ = pthread_sigmask(SIG_BLOCK, &signals_, &before_) == 0;
  }
  ~WriteSignals() {
    if (!is_blocked_) return;
    const timespec at_once{};
    while (sigtimedwait(&ours_, nullptr, &at_once) > 0 || errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  WriteSignals(const WriteSignals&) = delete;
  WriteSignals& operator=(const WriteSignals&) = delete;
  bool is_blocked() const noexcept { return is_blocked_; }

 private:
  sigset_t signals_;
  sigset_t ours_;
  sigset_t before_;
  bool is_blocked_ = false;
};

// The bytes of one line.
class Line {
 public:
  void add(std::string_view text) noexcept {
    for (const char byte : text) {
      if (size_ == line_bytes - 1) return cut();
      const auto value = static_cast<unsigned char>(byte);
      bytes_[size_++] = value < 0x20 || value == 0x7F ? ' ' : byte;
    }
  }
  std::string_view end() noexcept {
    bytes_[size_++] = '\n';
    return {bytes_.data(), size_};
  }

 private:
  static bool is_inside_character(char byte) noexcept { return (static_cast<unsigned char>(byte) & 0xC0U) == 0x80U; }
  // Removes a last character that may be incomplete.
  void cut() noexcept {
    while (size_ > 0 && is_inside_character(bytes_[size_ - 1])) --size_;
    if (size_ > 0 && static_cast<unsigned char>(bytes_[size_ - 1]) >= 0xC0U) --size_;
  }

  std::array<char, line_bytes> bytes_;
  std::size_t size_ = 0;
};

}  // namespace

bool is_standard_error_shared() noexcept {
  struct stat status {};
  if (::fstat(standard_error, &status) != 0) return false;
  if (S_ISFIFO(status.st_mode)) return true;
  if (S_ISREG(status.st_mode)) {
    const int flags = ::fcntl(standard_error, F_GETFL);
    return flags >= 0 && (flags & O_APPEND) != 0;
  }
  return ::isatty(standard_error) == 1;
}

void write_to_standard_error(std::string_view component, std::string_view message) noexcept {
  Line line;
  for (const std::string_view piece : {std::string_view("ckpt: "), component, std::string_view(": "), message}) line.add(piece);
  const std::string_view bytes = line.end();
  const int error_before = errno;
  {
    const WriteSignals signals;
    pollfd waiting{standard_error, POLLOUT, 0};
    constexpr int longest_ms = 1000;
    // A closed descriptor (POLLNVAL) and a pipe without a reader (POLLERR) fail in write.
    const auto uninterrupted = [](const auto& call) {
      auto result = call();
      while (result < 0 && errno == EINTR) result = call();
      return result;
    };
    if (signals.is_blocked() && uninterrupted([&] { return ::poll(&waiting, 1, longest_ms); }) > 0)
      uninterrupted([&] { return ::write(standard_error, bytes.data(), bytes.size()); });
  }
  errno = error_before;
}

}  // namespace ckpt::base
