// Reads of the parts of all ranks, by rank 0: many small files, of which several come at a time where the storage allows that.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "state/manifest.h"
#include "state/ranks/part.h"
#include "storage/storage.h"

namespace ckpt::state {

// Of the ranks 1 and up; own: rank 0's.
std::vector<PartTail> read_part_tails(storage::Storage& storage, const std::string& directory, const PartTail& own,
                                      std::int64_t world_size);

// Calls take for each part in the order of ranks; few of them are in memory at a time.
void for_each_part(storage::Storage& storage, const std::string& directory, const Manifest& manifest,
                   const std::function<void(const Part& part)>& take);

}  // namespace ckpt::state
