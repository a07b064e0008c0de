// Layer names and their dense numbers. Looking up takes no lock; adding is for one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string_view>
#include <vector>

#include "memory/chunks.h"
#include "memory/stats.h"

namespace ckpt::memory {

class Names {
 public:
  Names();

  // The name's number; no_layer when it is not known.
  LayerId find(std::string_view name) const noexcept;
  // Adds a name that is not known and returns its number. ready(number) runs just before the name can be found; it must not throw.
  // When add throws, nothing changed.
  LayerId add(std::string_view name, const std::function<void(LayerId)>& ready);
  // A known number's name, NUL-terminated; stays valid as long as this object.
  std::string_view name(LayerId layer) const noexcept { return entries_[static_cast<std::uint32_t>(layer)]->name(); }
  // Names known; every number below is readable.
  std::int64_t count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  // The text follows in the same cache lines, so that a lookup among many names misses the cache twice: in the table and here.
  struct Entry {
    std::uint32_t hash;
    LayerId layer;
    std::size_t length;
    std::string_view name() const noexcept { return {reinterpret_cast<const char*>(this + 1), length}; }
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  // Open addressing with linear probing, never more than half full, nothing is ever removed.
  struct Table {
    explicit Table(std::size_t places) : mask(places - 1), entries(places) {}
    void insert(const Entry* entry) noexcept;
    std::size_t mask;
    std::vector<std::atomic<const Entry*>> entries;
  };

  Entry* make_entry(std::string_view name, LayerId layer);

  std::vector<std::unique_ptr<Line[]>> blocks_;
  std::size_t free_lines_ = 0;  // at the end of the last block
  Line* next_line_ = nullptr;
  Chunks<const Entry*> entries_;
  std::atomic<std::int64_t> count_{0};
  std::atomic<const Table*> table_;
  // Readers may still be in an outgrown table, so it stays: together they are no larger than the last.
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace ckpt::memory
