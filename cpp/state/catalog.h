// Which checkpoints a storage holds, in the order in which a load tries them; and how they are put aside and removed.
#pragma once

#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

enum class Condition {
  complete,    // the manifest holds and every file has its size; checksums of the files are not looked at
  unfinished,  // no manifest: being written, or a save or a removal was cut off
  damaged,     // the bytes are not those that were written
  unreadable,  // the system failed or refused to read it, or a newer library wrote it
};

struct Found {
  std::string name;  // of its directory
  std::int64_t step = 0;
  std::int64_t commit_sequence = -1;
  std::int64_t bytes = 0;
  std::optional<double> metric;
  Condition condition = Condition::complete;
  base::Status status = base::Status::ok;
  std::string problem;  // when not complete
};

// Which checkpoints stay after a save. keep_last 0: all.
struct Retention {
  std::int64_t keep_last = 0;
  std::int64_t keep_every = 0;  // also those whose step is a multiple of this; of equal steps the one committed last; 0: none
  std::int64_t keep_best = 0;   // also this many with the best metric; of equal metrics the newest; those without one never
  bool larger_is_better = false;
};

// Every directory "step-...": higher steps first, and among equals those committed later.
std::vector<Found> scan(storage::Storage& storage);

// directory: a checkpoint's, "." for the storage's root itself.
std::string path_in(std::string_view directory, std::string_view file);

// Error(invalid_argument) unless name is "." or a path inside the storage.
void require_checkpoint_name(const std::string& name);

// A whole file as text; Error(corrupt) when it has more than largest bytes.
std::string read_text(storage::File& file, std::int64_t largest);

// The manifest as it is, unchecked; errors as those of read_manifest.
std::string manifest_text(storage::Storage& storage, const std::string& directory);

// Reads and checks the manifest, and that the files are there with their sizes. Error(not_found) without a manifest,
// Error(corrupt).
Manifest read_manifest(storage::Storage& storage, const std::string& directory);

// What an error while reading a checkpoint says about it; errors that say nothing (out of memory, ...) are thrown again.
Condition condition_after(const base::Error& error);

// Runs body, which reads a file of a checkpoint; its errors name the path, and those that only damage explains become
// Error(corrupt).
template <class Body>
decltype(auto) reading(const std::string& path, Body&& body) {
  using base::Status;
  try {
    return body();
  } catch (const base::Error& error) {
    const Status status = error.status();
    const bool is_damage = status == Status::not_found || status == Status::invalid_argument || status == Status::out_of_range;
    base::fail(is_damage ? Status::corrupt : status, path, ": ", error.message());
  }
}

// Renames a checkpoint to "torn-..." and warns, with the reason; only warns when that fails.
void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason);

// Removes a checkpoint, its manifest first: whatever is left of it is no checkpoint. Goes on after an error; false when something
// stayed.
bool remove_checkpoint(storage::Storage& storage, const std::string& directory) noexcept;

// The names of those that stay. all: as scan gives them; only complete ones count. saved: this one stays in any case.
std::set<std::string> kept_by(const Retention& retention, const std::vector<Found>& all, const std::string& saved);

// After an acknowledged save, for keep_last >= 1: removes the complete ones that do not stay, and torn ones of the saved step or
// earlier. What is left always holds the one just acknowledged. Errors become warnings.
void retain(storage::Storage& storage, const Retention& retention, const std::string& saved, std::int64_t saved_step) noexcept;

}  // namespace ckpt::state
