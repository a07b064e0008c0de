#include "storage/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <exception>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/on_behalf.h"
#include "base/os/thread.h"

namespace ckpt::storage {
namespace {

// The smallest request: covers the headers of most files.
constexpr std::int64_t min_bytes = std::int64_t{64} << 10;

// Bytes [begin, end) of a file in memory that is reused.
class Window {
 public:
  Window() = default;
  Window(Window&& other) noexcept { *this = std::move(other); }
  Window& operator=(Window&& other) noexcept {
    room_ = std::move(other.room_);
    room_bytes_ = std::exchange(other.room_bytes_, 0);
    begin_ = std::exchange(other.begin_, 0);
    end_ = std::exchange(other.end_, 0);
    return *this;
  }
  std::int64_t end() const noexcept { return end_; }
  bool has(std::int64_t at) const noexcept { return at >= begin_ && at < end_; }
  const std::byte* at(std::int64_t offset) const noexcept { return room_.get() + (offset - begin_); }
  void clear() noexcept { begin_ = end_ = 0; }
  void free() noexcept {
    clear();
    room_.reset();
    room_bytes_ = 0;
  }

  // Either fetches all bytes or leaves the window empty.
  void fetch(File& file, std::int64_t begin, std::int64_t end) {
    clear();
    const std::int64_t bytes = end - begin;
    if (room_bytes_ < bytes) {
      free();
      room_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
      room_bytes_ = bytes;
    }
    std::vector<Range> ranges;
    for (std::int64_t done = 0; done < bytes; done += range_bytes) {
      const std::int64_t count = std::min(range_bytes, bytes - done);
      ranges.push_back({begin + done, {room_.get() + done, static_cast<std::size_t>(count)}});
    }
    file.read_ranges(ranges);
    begin_ = begin;
    end_ = end;
  }

 private:
  std::unique_ptr<std::byte[]> room_;
  std::int64_t room_bytes_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

// A window that a thread fetches in the background. No other thread may use the file until wait has returned.
class Fetching {
 public:
  // spare: an old window with memory to reuse.
  Fetching(File& file, Window&& spare, std::int64_t begin, std::int64_t end)
      : begin_(begin), end_(end), window_(std::move(spare)), thread_("ckpt-ahead", [this, &file] {
          try {
            behalf_.run([&] { window_.fetch(file, begin_, end_); });
          } catch (...) {
            failure_ = std::current_exception();
          }
        }) {}

  bool is_for(std::int64_t at) const noexcept { return at >= begin_ && at < end_; }
  bool is_own_process() const noexcept { return generation_ == base::fork_generation(); }
  std::exception_ptr wait() {
    thread_.join();
    behalf_.send_messages();
    return failure_;
  }
  // Valid after wait.
  Window& window() noexcept { return window_; }

 private:
  const std::uint64_t generation_ = base::fork_generation();
  const std::int64_t begin_;
  const std::int64_t end_;
  base::OnBehalf behalf_;
  Window window_;
  std::exception_ptr failure_;
  base::Thread thread_;  // last: it uses the other members
};

class AheadFile final : public File {
 public:
  explicit AheadFile(std::unique_ptr<File> file) : file_(std::move(file)) {}
  ~AheadFile() override { take_next(-1); }

  // Queried once: the size does not change. The background thread starts only after the first query.
  std::int64_t size() override {
    if (size_ < 0) size_ = file_->size();
    return size_;
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    const std::int64_t wanted = std::clamp<std::int64_t>(size() - offset, 0, std::ssize(bytes));
    for (std::int64_t done = 0; done < wanted;) {
      const std::int64_t at = offset + done;
      if (!window_.has(at)) go_to(at, wanted - done);
      const std::int64_t count = std::min(wanted - done, window_.end() - at);
      std::memcpy(bytes.data() + done, window_.at(at), static_cast<std::size_t>(count));
      done += count;
    }
    if (offset + wanted == window_.end() && window_.end() >= expected_end_ && fetching_ == nullptr) {
      window_.free();
      spare_.free();
    }
    return wanted;
  }
  void expect(std::int64_t begin, std::int64_t end) override {
    expected_begin_ = begin;
    expected_end_ = end;
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override { file_->write(offset, bytes); }
  void sync() override { file_->sync(); }

 private:
  void go_to(std::int64_t at, std::int64_t needed) {
    take_next(at);
    if (!window_.has(at)) {
      const bool is_expected = at >= expected_begin_ && at < expected_end_;
      window_.fetch(*file_, at, end_of(at, is_expected ? expected_end_ : at + std::max(needed, min_bytes)));
    }
    if (window_.end() >= expected_begin_ && window_.end() < std::min(expected_end_, size())) begin_next();
  }

  std::int64_t end_of(std::int64_t begin, std::int64_t end) {
    return std::min({end, size(), begin + range_bytes * ranges_at_once});
  }

  // Uses the background window if it is the one needed now; otherwise discards it together with its error.
  void take_next(std::int64_t at) {
    if (fetching_ == nullptr) return;
    if (!fetching_->is_own_process()) {
      // In a forked child the thread does not exist, and its progress on these objects is unknown: they are leaked.
      static_cast<void>(fetching_.release());
      return;
    }
    const std::unique_ptr<Fetching> ended = std::move(fetching_);
    const std::exception_ptr failure = ended->wait();
    spare_ = std::move(ended->window());
    if (!ended->is_for(at)) return;
    if (failure != nullptr) std::rethrow_exception(failure);
    std::swap(window_, spare_);
  }

  void begin_next() {
    const std::int64_t begin = window_.end();
    try {
      fetching_ = std::make_unique<Fetching>(*file_, std::move(spare_), begin, end_of(begin, expected_end_));
    } catch (const base::Error&) {
      return;  // the system could not start a thread: the window is fetched when it is needed
    }
  }

  std::unique_ptr<File> file_;
  std::int64_t size_ = -1;  // unknown yet
  std::int64_t expected_begin_ = 0;
  std::int64_t expected_end_ = 0;
  Window window_;
  Window spare_;                        // only its memory is reused
  std::unique_ptr<Fetching> fetching_;  // last: it uses the file
};

}  // namespace

std::unique_ptr<File> open_ahead(Storage& storage, const std::string& path) {
  auto file = storage.open(path);
  if (!storage.is_objects() && !file->has_ranges()) return file;
  return std::make_unique<AheadFile>(std::move(file));
}

}  // namespace ckpt::storage
