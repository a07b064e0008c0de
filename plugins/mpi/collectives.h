// Collective operations on a private duplicate of a communicator, each with a time-out.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include <mpi.h>

namespace ckpt::mpi {

// Every process calls the same operations in the same order. They run on the calling thread. After a time-out or an MPI error the
// object cannot be used any more. It then keeps its memory and its communicator permanently, because MPI may still have an
// operation in progress that writes there.
class Collectives {
 public:
  using Timeout = std::chrono::nanoseconds;

  // Collective. Errors as documented for ckpt_mpi_coordinator_create.
  Collectives(MPI_Comm comm, Timeout timeout);
  Collectives(const Collectives&) = delete;
  Collectives& operator=(const Collectives&) = delete;
  ~Collectives();

  std::int64_t rank() const noexcept { return rank_; }
  std::int64_t world_size() const noexcept { return world_size_; }
  void barrier(Timeout timeout);
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout timeout);
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout timeout);
  // received: empty unless this process is root. Returns when root has the bytes of all.
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout timeout);

 private:
  class Call;

  // The first message of an operation with data. Its size does not depend on the data, so that processes with different sizes
  // detect the mismatch.
  struct Opening {
    static constexpr std::size_t max = 248;
    std::int64_t bytes = 0;
    std::byte data[max] = {};
  };

  // The same for a broadcast. It can be larger, since no rank holds one per rank. Most broadcasts of libckpt fit into it.
  struct BroadcastOpening {
    static constexpr std::size_t max = 4096;
    std::int64_t bytes = 0;
    std::byte data[max] = {};
  };

  // The result of root's comparison of the openings of a gather; sent to all ranks.
  struct Mismatch {
    std::int64_t other = -1;  // a rank that passed a different number of bytes than root; -1: none
    std::int64_t other_bytes = 0;
    std::int64_t root_bytes = 0;
  };

  void wait(MPI_Request& request, const Call& call);
  void check(int code, const char* function);
  std::byte* buffer(std::size_t bytes);
  // Fails unless rank passed the same number of bytes as this process.
  void compare(std::int64_t rank, std::int64_t theirs, std::int64_t ours, const Call& call);
  void send_from_root(std::span<std::byte> bytes, std::int64_t root, const Call& call);
  void send_to_root(std::span<std::byte> bytes, std::byte* all, std::int64_t root, const Call& call);
  void agree(std::byte* memory, const Opening& ours, const std::byte* all, std::int64_t root, const Call& call);

  MPI_Comm comm_ = MPI_COMM_NULL;
  std::int64_t rank_ = 0;
  std::int64_t world_size_ = 1;
  std::int64_t process_ = 0;  // process that created this object
  std::mutex in_a_call_;
  std::vector<std::byte>* buffer_ = nullptr;  // never freed if MPI may still write to it
  std::string broken_;                        // why calls fail permanently; "": usable
};

}  // namespace ckpt::mpi
