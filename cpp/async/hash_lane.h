// Computes checksums on a separate thread. Used by one other thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>

#include "base/os/thread.h"
#include "base/queue.h"
#include "state/tensor_writer.h"

namespace ckpt::async {

class HashLane final : public state::FileHasher {
 public:
  explicit HashLane(std::int32_t nice);
  ~HashLane() override;

  void add(const Part& part) override;
  std::uint64_t added() const noexcept override { return added_; }
  // Waits until this many of all items ever added are done.
  void wait_for(std::uint64_t count) override;
  Digests finish() override;

 private:
  void serve();

  base::BlockingQueue<base::SpscQueue<Part>, Part> parts_{256};
  std::uint64_t added_ = 0;
  std::atomic<std::uint64_t> done_{0};
  std::atomic<bool> has_failed_{false};  // out of memory for a digest
  base::WaitPoint progressed_;
  std::uint64_t generation_ = base::fork_generation();
  std::unique_ptr<base::Thread> thread_;
};

}  // namespace ckpt::async
