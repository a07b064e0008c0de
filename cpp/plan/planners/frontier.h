// Least time for every number of bytes at once, over a chain of different layers: the basis of the planners "chain" and "tapes".
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/planners/chain_table.h"
#include "plan/planners/step_function.h"

namespace ckpt::plan {

struct FrontierLimits {
  bool tapes = false;                      // also consider tapes with recomputed input: Late and U
  std::int64_t table_bytes = 300'000'000;  // total of all functions
  std::int64_t work = INT64_MAX;           // in the unit of Minimum
  std::int64_t live_bytes = INT64_MAX;     // steps with a larger peak are left out, except the smallest
};

class Frontier : public ChainTable {
 public:
  // The costs must outlive the frontier.
  Frontier(const ChainCosts& costs, const FrontierLimits& limits);

  // Returns false if the allowed work did not suffice, or will not: no other function may be called then.
  bool complete() const { return complete_; }
  std::int64_t work() const { return minimum_.work(); }

  // The least time of a step, as a function of the peak of its live bytes.
  const StepFunction& step() const { return step_; }
  // Upper bound of the error of step(); 0: exact.
  double max_lost_time() const { return lost_[place_of(root())]; }
  std::int64_t stored_steps() const { return stored_steps_; }

  // From now on this many bytes must be available at the TURN: a step that may use m bytes keeps at most m - bytes from the
  // forward part to the backward part. Only the functions of the first pass and step() change.
  void require_at_turn(std::int64_t bytes);

  double min_time(const Node& node, std::int64_t bytes) const override { return value(node).at(bytes); }

 private:
  template <class Visit>
  void for_each_node(std::int64_t first, const Visit& visit) const;
  std::int64_t taped_goals(std::int64_t last) const;
  std::int64_t fill(const Node& node, std::size_t max_steps);  // returns the number of steps
  double rules_from(std::int64_t first) const;
  void make_forwards(std::int64_t first);
  void make_step();

  std::size_t place_of(const Node& node) const;
  const StepFunction& value(const Node& node) const { return values_[place_of(node)]; }

  bool complete_ = false;
  const std::int64_t live_bytes_;
  std::vector<std::int64_t> goals_below_;  // by layer: goals with an option and a last layer below it
  std::vector<StepFunction> values_;
  std::vector<double> lost_;
  std::int64_t stored_steps_ = 0;
  StepFunction step_;

  // Scratch while the nodes of one first layer are filled: time of layers first .. j-1 without tape, by j - first.
  Minimum minimum_;
  std::vector<StepFunction> forwards_again_;  // of the bytes beyond those held
  std::vector<StepFunction> forwards_first_;  // in the first pass, where ambient state accumulates
};

}  // namespace ckpt::plan
