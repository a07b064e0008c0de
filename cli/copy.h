// `ckpt copy`: checkpoints from one directory to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ckpt::cli {

// from: a directory of checkpoints, or one checkpoint. to: a directory of checkpoints, made when it is missing. step: the
// checkpoint of this step; nothing: the newest valid one, or with all every valid one, the oldest first. Each is read and verified
// whole, saved with what it has beside its tensors, and verified again where it went. Prints what was written, as_json as one JSON
// document.
void copy(const std::string& from, const std::string& to, std::optional<std::int64_t> step, bool all, bool as_json);

}  // namespace ckpt::cli
