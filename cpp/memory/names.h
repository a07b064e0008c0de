// Maps layer names to dense numbers. Lookups take no lock; adding needs external synchronization.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <string_view>
#include <tuple>
#include <vector>

#include "memory/chunks.h"
#include "memory/stats.h"

namespace ckpt::memory {

class Names {
 public:
  Names();

  // Returns the name's number; no_layer if it is unknown. Calls likely(number) once the match is almost certain, so that the
  // caller can prefetch its data while the string is still being compared.
  template <class Likely>
  LayerId find(std::string_view name, Likely&& likely) const noexcept {
    const std::uint32_t hash = hash_of(name);
    const Table& table = *table_.load(std::memory_order_acquire);
    // All words of the group are compared without a branch: which one matches is unpredictable.
    const Group& group = table.groups[hash & table.mask];
    std::uint64_t word = empty;
    for (const auto& place : group.words) {
      const std::uint64_t candidate = place.load(std::memory_order_acquire);
      word = hash_in(candidate) == hash ? candidate : word;
    }
    const std::uint32_t layer = number_in(word);
    if (word == empty) [[unlikely]]
      return find_in_later_groups(name, hash);
    likely(static_cast<LayerId>(layer));
    return is_named(layer, name) ? static_cast<LayerId>(layer) : find_in_later_groups(name, hash);
  }
  LayerId find(std::string_view name) const noexcept {
    return find(name, [](LayerId) {});
  }
  // Adds an unknown name and returns its number. Calls ready(number), which must not throw, just before lookups can find the
  // name. If add throws, nothing has changed.
  LayerId add(std::string_view name, const std::function<void(LayerId)>& ready);
  // Returns a known number's name, NUL-terminated; valid as long as this object.
  std::string_view name(LayerId layer) const noexcept { return entries_[static_cast<std::uint32_t>(layer)].name(); }
  // Returns the number of names; every number below it is readable.
  std::int64_t count() const noexcept { return count_.load(std::memory_order_acquire); }

 private:
  // One cache line; a name that does not fit is stored elsewhere.
  struct alignas(64) Entry {
    std::size_t length;
    char inside[56];  // the name and a NUL, or a pointer to them
    const char* text() const noexcept {
      if (length < sizeof inside) [[likely]]
        return inside;
      const char* elsewhere = nullptr;
      std::memcpy(&elsewhere, inside, sizeof elsewhere);
      return elsewhere;
    }
    std::string_view name() const noexcept { return {text(), length}; }
  };
  // Open addressing over words of hash and number. Groups of four words are filled in order before the next group is used; the
  // table is at most half full, and entries are never removed. The words are few and small, so that a lookup among many names
  // causes a single cache miss, at the name itself.
  struct alignas(32) Group {
    std::array<std::atomic<std::uint64_t>, 4> words{};
  };
  struct Table {
    explicit Table(std::size_t size) : mask(size - 1), groups(size) {}
    std::size_t places() const noexcept { return groups.size() * std::tuple_size_v<decltype(Group::words)>; }
    void insert(std::uint64_t word) noexcept;
    std::size_t mask;
    std::vector<Group> groups;
  };
  static constexpr std::uint64_t empty = 0;  // the lower half is number + 1, so a used word is never 0
  static std::uint64_t word_of(std::uint32_t hash, std::uint32_t number) noexcept {
    return std::uint64_t{hash} << 32 | (number + 1);
  }
  static std::uint32_t hash_in(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word >> 32); }
  static std::uint32_t number_in(std::uint64_t word) noexcept { return static_cast<std::uint32_t>(word) - 1; }

  // Continues find() for names that are not the first with their hash in their group.
  LayerId find_in_later_groups(std::string_view name, std::uint32_t hash) const noexcept;
  bool is_named(std::uint32_t number, std::string_view name) const noexcept {
    const Entry& entry = entries_[number];
    return entry.length == name.size() && same(entry.text(), name.data(), name.size());
  }

  static std::uint64_t load(const char* at) noexcept {
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    return word;
  }

  // Multiplies two words and folds the halves of the product: one multiplication mixes 16 bytes. The scheme of wyhash (Wang Yi,
  // public domain) and XXH3. Names come from the program itself, not from an attacker.
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
      // The last 16 bytes are folded independently of the others, so that the processor executes both in parallel.
      const char* const last = at + size - 16;
      const std::uint64_t end = fold(load(last) ^ odd, load(last + 8) ^ size);
      for (; at < last; at += 16) hash = fold(load(at) ^ hash, load(at + 8) ^ other);
      hash ^= end;
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

  std::vector<std::unique_ptr<char[]>> long_texts_;
  Chunks<Entry> entries_;
  std::atomic<std::int64_t> count_{0};
  std::atomic<const Table*> table_;
  // Readers may still use an outgrown table, so it is kept: all outgrown tables together are at most as large as the current one.
  std::vector<std::unique_ptr<Table>> tables_;
};

}  // namespace ckpt::memory
