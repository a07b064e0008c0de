#include "state/ownership.h"

#include <optional>
#include <string_view>

#include "base/error.h"
#include "base/log.h"
#include "state/checkpoint_files.h"
#include "state/name.h"

namespace ckpt::state {
namespace {

using base::cat;
using base::Status;

// Returns the commit sequence of an attempt; nothing while it has no manifest, -1 if that is unreadable.
std::optional<std::int64_t> sequence_of(storage::Storage& storage, const std::string& attempt) {
  try {
    return parsed_manifest(attempt, manifest_text(storage, attempt)).commit_sequence;
  } catch (const base::Error& error) {
    if (error.status() == Status::not_found) return std::nullopt;
    if (error.status() != Status::corrupt && error.status() != Status::unsupported) throw;
    return -1;
  }
}

}  // namespace

Ownership::Ownership(storage::Storage& storage) : storage_(storage), lock_(storage.lock(std::string(lock_name))) {
  if (!is_exclusive()) {
    base::warn("state",
               cat(base::quote(storage.name()), " has no lock: a second writer is detected only when it commits a checkpoint"));
  }
}

void Ownership::note_found(const std::vector<Found>& all, std::int64_t first_sequence) {
  const std::lock_guard lock(mutex_);
  for (const Found& found : all) {
    if (found.condition != Condition::unfinished) known_.insert(found.name);  // unfinished ones are renamed to "torn-..."
  }
  first_sequence_ = first_sequence;
}

void Ownership::note_own(const std::string& attempt) {
  if (is_exclusive()) return;
  const std::lock_guard lock(mutex_);
  known_.insert(attempt);
}

void Ownership::require_held() {
  lock_->require_held();
  if (is_exclusive()) return;
  const std::lock_guard lock(mutex_);
  if (problem_.empty()) look_for_others();
  if (!problem_.empty()) {
    base::fail(Status::busy, base::quote(storage_.name()), " has a second writer: ", problem_,
               "; this writer saves and removes nothing any more; reopen the storage to continue");
  }
}

bool Ownership::may_remove(const std::string& attempt) {
  if (is_exclusive()) return true;
  const std::lock_guard lock(mutex_);
  return known_.contains(attempt);
}

void Ownership::look_for_others() {
  std::set<std::string> known;
  for (const storage::Entry& entry : storage_.list("")) {
    const std::string_view name = entry.name;
    if (name.starts_with(torn_prefix)) {
      const std::string before(name.substr(torn_prefix.size()));
      if (known_.contains(before)) problem_ = cat("it has renamed ", base::quote(before), ", which this writer was saving");
    }
    if (!entry.is_directory || !step_of_attempt(name)) continue;
    if (known_.contains(entry.name)) {
      known.insert(entry.name);
      continue;
    }
    const auto sequence = sequence_of(storage_, entry.name);
    if (!sequence || (*sequence >= 0 && *sequence < first_sequence_)) continue;
    problem_ = cat("it has committed ", base::quote(entry.name),
                   *sequence >= 0 ? cat(" with commit sequence ", *sequence) : std::string());
  }
  known_ = std::move(known);
}

}  // namespace ckpt::state
