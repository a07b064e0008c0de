#include "state/name_map.h"

#include "base/error.h"

namespace ckpt::state {

NameMap::NameMap(const Manifest& manifest, const LoadOptions& options) {
  if (options.strip_prefix.empty() && options.add_prefix.empty()) return;
  for (const GroupRecord& group : manifest.groups) {
    std::unordered_map<std::string, const TensorRecord*> taken;
    for (const TensorRecord& record : group.tensors) {
      const bool begins = record.name.starts_with(options.strip_prefix);
      std::string name = options.add_prefix + record.name.substr(begins ? options.strip_prefix.size() : 0);
      base::require(!name.empty(), "strip_prefix is ", base::quoted(options.strip_prefix), ", which leaves nothing of tensor ",
                    base::quoted(record.name), " of group ", base::quoted(group.name));
      const auto [other, is_new] = taken.emplace(name, &record);
      base::require(is_new, "strip_prefix is ", base::quoted(options.strip_prefix), ", which makes tensors ",
                    base::quoted(other->second->name), " and ", base::quoted(record.name), " of group ", base::quoted(group.name),
                    " one: ", base::quoted(name));
      if (name != record.name) names_.emplace(&record, std::move(name));
    }
  }
}

}  // namespace ckpt::state
