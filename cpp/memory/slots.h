// The table of live allocations: one slot each, found by id in constant time, linked in one list per layer. Not thread-safe.
#pragma once

#include <cstdint>

#include "memory/chunks.h"
#include "memory/stats.h"

namespace ckpt::memory {

// The end of a list.
constexpr std::uint32_t no_slot = UINT32_MAX;

struct Slot {
  std::int64_t bytes;
  std::int64_t allocated_ns;
  std::uint64_t sequence;
  LayerId layer;
  std::uint32_t generation;  // odd while live; incremented when the slot is taken and when it is released
  std::uint32_t previous;    // of the same layer
  std::uint32_t next;        // of the same layer; of the free list when not live
};

// An id combines a slot's index and generation, so a freed id never matches a later allocation in the same slot.
class Slots {
 public:
  // first_generation: even; initial generation of new slots (for tests).
  explicit Slots(std::uint32_t first_generation = 0) : first_generation_(first_generation) {}

  // Returns a free slot and marks it live; no_slot if the table has to grow.
  std::uint32_t take() noexcept {
    std::uint32_t index = free_;
    if (index != no_slot) [[likely]] {
      Slot& slot = slots_[index];
      free_ = slot.next;
      ++slot.generation;
      return index;
    }
    if (used_ >= slots_.capacity()) return no_slot;
    index = static_cast<std::uint32_t>(used_++);
    slots_[index].generation = first_generation_ + 1;
    return index;
  }

  void release(std::uint32_t index) noexcept {
    Slot& slot = slots_[index];
    // A slot that has used all its generations is retired: its ids would repeat.
    if (++slot.generation == 0) [[unlikely]]
      return;
    slot.next = free_;
    free_ = index;
  }

  AllocationId id_of(std::uint32_t index) const noexcept { return AllocationId{slots_[index].generation} << 32 | index; }

  // Returns the live slot of an id; no_slot if there is none.
  std::uint32_t find(AllocationId id) const noexcept {
    const auto index = static_cast<std::uint32_t>(id);
    const auto generation = static_cast<std::uint32_t>(id >> 32);
    return index < used_ && generation % 2 == 1 && slots_[index].generation == generation ? index : no_slot;
  }

  Slot& operator[](std::uint32_t index) noexcept { return slots_[index]; }
  const Slot& operator[](std::uint32_t index) const noexcept { return slots_[index]; }

  // Returns the number of slots that were ever live.
  std::int64_t used() const noexcept { return used_; }
  bool has_place() const noexcept { return free_ != no_slot || used_ < slots_.capacity(); }
  Chunks<Slot>& chunks() noexcept { return slots_; }

 private:
  Chunks<Slot> slots_;
  std::int64_t used_ = 0;
  std::uint32_t free_ = no_slot;
  std::uint32_t first_generation_;
};

}  // namespace ckpt::memory
