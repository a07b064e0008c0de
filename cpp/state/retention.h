// Retention: determines which checkpoints are kept when a newer one is durable, and removes the others.
//
// A checkpoint is kept if a rule selects it, if it is pinned, or if it is the newest that is not known to be bad. The problem is to
// never remove the last usable checkpoint: rules choose only from good checkpoints, first from those of the current line. A bad
// checkpoint is removed only when it is older than all kept ones. Removal starts after the new save is durable, and only if a new
// listing shows it. Abandoned checkpoints are removed before those of the line. "Keep the N highest steps" would be simpler, but
// after a rollback it would remove the new run's checkpoints in favour of abandoned ones.
#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "state/clock_step.h"
#include "state/found.h"
#include "state/protocol.h"

namespace ckpt::state {

// The checkpoints from which rules choose.
struct Survey {
  // Complete and not known to be bad, in the order in which a load tries them: abandoned ones last, so that rules prefer the line.
  std::vector<const Found*> good;
  AgeTime now = {};
};

// Adds the names of the checkpoints to keep.
using KeepRule = std::function<void(const Survey& survey, std::set<std::string>& kept)>;

KeepRule keep_last(std::int64_t count);
KeepRule keep_every(std::int64_t steps);                        // for equal steps the one committed last
KeepRule keep_best(std::int64_t count, bool larger_is_better);  // for equal metrics the newest; never those without a metric
KeepRule keep_newer(std::int64_t seconds);                      // also those with an unknown time

// Parses "last:3, every:100, best:2:min, newer:24h". larger_is_better: for "best:2" without an order. Error(invalid_argument) names
// the rule.
std::vector<KeepRule> parse_keep_rules(std::string_view text, bool larger_is_better);

struct Retention {
  std::vector<KeepRule> rules;
  std::function<bool(const Found& found)> keep;  // called for each that no rule keeps; may be empty

  bool keeps_all() const { return rules.empty() && !keep; }
};

// Returns the checkpoints to remove: complete ones, and known bad ones that are older than all that rules keep. Checkpoints with an
// invalid manifest are kept. all: the result of Protocol::list. saved: counts as good and is kept; "": none. Exceptions of keep
// propagate.
std::vector<Found> superseded(Protocol& protocol, const Retention& retention, const std::vector<Found>& all,
                              const std::string& saved, const AgeTime& now);

// Returns the abandoned ones in all, except pinned ones, those with an invalid manifest, and the first in all that is valid: when
// nothing on the line is, this is the only one that a load can still read. is_valid: verifies the checkpoint's files.
std::vector<Found> abandoned_ones(Protocol& protocol, const std::vector<Found>& all,
                                  const std::function<bool(const Found& found)>& is_valid);

// Removes the abandoned ones first, and those on the line only if the removal of all abandoned ones succeeded: otherwise a crash or
// failure could leave abandoned ones without the checkpoints that the line resumed from. remove: returns false if files remain.
// Returns false if remove did.
bool remove_in_order(std::vector<Found> found, const std::function<bool(const Found& found)>& remove);

// After an acknowledged save: removes superseded checkpoints, and unfinished attempts of the saved step or a lower one. Keeps the
// checkpoint just acknowledged. Logs errors.
void retain(Protocol& protocol, const Retention& retention, const std::string& saved, std::int64_t saved_step,
            const AgeTime& now) noexcept;

}  // namespace ckpt::state
