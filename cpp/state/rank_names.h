// Names of the files written by the ranks of a group.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::state {

// Returns "rank00001-of-00004.json", the part of rank 1 of 4.
std::string part_name(std::int64_t rank, std::int64_t world_size);
// Returns the rank of a part with this name; nothing for other names and other world sizes.
std::optional<std::int64_t> rank_of_part(std::string_view name, std::int64_t world_size);

// Returns "model-rank00001-of-00004.safetensors". group_file: the name in a single-process save; never of this form.
std::string rank_file_name(const std::string& group_file, std::int64_t rank, std::int64_t world_size);

// Returns "rank00003.failed.json".
std::string failure_name(std::int64_t rank);
std::optional<std::int64_t> rank_of_failure(std::string_view name);

}  // namespace ckpt::state
