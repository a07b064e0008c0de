// Lists the values of a tree (tree format 1 or 2) for display and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ckpt::cli {

struct TreeValue {
  std::string path;  // "layers[2].rate": keys that are identifiers after a dot, all others in brackets; "." for the root
  std::string text;  // for display
  std::string json;  // values without a JSON equivalent are objects: {"bytes": "01ff"}, {"tensor": "w"}
};

// Returns all values of a tree's text except non-empty containers, in natural order of their paths. Throws Error if the text is not
// a tree.
std::vector<TreeValue> tree_values(const void* text, std::size_t bytes);

}  // namespace ckpt::cli
