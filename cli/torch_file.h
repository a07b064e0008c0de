// PyTorch's .pt and .pth files, as torch.save writes them since PyTorch 1.6: a zip archive of a pickle and of the tensors'
// storages. Nothing in them is run.
#pragma once

#include <string>

#include "foreign.h"

namespace ckpt::cli {

// Every tensor with its name, row-major. A state dict, which is a dict of tensors by text, gives its tensors under their keys, and
// its attribute "_metadata" as metadata of this name: a tree's text. Anything else is tree format 1 or 2: tensors by path, each
// storage's view once, and the text tensor "__tree__". Throws std::runtime_error that names what is neither a tensor nor a plain
// value.
Foreign read_torch_file(const std::string& path);

}  // namespace ckpt::cli
