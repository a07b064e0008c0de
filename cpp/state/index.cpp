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
  const base::Json tree = base::json_tree(text);
  const base::Json* const weights = tree.find("weight_map");
  if (weights == nullptr || !weights->is_object()) base::fail(Status::corrupt, "the index lacks the object 'weight_map'");
  std::map<std::string, std::set<std::string>> files;
  for (const auto& [tensor, file] : weights->members()) {
    if (!file.is_string() || !is_safe_file_name(file.string()))
      base::fail(Status::corrupt, "the index: expected a plain file name for tensor ", base::quote(tensor));
    files[file.string()].insert(tensor);
  }
  return files;
}

}  // namespace ckpt::state
