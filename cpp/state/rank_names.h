// Names of the files that the ranks of a group write.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ckpt::state {

// "rank00001-of-00004.json", the part of rank 1 of 4.
std::string part_name(std::int64_t rank, std::int64_t world_size);
// Returns the rank of a part with this name; nothing for other names and other world sizes.
std::optional<std::int64_t> rank_of_part(std::string_view name, std::int64_t world_size);

// "model-rank00001-of-00004.safetensors". group_file: the name when one process saves the group; never of this form.
std::string rank_file_name(const std::string& group_file, std::int64_t rank, std::int64_t world_size);

// "rank00003.failed.json"
std::string failure_name(std::int64_t rank);
std::optional<std::int64_t> rank_of_failure(std::string_view name);

}  // namespace ckpt::state
