// The writer's side of commit records on an object store, where no lock keeps others out: who may commit, what was committed, and
// what of older attempts may go. docs/format.md has the rules and why they hold.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "state/commit_record.h"
#include "state/object_catalog.h"
#include "state/retention.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

class Leftovers;

// One call at a time, but for refuse_fenced.
class Committer {
 public:
  // Finds out by files of its own whether the store keeps the first of two files of one name. tidies: retain will be called. An
  // empty sleep really sleeps.
  Committer(std::shared_ptr<storage::Storage> storage, bool tidies, storage::Sleep sleep);

  // Error(busy) once another writer has committed what this one did not know of.
  void refuse_fenced() const;
  // For the next attempt. Makes sure first that the record of an earlier one, whose end is not known, is there.
  std::int64_t next_sequence();
  // Returns when the record is durable and no other writer's can have been acknowledged in its place. Error(busy): another's was,
  // and this writer is fenced.
  void commit(CommitRecord record);
  // Removes what a save that failed has written, unless its record may be there. False when something stayed.
  bool discard(const std::string& directory) noexcept;
  // Removes an attempt unless its record can be read, since a listing may be late, and what is read is not. False when something
  // stayed. For an attempt that no other writer can commit any more.
  bool remove_uncommitted(const std::string& directory);
  // After an acknowledged save: removes checkpoints that do not stay, and what no living writer can commit any more. leftovers:
  // gets what could not be removed.
  void retain(const Retention& retention, const std::string& saved, std::int64_t saved_step, const AgeTime& now,
              Leftovers& leftovers) noexcept;

  // Returns whether step exceeds those of all attempts, committed or not, that existed when this object was constructed. False if
  // they are not known, or if one belongs to generation 1 or higher.
  bool is_above_all(std::int64_t step) const noexcept { return highest_step_ && step > *highest_step_; }
  // Whether records have the name that all writers of a sequence want.
  bool is_exact() const noexcept { return is_exact_; }

 private:
  struct Pending {
    std::string path;
    std::string text;
    CommitRecord record;
  };

  bool keeps_first();
  void put(const Pending& pending);
  void confirm(const Pending& pending);
  void refuse_overtaken(const Pending& pending);
  [[noreturn]] void give_way(const Pending& pending, const std::string& winner);
  void withdraw(const Pending& pending);
  // fate: what becomes of the save that has found out.
  [[noreturn]] void fence(const std::string& by, const std::string& path, const char* fate = "this save does not count");
  void tidy(const StoreListing& listing, const std::vector<Found>& all, std::int64_t saved_step, Leftovers& leftovers);
  void note_seen(const StoreListing& listing);

  std::shared_ptr<storage::Storage> storage_;
  storage::Sleep sleep_;
  const std::string writer_;
  bool is_exact_ = false;
  std::int64_t known_ = 0;          // the highest sequence that is known to have a record
  std::optional<Pending> pending_;  // a record that was put, and it is not known whether it is there
  std::string standing_;            // the attempt whose record is there or may be
  std::set<std::string> seen_;      // attempts, records and probes that were listed before the save that runs now
  ExaminedBefore before_;
  std::string doubt_;                         // why retention removed no unfinished save last time; warned of once
  std::optional<std::int64_t> highest_step_;  // see is_above_all; -1: there was none
  std::atomic<bool> is_fenced_{false};
  std::string fenced_by_;  // before is_fenced_
};

}  // namespace ckpt::state
