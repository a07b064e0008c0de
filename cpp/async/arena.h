// Memory for copies of states: blocks of whole pages, made when they are first needed, touched once and then used again and again,
// because the first touch of a page costs many times what a copy to it does. Synchronised.
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
constexpr std::int64_t page_bytes = 4096;  // of its blocks

// A block of memory that begins on a page, and what releases it.
using Block = std::unique_ptr<std::byte[], std::function<void(std::byte*)>>;
using MakeBlock = std::function<Block(std::int64_t bytes)>;

// A block of pages of the system's, which are resident once they are touched.
Block system_block(std::int64_t bytes);

class Arena {
 public:
  // budget_bytes: at least smallest_arena_bytes; what is more than whole blocks is not used. make: where blocks come from; empty:
  // the system.
  explicit Arena(std::int64_t budget_bytes, MakeBlock make = {});

  std::int64_t block_bytes() const noexcept { return block_bytes_; }
  std::int64_t blocks() const noexcept { return blocks_; }
  std::int64_t allocated_bytes() const;

  // Gives count blocks (at most blocks()) at once, to those who wait first come, first served. Nothing when give_up() became true:
  // call wake() then. would_wait runs once before the first wait.
  std::vector<std::byte*> take(std::int64_t count, const std::function<bool()>& give_up, const std::function<void()>& would_wait);
  // In a forked child nothing: the lock may be held by a thread that is not there.
  void give_back(const std::vector<std::byte*>& blocks) noexcept;
  void wake() noexcept { changed_.wake_all(); }

  // Makes and touches blocks of so many bytes in all, at most the budget.
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
  std::vector<Block> made_;
  std::size_t unmade_;
  std::vector<std::byte*> free_;  // the one used last is taken first: it is the warmest
  std::deque<std::uint64_t> line_;
  std::uint64_t next_ticket_ = 0;
  base::WaitPoint changed_;
};

}  // namespace ckpt::async
