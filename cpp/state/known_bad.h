// Checkpoints that this process has found damaged although their manifests are valid. Retention, which reads only manifests, does
// not count them as good. Synchronized.
#pragma once

#include <string>

#include "storage/storage.h"

namespace ckpt::state {

// Record the result of reading every byte of a checkpoint. Shared by all objects that access the same files.
void note_bad(const storage::Storage& storage, const std::string& name) noexcept;
void note_good(const storage::Storage& storage, const std::string& name) noexcept;  // also for a removed checkpoint

bool is_known_bad(const storage::Storage& storage, const std::string& name) noexcept;

}  // namespace ckpt::state
