#include "state/directory_protocol.h"

#include <algorithm>
#include <limits>

#include "base/error.h"
#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/directory_catalog.h"
#include "state/ignored_link.h"
#include "state/manifest_text.h"
#include "state/name.h"
#include "state/pin.h"
#include "state/save_source.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

constexpr std::string_view marker_prefix = ".shared-";

bool is_unfinished(const Found& found) { return found.condition == Condition::unfinished; }

// Retries the removal of an attempt; returns false if files remain.
bool remove_left(storage::Storage& storage, const std::string& directory) {
  try {
    if (has_manifest(storage, directory)) return true;  // the removal has not started; its caller must repeat it
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) return true;
    throw;
  }
  // The removal of the manifest may not be durable yet. If the manifest reappears after a crash, its files must still exist.
  storage.sync_directory(directory);
  return remove_checkpoint(storage, directory);
}

}  // namespace

// ---- Files ----

std::string DirectoryProtocol::written_name(const std::string& path, int number) const { return cat(path, ".tmp", number); }

// A local change forces the file system client to read the directory again.
void DirectoryProtocol::refresh(const std::string& directory) noexcept {
  attempted([&] {
    const std::string path = path_in(directory.empty() ? "." : directory, look_name);
    attempted([&] { storage().create(path); });  // a file left by a killed process is removed, too
    storage().remove(path);
  });
}

std::string DirectoryProtocol::marker_path(std::string_view name) const { return cat(marker_prefix, name); }

std::vector<std::string> DirectoryProtocol::markers(const std::string& prefix) {
  std::vector<std::string> paths;
  for (const storage::Entry& entry : storage().list("")) {
    if (entry.name.starts_with(prefix)) paths.push_back(entry.name);
  }
  return paths;
}

void DirectoryProtocol::remove_markers() {
  for (const std::string& path : markers(std::string(marker_prefix))) storage().remove(path);
}

// ---- Finding ----

std::vector<Found> DirectoryProtocol::list(const std::set<std::string>& bad, const Wanted&) {
  return scan_directories(storage(), bad);
}

void DirectoryProtocol::note_pins(std::span<Found> all) {
  for (Found& found : all) found.pinned = is_pinned(storage(), found.name);
}

bool DirectoryProtocol::is_pinned_by_now(const std::string& directory) {
  refresh(directory);
  return is_pinned(storage(), directory);
}

FoundRecord DirectoryProtocol::require_committed(const std::string&, const std::string&, const Manifest&) { return {}; }

void DirectoryProtocol::require_whole(const std::string& directory, const std::string&, const Manifest& manifest, bool, Found&) {
  check_sizes(storage(), directory, sizes_of(manifest));
}

std::optional<std::int64_t> DirectoryProtocol::committed_sequence(const std::string& attempt) {
  const auto sequence = sequence_in_manifest(storage(), attempt);
  if (!sequence) return std::nullopt;
  try {
    storage().sync_directory(attempt);
    storage().sync_directory("");
    return sequence;
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
    return std::nullopt;
  }
}

std::string DirectoryProtocol::ignored_hint() { return ignored_links_hint(storage()); }

// ---- Writing ----

std::optional<std::vector<Found>> DirectoryProtocol::open(bool) {
  ownership_ = std::make_unique<Ownership>(storage());
  refresh("");
  std::vector<Found> all = scan_directories(storage());
  if (std::ranges::any_of(all, is_unfinished)) {
    for (const Found& found : all) {
      if (is_unfinished(found)) refresh(found.name);
    }
    all = scan_directories(storage());
  }
  for (const Found& found : all) {
    if (is_unfinished(found)) set_aside(storage(), found.name, found.problem);
    const bool is_last = found.commit_sequence == std::numeric_limits<std::int64_t>::max();
    next_sequence_ = std::max(next_sequence_, is_last ? found.commit_sequence : found.commit_sequence + 1);
  }
  ownership_->note_found(all, next_sequence_);
  warn_of_those_aside(storage());
  // A process killed between the rename of the manifest and the last sync leaves a checkpoint that is found but can still
  // disappear. Make it durable before retention removes older checkpoints in its favour.
  if (const std::string last = committed_last(all); !last.empty()) {
    storage().sync_directory(last);
    storage().sync_directory("");
  }
  return all;
}

void DirectoryProtocol::require_writer() {
  if (ownership_ != nullptr) ownership_->require_held();
}

std::int64_t DirectoryProtocol::next_sequence() {
  if (next_sequence_ == std::numeric_limits<std::int64_t>::max())
    base::fail(Status::out_of_range, "commit sequence: all values up to 2^63 - 2 are used");
  return next_sequence_++;
}

std::string DirectoryProtocol::begin_attempt(const std::string& prefix, std::int64_t step, const LineMark&) {
  std::string name = make_attempt(prefix, step, {});
  ownership_->note_own(name);
  return name;
}

std::int64_t DirectoryProtocol::commit(const std::string& attempt, const Manifest& manifest, SaveSource& source) {
  const std::string text = text_to_commit(manifest);
  // An empty file records the line even if the manifest is damaged later.
  if (manifest.line != nullptr && manifest.line->generation > 0)
    storage().create(path_in(attempt, mark_file_name(mark_of(*manifest.line))))->sync();
  // The files' names must be durable before the manifest that lists them.
  storage().sync_directory(attempt);
  source.commit_point();
  // From here on the save cannot be cancelled: a partial commit could not be undone reliably.
  const std::int64_t repeated = place_text(path_in(attempt, manifest_name), text, [&] { ownership_->require_held(); });
  storage().sync_directory(attempt);
  storage().sync_directory("");
  return repeated;
}

void DirectoryProtocol::discard(const std::string& attempt, bool is_shared) noexcept {
  log_error_of([&] {
    if (is_shared && has_manifest(storage(), attempt)) return;
    if (remove_checkpoint(storage(), attempt)) return;
    leftovers_.note(attempt);
    base::fail(Status::io, "cannot remove the files of the failed save in ", base::quote(attempt));
  });
}

// ---- Removing ----

std::vector<Found> DirectoryProtocol::list_to_retain() { return scan_directories(storage(), {}, &known_); }

bool DirectoryProtocol::may_remove(const std::string& name) { return ownership_ == nullptr || ownership_->may_remove(name); }

bool DirectoryProtocol::remove(const Found& found, std::optional<base::Error>* first) noexcept {
  if (remove_checkpoint(storage(), found.name, first)) return true;
  leftovers_.note(found.name);
  return false;
}

void DirectoryProtocol::remove_unfinished(const std::vector<Found>&, std::int64_t saved_step) {
  remove_torn(storage(), saved_step);
}

void DirectoryProtocol::retry_leftovers() noexcept {
  leftovers_.retry([&](const std::string& directory) { return remove_left(storage(), directory); });
}

}  // namespace ckpt::state
