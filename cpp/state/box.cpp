#include "state/box.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <utility>

#include "base/text.h"

namespace ckpt::state {
namespace {

std::int64_t end_of(const Box& box, std::size_t axis) { return box.offsets[axis] + box.lengths[axis]; }

// Returns the number of elements of the dimensions after axis.
std::int64_t stride_of(const Lengths& lengths, std::size_t axis) {
  std::int64_t stride = 1;
  for (std::size_t i = axis + 1; i < lengths.size(); ++i) stride *= lengths[i];
  return stride;
}

// Returns the first axis from which on inner spans outer. The axes before it are iterated run by run.
std::size_t first_whole_axis(const Box& inner, const Box& outer) {
  std::size_t axis = inner.lengths.size();
  while (axis > 0 && inner.lengths[axis - 1] == outer.lengths[axis - 1]) --axis;
  return axis;
}

// Iterates over the runs of shared, which is contained in both boxes.
class Runs {
 public:
  Runs(const Box& from, const Box& to, const Box& shared, std::int64_t begin, std::int64_t end,
       const std::function<void(const Run&)>& take)
      : from_(from), to_(to), shared_(shared), begin_(begin), end_(end), take_(take) {
    // A run covers the last axis that is not whole in both boxes, and all axes after it.
    const std::size_t whole = std::max(first_whole_axis(shared, from), first_whole_axis(shared, to));
    run_axis_ = whole == 0 ? 0 : whole - 1;
    run_elements_ = shared.lengths.empty() ? 1 : shared.lengths[run_axis_] * stride_of(shared.lengths, run_axis_);
  }

  void walk() {
    Lengths at = shared_.offsets;
    walk_axis(0, at);
  }

 private:
  void walk_axis(std::size_t axis, Lengths& at) {
    if (axis >= run_axis_) return take_run(at);
    const std::int64_t stride = stride_of(from_.lengths, axis);
    // Visit only rows that intersect [begin, end): at is the box's first index in all axes after this one.
    std::int64_t base = 0;
    for (std::size_t i = 0; i < axis; ++i) base += (at[i] - from_.offsets[i]) * stride_of(from_.lengths, i);
    const std::int64_t first_row = (begin_ - base) / stride;
    const std::int64_t last_row = (end_ - 1 - base) / stride;
    const std::int64_t origin = from_.offsets[axis];
    const std::int64_t first = std::max(shared_.offsets[axis], origin + std::max<std::int64_t>(0, first_row));
    const std::int64_t last = std::min(end_of(shared_, axis) - 1, origin + last_row);
    for (std::int64_t row = first; row <= last; ++row) {
      at[axis] = row;
      walk_axis(axis + 1, at);
    }
    at[axis] = shared_.offsets[axis];
  }

  void take_run(const Lengths& at) {
    Run run{position_in(from_, at), position_in(to_, at), run_elements_};
    const std::int64_t cut = std::max<std::int64_t>(0, begin_ - run.from);
    run.elements = std::min(run.from + run.elements, end_) - run.from - cut;
    if (run.elements <= 0) return;
    run.from += cut;
    run.to += cut;
    take_(run);
  }

