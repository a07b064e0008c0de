// Memory for copies of states: page-aligned blocks that are allocated on first use, touched once and reused. The first touch of a
// page costs many times as much as a copy to it. Thread-safe.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "base/os/thread.h"
#include "base/wait_point.h"

namespace ckpt::async {

constexpr std::int64_t smallest_arena_bytes = 65536;
constexpr std::int64_t page_bytes = 4096;  // of the arena's blocks

// A page-aligned block of memory and its deleter.
using Block = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;
using MakeBlock = std::function<Block(std::int64_t bytes)>;

// Allocates a block of whole pages from the system; pages become resident when touched.
Block system_block(std::int64_t bytes);

class Arena {
 public:
  // budget_bytes: at least smallest_arena_bytes; the remainder beyond whole blocks is unused. make: allocates blocks; empty: the
  // system.
  explicit Arena(std::int64_t budget_bytes, MakeBlock make = {});

  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  std::int64_t blocks() const noexcept { return blocks_; }
  std::int64_t allocated_bytes() const;

  // Takes count blocks (at most blocks()) at once, in FIFO order among waiting threads. Returns nothing if should_stop() became
  // true: call wake() after that. would_wait runs once before the first wait.
  std::vector<std::byte*> take(std::int64_t count, const std::function<bool()>& should_stop,
                               const std::function<void()>& would_wait);
  // Does nothing in a forked child: a thread that does not exist there may hold the lock.
  void release(const std::vector<std::byte*>& blocks) noexcept;
  void wake() noexcept { changed_.wake_all(); }

  // Allocates and touches blocks of this total size, at most the budget.
  void prepare(std::int64_t bytes);

 private:
  bool try_take(std::uint64_t ticket, std::size_t count, std::vector<std::byte*>& out, std::size_t& missing);
  void leave_line(std::uint64_t ticket);
  void make_blocks(std::size_t count, std::vector<std::byte*>& out);

  std::uint64_t generation_ = base::fork_generation();
  MakeBlock make_;
  std::int64_t block_bytes_;
  std::int64_t blocks_;
  mutable std::mutex mutex_;
  std::vector<Block> allocated_;
  std::size_t unallocated_;
  std::vector<std::byte*> free_;  // most recently used last and taken first: it is still cached
  std::deque<std::uint64_t> line_;
  std::uint64_t next_ticket_ = 0;
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
