// The files of one checkpoint: paths, reading, and the meaning of read errors.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/progress.h"
#include "state/found.h"
#include "state/manifest.h"
#include "storage/storage.h"

namespace ckpt::state {

// The files of a checkpoint, as its manifest lists them.
struct FileSizes {
  std::int64_t world_size = 1;
  bool is_of_many = false;                                  // each rank also has a part
  std::vector<std::pair<std::string, std::int64_t>> files;  // name, bytes
};
FileSizes sizes_of(const Manifest& manifest);
// Error(corrupt) unless the files exist with these sizes.
void check_sizes(storage::Storage& storage, const std::string& directory, const FileSizes& sizes);

// Error(corrupt) names the path.
Manifest parsed_manifest(const std::string& directory, const std::string& text);

// directory: a checkpoint's, "." for the storage's root itself.
std::string path_in(std::string_view directory, std::string_view file);

// Error(invalid_argument) unless name is "." or a path inside the storage.
void require_checkpoint_name(const std::string& name);

// Returns a file as a string; Error(corrupt) if it exceeds `largest` bytes.
std::string read_text(storage::File& file, std::int64_t largest);

// Returns the unchecked text of the manifest; errors as for read_manifest.
std::string manifest_text(storage::Storage& storage, const std::string& directory);

// Returns the commit sequence from the beginning of a manifest; nothing if the manifest does not exist.
std::optional<std::int64_t> sequence_in_manifest(storage::Storage& storage, const std::string& directory);

// Returns the condition that a read error implies; rethrows errors that imply none (out of memory, ...).
Condition condition_after(const base::Error& error);

// Returns whether the manifest is still the one that was read. A writer removes the manifest before the files and never recreates
// it. So an error in reading a file is damage only if the manifest still exists after the error.
bool is_unchanged(storage::Storage& storage, const std::string& directory, const std::string& manifest);

// Result of an attempt to read a checkpoint.
enum class Outcome {
  done,
  failed,   // problem contains the reason
  removed,  // by a writer during the read; not an error of the checkpoint
};

// Runs body, which reads a checkpoint. manifest: the text of its manifest, which body may set.
template <class Body>
Outcome try_reading(storage::Storage& storage, const std::string& directory, const std::string& manifest, Found& problem,
                    Body&& body) {
  try {
    body();
    return Outcome::done;
  } catch (const base::ProgressFailed&) {
    throw;
  } catch (const base::Error& error) {
    problem.condition = condition_after(error);
    problem.status = error.status();
    problem.problem = error.message();
  }
  return is_unchanged(storage, directory, manifest) ? Outcome::failed : Outcome::removed;
}

// Limit of restarts of a reader after a writer removed the checkpoint that it was reading; Error(busy) after that. With each
// restart the writer has saved a newer one.
constexpr int max_rounds = 1000;
[[noreturn]] void fail_too_many_restarts(const storage::Storage& storage);

// Runs body, which reads a file of a checkpoint. Adds the path to errors; errors that can only be caused by damage become
// Error(corrupt).
template <class Body>
decltype(auto) reading(const std::string& path, Body&& body) {
  using base::Status;
  try {
    return body();
  } catch (const base::ProgressFailed&) {
    throw;
  } catch (const base::Error& error) {
    const Status status = error.status();
    const bool is_damage = status == Status::not_found || status == Status::invalid_argument || status == Status::out_of_range;
    base::fail(is_damage ? Status::corrupt : status, path, ": ", error.message());
  }
}

bool has_manifest(storage::Storage& storage, const std::string& directory);

}  // namespace ckpt::state
