// Revolve: reverses identical steps with the fewest recomputations for a number of kept states.
// Griewank, Walther, "Algorithm 799: revolve", ACM TOMS 26(1), 2000.
#pragma once

#include <cstdint>
#include <vector>

#include "plan/planners/steps.h"

namespace ckpt::plan {

// The reach of slots: `longest` = beta(slots, repeats) = (slots + repeats)! / (slots! repeats!) is the most steps that can be
// reversed if none runs forward without a tape more than `repeats` times. One of the slots holds the first step's state.
struct Reach {
  std::int64_t slots = 0;
  std::int64_t repeats = 0;
  std::int64_t longest = 1;

  // Returns the reach with the fewest repeats for steps (>= 1). slots: >= 1. Fails with Error(out_of_range) if longest exceeds
  // INT64_MAX.
  static Reach of(std::int64_t steps, std::int64_t slots);
  // Increases repeats as far as these steps need.
  void grow(std::int64_t steps);
  // t(steps, slots): the number of forwards without tape; requires the fewest repeats for these steps. Fails with
  // Error(out_of_range) if it exceeds INT64_MAX.
  std::int64_t forwards(std::int64_t steps) const;
};

// Reverses steps [first, end) of a chain with an available first state, group by group. The states that it holds belong to
// ascending steps, each in the slot of its position among them; the last is the current one: it may use an extra slot after the
// `slots` that are counted.
class Reversal {
 public:
  // steps must outlive this object.
  explicit Reversal(const ChainSteps& steps) : steps_(steps) {}

  void begin(std::int64_t first, std::int64_t end, std::int64_t slots);
  // Adds the next actions; only before done().
  void next(ActionGroup& group);
  // After begin: advances to the position where the steps from end on are reversed and depth states are held. Returns false if
  // there is none.
  bool seek(std::int64_t end, std::int64_t depth);

  bool done() const { return states_.empty(); }
  std::int64_t end() const { return end_; }
  std::int64_t depth() const { return static_cast<std::int64_t>(states_.size()); }

 private:
  // A held state. Its own steps are those from it to the next held one, or to the end.
  struct State {
    std::int64_t step = 0;
    Reach reach;  // of its steps, with the slots from its slot on
  };

  // Splits the last state's steps into its own and those of a new state.
  void push_state();

  const ChainSteps& steps_;
  std::int64_t end_ = 0;
  std::vector<State> states_;
};

// slots: of kept states, at least 1. initial_is_free: the initial state is kept in addition. Optimal for identical steps; works
// for any chain.
std::shared_ptr<const Schedule> make_revolve(const ChainProfile& profile, std::int64_t slots, bool initial_is_free);

}  // namespace ckpt::plan
