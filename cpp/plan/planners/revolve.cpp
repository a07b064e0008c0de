#include "plan/planners/revolve.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {
namespace {

__extension__ using Wide = unsigned __int128;

// Returns a b / c, where the product may exceed 64 bits but the quotient does not.
std::int64_t scaled(std::int64_t a, std::int64_t b, std::int64_t c) {
  std::int64_t product = 0;
  if (!__builtin_mul_overflow(a, b, &product)) return product / c;
  return static_cast<std::int64_t>(static_cast<Wide>(a) * static_cast<Wide>(b) / static_cast<Wide>(c));
}

std::int64_t require_63_bits(Wide value, const char* what, std::int64_t steps, std::int64_t slots) {
  if (value > static_cast<Wide>(std::numeric_limits<std::int64_t>::max())) {
    base::fail(base::Status::out_of_range, what, " of ", steps, " layers with ", slots, slots == 1 ? " slot" : " slots",
               " exceeds INT64_MAX");
  }
  return static_cast<std::int64_t>(value);
}

// The steps of a reach split into two parts: those before a new state, which again have all slots, and those after it.
struct Parts {
  std::int64_t before = 0;
  Reach before_reach;
  Reach after_reach;
};

// Both parts need the fewest possible repeats: see the conditions (12) of the paper, of which the largest choice is taken.
// beta(s, r) = beta(s, r-1) + beta(s-1, r) gives both reaches without a search.
Parts parts_of(const Reach& reach, std::int64_t steps) {
  const auto [slots, repeats, longest] = reach;
  const std::int64_t fewer_repeats = scaled(longest, repeats, slots + repeats);       // beta(s, r-1)
  const std::int64_t fewer_both = scaled(fewer_repeats, slots, slots + repeats - 1);  // beta(s-1, r-1)
  const std::int64_t before = std::min(fewer_repeats, steps - fewer_both);
  const Reach after_reach =
      steps - before == fewer_both ? Reach{slots - 1, repeats - 1, fewer_both} : Reach{slots - 1, repeats, longest - fewer_repeats};
  return {before, {slots, repeats - 1, fewer_repeats}, after_reach};
}

// A position is {states held, steps not yet reversed, 0, 0}.
class RevolveStream final : public ActionStream {
 public:
  RevolveStream(const ChainSteps& steps, std::int64_t slots) : reversal_(steps) { reversal_.begin(0, steps.count(), slots); }

  Position position() const override { return {reversal_.depth(), reversal_.end(), 0, 0}; }

  void next(ActionGroup& group) override {
    if (reversal_.done()) {
      group.add(end());
    } else {
      reversal_.next(group);
    }
  }

  bool seek(const Position& at) override { return at[2] == 0 && at[3] == 0 && reversal_.seek(at[1], at[0]); }

 private:
  Reversal reversal_;
};

class RevolveSource final : public ActionSource {
 public:
  RevolveSource(const ChainProfile& profile, std::int64_t slots) : steps_(profile), slots_(slots) {}

  std::unique_ptr<ActionStream> open(std::int64_t) const override { return std::make_unique<RevolveStream>(steps_, slots_); }

  void describe(Fingerprint& fingerprint) const override {
    fingerprint.add(slots_);
    steps_.describe(fingerprint);
  }

 private:
  ChainSteps steps_;
  std::int64_t slots_;
};

}  // namespace

Reach Reach::of(std::int64_t steps, std::int64_t slots) {
  if (slots == 1) return {1, steps - 1, steps};
  Reach reach{slots, 0, 1};
  reach.grow(steps);
  return reach;
}

void Reach::grow(std::int64_t steps) {
  while (longest < steps) {
    ++repeats;
    // There are more than n s (r-1) / (s+1) forwards: if that exceeds INT64_MAX, the search for r ends early.
    require_63_bits(static_cast<Wide>(steps) * static_cast<Wide>(repeats - 1) / 2, "the number of forwards", steps, slots);
    const Wide wide = static_cast<Wide>(longest) * static_cast<Wide>(slots + repeats) / static_cast<Wide>(repeats);
    longest = require_63_bits(wide, "the reach", steps, slots);
  }
}

std::int64_t Reach::forwards(std::int64_t steps) const {
  // beta(s+1, r-1) = beta(s, r) r / (s+1)
  const Wide spared = static_cast<Wide>(longest) * static_cast<Wide>(repeats) / static_cast<Wide>(slots + 1);
  return require_63_bits(static_cast<Wide>(repeats) * static_cast<Wide>(steps) - spared, "the number of forwards", steps, slots);
}

void Reversal::begin(std::int64_t first, std::int64_t end, std::int64_t slots) {
  states_.clear();
  states_.push_back({first, Reach::of(end - first, std::min(slots, end - first))});
  end_ = end;
}

void Reversal::push_state() {
  State& last = states_.back();
  const Parts parts = parts_of(last.reach, end_ - last.step);
  last.reach = parts.before_reach;
  states_.push_back({last.step + parts.before, parts.after_reach});
}

void Reversal::next(ActionGroup& group) {
  const std::int64_t from = states_.back().step;
  if (end_ - from > 1) {
    const auto slot = static_cast<std::int32_t>(states_.size());
    push_state();
    steps_.add_forward(group, from, states_.back().step, slot);
  } else {
    states_.pop_back();
    steps_.add_reversal(group, --end_);
  }
}

bool Reversal::seek(std::int64_t end, std::int64_t depth) {
  if (end == states_[0].step && depth == 0) {
    states_.clear();
    end_ = end;
    return true;
  }
  while (end_ != end || this->depth() != depth) {
    const State last = states_.back();
    const std::int64_t steps = end_ - last.step;
    if (end <= last.step || end > end_ || steps == 1) return false;
    if (last.reach.slots == 1 && end_ != end) {  // one step at a time, up to n of them
      end_ = end;
      states_.back().reach = Reach::of(end - last.step, 1);
      continue;
    }
    push_state();
    if (states_.back().step < end) continue;
    end_ = states_.back().step;
    states_.pop_back();
  }
  return true;
}

std::shared_ptr<const Schedule> make_revolve(const ChainProfile& profile, std::int64_t slots, bool initial_is_free) {
  profile.require_complete();
  base::require(slots >= 1, "slots is ", slots, "; expected at least 1");
  const std::int64_t counted = std::min(slots + (initial_is_free ? 1 : 0), profile.layers());
  Reach::of(profile.layers(), counted).forwards(profile.layers());  // refuses plans with too many forwards
  return std::make_shared<const Schedule>(base::cat("revolve(", slots, initial_is_free ? ", free)" : ")"), profile.layers(),
                                          std::make_unique<RevolveSource>(profile, counted));
}

}  // namespace ckpt::plan
