#include "state/directory_catalog.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/ignored_link.h"
#include "state/known_bad.h"
#include "state/known_manifests.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Name of an attempt, and its step.
using Listed = std::pair<std::string, std::int64_t>;

std::vector<Listed> attempts_in(storage::Storage& storage) {
  std::vector<Listed> attempts;
  for (const storage::Entry& entry : storage.list("")) {
    const auto step = step_of_attempt(entry.name);
    if (entry.is_directory && step) attempts.emplace_back(entry.name, *step);
    if (entry.is_link && step) note_ignored_link(storage, entry.name);
  }
  return attempts;
}

// Reads the mark of a checkpoint with an unreadable manifest from the names of its files.
void look_for_mark(storage::Storage& storage, Found& found) noexcept {
  if (found.parsed || found.condition == Condition::unfinished || found.mark.generation > 0) return;
  attempted([&] {
    for (const storage::Entry& entry : storage.list(found.name)) {
      if (const auto mark = mark_of_file(entry.name)) found.mark = *mark;
    }
  });
}

// Returns the earlier result if neither the manifest nor the files' sizes have changed since then. stamp: the manifest's current
// stamp.
std::optional<Found> cached_if_unchanged(storage::Storage& storage, const std::string& directory, const storage::Stamp& stamp,
                                         const KnownManifests& known) {
  const Found* const before = known.find(directory, stamp);
  if (before == nullptr) return std::nullopt;
  try {
    check_sizes(storage, directory, known.sizes(directory));
    return *before;
  } catch (const base::Error&) {
    return std::nullopt;
  }
}

Found examine(storage::Storage& storage, const std::string& directory, std::int64_t step, KnownManifests* known) {
  std::optional<storage::Stamp> stamp;
  if (known != nullptr) stamp = storage.stamp(path_in(directory, manifest_name));
  if (stamp) {
    if (auto found = cached_if_unchanged(storage, directory, *stamp, *known)) return std::move(*found);
  }
  for (int tries = 1;; ++tries) {
    Found found;
    found.name = directory;
    found.step = step;
    if (const auto name = parse_attempt(directory)) found.mark = name->mark;
    std::string text;
    const Outcome outcome = try_reading(storage, directory, text, found, [&] {
      text = manifest_text(storage, directory);
      Manifest manifest = parsed_manifest(directory, text);
      if (manifest.step != step)
        base::fail(Status::corrupt, "the directory's name and its manifest differ: the manifest has step ", manifest.step);
      note_manifest(found, manifest);
      FileSizes sizes = sizes_of(manifest);
      check_sizes(storage, directory, sizes);
      found.manifest_digest = hash_of(text);
      if (stamp && tries == 1) known->note(found, std::move(sizes), *stamp);
      found.manifest = std::make_shared<Manifest>(std::move(manifest));
    });
    if (outcome == Outcome::removed && tries < max_rounds) continue;
    look_for_mark(storage, found);
    return found;
  }
}

// Examines all attempts; only the first complete one keeps its parsed manifest.
std::vector<Found> examine_all(storage::Storage& storage, const std::vector<Listed>& attempts, KnownManifests* known) {
  std::vector<Found> all;
  all.reserve(attempts.size());
  std::size_t first = 0;
  for (const auto& [name, step] : attempts) {
    all.push_back(examine(storage, name, step, known));
    Found& last = all.back();
    if (last.manifest == nullptr || &last == &all[first]) continue;
    if (all[first].manifest != nullptr && !comes_before(last, all[first])) {
      last.manifest.reset();
    } else {
      all[first].manifest.reset();
      first = all.size() - 1;
    }
  }
  return all;
}

// Returns whether all may lack the checkpoints of the line. A writer that rolls back can remove all listed checkpoints of its
// generation before they are examined, while abandoned ones remain. again: a later listing. That is possible if an unfinished
// attempt of all is gone from again, and a complete checkpoint has a lower step than that attempt. It is also possible if such an
// attempt is gone, and again lists one that is not complete in all, with at most the step that would be loaded.
bool may_lack_line(const std::vector<Found>& all, const std::vector<Listed>& again) {
  const auto is_listed = [&](const Found& found) { return std::ranges::find(again, found.name, &Listed::first) != again.end(); };
  const auto taken = std::ranges::find_if(all, [](const Found& found) { return is_usable(found); });
  if (taken == all.end()) return false;
  const auto is_complete = [&](const std::string& name) {
    const auto found = std::ranges::find(all, name, &Found::name);
    return found != all.end() && found->condition == Condition::complete;
  };
  const bool has_new_and_lower =
      std::ranges::any_of(again, [&](const Listed& each) { return each.second <= taken->step && !is_complete(each.first); });
  for (const Found& gone : all) {
    if (gone.condition != Condition::unfinished || is_listed(gone)) continue;
    const auto is_older = [&](const Found& found) { return found.condition == Condition::complete && found.step < gone.step; };
    if (has_new_and_lower || std::ranges::any_of(all, is_older)) return true;
  }
  return false;
}

}  // namespace

