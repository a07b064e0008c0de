// Which rank's part contains which block of a tensor. Most tensors are cut along their dimensions into a complete grid of cells;
// other cuts are stored as a list of blocks.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "state/box.h"

namespace ckpt::state {

// The part number of each cell, stored as runs of consecutive numbers.
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
  std::vector<std::int64_t> begins_;  // first cell of each run
};

// The cuts of one dimension.
struct Cuts {
  std::int64_t even = 1;  // number of pieces of equal length (the last may be shorter); 0: see begins
  Lengths begins = {};    // ascending, the first is 0

  std::int64_t count() const noexcept { return even > 0 ? even : std::ssize(begins); }
  // [begin_of(piece), begin_of(piece + 1)) is a piece of a dimension of this length.
  std::int64_t begin_of(std::int64_t piece, std::int64_t length) const;
  std::int64_t piece_at(std::int64_t place, std::int64_t length) const;
  friend bool operator==(const Cuts&, const Cuts&) = default;
};
// Returns even cuts if begins are evenly spaced.
Cuts make_cuts(Lengths begins, std::int64_t length);

class Placement {
 public:
  struct Block {
    Box box;
    std::int64_t part = 0;
  };
  using Take = std::function<void(const Box& box, std::int64_t part)>;

  // parts: one per cell of the grid, with the last dimension varying fastest.
  Placement(Lengths shape, std::vector<Cuts> cuts, std::shared_ptr<const PartList> parts);
  Placement(Lengths shape, std::vector<Block> blocks);

  const Lengths& shape() const noexcept { return shape_; }
  bool is_grid() const noexcept { return parts_ != nullptr; }
  const std::vector<Cuts>& cuts() const noexcept { return cuts_; }
  const std::shared_ptr<const PartList>& parts() const noexcept { return parts_; }
  const std::vector<Block>& blocks() const noexcept { return blocks_; }  // if not a grid

  // Calls take for the blocks that intersect wanted, in order: cells with the last dimension varying fastest, or the order of the
  // list.
  void for_each_number(const Box& wanted, const std::function<void(std::int64_t number)>& take) const;
  Block block(std::int64_t number) const;
  // The same, with whole blocks.
  void for_each_block(const Box& wanted, const Take& take) const;
  void for_each_block(const Take& take) const { for_each_block(whole_box(shape_), take); }

 private:
  Lengths shape_;
  std::vector<Cuts> cuts_;
  std::shared_ptr<const PartList> parts_;
  std::vector<Block> blocks_;
};

}  // namespace ckpt::state
