#include "state/ranks/merge.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/error.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// A cell of a dimension that is cut evenly is stored independently of the dimension's length: its number, and the negated number of
// pieces. Any other cut is stored as offset and length.
void add_axis(Lengths& form, std::int64_t offset, std::int64_t length, std::int64_t whole) {
  const bool is_even = whole % length == 0 && offset % length == 0;
  form.push_back(is_even ? offset / length : offset);
  form.push_back(is_even ? -(whole / length) : length);
}

Box box_of(std::span<const std::int64_t> form, const Lengths& shape) {
  Box box;
  for (std::size_t i = 0; i < shape.size(); ++i) {
    const std::int64_t length = form[2 * i + 1] > 0 ? form[2 * i + 1] : shape[i] / -form[2 * i + 1];
    box.offsets.push_back(form[2 * i + 1] > 0 ? form[2 * i] : form[2 * i] * length);
    box.lengths.push_back(length);
  }
  return box;
}

// Returns nothing if the blocks are not a grid. They must be in the order of their offsets.
std::shared_ptr<const Placement> as_grid(const Lengths& shape, const std::vector<Placement::Block>& blocks) {
  std::vector<Lengths> begins(shape.size());
  for (std::size_t i = 0; i < shape.size(); ++i) {
    for (const Placement::Block& block : blocks) begins[i].push_back(block.box.offsets[i]);
    std::ranges::sort(begins[i]);
    begins[i].erase(std::unique(begins[i].begin(), begins[i].end()), begins[i].end());
    if (begins[i].empty() || begins[i].front() != 0) return nullptr;
  }
  std::int64_t cells = 1;
  for (const Lengths& axis : begins) {
    if (__builtin_mul_overflow(cells, std::ssize(axis), &cells)) return nullptr;
  }
  if (cells != std::ssize(blocks)) return nullptr;
  const auto list = std::make_shared<PartList>();
  for (const Placement::Block& block : blocks) {
    for (std::size_t i = 0; i < shape.size(); ++i) {
      const auto next = std::ranges::upper_bound(begins[i], block.box.offsets[i]);
      const std::int64_t end = next == begins[i].end() ? shape[i] : *next;
      if (block.box.offsets[i] + block.box.lengths[i] != end) return nullptr;
    }
    list->add(block.part);
  }
  std::vector<Cuts> cuts;
  for (std::size_t i = 0; i < shape.size(); ++i) cuts.push_back(make_cuts(std::move(begins[i]), shape[i]));
  return std::make_shared<Placement>(shape, std::move(cuts), list);
}

std::shared_ptr<const Placement> place(const ListedTensor& tensor, std::vector<Placement::Block> blocks) {
  const auto key = [](const Placement::Block& block) { return std::tie(block.box.offsets, block.box.lengths, block.part); };
  std::ranges::sort(blocks, [&](const auto& a, const auto& b) { return key(a) < key(b); });
  // Ranks can have the same block: use that of the first rank.
  const auto is_same = [](const Placement::Block& a, const Placement::Block& b) { return a.box == b.box; };
  blocks.erase(std::unique(blocks.begin(), blocks.end(), is_same), blocks.end());
  if (auto grid = as_grid(tensor.shape, blocks)) return grid;
  std::vector<Box> boxes;
  boxes.reserve(blocks.size());
  for (const Placement::Block& block : blocks) boxes.push_back(block.box);
  if (const auto gap = find_gap(tensor.shape, boxes)) {
    if (gap->kind == Gap::Kind::missing) {
      base::fail(Status::invalid_argument, quoted_tensor(tensor.group, tensor.name), ": ", to_text(gap->box),
                 " is missing on all ranks");
    }
    base::fail(Status::invalid_argument, quoted_tensor(tensor.group, tensor.name), ": ranks ", blocks[gap->first].part, " and ",
               blocks[gap->second].part, " both have ", to_text(gap->box));
  }
  return std::make_shared<Placement>(tensor.shape, std::move(blocks));
}

}  // namespace

Merge::Merge(const Listing& listing) : listing_(listing), histories_(listing.tensors.size(), -1) {
  for (std::size_t i = 0; i < listing.tensors.size(); ++i)
    tensors_.emplace(std::pair(std::string_view(listing.tensors[i].group), std::string_view(listing.tensors[i].name)), i);
}

std::int32_t Merge::number_of(const Form& form) {
  const auto [place, is_new] = forms_.emplace(form, static_cast<std::int32_t>(forms_.size()));
  if (is_new) by_number_.push_back(&place->first);
  return place->second;
}

