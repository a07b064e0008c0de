// Copies between memory and a scratch, on a thread of its own, one after another in the order in which they were begun. Used by one
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
  std::int32_t slot = 0;  // what the scratch's user calls the place at offset, for messages
};

class TransferQueue {
 public:
  enum class Direction : std::uint8_t { store, load };

  struct User {
    std::string name;                                         // what it calls the scratch, for messages
    std::array<const void*, 2> at_work = {nullptr, nullptr};  // its objects, which a copy's callbacks may not use: base/entered.h
  };
  // At most capacity (>= 1) copies wait for the thread; begin waits for a place.
  TransferQueue(std::shared_ptr<Scratch> scratch, User user, Direction direction, std::int64_t capacity);
  // Drains.
  ~TransferQueue();
  TransferQueue(const TransferQueue&) = delete;
  TransferQueue& operator=(const TransferQueue&) = delete;

  // Begins a copy and returns its number. Its memory stays where it is until that has ended; asks for no memory. Error(forked) in a
  // forked child.
  std::uint64_t begin(const Transfer& transfer);
  // Waits until that copy has ended, with all before it. Throws the error of the first of these that failed; what came behind that
  // is not copied, and only drain is allowed then.
  void wait(std::uint64_t number);
  // Ends all that was begun, as soon as can be: nothing uses their memory afterwards. Then the queue is as new.
  void drain() noexcept;

 private:
  void serve();
  void copy(const Transfer& transfer) noexcept;

  base::BlockingQueue<base::SpscQueue<Transfer>, Transfer> transfers_;
  std::shared_ptr<Scratch> scratch_;
  User user_;
  std::uint64_t begun_ = 0;
  std::atomic<std::uint64_t> ended_{0};
  // The copy that failed, and its error: written by the thread, read by the other one once it has ended.
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
