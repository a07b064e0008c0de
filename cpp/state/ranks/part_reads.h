// Reads the parts of all ranks on rank 0: many small files, several concurrently if the storage allows it.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/ranks/part.h"
#include "storage/storage.h"

namespace ckpt::state {

// Returns the tails of all ranks; own: that of rank 0.
std::vector<PartTail> read_part_tails(storage::Storage& storage, const std::string& directory, const PartTail& own,
                                      std::int64_t world_size);

// Calls take for each part in the order of ranks, with few of them in memory at a time.
void for_each_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                   const std::function<void(const Part& part)>& take);

}  // namespace ckpt::state