// A writer makes a directory only after it has committed the one before, and removes that only after it has committed the new one.
// Therefore two examinations suffice: a checkpoint that is complete at the second listing was in the first listing, too, and was
// still being written whenever it was examined. Until then the one before it was complete and in the first listing, and was
// examined before the second examination: it was found.
std::vector<Found> scan_directories(storage::Storage& storage, const std::set<std::string>& bad, KnownManifests* known) {
  constexpr int max_rounds_for_line = 16;  // limit for a writer that saves faster than this reads
  const auto is_good = [&](const Found& found) { return is_usable(found, bad); };
  const auto is_unfinished = [](const Found& found) { return found.condition == Condition::unfinished; };
  for (int rounds = 1;; ++rounds) {
    const auto attempts = attempts_in(storage);
    std::vector<Found> all = examine_all(storage, attempts, known);
    place_in_line(all);
    if (std::ranges::none_of(all, is_good)) {
      all = examine_all(storage, attempts, known);
      place_in_line(all);
    }
    const bool has_none = std::ranges::none_of(all, is_good);
    if (rounds < max_rounds && (has_none || std::ranges::any_of(all, is_unfinished))) {
      const auto again = attempts_in(storage);
      if (has_none ? again != attempts : rounds < max_rounds_for_line && may_lack_line(all, again)) continue;
    }
    if (known != nullptr) known->keep_only(all);
    return all;
  }
}

void set_aside(storage::Storage& storage, const std::string& directory, const std::string& reason) {
  const std::string aside = cat(torn_prefix, directory);
  const std::string what = cat("checkpoint ", base::quote(directory), " is incomplete");
  try {
    if (has_manifest(storage, directory)) base::fail(Status::invalid_state, manifest_name, " exists");
    storage.rename(directory, aside);
    base::warn("state", cat(what, " and was renamed ", base::quote(aside), ": ", reason));
  } catch (const base::Error& error) {
    base::warn("state", cat(what, ": ", reason, "; cannot rename it: ", error.message()));
  }
}

void warn_of_those_aside(storage::Storage& storage) noexcept {
  attempted([&] {
    for (const storage::Entry& entry : storage.list("")) {
      if (!entry.is_directory || !entry.name.starts_with(torn_prefix) || !has_manifest(storage, entry.name)) continue;
      base::warn("state",
                 cat(base::quote(entry.name), " contains a ", manifest_name, ": an earlier version of this library considered it ",
                     "damaged. It is not used. Verify it, and remove the prefix from its name if it is valid"));
    }
  });
}

bool remove_checkpoint(storage::Storage& storage, const std::string& directory, std::optional<base::Error>* first) noexcept {
  bool clean = true;
  const bool listed = attempted(
      [&] {
        const std::vector<storage::Entry> entries = storage.list(directory);
        const auto remove = [&](const storage::Entry& entry) {
          clean = attempted([&] { storage.remove(path_in(directory, entry.name)); }, first) && clean;
        };
        const auto manifest = std::ranges::find(entries, manifest_name, &storage::Entry::name);
        if (manifest != entries.end()) {
          remove(*manifest);
          // If the manifest could reappear after a crash, its files must be kept.
          clean = clean && attempted([&] { storage.sync_directory(directory); }, first);
          if (!clean) return;
        }
        for (const storage::Entry& entry : entries) {
          if (entry.name != manifest_name) remove(entry);
        }
        clean = clean && attempted([&] { storage.remove_directory(directory); }, first);
      },
      first);
  note_good(storage, directory);  // the checkpoint no longer exists
  return listed && clean;
}

void remove_torn(storage::Storage& storage, std::int64_t saved_step) {
  for (const storage::Entry& entry : storage.list("")) {
    if (!entry.is_directory || !entry.name.starts_with(torn_prefix)) continue;
    const auto step = step_of_attempt(std::string_view(entry.name).substr(torn_prefix.size()));
    if (!step || *step > saved_step || has_manifest(storage, entry.name)) continue;
    if (!remove_checkpoint(storage, entry.name))
      base::warn("state", cat("cannot remove all files of the torn checkpoint ", base::quote(entry.name)));
  }
}

}  // namespace ckpt::state
