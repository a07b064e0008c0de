#include "state/ignored_link.h"

#include <mutex>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/fork_mutex.h"
#include "base/log.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

struct LinkTable {
  base::ForkMutex mutex;
  std::set<std::pair<std::string, std::string>> names;  // identity of the storage, name of the link
};

// Never destroyed: threads of the host may load while static objects are destroyed.
LinkTable& link_table() {
  static auto* const the_table = new LinkTable;
  return *the_table;
}
// Constructed at load time: a child forked during a construction at the first use would wait for it forever.
[[maybe_unused]] const LinkTable& ignored_links_constructed_at_load = link_table();

bool is_first(const storage::Storage& storage, const std::string& name) {
  const std::lock_guard lock(link_table().mutex);
  return link_table().names.emplace(storage.identity(), name).second;
}

}  // namespace

void note_ignored_link(const storage::Storage& storage, const std::string& name) {
  if (!base::is_logged(base::LogLevel::warning) || !is_first(storage, name))
    return;  // a dropped warning must not count as reported
  base::warn("state", base::cat(base::quote(name), " in ", base::quote(storage.name()),
                                " is a symbolic link, which is not followed: the checkpoint is neither listed nor loaded. Move its "
                                "directory here, or open the directory that contains it"));
}

std::string ignored_links_hint(storage::Storage& storage) {
  std::int64_t links = 0;
  for (const storage::Entry& entry : storage.list("")) links += entry.is_link && step_of_attempt(entry.name) ? 1 : 0;
  return links == 0 ? "" : base::cat("; links, which are not followed: ", links);
}

}  // namespace ckpt::state
