// Blocks of tensors: rectangles of whole elements, and how their elements lie in one another's row-major memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ckpt::state {

using Lengths = std::vector<std::int64_t>;

// Of a tensor with as many dimensions.
struct Box {
  Lengths offsets;
  Lengths lengths;

  std::int64_t elements() const noexcept;  // 1 without dimensions
  bool is_empty() const noexcept { return elements() == 0; }
  friend bool operator==(const Box&, const Box&) = default;
};

Box whole_box(const Lengths& shape);
// "[2:4, 0:7]"
std::string to_text(const Box& box);

// What two boxes of one tensor share; nothing when that is no element.
std::optional<Box> intersection(const Box& a, const Box& b);

// The elements of inner lie one after the other in the memory of outer, which holds it.
bool is_contiguous(const Box& inner, const Box& outer);
// Where an element of outer lies in the memory of outer: at is its place in the tensor.
std::int64_t position_in(const Box& outer, const Lengths& at);

// Elements that lie one after the other in two boxes.
struct Run {
  std::int64_t from = 0;  // position in the first box's memory
  std::int64_t to = 0;    // in the second's
  std::int64_t elements = 0;
};

// Calls take for the runs of what from and to share, ascending, as far as they lie in [begin, end) of from's memory.
void for_each_run(const Box& from, const Box& to, std::int64_t begin, std::int64_t end,
                  const std::function<void(const Run&)>& take);

// The boxes that a range of rows covers, in order, where rows are counted over the first axes dimensions together: one box for one
// axis. Each of them lies in the tensor's memory without a gap.
std::vector<Box> boxes_of_rows(const Lengths& shape, std::size_t axes, std::int64_t begin, std::int64_t end);

// What is wrong with boxes that should cover a tensor, each element once; boxes without elements do not count.
struct Gap {
  enum class Kind { missing, overlap } kind;
  Box box;                // an example
  std::size_t first = 0;  // of an overlap: two of the boxes, by number
  std::size_t second = 0;
};
// Nothing when all is well. In O(n log n) for boxes that are cut along at most two dimensions; further dimensions are cut into
// slabs.
std::optional<Gap> find_gap(const Lengths& shape, std::span<const Box> boxes);

}  // namespace ckpt::state
