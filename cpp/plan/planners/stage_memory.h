// Bytes in use over the time of a step, and their maximum, under many small changes.
//
// Time has stages, and points within a stage. Few points of a stage have changes, so they are a sorted list; a tree over the stages
// has the sum of their changes and the largest prefix sum. A change costs the points of its stage and the depth of the tree, and
// memory is proportional to the points in use. A tree over all points would have millions of leaves for a large graph.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ckpt::plan {

class StageMemory {
 public:
  explicit StageMemory(std::int32_t stages);

  // Adds bytes to those in use from this point of the stage on.
  void add(std::int32_t stage, std::int32_t point, std::int64_t bytes);

  std::int64_t peak_bytes() const { return nodes_[1].top; }
  struct Moment {
    std::int32_t stage = 0;
    std::int32_t point = 0;
  };
  // Returns the first moment with the peak.
  Moment fullest() const;
  // Points examined since construction: a machine-independent measure of time.
  std::int64_t work() const { return work_; }

 private:
  // The sum of the changes below, and their largest prefix sum, at least 0.
  struct Node {
    std::int64_t sum = 0;
    std::int64_t top = 0;
  };

  std::vector<std::vector<std::pair<std::int32_t, std::int64_t>>> stages_;  // points with their change
  std::size_t leaves_ = 1;
  std::vector<Node> nodes_;  // 1: the root; leaves_ + s: stage s
  std::int64_t work_ = 0;
};

}  // namespace ckpt::plan
