// How the processes of one run find one another: ranks, and the few collective operations that a checkpoint of many needs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ckpt::state {

// Every process calls the same operations in the same order. Each waits for all, at most for timeout: Error(timeout). After that
// the coordinator is of no more use.
class Coordinator {
 public:
  using Timeout = std::chrono::nanoseconds;

  virtual ~Coordinator() = default;
  virtual std::int64_t rank() const noexcept = 0;        // 0 .. world_size - 1
  virtual std::int64_t world_size() const noexcept = 0;  // at least 1
  // Returns when all have called it.
  virtual void barrier(Timeout timeout) = 0;
  // root's bytes to all; every process sends as many.
  virtual void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) = 0;
  // Every process's bytes to all: received holds world_size times as many as sent, in the order of ranks.
  virtual void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) = 0;
  // Every process's bytes to root: received is as in all_gather there and empty elsewhere. Without one of its own a coordinator
  // takes all_gather, in memory of world_size times the bytes on every process.
  virtual void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout);
};

// Rank 0 of 1.
std::shared_ptr<Coordinator> make_single_process();

}  // namespace ckpt::state
