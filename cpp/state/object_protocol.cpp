#include "state/object_protocol.h"

#include <algorithm>
#include <iterator>

#include "base/error.h"
#include "base/log.h"
#include "state/caught.h"
#include "state/checkpoint_files.h"
#include "state/manifest_text.h"
#include "state/name.h"
#include "state/record_review.h"
#include "state/save_source.h"
#include "storage/objects.h"

namespace ckpt::state {

using base::cat;
using base::Status;

// ---- Files ----

std::string ObjectProtocol::marker_path(std::string_view name) const { return cat(probes_prefix, name); }

std::vector<std::string> ObjectProtocol::markers(const std::string& prefix) {
  std::vector<std::string> paths;
  storage::for_each_object(storage(), prefix, [&](const storage::Object& object) { paths.push_back(object.path); });
  return paths;
}

// ---- Finding ----

std::vector<Found> ObjectProtocol::list(const std::set<std::string>& bad, const Wanted& wanted) {
  return scan_store(storage(), bad, wanted);
}

FoundRecord ObjectProtocol::require_committed(const std::string& directory, const std::string& text, const Manifest& manifest) {
  return state::require_committed(storage(), directory, text, manifest);
}

void ObjectProtocol::require_whole(const std::string& directory, const std::string& text, const Manifest& manifest, bool is_listed,
                                   Found& found) {
  if (is_listed) return;  // it was just examined; a damaged file is detected when it is opened
  FoundRecord record = require_committed(directory, text, manifest);
  found.record = std::move(record.path);
  found.record_damage = std::move(record.damage);
}

std::optional<std::int64_t> ObjectProtocol::committed_sequence(const std::string& attempt) {
  const auto sequence = sequence_in_manifest(storage(), attempt);
  if (!sequence) return std::nullopt;
  for (const std::string& record : {commit_path(*sequence), commit_path(*sequence, attempt)}) {
    try {
      if (read_commit_record(storage(), record).attempt == attempt) return sequence;
    } catch (const base::Error& error) {
      if (error.status() != Status::not_found) throw;
    }
  }
  return std::nullopt;
}

// ---- Writing ----

// Without removals only the highest sequence is needed: one request instead of a listing.
std::optional<std::vector<Found>> ObjectProtocol::open(bool removes_old) {
  committer_ = std::make_unique<Committer>(shared_storage(), sleep_);
  if (!removes_old) {
    committer_->note_highest(highest_sequence(storage()));
    if (committer_->highest() == 0) highest_step_ = -1;
    return std::nullopt;
  }
  const StoreListing listing = list_store(storage());
  committer_->note_highest(listing.highest_sequence());
  note_seen(listing);
  if (listing.attempts.empty()) {
    highest_step_ = -1;
  } else if (listing.attempts.front().mark.generation == 0) {
    highest_step_ = listing.attempts.front().step;
  }
  return std::nullopt;
}

void ObjectProtocol::require_writer() {
  if (committer_ != nullptr) committer_->refuse_fenced();
}

std::string ObjectProtocol::begin_attempt(const std::string& prefix, std::int64_t step, const LineMark& mark) {
  return make_attempt(prefix, step, mark);
}

std::int64_t ObjectProtocol::commit(const std::string& attempt, const Manifest& manifest, SaveSource& source) {
  const std::string text = text_to_commit(manifest);
  source.commit_point();
  const std::int64_t repeated = place_text(path_in(attempt, manifest_name), text);
  committer_->commit({attempt, manifest.step, manifest.commit_sequence, hash_of(text), ""});
  return repeated;
}

// Ignores is_shared: without a commit record no rank has seen the attempt as committed.
void ObjectProtocol::discard(const std::string& attempt, bool) noexcept {
  log_error_of([&] {
    if (committer_->may_be_committed(attempt) || remove_from_store(storage(), attempt, "", 0)) return;
    leftovers_.note(attempt);
    base::fail(Status::io, "cannot remove the files of the failed save in ", base::quote(attempt));
  });
}

// ---- Removing ----

void ObjectProtocol::note_seen(const StoreListing& listing) {
  seen_.clear();
  for (const StoreListing::Attempt& attempt : listing.attempts) seen_.insert(attempt.name);
  for (const auto& [path, bytes] : listing.commits) seen_.insert(path);
  seen_.insert(listing.probes.begin(), listing.probes.end());
}

// A writer removes only checkpoints older than one that it has written and keeps. After a commit by another writer that order is
// not certain.
std::vector<Found> ObjectProtocol::list_to_retain() {
  listing_ = list_store(storage());
  if (listing_.highest_sequence() > committer_->highest())
    base::fail(Status::busy, "another writer has committed ", listing_.commits.begin()->first);
  std::vector<Found> all = examine_store(storage(), listing_, {}, {}, &before_);
  before_.keep_only(listing_);
  return all;
}

bool ObjectProtocol::remove(const Found& found, std::optional<base::Error>* first) noexcept {
  if (remove_from_store(storage(), found.name, found.record, committer_->highest(), first)) return true;
  leftovers_.note(found.name);
  return false;
}

// Removes an attempt that no other writer can commit any more, unless its record can be read: listings can be outdated, reads
// cannot. Returns false if files remain.
bool ObjectProtocol::remove_uncommitted(const std::string& directory) {
  try {
    const std::string text = manifest_text(storage(), directory);
    const Manifest manifest = parse_manifest(text);
    if (manifest.commit_sequence > committer_->highest()) return true;
    find_commit_record(storage(), directory, manifest, hash_of(text));
    return true;
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
  }
  return remove_from_store(storage(), directory, "", committer_->highest());
}

void ObjectProtocol::remove_unfinished(const std::vector<Found>& all, std::int64_t saved_step) {
  const RecordReview review = review_records(storage(), listing_, all);
  if (!review.reason_to_wait.empty() && review.reason_to_wait != reason_to_wait_)
    base::warn("state", cat("not removing unfinished saves: ", review.reason_to_wait));
  reason_to_wait_ = review.reason_to_wait;
  for (const Found& found : all) {
    const bool is_orphan = found.condition == Condition::unfinished && found.step <= saved_step && seen_.contains(found.name);
    if (!is_orphan || !review.reason_to_wait.empty() || remove_uncommitted(found.name)) continue;
    base::warn("state", cat("cannot remove all files of the torn checkpoint ", base::quote(found.name)));
    leftovers_.note(found.name);
  }
  std::vector<std::string> gone;
  std::ranges::copy_if(review.leftovers, std::back_inserter(gone), [&](const std::string& path) {
    return sequence_of_commit(path) < committer_->highest() && seen_.contains(path);
  });
  std::ranges::copy_if(listing_.probes, std::back_inserter(gone), [&](const std::string& path) { return seen_.contains(path); });
  if (!gone.empty()) storage().remove_many(gone);
  note_seen(listing_);
  listing_ = {};
}

void ObjectProtocol::retry_leftovers() noexcept {
  leftovers_.retry([&](const std::string& directory) { return remove_uncommitted(directory); });
}

}  // namespace ckpt::state
