// What is saved and restored: named groups of named tensors, and JSON values by key. Not synchronised.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tensor/tensor.h"

namespace ckpt::state {

struct StateTensor {
  std::string name;
  std::shared_ptr<tensor::Tensor> tensor;
};

struct StateGroup {
  std::string name;
  std::vector<StateTensor> tensors;  // in the order they were added
};

class State {
 public:
  // group: UTF-8, not blank, at most 64 bytes; made when it is new. name: UTF-8, not blank, not "__metadata__";
  // Error(already_exists) when the group has it. The tensor is shared, not copied.
  void add_tensor(std::string_view group, std::string_view name, std::shared_ptr<tensor::Tensor> tensor);

  // key: UTF-8, not blank. text: one JSON value; replaces what the key had. Integers must fit 64 bits; other numbers are doubles.
  void set_json(std::string_view key, std::string_view text);
  // Error(not_found) for a key that has no value.
  const std::string& json(std::string_view key) const;

  const std::vector<StateGroup>& groups() const noexcept { return groups_; }
  const std::map<std::string, std::string>& values() const noexcept { return values_; }
  std::int64_t tensor_count() const noexcept;
  // Values as a checkpoint had them. Does not throw.
  void replace_values(std::map<std::string, std::string>&& values) noexcept { values_.swap(values); }

 private:
  std::vector<StateGroup> groups_;
  std::set<std::pair<std::string, std::string>> taken_;  // group, name
  std::map<std::string, std::string> values_;
};

}  // namespace ckpt::state
