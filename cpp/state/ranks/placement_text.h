// The tensors of many ranks in a manifest: each once, with its cuts, and lists of parts that tensors share.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "state/manifest.h"

namespace ckpt::state {

struct Node;

// "rank00001-of-00004"
std::string rank_of_text(std::int64_t rank, std::int64_t world_size);
// "rank00001-of-00004.json"
std::string part_name(std::int64_t rank, std::int64_t world_size);

// Members "lists" and "groups", with a comma before each.
void append_placed_groups(std::string& out, const std::vector<GroupRecord>& groups);
// Error(corrupt) unless each tensor's blocks cover it and name parts that are there.
std::vector<GroupRecord> read_placed_groups(const Node& top, std::int64_t world_size);

}  // namespace ckpt::state
