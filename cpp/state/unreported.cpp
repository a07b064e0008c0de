#include "state/unreported.h"

#include <algorithm>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>

#include "base/fork_mutex.h"
#include "base/os/thread.h"

namespace ckpt::state {
namespace {

constexpr std::size_t max_storages = 64;

// Identifies a storage also by name: a directory that was removed and created again has another identity and the same name.
struct Place {
  std::string identity;
  std::string directory = {};  // name of the directory; "" for other storages

  explicit Place(const storage::Storage& storage) : identity(storage.identity()) {
    if (identity.starts_with("directory ")) directory = storage.name();
  }
  bool is(const Place& other) const { return identity == other.identity || (!directory.empty() && directory == other.directory); }
};

struct Entry {
  Place place;
  Unreported failures;
};

struct Table {
  base::ForkMutex mutex;
  std::uint64_t generation = base::fork_generation();
  std::deque<Entry> entries;  // oldest first
};

// Never destroyed: threads of the host may save while static objects are destroyed.
Table& table() {
  static auto* const the_table = new Table;
  return *the_table;
}
// Constructed at load time: a child forked during a construction at the first use would wait for it forever.
[[maybe_unused]] const Table& unreported_constructed_at_load = table();

// Drops the entries in a forked child: they belong to its parent.
template <class Body>
auto with_entries(Body&& body) {
  const std::lock_guard lock(table().mutex);
  if (std::exchange(table().generation, base::fork_generation()) != base::fork_generation()) table().entries.clear();
  return body(table().entries);
}

auto find(std::deque<Entry>& entries, const Place& place) {
  return std::ranges::find_if(entries, [&](const Entry& entry) { return entry.place.is(place); });
}

}  // namespace

void leave_unreported(const storage::Storage& storage, const Unreported& failures) {
  with_entries([&, place = Place(storage)](std::deque<Entry>& entries) {
    if (const auto found = find(entries, place); found != entries.end()) {
      found->failures.failures += failures.failures;
      return;
    }
    entries.push_back({place, failures});
    if (entries.size() > max_storages) entries.pop_front();
  });
}

Unreported take_unreported(const storage::Storage& storage) {
  return with_entries([&](std::deque<Entry>& entries) -> Unreported {
    if (entries.empty()) return {};
    const auto found = find(entries, Place(storage));
    if (found == entries.end()) return {};
    Unreported failures = std::move(found->failures);
    entries.erase(found);
    return failures;
  });
}

}  // namespace ckpt::state
