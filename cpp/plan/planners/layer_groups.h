// A chain that is too long for the tables, as a shorter one whose layers are groups of its own.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/planners/local_search.h"
#include "plan/profile.h"

namespace ckpt::plan {

// Neighbouring layers that run together: all record, or none; all run backward. What a group needs is never less than what its
// layers need, so a row of runs of groups fits wherever it says.
class LayerGroups {
 public:
  // At most `groups` (>= 1) groups of about as many layers, cut where an input has few bytes.
  LayerGroups(const ChainProfile& profile, std::int64_t groups);

  // Each group as a layer. Options: each layer's fastest, and, where it is another, each layer's with the smallest tape.
  const ChainProfile& profile() const { return grouped_; }
  std::int64_t longest() const;
  // The same work as runs of layers.
  std::vector<Run> layer_runs(const std::vector<Run>& group_runs) const;

 private:
  void add_group(const ChainProfile& profile, std::int64_t begin, std::int64_t end);

  ChainProfile grouped_;
  std::vector<std::int64_t> begins_;                      // of the groups, and the end of the last
  std::vector<std::vector<std::int32_t>> layer_options_;  // by option of a group: the option of each layer
};

}  // namespace ckpt::plan
