// Pinned checkpoints: an empty file beside the manifest says that retention leaves this one alone. Libraries that do not know it
// read the checkpoint as any other.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "state/found.h"
#include "storage/storage.h"

namespace ckpt::state {

inline constexpr std::string_view pin_name = "pinned";  // groups' files end in ".safetensors"

// In doubt it is: what cannot be asked must not be removed.
bool is_pinned(storage::Storage& storage, const std::string& directory);
// The same before something is removed: also when another machine has pinned it just now.
bool is_pinned_by_now(storage::Storage& storage, const std::string& directory);
// Of those that scan has found.
void note_pins(storage::Storage& storage, std::vector<Found>& all);

// Durable when they return; nothing happens when it is so already.
void pin(storage::Storage& storage, const std::string& directory);
void unpin(storage::Storage& storage, const std::string& directory);

}  // namespace ckpt::state
