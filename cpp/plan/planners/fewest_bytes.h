// The schedule of a short chain with the fewest live bytes.
#pragma once

#include <cstdint>
#include <optional>

#include "plan/planners/local_search.h"

namespace ckpt::plan {

// Searches all contents that memory can have. Returns nothing for a chain of more than 6 layers, for a layer with more than 15
// options, or if the search meets more than max_states contents.
std::optional<RunList> fewest_bytes(const ChainCosts& costs, std::int64_t max_states);

}  // namespace ckpt::plan
