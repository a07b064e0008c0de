#include "storage/read_ahead.h"

#include <algorithm>
#include <cstring>
#include <utility>
#include <vector>

namespace ckpt::storage {
namespace {

// The least that is asked for: the headers of most files.
constexpr std::int64_t least_bytes = std::int64_t{64} << 10;

class AheadFile final : public File {
 public:
  explicit AheadFile(std::unique_ptr<File> file) : file_(std::move(file)) {}

  std::int64_t size() override {
    if (size_ < 0) size_ = file_->size();
    return size_;
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    const std::int64_t wanted = std::clamp<std::int64_t>(size() - offset, 0, std::ssize(bytes));
    for (std::int64_t done = 0; done < wanted;) {
      const std::int64_t at = offset + done;
      if (at < begin_ || at >= end_) fetch(at, wanted - done);
      const std::int64_t count = std::min(wanted - done, end_ - at);
      std::memcpy(bytes.data() + done, window_.get() + (at - begin_), static_cast<std::size_t>(count));
      done += count;
    }
    if (offset + wanted == end_ && end_ >= expected_end_) forget();
    return wanted;
  }
  void expect(std::int64_t begin, std::int64_t end) override {
    expected_begin_ = begin;
    expected_end_ = end;
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override { file_->write(offset, bytes); }
  void sync() override { file_->sync(); }

 private:
  void forget() {
    window_.reset();
    begin_ = end_ = room_ = 0;
  }

  void fetch(std::int64_t at, std::int64_t needed) {
    const bool is_expected = at >= expected_begin_ && at < expected_end_;
    const std::int64_t ahead = is_expected ? expected_end_ - at : std::max(needed, least_bytes);
    const std::int64_t bytes = std::min({ahead, size() - at, range_bytes * ranges_at_once});
    begin_ = end_ = 0;  // until all of it is there
    if (room_ < bytes) {
      window_.reset();
      window_ = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(bytes));
      room_ = bytes;
    }
    std::vector<Range> ranges;
    for (std::int64_t done = 0; done < bytes; done += range_bytes) {
      const std::int64_t count = std::min(range_bytes, bytes - done);
      ranges.push_back({at + done, {window_.get() + done, static_cast<std::size_t>(count)}});
    }
    file_->read_ranges(ranges);
    begin_ = at;
    end_ = at + bytes;
  }

  std::unique_ptr<File> file_;
  std::int64_t size_ = -1;  // not asked for yet: what is there does not change
  std::int64_t expected_begin_ = 0;
  std::int64_t expected_end_ = 0;
  std::unique_ptr<std::byte[]> window_;  // [begin, end) of the file
  std::int64_t room_ = 0;
  std::int64_t begin_ = 0;
  std::int64_t end_ = 0;
};

}  // namespace

std::unique_ptr<File> open_ahead(Storage& storage, const std::string& path) {
  auto file = storage.open(path);
  if (!storage.is_objects() && !file->has_ranges()) return file;
  return std::make_unique<AheadFile>(std::move(file));
}

}  // namespace ckpt::storage
