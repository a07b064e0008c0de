#include "memory/names.h"

#include <algorithm>
#include <cstring>
#include <new>
#include <utility>

#include "base/error.h"

namespace ckpt::memory {

Names::Names() {
  tables_.push_back(std::make_unique<Table>(128));
  table_.store(tables_.back().get(), std::memory_order_release);
}

LayerId Names::add(std::string_view name, const std::function<void(LayerId)>& ready) {
  const std::int64_t index = count_.load(std::memory_order_relaxed);
  if (index >= INT32_MAX)
    base::fail(base::Status::out_of_range, "name is ", base::quoted(name), "; ", index, " layers are known already");
  if (index >= entries_.capacity()) entries_.add(entries_.prepare());
  Table* table = tables_.back().get();
  if (static_cast<std::size_t>(index + 1) * 4 > (table->mask + 1) * 3) {
    auto larger = std::make_unique<Table>((table->mask + 1) * 2);
    for (const Place& place : table->places) {
      if (const Entry* const known = place.entry.load(std::memory_order_relaxed)) larger->insert(place.hash, place.layer, known);
    }
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
    table_.store(table, std::memory_order_release);
  }
  const auto layer = static_cast<LayerId>(index);
  const Entry* const entry = make_entry(name);
  entries_[static_cast<std::uint32_t>(index)] = entry;
  ready(layer);
  table->insert(hash_of(name), layer, entry);
  count_.store(index + 1, std::memory_order_release);
  return layer;
}

Names::Entry* Names::make_entry(std::string_view name) {
  constexpr std::size_t block_lines = 64;
  const std::size_t lines = (sizeof(Entry) + name.size() + sizeof(Line)) / sizeof(Line);  // with a NUL, rounded up
  if (lines > free_lines_) {
    const std::size_t fresh = std::max(lines, block_lines);
    blocks_.push_back(std::make_unique<Line[]>(fresh));
    next_line_ = blocks_.back().get();
    free_lines_ = fresh;
  }
  auto* const entry = new (next_line_) Entry{name.size()};
  std::memcpy(static_cast<void*>(entry + 1), name.data(), name.size());
  next_line_ += lines;
  free_lines_ -= lines;
  return entry;
}

void Names::Table::insert(std::uint32_t hash, LayerId layer, const Entry* entry) noexcept {
  std::size_t index = hash & mask;
  while (places[index].entry.load(std::memory_order_relaxed) != nullptr) index = (index + 1) & mask;
  places[index].hash = hash;
  places[index].layer = layer;
  places[index].entry.store(entry, std::memory_order_release);
}

}  // namespace ckpt::memory
