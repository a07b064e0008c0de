#include "async/arena.h"

#include <algorithm>
#include <utility>

#include "base/error.h"
#include "base/os/memory.h"

namespace ckpt::async {
namespace {

constexpr std::int64_t largest_block_bytes = std::int64_t{4} << 20;

// Divides even a small budget into several blocks, so that copying and writing overlap.
std::int64_t block_bytes_for(std::int64_t budget_bytes) {
  return std::clamp(budget_bytes / 8 / page_bytes * page_bytes, page_bytes, largest_block_bytes);
}

std::int64_t checked_budget(std::int64_t bytes) {
  base::require(bytes >= smallest_arena_bytes, "staging_bytes is ", bytes, "; expected at least ", smallest_arena_bytes);
  return bytes;
}

}  // namespace

Block system_block(std::int64_t bytes) {
  base::Pages pages = base::map_pages(static_cast<std::size_t>(bytes));
  std::function<void(std::byte*)> unmap = pages.get_deleter();
  return {pages.release(), std::move(unmap)};
}

Arena::Arena(std::int64_t budget_bytes, MakeBlock make)
    : make_(make ? std::move(make) : system_block),
      block_bytes_(block_bytes_for(checked_budget(budget_bytes))),
      blocks_(budget_bytes / block_bytes_),
      unallocated_(static_cast<std::size_t>(blocks_)) {}

std::int64_t Arena::allocated_bytes() const {
  const std::lock_guard lock(mutex_);
  return (blocks_ - static_cast<std::int64_t>(unallocated_)) * block_bytes_;
}

// Serves the thread at the head of the line from the free blocks. missing: the number of its blocks that must still be allocated.
// out has the capacity for count blocks, so nothing here throws.
bool Arena::try_take(std::uint64_t ticket, std::size_t count, std::vector<std::byte*>& out, std::size_t& missing) {
  const std::lock_guard lock(mutex_);
  if (line_.front() != ticket || free_.size() + unallocated_ < count) return false;
  const std::size_t ready = std::min(free_.size(), count);
  out.assign(free_.rbegin(), free_.rbegin() + static_cast<std::ptrdiff_t>(ready));
  free_.resize(free_.size() - ready);
  missing = count - ready;
  unallocated_ -= missing;
  line_.pop_front();
  return true;
}

void Arena::leave_line(std::uint64_t ticket) {
  {
    const std::lock_guard lock(mutex_);
    std::erase(line_, ticket);
  }
  changed_.wake_all();
}

void Arena::make_blocks(std::size_t count, std::vector<std::byte*>& out) {
  for (std::size_t created = 0; created < count; ++created) {
    try {
      Block block = make_(block_bytes_);
      const std::lock_guard lock(mutex_);
      free_.reserve(allocated_.size() + 1);  // so that release does not allocate
      allocated_.push_back(std::move(block));
      out.push_back(allocated_.back().get());
    } catch (...) {
      {
        const std::lock_guard lock(mutex_);
        unallocated_ += count - created;
      }
      release(out);
      changed_.wake_all();  // other threads may now allocate the missing blocks, even if none are returned
      throw;
    }
  }
}

std::vector<std::byte*> Arena::take(std::int64_t count, const std::function<bool()>& should_stop,
                                    const std::function<void()>& would_wait) {
  const auto wanted = static_cast<std::size_t>(count);
  std::vector<std::byte*> out;
  out.reserve(wanted);
  std::uint64_t ticket = 0;
  {
    const std::lock_guard lock(mutex_);
    ticket = next_ticket_++;
    line_.push_back(ticket);
  }
  std::size_t missing = 0;
  bool taken = false;
  try {
    taken = try_take(ticket, wanted, out, missing);
    if (!taken) {
      if (would_wait) would_wait();
      changed_.wait(
          [&] {
            taken = try_take(ticket, wanted, out, missing);
            return taken || should_stop();
          },
          -1);
    }
  } catch (...) {  // would_wait and should_stop may throw; no block has been taken then
    leave_line(ticket);
    throw;
  }
  if (!taken) {
    leave_line(ticket);
    return out;
  }
  changed_.wake_all();  // another thread is at the head of the line now
  make_blocks(missing, out);
  return out;
}

void Arena::release(const std::vector<std::byte*>& blocks) noexcept {
  if (blocks.empty() || generation_ != base::fork_generation()) return;
  {
    const std::lock_guard lock(mutex_);
    free_.insert(free_.end(), blocks.begin(), blocks.end());  // make_blocks has reserved the capacity
  }
  changed_.wake_all();
}

void Arena::prepare(std::int64_t bytes) {
  base::require(bytes >= 0, "prepare_bytes is ", bytes, "; expected at least 0");
  const std::int64_t count = std::min(blocks_, (bytes + block_bytes_ - 1) / block_bytes_);
  const auto blocks = take(count, [] { return false; }, {});
  for (std::byte* const block : blocks) {
    for (std::int64_t at = 0; at < block_bytes_; at += page_bytes) *const_cast<volatile std::byte*>(block + at) = std::byte{0};
  }
  release(blocks);
}

}  // namespace ckpt::async
