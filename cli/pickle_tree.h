// The values of a pickle as tree format 1 or 2 (docs/reference/file-format.md): JSON for everything except the tensors' elements.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "pickle.h"

namespace ckpt::cli {

constexpr const char* tree_tensor = "__tree__";  // the tensor that contains the JSON text

// Generates tensor names: the keys of the path joined by dots; a name that is taken gets "~2", "~3", ... appended.
class TensorNames {
 public:
  // Returns the name for path, before duplicates are considered.
  static std::string name_for(const std::string& path);
  std::string take(const std::string& path);

 private:
  std::map<std::string, int> taken_;  // with the next suffix for that name
};

// Nodes, separated by commas, and the lowest format version that supports them.
struct TreeNodes {
  std::string text;
  int version = 1;
};

// The attribute of an OrderedDict that is preserved, from a module's state dict.
constexpr const char* kept_attribute = "_metadata";

// Returns the JSON text of the tree at root. node_of creates the node of each value that is not plain; it receives the value's
// path. max_bytes limits the text. Throws std::runtime_error that names the path for values and attributes that a tree cannot
// represent, for cycles, and for depths above 1,000.
std::string tree_text(const Pickle& pickle, PickleValue::Index root,
                      const std::function<TreeNodes(const PickleValue&, const std::string& path)>& node_of, std::size_t max_bytes);

}  // namespace ckpt::cli
