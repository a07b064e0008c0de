#include "pipeline/link.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace ckpt::pipeline {

Link::Link(std::int64_t places, std::int64_t bytes, std::shared_ptr<memory::Tracker> tracker, memory::LayerId layer)
    : bytes_(bytes), tracker_(std::move(tracker)), layer_(layer), full_(places), empty_(places) {
  for (std::int64_t i = 0; i < places; ++i) {
    slots_.push_back({tensor::Tensor::create(tensor::Dtype::u8, {bytes}), 0, 0});
    empty_.try_push(static_cast<std::int32_t>(i));
  }
}

void Link::send(std::int32_t micro_batch, const void* data, const std::atomic<bool>& stop) {
  std::int32_t number = -1;
  freed_.wait([&] { return empty_.try_pop(number) || stop.load(std::memory_order_acquire); }, -1);
  if (number < 0) throw Stopped();
  Slot& slot = slots_[static_cast<std::size_t>(number)];
  slot.micro_batch = micro_batch;
  if (bytes_ > 0) {
    slot.allocation = tracker_->allocate(layer_, bytes_);
    std::memcpy(slot.buffer->data(), data, static_cast<std::size_t>(bytes_));
  }
  full_.try_push(number);  // never full: the queue has as many places as there are slots
  arrived_.wake_all();
}

void Link::receive(std::int32_t micro_batch, void* data, const std::atomic<bool>& stop) {
  std::int32_t number = -1;
  arrived_.wait([&] { return full_.try_pop(number) || stop.load(std::memory_order_acquire); }, -1);
  if (number < 0) throw Stopped();
  Slot& slot = slots_[static_cast<std::size_t>(number)];
  const std::int32_t got = slot.micro_batch;
  if (bytes_ > 0) std::memcpy(data, slot.buffer->data(), static_cast<std::size_t>(bytes_));
  free(slot);
  empty_.try_push(number);
  freed_.wake_all();
  if (got != micro_batch) base::fail(base::Status::internal, "stage received micro-batch ", got, "; expected ", micro_batch);
}

void Link::wake() noexcept {
  arrived_.wake_all();
  freed_.wake_all();
}

void Link::drain() {
  for (std::int32_t number = 0; full_.try_pop(number);) empty_.try_push(number);
  // A thread that failed between taking a place and filling it left that place in neither queue.
  for (std::int32_t number = 0; empty_.try_pop(number);) {
  }
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    free(slots_[i]);
    empty_.try_push(static_cast<std::int32_t>(i));
  }
}

void Link::free(Slot& slot) {
  if (slot.allocation == 0) return;
  try {
    tracker_->free(std::exchange(slot.allocation, 0));
  } catch (const base::Error&) {
    // Already freed directly through the tracker's interface: nothing to undo.
  }
}

}  // namespace ckpt::pipeline
