#include "state/state.h"

#include <algorithm>

#include "base/error.h"
#include "state/json_text.h"
#include "state/name.h"
#include "state/safetensors.h"

namespace ckpt::state {
namespace {

void require_plain_name(std::string_view argument, std::string_view name) {
  base::require_name(argument, name);
  base::require(name.find('\0') == std::string_view::npos, argument, " holds a NUL: ", base::quoted(name));
}

}  // namespace

void State::add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor) {
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

void State::set_json(std::string_view key, std::string_view text) {
  require_plain_name("key", key);
  values_.insert_or_assign(std::string(key), normalized_json("json", text));
}

const std::string& State::json(std::string_view key) const {
  const auto found = values_.find(std::string(key));
  if (found == values_.end()) base::fail(base::Status::not_found, "key ", base::quoted(key), " has no value");
  return found->second;
}

std::int64_t State::tensor_count() const noexcept {
  std::int64_t count = 0;
  for (const StateGroup& group : groups_) count += static_cast<std::int64_t>(group.tensors.size());
  return count;
}

}  // namespace ckpt::state
