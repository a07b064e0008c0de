// The set of layers that ran backward. Backward mostly runs from the last layer down, so one mark covers all layers above it, and
// a set holds the others.
#pragma once

#include <cstdint>
#include <iterator>
#include <set>

namespace ckpt::plan {

class LayerSet {
 public:
  // All layers from `layers` on count as members; none below.
  explicit LayerSet(std::int64_t layers = 0) : lowest_(layers) {}

  bool contains(std::int64_t layer) const { return layer >= lowest_ || others_.contains(layer); }

  void add(std::int64_t layer) {
    if (layer != lowest_ - 1) {
      others_.insert(layer);
      return;
    }
    --lowest_;
    while (!others_.empty() && *others_.rbegin() == lowest_ - 1) {
      others_.erase(std::prev(others_.end()));
      --lowest_;
    }
  }

 private:
  std::int64_t lowest_;            // this layer and all above are members
  std::set<std::int64_t> others_;  // below lowest_ - 1
};

}  // namespace ckpt::plan
