// Writes commit records on an object store, and decides which of several writers commits.
//
// No lock excludes other writers. Each save takes the sequence after the highest known one and puts its record with a condition
// that the name is free. A listing after the put detects a higher sequence; then this writer withdraws its record and is fenced: it
// saves and removes nothing any more. Stores without conditional puts get one name per attempt, and the first name of a sequence
// wins. The put alone would not suffice: retention of another writer can have removed the record that would have refused it.
// docs/reference/file-format.md contains the rules and the proof that two saves of one sequence are never both acknowledged.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "state/commit_record.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

// One call at a time, except refuse_fenced.
class Committer {
 public:
  // Determines with temporary objects whether the store refuses a second object of the same name. Empty sleep: really sleeps.
  Committer(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep);

  // Sets the highest sequence that has a record.
  void note_highest(std::int64_t sequence) noexcept { known_ = sequence; }
  // Returns the highest sequence that is known to have a record.
  std::int64_t highest() const noexcept { return known_; }
  // Error(busy) after another writer has committed a checkpoint that this one has not seen.
  void refuse_fenced() const;
  // Returns the sequence of the next attempt. First ensures that an earlier record with an unknown outcome exists.
  std::int64_t next_sequence();
  // Returns when the record is durable and no other writer's record of this sequence can have been acknowledged. Error(busy):
  // another writer's was, and this writer is fenced.
  void commit(CommitRecord record);
  // Returns whether the record of an attempt exists or may exist.
  bool may_be_committed(const std::string& attempt) const noexcept { return uncertain_attempt_ == attempt; }

 private:
  struct Pending {
    std::string path;
    std::string text;
    CommitRecord record;
  };

  bool supports_conditional_put();
  void put(const Pending& pending);
  void confirm(const Pending& pending);
  void refuse_overtaken(const Pending& pending);
  [[noreturn]] void withdraw_and_fence(const Pending& pending, const std::string& winner);
  void withdraw(const Pending& pending);
  // outcome: ends the message; it states whether the save that detected the other writer is committed.
  [[noreturn]] void fence(const std::string& by, const std::string& path, const char* outcome = "this save is not committed");

  std::shared_ptr<storage::Storage> storage_;
  storage::Sleep sleep_;
  const std::string writer_;
  bool has_conditional_put_ = false;  // the store supports conditional puts: all writers of a sequence use one name
  std::int64_t known_ = 0;
  std::optional<Pending> pending_;  // a record that was put with an unknown outcome
  std::string uncertain_attempt_;   // see may_be_committed
  std::atomic<bool> is_fenced_{false};
  std::string fenced_by_;  // written before is_fenced_
};

}  // namespace ckpt::state
