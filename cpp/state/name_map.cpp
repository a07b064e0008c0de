#include "state/name_map.h"

#include "base/error.h"
#include "state/name.h"
#include "state/tree.h"

namespace ckpt::state {
namespace {

using base::cat;

std::string mapped(const std::string& group, const std::string& old, const LoadOptions& options) {
  if (old == tree_tensor) return old;  // the format's name, not the user's
  const bool begins = old.starts_with(options.strip_prefix);
  std::string name = options.add_prefix + old.substr(begins ? options.strip_prefix.size() : 0);
  base::require(!name.empty(), "strip_prefix is ", base::quote(options.strip_prefix), ", which leaves an empty name for tensor ",
                base::quote(old), " of group ", base::quote(group));
  if (!options.rename) return name;
  name = options.rename(group, name);
  const std::string answer = cat("the name returned by rename for tensor ", base::quote(old), " of group ", base::quote(group));
  require_plain_name(answer, name);
  base::require(name != tree_tensor, answer, " is '__tree__', which is reserved");
  return name;
}

}  // namespace

NameMap::NameMap(const Manifest& manifest, const LoadOptions& options, const std::set<std::string_view>& trees) {
  if (options.strip_prefix.empty() && options.add_prefix.empty() && !options.rename) return;
  const std::string who = options.rename ? "rename" : cat("strip_prefix is ", base::quote(options.strip_prefix), ", which");
  for (const GroupRecord& group : manifest.groups) {
    if (trees.contains(group.name)) continue;
    std::unordered_map<std::string, const TensorRecord*> taken;
    for (const TensorRecord& record : group.tensors) {
      std::string name = mapped(group.name, record.name, options);
      const auto [other, is_new] = taken.emplace(name, &record);
      base::require(is_new, who, " maps tensors ", base::quote(other->second->name), " and ", base::quote(record.name),
                    " of group ", base::quote(group.name), " to one name: ", base::quote(name));
      if (name != record.name) names_.emplace(&record, std::move(name));
    }
  }
}

}  // namespace ckpt::state
