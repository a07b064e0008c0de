#include "state/save.h"

#include <algorithm>
#include <functional>
#include <optional>
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
std::string make_attempt(storage::Storage& storage, const std::string& prefix, std::int64_t step) {
  std::random_device random;
  for (int tries = 1;; ++tries) {
    const std::string name = attempt_name(prefix, step, random());
    try {
      storage.make_directory(name);
      return name;
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists || tries == 100) throw;
    }
  }
}

constexpr int most_attempts = 3;

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

// What an interrupted write_durably may have left under names that the next one needs.
void remove_temporaries(storage::Storage& storage, const std::string& path) {
  for (int attempt = 1; attempt <= most_attempts; ++attempt) {
    try {
      storage.remove(cat(path, ".tmp", attempt));
    } catch (const base::Error&) {  // most were never there
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

// The checkpoint that unchanged files are taken from.
struct Earlier {
  std::string directory;
  Manifest manifest;
};

// Nothing when there is none or it cannot be read: everything is written then.
std::optional<Earlier> read_earlier(storage::Storage& storage, const std::string& latest) {
  if (latest.empty()) return std::nullopt;
  try {
    return Earlier{latest, read_manifest(storage, latest)};
  } catch (const base::Error& error) {
    warn(cat("checkpoint ", base::quoted(latest), " cannot be linked from: ", error.message()));
    return std::nullopt;
  }
}

// A second name for from, or a copy where that cannot be. Both are checked to be what record says: damage must not be handed on.
// Error(corrupt) or what the storage throws; the temporary file may be left then.
void link_or_copy(storage::Storage& storage, const std::string& from, const std::string& to, const GroupRecord& group) {
  const FileRecord& record = group.files.front();
  std::vector<const TensorRecord*> tensors;
  for (const TensorRecord& tensor : group.tensors) tensors.push_back(&tensor);
  verify_tensor_file(*storage.open(from), record, tensors);
  if (storage.link(from, to)) return;
  write_durably(storage, to, record.bytes, [&](storage::File& file) { copy_file(*storage.open(from), file, record); });
}

// The group as it was recorded earlier, under a new directory, when nothing in it has changed and it could be had; else nothing.
std::optional<GroupRecord> reuse_group(storage::Storage& storage, const std::string& directory, const StateGroup& group,
                                       const std::string& file_name, const Earlier& earlier) {
  const auto recorded = std::ranges::find(earlier.manifest.groups, group.name, &GroupRecord::name);
  if (recorded == earlier.manifest.groups.end() || recorded->files.size() != 1 || recorded->files.front().name != file_name ||
      !holds_same_tensors(*recorded, group.tensors)) {
    return std::nullopt;
  }
  const std::string from = path_in(earlier.directory, file_name);
  try {
    link_or_copy(storage, from, path_in(directory, file_name), *recorded);
    return *recorded;
  } catch (const base::Error& error) {
    if (error.status() == Status::no_space) throw;
    warn(cat(from, " is not used again but written anew: ", error.message()));
    remove_temporaries(storage, path_in(directory, file_name));
    return std::nullopt;
  }
}

Manifest write_files(storage::Storage& storage, const std::string& directory, const State& state, const SaveOptions& options,
                     const std::string& latest, std::int64_t& linked) {
  const std::optional<Earlier> earlier = read_earlier(storage, state.rarely_changing().empty() ? "" : latest);
  Manifest manifest;
  manifest.library_version = base::version_text();
  manifest.step = options.step;
  manifest.seed = options.seed;
  manifest.metric = options.metric;
  manifest.metadata = options.metadata;
  manifest.environment = options.environment;
  manifest.values = state.values();
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    const std::string file_name = group_file_name(group.name, used_names);
    std::optional<GroupRecord> reused;
    if (earlier && state.rarely_changing().contains(group.name)) {
      reused = reuse_group(storage, directory, group, file_name, *earlier);
    }
    linked += reused ? 1 : 0;
    manifest.groups.push_back(reused ? *std::move(reused) : write_group(storage, directory, group, file_name));
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

SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options, std::int64_t commit_sequence,
                            const std::string& latest) {
  const std::string directory = make_attempt(storage, options.prefix, options.step);
  try {
    std::int64_t linked = 0;
    Manifest manifest = write_files(storage, directory, state, options, latest, linked);
    manifest.commit_sequence = commit_sequence;
    commit(storage, directory, manifest);
    return {directory, options.step, commit_sequence, static_cast<std::int64_t>(manifest.groups.size()), total_bytes(manifest),
            linked};
  } catch (...) {
    if (!remove_checkpoint(storage, directory))
      warn(cat("what the failed save wrote to ", base::quoted(directory), " could not be removed"));
    throw;
  }
}

}  // namespace ckpt::state
