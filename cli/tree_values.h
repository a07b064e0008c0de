// The values of a tree (tree format 1 or 2), one by one: for people, and as JSON.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace ckpt::cli {

struct TreeValue {
  std::string path;  // "layers[2].rate": keys that are plain words behind a dot, all others in brackets; "." for the whole
  std::string text;  // as people read it
  std::string json;  // what JSON has no form for is an object: {"bytes": "01ff"}, {"tensor": "w"}
};

// What stands in a tree's text: all but containers that hold something, by their paths as people count. Throws Error for what is no
// tree.
std::vector<TreeValue> tree_values(const void* text, std::size_t bytes);

}  // namespace ckpt::cli
