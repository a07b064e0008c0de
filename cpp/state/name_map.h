// Maps the names of a checkpoint's tensors to names in the state.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <unordered_map>

#include "state/load_options.h"
#include "state/manifest.h"

namespace ckpt::state {

class NameMap {
 public:
  // The manifest must outlive this object. Groups that are trees on both sides keep their names, which consist of keys.
  // Error(invalid_argument) if two tensors of a group get the same name (names both), or if a name becomes empty.
  NameMap(const Manifest& manifest, const LoadOptions& options, const std::set<std::string_view>& trees);

  std::string_view name_of(const TensorRecord& record) const {
    const auto found = names_.find(&record);
    return found == names_.end() ? std::string_view(record.name) : std::string_view(found->second);
  }

 private:
  std::unordered_map<const TensorRecord*, std::string> names_;  // only changed names
};

}  // namespace ckpt::state
