// The buffers that a pool keeps for reuse, found by size and by age. A kept buffer is its own list node, so keeping one needs no
// memory and cannot fail. Not synchronised.
#pragma once

#include <boost/intrusive/list.hpp>
#include <cstdint>
#include <map>

namespace ckpt::tensor {

// Lies at the beginning of a kept buffer.
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

  // A kept buffer of this size, or nullptr: then one more buffer of the size is expected from the system. May throw bad_alloc.
  void* take_or_expect(std::int64_t size);
  // Keeps a buffer that take_or_expect returned or led to.
  void keep(void* data, std::int64_t size) noexcept;
  // The buffer that was expected, or taken, is no longer there.
  void forget(std::int64_t size) noexcept;
  // Moves the oldest buffers over to evicted until at most keep_bytes are kept.
  void evict(std::int64_t keep_bytes, ByAge& evicted) noexcept;

  std::int64_t bytes() const noexcept { return bytes_; }
  std::int64_t count() const noexcept { return count_; }

 private:
  using BySize =
      boost::intrusive::list<KeptBuffer, boost::intrusive::constant_time_size<false>,
                             boost::intrusive::member_hook<KeptBuffer, boost::intrusive::list_member_hook<>, &KeptBuffer::by_size>>;
  struct SizeClass {
    BySize kept;               // the one that was returned last in front: its memory is warm
    std::int64_t buffers = 0;  // kept, and out: while there are any, the class stays, so that keep() finds it
  };
  std::map<std::int64_t, SizeClass> sizes_;
  ByAge ages_;  // the oldest in front
  std::int64_t bytes_ = 0;
  std::int64_t count_ = 0;
};

// Memory from and to the system, aligned for buffers; nullptr when there is none.
void* system_allocate(std::int64_t size) noexcept;
void system_free(void* data) noexcept;

}  // namespace ckpt::tensor
