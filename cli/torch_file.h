// PyTorch's .pt and .pth files as torch.save writes them since PyTorch 1.6: a zip archive with a pickle and the tensors' storages.
// No code in them is run.
#pragma once

#include <string>

#include "foreign.h"

namespace ckpt::cli {

// Reads every tensor with its name, row-major. A state dict, a dict of tensors with string keys, yields its tensors under their
// keys, and its attribute "_metadata" as metadata of this name: the text of a tree. Any other object yields tree format 1 or 2:
// tensors by path, each view of a storage once, and the text tensor "__tree__". Throws std::runtime_error that names an object that
// is neither a tensor nor a plain value.
Foreign read_torch_file(const std::string& path);

}  // namespace ckpt::cli
