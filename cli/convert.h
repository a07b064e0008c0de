// `ckpt convert`: tensors from one kind of file to another.
#pragma once

#include <string>

namespace ckpt::cli {

// from: what open_reader takes. to: ends in .npz or .safetensors; is replaced. group: of a checkpoint, the one to
// take; "": all, and when there are several their tensors are called "group.name". Prints what was written.
void convert(const std::string& from, const std::string& to, const std::string& group, bool as_json);

}  // namespace ckpt::cli
