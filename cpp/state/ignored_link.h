// Symbolic links among checkpoints. A storage never follows them, so they are neither listed nor loaded; the log reports each once.
#pragma once

#include <cstdint>
#include <string>

#include "storage/storage.h"

namespace ckpt::state {

// Logs a warning about a link, once per process. While no log would receive it, the link stays unreported.
void note_ignored_link(const storage::Storage& storage, const std::string& name);
// Returns "; links, which are not followed: 2", or "" when there is none.
std::string ignored_links_hint(storage::Storage& storage);

}  // namespace ckpt::state
