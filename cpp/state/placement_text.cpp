#include "state/placement_text.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "base/error.h"
#include "state/record_text.h"

namespace ckpt::state {
namespace {

using base::cat;

// A grid of 10,000 ranks has this number of cells in a tensor.
constexpr std::int64_t max_cells = std::int64_t{1} << 26;

std::string list_text(const PartList& list) {
  std::string out = "[";
  for (const PartList::Run& run : list.runs()) out += cat(out.size() > 1 ? "," : "", run.first, ',', run.count);
  return out + ']';
}

std::string numbers_text(const Lengths& numbers) {
  std::string out;
  for (const std::int64_t number : numbers) out += cat(out.empty() ? "" : ",", number);
  return out;
}

// The lists, each stored once; tensors share them.
class Lists {
 public:
  std::size_t number_of(const std::shared_ptr<const PartList>& list) {
    const auto known = by_pointer_.find(list.get());
    if (known != by_pointer_.end()) return known->second;
    const std::size_t number = by_text_.emplace(list_text(*list), by_text_.size()).first->second;
    by_pointer_.emplace(list.get(), number);
    return number;
  }
  std::string text() const {
    std::vector<std::string_view> in_order(by_text_.size());
    for (const auto& [list, number] : by_text_) in_order[number] = list;
    std::string out = "[";
    for (const std::string_view list : in_order) out += cat(out.size() > 1 ? ",\n" : "\n", list);
    return out + ']';
  }

