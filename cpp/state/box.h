// Blocks of tensors: boxes of whole elements, and the mapping between their elements in row-major memory.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ckpt::state {

using Lengths = std::vector<std::int64_t>;

// A block of a tensor; both vectors have the tensor's number of dimensions.
struct Box {
  Lengths offsets;
  Lengths lengths;

  std::int64_t elements() const noexcept;  // 1 without dimensions
  bool is_empty() const noexcept { return elements() == 0; }
  friend bool operator==(const Box&, const Box&) = default;
};

Box whole_box(const Lengths& shape);
// Returns "[2:4, 0:7]".
std::string to_text(const Box& box);

// Returns the intersection of two boxes of one tensor; nothing if it contains no elements.
std::optional<Box> intersection(const Box& a, const Box& b);

// Returns whether the elements of inner are contiguous in the memory of outer, which contains inner.
bool is_contiguous(const Box& inner, const Box& outer);
// Returns the position of an element in the memory of outer. at: its index in the tensor.
std::int64_t position_in(const Box& outer, const Lengths& at);

// Elements that are contiguous in both boxes.
struct Run {
  std::int64_t from = 0;  // position in the first box's memory
  std::int64_t to = 0;    // in the second box's
  std::int64_t elements = 0;
};

// Calls take for the runs of the intersection of from and to, in ascending order, restricted to [begin, end) of from's memory.
void for_each_run(const Box& from, const Box& to, std::int64_t begin, std::int64_t end,
                  const std::function<void(const Run&)>& take);

// Returns the boxes that a range of rows covers, in order. Rows are counted over the first `axes` dimensions together; one axis
// gives one box. Each box is contiguous in the tensor's memory.
std::vector<Box> boxes_of_rows(const Lengths& shape, std::size_t axes, std::int64_t begin, std::int64_t end);

// An error in boxes that should cover each element of a tensor once. Boxes without elements are ignored.
struct Gap {
  enum class Kind { missing, overlap } kind;
  Box box;                // an example
  std::size_t first = 0;  // for an overlap: the numbers of the two boxes
  std::size_t second = 0;
};
// Returns nothing if the boxes cover the tensor. O(n log n) for boxes that are cut along at most two dimensions; further dimensions
// are cut into slabs.
std::optional<Gap> find_gap(const Lengths& shape, std::span<const Box> boxes);

}  // namespace ckpt::state
