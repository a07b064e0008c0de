#include "state/ranks/split.h"

#include <algorithm>
#include <functional>

#include "state/safetensors.h"

namespace ckpt::state {
namespace {

constexpr std::int64_t min_split_bytes = std::int64_t{64} << 10;
constexpr std::int64_t max_whole_bytes = std::int64_t{1} << 20;
constexpr std::int64_t shares_of_a_rank = 40;  // a tensor smaller than 1/40 (2.5%) of a rank's bytes stays whole

// Returns the bytes per rank if all ranks were equal in the end; ranks that have more by themselves get nothing.
std::int64_t even_level(std::span<const std::int64_t> own_bytes, std::int64_t bytes) {
  std::vector<std::int64_t> sorted(own_bytes.begin(), own_bytes.end());
  std::ranges::sort(sorted);
  std::int64_t below = 0;  // sum over the lowest ranks
  for (std::size_t count = 1; count <= sorted.size(); ++count) {
    below += sorted[count - 1];
    const auto ranks = static_cast<std::int64_t>(count);
    const std::int64_t level = (below + bytes + ranks - 1) / ranks;
    if (count == sorted.size() || level <= sorted[count]) return level;
  }
  return 0;
}

// Assigns tensors to ranks in order, each rank until it has enough.
class Split {
 public:
  using Take = std::function<void(std::int64_t rank, const RowShare& share)>;

  Split(std::span<const Splittable> tensors, std::span<const std::int64_t> own_bytes, const Take& take)
      : tensors_(tensors), own_bytes_(own_bytes), take_(take) {
    std::int64_t bytes = 0;
    for (const Splittable& tensor : tensors) bytes += bytes_of(tensor);
    level_ = even_level(own_bytes, bytes);
    const auto ranks = std::ssize(own_bytes);
    whole_bytes_ = std::clamp(bytes / ranks / shares_of_a_rank, min_split_bytes, max_whole_bytes);
    left_ = level_ - own_bytes[0];
  }

  void run() {
    for (const bool small : {true, false}) {
      for (std::size_t i = 0; i < tensors_.size(); ++i) {
        if ((bytes_of(tensors_[i]) < whole_bytes_) != small) continue;
        small ? add_whole(i) : add_rows(i);
      }
    }
  }

 private:
  static std::int64_t bytes_of(const Splittable& tensor) { return tensor_bytes(tensor.dtype, *tensor.shape); }

  // Advances to the next rank with room; the last one takes the remainder.
  void advance_to_room(std::int64_t min) {
    while (left_ < min && rank_ + 1 < std::ssize(own_bytes_)) left_ = level_ - own_bytes_[static_cast<std::size_t>(++rank_)];
  }

  void assign(const RowShare& share, std::int64_t bytes) {
    take_(rank_, share);
    left_ -= bytes;
  }

  void add_whole(std::size_t number) {
    advance_to_room(1);
    assign({number, 0, 0, 0}, bytes_of(tensors_[number]));
  }

  void add_rows(std::size_t number) {
    const Splittable& tensor = tensors_[number];
    const Lengths& shape = *tensor.shape;
    // As few dimensions as needed for small rows.
    std::size_t axes = 0;
    std::int64_t rows = 1;
    std::int64_t row_bytes = bytes_of(tensor);
    while (axes < shape.size() && row_bytes > std::max(min_split_bytes, level_ / 100)) {
      const std::int64_t length = shape[axes];
      const std::int64_t bits = row_bytes * 8;
      if (bits % length != 0 || bits / length % 8 != 0) break;
      rows *= length;
      row_bytes /= length;
      ++axes;
    }
    if (axes == 0) return add_whole(number);
    for (std::int64_t row = 0; row < rows;) {
      advance_to_room(std::max<std::int64_t>(1, row_bytes / 2));
      const bool is_last = rank_ + 1 == std::ssize(own_bytes_);
      const std::int64_t fit = (left_ + row_bytes / 2) / row_bytes;
      const std::int64_t count = is_last ? rows - row : std::min(rows - row, std::max<std::int64_t>(1, fit));
      assign({number, axes, row, row + count}, count * row_bytes);
      row += count;
    }
  }

  std::span<const Splittable> tensors_;
  std::span<const std::int64_t> own_bytes_;
  const Take& take_;
  std::int64_t level_ = 0;
  std::int64_t whole_bytes_ = 0;
  std::int64_t rank_ = 0;
  std::int64_t left_ = 0;
};

}  // namespace

std::vector<RowShare> share_of(std::span<const Splittable> tensors, std::span<const std::int64_t> own_bytes, std::int64_t rank) {
  std::vector<RowShare> shares;
  const Split::Take take = [&](std::int64_t of, const RowShare& share) {
    if (of == rank) shares.push_back(share);
  };
  Split(tensors, own_bytes, take).run();
  return shares;
}

}  // namespace ckpt::state
