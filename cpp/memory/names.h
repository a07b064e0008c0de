// Layer names and their dense numbers. Looking up takes no lock; adding is for one thread at a time.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
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

  // The name's number; no_layer when it is not known. likely(number) runs as soon as it is all but certain, so that what the caller
  // needs next is fetched while the text is still compared.
  template <class Likely>
  LayerId find(std::string_view name, Likely&& likely) const noexcept {
    const std::uint32_t hash = hash_of(name);
    const Table& table = *table_.load(std::memory_order_acquire);
    for (std::size_t index = hash & table.mask;; index = (index + 1) & table.mask) {
      const Place& place = table.places[index];
      const Entry* const entry = place.entry.load(std::memory_order_acquire);
      if (entry == nullptr) return no_layer;
      if (place.hash != hash) continue;
      likely(place.layer);
      if (entry->length == name.size() && same(entry->text(), name.data(), name.size())) return place.layer;
    }
  }
  LayerId find(std::string_view name) const noexcept {
    return find(name, [](LayerId) {});
  }
  // Adds a name that is not known and returns its number. ready(number) runs just before the name can be found; it must not throw.
  // When add throws, nothing changed.
  LayerId add(std::string_view name, const std::function<void(LayerId)>& ready);
  // A known number's name, NUL-terminated; stays valid as long as this object.
  std::string_view name(LayerId layer) const noexcept { return entries_[static_cast<std::uint32_t>(layer)]->name(); }
  // Names known; every number below is readable.
  std::int64_t count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  // The text follows in the same cache line, when it is short enough.
  struct Entry {
    std::size_t length;
    const char* text() const noexcept { return reinterpret_cast<const char*>(this + 1); }
    std::string_view name() const noexcept { return {text(), length}; }
  };
  struct alignas(64) Line {
    std::byte bytes[64];
  };
  // hash and layer are written before entry is, and never again: who sees an entry sees them.
  struct Place {
    std::atomic<const Entry*> entry{nullptr};
    std::uint32_t hash = 0;
    LayerId layer = no_layer;
  };
  // Open addressing with linear probing, four places in a cache line, at most three quarters full; nothing is ever removed. The hash
  // is kept beside the pointer, so that a lookup among many names misses the cache twice: in the table and at the right text.
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), places(size) {}
    void insert(std::uint32_t hash, LayerId layer, const Entry* entry) noexcept;
    std::size_t mask;
    std::vector<Place> places;
  };

  static std::uint64_t load(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  // Both halves of the product of two words, folded: one multiplication mixes 16 bytes. The scheme of wyhash (Wang Yi, public
  // domain) and XXH3. Names come from the program itself, not from an attacker.
  static std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
    __extension__ using Wide = unsigned __int128;
    const Wide product = static_cast<Wide>(a) * b;
    return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
  }

  static std::uint32_t hash_of(std::string_view name) noexcept {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15;  // 2^64 divided by the golden ratio
    constexpr std::uint64_t other = 0xBF58476D1CE4E5B9;
    const char* at = name.data();
    const std::size_t size = name.size();
    std::uint64_t hash = odd ^ size;
    if (size >= 16) [[likely]] {
      const char* const last = at + size - 16;
      for (; at < last; at += 16) hash = fold(load(at) ^ hash, load(at + 8) ^ other);
      hash = fold(load(last) ^ hash, load(last + 8) ^ other);
    } else if (size >= 8) {
      hash = fold(load(at) ^ hash, load(at + size - 8) ^ other);
    } else {
      std::uint64_t word = 0;
      for (std::size_t i = 0; i < size; ++i) word = word << 8 | static_cast<unsigned char>(at[i]);
      hash = fold(word ^ hash, other);
    }
    return static_cast<std::uint32_t>(hash ^ hash >> 32);
  }

  static bool same(const char* a, const char* b, std::size_t size) noexcept {
    if (size < 8) {
      for (std::size_t i = 0; i < size; ++i) {
        if (a[i] != b[i]) return false;
      }
      return true;
    }
    std::uint64_t difference = load(a + size - 8) ^ load(b + size - 8);
    for (std::size_t i = 0; i + 8 < size; i += 8) difference |= load(a + i) ^ load(b + i);
    return difference == 0;
  }

  Entry* make_entry(std::string_view name);

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
