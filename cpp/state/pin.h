// Pinned checkpoints: an empty file beside the manifest says that retention leaves this one alone. Libraries that do not know it
// read the checkpoint as any other.
#pragma once

#include <string>
#include <string_view>

#include "storage/storage.h"

namespace ckpt::state {

inline constexpr std::string_view pin_name = "pinned";  // groups' files end in ".safetensors"

// Lists the directory. In doubt it is pinned: nothing is removed that cannot be asked about.
bool is_pinned(storage::Storage& storage, const std::string& directory);
// Durable when they return; nothing happens when it is so already.
void pin(storage::Storage& storage, const std::string& directory);
void unpin(storage::Storage& storage, const std::string& directory);

}  // namespace ckpt::state
