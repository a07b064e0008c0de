// The bytes of one save between the tensors and the writer: a stream of all tensors in file order, copied block by block, or
// borrowed. One thread stages while another one reads.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "async/arena.h"
#include "base/thread_pool.h"
#include "base/wait_point.h"
#include "state/state.h"
#include "state/tensor_writer.h"

namespace ckpt::async {

enum class StagingMode : std::int32_t { copy = 0, borrow = 1, deferred = 2 };

// Copies bytes of a tensor, from offset on. Called concurrently; an exception fails the save.
using TensorSource =
    std::function<void(const std::string& group, const state::StateTensor& item, std::int64_t offset, std::span<std::byte> out)>;

class Staging {
 public:
  // One group, which is one file. If there is room, a large group begins at the same page offset in memory as in the file, so
  // that a storage can write from there.
  struct GroupPlan {
    state::FileLayout layout;
    std::int64_t begin = 0;
    std::int64_t end = 0;
  };

  // whole: without stateful objects. source: empty for memory. arena: unused if borrowed. The destructor returns the blocks.
  Staging(state::State whole, StagingMode mode, TensorSource source, std::shared_ptr<Arena> arena);
  ~Staging();
  Staging(const Staging&) = delete;
  Staging& operator=(const Staging&) = delete;

  const state::State& whole() const noexcept { return whole_; }
  StagingMode mode() const noexcept { return mode_; }
  std::int64_t bytes() const noexcept { return bytes_; }  // total size of the tensors

  // Lays out the stream. Call before everything below.
  void plan();
  const GroupPlan& plan_of(const state::StateGroup& group) const;

  // ---- For the staging thread ----

  // Waits for memory: all blocks of the stream, or the whole arena if that is smaller. Returns false if the save was stopped
  // meanwhile.
  bool reserve(const std::function<void()>& would_wait);
  // Returns true if every block has its own memory, so that the stream can be read again.
  bool repeatable() const noexcept;
  // Copies the stream; pool: nullptr for this thread alone. Returns true when everything is copied, false if the save was
  // stopped. Exceptions of a source are rethrown to the reader, or by throw_error().
  bool copy(base::ThreadPool* pool);
  void throw_error() const;  // if one occurred

  // ---- For the writing thread ----

  // Returns the bytes at position, at least one and at most up to end; waits for them. Fails with Error(cancelled) when stopped,
  // or with the copying thread's error. Not for borrowed streams.
  std::span<const std::byte> read(std::int64_t position, std::int64_t end);
  // Declares that bytes before position will not be read again; only useful if the stream is not repeatable.
  void release_before(std::int64_t position);
  bool released(std::int64_t position) const noexcept;

  // ---- For both ----

  // Stops waiting on both sides.
  void stop() noexcept;

 private:
  // One tensor's position in the stream.
  struct Piece {
    const state::StateGroup* group;
    const state::StateTensor* item;
    std::int64_t begin;
    std::int64_t bytes;
  };
  std::int64_t lay_out(bool aligned);
  std::int64_t block_count() const noexcept;
  std::byte* memory_of(std::int64_t block) const noexcept;
  void copy_block(std::int64_t block);
  void copy_range(const Piece& piece, std::int64_t offset, std::span<std::byte> out) const;

  state::State whole_;
  StagingMode mode_;
  TensorSource source_;
  std::int64_t bytes_ = 0;
  std::int64_t stream_bytes_ = 0;  // including the gaps before large groups
  std::vector<GroupPlan> plans_;
  std::vector<Piece> pieces_;
  std::shared_ptr<Arena> arena_;
  std::int64_t block_bytes_;
  std::vector<std::byte*> blocks_;         // block n of the stream uses entry n modulo their number
  std::vector<std::atomic<bool>> copied_;  // block n of the stream
  std::atomic<std::int64_t> released_{0};  // blocks of the stream with reusable memory
  std::atomic<bool> stopped_{false};
  base::WaitPoint changed_;
  mutable std::mutex error_mutex_;
  std::exception_ptr error_;
};

}  // namespace ckpt::async
