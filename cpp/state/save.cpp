#include "state/save.h"

#include <functional>
#include <random>
#include <set>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "state/catalog.h"
#include "state/name.h"
#include "state/tensor_file.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

void warn(const std::string& message) { base::log(base::LogLevel::warning, "state", message); }

// A new directory of a name that no other attempt has.
std::string make_attempt(storage::Storage& storage, std::int64_t step) {
  std::random_device random;
  for (int tries = 1;; ++tries) {
    const std::string name = attempt_name(step, random());
    try {
      storage.make_directory(name);
      return name;
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists || tries == 100) throw;
    }
  }
}

using Write = std::function<void(storage::File&)>;

// False when sync failed in a way that another file may escape.
bool write_and_sync(storage::Storage& storage, const std::string& path, std::int64_t bytes, const Write& write, bool last_attempt) {
  const auto file = storage.create_stream(path, {bytes, nullptr});
  write(*file);
  try {
    file->sync();
    return true;
  } catch (const base::Error& error) {
    if (error.status() != Status::io || last_attempt) throw;
    warn(cat(error.message(), "; the file is written anew under another name"));
    return false;
  }
}

// Writes a file under a temporary name, syncs it and gives it its name. After an error of sync the pages may be lost although the
// next sync says otherwise: the file is written anew under another temporary name. bytes: about how many it will have.
void write_durably(storage::Storage& storage, const std::string& path, std::int64_t bytes, const Write& write) {
  constexpr int most_attempts = 3;
  for (int attempt = 1;; ++attempt) {
    const std::string temporary = cat(path, ".tmp", attempt);
    if (write_and_sync(storage, temporary, bytes, write, attempt == most_attempts)) {
      storage.rename(temporary, path);
      return;
    }
    try {
      storage.remove(temporary);
    } catch (const base::Error& error) {
      warn(error.message());  // it is in nobody's way
    }
  }
}

GroupRecord write_group(storage::Storage& storage, const std::string& directory, const StateGroup& group,
                        const std::string& file_name) {
  WrittenFile written;
  std::int64_t bytes = 0;
  for (const StateTensor& item : group.tensors) bytes += static_cast<std::int64_t>(item.tensor->byte_span().size());
  write_durably(storage, path_in(directory, file_name), bytes,
                [&](storage::File& file) { written = write_tensor_file(file, file_name, group.tensors); });
  return {group.name, {std::move(written.file)}, std::move(written.tensors)};
}

Manifest write_files(storage::Storage& storage, const std::string& directory, const State& state, const SaveOptions& options) {
  Manifest manifest;
  manifest.library_version = base::version_text();
  manifest.step = options.step;
  manifest.seed = options.seed;
  manifest.metadata = options.metadata;
  manifest.environment = options.environment;
  manifest.values = state.values();
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    manifest.groups.push_back(write_group(storage, directory, group, group_file_name(group.name, used_names)));
  }
  return manifest;
}

void commit(storage::Storage& storage, const std::string& directory, const Manifest& manifest) {
  const std::string text = to_text(manifest);
  if (static_cast<std::int64_t>(text.size()) > largest_manifest_bytes) {
    base::fail(Status::out_of_range, "the manifest would have ", text.size(), " bytes; at most ", largest_manifest_bytes);
  }
  // The files' names are durable before the manifest that vouches for them can be.
  storage.sync_directory(directory);
  write_durably(storage, path_in(directory, manifest_name), static_cast<std::int64_t>(text.size()),
                [&](storage::File& file) { file.write(0, std::as_bytes(std::span(text))); });
  storage.sync_directory(directory);
  storage.sync_directory("");
}

}  // namespace

SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options,
                            std::int64_t commit_sequence) {
  const std::string directory = make_attempt(storage, options.step);
  try {
    Manifest manifest = write_files(storage, directory, state, options);
    manifest.commit_sequence = commit_sequence;
    commit(storage, directory, manifest);
    return {directory, options.step, commit_sequence, static_cast<std::int64_t>(manifest.groups.size()), total_bytes(manifest)};
  } catch (...) {
    if (!remove_checkpoint(storage, directory))
      warn(cat("what the failed save wrote to ", base::quoted(directory), " could not be removed"));
    throw;
  }
}

}  // namespace ckpt::state
