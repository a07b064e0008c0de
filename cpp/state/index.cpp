#include "state/index.h"

#include "base/error.h"
#include "base/json_text.h"
#include "base/json_tree.h"
#include "state/name.h"

namespace ckpt::state {

using base::Status;

std::map<std::string, std::set<std::string>> parse_index(std::string_view text) {
  if (const std::string problem = base::json_problem(text, base::deepest_json); !problem.empty())
    base::fail(Status::corrupt, "the index is not usable JSON: ", problem);
  const auto tree = base::json_tree<nlohmann::json>(text);
  const auto weights = tree.is_object() ? tree.find("weight_map") : tree.end();
  if (weights == tree.end() || !weights->is_object()) base::fail(Status::corrupt, "the index has no object 'weight_map'");
  std::map<std::string, std::set<std::string>> files;
  for (const auto& [tensor, file] : weights->items()) {
    if (!file.is_string() || !is_safe_file_name(file.get<std::string>()))
      base::fail(Status::corrupt, "the index has no usable file name for tensor ", base::quote(tensor));
    files[file.get<std::string>()].insert(tensor);
  }
  return files;
}

}  // namespace ckpt::state
