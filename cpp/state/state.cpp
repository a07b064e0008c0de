#include "state/state.h"

#include <algorithm>
#include <cstring>

#include "base/entered.h"
#include "base/error.h"
#include "base/json_text.h"
#include "state/name.h"
#include "state/safetensors.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

[[noreturn]] void fail_lent() { base::fail(base::Status::invalid_state, "state is in use by a background load"); }

}  // namespace

std::int64_t bytes_of(const StateGroup& group) {
  std::int64_t bytes = 0;
  for (const StateTensor& item : group.tensors) bytes += item.tensor->bytes();
  return bytes;
}

State State::of(std::vector<StateGroup> groups, std::map<std::string, std::string> values,
                std::set<std::string, std::less<>> rarely_changing) {
  State state;
  state.groups_ = std::move(groups);
  state.values_ = std::move(values);
  state.rarely_changing_ = std::move(rarely_changing);
  return state;
}

// Returns the group, created if missing, and reserves the name in it.
StateGroup& State::group_for(std::string_view group, std::string_view name) {
  std::pair<std::string, std::string> key(group, name);
  if (taken_.contains(key))
    base::fail(base::Status::already_exists, "name ", base::quote(name), " is already in group ", base::quote(group));
  auto place = std::ranges::find(groups_, group, &StateGroup::name);
  if (place == groups_.end()) place = groups_.insert(place, StateGroup{std::string(group)});
  taken_.insert(std::move(key));
  return *place;
}

namespace {

void require_names(std::string_view group, std::string_view name) {
  require_plain_name("group", group);
  require_plain_name("name", name);
  base::require(group.size() <= longest_group_name, "group ", base::quote(group), " has ", group.size(),
                " bytes; expected at most ", longest_group_name);
  base::require(name != "__metadata__", "name is '__metadata__', which the file format reserves");
}

// Returns whether a block begins and ends on whole bytes wherever it is cut.
bool is_whole_bytes(tensor::Dtype dtype, const Box& box, const Lengths& shape) {
  const std::int64_t bits = tensor::dtype_bits(dtype);
  if (bits % 8 == 0 || shape.empty()) return true;
  return box.offsets.back() * bits % 8 == 0 && box.lengths.back() * bits % 8 == 0 && shape.back() * bits % 8 == 0;
}

}  // namespace

void State::add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor) {
  refuse_in_use();
  require_names(group, name);
  base::require(tensor != nullptr, "tensor is NULL");
  const auto dimensions = tensor->shape().dimensions();
  tensor_bytes(tensor->dtype(), {dimensions.begin(), dimensions.end()});  // fails for tensors that could not be read back
  group_for(group, name).tensors.push_back({std::string(name), std::move(tensor)});
}

void State::add_sharded(std::string_view group, std::string_view name, tensor::Dtype dtype, const tensor::Shape& shape) {
  refuse_in_use();
  require_names(group, name);
  Lengths lengths(shape.dimensions().begin(), shape.dimensions().end());
  tensor_bytes(dtype, lengths);  // fails for tensors that could not be read back
  group_for(group, name).sharded.push_back({std::string(name), dtype, std::move(lengths), {}});
}

void State::add_block(std::string_view group, std::string_view name, const Lengths& offsets,
                      std::shared_ptr<tensor::Tensor> tensor) {
  refuse_in_use();
  base::require(tensor != nullptr, "tensor is NULL");
  const auto place = std::ranges::find(groups_, group, &StateGroup::name);
  const auto none = [&] {
    base::fail(base::Status::not_found, "group ", base::quote(group), " has no sharded tensor ", base::quote(name));
  };
  if (place == groups_.end()) none();
  const auto whole = std::ranges::find(place->sharded, name, &ShardedTensor::name);
  if (whole == place->sharded.end()) none();
  base::require(tensor->dtype() == whole->dtype, "tensor is ", tensor::dtype_name(tensor->dtype()), "; ", base::quote(name), " is ",
                tensor::dtype_name(whole->dtype));
  const auto dimensions = tensor->shape().dimensions();
  Box box{offsets, {dimensions.begin(), dimensions.end()}};
  base::require(offsets.size() == whole->shape.size() && dimensions.size() == whole->shape.size(), "ndim is ", offsets.size(),
                " and the tensor has ", dimensions.size(), " dimensions; ", base::quote(name), " has ", whole->shape.size());
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    if (offsets[i] >= 0 && offsets[i] <= whole->shape[i] && box.lengths[i] <= whole->shape[i] - offsets[i]) continue;
    base::fail(base::Status::out_of_range, "offsets[", i, "] is ", offsets[i], " for a block of ", box.lengths[i], "; ",
               base::quote(name), " has ", whole->shape[i]);
  }
  if (!is_whole_bytes(whole->dtype, box, whole->shape)) {
    base::fail(base::Status::unsupported, "block ", to_text(box), " of ", base::quote(name),
               " does not begin and end on whole bytes in its last dimension");
  }
  whole->blocks.push_back({std::move(box), std::move(tensor)});
}

