// Manages the durable checkpoints of one storage: saves, loads, lists, verifies, removes. Synchronized: saves and removals exclude
// one another; other calls do not wait. A call from a callback of another call (of a storage, of a stateful object, ...) fails with
// Error(invalid_state). Log messages are delivered at the end of the call.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/entered.h"
#include "state/coordinator.h"
#include "state/lineage.h"
#include "state/manager/load.h"
#include "state/manager/reader.h"
#include "state/protocol.h"
#include "state/ranks/joint_load.h"
#include "state/ranks/rank_group.h"
#include "state/retention.h"
#include "state/save_options.h"
#include "state/save_source.h"
#include "state/state.h"
#include "storage/retry.h"
#include "storage/storage.h"

namespace ckpt::state {

struct CheckpointOptions {
  bool read_only = false;
  std::int64_t keep_last = 0;   // 0 keeps all
  std::int64_t keep_every = 0;  // like the rules "every" and "best"; they require keep_last >= 1
  std::int64_t keep_best = 0;
  bool larger_is_better = false;
  std::shared_ptr<Coordinator> coordinator = {};              // nullptr: a single process
  std::shared_ptr<storage::FaultHandler> fault_handler = {};  // nullptr: storage errors are not retried
  std::string keep_rules = {};                                // see parse_keep_rules; "": only those above
  std::function<bool(const Found& found)> keep = {};          // see Retention
  std::function<std::int64_t()> utc_ns = {};                  // current time; empty: the system's clock
  std::function<std::string()> blas = {};                     // returns the loaded BLAS, "" if none is loaded; empty: not known
  // Called with a description of the loaded checkpoint and its BLAS if this process has not loaded a BLAS to compare.
  std::function<void(const std::string& what, const std::string& blas)> expect_blas = {};
  storage::Sleep sleep = {};                      // between polls of an object store; empty: really sleeps
  std::int64_t timeout_ns = 0;                    // time-out of collective calls; 0: ten minutes
  std::function<std::int64_t()> elapsed_ns = {};  // a monotonic clock; empty: utc_ns, or if that is empty the time since boot
};

// The arguments of a save or a load. They are read inside the call, so that all ranks throw an error in one rank's arguments. A
// single process throws it unchanged.
struct SaveArguments {
  const State* state = nullptr;
  SaveOptions options;
};
using ReadSave = std::function<SaveArguments()>;
struct LoadArguments {
  State* state = nullptr;
  LoadOptions options;
};
using ReadLoad = std::function<LoadArguments()>;

class Checkpoint {
 public:
  // Unless read-only, opens the storage as its writer until destruction: see Protocol::open. With several ranks, rank 0 does that,
  // and the constructor is collective. refused: an error in arguments that are not passed here; all ranks throw it.
  Checkpoint(std::shared_ptr<storage::Storage> storage, const CheckpointOptions& options,
             const std::optional<base::Error>& refused = {});

