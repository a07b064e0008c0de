// A file written once from front to back: large chunks, past the page cache and several at a time where the system can.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/os/memory.h"
#include "base/os/thread.h"
#include "storage/descriptor.h"
#include "storage/rate_limit.h"
#include "storage/ring.h"
#include "storage/storage.h"

namespace ckpt::storage {

// In the order in which they are tried.
enum class WritePath {
  ring,      // O_DIRECT, several chunks under way by io_uring
  direct,    // O_DIRECT, one chunk after the other by pwrite
  buffered,  // through the page cache by pwrite
};

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
constexpr unsigned queue_depth = 16;
constexpr std::size_t copied_chunks = 8;  // of these, those that have memory of the file's own: it is touched anew for each file

class StreamFile final : public File {
 public:
  // descriptor: a new file, open for writing. first: the path to begin with; those that the file or the system cannot have are
  // passed over. limit may be nullptr. Error(no_space) when the bytes expected do not fit.
  StreamFile(Descriptor descriptor, std::string shown, const StreamOptions& options, WritePath first,
             std::shared_ptr<RateLimit> limit);
  // Waits for what is under way: the system reads this object's memory until then.
  ~StreamFile() override;

  std::int64_t size() override { return position_; }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override;
  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  // Copies nothing of what lies in memory as it will lie in the file, by the alignments that O_DIRECT wants, where there is a ring.
  void write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) override;
  void sync() override;

  // The one in use.
  WritePath path() const noexcept { return path_; }

 private:
  enum class Stage { filling, under_way, refused };  // refused: full, but the system did not write it
  struct Chunk {
    std::span<std::byte> space;                // empty: for borrowed bytes alone
    std::span<const std::byte> borrowed = {};  // written instead of what is in space; empty: that
    std::size_t used = 0;
    std::int64_t offset = 0;
    Stage stage = Stage::filling;

    std::span<const std::byte> bytes() const { return borrowed.empty() ? space.first(used) : borrowed; }
    void clear() {
      borrowed = {};
      used = 0;
      stage = Stage::filling;
    }
  };
  using Accept = void (StreamFile::*)(std::span<const std::byte> bytes);

  void reserve_space(std::int64_t bytes);
  bool make_direct();
  void make_chunks(std::size_t count);
  void write_by(Accept take, std::int64_t offset, std::span<const std::byte> bytes);
  void accept(std::span<const std::byte> bytes);
  void accept_borrowed(std::span<const std::byte> bytes);
  void write_through(std::span<const std::byte> bytes);
  void pass_on(Chunk& chunk);
  Chunk& next_to_fill(bool needs_space);
  void write_now(Chunk& chunk);
  void take_ends();
  bool any(Stage stage) const;
  void wait_for_one();
  void settle();
  void write_tail();

  Descriptor descriptor_;
  std::string shown_;
  std::shared_ptr<const std::atomic<bool>> stop_;
  std::shared_ptr<RateLimit> limit_;
  WritePath path_;
  std::size_t offset_alignment_ = 1;
  std::size_t memory_alignment_ = 1;
  base::Pages memory_;
  std::vector<Chunk> chunks_;
  Chunk* filling_ = nullptr;
  std::unique_ptr<Ring> ring_;
  std::int64_t position_ = 0;         // after the last byte accepted
  std::int64_t interrupted_at_ = -1;  // where the call began that threw; it may be repeated
  std::uint64_t generation_ = base::fork_generation();
  bool finished_ = false;
  bool sync_failed_ = false;
};

}  // namespace ckpt::storage