bool State::has_sharded() const noexcept {
  return std::ranges::any_of(groups_, [](const StateGroup& group) { return !group.sharded.empty(); });
}

namespace {

// Returns one tensor with all blocks; shares the memory of a block that covers the tensor.
std::shared_ptr<tensor::Tensor> assemble(const std::string& group, const ShardedTensor& sharded) {
  std::vector<Box> boxes;
  for (const ShardedTensor::Block& block : sharded.blocks) boxes.push_back(block.box);
  if (const auto gap = find_gap(sharded.shape, boxes)) {
    base::fail(base::Status::invalid_argument, "tensor ", base::quote(sharded.name), " of group ", base::quote(group), ": ",
               to_text(gap->box), gap->kind == Gap::Kind::missing ? " is in no block" : " is in two blocks");
  }
  const Box whole = whole_box(sharded.shape);
  for (const ShardedTensor::Block& block : sharded.blocks) {
    if (block.box == whole) return block.tensor;
  }
  auto tensor = tensor::Tensor::create(sharded.dtype, tensor::Shape(std::span(sharded.shape)));
  const std::int64_t bits = tensor::dtype_bits(sharded.dtype);
  for (const ShardedTensor::Block& block : sharded.blocks) {
    for_each_run(block.box, whole, 0, block.box.elements(), [&](const Run& run) {
      std::memcpy(tensor->byte_span().data() + run.to * bits / 8, block.tensor->byte_span().data() + run.from * bits / 8,
                  static_cast<std::size_t>(run.elements * bits / 8));
    });
  }
  return tensor;
}

}  // namespace

State State::assembled() const {
  State all = *this;
  for (StateGroup& group : all.groups_) {
    for (const ShardedTensor& sharded : group.sharded) group.tensors.push_back({sharded.name, assemble(group.name, sharded)});
    group.sharded.clear();
  }
  return all;
}

void State::set_group(std::string_view group, std::vector<StateTensor> tensors) {
  refuse_in_use();
  State created;
  for (StateTensor& item : tensors) created.add_tensor(group, item.name, std::move(item.tensor));
  groups_.reserve(groups_.size() + 1);  // nothing throws from here on
  std::erase_if(taken_, [&](const auto& key) { return key.first == group; });
  taken_.merge(created.taken_);
  const auto place = std::ranges::find(groups_, group, &StateGroup::name);
  if (place == groups_.end()) {
    groups_.push_back(std::move(created.groups_.front()));
  } else {
    *place = std::move(created.groups_.front());
  }
}

bool State::replace_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor) {
  const auto place = std::ranges::find(groups_, group, &StateGroup::name);
  if (place == groups_.end()) return false;
  const auto item = std::ranges::find(place->tensors, name, &StateTensor::name);
  if (item == place->tensors.end()) return false;
  item->tensor = std::move(tensor);
  return true;
}

void State::set_json(std::string_view key, std::string_view text) {
  refuse_in_use();
  require_plain_name("key", key);
  values_.insert_or_assign(std::string(key), base::normalized_json("json", text));
  keys_.value.clear();
}

const std::string& State::json(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) base::fail(base::Status::not_found, "key ", base::quote(key), " has no value");
  return found->second;
}

const std::string& State::key(std::int64_t index) const {
  const std::int64_t count = std::ssize(values_);
  if (index < 0 || index >= count) base::fail(base::Status::out_of_range, "index is ", index, "; the state has ", count, " keys");
  std::vector<const std::string*>& by_index = keys_.value;
  if (by_index.empty()) {
    by_index.reserve(values_.size());
    for (const auto& [key, value] : values_) by_index.push_back(&key);
  }
  return *by_index[static_cast<std::size_t>(index)];
}

