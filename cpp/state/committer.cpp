#include "state/committer.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "state/leftovers.h"
#include "state/manifest_text.h"
#include "state/record_review.h"
#include "storage/objects.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// How often the first of several records of one sequence looks whether the others have gone, and after which pauses.
constexpr int most_looks = 8;
constexpr std::int64_t first_pause_ns = 10'000'000;
constexpr std::int64_t records_looked_at = 16;

std::string random_digits() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 16; ++i) out += "0123456789abcdef"[random() & 15];
  return out;
}

// Dropped without memory for the message.
template <class... Pieces>
void warn(const Pieces&... pieces) noexcept {
  try {
    base::warn("state", cat(pieces...));
  } catch (const std::exception&) {
  }
}

// Whom a record names, as far as that can be read.
std::string who(storage::Storage& storage, const std::string& path) {
  try {
    return base::quote(read_commit_record(storage, path).attempt);
  } catch (const base::Error& error) {
    return cat("another attempt (", error.message(), ')');
  }
}

}  // namespace

Committer::Committer(std::shared_ptr<storage::Storage> storage, bool tidies, storage::Sleep sleep)
    : storage_(std::move(storage)), sleep_(sleep ? std::move(sleep) : storage::sleep_ns), writer_(random_digits()) {
  is_exact_ = keeps_first();
  if (!is_exact_) {
    base::write_log(base::LogLevel::info, "state",
                    cat(base::quote(storage_->name()),
                        " does not keep the first of two files of one name: commit records are named by attempt"));
  }
  if (!tidies) {
    known_ = highest_sequence(*storage_);
    if (known_ == 0) highest_step_ = -1;
    return;
  }
  const StoreListing listing = list_store(*storage_);
  known_ = listing.highest_sequence();
  note_seen(listing);
  if (listing.attempts.empty()) {
    highest_step_ = -1;
  } else if (listing.attempts.front().mark.generation == 0) {
    highest_step_ = listing.attempts.front().step;
  }
}

// Error for anything but what a store that cannot do it would answer: a store that is out of order says nothing about it.
bool Committer::keeps_first() {
  const std::string path = cat(probes_prefix, random_digits());
  const std::string first = "first " + path;
  const std::string second = "second " + path;
  // Whether the store took it; an attempt before may have made it.
  const auto put = [&](const std::string& text) {
    try {
      storage_->put_if_absent(path, std::as_bytes(std::span(text)));
      return true;
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists) throw;
      return false;
    }
  };
  bool keeps = false;
  bool was_made = false;
  try {
    put(first);
    was_made = true;
    const bool is_refused = !put(second);
    keeps = is_refused && read_commit_text(*storage_, path) == first;
  } catch (const base::Error& error) {
    if (error.status() != Status::unsupported && error.status() != Status::not_found) throw;
  }
  if (!was_made) return false;
  try {
    storage_->remove(path);
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) warn(path, " stays: ", error.message());
  }
  return keeps;
}

void Committer::refuse_fenced() const {
  if (!is_fenced_.load(std::memory_order_acquire)) return;
  base::fail(Status::busy, base::quote(storage_->name()), " has another writer, which has committed ", fenced_by_,
             ": this one saves and removes nothing any more; open the storage anew to go on");
}

void Committer::fence(const std::string& by, const std::string& path, const char* fate) {
  if (!is_fenced_.load(std::memory_order_relaxed)) {
    fenced_by_ = cat(by, " (", path, ')');
    is_fenced_.store(true, std::memory_order_release);
  }
  base::fail(Status::busy, base::quote(storage_->name()), " has another writer, which has committed ", by, " (", path, "): ", fate,
             ", and later ones of this writer are refused; open the storage anew to go on");
}

std::int64_t Committer::next_sequence() {
  refuse_fenced();
  // An attempt's sequence is one behind a record that is there: what was put and may be there is made certain first.
  if (pending_) put(*pending_);
  standing_.clear();
  if (known_ >= std::numeric_limits<std::int64_t>::max() - 1) base::fail(Status::out_of_range, "commit sequence is used up");
  return known_ + 1;
}

void Committer::commit(CommitRecord record) {
  record.writer = writer_;
  const std::string path = commit_path(record.commit_sequence, is_exact_ ? "" : record.attempt);
  std::string text = to_text(record);
  standing_ = record.attempt;
  pending_ = Pending{path, std::move(text), std::move(record)};
  const Pending pending = *pending_;
  put(pending);
  confirm(pending);
}

// After an error it is not known whether the record is there: it stays pending.
void Committer::put(const Pending& pending) {
  const std::int64_t sequence = pending.record.commit_sequence;
  if (is_exact_) {
    try {
      storage_->put_if_absent(pending.path, std::as_bytes(std::span(pending.text)));
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists) throw;
      if (read_commit_text(*storage_, pending.path) != pending.text) {
        const std::string path = pending.path;
        pending_.reset();
        standing_.clear();  // the name is another's: ours is not there
        fence(who(*storage_, path), path);
      }
    }
  } else {
    write_object(*storage_, pending.path, pending.text);
  }
  known_ = std::max(known_, sequence);
  pending_.reset();
}

