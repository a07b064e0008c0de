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

Committer::Committer(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep)
    : storage_(std::move(storage)), sleep_(sleep ? std::move(sleep) : storage::sleep_ns), writer_(random_digits()) {
  is_exact_ = keeps_first();
  if (!is_exact_) {
    base::write_log(base::LogLevel::info, "state",
                    cat(base::quote(storage_->name()),
                        " does not keep the first of two files of one name: commit records are named by attempt"));
  }
}

// Only the errors of a store without this ability mean false. All others are thrown, since they do not show what the store can do.
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
  // The sequence of an attempt follows that of an existing record, so a pending record must exist first.
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

// After an error the record stays pending, since it may exist.
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
        standing_.clear();  // the record of another writer has the name
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
    for (const storage::Object& object : storage::list_page(*storage_, std::string(commits_prefix), "", records_looked_at)) {
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
// next one unless that was removed, too. A late listing may lack it; reads are never late.
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

}  // namespace ckpt::state
