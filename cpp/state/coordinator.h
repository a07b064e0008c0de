// Communication between the processes of a run: ranks, and the collective operations that a sharded checkpoint needs.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace ckpt::state {

// Every process calls the same operations in the same order. Each waits at most timeout for all processes: Error(timeout). After a
// timeout the coordinator cannot be used any more.
class Coordinator {
 public:
  using Timeout = std::chrono::nanoseconds;

  virtual ~Coordinator() = default;
  virtual std::int64_t rank() const noexcept = 0;        // 0 .. world_size - 1
  virtual std::int64_t world_size() const noexcept = 0;  // at least 1
  // Returns when all processes have called it.
  virtual void barrier(Timeout timeout) = 0;
  // Sends root's bytes to all; every process passes the same number of bytes.
  virtual void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout) = 0;
  // Sends every process's bytes to all: received is world_size times as long as sent, in the order of ranks.
  virtual void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout) = 0;
  // Sends every process's bytes to root: received is as in all_gather on root and empty elsewhere. The default implementation uses
  // all_gather and allocates world_size times the bytes on every process.
  virtual void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout);
};

// Rank 0 of 1.
std::shared_ptr<Coordinator> make_single_process();

}  // namespace ckpt::state
