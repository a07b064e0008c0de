// Symbolic links next to checkpoints. Storages never follow them, so they are neither listed nor loaded; each is logged once.
#pragma once

#include <cstdint>
#include <string>

#include "storage/storage.h"

namespace ckpt::state {

// Logs a warning about a link, once per process. If no log receives it, the link remains unreported.
void note_ignored_link(const storage::Storage& storage, const std::string& name);
// Returns "; links, which are not followed: 2", or "" if there are none.
std::string ignored_links_hint(storage::Storage& storage);

}  // namespace ckpt::state
