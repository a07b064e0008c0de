// `ckpt prune`, `ckpt pin` and `ckpt unpin`: retention of checkpoints, and removal of unfinished uploads.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// Removes the checkpoints that rules do not keep (CheckpointManagerOptions::keep_rules), and prints them. With dry_run it only
// prints, and needs no lock.
void prune(const std::string& path, const std::string& rules, bool dry_run, bool as_json);

// The same for the abandoned checkpoints, regardless of rules.
void prune_abandoned(const std::string& path, bool dry_run, bool as_json);

// Aborts the unfinished uploads of an S3 storage that are at least older_than_seconds old, and prints them. With dry_run it only
// prints. Error with Status::unsupported for any other location.
void prune_uploads(const std::string& place, std::int64_t older_than_seconds, bool dry_run, bool as_json);

// Pins the newest valid checkpoint of a step, or removes the pins of the step.
void pin(const std::string& path, std::int64_t step, bool pinned);

}  // namespace ckpt::cli
