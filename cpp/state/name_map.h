// Under which names a load looks for a checkpoint's tensors in the state.
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
  // The manifest must outlive this object. Groups that are trees here and there keep their names, which are made of keys.
  // Error(invalid_argument) that names both when two tensors of a group become one, or one of which nothing is left.
  NameMap(const Manifest& manifest, const LoadOptions& options, const std::set<std::string_view>& trees);

  std::string_view name_of(const TensorRecord& record) const {
    const auto found = names_.find(&record);
    return found == names_.end() ? std::string_view(record.name) : std::string_view(found->second);
  }

 private:
  std::unordered_map<const TensorRecord*, std::string> names_;  // of those whose name changes
};

}  // namespace ckpt::state
