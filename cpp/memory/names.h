// Layer names and their dense numbers. Looking up takes no lock; adding is for one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
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
  const std::string& name(LayerId layer) const noexcept { return entries_[static_cast<std::uint32_t>(layer)].name; }
  // Names known; every number below is readable.
  std::int64_t count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  struct Entry {
    std::string name;
    std::size_t hash = 0;
    LayerId layer = no_layer;
  };
  // Open addressing with linear probing, never more than half full, nothing is ever removed.
  struct Table {
    explicit Table(std::size_t places) : mask(places - 1), entries(places) {}
    void insert(const Entry* entry) noexcept;
    std::size_t mask;
    std::vector<std::atomic<const Entry*>> entries;
  };

  Chunks<Entry> entries_;
  std::atomic<std::int64_t> count_{0};
  std::atomic<const Table*> table_;
  // Readers may still be in an outgrown table, so it stays: together they are no larger than the last.
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace ckpt::memory
