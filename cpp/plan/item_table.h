// What is known of the items that are there, by item. The walk looks several up for every action, so this is a flat table: a few
// nanoseconds a look, and memory for what is live.
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

// Open addressing with linear probing; an entry that goes closes the gap behind it, so that nothing marks where it was.
template <class T>
class ItemTable {
 public:
  // nullptr when it is not there. Valid until the table changes.
  T* find(const ItemKey& key) {
    for (std::size_t at = home(key);; at = behind(at)) {
      Entry& entry = entries_[at];
      if (entry.key == key) return &entry.value;
      if (entry.key.item == Item::none) return nullptr;
    }
  }
  const T* find(const ItemKey& key) const { return const_cast<ItemTable*>(this)->find(key); }

  // The same, with value added where it is not there; true when it was.
  std::pair<T*, bool> find_or_add(const ItemKey& key, const T& value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    for (std::size_t at = home(key);; at = behind(at)) {
      Entry& entry = entries_[at];
      if (entry.key == key) return {&entry.value, true};
      if (entry.key.item != Item::none) continue;
      entry = {key, value};
      ++size_;
      return {&entry.value, false};
    }
  }

  // key is not there.
  void add(const ItemKey& key, const T& value) {
    if (2 * (size_ + 1) > entries_.size()) grow();
    put({key, value});
    ++size_;
  }

  // key is there.
  void erase(const ItemKey& key) {
    std::size_t gap = home(key);
    while (!(entries_[gap].key == key)) gap = behind(gap);
    close(gap);
  }

  // Where value is what is there under key.
  void erase_if(const ItemKey& key, const T& value) {
    std::size_t at = home(key);
    while (entries_[at].key.item != Item::none && !(entries_[at].key == key)) at = behind(at);
    if (entries_[at].key.item != Item::none && entries_[at].value == value) close(at);
  }

  std::size_t size() const { return size_; }

  // In no order.
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
  std::size_t behind(std::size_t at) const { return (at + 1) & mask(); }

  // Neighbours in a chain get neighbouring places: three kinds of items, few options and micro-batches.
  std::size_t home(const ItemKey& key) const {
    const auto low = static_cast<std::uint64_t>(key.index) * 4 + static_cast<std::uint64_t>(key.item);
    const std::uint64_t high = static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.option)) * 0x9e3779b97f4a7c15U +
                               static_cast<std::uint64_t>(static_cast<std::uint32_t>(key.micro_batch)) * 0xc2b2ae3d27d4eb4fU;
    return static_cast<std::size_t>(low + (high >> 20)) & mask();
  }

  void close(std::size_t gap) {
    for (std::size_t at = behind(gap); entries_[at].key.item != Item::none; at = behind(at)) {
      // An entry may move back as far as its home.
      if (((at - home(entries_[at].key)) & mask()) < ((at - gap) & mask())) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap].key.item = Item::none;
    --size_;
  }

  void put(const Entry& entry) {
    std::size_t at = home(entry.key);
    while (entries_[at].key.item != Item::none) at = behind(at);
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
