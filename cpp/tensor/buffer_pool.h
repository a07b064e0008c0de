// Memory for tensors: 64-byte aligned buffers that are kept and reused when they come back. Synchronised.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "memory/tracker.h"

namespace ckpt::tensor {

class BufferPool;

// One buffer, given back to its pool when it goes. The pool stays alive as long as a buffer does.
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
  std::int64_t bytes_ = 0;     // as asked
  std::int64_t reserved_ = 0;  // as taken from the system
  memory::AllocationId allocation_ = 0;
};

struct BufferPoolStats {
  std::int64_t live_bytes = 0;      // asked for and not given back
  std::int64_t reserved_bytes = 0;  // taken from the system: live, rounded up, and kept for reuse
  std::int64_t live_buffers = 0;
  std::int64_t reused = 0;          // takes that needed no memory from the system
  std::int64_t taken = 0;           // all takes
};

class BufferPool : public std::enable_shared_from_this<BufferPool> {
 public:
  // tracker (may be nullptr) learns of every buffer under the layer name given.
  static std::shared_ptr<BufferPool> create(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name);
  ~BufferPool();

  // bytes >= 0; 0 gives a buffer whose data is nullptr. Error(out_of_memory) when the system has none.
  Buffer take(std::int64_t bytes);
  // Gives memory that is kept for reuse back to the system.
  void trim();
  BufferPoolStats stats() const;

 private:
  friend class Buffer;
  struct State;
  BufferPool(std::shared_ptr<memory::Tracker> tracker, const std::string& layer_name);
  void give_back(Buffer& buffer) noexcept;
  std::unique_ptr<State> state_;
};

// The pool of tensors for which no pool was given. Keeps nothing for reuse beyond a few buffers of each size class.
const std::shared_ptr<BufferPool>& default_buffer_pool();

}  // namespace ckpt::tensor
