// A one-way channel between two adjacent pieces: a bounded number of buffers that circulate through two lock-free queues. One
// thread sends, one receives; both spin briefly, then park.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/queue.h"
#include "memory/tracker.h"
#include "tensor/tensor.h"

namespace ckpt::pipeline {

// Thrown on a stage's thread if the step was stopped elsewhere; the reason is recorded there.
struct Stopped {};

class Link {
 public:
  // places buffers of `bytes` each, counted by tracker under `layer` while they are full.
  Link(std::int64_t places, std::int64_t bytes, std::shared_ptr<memory::Tracker> tracker, memory::LayerId layer);

  // Throws Stopped if stop becomes true before a place is free.
  void send(std::int32_t micro_batch, const void* data, const std::atomic<bool>& stop);
  // Throws Stopped if stop becomes true before a buffer arrives; Error(internal) if it is another micro-batch.
  void receive(std::int32_t micro_batch, void* data, const std::atomic<bool>& stop);
  // Wakes all waiting threads; call after setting stop.
  void wake() noexcept;
  // Empties the channel; only while no stage sends or receives.
  void drain();

  std::int64_t places() const noexcept { return static_cast<std::int64_t>(slots_.size()); }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  struct Slot {
    std::shared_ptr<tensor::Tensor> buffer;
    std::int32_t micro_batch = 0;
    memory::AllocationId allocation = 0;
  };
  void free(Slot& slot);

  std::int64_t bytes_;
  std::shared_ptr<memory::Tracker> tracker_;
  memory::LayerId layer_;
  std::vector<Slot> slots_;
  // On separate cache lines: each is written by one end and polled by the other.
  alignas(64) base::SpscQueue<std::int32_t> full_;
  alignas(64) base::SpscQueue<std::int32_t> empty_;
  alignas(64) base::WaitPoint arrived_;
  alignas(64) base::WaitPoint freed_;
};

}  // namespace ckpt::pipeline