void Merge::add(const Part& part) {
  std::map<std::size_t, Form> forms;  // by tensor
  for (const GroupRecord& group : part.groups) {
    for (const TensorRecord& block : group.tensors) {
      const auto found = tensors_.find({group.name, tensor_of(block)});
      if (found == tensors_.end()) {
        base::fail(Status::invalid_argument, "rank ", part.rank, " has saved tensor ", base::quote(tensor_of(block)), " of group ",
                   base::quote(group.name), ", which rank 0 does not have");
      }
      const Box box = box_of(block);
      const Lengths& shape = listing_.tensors[found->second].shape;
      if (box.is_empty()) continue;
      for (std::size_t i = 0; i < shape.size(); ++i) add_axis(forms[found->second], box.offsets[i], box.lengths[i], shape[i]);
      if (shape.empty()) forms[found->second];
    }
  }
  std::map<std::pair<std::int32_t, std::int32_t>, std::int32_t> next;  // maps a history to its extension by this part
  for (const auto& [tensor, form] : forms) {
    const std::pair key(histories_[tensor], number_of(form));
    const auto [place, is_new] = next.emplace(key, static_cast<std::int32_t>(steps_.size()));
    if (is_new) steps_.push_back({key.first, key.second, part.rank});
    histories_[tensor] = place->second;
  }
}

std::vector<Placement::Block> Merge::blocks_of(const ListedTensor& tensor, std::int32_t history) const {
  std::vector<Placement::Block> blocks;
  const std::size_t axes = tensor.shape.size();
  for (std::int32_t at = history; at >= 0; at = steps_[static_cast<std::size_t>(at)].before) {
    const Step& step = steps_[static_cast<std::size_t>(at)];
    const std::span<const std::int64_t> form(*by_number_[static_cast<std::size_t>(step.form)]);
    if (axes == 0) blocks.push_back({{}, step.part});
    for (std::size_t i = 0; i < form.size(); i += 2 * axes)
      blocks.push_back({box_of(form.subspan(i, 2 * axes), tensor.shape), step.part});
  }
  return blocks;
}

// Returns whether the history applies to tensors of any shape.
bool Merge::is_even(std::int32_t history) const {
  for (std::int32_t at = history; at >= 0; at = steps_[static_cast<std::size_t>(at)].before) {
    const Form& form = *by_number_[static_cast<std::size_t>(steps_[static_cast<std::size_t>(at)].form)];
    for (std::size_t i = 1; i < form.size(); i += 2) {
      if (form[i] > 0) return false;
    }
  }
  return true;
}

std::vector<GroupRecord> Merge::finish() const {
  std::vector<GroupRecord> groups;
  std::map<std::pair<std::int32_t, std::size_t>, std::shared_ptr<const Placement>> even;  // by history and number of dimensions
  std::map<std::pair<std::int32_t, Lengths>, std::shared_ptr<const Placement>> same;      // by history and shape
  for (std::size_t i = 0; i < listing_.tensors.size(); ++i) {
    const ListedTensor& tensor = listing_.tensors[i];
    const std::int32_t history = histories_[i];
    std::shared_ptr<const Placement>& placement = same[{history, tensor.shape}];
    if (placement == nullptr) {
      std::shared_ptr<const Placement>& known = even[{history, tensor.shape.size()}];
      if (known != nullptr) {
        placement = std::make_shared<Placement>(tensor.shape, known->cuts(), known->parts());
      } else {
        placement = place(tensor, blocks_of(tensor, history));
        if (placement->is_grid() && is_even(history)) known = placement;
      }
    }
    if (groups.empty() || groups.back().name != tensor.group) {
      groups.push_back({tensor.group, {}, {}});
      const auto end = std::find_if(listing_.tensors.begin() + static_cast<std::ptrdiff_t>(i), listing_.tensors.end(),
                                    [&](const ListedTensor& other) { return other.group != tensor.group; });
      groups.back().tensors.reserve(static_cast<std::size_t>(end - listing_.tensors.begin()) - i);
    }
    TensorRecord record{tensor.name};
    record.dtype = tensor.dtype;
    record.shape = tensor.shape;
    record.bytes_of_chunk = shard_chunk_bytes;
    record.placement = placement;
    groups.back().tensors.push_back(std::move(record));
  }
  return groups;
}

}  // namespace ckpt::state
