// Hash table from names to numbers. It refers to the callers' names instead of copying them: no allocation per name for 100,000
// tensors.
#pragma once

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string_view>
#include <vector>

namespace ckpt::state {

// Open addressing with linear probing.
class NameTable {
 public:
  NameTable() = default;
  // names: expected count; the table grows if it is exceeded.
  explicit NameTable(std::size_t names) { resize(names); }

  // A name can have several numbers.
  void add(std::string_view name, std::size_t number) {
    if (2 * (count_ + 1) > slots_.size()) resize(2 * (count_ + 1));
    ++count_;
    put({hash_of_name(name), number + 1});
  }

  // Returns whether test(number) returns true for a number of this name. test is also called for other names with the same hash, so
  // it must compare the names.
  template <class Test>
  bool any(std::string_view name, Test&& test) const {
    if (slots_.empty()) return false;
    const std::size_t hash = hash_of_name(name);
    for (std::size_t at = hash & mask(); slots_[at].next != 0; at = (at + 1) & mask()) {
      if (slots_[at].hash == hash && test(slots_[at].next - 1)) return true;
    }
    return false;
  }

 private:
  struct Slot {
    std::size_t hash = 0;
    std::size_t next = 0;  // number + 1; 0: free slot
  };
  static constexpr std::size_t fewest_slots = 16;

  static std::size_t hash_of_name(std::string_view name) { return std::hash<std::string_view>()(name); }
  std::size_t mask() const { return slots_.size() - 1; }

  void put(const Slot& slot) {
    std::size_t at = slot.hash & mask();
    while (slots_[at].next != 0) at = (at + 1) & mask();
    slots_[at] = slot;
  }

  void resize(std::size_t names) {
    std::vector<Slot> before(std::max(fewest_slots, std::bit_ceil(2 * names)));
    before.swap(slots_);
    for (const Slot& slot : before) {
      if (slot.next != 0) put(slot);
    }
  }

  std::vector<Slot> slots_;  // size: a power of two; at most half are used
  std::size_t count_ = 0;
};

}  // namespace ckpt::state
