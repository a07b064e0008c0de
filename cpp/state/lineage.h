// Assigns each save of one manager to a generation, and begins new ones. A save is assigned when it is accepted, not when it
// commits, since background saves may commit in another order. Synchronized.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/os/thread.h"
#include "state/found.h"
#include "state/line.h"

namespace ckpt::state {

class Lineage;

// A line that saves join. The first of them that starts to commit sets its first sequence.
struct Generation {
  Line line;
  std::shared_ptr<const Generation> base;  // the current one when this one began
};

// One accepted save. It counts as queued until it is committed or this object is destroyed.
class AcceptedSave {
 public:
  AcceptedSave(std::shared_ptr<Lineage> lineage, std::int64_t step, std::shared_ptr<Generation> generation, bool rolled_back,
               std::int64_t epoch)
      : lineage_(std::move(lineage)), step_(step), generation_(std::move(generation)), rolled_back_(rolled_back), epoch_(epoch) {}
  ~AcceptedSave();
  AcceptedSave(const AcceptedSave&) = delete;
  AcceptedSave& operator=(const AcceptedSave&) = delete;

  std::int64_t generation() const noexcept { return generation_->line.generation; }
  // Returns whether the generation begins with this save.
  bool rolled_back() const noexcept { return rolled_back_; }
  LineMark mark() const { return mark_of(generation_->line); }
  // Returns the line for its manifest; nullptr: none is recorded, since the storage has had no rollback. Call it with the sequence
  // of the commit, before the next save gets a sequence.
  std::shared_ptr<const Line> line_at(std::int64_t commit_sequence);
  void note_committed(const std::string& name, std::int64_t commit_sequence);
  // Returns the message for the log; "" unless the save begins a generation.
  std::string warning() const;

 private:
  friend class Lineage;

  const std::shared_ptr<Lineage> lineage_;
  const std::int64_t step_;
  const std::shared_ptr<Generation> generation_;
  const bool rolled_back_;
  const std::int64_t epoch_;
  std::int64_t newest_step_ = 0;  // when it was accepted
  bool is_above_all_ = false;     // accepted while the newest of the line was not known
  bool has_tried_ = false;        // a commit was attempted
  bool is_committed_ = false;
};

class Lineage : public std::enable_shared_from_this<Lineage> {
 public:
  // Returns whether the newest checkpoint of the line is known. False until note_found, after its removal, and after a failed save
  // that may have been committed.
  bool is_known() const;
  // Returns whether a save may have been committed since the manager was created.
  bool has_tried() const;
  // Returns how often the newest became unknown.
  std::int64_t unknown_count() const;
  // all: the result of a scan, at least up to the newest of the line. unknown_count: its value before the scan; if it has changed,
  // the newest remains unknown.
  void note_found(const std::vector<Found>& all, std::int64_t unknown_count);
  void note_removed(const std::string& name);
  // Records a load that has filled a state. line: from the checkpoint.
  void note_load(const LineParent& loaded, std::shared_ptr<const Line> line);
  // is_above_all: step exceeds those of all checkpoints that existed when the manager was created. Returns nullptr if the newest is
  // not known and is_above_all is false; the storage must then be read.
  std::shared_ptr<AcceptedSave> accept(std::int64_t step, bool is_above_all = false);

 private:
  friend class AcceptedSave;

  struct Newest {
    std::string name;
    std::int64_t step = 0;
    std::int64_t commit_sequence = -1;
    std::shared_ptr<Generation> generation;
  };

  void mark_newest_unknown();
  std::shared_ptr<Generation> current() const;
  std::optional<std::int64_t> newest_queued(std::int64_t generation) const;

  const std::uint64_t fork_generation_ = base::fork_generation();
  mutable std::mutex mutex_;  // not locked by a forked child, which saves nothing
  bool is_known_ = false;
  bool has_tried_ = false;
  std::int64_t unknown_count_ = 0;
  std::optional<Newest> newest_;          // newest committed checkpoint of the line
  std::vector<AcceptedSave*> queued_;     // neither committed nor destroyed
  std::int64_t next_generation_ = 1;      // never reused: a failed save may reappear after a crash
  std::int64_t epoch_ = 0;                // incremented by each load
  std::int64_t accepted_since_load_ = 0;  // of these, those queued or committed
  std::optional<LineParent> loaded_;
  std::shared_ptr<const Line> line_of_loaded_;
  const std::shared_ptr<Generation> first_ = std::make_shared<Generation>();  // generation 0
};

}  // namespace ckpt::state
