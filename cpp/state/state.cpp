#include "state/state.h"

#include <algorithm>

#include "base/entered.h"
#include "base/error.h"
#include "base/json_text.h"
#include "state/name.h"
#include "state/safetensors.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

[[noreturn]] void fail_lent() {
  base::fail(base::Status::invalid_state, "state is in use by a background load that has not ended");
}

}  // namespace

std::int64_t bytes_of(const StateGroup& group) {
  std::int64_t bytes = 0;
  for (const StateTensor& item : group.tensors) bytes += item.tensor->bytes();
  return bytes;
}

void State::add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor) {
  refuse_in_use();
  require_plain_name("group", group);
  require_plain_name("name", name);
  base::require(group.size() <= longest_group_name, "group ", base::quoted(group), " has ", group.size(), " bytes; at most ",
                longest_group_name);
  base::require(name != "__metadata__", "name is '__metadata__', which the file format keeps for itself");
  base::require(tensor != nullptr, "tensor is NULL");
  const auto dimensions = tensor->shape().dimensions();
  tensor_bytes(tensor->dtype(), {dimensions.begin(), dimensions.end()});  // what cannot be read back is refused here
  std::pair<std::string, std::string> key(group, name);
  if (taken_.contains(key))
    base::fail(base::Status::already_exists, "name ", base::quoted(name), " is already in group ", base::quoted(group));
  auto place = std::ranges::find(groups_, group, &StateGroup::name);
  if (place == groups_.end()) place = groups_.insert(place, StateGroup{std::string(group), {}});
  place->tensors.push_back({std::string(name), std::move(tensor)});
  taken_.insert(std::move(key));
}

void State::set_group(std::string_view group, std::vector<StateTensor> tensors) {
  refuse_in_use();
  State made;
  for (StateTensor& item : tensors) made.add_tensor(group, item.name, std::move(item.tensor));
  groups_.reserve(groups_.size() + 1);  // from here on nothing throws
  std::erase_if(taken_, [&](const auto& key) { return key.first == group; });
  taken_.merge(made.taken_);
  const auto place = std::ranges::find(groups_, group, &StateGroup::name);
  if (place == groups_.end()) {
    groups_.push_back(std::move(made.groups_.front()));
  } else {
    *place = std::move(made.groups_.front());
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
}

const std::string& State::json(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) base::fail(base::Status::not_found, "key ", base::quoted(key), " has no value");
  return found->second;
}

const std::string& State::key(std::int64_t index) const {
  const std::int64_t count = std::ssize(values_);
  if (index < 0 || index >= count) base::fail(base::Status::out_of_range, "index is ", index, "; the state has ", count, " keys");
  return std::next(values_.begin(), index)->first;
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
  base::require(name.size() <= longest && name.find('.') == std::string_view::npos, "name is ", base::quoted(name), "; at most ",
                longest, " bytes without '.'");
  base::require(object != nullptr, "object is NULL");
  if (std::ranges::any_of(statefuls_, [&](const auto& item) { return item.first == name; }))
    base::fail(base::Status::already_exists, "name ", base::quoted(name), " is already a stateful object of this state");
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
    base::require(!part.has_statefuls(), "stateful object ", base::quoted(name), " lists another one");
    for (const StateGroup& group : part.groups_) {
      const std::string full = base::cat(name, '.', group.name);
      for (const StateTensor& item : group.tensors) all.add_tensor(full, item.name, item.tensor);
      if (part.rarely_changing_.contains(group.name)) all.set_rarely_changes(full, true);
    }
    for (const auto& [key, value] : part.values_) {
      const bool is_new = all.values_.emplace(base::cat(name, '.', key), value).second;
      if (!is_new)
        base::fail(base::Status::already_exists, "key ", base::quoted(base::cat(name, '.', key)), " of a stateful object is taken");
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
    }
  }
  values_.swap(loaded.values_);
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
  for (const StateGroup& group : groups_) count += static_cast<std::int64_t>(group.tensors.size());
  return count;
}

}  // namespace ckpt::state
