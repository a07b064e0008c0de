// A checkpoint's tensors beside those of the state that is loaded: what goes where, what one side lacks, what does not fit.
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

// The groups that are trees here and there; the names are the manifest's. Their texts, which are values and of any length, get
// memory of their own in state.
std::set<std::string_view> prepare_trees(State& state, const Manifest& manifest);

// What a partial load found; the names are the state's and the manifest's.
struct Differences {
  std::vector<GroupAndName> missing;
  std::vector<GroupAndName> unexpected;
};

// Error(invalid_argument) names the first tensor that does not fit: that is the caller's to solve, never a reason to take an older
// checkpoint. Both must have exactly the same groups and tensors; in a partial load names may differ, but a tensor that both have
// must have one dtype and shape all the same.
Differences match(const State& state, const Manifest& manifest, const NameMap& names, const std::set<std::string_view>& trees,
                  const LoadOptions& options);

}  // namespace ckpt::state
