#include "state/committer.h"

#include <algorithm>
#include <exception>
#include <limits>
#include <random>
#include <span>
#include <utility>

#include "base/error.h"
#include "base/log.h"
#include "storage/objects.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Number of listings, with growing pauses, in which the first of several records of one sequence waits for the others to be
// withdrawn.
constexpr int max_looks = 8;
constexpr std::int64_t first_pause_ns = 10'000'000;
constexpr std::int64_t records_looked_at = 16;

std::string random_digits() {
  std::random_device random;
  std::string out;
  for (int i = 0; i < 16; ++i) out += "0123456789abcdef"[random() & 15];
  return out;
}

// Logs a warning; drops it if memory for the message is lacking.
template <class... Pieces>
void warn(const Pieces&... pieces) noexcept {
  try {
    base::warn("state", cat(pieces...));
  } catch (const std::exception&) {
  }
}

// Returns the writer's attempt that a record names, if it can be read.
std::string winner_name(storage::Storage& storage, const std::string& path) {
  try {
    return base::quote(read_commit_record(storage, path).attempt);
  } catch (const base::Error& error) {
    return cat("another attempt (", error.message(), ')');
  }
}

}  // namespace

Committer::Committer(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep)
    : storage_(std::move(storage)), sleep_(sleep ? std::move(sleep) : storage::sleep_ns), writer_(random_digits()) {
  has_conditional_put_ = supports_conditional_put();
  if (!has_conditional_put_) {
    base::write_log(
        base::LogLevel::info, "state",
        cat(base::quote(storage_->name()), " does not refuse a second file of the same name: commit records are named by attempt"));
  }
}

// Returns false only for errors of a store without this ability. Throws all others, which do not show what the store supports.
bool Committer::supports_conditional_put() {
  const std::string path = cat(probes_prefix, random_digits());
  const std::string first = "first " + path;
  const std::string second = "second " + path;
  // Returns whether the store accepted the object; an earlier try may have created it.
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
  bool was_created = false;
  try {
    put(first);
    was_created = true;
    const bool is_refused = !put(second);
    keeps = is_refused && read_commit_text(*storage_, path) == first;
  } catch (const base::Error& error) {
    if (error.status() != Status::unsupported && error.status() != Status::not_found) throw;
  }
  if (!was_created) return false;
  try {
    storage_->remove(path);
  } catch (const base::Error& error) {
    if (error.status() != Status::not_found) warn("cannot remove ", path, ": ", error.message());
  }
  return keeps;
}

void Committer::refuse_fenced() const {
  if (!is_fenced_.load(std::memory_order_acquire)) return;
  base::fail(Status::busy, base::quote(storage_->name()), ": another writer has committed ", fenced_by_,
             "; this writer saves and removes nothing any more; reopen the storage to continue");
}

void Committer::fence(const std::string& by, const std::string& path, const char* outcome) {
  if (!is_fenced_.load(std::memory_order_relaxed)) {
    fenced_by_ = cat(by, " (", path, ')');
    is_fenced_.store(true, std::memory_order_release);
  }
  base::fail(Status::busy, base::quote(storage_->name()), ": another writer has committed ", by, " (", path, "); ", outcome,
             ", and later saves of this writer fail; reopen the storage to continue");
}

std::int64_t Committer::next_sequence() {
  refuse_fenced();
  // The sequence of an attempt follows that of an existing record, so a pending record must be written first.
  if (pending_) put(*pending_);
  uncertain_attempt_.clear();
  if (known_ >= std::numeric_limits<std::int64_t>::max() - 1)
    base::fail(Status::out_of_range, "commit sequence: all values up to 2^63 - 2 are used");
  return known_ + 1;
}

void Committer::commit(CommitRecord record) {
  record.writer = writer_;
  const std::string path = commit_path(record.commit_sequence, has_conditional_put_ ? "" : record.attempt);
  std::string text = to_text(record);
  uncertain_attempt_ = record.attempt;
  pending_ = Pending{path, std::move(text), std::move(record)};
  const Pending pending = *pending_;
  put(pending);
  confirm(pending);
}

// After an error the record stays pending: it may exist.
void Committer::put(const Pending& pending) {
  const std::int64_t sequence = pending.record.commit_sequence;
  if (has_conditional_put_) {
    try {
      storage_->put_if_absent(pending.path, std::as_bytes(std::span(pending.text)));
    } catch (const base::Error& error) {
      if (error.status() != Status::already_exists) throw;
      if (read_commit_text(*storage_, pending.path) != pending.text) {
        const std::string path = pending.path;
        pending_.reset();
        uncertain_attempt_.clear();  // the name belongs to another writer's record
        fence(winner_name(*storage_, path), path);
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
    std::vector<std::string> others;  // other records of this sequence
    bool is_shown = false;
    for (const storage::Object& object : storage::list_page(*storage_, std::string(commits_prefix), "", records_looked_at)) {
      const auto listed = sequence_of_commit(object.path);
      if (listed && *listed > sequence) withdraw_and_fence(pending, object.path);
      if (object.path == pending.path) {
        is_shown = true;
      } else if (listed && *listed == sequence) {
        others.push_back(object.path);
      }
    }
    if (!is_shown) {
      base::fail(Status::io, "the storage does not list ", pending.path,
                 " after its put; it is unknown whether the save is committed");
    }
    if (others.empty()) {
      refuse_overtaken(pending);
      return;
    }
    if (others.front() < pending.path) withdraw_and_fence(pending, others.front());
    // The other writers see this record, or did not see any record; those that are not acknowledged withdraw theirs. Keep this
    // record in any case, so that the highest sequence never falls.
    if (looks == max_looks)
      fence(winner_name(*storage_, others.front()), others.front(), "it is unknown whether this save is committed");
    sleep_(pause_ns);
    pause_ns *= 2;
  }
}

// Retention of another writer can have removed the record that would have refused ours. Then a record of a higher sequence exists:
// the next one, unless that was removed, too. Listings can be outdated and lack it; reads cannot.
void Committer::refuse_overtaken(const Pending& pending) {
  if (!has_conditional_put_) return;
  const std::string next = commit_path(pending.record.commit_sequence + 1, "");
  try {
    read_commit_text(*storage_, next);
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) return;
    throw;
  }
  withdraw_and_fence(pending, next);
}

void Committer::withdraw_and_fence(const Pending& pending, const std::string& winner) {
  withdraw(pending);
  fence(winner_name(*storage_, winner), winner);
}

void Committer::withdraw(const Pending& pending) {
  try {
    storage_->remove(pending.path);
    uncertain_attempt_.clear();
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) {
      uncertain_attempt_.clear();
    } else {
      warn("cannot withdraw ", pending.path, " of a save that is not committed: ", error.message());
    }
  }
}

}  // namespace ckpt::state
