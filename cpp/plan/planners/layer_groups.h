// Converts a chain that is too long for the tables to a shorter one of layer groups.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/planners/local_search.h"
#include "plan/profile.h"

namespace ckpt::plan {

// Adjacent layers that run together: all record or none, and all run backward. A group never needs less than its layers do, so a
// list of runs of groups fits wherever its costs fit.
class LayerGroups {
 public:
  // At most `groups` (>= 1) groups of about equally many layers, cut where an input has few bytes.
  LayerGroups(const ChainProfile& profile, std::int64_t groups);

  // Each group as a layer. Options: each layer's fastest, and, if different, each layer's with the smallest tape.
  const ChainProfile& profile() const { return grouped_; }
  std::int64_t longest() const;
  // Converts runs of groups to the same work as runs of layers.
  std::vector<Run> layer_runs(const std::vector<Run>& group_runs) const;

 private:
  void add_group(const ChainProfile& profile, std::int64_t begin, std::int64_t end);

  ChainProfile grouped_;
  std::vector<std::int64_t> begins_;                      // begins of the groups, and the end of the last
  std::vector<std::vector<std::int32_t>> layer_options_;  // by option of a group: the option of each layer
};

}  // namespace ckpt::plan
