// Revolve: the reversal of like steps that runs the fewest of them again for a number of kept states.
// Griewank, Walther, "Algorithm 799: revolve", ACM TOMS 26(1), 2000.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/planners/steps.h"

namespace ckpt::plan {

// How far slots reach: `longest` = beta(slots, repeats) = (slots + repeats)! / (slots! repeats!) steps are the most that can be
// reversed when none runs forward unrecorded more than `repeats` times. One of the slots is that of the first step's state.
struct Reach {
  std::int64_t slots = 0;
  std::int64_t repeats = 0;
  std::int64_t longest = 1;

  // With the fewest repeats for steps (>= 1). slots: >= 1. Error(out_of_range) when longest passes INT64_MAX.
  static Reach of(std::int64_t steps, std::int64_t slots);
  // As many repeats more as these steps need.
  void grow(std::int64_t steps);
  // t(steps, slots): how often steps run forward unrecorded; these are the fewest repeats for them. Error(out_of_range) when it
  // passes INT64_MAX.
  std::int64_t forwards(std::int64_t steps) const;
};

// Reverses steps [first, end) of a chain, whose first state is there, group by group. The states that it holds are those of
// ascending steps, each in the slot of its number among them; the last is the one that is worked on: it may have the slot behind
// the `slots` that are counted.
class Reversal {
 public:
  // steps must outlive this.
  explicit Reversal(const ChainSteps& steps) : steps_(steps) {}

  void begin(std::int64_t first, std::int64_t end, std::int64_t slots);
  // Adds the next actions; only before done().
  void next(ActionGroup& group);
  // After begin: goes on to where steps from end on are reversed and depth states are held. False when it never is there.
  bool seek(std::int64_t end, std::int64_t depth);

  bool done() const { return states_.empty(); }
  std::int64_t end() const { return end_; }
  std::int64_t depth() const { return static_cast<std::int64_t>(states_.size()); }

 private:
  // A state that is held. Its own steps are those from it to the next one, or to the end.
  struct State {
    std::int64_t step = 0;
    Reach reach;  // of its own steps, with the slots from its own on
  };

  // Divides the last state's steps into its own and those of a new state.
  void push_state();

  const ChainSteps& steps_;
  std::int64_t end_ = 0;
  std::vector<State> states_;
};

// slots: of kept states, at least 1. initial_is_free: the initial state is kept beside them. Like steps are what it is best for; it
// suits any chain.
std::shared_ptr<const Schedule> make_revolve(const ChainProfile& profile, std::int64_t slots, bool initial_is_free);

}  // namespace ckpt::plan
