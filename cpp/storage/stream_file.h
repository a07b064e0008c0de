// A file written once, sequentially: large chunks that bypass the page cache, several in flight where the system supports it.
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

// In order of preference.
enum class WritePath {
  ring,      // O_DIRECT, several chunks in flight with io_uring
  direct,    // O_DIRECT, one chunk after the other by pwrite
  buffered,  // through the page cache by pwrite
};

constexpr std::size_t chunk_bytes = std::size_t{4} << 20;
constexpr unsigned queue_depth = 16;
// chunks with their own memory (the others hold borrowed bytes); each file allocates it again
constexpr std::size_t copied_chunks = 8;

class StreamFile final : public File {
 public:
  // descriptor: a new file, open for writing. first: the preferred path; paths that the file or the system does not support are
  // skipped. limit may be nullptr. Fails with Error(no_space) if the expected bytes do not fit.
  StreamFile(Descriptor descriptor, std::string shown, const StreamOptions& options, WritePath first,
             std::shared_ptr<RateLimit> limit);
  // Waits for writes in flight: the system reads this object's memory until then.
  ~StreamFile() override;

  std::int64_t size() override { return position_; }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override;
  void write(std::int64_t offset, std::span<const std::byte> bytes) override;
  // With a ring, writes memory without a copy where it is aligned as O_DIRECT requires for its position in the file.
  void write_borrowed(std::int64_t offset, std::span<const std::byte> bytes) override;
  void sync() override;

  // The current path.
  WritePath path() const noexcept { return path_; }

 private:
  enum class Stage { filling, in_flight, refused };  // refused: full, but not written by the system
  struct Chunk {
    std::span<std::byte> space;                // empty: used only for borrowed bytes
    std::span<const std::byte> borrowed = {};  // written instead of space, unless empty
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
  void submit(Chunk& chunk);
  Chunk& next_to_fill(bool needs_space);
  void write_synchronously(Chunk& chunk);
  void reap_completions();
  bool any(Stage stage) const;
  void wait_for_one();
  void retry_refused();
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
  std::int64_t position_ = 0;         // after the last accepted byte
  std::int64_t interrupted_at_ = -1;  // start of the call that threw and may be repeated
  std::uint64_t generation_ = base::fork_generation();
  bool finished_ = false;
  bool sync_failed_ = false;
};

}  // namespace ckpt::storage
