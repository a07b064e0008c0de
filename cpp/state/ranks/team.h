// The saves of many ranks, as one rank makes them. On the calling thread the ranks agree what each of them writes (agree); then each
// writes its files and its part, and rank 0 commits when all parts are there (save). In the foreground the ranks meet again for that;
// in the background they see one another's parts in the storage only, for no collective operation runs on another thread.
// docs/format.md has the files and the order in which they are made durable.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "state/committer.h"
#include "state/coordinator.h"
#include "state/file_saver.h"
#include "state/ranks/listing.h"
#include "state/ranks/meeting.h"
#include "state/ranks/part.h"
#include "state/ranks/turns.h"
#include "state/save.h"
#include "state/state.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

// What the ranks agreed on in one save holds for the next one as long as nothing of it changes.
struct Agreement {
  Listing listing;
  std::vector<std::int64_t> own_bytes;  // by rank: what it writes of sharded tensors
};

// One save, agreed on.
struct TeamSave {
  SaveOptions options;
  std::string attempt;  // directory
  std::int64_t commit_sequence = 0;
  State state;                           // what this rank writes: tensors and blocks; all values
  std::map<std::string, std::string> values;  // of those, the ones that are not rank 0's
  std::vector<std::string> absent;       // keys of rank 0 that this rank lacks
  std::shared_ptr<const Agreement> agreement;
  std::shared_ptr<Turns::Turn> turn;
  // Of a rank that found out alone that it cannot save, after the others had gone on: all fail by it.
  std::optional<base::Error> refusal;
};

class Team {
 public:
  // A save as rank 0 begins it: the attempt's directory, which is there, and its sequence.
  struct Attempt {
    std::string directory;
    std::int64_t commit_sequence = 0;
  };

  Team(std::shared_ptr<storage::Storage> storage, std::shared_ptr<Coordinator> coordinator, std::int64_t timeout_ns,
       storage::Sleep sleep);

  bool leads() const noexcept { return coordinator_->rank() == 0; }
  Coordinator& coordinator() const noexcept { return *coordinator_; }
  std::int64_t timeout_ns() const noexcept { return timeout_ns_; }
  Meeting meet() const { return {*coordinator_, timeout_ns_}; }

  // Collective. open_alone: what rank 0 does first. Error(invalid_argument) when the ranks' storages are not one.
  void open(const std::function<void()>& open_alone);

  // Collective. gather: the options and state to save, or what is wrong with them here; begin: for rank 0.
  struct Wanted {
    SaveOptions options;
    State state;
  };
  TeamSave agree(const std::function<Wanted()>& gather, const std::function<Attempt()>& begin);

  // Writes this rank's share and returns when the save is durable, or throws what ended it on all ranks. committer: rank 0's, of an
  // object store. Foreground saves are collective.
  SaveResult save(TeamSave& save, SaveSource& source, Committer* committer, bool is_in_background);
  // A save that was agreed on, but will not be made: the others hear of it by the storage.
  void abandon(const TeamSave& save, const base::Error& error) noexcept;

 private:
  struct Written;

  std::optional<base::Error> compare_replicas(Meeting& meeting, const State& state);
  void share_out(TeamSave& save, const State& whole) const;
  Written write_share(TeamSave& save, SaveSource& source);
  SaveResult save_together(TeamSave& save, SaveSource& source, Committer* committer);
  SaveResult save_apart(TeamSave& save, SaveSource& source, Committer* committer);
  Manifest gather_parts(const TeamSave& save, const std::vector<PartTail>& tails);
  void wait_for_parts(const TeamSave& save, const SaveSource& source) const;
  void wait_for_commit(const TeamSave& save, const SaveSource& source) const;
  bool is_committed(const TeamSave& save) const;
  base::Error lateness(const TeamSave& save) const noexcept;
  SaveResult finish(TeamSave& save, const Written& written, std::int64_t files, std::int64_t bytes);
  void remove_failed() noexcept;

  const std::shared_ptr<storage::Storage> storage_;
  const std::shared_ptr<Coordinator> coordinator_;
  const std::int64_t timeout_ns_;
  const storage::Sleep sleep_;
  const std::shared_ptr<Turns> turns_ = std::make_shared<Turns>();
  std::shared_ptr<const Agreement> agreement_;  // of the calling thread
  // What follows belongs to the save whose turn it is.
  std::optional<Earlier> earlier_;              // what this rank wrote last
  std::vector<std::string> failed_;             // rank 0: attempts that others may still have been writing when they failed
  // Rank 0: where the blocks lie, as long as no rank writes others.
  std::shared_ptr<const Agreement> placed_for_;
  std::vector<Digest> layouts_;                 // by rank
  std::vector<GroupRecord> placed_;
};

}  // namespace ckpt::state
