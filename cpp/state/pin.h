// Pinned checkpoints: an empty file next to the manifest excludes the checkpoint from retention. Libraries without support for pins
// ignore the file.
#pragma once

#include <string>
#include <string_view>

#include "storage/storage.h"

namespace ckpt::state {

inline constexpr std::string_view pin_name = "pinned";  // groups' files end in ".safetensors"

// Lists the directory. Returns true if uncertain: a checkpoint is not removed unless it is known not to be pinned.
bool is_pinned(storage::Storage& storage, const std::string& directory);
// Durable on return. No effect if the state is already as requested.
void pin(storage::Storage& storage, const std::string& directory);
void unpin(storage::Storage& storage, const std::string& directory);

}  // namespace ckpt::state
