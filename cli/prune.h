// `ckpt prune`, `ckpt pin` and `ckpt unpin`: which checkpoints of a directory stay, and which uploads of a bucket.
#pragma once

#include <cstdint>
#include <string>

namespace ckpt::cli {

// Removes the checkpoints that rules do not keep (CheckpointManagerOptions::keep_rules), and prints which these are; with dry_run
// it only prints, and needs no lock.
void prune(const std::string& path, const std::string& rules, bool dry_run, bool as_json);

// The same for the abandoned checkpoints, whatever the rules keep.
void prune_abandoned(const std::string& path, bool dry_run, bool as_json);

// Aborts the unfinished uploads of a storage in S3 that were begun at least so long ago, and prints which these are; with dry_run
// it only prints. Error with Status::unsupported for any other place.
void prune_uploads(const std::string& place, std::int64_t older_than_seconds, bool dry_run, bool as_json);

// Pins the newest good checkpoint of a step, or takes the pins of the step back.
void pin(const std::string& path, std::int64_t step, bool pinned);

}  // namespace ckpt::cli
