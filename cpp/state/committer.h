// The writer of commit records on an object store, where no lock excludes other writers: decides who may commit. docs/reference/file-format.md has
// the rules and why they hold.
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
  // Determines with temporary objects whether the store keeps the first of two objects of one name. An empty sleep really sleeps.
  Committer(std::shared_ptr<storage::Storage> storage, storage::Sleep sleep);

  // Sets the highest sequence that has a record.
  void note_highest(std::int64_t sequence) noexcept { known_ = sequence; }
  // The highest sequence that is known to have a record.
  std::int64_t highest() const noexcept { return known_; }
  // Error(busy) once another writer has committed a checkpoint that this one did not know.
  void refuse_fenced() const;
  // For the next attempt. Makes certain first that an earlier record with an unknown outcome exists.
  std::int64_t next_sequence();
  // Returns when the record is durable and no other writer's can have been acknowledged in its place. Error(busy): another's was,
  // and this writer is fenced.
  void commit(CommitRecord record);
  // Whether the record of an attempt exists or may exist.
  bool may_be_committed(const std::string& attempt) const noexcept { return standing_ == attempt; }

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
  // fate: the outcome of the save that has detected the other writer.
  [[noreturn]] void fence(const std::string& by, const std::string& path, const char* fate = "this save does not count");

  std::shared_ptr<storage::Storage> storage_;
  storage::Sleep sleep_;
  const std::string writer_;
  bool is_exact_ = false;  // records have the name that all writers of a sequence want
  std::int64_t known_ = 0;
  std::optional<Pending> pending_;  // a record that was put with an unknown outcome
  std::string standing_;            // see may_be_committed
  std::atomic<bool> is_fenced_{false};
  std::string fenced_by_;  // before is_fenced_
};

}  // namespace ckpt::state
