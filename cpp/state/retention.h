// Determines which checkpoints stay when a newer one is durable, and removes the others. A checkpoint stays if any rule keeps it,
// if it is pinned, or if it is the newest that is not known to be bad.
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

// What rules choose from.
struct Survey {
  // Complete and not known to be bad, in the order in which a load tries them: abandoned ones last, so that rules choose from the
  // line first.
  std::vector<const Found*> good;
  AgeTime now = {};
};

// Adds the names of those that it keeps.
using KeepRule = std::function<void(const Survey& survey, std::set<std::string>& kept)>;

KeepRule keep_last(std::int64_t count);
KeepRule keep_every(std::int64_t steps);                        // of equal steps the one committed last
KeepRule keep_best(std::int64_t count, bool larger_is_better);  // of equal metrics the newest; those without one never
KeepRule keep_newer(std::int64_t seconds);                      // also those whose time is not known

// "last:3, every:100, best:2:min, newer:24h". larger_is_better: for "best:2" alone. Error(invalid_argument) names the rule.
std::vector<KeepRule> parse_keep_rules(std::string_view text, bool larger_is_better);

struct Retention {
  std::vector<KeepRule> rules;
  std::function<bool(const Found& found)> keep;  // asked about each that no rule keeps; may be empty

  bool keeps_all() const { return rules.empty() && !keep; }
};

// Returns those that do not stay: complete ones, and known bad ones that are older than all that rules keep. Checkpoints with an
// invalid manifest stay. all: the result of Protocol::list. saved: counts as good and stays; "": none. Exceptions of keep
// propagate.
std::vector<Found> superseded(Protocol& protocol, const Retention& retention, const std::vector<Found>& all,
                              const std::string& saved, const AgeTime& now);

// Returns the abandoned ones of all, except those that are pinned or have a manifest that does not parse.
std::vector<Found> abandoned_ones(Protocol& protocol, const std::vector<Found>& all);

// Removes the abandoned ones first, and those on the line only if no removal of an abandoned one has failed: neither a crash nor a
// failure can leave abandoned ones without the checkpoints that the line resumed from. remove: returns false when something stayed.
// Returns false when remove did.
bool remove_in_order(std::vector<Found> found, const std::function<bool(const Found& found)>& remove);

// After an acknowledged save: removes those that do not stay, and unfinished ones of the saved step or a lower one. The checkpoint
// that was just acknowledged stays. Errors are logged.
void retain(Protocol& protocol, const Retention& retention, const std::string& saved, std::int64_t saved_step,
            const AgeTime& now) noexcept;

}  // namespace ckpt::state
