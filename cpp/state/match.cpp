#include "state/match.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/error.h"
#include "state/convert.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// A tensor of the state to load, whole or in blocks.
struct WantedTensor {
  const std::string& name;
  tensor::Dtype dtype;
  Lengths shape;
  std::vector<const tensor::Tensor*> memory;
};

template <class Take>
void for_each_wanted(const StateGroup& group, Take&& take) {
  for (const StateTensor& item : group.tensors) {
    const auto dimensions = item.tensor->shape().dimensions();
    take(WantedTensor{item.name, item.tensor->dtype(), {dimensions.begin(), dimensions.end()}, {item.tensor.get()}});
  }
  for (const ShardedTensor& item : group.sharded) {
    WantedTensor wish{item.name, item.dtype, item.shape, {}};
    for (const ShardedTensor::Block& block : item.blocks) wish.memory.push_back(block.tensor.get());
    take(wish);
  }
}

std::string dtype_and_shape(tensor::Dtype dtype, std::span<const std::int64_t> shape) {
  std::string out = cat(tensor::dtype_name(dtype), " [");
  for (std::size_t i = 0; i < shape.size(); ++i) out += cat(i > 0 ? ", " : "", shape[i]);
  return out + ']';
}

// Compares a tensor of the state with its record.
void match_tensor(const std::string& group, const WantedTensor& wanted, const TensorRecord& record, Conversion convert) {
  for (const tensor::Tensor* memory : wanted.memory) memory->require_writable(record.name);
  const bool fits = wanted.dtype == record.dtype || find_converter(record.dtype, wanted.dtype, convert) != nullptr;
  base::require(fits && wanted.shape == record.shape, "tensor ", base::quote(record.name), " of group ", base::quote(group), " is ",
                dtype_and_shape(wanted.dtype, wanted.shape), " here; the checkpoint has ",
                dtype_and_shape(record.dtype, record.shape),
                fits || convert == Conversion::none
                    ? std::string()
                    : cat(", and the conversion is not ", convert == Conversion::lossless ? "lossless" : "supported"));
}

// Returns the checkpoint's records by the names that the state would use.
std::map<GroupAndName, const TensorRecord*> records_of(const Manifest& manifest, const NameMap& names) {
  std::map<GroupAndName, const TensorRecord*> records;
  for (const GroupRecord& group : manifest.groups) {
    for (const TensorRecord& record : group.tensors) records.emplace(GroupAndName(group.name, names.name_of(record)), &record);
  }
  return records;
}

Differences match_partly(const State& state, const Manifest& manifest, const NameMap& names,
                         const std::set<std::string_view>& trees, Conversion convert) {
  auto records = records_of(manifest, names);
  Differences differences;
  for (const StateGroup& group : state.groups()) {
    for_each_wanted(group, [&](const WantedTensor& wanted) {
      const auto found = records.find({group.name, wanted.name});
      if (found == records.end()) {
        differences.missing.emplace_back(group.name, wanted.name);
      } else {
        match_tensor(group.name, wanted, *found->second, convert);
        records.erase(found);
      }
    });
  }
  for (const auto& [name, record] : records) differences.unexpected.emplace_back(name.first, record->name);
  for (const auto* list : {&differences.missing, &differences.unexpected}) {
    for (const auto& [group, name] : *list) {
      base::require(!trees.contains(group), "tensor ", base::quote(name), " of group ", base::quote(group), " is not in ",
                    list == &differences.missing ? "the checkpoint" : "the state", "; trees must be loaded completely");
    }
  }
  return differences;
}

// name: its name in the state.
[[noreturn]] void fail_unexpected(const std::string& group, const TensorRecord& record, std::string_view name) {
  base::fail(Status::invalid_argument, "tensor ", base::quote(record.name), " of group ", base::quote(group),
             " is in the checkpoint but not in the state",
             name == record.name ? std::string() : cat(", where its name would be ", base::quote(name)));
}

void match_whole(const State& state, const Manifest& manifest, const NameMap& names, Conversion convert) {
  for (const StateGroup& group : state.groups()) {
    const auto recorded = std::ranges::find(manifest.groups, group.name, &GroupRecord::name);
    base::require(recorded != manifest.groups.end(), "group ", base::quote(group.name), " of the state is not in the checkpoint");
    std::map<std::string_view, const TensorRecord*> records;
    for (const TensorRecord& record : recorded->tensors) records.emplace(names.name_of(record), &record);
    for_each_wanted(group, [&](const WantedTensor& wanted) {
      const auto found = records.find(wanted.name);
      base::require(found != records.end(), "tensor ", base::quote(wanted.name), " of group ", base::quote(group.name),
                    " of the state is not in the checkpoint");
      match_tensor(group.name, wanted, *found->second, convert);
      records.erase(found);
    });
    if (!records.empty()) fail_unexpected(group.name, *records.begin()->second, records.begin()->first);
  }
  for (const GroupRecord& recorded : manifest.groups) {
    base::require(std::ranges::find(state.groups(), recorded.name, &StateGroup::name) != state.groups().end(), "group ",
                  base::quote(recorded.name), " is in the checkpoint but not in the state");
  }
}

}  // namespace

std::set<std::string_view> prepare_trees(State& state, const Manifest& manifest) {
  std::set<std::string_view> trees;
  for (const GroupRecord& recorded : manifest.groups) {
    const auto text = std::ranges::find(recorded.tensors, tree_tensor, &TensorRecord::name);
    if (text == recorded.tensors.end() || text->dtype != tensor::Dtype::u8 || text->shape.size() != 1) continue;
    if (text->shape[0] > total_bytes(manifest))
      continue;  // exceeds the files: do not allocate memory for a false size in a manifest
    if (state.replace_tensor(recorded.name, tree_tensor, tensor::Tensor::create(text->dtype, {text->shape[0]})))
      trees.insert(recorded.name);
  }
  return trees;
}

Differences match(const State& state, const Manifest& manifest, const NameMap& names, const std::set<std::string_view>& trees,
                  const LoadOptions& options) {
  if (options.partial) return match_partly(state, manifest, names, trees, options.convert);
  match_whole(state, manifest, names, options.convert);
  return {};
}

}  // namespace ckpt::state