 private:
  std::map<std::string, std::size_t> by_text_;
  std::map<const PartList*, std::size_t> by_pointer_;
};

std::string placement_text(const Placement& placement, Lists& lists) {
  std::string out;
  if (placement.is_grid()) {
    for (const Cuts& cuts : placement.cuts())
      out += cat(out.empty() ? "" : ",", cuts.even > 0 ? cat(cuts.even) : cat('[', numbers_text(cuts.begins), ']'));
    return cat("\"cuts\":[", out, "],\"list\":", lists.number_of(placement.parts()));
  }
  for (const Placement::Block& block : placement.blocks()) {
    out += cat(out.empty() ? "[" : ",[", block.part, block.box.offsets.empty() ? "" : ",", numbers_text(block.box.offsets),
               block.box.offsets.empty() ? "" : ",", numbers_text(block.box.lengths), ']');
  }
  return cat("\"blocks\":[", out, ']');
}

Cuts read_cut(const Node& node, std::int64_t length) {
  if (!node.value.is_array()) {
    const std::int64_t even = node.count();
    if (even < 1 || even > std::max<std::int64_t>(1, length))
      node.refuse("is ", even, "; a length of ", length, " cannot be cut into that many pieces");
    return {even, {}};
  }
  Lengths begins = node.counts();
  const bool is_ascending = std::ranges::adjacent_find(begins, std::ranges::greater_equal()) == begins.end();
  if (begins.empty() || begins.front() != 0 || !is_ascending || (begins.back() >= length && begins.back() != 0))
    node.refuse("is not a valid cut of a length of ", length);
  return {0, std::move(begins)};
}

Placement read_grid(const Node& node, const Lengths& shape, const std::vector<std::shared_ptr<const PartList>>& lists) {
  std::vector<Cuts> cuts;
  std::int64_t cells = 1;
  const Node listed = node["cuts"];
  listed.for_each_item([&](const Node& item) {
    if (cuts.size() == shape.size()) listed.refuse("has more cuts than dimensions");
    cuts.push_back(read_cut(item, shape[cuts.size()]));
    if (__builtin_mul_overflow(cells, cuts.back().count(), &cells) || cells > max_cells)
      listed.refuse("makes more than ", max_cells, " blocks");
  });
  if (cuts.size() != shape.size()) listed.refuse("has ", cuts.size(), " cuts for ", shape.size(), " dimensions");
  const std::int64_t number = node["list"].count();
  if (number >= std::ssize(lists)) node["list"].refuse("is ", number, "; the number of lists is ", lists.size());
  const auto& parts = lists[static_cast<std::size_t>(number)];
  if (parts->size() != cells) node.refuse("has ", cells, " blocks but a list of ", parts->size(), " parts");
  return {shape, std::move(cuts), parts};
}

Placement read_blocks(const Node& node, const Lengths& shape, std::int64_t world_size) {
  std::vector<Placement::Block> blocks;
  std::vector<Box> boxes;
  const Node listed = node["blocks"];
  listed.for_each_item([&](const Node& item) {
    const Lengths numbers = item.counts();
    const auto axes = std::ssize(shape);
    if (std::ssize(numbers) != 1 + 2 * axes) item.refuse("has ", numbers.size(), " numbers for ", axes, " dimensions");
    Placement::Block block{{{numbers.begin() + 1, numbers.begin() + 1 + axes}, {numbers.begin() + 1 + axes, numbers.end()}},
                           numbers[0]};
    if (block.part >= world_size) item.refuse("has part ", block.part, "; expected 0 .. ", world_size - 1);
    for (std::size_t i = 0; i < shape.size(); ++i) {
      if (block.box.offsets[i] > shape[i] || block.box.lengths[i] > shape[i] - block.box.offsets[i])
        item.refuse("exceeds the tensor's shape");
    }
    boxes.push_back(block.box);
    blocks.push_back(std::move(block));
  });
  if (const auto gap = find_gap(shape, boxes)) {
    listed.refuse(gap->kind == Gap::Kind::missing ? "does not cover " : "covers more than once ", to_text(gap->box), " of ",
                  base::quote(node["name"].text()));
  }
  return {shape, std::move(blocks)};
}

std::vector<std::shared_ptr<const PartList>> read_lists(const Node& lists, std::int64_t world_size) {
  std::vector<std::shared_ptr<const PartList>> all;
  lists.for_each_item([&](const Node& item) {
    const Lengths numbers = item.counts();
    if (numbers.size() % 2 != 0) item.refuse("has ", numbers.size(), " numbers; expected pairs");
    const auto list = std::make_shared<PartList>();
    for (std::size_t i = 0; i < numbers.size(); i += 2) {
      if (numbers[i] >= world_size || numbers[i + 1] < 1 || numbers[i + 1] > world_size - numbers[i] || list->size() > max_cells) {
        item.refuse("has a run of ", numbers[i + 1], " parts from ", numbers[i], "; the number of parts is ", world_size);
      }
      list->add_run({numbers[i], numbers[i + 1]});
    }
    all.push_back(list);
  });
  return all;
}

}  // namespace

void append_placed_groups(std::string& out, const std::vector<GroupRecord>& groups) {
  // The lists precede the tensors that refer to them.
  Lists lists;
  for (const GroupRecord& group : groups) {
    for (const TensorRecord& tensor : group.tensors) {
      if (tensor.placement->is_grid()) lists.number_of(tensor.placement->parts());
    }
  }
  out += cat(",\n\"lists\":", lists.text(), ",\n\"groups\":[");
  for (const GroupRecord& group : groups) {
    out += cat(out.back() == '[' ? "\n" : ",\n", "{\"name\":", base::json_string(group.name), ",\n\"tensors\":[");
    bool is_first = true;
    for (const TensorRecord& tensor : group.tensors) {
      out += cat(std::exchange(is_first, false) ? "\n" : ",\n", "{\"name\":", base::json_string(tensor.name), ",\"dtype\":\"",
                 tensor::dtype_name(tensor.dtype), "\",\"shape\":[", numbers_text(tensor.shape), "],",
                 placement_text(*tensor.placement, lists), '}');
    }
    out += "]}";
  }
  out += ']';
}

std::vector<GroupRecord> read_placed_groups(const Node& top, std::int64_t world_size) {
  const auto lists = read_lists(top["lists"], world_size);
  std::vector<GroupRecord> groups;
  std::set<std::string> names;
  top["groups"].for_each_item([&](const Node& node) {
    GroupRecord group{node["name"].text(), {}, {}};
    if (!names.insert(group.name).second) node.refuse("has a duplicate name");
    const Node tensors = node["tensors"];
    tensors.for_each_item([&](const Node& item) {
      TensorRecord tensor;
      read_name_and_shape(item, tensor);
      tensor.bytes_of_chunk = shard_chunk_bytes;
      tensor.placement = std::make_shared<Placement>(item.find("blocks") ? read_blocks(item, tensor.shape, world_size)
                                                                         : read_grid(item, tensor.shape, lists));
      group.tensors.push_back(std::move(tensor));
    });
    require_unique_names(tensors, group.tensors);
    groups.push_back(std::move(group));
  });
  return groups;
}

}  // namespace ckpt::state
