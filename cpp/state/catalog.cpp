#include "state/catalog.h"

#include <algorithm>
#include <exception>

#include "base/log.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

Found examine(storage::Storage& storage, const std::string& directory, std::int64_t step) {
  Found found;
  found.name = directory;
  found.step = step;
  try {
    const Manifest manifest = read_manifest(storage, directory);
    if (manifest.step != step) base::fail(Status::corrupt, "the manifest says step ", manifest.step);
    found.commit_sequence = manifest.commit_sequence;
    found.bytes = total_bytes(manifest);
    found.metric = manifest.metric;
  } catch (const base::Error& error) {
    found.condition = condition_after(error);
    found.status = error.status();
    found.problem = error.message();
  }
  return found;
}

// Runs one step of a removal; false when it failed.
template <class Step>
bool attempt(Step&& step) noexcept {
  try {
    step();
    return true;
  } catch (...) {
    return false;
  }
}

}  // namespace

std::string read_text(storage::File& file, std::int64_t largest) {
  const std::int64_t size = file.size();
  if (size > largest) base::fail(Status::corrupt, "the file has ", size, " bytes; at most ", largest);
  std::string text(static_cast<std::size_t>(size), '\0');
  if (file.read(0, std::as_writable_bytes(std::span(text))) != size)
    base::fail(Status::corrupt, "the file shrank while it was read");
  return text;
}

std::string path_in(std::string_view directory, std::string_view file) {
  return directory == "." ? std::string(file) : storage::join(directory, file);
}

Condition condition_after(const base::Error& error) {
  switch (error.status()) {
    case Status::not_found: return Condition::unfinished;
    case Status::corrupt: return Condition::damaged;
    case Status::io:
    case Status::permission:
    case Status::unsupported: return Condition::unreadable;
    default: throw;  // NOLINT: called while the error is being handled
  }
}

void require_checkpoint_name(const std::string& name) {
  base::require(!name.empty(), "name is empty");
  if (name != ".") storage::require_path(name);
}

std::vector<Found> scan(storage::Storage& storage) {
  std::vector<Found> all;
  for (const storage::Entry& entry : storage.list("")) {
    const auto step = step_of_attempt(entry.name);
    if (entry.is_directory && step) all.push_back(examine(storage, entry.name, *step));
  }
  std::ranges::stable_sort(all, [](const Found& a, const Found& b) {
    return a.step != b.step ? a.step > b.step : a.commit_sequence > b.commit_sequence;
  });
  return all;
}

std::string manifest_text(storage::Storage& storage, const std::string& directory) {
  require_checkpoint_name(directory);
  const std::string path = path_in(directory, manifest_name);
  try {
    return read_text(*storage.open(path), largest_manifest_bytes);
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) {
      base::fail(Status::not_found, base::quoted(directory), " has no ", manifest_name,
                 ": it is no checkpoint, or a save is under way or was cut off");
    }
    if (error.status() == Status::invalid_argument) base::fail(Status::corrupt, error.message());
    throw;
  }
}

Manifest read_manifest(storage::Storage& storage, const std::string& directory) {
  const std::string text = manifest_text(storage, directory);
  Manifest manifest = reading(path_in(directory, manifest_name), [&] { return parse_manifest(text); });
  for (const GroupRecord& group : manifest.groups) {
    for (const FileRecord& record : group.files) {
      const std::string path = path_in(directory, record.name);
      reading(path, [&] {
        const std::int64_t size = storage.size(path);
        if (size != record.bytes) base::fail(Status::corrupt, "the file has ", size, " bytes; the manifest says ", record.bytes);
      });
    }
  }
  return manifest;
}

void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason) {
  const std::string aside = cat(torn_prefix, directory);
  try {
    storage.rename(directory, aside);
    base::warn("state",
               cat("checkpoint ", base::quoted(directory), " is not usable and was renamed ", base::quoted(aside), ": ", reason));
  } catch (const base::Error& error) {
    base::warn("state",
               cat("checkpoint ", base::quoted(directory), " is not usable: ", reason, "; it keeps its name: ", error.message()));
  }
}

bool remove_checkpoint(storage::Storage& storage, const std::string& directory) noexcept {
  bool clean = true;
  const bool listed = attempt([&] {
    const std::vector<storage::Entry> entries = storage.list(directory);
    const auto remove = [&](const storage::Entry& entry) {
      clean = attempt([&] { storage.remove(path_in(directory, entry.name)); }) && clean;
    };
    const auto manifest = std::ranges::find(entries, manifest_name, &storage::Entry::name);
    if (manifest != entries.end()) {
      remove(*manifest);
      // While it could come back after a crash, the files that it names must not go.
      clean = clean && attempt([&] { storage.sync_directory(directory); });
      if (!clean) return;
    }
    for (const storage::Entry& entry : entries) {
      if (entry.name != manifest_name) remove(entry);
    }
    clean = clean && attempt([&] { storage.remove_directory(directory); });
  });
  return listed && clean;
}

std::set<std::string> kept_by(const Retention& retention, const std::vector<Found>& all, const std::string& saved) {
  std::set<std::string> kept;
  std::vector<const Found*> measured;
  std::int64_t last = 0;
  std::int64_t previous_step = -1;
  for (const Found& found : all) {
    if (found.condition != Condition::complete) continue;
    const bool is_round = retention.keep_every > 0 && found.step % retention.keep_every == 0 && found.step != previous_step;
    if (last < retention.keep_last || found.name == saved) {
      ++last;
      kept.insert(found.name);
    }
    if (is_round) kept.insert(found.name);
    if (found.metric) measured.push_back(&found);
    previous_step = found.step;
  }
  std::ranges::stable_sort(measured, [&](const Found* a, const Found* b) {
    return retention.larger_is_better ? *a->metric > *b->metric : *a->metric < *b->metric;
  });
  if (static_cast<std::int64_t>(measured.size()) > retention.keep_best)
    measured.resize(static_cast<std::size_t>(retention.keep_best));
  for (const Found* found : measured) kept.insert(found->name);
  return kept;
}

void retain(storage::Storage& storage, const Retention& retention, const std::string& saved, std::int64_t saved_step) noexcept {
  const bool listed = attempt([&] {
    const std::vector<Found> all = scan(storage);
    const std::set<std::string> kept = kept_by(retention, all, saved);
    // A listing that lacks what was just acknowledged is not to be trusted with removals.
    if (!kept.contains(saved)) base::fail(Status::io, "the storage does not show ", base::quoted(saved));
    for (const Found& found : all) {
      if (found.condition != Condition::complete || kept.contains(found.name)) continue;
      if (!remove_checkpoint(storage, found.name)) {
        base::warn("state", cat("old checkpoint ", base::quoted(found.name), " could not be removed completely"));
      }
    }
    for (const storage::Entry& entry : storage.list("")) {
      if (!entry.is_directory || !entry.name.starts_with(torn_prefix)) continue;
      const auto step = step_of_attempt(std::string_view(entry.name).substr(torn_prefix.size()));
      if (step && *step <= saved_step && !remove_checkpoint(storage, entry.name)) {
        base::warn("state", cat("torn checkpoint ", base::quoted(entry.name), " could not be removed completely"));
      }
    }
  });
  if (!listed) attempt([&] { base::warn("state", "old checkpoints could not be listed, so none was removed"); });
}

}  // namespace ckpt::state
