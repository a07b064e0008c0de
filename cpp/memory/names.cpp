#include "memory/names.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace ckpt::memory {

Names::Names() {
  tables_.push_back(std::make_unique<Table>(64));
  table_.store(tables_.back().get(), std::memory_order_release);
}

LayerId Names::add(std::string_view name, const std::function<void(LayerId)>& ready) {
  const std::int64_t index = count_.load(std::memory_order_relaxed);
  if (index >= INT32_MAX)
    base::fail(base::Status::out_of_range, "name is ", base::quote(name), "; the tracker has the maximum of ", index, " layers");
  if (index >= entries_.capacity()) entries_.add(entries_.prepare());
  Table* table = tables_.back().get();
  if (static_cast<std::size_t>(index + 1) * 2 > table->places()) {
    auto larger = std::make_unique<Table>(table->groups.size() * 2);
    for (const Group& group : table->groups) {
      for (const auto& place : group.words) {
        if (const std::uint64_t word = place.load(std::memory_order_relaxed); word != empty) larger->insert(word);
      }
    }
    tables_.push_back(std::move(larger));
    table = tables_.back().get();
    table_.store(table, std::memory_order_release);
  }
  const auto layer = static_cast<LayerId>(index);
  Entry& entry = entries_[static_cast<std::uint32_t>(index)];
  entry.length = name.size();
  char* text = entry.inside;
  if (name.size() >= sizeof entry.inside) {
    long_texts_.push_back(std::make_unique_for_overwrite<char[]>(name.size() + 1));
    text = long_texts_.back().get();
    std::memcpy(entry.inside, &text, sizeof text);
  }
  std::memcpy(text, name.data(), name.size());
  text[name.size()] = '\0';
  ready(layer);
  table->insert(word_of(hash_of(name), static_cast<std::uint32_t>(index)));
  count_.store(index + 1, std::memory_order_release);
  return layer;
}

LayerId Names::find_in_later_groups(std::string_view name, std::uint32_t hash) const noexcept {
  const Table& table = *table_.load(std::memory_order_acquire);
  for (std::size_t index = hash & table.mask;; index = (index + 1) & table.mask) {
    for (const auto& place : table.groups[index].words) {
      const std::uint64_t word = place.load(std::memory_order_acquire);
      if (word == empty) return no_layer;
      if (hash_in(word) == hash && is_named(number_in(word), name)) return static_cast<LayerId>(number_in(word));
    }
  }
}

void Names::Table::insert(std::uint64_t word) noexcept {
  for (std::size_t index = hash_in(word) & mask;; index = (index + 1) & mask) {
    for (auto& place : groups[index].words) {
      if (place.load(std::memory_order_relaxed) != empty) continue;
      place.store(word, std::memory_order_release);
      return;
    }
  }
}

}  // namespace ckpt::memory
