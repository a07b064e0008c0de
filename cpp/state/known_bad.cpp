#include "state/known_bad.h"

#include <exception>
#include <mutex>
#include <set>
#include <utility>

#include "base/fork_mutex.h"

namespace ckpt::state {
namespace {

struct Table {
  base::ForkMutex mutex;
  std::set<std::pair<std::string, std::string>> names;  // identity of the storage, name
};

// Never destroyed: threads of the host may save while static objects are destroyed.
Table& table() {
  static auto* const the_table = new Table;
  return *the_table;
}
// Constructed at load time: a child forked during a construction at the first use would wait for it forever.
[[maybe_unused]] const Table& known_bad_constructed_at_load = table();

// If the table cannot be accessed (no memory, or a child forked during a change), treats the checkpoint as not known to be bad.
template <class Body>
bool with_table(Body&& body) noexcept {
  try {
    const std::lock_guard lock(table().mutex);
    return body(table().names);
  } catch (const std::exception&) {
    return false;
  }
}

}  // namespace

void note_bad(const storage::Storage& storage, const std::string& name) noexcept {
  with_table([&](auto& names) { return names.emplace(storage.identity(), name).second; });
}

void note_good(const storage::Storage& storage, const std::string& name) noexcept {
  with_table([&](auto& names) { return names.erase({storage.identity(), name}) > 0; });
}

bool is_known_bad(const storage::Storage& storage, const std::string& name) noexcept {
  return with_table([&](auto& names) { return names.contains({storage.identity(), name}); });
}

}  // namespace ckpt::state
