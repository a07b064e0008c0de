#include "state/record_review.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <set>

#include "base/error.h"
#include "state/checkpoint_files.h"
#include "state/commit_record.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// A record without a checkpoint.
struct Unclaimed {
  std::string path;
  std::int64_t sequence = 0;
  std::optional<CommitRecord> record;  // if it can be parsed
  Status status = Status::ok;          // otherwise
  std::string problem;
};

bool holds_manifest(const Found& found) { return found.condition != Condition::unfinished || found.manifest_sequence >= 0; }

// Reads instead of listing: a listing may be outdated.
bool has_manifest_now(storage::Storage& storage, const std::string& attempt) {
  if (!step_of_attempt(attempt)) return false;  // do not query a damaged name
  try {
    manifest_text(storage, attempt);
  } catch (const base::Error& error) {
    return error.status() != Status::not_found;
  }
  return true;
}

class Review {
 public:
  Review(storage::Storage& storage, const StoreListing& listing, const std::vector<Found>& all) : storage_(storage) {
    std::set<std::string_view> claimed;
    for (const Found& found : all) {
      attempts_.emplace(found.name, &found);
      if (!found.record.empty()) {
        claimed.insert(found.record);
      } else if (holds_manifest(found)) {
        open_.insert(&found);
      }
      if (!found.record_damage.empty()) reason_to_wait(found.record_damage);
    }
    for (const auto& [path, bytes] : listing.commits) {
      if (!claimed.contains(path)) read(path);
    }
  }

  RecordReview run() {
    std::erase_if(unclaimed_, [&](const Unclaimed& one) { return is_record_of_unusable(one); });
    for (const Unclaimed& one : unclaimed_) judge(one);
    return std::move(review_);
  }

 private:
  void read(const std::string& path) {
    Unclaimed one{path, sequence_of_commit(path).value_or(0), {}, Status::ok, ""};
    try {
      one.record = read_commit_record(storage_, path);
    } catch (const base::Error& error) {
      if (error.status() == Status::not_found) return;  // removed after the listing
      condition_after(error);                           // rethrows errors that do not concern the record
      one.status = error.status();
      one.problem = error.message();
    }
    unclaimed_.push_back(std::move(one));
  }

  const Found* attempt_of(const CommitRecord& record) const {
    const auto named = attempts_.find(record.attempt);
    return named == attempts_.end() ? nullptr : named->second;
  }

  // Returns whether a record is intact and names an existing attempt that is not usable; that attempt can have no other record.
  bool is_record_of_unusable(const Unclaimed& one) {
    if (!one.record) return false;
    const Found* const named = attempt_of(*one.record);
    if (named == nullptr || !holds_manifest(*named)) return false;
    // A record without a checksum counts as intact if its members match the attempt's name and its own name. A valid manifest that
    // differs from the one in the record is damage (it is unknown of which of the two).
    const bool matches =
        named->manifest_sequence < 0 && one.record->step == named->step && one.record->commit_sequence == one.sequence;
    if (!one.record->is_checked() && !matches) return false;
    open_.erase(named);
    return true;
  }

  void judge(const Unclaimed& one) {
    if (!one.record) {
      if (one.status != Status::corrupt || is_needed(one, true)) return reason_to_wait(one.problem);
    } else if (!one.record->attempt.empty()) {
      const Found* const named = attempt_of(*one.record);
      if (named != nullptr && open_.contains(named))
        return reason_to_wait(cat(one.path, ": the commit record does not match ", base::quote(named->name)));
      const bool is_listed = named != nullptr && holds_manifest(*named);
      if (!is_listed && has_manifest_now(storage_, one.record->attempt)) return;  // the listing was outdated
      if (!one.record->is_checked() && is_needed(one, false)) {
        return reason_to_wait(cat(one.path, ": the commit record names ", base::quote(one.record->attempt),
                                  ", which is not the checkpoint of this record"));
      }
    }
    review_.leftovers.push_back(one.path);
  }

  // Returns whether a damaged record can belong to an existing attempt. A record that can be parsed would have been found by its
  // digest, so it can only belong to an attempt with an invalid manifest.
  bool is_needed(const Unclaimed& one, bool by_sequence) const {
    return std::ranges::any_of(open_, [&](const Found* found) {
      const bool is_named = one.path == commit_path(one.sequence) || one.path == commit_path(one.sequence, found->name);
      return is_named && (found->manifest_sequence < 0 || (by_sequence && found->manifest_sequence == one.sequence));
    });
  }

  void reason_to_wait(const std::string& why) {
    if (review_.reason_to_wait.empty()) review_.reason_to_wait = why;
  }

  storage::Storage& storage_;
  std::map<std::string, const Found*> attempts_;  // by name
  std::set<const Found*> open_;                   // attempts with a manifest and without a known record
  std::vector<Unclaimed> unclaimed_;
  RecordReview review_;
};

}  // namespace

void note_lost_manifests(storage::Storage& storage, const StoreListing& listing, bool only_newer, std::vector<Found>& all) {
  std::map<std::string_view, Found*> without_manifest;
  std::set<std::string_view> claimed;
  std::int64_t newest = -1;
  for (Found& found : all) {
    if (!holds_manifest(found)) without_manifest.emplace(found.name, &found);
    if (!found.record.empty()) claimed.insert(found.record);
    if (found.condition == Condition::complete) newest = std::max(newest, found.commit_sequence);
  }
  if (without_manifest.empty()) return;
  for (const auto& [path, bytes] : listing.commits) {
    const std::int64_t sequence = sequence_of_commit(path).value_or(0);
    if (only_newer && sequence <= newest) return;  // higher sequences are listed first
    if (claimed.contains(path)) continue;
    try {
      const CommitRecord record = read_commit_record(storage, path);
      const auto named = without_manifest.find(record.attempt);
      if (named == without_manifest.end()) continue;
      Found& found = *named->second;
      if (!record.is_checked() && (record.step != found.step || record.commit_sequence != sequence)) continue;
      if (has_manifest_now(storage, found.name)) continue;
      found.condition = Condition::damaged;
      found.status = Status::corrupt;
      found.problem =
          cat(base::quote(found.name), " has no ", manifest_name, ", and ", path, " refers to it: the manifest was lost");
    } catch (const base::Error& error) {
      condition_after(error);  // rethrows errors that do not concern the record
    }
  }
}

RecordReview review_records(storage::Storage& storage, const StoreListing& listing, const std::vector<Found>& all) {
  return Review(storage, listing, all).run();
}

}  // namespace ckpt::state
