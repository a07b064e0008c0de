#include "state/save.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <random>
#include <set>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "base/version.h"
#include "state/catalog.h"
#include "state/name.h"
#include "state/tensor_file.h"
#include "storage/rate_limit.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// A new directory of a name that no other attempt has.
std::string make_attempt(storage::Storage& storage, const std::string& prefix, std::int64_t step) {
  std::random_device random;
  for (int tries = 1;; ++tries) {
    std::string name = attempt_name(prefix, step, random());
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
bool write_and_sync(storage::Storage& storage, const std::string& path, const storage::StreamOptions& options, const Write& write,
                    bool last_attempt) {
  const auto file = storage.create_stream(path, options);
  write(*file);
  try {
    file->sync();
    return true;
  } catch (const base::Error& error) {
    if (error.status() != Status::io || last_attempt) throw;
    base::warn("state", cat(error.message(), "; the file is written anew under another name"));
    return false;
  }
}

// Writes a file under a temporary name, syncs it and renames it. After an error of sync the pages may be lost although the
// next sync says otherwise: the file is written anew under another temporary name. Returns how often that was needed.
// In an object store a file is whole at sync, and a new one takes its place: there it gets its name at once.
int write_durably(storage::Storage& storage, const std::string& path, const storage::StreamOptions& options, const Write& write) {
  for (int attempt = 1; storage.is_objects(); ++attempt) {
    if (write_and_sync(storage, path, options, write, attempt == most_attempts)) return attempt - 1;
  }
  for (int attempt = 1;; ++attempt) {
    const std::string temporary = cat(path, ".tmp", attempt);
    if (write_and_sync(storage, temporary, options, write, attempt == most_attempts)) {
      storage.rename(temporary, path);
      return attempt - 1;
    }
    try {
      storage.remove(temporary);
    } catch (const base::Error& error) {
      base::warn("state", error.message());  // it is in no caller's way
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

// One save: what its parts need to know, and what is counted.
struct Save {
  storage::Storage& storage;
  std::string directory;
  SaveSource& source;
  std::int64_t linked = 0;
  std::int64_t rewritten = 0;

  std::string path(const std::string& file_name) const { return path_in(directory, file_name); }
  storage::StreamOptions stream_of(std::int64_t bytes) const { return {bytes, source.stop}; }
  template <class Tell>
  void tell(Tell&& what) const {
    if (source.progress != nullptr) what(*source.progress);
  }
};

GroupRecord write_group(Save& save, const StateGroup& group, const std::string& file_name) {
  WrittenFile written;
  const std::int64_t bytes = bytes_of(group);
  bool is_first = true;
  save.rewritten += write_durably(save.storage, save.path(file_name), save.stream_of(bytes), [&](storage::File& file) {
    if (!std::exchange(is_first, false)) save.tell([&](base::Progress& progress) { progress.extend(bytes); });
    written = save.source.write(file, file_name, group);
  });
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
    base::warn("state", cat("checkpoint ", base::quoted(latest), " cannot be linked from: ", error.message()));
    return std::nullopt;
  }
}

// The group as it was recorded earlier when nothing in it has changed, else nullptr.
const GroupRecord* unchanged(const Earlier& earlier, const State& state, const StateGroup& group, const std::string& file_name,
                             SaveSource& source) {
  if (!state.rarely_changing().contains(group.name)) return nullptr;
  const auto recorded = std::ranges::find(earlier.manifest.groups, group.name, &GroupRecord::name);
  const bool is_same = recorded != earlier.manifest.groups.end() && recorded->files.size() == 1 &&
                       recorded->files.front().name == file_name && source.holds_same(*recorded, group);
  return is_same ? &*recorded : nullptr;
}

// Error(corrupt) or what the storage throws unless the file is what was recorded: damage must not be handed on.
void verify_recorded(storage::Storage& storage, const std::string& path, const GroupRecord& group) {
  std::vector<const TensorRecord*> tensors;
  for (const TensorRecord& tensor : group.tensors) tensors.push_back(&tensor);
  verify_tensor_file(*storage.open(path), group.files.front(), tensors);
}

// A second name for from, or a copy where that cannot be. Both are checked to be what was recorded; the temporary file may be left
// after an error.
void link_or_copy(Save& save, const std::string& from, const std::string& to, const GroupRecord& group) {
  storage::Storage& storage = save.storage;
  const FileRecord& record = group.files.front();
  verify_recorded(storage, from, group);
  if (storage.link(from, to)) return;
  save.rewritten += write_durably(storage, to, save.stream_of(record.bytes),
                                  [&](storage::File& file) { copy_file(*storage.open(from), file, record); });
}

// The group as it was recorded earlier, under a new directory, when nothing in it has changed and it could be had; else nothing.
std::optional<GroupRecord> reuse_group(Save& save, const State& state, const StateGroup& group, const std::string& file_name,
                                       const Earlier& earlier) {
  const GroupRecord* const recorded = unchanged(earlier, state, group, file_name, save.source);
  if (recorded == nullptr) return std::nullopt;
  const std::string from = path_in(earlier.directory, file_name);
  try {
    link_or_copy(save, from, save.path(file_name), *recorded);
    return *recorded;
  } catch (const base::Error& error) {
    if (error.status() == Status::no_space || error.status() == Status::cancelled) throw;
    base::warn("state", cat(from, " is not used again but written anew: ", error.message()));
    remove_temporaries(save.storage, save.path(file_name));
    return std::nullopt;
  }
}

// More than the file of a group can have.
std::int64_t most_file_bytes(const StateGroup& group) {
  constexpr std::int64_t most_of_entry = 1024;  // of the header's, beside the name, whose every byte may be written as an escape
  std::int64_t bytes = most_of_entry;
  for (const StateTensor& item : group.tensors)
    bytes += item.tensor->bytes() + most_of_entry + 6 * static_cast<std::int64_t>(item.name.size());
  return bytes;
}

// The bytes of the files that will be written, without those that will be linked.
std::int64_t written_bytes(storage::Storage& storage, const State& state, const std::optional<Earlier>& earlier,
                           SaveSource& source) {
  const auto is_linked = [&](const StateGroup& group, const std::string& file_name) {
    try {
      const GroupRecord* const recorded = earlier ? unchanged(*earlier, state, group, file_name, source) : nullptr;
      if (recorded != nullptr) verify_recorded(storage, path_in(earlier->directory, file_name), *recorded);
      return recorded != nullptr;
    } catch (const base::Error& error) {
      if (error.status() == Status::cancelled) throw;
      return false;
    }
  };
  std::int64_t bytes = 0;
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    if (!is_linked(group, group_file_name(group.name, used_names))) bytes += source.file_bytes(group);
  }
  return bytes;
}

// A save that cannot fit costs no time and leaves nothing to tidy. What older checkpoints take is not counted: they are removed
// only after this one is durable. Where a file turns out to need a copy instead of a link, its writing finds the disk full.
void require_space(storage::Storage& storage, const State& state, const SaveOptions& options, const std::optional<Earlier>& earlier,
                   SaveSource& source) {
  const std::optional<std::int64_t> free = storage.free_bytes();
  if (!free) return;
  std::int64_t most = 0;
  for (const StateGroup& group : state.groups()) most += most_file_bytes(group);
  if (most <= *free) return;
  const std::int64_t needed = written_bytes(storage, state, earlier, source);
  if (needed <= *free) return;
  base::fail(Status::no_space, "the files of step ", options.step, " need ", needed, " bytes; ", base::quoted(storage.name()),
             " has ", *free, " free");
}

Manifest write_files(Save& save, const State& state, const SaveOptions& options, const std::optional<Earlier>& earlier) {
  save.tell([&](base::Progress& progress) {
    std::int64_t bytes = 0;
    for (const StateGroup& group : state.groups()) bytes += bytes_of(group);
    progress.begin(bytes);
  });
  Manifest manifest;
  manifest.library_version = base::version_text();
  manifest.step = options.step;
  manifest.seed = options.seed;
  manifest.saved_utc_ns = options.saved_utc_ns;
  manifest.metric = options.metric;
  manifest.metadata = options.metadata_json;
  manifest.environment = options.environment_json;
  manifest.values = state.values();
  std::set<std::string> used_names;
  for (const StateGroup& group : state.groups()) {
    storage::require_running(save.source.stop.get());
    const std::string file_name = group_file_name(group.name, used_names);
    auto reused = earlier ? reuse_group(save, state, group, file_name, *earlier) : std::nullopt;
    save.linked += reused ? 1 : 0;
    if (reused) save.tell([&](base::Progress& progress) { progress.add(bytes_of(group)); });
    manifest.groups.push_back(reused ? *std::move(reused) : write_group(save, group, file_name));
  }
  save.tell([](base::Progress& progress) { progress.finish(); });
  return manifest;
}

void commit(Save& save, const Manifest& manifest, Committer* committer) {
  storage::Storage& storage = save.storage;
  const std::string text = to_text(manifest);
  if (static_cast<std::int64_t>(text.size()) > largest_manifest_bytes) {
    base::fail(Status::out_of_range, "the manifest would have ", text.size(), " bytes; at most ", largest_manifest_bytes);
  }
  // The files' names are durable before the manifest that vouches for them can be.
  storage.sync_directory(save.directory);
  save.source.commit_point();
  // From here on nothing stops it: half a commit could not be taken back with certainty.
  save.rewritten += write_durably(storage, save.path(std::string(manifest_name)), {static_cast<std::int64_t>(text.size()), nullptr},
                                  [&](storage::File& file) { file.write(0, std::as_bytes(std::span(text))); });
  if (committer != nullptr) return committer->commit({save.directory, manifest.step, manifest.commit_sequence, hash_of(text), ""});
  storage.sync_directory(save.directory);
  storage.sync_directory("");
}

}  // namespace

std::int64_t SaveSource::file_bytes(const StateGroup& group) {
  const FileLayout layout = layout_of(group.tensors);
  std::int64_t bytes = static_cast<std::int64_t>(layout.header.size());
  for (const TensorEntry& entry : layout.entries) bytes += entry.bytes;
  return bytes;
}

WrittenFile SaveSource::write(storage::File& file, const std::string& file_name, const StateGroup& group) {
  return write_tensor_file(file, file_name, group.tensors, {}, progress);
}

bool SaveSource::holds_same(const GroupRecord& recorded, const StateGroup& group) {
  return holds_same_tensors(recorded, group.tensors);
}

SaveResult write_checkpoint(storage::Storage& storage, const State& state, const SaveOptions& options, std::int64_t commit_sequence,
                            const std::string& latest, SaveSource& source, Committer* committer) {
  storage::require_running(source.stop.get());
  const std::optional<Earlier> earlier = read_earlier(storage, state.rarely_changing().empty() ? "" : latest);
  require_space(storage, state, options, earlier, source);
  Save save{storage, make_attempt(storage, options.prefix, options.step), source};
  try {
    Manifest manifest = write_files(save, state, options, earlier);
    manifest.commit_sequence = commit_sequence;
    commit(save, manifest, committer);
    return {save.directory,        options.step, commit_sequence, static_cast<std::int64_t>(manifest.groups.size()),
            total_bytes(manifest), save.linked,  save.rewritten};
  } catch (...) {
    const bool is_clean = committer != nullptr ? committer->discard(save.directory) : remove_checkpoint(storage, save.directory);
    if (!is_clean)
      base::warn("state", cat("what the failed save wrote to ", base::quoted(save.directory), " could not be removed"));
    throw;
  }
}

}  // namespace ckpt::state
