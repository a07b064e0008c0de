// Least time for every number of bytes at once, over a chain of unlike layers: what the planners "chain" and "tapes" stand on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/planners/chain_table.h"
#include "plan/planners/step_function.h"

namespace ckpt::plan {

struct FrontierLimits {
  bool tapes = false;                      // with tapes whose input is made again: Late and U
  std::int64_t table_bytes = 300'000'000;  // of all functions together
  std::int64_t work = INT64_MAX;           // as Minimum counts it
};

class Frontier : public ChainTable {
 public:
  // The costs outlive the frontier.
  Frontier(const ChainCosts& costs, const FrontierLimits& limits);

  // False when the work that was allowed did not do: then there is nothing else to ask.
  bool complete() const { return complete_; }
  std::int64_t work() const { return minimum_.work(); }

  // Least time of a step, by the peak of its live bytes.
  const StepFunction& step() const { return step_; }
  // By how much a value of step() may be above the least; 0: it is exact.
  double most_lost_time() const { return lost_[place_of(root())]; }
  std::int64_t stored_steps() const { return stored_steps_; }

  // From now on the TURN must leave so many bytes: of a step that may use m bytes, no more than m - bytes are kept from the forward
  // part to the backward part. Only the functions of the first pass change, and step() with them.
  void require_at_turn(std::int64_t bytes);

  double least_time(const Node& node, std::int64_t bytes) const override { return value(node).at(bytes); }

 private:
  template <class Visit>
  void for_each_node(std::int64_t first, const Visit& visit) const;
  std::int64_t taped_goals(std::int64_t last) const;
  std::int64_t fill(const Node& node, std::size_t most_steps);  // returns the number of steps
  void make_forwards(std::int64_t first);
  void make_step();

  std::size_t place_of(const Node& node) const;
  const StepFunction& value(const Node& node) const { return values_[place_of(node)]; }

  bool complete_ = false;
  std::vector<std::int64_t> goals_below_;  // by layer: goals with an option whose last layer is below it
  std::vector<StepFunction> values_;
  std::vector<double> lost_;
  std::int64_t stored_steps_ = 0;
  StepFunction step_;

  // While nodes of one first layer are filled: time of layers first .. j-1 without tape, by j - first.
  Minimum minimum_;
  std::vector<StepFunction> forwards_again_;  // of the bytes beyond those held
  std::vector<StepFunction> forwards_first_;  // of the first pass: ambient state is made by and by
};

}  // namespace ckpt::plan
