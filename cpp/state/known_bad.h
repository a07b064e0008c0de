// Which checkpoints this process has found damaged although their manifests hold. Retention, which reads manifests only, does not
// count on them. Synchronised.
#pragma once

#include <string>

#include "storage/storage.h"

namespace ckpt::state {

// What a reader of every byte of a checkpoint has found. Objects that reach the same files share it.
void note_bad(const storage::Storage& storage, const std::string& name) noexcept;
void note_good(const storage::Storage& storage, const std::string& name) noexcept;  // also for one that is gone

bool is_known_bad(const storage::Storage& storage, const std::string& name) noexcept;

}  // namespace ckpt::state
