// The buffers that a pool keeps for reuse, indexed by size and by age. The list node is stored in the buffer itself, so keeping
// one needs no memory and cannot fail. Not thread-safe.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <map>

namespace ckpt::tensor {

// Stored at the beginning of a kept buffer.
struct KeptBuffer {
  std::int64_t size = 0;
  boost::intrusive::list_member_hook<> by_age;
  boost::intrusive::list_member_hook<> by_size;
};

class KeptBuffers {
 public:
  using ByAge =
      boost::intrusive::list<KeptBuffer, boost::intrusive::constant_time_size<false>,
                             boost::intrusive::member_hook<KeptBuffer, boost::intrusive::list_member_hook<>, &KeptBuffer::by_age>>;

  // Returns a kept buffer of this size; nullptr if there is none, and then reserves for one more buffer of this size. May throw
  // bad_alloc.
  void* take_or_reserve(std::int64_t size);
  // Keeps a buffer that take_or_reserve returned or reserved for.
  void keep(void* data, std::int64_t size) noexcept;
  // Drops the accounting of a buffer that was reserved for, or taken, and no longer exists.
  void drop_reservation(std::int64_t size) noexcept;
  // Moves the oldest buffers to evicted until at most keep_bytes are kept.
  void evict(std::int64_t keep_bytes, ByAge& evicted) noexcept;

  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t count() const noexcept { return count_; }

 private:
  using BySize =
      boost::intrusive::list<KeptBuffer, boost::intrusive::constant_time_size<false>,
                             boost::intrusive::member_hook<KeptBuffer, boost::intrusive::list_member_hook<>, &KeptBuffer::by_size>>;
  struct SizeClass {
    BySize kept;               // most recently returned first: its memory is still cached
    std::int64_t buffers = 0;  // kept and in use; the class is erased only when it is 0, so that keep() always finds it
  };
  std::map<std::int64_t, SizeClass> sizes_;
  ByAge ages_;  // oldest first
  std::int64_t bytes_ = 0;
  std::int64_t count_ = 0;
};

// Allocates from and releases to the system, aligned for buffers; nullptr if out of memory.
void* system_allocate(std::int64_t size) noexcept;
void system_free(void* data) noexcept;

}  // namespace ckpt::tensor
