// `ckpt list`, `ckpt show` and `ckpt verify`: lists checkpoints, prints the contents of one, and verifies every byte.
#pragma once

#include <string>

namespace ckpt::cli {

// path: a directory of checkpoints. Lists them in the order in which a load tries them; as_json: as one JSON document. Throws
// ckpt::Error if there are none.
void list(const std::string& path, bool as_json);

// path: a safetensors, .npz or .pt file, a folder with an index, one checkpoint's directory, or a directory of checkpoints (shows
// the newest). Lists the checkpoint's values and metadata, and every tensor. Throws ckpt::Error if it is not valid. For a remote
// store only manifests are read and, with reads_values, the values of trees.
void show(const std::string& path, bool as_json, bool reads_values);

// path: one checkpoint's directory, or a directory of checkpoints, which are all verified. Throws ckpt::Error at the first damaged
// one; its message names the file and, if known, the tensor.
void verify(const std::string& path, bool as_json);

}  // namespace ckpt::cli
