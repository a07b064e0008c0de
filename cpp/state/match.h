// Matches a checkpoint's tensors with those of the state to load: their targets, missing tensors, and mismatches.
#pragma once

#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "state/load_options.h"
#include "state/manifest.h"
#include "state/name_map.h"
#include "state/state.h"

namespace ckpt::state {

using GroupAndName = std::pair<std::string_view, std::string_view>;

// Returns the groups that are trees on both sides; the names refer to the manifest. The JSON of trees has any length and get
// new memory in state.
std::set<std::string_view> prepare_trees(State& state, const Manifest& manifest);

// Result of a partial load; the names refer to the state and to the manifest.
struct Differences {
  std::vector<GroupAndName> missing;
  std::vector<GroupAndName> unexpected;
};

// Error(invalid_argument) names the first tensor that does not match. The caller must resolve it; it is never a reason to load an
// older checkpoint. Groups and tensors must be equal on both sides. In a partial load names may differ, but a tensor on both sides
// must still have the same dtype and shape.
Differences match(const State& state, const Manifest& manifest, const NameMap& names, const std::set<std::string_view>& trees,
                  const LoadOptions& options);

}  // namespace ckpt::state
