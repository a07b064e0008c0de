#include "state/clock_step.h"

#include <algorithm>
#include <mutex>

namespace ckpt::state {

ClockStep ClockWatch::look(std::int64_t utc_ns, std::int64_t elapsed_ns) {
  const std::lock_guard lock(mutex_);
  const std::int64_t lead = (utc_ns - begin_utc_ns_) - (elapsed_ns - begin_elapsed_ns_);
  if (lead <= clock_tolerance_ns) {
    step_ = {};  // also when the clock was set back
  } else if (lead > step_.by_ns + clock_tolerance_ns) {
    // Times recorded before the step lie at least lead before now; those recorded after it lie close to now. Times between two
    // steps count as before both. Their ages are then too low, so these checkpoints are kept.
    step_ = {utc_ns - lead / 2, lead};
  } else {
    step_.by_ns = std::min(step_.by_ns, lead);
  }
  return step_;
}

}  // namespace ckpt::state
