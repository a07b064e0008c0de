#include "strategy/name_table.h"

#include <cstring>
#include <limits>

#include "base/error.h"

namespace ckpt::strategy {
namespace {

constexpr std::size_t first_slots = 16;

// Multiplies to 128 bits and folds the halves: every input bit affects every output bit in one multiplication.
std::uint64_t fold(std::uint64_t a, std::uint64_t b) noexcept {
  __extension__ using Wide = unsigned __int128;
  const Wide product = static_cast<Wide>(a) * b;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64);
}

template <class Word>
std::uint64_t read(const char* at) noexcept {
  Word word = 0;
  std::memcpy(&word, at, sizeof word);
  return word;
}

}  // namespace

std::uint64_t hash_name(std::string_view name) noexcept {
  // Odd, with as many ones as zeros: digits of the golden ratio and of pi.
  constexpr std::uint64_t spread = 0x9E3779B97F4A7C15;
  constexpr std::uint64_t seed = 0x243F6A8885A308D3;
  const char* at = name.data();
  std::size_t left = name.size();
  std::uint64_t hash = seed ^ left;
  for (; left > 8; left -= 8, at += 8) hash = fold(hash ^ read<std::uint64_t>(at), spread);
  std::uint64_t tail = 0;
  if (left >= 4) {
    tail = read<std::uint32_t>(at) << 32 | read<std::uint32_t>(at + left - 4);
  } else if (left > 0) {
    tail = read<std::uint8_t>(at) << 16 | read<std::uint8_t>(at + left / 2) << 8 | read<std::uint8_t>(at + left - 1);
  }
  return fold(hash ^ tail, spread);
}

std::int32_t NameTable::find(std::string_view name) const noexcept {
  return size_ == 0 ? none : slot_of(hash_name(name), name).number;
}

std::int32_t NameTable::add(std::string_view name) {
  if (slots_.size() < 2 * (static_cast<std::size_t>(size_) + 1)) grow();
  const std::uint64_t hash = hash_name(name);
  const Slot& found = slot_of(hash, name);
  if (found.number != none) return found.number;
  constexpr auto max = std::numeric_limits<std::int32_t>::max();
  if (size_ == max || name.size() > std::numeric_limits<std::uint32_t>::max()) {
    base::fail(base::Status::out_of_range, "more than ", max, " names, or a name of ", name.size(), " bytes");
  }
  const std::size_t offset = text_.size();
  text_.append(name);
  slots_[static_cast<std::size_t>(&found - slots_.data())] = {hash, offset, static_cast<std::uint32_t>(name.size()), size_};
  return size_++;
}

void NameTable::clear() noexcept {
  slots_.clear();
  text_.clear();
  size_ = 0;
}

const NameTable::Slot& NameTable::slot_of(std::uint64_t hash, std::string_view name) const noexcept {
  const std::size_t mask = slots_.size() - 1;
  for (std::size_t i = hash & mask;; i = (i + 1) & mask) {
    const Slot& slot = slots_[i];
    if (slot.number == none) return slot;
    if (slot.hash == hash && slot.length == name.size() && std::memcmp(text_.data() + slot.offset, name.data(), name.size()) == 0) {
      return slot;
    }
  }
}

void NameTable::grow() {
  std::vector<Slot> slots(slots_.empty() ? first_slots : 2 * slots_.size());
  const std::size_t mask = slots.size() - 1;
  for (const Slot& slot : slots_) {
    if (slot.number == none) continue;
    std::size_t i = slot.hash & mask;
    while (slots[i].number != none) i = (i + 1) & mask;
    slots[i] = slot;
  }
  slots_ = std::move(slots);
}

}  // namespace ckpt::strategy
