#include "state/placement.h"

#include <algorithm>
#include <utility>

namespace ckpt::state {

void PartList::add(std::int64_t part) {
  if (!runs_.empty() && runs_.back().first + runs_.back().count == part) {
    ++runs_.back().count;
  } else {
    add_run({part, 1});
  }
}

void PartList::add_run(const Run& run) {
  begins_.push_back(size());
  runs_.push_back(run);
}

std::int64_t PartList::operator[](std::int64_t cell) const {
  const auto run = static_cast<std::size_t>(std::ranges::upper_bound(begins_, cell) - begins_.begin()) - 1;
  return runs_[run].first + (cell - begins_[run]);
}

namespace {

std::int64_t even_length(std::int64_t pieces, std::int64_t length) { return length / pieces + (length % pieces != 0 ? 1 : 0); }

}  // namespace

std::int64_t Cuts::begin_of(std::int64_t piece, std::int64_t length) const {
  if (piece == count()) return length;
  return even > 0 ? std::min(length, piece * even_length(even, length)) : begins[static_cast<std::size_t>(piece)];
}

std::int64_t Cuts::piece_at(std::int64_t place, std::int64_t length) const {
  if (even > 0) return length == 0 ? 0 : place / even_length(even, length);
  return std::ranges::upper_bound(begins, place) - begins.begin() - 1;
}

Cuts make_cuts(Lengths begins, std::int64_t length) {
  Cuts cuts{std::ssize(begins), {}};
  for (std::int64_t piece = 0; piece < cuts.even; ++piece) {
    if (cuts.begin_of(piece, length) != begins[static_cast<std::size_t>(piece)]) return {0, std::move(begins)};
  }
  return cuts;
}

Placement::Placement(Lengths shape, std::vector<Cuts> cuts, std::shared_ptr<const PartList> parts)
    : shape_(std::move(shape)), cuts_(std::move(cuts)), parts_(std::move(parts)) {}

Placement::Placement(Lengths shape, std::vector<Block> blocks) : shape_(std::move(shape)), blocks_(std::move(blocks)) {}

void Placement::for_each_block(const Box& wanted, const Take& take) const {
  for_each_number(wanted, [&](std::int64_t number) {
    const Block found = block(number);
    take(found.box, found.part);
  });
}

Placement::Block Placement::block(std::int64_t number) const {
  if (!is_grid()) return blocks_[static_cast<std::size_t>(number)];
  Block found{whole_box(shape_), (*parts_)[number]};
  for (std::size_t i = shape_.size(); i > 0; --i) {
    const Cuts& cuts = cuts_[i - 1];
    const std::int64_t piece = number % cuts.count();
    number /= cuts.count();
    found.box.offsets[i - 1] = cuts.begin_of(piece, shape_[i - 1]);
    found.box.lengths[i - 1] = cuts.begin_of(piece + 1, shape_[i - 1]) - found.box.offsets[i - 1];
  }
  return found;
}

void Placement::for_each_number(const Box& wanted, const std::function<void(std::int64_t number)>& take) const {
  if (wanted.is_empty()) return;
  if (!is_grid()) {
    for (std::size_t i = 0; i < blocks_.size(); ++i) {
      if (intersection(blocks_[i].box, wanted)) take(static_cast<std::int64_t>(i));
    }
    return;
  }
  const std::size_t axes = shape_.size();
  Lengths first(axes);
  Lengths last(axes);
  for (std::size_t i = 0; i < axes; ++i) {
    first[i] = cuts_[i].piece_at(wanted.offsets[i], shape_[i]);
    last[i] = cuts_[i].piece_at(wanted.offsets[i] + wanted.lengths[i] - 1, shape_[i]);
  }
  Lengths at = first;
  for (;;) {
    std::int64_t cell = 0;
    for (std::size_t i = 0; i < axes; ++i) cell = cell * cuts_[i].count() + at[i];
    take(cell);
    std::size_t axis = axes;
    while (axis > 0 && at[axis - 1] == last[axis - 1]) {
      at[axis - 1] = first[axis - 1];
      --axis;
    }
    if (axis == 0) return;
    ++at[axis - 1];
  }
}

}  // namespace ckpt::state
