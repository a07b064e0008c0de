// One collective load. Rank 0 lists checkpoints and proposes one; all ranks try it and continue according to the worst result. The
// other ranks neither list checkpoints nor read manifests, so that the number of these requests does not depend on the number of
// ranks.
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

// A checkpoint that rank 0 proposes, and the newer ones that it skipped.
struct Proposal {
  std::string name;
  std::string manifest;  // its text
  std::vector<Found> skipped;
};

class JointLoad {
 public:
  // late: returns the error to throw instead of a time-out; called from the exception handler of the time-out.
  JointLoad(Collective& collective, std::function<base::Error()> late) : collective_(collective), timeout_error_(std::move(late)) {}

  Collective& collective() const noexcept { return collective_; }
  bool leads() const noexcept { return collective_.leads(); }

  // The following functions are collective. Begins the load: state and options must be the same on all ranks; mine: this rank's
  // error.
  void open(const State& state, const LoadOptions& options, const std::optional<base::Error>& mine);
  // Rank 0 proposes; the others receive the next proposal, or the error with which rank 0 ends the load.
  void propose(const Proposal& proposal);
  Proposal next();
  void end(const base::Error& error);
  // Returns the result of an attempt for all ranks. An error that is not caused by the checkpoint is thrown on all. Otherwise a
  // removal on any rank takes precedence, then a failure, with the problem of its rank. has_begun: set to true if it is true on any
  // rank.
  Outcome agree(Outcome mine, Found& problem, bool& has_begun, const std::optional<base::Error>& error);
  // Ends the load: an error of any rank is thrown on all.
  void close(const std::optional<base::Error>& mine);

  // Returns true while the ranks exchange messages, and after an exchange that ended the load: all ranks then have the error or are
  // unreachable.
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
      if (error.status() == base::Status::timeout) throw timeout_error_();
      throw;
    }
    is_in_collective_ = false;
  }

 private:
  Collective& collective_;
  const std::function<base::Error()> timeout_error_;
  bool is_in_collective_ = false;
};

}  // namespace ckpt::state
