// A one-way street between two neighbouring pieces: a bounded number of buffers that go to and fro through two lock-free queues.
// One thread sends, one receives; both wait spinning shortly, then parked.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "base/queue.h"
#include "memory/tracker.h"
#include "tensor/tensor.h"

namespace ckpt::pipeline {

// Thrown on a stage's thread when the step was stopped elsewhere: who stopped it knows why.
struct Stopped {};

class Link {
 public:
  // places buffers of `bytes` each, counted by tracker under `layer` while they are full.
  Link(std::int64_t places, std::int64_t bytes, std::shared_ptr<memory::Tracker> tracker, memory::LayerId layer);

  // Throws Stopped when stop becomes true before there is a place.
  void send(std::int32_t micro_batch, const void* data, const std::atomic<bool>& stop);
  // Throws Stopped when stop becomes true before something came; Error(internal) when it is another micro-batch.
  void receive(std::int32_t micro_batch, void* data, const std::atomic<bool>& stop);
  // After stop became true: wakes whoever waits.
  void wake() noexcept;
  // Empties the street; only while no stage sends or receives.
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
  // On cache lines of their own: each is written by one end and polled by the other.
  alignas(64) base::SpscQueue<std::int32_t> full_;
  alignas(64) base::SpscQueue<std::int32_t> empty_;
  alignas(64) base::WaitPoint arrived_;
  alignas(64) base::WaitPoint freed_;
};

}  // namespace ckpt::pipeline
