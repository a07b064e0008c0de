#include "storage/transfer_queue.h"

#include <utility>

#include "base/entered.h"

namespace ckpt::storage {

TransferQueue::TransferQueue(std::shared_ptr<Scratch> scratch, User user, Direction direction, std::int64_t capacity)
    : transfers_(capacity), scratch_(std::move(scratch)), user_(std::move(user)), direction_(direction) {
  thread_ = std::make_unique<base::Thread>(direction == Direction::store ? "ckpt-store" : "ckpt-load", [this] { serve(); });
}

TransferQueue::~TransferQueue() {
  if (generation_ != base::fork_generation()) return;
  drain();
  transfers_.close();
}

std::uint64_t TransferQueue::begin(const Transfer& transfer) {
  transfers_.push(transfer, -1);
  return begun_++;
}

void TransferQueue::wait(std::uint64_t number) {
  progressed_.wait([&] { return ended_.load(std::memory_order_acquire) > number; }, -1);
  if (failed_.load(std::memory_order_acquire) <= number) throw base::Error(status_, message_);
}

void TransferQueue::drain() noexcept {
  if (generation_ != base::fork_generation()) return;
  stop_.store(true, std::memory_order_release);
  progressed_.wait([&] { return ended_.load(std::memory_order_acquire) == begun_; }, -1);
  stop_.store(false, std::memory_order_release);
  failed_.store(none, std::memory_order_release);
}

void TransferQueue::serve() {
  const base::Entered first(user_.at_work[0]);
  const base::Entered second(user_.at_work[1]);
  Transfer transfer;
  while (transfers_.pop(transfer, -1) == base::QueueResult::done) {
    if (!stop_.load(std::memory_order_acquire) && failed_.load(std::memory_order_acquire) == none) copy(transfer);
    ended_.fetch_add(1, std::memory_order_release);
    progressed_.wake_all();
  }
}

void TransferQueue::copy(const Transfer& transfer) noexcept {
  try {
    const auto bytes = static_cast<std::size_t>(transfer.bytes);
    if (direction_ == Direction::store) {
      scratch_->write(transfer.offset, {transfer.memory, bytes}, stop_);
    } else {
      scratch_->read(transfer.offset, {transfer.memory, bytes}, stop_);
    }
  } catch (...) {
    const base::CurrentError error = base::current_error();
    status_ = error.status;
    try {
      message_ = base::cat(user_.name, ", slot ", transfer.slot, ": ", error.message);
    } catch (...) {
      message_.clear();  // out of memory for the message
    }
    failed_.store(ended_.load(std::memory_order_relaxed), std::memory_order_release);
  }
}

}  // namespace ckpt::storage
