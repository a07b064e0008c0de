// Copies between memory and a scratch on a separate thread, one at a time in the order in which they were begun. Used by one
// other thread.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/error.h"
#include "base/os/thread.h"
#include "base/queue.h"
#include "storage/storage.h"

namespace ckpt::storage {

struct Transfer {
  std::int64_t offset = 0;
  std::byte* memory = nullptr;
  std::int64_t bytes = 0;
  std::int32_t slot = 0;  // the user's name for the place at offset, for messages
};

class TransferQueue {
 public:
  enum class Direction : std::uint8_t { store, load };

  struct User {
    std::string name;  // the user's name for the scratch, for messages
    // the user's objects, which callbacks of a copy may not use: base/entered.h
    std::array<const void*, 2> at_work = {nullptr, nullptr};
  };
  // At most capacity (>= 1) copies wait for the thread; begin waits for a free entry.
  TransferQueue(std::shared_ptr<Scratch> scratch, User user, Direction direction, std::int64_t capacity);
  // Drains.
  ~TransferQueue();
  TransferQueue(const TransferQueue&) = delete;
  TransferQueue& operator=(const TransferQueue&) = delete;

  // Begins a copy and returns its number. Its memory must stay valid until the copy has ended; allocates nothing. Error(forked)
  // in a forked child.
  std::uint64_t begin(const Transfer& transfer);
  // Waits until that copy and all before it have ended. Throws the error of the first of these that failed; later copies are
  // skipped then, and only drain may be called.
  void wait(std::uint64_t number);
  // Ends all copies as soon as possible: their memory is unused afterwards. Resets the queue.
  void drain() noexcept;

 private:
  void serve();
  void copy(const Transfer& transfer) noexcept;

  base::BlockingQueue<base::SpscQueue<Transfer>, Transfer> transfers_;
  std::shared_ptr<Scratch> scratch_;
  User user_;
  std::uint64_t begun_ = 0;
  std::atomic<std::uint64_t> ended_{0};
  // The failed copy and its error: written by the thread, read by the other one after the copy has ended.
  std::atomic<std::uint64_t> failed_{none};
  std::string message_;
  base::Status status_ = base::Status::internal;
  Direction direction_;
  std::atomic<bool> stop_{false};
  base::WaitPoint progressed_;
  std::uint64_t generation_ = base::fork_generation();
  std::unique_ptr<base::Thread> thread_;

  static constexpr std::uint64_t none = ~std::uint64_t{0};
};

}  // namespace ckpt::storage