  const Box& from_;
  const Box& to_;
  const Box& shared_;
  const std::int64_t begin_;
  const std::int64_t end_;
  const std::function<void(const Run&)>& take_;
  std::size_t run_axis_ = 0;
  std::int64_t run_elements_ = 1;
};

}  // namespace

std::int64_t Box::elements() const noexcept {
  return std::accumulate(lengths.begin(), lengths.end(), std::int64_t{1}, std::multiplies<>());
}

Box whole_box(const Lengths& shape) { return {Lengths(shape.size(), 0), shape}; }

std::string to_text(const Box& box) {
  std::string out = "[";
  for (std::size_t i = 0; i < box.offsets.size(); ++i)
    out += base::cat(i > 0 ? ", " : "", box.offsets[i], ':', box.offsets[i] + box.lengths[i]);
  return out + ']';
}

std::optional<Box> intersection(const Box& a, const Box& b) {
  Box shared;
  for (std::size_t i = 0; i < a.offsets.size(); ++i) {
    const std::int64_t begin = std::max(a.offsets[i], b.offsets[i]);
    const std::int64_t end = std::min(end_of(a, i), end_of(b, i));
    if (begin >= end) return std::nullopt;
    shared.offsets.push_back(begin);
    shared.lengths.push_back(end - begin);
  }
  return shared;
}

bool is_contiguous(const Box& inner, const Box& outer) {
  const std::size_t whole = first_whole_axis(inner, outer);
  for (std::size_t i = 0; i + 1 < whole; ++i) {
    if (inner.lengths[i] != 1) return false;
  }
  return true;
}

std::int64_t position_in(const Box& outer, const Lengths& at) {
  std::int64_t position = 0;
  for (std::size_t i = 0; i < at.size(); ++i) position = position * outer.lengths[i] + (at[i] - outer.offsets[i]);
  return position;
}

void for_each_run(const Box& from, const Box& to, std::int64_t begin, std::int64_t end,
                  const std::function<void(const Run&)>& take) {
  const auto shared = intersection(from, to);
  if (shared && begin < end) Runs(from, to, *shared, begin, end, take).walk();
}

std::vector<Box> boxes_of_rows(const Lengths& shape, std::size_t axes, std::int64_t begin, std::int64_t end) {
  std::vector<Box> boxes;
  while (begin < end) {
    // The widest box that starts at begin: over axis k, with all axes before it fixed and all axes after it whole.
    std::int64_t rows = 1;  // per step along the axis
    std::size_t axis = axes;
    Box box = whole_box(shape);
    std::int64_t rest = begin;
    while (axis > 0) {
      const std::int64_t length = shape[axis - 1];
      const bool is_aligned = rest % length == 0 && begin + rows * length <= end;
      if (!is_aligned || axis == 1) break;
      rest /= length;
      rows *= length;
      --axis;
    }
    std::int64_t place = begin / rows;
    const std::int64_t length = shape[axis - 1];
    const std::int64_t steps = std::min(length - place % length, (end - begin) / rows);
    box.offsets[axis - 1] = place % length;
    box.lengths[axis - 1] = steps;
    place /= length;
    for (std::size_t i = axis - 1; i > 0; --i) {
      box.offsets[i - 1] = place % shape[i - 1];
      box.lengths[i - 1] = 1;
      place /= shape[i - 1];
    }
    boxes.push_back(std::move(box));
    begin += steps * rows;
  }
  return boxes;
}

// ---- Cover ----

namespace {

class Cover {
 public:
  Cover(const Lengths& shape, std::span<const Box> boxes) : shape_(shape), boxes_(boxes) {}

  std::optional<Gap> find() {
    std::vector<std::size_t> all;
    for (std::size_t i = 0; i < boxes_.size(); ++i) {
      if (!boxes_[i].is_empty()) all.push_back(i);
    }
    // Ignore dimensions in which every box is whole.
    std::vector<std::size_t> axes;
    for (std::size_t axis = 0; axis < shape_.size(); ++axis) {
      const auto is_whole = [&](std::size_t i) { return boxes_[i].lengths[axis] == shape_[axis]; };
      if (!std::ranges::all_of(all, is_whole)) axes.push_back(axis);
    }
    Box region = whole_box(shape_);
    if (region.is_empty()) return std::nullopt;
    return find_in(region, all, axes);
  }

 private:
  using Numbers = std::vector<std::size_t>;

  Gap missing(Box region) const { return {Gap::Kind::missing, std::move(region)}; }
  Gap overlap(std::size_t a, std::size_t b) const { return {Gap::Kind::overlap, *intersection(boxes_[a], boxes_[b]), a, b}; }

  // region: whole in all remaining axes; each box spans it in all other axes.
  std::optional<Gap> find_in(Box& region, const Numbers& boxes, std::span<const std::size_t> axes) const {
    if (axes.empty()) {
      if (boxes.empty()) return missing(region);
      if (boxes.size() > 1) return overlap(boxes[0], boxes[1]);
      return std::nullopt;
    }
    if (axes.size() == 1) return find_along(region, boxes, axes[0]);
    if (axes.size() == 2) return sweep(region, boxes, axes[0], axes[1]);
    return cut_into_slabs(region, boxes, axes);
  }

