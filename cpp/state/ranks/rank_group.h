// Saves of a group of ranks, from the point of view of one of them.
//
// Problem: every rank has a share of the tensors, some replicated, and all ranks or none must commit. Ranks can fail or hang at any
// point, and collectives can only run on the calling thread, so a background save cannot use them.
// Scheme: on the calling thread the ranks agree which of them writes which blocks (agree). Then each rank writes its files and a
// part that lists them, and rank 0 commits the manifest when all parts exist (save). In the foreground that is a second collective
// call. In the background the ranks poll the storage for the parts of the others, for failure files, and for the commit. The
// presence of a part is thus the vote of a two-phase commit, and the manifest is the decision. Gathering the tensors on rank 0 is
// not used, since it would be limited by the memory and bandwidth of one rank. docs/reference/file-format.md specifies the files
// and the order in which they become durable.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/clock.h"
#include "state/coordinator.h"
#include "state/file_saver.h"
#include "state/protocol.h"
#include "state/ranks/agreement.h"
#include "state/ranks/arrivals.h"
#include "state/ranks/collective.h"
#include "state/ranks/part.h"
#include "state/ranks/save_order.h"
#include "state/save_options.h"
#include "state/save_source.h"
#include "state/state.h"
#include "storage/rate_limit.h"
#include "storage/storage.h"

namespace ckpt::state {

// One save that the ranks have agreed on.
struct GroupSave {
  SaveOptions options;                        // accepted: set on rank 0
  std::string attempt;                        // directory
  std::int64_t generation = 0;                // decided by rank 0
  bool rolled_back = false;                   // the generation begins with this save
  std::shared_ptr<const State> state;         // this rank's tensors and blocks to write; all its values
  std::map<std::string, std::string> values;  // values that differ from rank 0's
  std::vector<std::string> absent;            // keys of rank 0 that this rank lacks
  std::shared_ptr<const Agreement> agreement;
  std::shared_ptr<SaveOrder::Place> place;
  // The error of a rank that cannot save, detected after the agreement. All ranks then fail with it.
  std::optional<base::Error> refusal;
};

class RankGroup {
 public:
  struct Wanted {
    SaveOptions options;
    State state;
  };
  // Runs on rank 0 if no rank has rejected the save; sets Wanted::options.accepted.
  using Lead = std::function<void(Wanted& wanted)>;
  // For rank 0: commits the attempt with the next sequence, which it sets in the manifest.
  using Commit = std::function<void(Manifest& manifest)>;

  // sleep: empty: really sleeps.
  RankGroup(Protocol& protocol, std::shared_ptr<Coordinator> coordinator, bool read_only, std::int64_t timeout_ns,
            storage::Sleep sleep);

  bool leads() const noexcept { return coordinator_->rank() == 0; }
  std::int64_t rank() const noexcept { return coordinator_->rank(); }
  std::int64_t ranks() const noexcept { return coordinator_->world_size(); }
  std::int64_t timeout_ns() const noexcept { return timeout_ns_; }
  // Begins a collective call. Error(invalid_state) inside a log callback. Its time-out is shorter than timeout_ns: see
  // timeout_error.
  Collective begin_collective();
  // Returns the error to throw instead of the current time-out. It names the ranks that did not arrive at the call, if they are
  // known. Takes at most the rest of timeout_ns. outcome: "" for the message of the time-out.
  base::Error timeout_error(std::string_view call, std::string_view outcome);

  // Collective. open_alone: runs on rank 0 of writers when all ranks have arrived. Error(invalid_argument) if read_only differs
  // between ranks, or if the writers do not share one storage.
  void open(const std::function<void()>& open_alone);

  // Collective. gather: returns the options and state to save, or throws this rank's error, which all ranks then throw. lead: see
  // Lead.
  GroupSave agree(const std::function<Wanted()>& gather, const Lead& lead);

  // Writes this rank's share and returns when the save is durable, or throws the error that ended it on all ranks. Collective in
  // the foreground.
  SaveResult save(GroupSave& save, SaveSource& source, bool is_in_background, const Commit& commit);
  // Gives up an agreed save on this rank: writes a failure file for the other ranks. Any thread.
  void abandon(const GroupSave& save, const base::Error& error) noexcept;

 private:
  // The share of this rank in a save.
  struct Share {
    std::vector<GroupRecord> groups;
    PartTail tail;
    std::int64_t linked = 0;
    std::int64_t rewritten = 0;
  };

  // On rank 0: returns the agreement of an earlier save if it is valid for this one; nullptr if the ranks must agree again.
  const Agreement* still_agreed(const Listing& listing, const SaveOptions& options);
  std::string open_save(GroupSave& save, Wanted& wanted, const Listing& listing, const std::vector<Reply>& replies,
                        const Lead& lead);
  Share write_share(GroupSave& save, SaveSource& source, FileSaver& files);
  SaveResult save_in_foreground(GroupSave& save, SaveSource& source, const Commit& commit);
  SaveResult save_in_background(GroupSave& save, SaveSource& source, const Commit& commit);
  Manifest gather_parts(const GroupSave& save, const std::vector<PartTail>& tails);
  // Call after the commit of a manifest of gather_parts.
  void cache_placement(const GroupSave& save, Manifest& manifest);

  class Deadline {
   public:
    explicit Deadline(std::int64_t timeout_ns) : timeout_ns_(timeout_ns) {}
    bool is_over() const { return base::monotonic_ns() - begin_ns_ >= timeout_ns_; }

   private:
    std::int64_t begin_ns_ = base::monotonic_ns();
    std::int64_t timeout_ns_;
  };
  void wait_for_parts(const GroupSave& save, const SaveSource& source) const;
  std::int64_t wait_for_commit(const GroupSave& save, const SaveSource& source) const;
  // The part of timeout_ns for a collective call; the rest is used to determine the missing ranks.
  std::int64_t collective_timeout_ns() const noexcept { return timeout_ns_ - timeout_ns_ / 5; }
  std::string ranks_without_part(const GroupSave& save) const;
  base::Error save_timeout_error(const GroupSave& save, const std::string& missing) const;
  SaveResult finish(GroupSave& save, Share&& share, std::int64_t commit_sequence, std::int64_t files, std::int64_t bytes);
  std::vector<std::string> take_failed();
  void pause(std::int64_t& pause_ns, const std::string& attempt) const;

  Protocol& protocol_;
  storage::Storage& storage_;
  const std::shared_ptr<Coordinator> coordinator_;
  const bool read_only_;
  const std::int64_t timeout_ns_;
  const storage::Sleep sleep_;
  Arrivals arrivals_;
  const std::shared_ptr<SaveOrder> order_ = std::make_shared<SaveOrder>();
  std::shared_ptr<const Agreement> agreement_;  // used by the calling threads
  std::atomic<bool> must_agree_again_ = false;  // rank 0: another rank may lack the agreement
  // The members below belong to the save that is first in order_.
  std::optional<Earlier> earlier_;  // the last save of this rank
  // Rank 0: placement of the blocks, reused while no rank writes different ones.
  std::shared_ptr<const Agreement> placement_agreement_;
  std::vector<Digest> layouts_;  // by rank
  std::vector<GroupRecord> cached_groups_;
  std::mutex failing_;
  std::vector<std::string> failed_;  // rank 0: failed attempts to which other ranks may still be writing
};

}  // namespace ckpt::state
