// The contents of a file in the format of another library.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

struct Foreign {
  std::vector<std::pair<std::string, Tensor>> tensors;
  std::map<std::string, std::string> metadata = {};  // becomes the metadata of a safetensors file
};

}  // namespace ckpt::cli
