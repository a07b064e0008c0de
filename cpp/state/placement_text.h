// The tensors of many ranks in a manifest: each once, with its cuts, and lists of parts that tensors share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state/manifest.h"

namespace ckpt::state {

struct Node;

// Members "lists" and "groups", with a comma before each.
void append_placed_groups(std::string& out, const std::vector<GroupRecord>& groups);
// Error(corrupt) unless each tensor's blocks cover it and name parts that are there.
std::vector<GroupRecord> read_placed_groups(const Node& top, std::int64_t world_size);

}  // namespace ckpt::state
