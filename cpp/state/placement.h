// Whose part of a checkpoint has which block of a tensor. Most tensors are cut along their dimensions, and all cells of such a grid
// are there; what is cut in any other way is a list of blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "state/box.h"

namespace ckpt::state {

// Numbers of parts, one for each cell, as runs of numbers that follow one another.
class PartList {
 public:
  struct Run {
    std::int64_t first;
    std::int64_t count;
    friend bool operator==(const Run&, const Run&) = default;
  };

  void add(std::int64_t part);
  void add_run(const Run& run);
  std::int64_t size() const noexcept { return begins_.empty() ? 0 : begins_.back() + runs_.back().count; }
  std::int64_t operator[](std::int64_t cell) const;
  std::span<const Run> runs() const noexcept { return runs_; }

 private:
  std::vector<Run> runs_;
  std::vector<std::int64_t> begins_;  // of each run, in cells
};

// Where one dimension is cut.
struct Cuts {
  std::int64_t even = 1;  // into so many pieces, each as long as the first but the last one; 0: at begins
  Lengths begins = {};    // ascending, the first is 0

  std::int64_t count() const noexcept { return even > 0 ? even : std::ssize(begins); }
  // [begin, end) of a piece of a dimension of this length.
  std::int64_t begin_of(std::int64_t piece, std::int64_t length) const;
  std::int64_t piece_at(std::int64_t place, std::int64_t length) const;
  friend bool operator==(const Cuts&, const Cuts&) = default;
};
// As even cuts where they are.
Cuts make_cuts(Lengths begins, std::int64_t length);

class Placement {
 public:
  struct Block {
    Box box;
    std::int64_t part = 0;
  };
  using Take = std::function<void(const Box& box, std::int64_t part)>;

  // parts: as many as the grid has cells, the last dimension's first.
  Placement(Lengths shape, std::vector<Cuts> cuts, std::shared_ptr<const PartList> parts);
  Placement(Lengths shape, std::vector<Block> blocks);

  const Lengths& shape() const noexcept { return shape_; }
  bool is_grid() const noexcept { return parts_ != nullptr; }
  const std::vector<Cuts>& cuts() const noexcept { return cuts_; }
  const std::shared_ptr<const PartList>& parts() const noexcept { return parts_; }
  const std::vector<Block>& blocks() const noexcept { return blocks_; }  // without a grid

  // The blocks that have elements of wanted, by number and in order: cells with the last dimension's first, or as they are listed.
  void for_each_number(const Box& wanted, const std::function<void(std::int64_t number)>& take) const;
  Block block(std::int64_t number) const;
  // The same blocks, whole.
  void for_each_block(const Box& wanted, const Take& take) const;
  void for_each_block(const Take& take) const { for_each_block(whole_box(shape_), take); }

 private:
  Lengths shape_;
  std::vector<Cuts> cuts_;
  std::shared_ptr<const PartList> parts_;
  std::vector<Block> blocks_;
};

}  // namespace ckpt::state
