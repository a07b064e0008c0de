#include "plan/planners/stage_memory.h"

#include <algorithm>

namespace ckpt::plan {

StageMemory::StageMemory(std::int32_t stages) : stages_(static_cast<std::size_t>(stages)) {
  while (leaves_ < stages_.size()) leaves_ *= 2;
  nodes_.resize(2 * leaves_);
}

void StageMemory::add(std::int32_t stage, std::int32_t point, std::int64_t bytes) {
  auto& points = stages_[static_cast<std::size_t>(stage)];
  const auto found = std::lower_bound(points.begin(), points.end(), point,
                                      [](const auto& entry, std::int32_t wanted) { return entry.first < wanted; });
  if (found == points.end() || found->first != point) {
    points.insert(found, {point, bytes});
  } else if ((found->second += bytes) == 0) {
    points.erase(found);
  }
  Node leaf;
  for (const auto& [at, change] : points) {
    leaf.sum += change;
    leaf.top = std::max(leaf.top, leaf.sum);
  }
  std::size_t node = leaves_ + static_cast<std::size_t>(stage);
  nodes_[node] = leaf;
  while (node > 1) {
    node /= 2;
    const Node& left = nodes_[2 * node];
    const Node& right = nodes_[2 * node + 1];
    nodes_[node] = {left.sum + right.sum, std::max(left.top, left.sum + right.top)};
  }
  work_ += std::ssize(points) + 8;
}

StageMemory::Moment StageMemory::fullest() const {
  std::size_t node = 1;
  std::int64_t bytes = nodes_[1].top;
  while (node < leaves_) {
    node *= 2;
    if (nodes_[node].top == bytes) continue;
    bytes -= nodes_[node].sum;
    ++node;
  }
  Moment moment{static_cast<std::int32_t>(node - leaves_), 0};
  std::int64_t sum = 0;
  for (const auto& [point, change] : stages_[node - leaves_]) {
    sum += change;
    if (sum != bytes) continue;
    moment.point = point;
    break;
  }
  return moment;
}

}  // namespace ckpt::plan
