// Memory for tensors: 64-byte aligned buffers that are kept and reused when they are returned. Thread-safe. In a forked child, a
// pool that another thread of the parent was in at the fork fails with Error(forked); its buffers can still be released.
#pragma once

#include <cstdint>
#include <limits>
#include <memory>
#include <string>

#include "memory/tracker.h"

namespace ckpt::tensor {

class BufferPool;

constexpr std::int64_t buffer_alignment = 64;
constexpr std::int64_t no_retain_limit = std::numeric_limits<std::int64_t>::max();
// The most that default_buffer_pool() keeps for reuse.
constexpr std::int64_t default_pool_retain_bytes = std::int64_t{64} << 20;

// One buffer, returned to its pool when it is destroyed. Keeps the pool alive.
class Buffer {
 public:
  Buffer() = default;
  Buffer(Buffer&& other) noexcept;
  Buffer& operator=(Buffer&& other) noexcept;
  ~Buffer();

  void* data() const noexcept { return data_; }
  std::int64_t bytes() const noexcept { return bytes_; }

 private:
  friend class BufferPool;
  std::shared_ptr<BufferPool> pool_;
  void* data_ = nullptr;
  std::int64_t bytes_ = 0;     // as requested
  std::int64_t reserved_ = 0;  // as allocated from the system
  memory::AllocationId allocation_ = 0;
};

struct BufferPoolStats {
  std::int64_t live_bytes = 0;      // requested and not returned
  std::int64_t reserved_bytes = 0;  // allocated from the system: live buffers rounded up to 64, and buffers kept for reuse
  std::int64_t live_buffers = 0;
  std::int64_t reused = 0;  // takes served from kept buffers
  std::int64_t taken = 0;   // all takes
  std::int64_t peak_reserved_bytes = 0;
  std::int64_t retained_bytes = 0;  // kept for reuse
  std::int64_t retained_buffers = 0;
};

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // tracker (may be nullptr) is notified of every live buffer with its requested bytes, under the given layer name. It is called
  // with no lock held, so its callbacks may use the pool. retain_limit (>= 0): the most bytes kept for reuse; beyond it, the
  // buffers returned first are released to the system.
  static std::shared_ptr<BufferPool> create(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name,
                                            std::int64_t retain_limit = no_retain_limit);
  ~BufferPool();

  // bytes >= 0; 0 returns a buffer with data nullptr, which is not counted. A buffer is reused only for the same size (rounded up
  // to 64), so no memory is lost to size classes. Fails with Error(out_of_memory) if the system has none even after a trim;
  // exceptions of the tracker propagate. A failure changes nothing.
  Buffer take(std::int64_t bytes);
  // Releases memory to the system until at most keep_bytes (>= 0) are kept for reuse.
  void trim(std::int64_t keep_bytes = 0);
  BufferPoolStats stats() const;
  std::int64_t retain_limit() const noexcept;
  // In a forked child: true if another thread was in the pool at the fork.
  bool is_lost() const noexcept;

 private:
  friend class Buffer;
  struct State;
  BufferPool(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name, std::int64_t retain_limit);
  void* system_memory(std::int64_t size);
  void put_back(Buffer& buffer) noexcept;
  std::unique_ptr<State> state_;
};

// The pool for tensors created without one: no tracker, keeps at most default_pool_retain_bytes.
const std::shared_ptr<BufferPool>& default_buffer_pool();

}  // namespace ckpt::tensor
