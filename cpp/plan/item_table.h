// A hash table of live items. The walk looks up several items for every action, so this is a flat table: a few nanoseconds per
// lookup, and memory proportional to the live items.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/action.h"

namespace ckpt::plan {

struct ItemKey {
  Item item = Item::none;
  std::int32_t option = 0;
  std::int32_t micro_batch = 0;
  std::int64_t index = 0;

  friend bool operator==(const ItemKey&, const ItemKey&) = default;
};

// Open addressing with linear probing; erasing an entry shifts later ones back, so that no tombstones are needed.
template <class T>
class ItemTable {
 public:
  // Returns nullptr if the key is missing. Valid until the table changes.
  T* find(const ItemKey& key) {
    for (std::size_t at = home(key);; at = next_place(at)) {
      Entry& entry = entries_[at];
      if (entry.key == key) return &entry.value;
      if (entry.key.item == Item::none) return nullptr;
    }
  }
  const T* find(const ItemKey& key) const { return const_cast<ItemTable*>(this)->find(key); }

  // The same, but adds value if the key is missing; the second result is true if the key existed.
  std::pair<T*, bool> find_or_add(const ItemKey& key, const T& value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    for (std::size_t at = home(key);; at = next_place(at)) {
      Entry& entry = entries_[at];
      if (entry.key == key) return {&entry.value, true};
      if (entry.key.item != Item::none) continue;
      entry = {key, value};
      ++size_;
      return {&entry.value, false};
    }
  }

  // key must be missing.
  void add(const ItemKey& key, const T& value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    put({key, value});
    ++size_;
  }

  // key must be present.
  void erase(const ItemKey& key) {
    std::size_t gap = home(key);
    while (!(entries_[gap].key == key)) gap = next_place(gap);
    close(gap);
  }

  // Erases key if value is stored under it.
  void erase_if(const ItemKey& key, const T& value) {
    std::size_t at = home(key);
    while (entries_[at].key.item != Item::none && !(entries_[at].key == key)) at = next_place(at);
    if (entries_[at].key.item != Item::none && entries_[at].value == value) close(at);
  }

  std::size_t size() const { return size_; }

  // In unspecified order.
  template <class Each>
  void for_each(Each&& each) const {
    for (const Entry& entry : entries_) {
      if (entry.key.item != Item::none) each(entry.key, entry.value);
    }
  }

 private:
  struct Entry {
    ItemKey key;
    T value;
  };

  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next_place(std::size_t at) const { return (at + 1) & mask(); }

  // Neighbours in a chain get neighbouring places: three kinds of items, few options and micro-batches.
  std::size_t home(const ItemKey& key) const {
    const auto low = static_cast<std::uint64_t>(key.index) * 4 + static_cast<std::uint64_t>(key.item);
    const std::uint64_t high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.option)) * 0x9e3779b97f4a7c15U +
                               static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.micro_batch)) * 0xc2b2ae3d27d4eb4fU;
    return static_cast<std::size_t>(low + (high >> 20)) & mask();
  }

  void close(std::size_t gap) {
    for (std::size_t at = next_place(gap); entries_[at].key.item != Item::none; at = next_place(at)) {
      // An entry may move back only as far as its home position.
      if (((at - home(entries_[at].key)) & mask()) < ((at - gap) & mask())) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap].key.item = Item::none;
    --size_;
  }

  void put(const Entry& entry) {
    std::size_t at = home(entry.key);
    while (entries_[at].key.item != Item::none) at = next_place(at);
    entries_[at] = entry;
  }

  void grow() {
    const std::vector<Entry> before = std::exchange(entries_, std::vector<Entry>(2 * entries_.size()));
    for (const Entry& entry : before) {
      if (entry.key.item != Item::none) put(entry);
    }
  }

  std::vector<Entry> entries_ = std::vector<Entry>(64);
  std::size_t size_ = 0;
};

}  // namespace ckpt::plan