void State::set_rarely_changes(std::string_view group, bool rarely) {
  refuse_in_use();
  require_plain_name("group", group);
  if (rarely) {
    rarely_changing_.emplace(group);
  } else {
    rarely_changing_.erase(std::string(group));
  }
}

void State::add_stateful(std::string_view name, std::shared_ptr<Stateful> object) {
  refuse_in_use();
  constexpr std::size_t longest = 32;
  require_plain_name("name", name);
  base::require(name.size() <= longest && name.find('.') == std::string_view::npos, "name is ", base::quote(name),
                "; expected at most ", longest, " bytes without '.'");
  base::require(object != nullptr, "object is NULL");
  if (std::ranges::any_of(statefuls_, [&](const auto& item) { return item.first == name; }))
    base::fail(base::Status::already_exists, "name ", base::quote(name), " is already a stateful object of this state");
  statefuls_.emplace_back(name, std::move(object));
}

State State::gathered(const StateLoan* loan) const {
  refuse_in_use(loan);
  const base::Entered entered(this);
  State all = *this;
  all.statefuls_.clear();
  for (const auto& [name, object] : statefuls_) {
    State part;
    object->list(part);
    base::require(!part.has_statefuls(), "stateful object ", base::quote(name), " contains another stateful object");
    for (const StateGroup& group : part.groups_) {
      const std::string full = base::cat(name, '.', group.name);
      for (const StateTensor& item : group.tensors) all.add_tensor(full, item.name, item.tensor);
      for (const ShardedTensor& item : group.sharded) all.group_for(full, item.name).sharded.push_back(item);
      if (part.rarely_changing_.contains(group.name)) all.set_rarely_changes(full, true);
    }
    for (const auto& [key, value] : part.values_) {
      const bool is_new = all.values_.emplace(base::cat(name, '.', key), value).second;
      if (!is_new)
        base::fail(base::Status::already_exists, "key ", base::quote(base::cat(name, '.', key)), " of a stateful object is taken");
    }
  }
  return all;
}

void State::accept(State&& loaded) {
  const base::Entered entered(this);
  load_report_.swap(loaded.load_report_);
  for (const StateGroup& group : loaded.groups_) {
    for (const StateTensor& item : group.tensors) {
      if (item.name == tree_tensor) replace_tensor(group.name, tree_tensor, item.tensor);
    }
  }
  std::vector<State> parts(statefuls_.size());
  for (std::size_t i = 0; i < statefuls_.size(); ++i) {
    const std::string prefix = statefuls_[i].first + '.';
    for (auto it = loaded.values_.lower_bound(prefix); it != loaded.values_.end() && it->first.starts_with(prefix);) {
      parts[i].values_.emplace(it->first.substr(prefix.size()), std::move(it->second));
      it = loaded.values_.erase(it);
    }
    for (const StateGroup& group : loaded.groups_) {
      if (!group.name.starts_with(prefix)) continue;
      for (const StateTensor& item : group.tensors) parts[i].add_tensor(group.name.substr(prefix.size()), item.name, item.tensor);
      for (const ShardedTensor& item : group.sharded)
        parts[i].group_for(group.name.substr(prefix.size()), item.name).sharded.push_back(item);
    }
  }
  values_.swap(loaded.values_);
  keys_.value.clear();
  for (std::size_t i = 0; i < statefuls_.size(); ++i) statefuls_[i].second->restore(parts[i]);
}

void State::refuse_in_use(const StateLoan* loan) const {
  base::Entered::refuse(this, "state");
  if (lent_.by.load(std::memory_order_acquire) != loan) fail_lent();
}

StateLoan::StateLoan(State& state) : state_(state) {
  state.refuse_in_use();
  const StateLoan* none = nullptr;
  if (!state.lent_.by.compare_exchange_strong(none, this, std::memory_order_acq_rel)) fail_lent();
}

std::int64_t State::tensor_count() const noexcept {
  std::int64_t count = 0;
  for (const StateGroup& group : groups_) count += std::ssize(group.tensors) + std::ssize(group.sharded);
  return count;
}

}  // namespace ckpt::state