  std::optional<Gap> find_along(Box& region, Numbers boxes, std::size_t axis) const {
    std::ranges::sort(boxes, {}, [&](std::size_t i) { return boxes_[i].offsets[axis]; });
    std::int64_t at = 0;
    for (std::size_t n = 0; n < boxes.size(); ++n) {
      const Box& box = boxes_[boxes[n]];
      if (box.offsets[axis] < at) return overlap(boxes[n - 1], boxes[n]);
      if (box.offsets[axis] > at) return missing(cut(region, axis, at, box.offsets[axis]));
      at = end_of(box, axis);
    }
    if (at < shape_[axis]) return missing(cut(region, axis, at, shape_[axis]));
    return std::nullopt;
  }

  // Sweep line along one axis: overlaps are detected across it, and a comparison of the areas detects missing elements.
  std::optional<Gap> sweep(Box& region, const Numbers& boxes, std::size_t axis, std::size_t across) const {
    std::vector<std::pair<std::int64_t, std::size_t>> begins;
    std::vector<std::pair<std::int64_t, std::size_t>> ends;
    std::int64_t area = 0;
    for (const std::size_t i : boxes) {
      begins.emplace_back(boxes_[i].offsets[axis], i);
      ends.emplace_back(end_of(boxes_[i], axis), i);
      area += boxes_[i].lengths[axis] * boxes_[i].lengths[across];
    }
    std::ranges::sort(begins);
    std::ranges::sort(ends);
    std::map<std::int64_t, std::size_t> met;  // open boxes by their start across
    std::size_t ended = 0;
    for (const auto& [place, i] : begins) {
      while (ended < ends.size() && ends[ended].first <= place) met.erase(boxes_[ends[ended++].second].offsets[across]);
      const auto behind = met.lower_bound(boxes_[i].offsets[across]);
      if (behind != met.end() && behind->first < end_of(boxes_[i], across)) return overlap(behind->second, i);
      if (behind != met.begin() && end_of(boxes_[std::prev(behind)->second], across) > boxes_[i].offsets[across])
        return overlap(std::prev(behind)->second, i);
      met.emplace(boxes_[i].offsets[across], i);
    }
    if (area == shape_[axis] * shape_[across]) return std::nullopt;
    const std::size_t both[] = {axis, across};
    return cut_into_slabs(region, boxes, both);  // finds the missing box
  }

  // Between two coordinates at which a box begins or ends along the first axis, the cover does not change along it.
  std::optional<Gap> cut_into_slabs(Box& region, const Numbers& boxes, std::span<const std::size_t> axes) const {
    const std::size_t axis = axes.front();
    std::vector<std::int64_t> cuts{0, shape_[axis]};
    for (const std::size_t i : boxes) {
      cuts.push_back(boxes_[i].offsets[axis]);
      cuts.push_back(end_of(boxes_[i], axis));
    }
    std::ranges::sort(cuts);
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    Numbers by_begin = boxes;
    std::ranges::sort(by_begin, {}, [&](std::size_t i) { return boxes_[i].offsets[axis]; });
    Numbers here;
    std::size_t next = 0;
    for (std::size_t slab = 0; slab + 1 < cuts.size(); ++slab) {
      std::erase_if(here, [&](std::size_t i) { return end_of(boxes_[i], axis) <= cuts[slab]; });
      for (; next < by_begin.size() && boxes_[by_begin[next]].offsets[axis] == cuts[slab]; ++next) here.push_back(by_begin[next]);
      Box part = cut(region, axis, cuts[slab], cuts[slab + 1]);
      if (auto gap = find_in(part, here, axes.subspan(1))) return gap;
    }
    return std::nullopt;
  }

  static Box cut(Box region, std::size_t axis, std::int64_t begin, std::int64_t end) {
    region.offsets[axis] = begin;
    region.lengths[axis] = end - begin;
    return region;
  }

  const Lengths& shape_;
  std::span<const Box> boxes_;
};

}  // namespace

std::optional<Gap> find_gap(const Lengths& shape, std::span<const Box> boxes) { return Cover(shape, boxes).find(); }

}  // namespace ckpt::state
