// Serializes the tensors of sharded checkpoints in a manifest: each with its cuts, and the lists of parts that tensors share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state/manifest.h"

namespace ckpt::state {

struct Node;

// Appends the members "lists" and "groups", with a comma before each.
void append_placed_groups(std::string& out, const std::vector<GroupRecord>& groups);
// Error(corrupt) unless each tensor's blocks cover it and refer to existing parts.
std::vector<GroupRecord> read_placed_groups(const Node& top, std::int64_t world_size);

}  // namespace ckpt::state
