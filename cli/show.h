// `ckpt list`, `ckpt show` and `ckpt verify`: which checkpoints there are, what is in one, and whether every byte of it is right.
#pragma once

#include <string>

namespace ckpt::cli {

// path: a directory of checkpoints. Lists them in the order in which a load tries them; as_json: as one JSON document. Throws
// ckpt::Error when there is none.
void list(const std::string& path, bool as_json);

// path: a safetensors, .npz or .pt file, a folder with an index, one checkpoint's directory, or a directory of checkpoints (the
// newest is shown). Lists what is saved beside the tensors, and every tensor. Throws ckpt::Error when it is not valid. Of a store
// that is reached by its URI manifests alone are read; reads_values: and the values of trees.
void show(const std::string& path, bool as_json, bool reads_values);

// path: one checkpoint's directory, or a directory of checkpoints, all of which are checked. Throws ckpt::Error at the first bad
// one; its message names the file and, where it is known, the tensor.
void verify(const std::string& path, bool as_json);

}  // namespace ckpt::cli