void Committer::confirm(const Pending& pending) {
  const std::int64_t sequence = pending.record.commit_sequence;
  std::int64_t pause_ns = first_pause_ns;
  for (int looks = 1;; ++looks) {
    std::vector<std::string> others;  // of this sequence
    bool is_shown = false;
    for (const storage::Object& object : storage::page_of(*storage_, std::string(commits_prefix), "", records_looked_at)) {
      const auto listed = sequence_of_commit(object.path);
      if (listed && *listed > sequence) give_way(pending, object.path);
      if (object.path == pending.path) {
        is_shown = true;
      } else if (listed && *listed == sequence) {
        others.push_back(object.path);
      }
    }
    if (!is_shown) base::fail(Status::io, "the storage does not show ", pending.path, ", which was put: the save may count or not");
    if (others.empty()) {
      refuse_overtaken(pending);
      return;
    }
    if (others.front() < pending.path) give_way(pending, others.front());
    // The others see this record, or have seen none: those that have not been acknowledged withdraw. Ours stays whatever comes,
    // so that the highest sequence never falls.
    if (looks == most_looks) fence(who(*storage_, others.front()), others.front(), "this save may be found or not");
    sleep_(pause_ns);
    pause_ns *= 2;
  }
}

// Another one's retention may have removed the record that would have refused ours: there is one of a higher sequence then, the
// next one unless that went, too. A listing that is late does not show it; what is read is not late.
void Committer::refuse_overtaken(const Pending& pending) {
  if (!is_exact_) return;
  const std::string next = commit_path(pending.record.commit_sequence + 1, "");
  try {
    read_commit_text(*storage_, next);
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) return;
    throw;
  }
  give_way(pending, next);
}

void Committer::give_way(const Pending& pending, const std::string& winner) {
  withdraw(pending);
  fence(who(*storage_, winner), winner);
}

void Committer::withdraw(const Pending& pending) {
  try {
    storage_->remove(pending.path);
    standing_.clear();
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) {
      standing_.clear();
    } else {
      warn(pending.path, ", which does not count, stays: ", error.message());
    }
  }
}

bool Committer::discard(const std::string& directory) noexcept {
  return standing_ == directory || remove_from_store(*storage_, directory, "", 0);
}

// ---- After a save ----

void Committer::note_seen(const StoreListing& listing) {
  seen_.clear();
  for (const StoreListing::Attempt& attempt : listing.attempts) seen_.insert(attempt.name);
  for (const auto& [path, bytes] : listing.commits) seen_.insert(path);
  seen_.insert(listing.probes.begin(), listing.probes.end());
}

bool Committer::remove_uncommitted(const std::string& directory) {
  try {
    const std::string text = manifest_text(*storage_, directory);
    const Manifest manifest = parse_manifest(text);
    if (manifest.commit_sequence > known_) return true;
    find_commit_record(*storage_, directory, manifest, hash_of(text));
    return true;
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) throw;
  }
  return remove_from_store(*storage_, directory, "", known_);
}

void Committer::tidy(const StoreListing& listing, const std::vector<Found>& all, std::int64_t saved_step, Leftovers& leftovers) {
  const RecordReview review = review_records(*storage_, listing, all);
  if (!review.doubt.empty() && review.doubt != doubt_) warn("no unfinished save is removed: ", review.doubt);
  doubt_ = review.doubt;
  for (const Found& found : all) {
    const bool is_orphan = found.condition == Condition::unfinished && found.step <= saved_step && seen_.contains(found.name);
    if (!is_orphan || !review.doubt.empty() || remove_uncommitted(found.name)) continue;
    warn("torn checkpoint ", base::quote(found.name), " could not be removed completely");
    leftovers.note(found.name);
  }
  std::vector<std::string> gone;
  std::ranges::copy_if(review.leftovers, std::back_inserter(gone),
                       [&](const std::string& path) { return sequence_of_commit(path) < known_ && seen_.contains(path); });
  std::ranges::copy_if(listing.probes, std::back_inserter(gone), [&](const std::string& path) { return seen_.contains(path); });
  if (!gone.empty()) storage_->remove_many(gone);
}

void Committer::retain(const Retention& retention, const std::string& saved, std::int64_t saved_step, const AgeTime& now,
                       Leftovers& leftovers) noexcept {
  try {
    const StoreListing listing = list_store(*storage_);
    // What a writer removes is older than a checkpoint of its own that stays: not so when another one has gone on.
    if (listing.highest_sequence() > known_)
      base::fail(Status::busy, "another writer has committed ", listing.commits.begin()->first);
    const std::vector<Found> all = examine_store(*storage_, listing, {}, {}, &before_);
    before_.keep_only(listing);
    require_saved(all, saved);
    remove_in_order(superseded(*storage_, retention, all, saved, now), [&](const Found& found) {
      if (remove_from_store(*storage_, found.name, found.record, known_)) return true;
      warn("old checkpoint ", base::quote(found.name), " could not be removed completely; later saves try again");
      leftovers.note(found.name);
      return false;
    });
    tidy(listing, all, saved_step, leftovers);
    note_seen(listing);
  } catch (const std::exception& error) {
    warn("no old checkpoint was removed: ", error.what());
  }
}

}  // namespace ckpt::state
