// The values of a pickle as tree format 1 or 2 (docs/reference/file-format.md): the JSON text of everything except the tensors' elements.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>

#include "pickle.h"

namespace ckpt::cli {

constexpr const char* tree_tensor = "__tree__";  // which holds the text

// Names for tensors: the keys on the way to them, joined by dots; "~2", "~3", ... behind a name that is taken.
class TensorNames {
 public:
  // What path becomes where no other has it.
  static std::string name_for(const std::string& path);
  std::string take(const std::string& path);

 private:
  std::map<std::string, int> taken_;  // with the number that the next one of that name gets
};

// Nodes, with commas between them, and the lowest format version that has them.
struct TreeNodes {
  std::string text;
  int version = 1;
};

// The attribute of an OrderedDict that is kept: of a module's state dict.
constexpr const char* kept_attribute = "_metadata";

// Returns the JSON text of the tree at root. node_of makes the node of each value that is not plain; it receives the value's path.
// most_bytes limits the text. Throws std::runtime_error that names the path for values and attributes without a place in a tree,
// for cycles, and for depths above 1,000.
std::string tree_text(const Pickle& pickle, PickleValue::Index root,
                      const std::function<TreeNodes(const PickleValue&, const std::string& path)>& node_of, std::size_t most_bytes);

}  // namespace ckpt::cli
