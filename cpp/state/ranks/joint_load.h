// One collective load. Rank 0 lists checkpoints and proposes one; all ranks try it and continue according to the worst outcome. The
// other ranks neither list nor read manifests.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "state/checkpoint_files.h"
#include "state/load_options.h"
#include "state/ranks/collective.h"
#include "state/state.h"

namespace ckpt::state {

// A checkpoint that rank 0 has found, and the newer ones that it had to pass over.
struct Proposal {
  std::string name;
  std::string manifest;  // its text
  std::vector<Found> skipped;
};

class JointLoad {
 public:
  // late: returns the error to throw instead of a time-out; called while the time-out is handled.
  JointLoad(Collective& collective, std::function<base::Error()> late) : collective_(collective), late_(std::move(late)) {}

  Collective& collective() const noexcept { return collective_; }
  bool leads() const noexcept { return collective_.leads(); }

  // Each of these is collective. The first one: state and options must be the same on all ranks; mine: the error of this rank's.
  void open(const State& state, const LoadOptions& options, const std::optional<base::Error>& mine);
  // Rank 0 proposes; the others take the next proposal, or get the error by which rank 0 ends the load.
  void propose(const Proposal& proposal);
  Proposal next();
  void end(const base::Error& error);
  // Returns the outcome of an attempt for all ranks. An error that no checkpoint has caused is thrown on all. Otherwise a removal
  // on any rank comes first, then a failure, with the problem of its rank. has_begun: becomes true if it is true on any rank.
  Outcome agree(Outcome mine, Found& problem, bool& has_begun, const std::optional<base::Error>& error);
  // Ends the load: an error of any rank is thrown on all.
  void close(const std::optional<base::Error>& mine);

  // True while the ranks exchange messages, and after an exchange that ended the load: then all have the error or are unreachable.
  bool is_in_collective() const noexcept { return is_in_collective_; }
  // Runs body, which exchanges messages.
  template <class Body>
  void run_collective(Body&& body) {
    is_in_collective_ = true;
    collective_.renew();
    try {
      body();
    } catch (const RankError&) {
      throw;
    } catch (const base::Error& error) {
      if (error.status() == base::Status::timeout) throw late_();
      throw;
    }
    is_in_collective_ = false;
  }

 private:
  Collective& collective_;
  const std::function<base::Error()> late_;
  bool is_in_collective_ = false;
};

}  // namespace ckpt::state
