// The driver's tables: rows of live entries in order of insertion, and the set of live handles. Memory is proportional to the
// live entries; nothing is allocated per action.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "plan/item_table.h"

namespace ckpt::plan {

// Items of a step's only micro-batch.
inline ItemKey input_key(std::int64_t index) { return {Item::input, 0, 0, index}; }
inline ItemKey grad_key(std::int64_t index) { return {Item::grad, 0, 0, index}; }
inline ItemKey tape_key(std::int64_t layer, std::int32_t option) { return {Item::tape, option, 0, layer}; }

// Entries with stable indices until they are removed; iterated from the newest to the oldest.
template <class T>
class Row {
 public:
  static constexpr std::int32_t none = -1;

  // After this call the next add does not allocate.
  void reserve_entry() {
    if (free_ == none && nodes_.size() == nodes_.capacity()) nodes_.reserve(2 * nodes_.size() + 16);
  }

  std::int32_t add(const T& value) {
    std::int32_t at = free_;
    if (at == none) {
      at = static_cast<std::int32_t>(nodes_.size());
      nodes_.push_back({});
    } else {
      free_ = node(at).older;
    }
    node(at) = {value, newest_, none};
    if (newest_ != none) node(newest_).newer = at;
    newest_ = at;
    return at;
  }

  void remove(std::int32_t at) {
    const Node gone = node(at);
    if (gone.older != none) node(gone.older).newer = gone.newer;
    (gone.newer != none ? node(gone.newer).older : newest_) = gone.older;
    node(at).older = free_;
    free_ = at;
  }

  T& operator[](std::int32_t at) { return node(at).value; }
  std::int32_t newest() const { return newest_; }
  std::int32_t older(std::int32_t at) const { return nodes_[static_cast<std::size_t>(at)].older; }

 private:
  struct Node {
    T value{};
    std::int32_t older = none;  // or the next free entry
    std::int32_t newer = none;
  };
  Node& node(std::int32_t at) { return nodes_[static_cast<std::size_t>(at)]; }

  std::vector<Node> nodes_;
  std::int32_t newest_ = none;
  std::int32_t free_ = none;
};

// Open addressing with linear probing, as in ItemTable. NULL is not a valid handle.
class HandleSet {
 public:
  bool contains(const void* handle) const {
    for (std::size_t at = home(handle);; at = next_place(at)) {
      if (entries_[at] == handle) return true;
      if (entries_[at] == nullptr) return false;
    }
  }

  // After this call the next add does not allocate.
  void reserve_entry() {
    if (2 * (size_ + 1) <= entries_.size()) return;
    std::vector<const void*> before(2 * entries_.size());
    before.swap(entries_);
    for (const void* handle : before) {
      if (handle != nullptr) put(handle);
    }
  }

  // Returns false if the handle is already present. reserve_entry must have been called.
  bool add(const void* handle) {
    std::size_t at = home(handle);
    for (; entries_[at] != nullptr; at = next_place(at)) {
      if (entries_[at] == handle) return false;
    }
    entries_[at] = handle;
    ++size_;
    return true;
  }

  // handle must be present.
  void erase(const void* handle) {
    std::size_t gap = home(handle);
    while (entries_[gap] != handle) gap = next_place(gap);
    for (std::size_t at = next_place(gap); entries_[at] != nullptr; at = next_place(at)) {
      if (((at - home(entries_[at])) & mask()) < ((at - gap) & mask())) continue;
      entries_[gap] = entries_[at];
      gap = at;
    }
    entries_[gap] = nullptr;
    --size_;
  }

 private:
  std::size_t mask() const { return entries_.size() - 1; }
  std::size_t next_place(std::size_t at) const { return (at + 1) & mask(); }
  // Pointers differ mainly in their middle bits.
  std::size_t home(const void* handle) const {
    return static_cast<std::size_t>((reinterpret_cast<std::uintptr_t>(handle) * 0x9e3779b97f4a7c15U) >> 32) & mask();
  }
  void put(const void* handle) {
    std::size_t at = home(handle);
    while (entries_[at] != nullptr) at = next_place(at);
    entries_[at] = handle;
  }

  std::vector<const void*> entries_ = std::vector<const void*>(64);
  std::size_t size_ = 0;
};

}  // namespace ckpt::plan
