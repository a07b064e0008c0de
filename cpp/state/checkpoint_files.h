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

// A whole file as text; Error(corrupt) when it has more than largest bytes.
std::string read_text(storage::File& file, std::int64_t largest);

// The manifest as it is, unchecked; errors as those of read_manifest.
std::string manifest_text(storage::Storage& storage, const std::string& directory);

// Returns the commit sequence from the beginning of a manifest; nothing if the manifest does not exist.
std::optional<std::int64_t> sequence_in_manifest(storage::Storage& storage, const std::string& directory);

// Returns the condition that a read error implies; rethrows errors that imply none (out of memory, ...).
Condition condition_after(const base::Error& error);

// True while the manifest is the one that was read. A writer removes it before the files, and never makes it again: so an error in
// reading a file is the file's own only when the manifest is still there after it.
bool is_unchanged(storage::Storage& storage, const std::string& directory, const std::string& manifest);

// How an attempt to read a checkpoint ended.
enum class Outcome {
  done,
  failed,   // problem says why
  removed,  // by a writer, meanwhile: that says nothing about it
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

// Limit of restarts of a reader after a writer removed the checkpoint that it was about to read; Error(busy) after that. Each
// restart means that the writer has saved a newer one.
constexpr int most_rounds = 1000;
[[noreturn]] void fail_outrun(const storage::Storage& storage);

// Runs body, which reads a file of a checkpoint; its errors name the path, and those that only damage explains become
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
