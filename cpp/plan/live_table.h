// A table of live buffers. Memory is proportional to the live buffers, not to all that ever existed.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "plan/walk.h"

namespace ckpt::plan {

// Ids are added in ascending order, and recent ones are mostly removed first: hence a sorted array searched from its end.
template <class T>
class LiveTable {
 public:
  // id: greater than all before it.
  void add(BufferId id, T value) { entries_.push_back({id, true, std::move(value)}); }

  // Removes id, which must be present.
  T take(BufferId id) {
    Entry& entry = find(id);
    T value = std::move(entry.value);
    entry.live = false;
    ++dead_;
    while (!entries_.empty() && !entries_.back().live) {
      entries_.pop_back();
      --dead_;
    }
    if (dead_ > entries_.size() / 2) {
      std::erase_if(entries_, [](const Entry& each) { return !each.live; });
      dead_ = 0;
    }
    return value;
  }

 private:
  struct Entry {
    BufferId id;
    bool live;
    T value;
  };

  Entry& find(BufferId id) {
    constexpr std::ptrdiff_t near = 4;
    const std::ptrdiff_t count = std::ssize(entries_);
    for (std::ptrdiff_t back = 1; back <= std::min(near, count); ++back) {
      if (Entry& entry = *(entries_.end() - back); entry.id == id) return entry;
    }
    return *std::lower_bound(entries_.begin(), entries_.end(), id,
                             [](const Entry& entry, BufferId wanted) { return entry.id < wanted; });
  }

  std::vector<Entry> entries_;
  std::size_t dead_ = 0;
};

}  // namespace ckpt::plan