  SaveResult save(const ReadSave& read);
  SaveResult save(const State& state, const SaveOptions& given) {
    return save([&] { return SaveArguments{&state, given}; });
  }
  // A save in two steps. checked returns the options as they will be used, or throws the error of the options or of this manager.
  // Then save_gathered saves a state without stateful objects and sharded tensors, with the bytes from source.
  SaveOptions checked(const SaveOptions& given) const;
  // The same for a load.
  static LoadOptions checked(const LoadOptions& given);
  // Between these two steps, in a single process: accept assigns the save to a generation, for SaveOptions::accepted, and logs a
  // warning if the save begins one. It reads the line if this is not known, and may fail; look_at_line does so in advance.
  void look_at_line(std::int64_t step);
  std::shared_ptr<AcceptedSave> accept(std::int64_t step);
  SaveResult save_gathered(const State& state, const SaveOptions& checked_options, SaveSource& source);
  // With several ranks: agree is collective and prepares the save; save_agreed then saves this rank's share. lead: runs on rank 0
  // if no rank has rejected the save, before it is accepted.
  bool is_of_many() const noexcept { return group_ != nullptr; }
  GroupSave agree(const ReadSave& read, const std::function<void()>& lead = {});
  GroupSave agree(const State& state, const SaveOptions& given) {
    return agree([&] { return SaveArguments{&state, given}; });
  }
  SaveResult save_agreed(GroupSave& save, SaveSource& source, bool is_in_background);
  void abandon(const GroupSave& save, const base::Error& error) const noexcept { group_->abandon(save, error); }
  std::int64_t timeout_ns() const noexcept;
  // Collective with several ranks.
  LoadResult load(const ReadLoad& read);
  LoadResult load(State& state, const LoadOptions& given) {
    return load([&] { return LoadArguments{&state, given}; });
  }
  // Loads into a state that is lent by loan. chosen, with several ranks: the checkpoint they have agreed on, which each rank loads
  // alone.
  LoadResult load(State& state, const LoadOptions& given, const StateLoan* loan, const Proposal* chosen = nullptr);
  // Collective, with several ranks: chooses the checkpoint that all of them will load into the states that read returns.
  Proposal choose(const ReadLoad& read);
  VerifyResult verify(const std::string& name);
  Reader open_reader(const std::string& name, Verify verify);
  // Error(invalid_state) inside a callback of one of this object's calls.
  void refuse_inside() const { base::Entered::refuse(this, "checkpoint"); }
  // Returns the checkpoints in the order in which a load tries them.
  std::vector<Found> list();
  // Returns the newest complete one; Error(not_found) if there is none.
  Found latest();
  Found best();  // among those with a metric; for equal ones the newest
  Found of_step(std::int64_t step);
  // Durable on return; Error(not_found), Error(invalid_state) for a pinned one.
  void remove(const std::string& name);
  // Durable on return. pin protects the newest complete checkpoint of the step from removal; unpin unprotects all of the step.
  // Error(not_found).
  void pin(std::int64_t step);
  void unpin(std::int64_t step);
  // Removes the checkpoints that rules ("": those of this object) do not keep, and returns them. Only returns them if dry_run is
  // true or their number exceeds room. Does not require a save: the one committed last is kept, as after a save.
  std::vector<Found> prune(const std::string& rules, bool dry_run, std::int64_t room);
  // The same for all abandoned checkpoints that are not pinned, even if rules keep them.
  std::vector<Found> prune_abandoned(bool dry_run, std::int64_t room);
  // Returns the text of a checkpoint's manifest after verification.
  std::string manifest(const std::string& name);
  // Returns the JSON values that a rank saved, as an object. Error(out_of_range) if the checkpoint has no such rank.
  std::string rank_values(const std::string& name, std::int64_t rank);
  // The caller's storage; this object accesses it through the fault handler.
  const std::shared_ptr<storage::Storage>& storage() const noexcept { return given_storage_; }
  const std::shared_ptr<storage::FaultHandler>& fault_handler() const noexcept { return options_.fault_handler; }
  const std::shared_ptr<Coordinator>& coordinator() const noexcept { return options_.coordinator; }

 private:
  struct Call;

  std::vector<Found> list(const Wanted& wanted);
  std::vector<Found> complete_ones(const Wanted& wanted = {});
  std::int64_t utc_ns() const;
  std::int64_t elapsed_ns() const;
  AgeTime age_time(std::int64_t from_utc_ns);
  void note_removal(const std::string& name, const std::vector<Found>& all);
  // Error(invalid_state) if read-only; Error(forked) in a forked child, since the lock is the parent's; Error(busy) if another
  // writer of an object store has fenced this one.
  void require_writer() const;
  void require_own() const;  // the same without Error(busy)
  LoadOptions load_options(const State& state, const LoadOptions& given) const;
  LoadResult load_of_many(const ReadLoad& read);
  void take_over(State& state, State&& loaded, const LoadResult& result);
  using Choose = std::function<std::vector<Found>(const std::vector<Found>& all)>;
  std::vector<Found> remove_chosen(bool dry_run, std::int64_t room, const Choose& choose);
  SaveResult save_locked(const State& state, const SaveOptions& options, SaveSource& source);
  std::shared_ptr<AcceptedSave> assign(std::int64_t step);
  void open(const std::optional<base::Error>& refused);
  void open_alone();
  // Error(invalid_state) unless this rank may change checkpoints.
  void require_leader() const;
  // After an acknowledged save, on the rank that commits: removes superseded checkpoints and leftovers.
  void clean_up(const SaveResult& result, std::int64_t utc_ns) noexcept;

  std::shared_ptr<storage::Storage> given_storage_;
  CheckpointOptions options_;
  std::shared_ptr<storage::Storage> storage_;
  Retention retention_;
  ClockWatch clock_;
  std::uint64_t fork_generation_;
  std::mutex saving_;  // not held by a forked child, which saves nothing
  std::unique_ptr<Protocol> protocol_;
  const std::shared_ptr<Lineage> lineage_ = std::make_shared<Lineage>();  // with many ranks, rank 0's decides
  std::unique_ptr<RankGroup> group_;                                      // with several ranks
  std::string latest_;  // the checkpoint committed last, from which unchanged files may be linked; "" if not known
};

}  // namespace ckpt::state
