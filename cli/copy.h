// `ckpt copy`: checkpoints from one directory to another.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ckpt::cli {

// from: a directory of checkpoints, or one checkpoint. to: a directory of checkpoints, created if missing. step: the step of the
// checkpoint to copy; without it the newest valid checkpoint or, with all, every valid one, oldest first. Reads and verifies each
// checkpoint in full, saves it with its values and metadata, and verifies the copy. Prints what was written, as one JSON document
// with as_json.
void copy(const std::string& from, const std::string& to, std::optional<std::int64_t> step, bool all, bool as_json);

}  // namespace ckpt::cli
