// Least time for every number of bytes at once, over a chain of unlike layers: what the planners "chain" and "tapes" stand on.
//
// A node (i, goal, p) stands for the work from {INPUT(i), what the goal holds} to GRAD(i). Its value is the least time of that work
// as a function of the bytes that it may use beside INPUT(i). docs/plan.md has the recurrences.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "plan/planners/chain_costs.h"
#include "plan/planners/step_function.h"

namespace ckpt::plan {

// What a node works towards. Without an option, V of docs/plan.md: layers first .. last run forward and backward; GRAD(last+1) is
// held, or, where last is n, the step turns. With one, U: layer `last` is taped under it, and its input is to be made again.
struct Goal {
  std::int64_t last = 0;
  std::int32_t option = -1;

  bool taped() const { return option >= 0; }
};

struct Node {
  std::int64_t first = 0;
  Goal goal;
  bool input_stays = false;  // p: the tape of layer first-1 needs INPUT(first)
};

// One way to do a node's work: layers first .. forwards_to-1 run without tape, then what the rule says, then the work of the inner
// node, then that of the outer one.
struct Rule {
  enum class Kind : std::uint8_t { none, turn, leaf, tape, checkpoint, late } kind = Kind::none;
  bool makes_output = false;     // of leaf: by FORWARD_TAPE, though the layer could record alone
  std::int32_t option = 0;       // of the layer that the rule records: first, or forwards_to of late
  std::int64_t forwards_to = 0;  // first: none
  std::int64_t at_least = 0;     // bytes
  double time = 0;               // of the layer that the rule records, backward included where it is the rule's
  bool has_inner = false;
  bool has_outer = false;
  Node inner = {};
  Node outer = {};
  std::int64_t inner_shift = 0;  // bytes of the node that the inner one may not use
};

struct FrontierLimits {
  bool tapes = false;                      // with tapes whose input is made again: Late and U
  std::int64_t table_bytes = 300'000'000;  // of all functions together
  std::size_t most_points = SIZE_MAX;      // of step()
  std::int64_t work = INT64_MAX;           // as Minimum counts it
};

class Frontier {
 public:
  // The costs outlive the frontier.
  Frontier(const ChainCosts& costs, const FrontierLimits& limits);

  // False when the work that was allowed did not do: then there is nothing else to ask.
  bool complete() const { return complete_; }
  std::int64_t work() const { return minimum_.work(); }

  Node root() const { return {0, {n_}, false}; }
  // Least time of a step, by the peak of its live bytes.
  const StepFunction& step() const { return step_; }
  // By how much a value of step() may be above the least; 0: it is exact.
  double most_lost_time() const { return lost_[place_of(root())] + step_lost_; }
  std::int64_t stored_steps() const { return stored_steps_; }

  // From now on the TURN must leave so many bytes: of a step that may use m bytes, no more than m - bytes are kept from the forward
  // part to the backward part. Only the functions of the first pass change, and step() with them.
  void require_at_turn(std::int64_t bytes);

  // The cheapest rule at a node that may use so many bytes; Kind::none when there is none.
  Rule decide(const Node& node, std::int64_t bytes) const;
  // The fastest option that fits for layer k of a FORWARD from the node's first layer; `before` when that is one of them.
  std::int32_t forward_option(const Node& node, std::int64_t k, std::int64_t bytes, std::int32_t before) const;

 private:
  template <class Visit>
  void for_each_rule(const Node& node, const Visit& visit) const;
  template <class Visit>
  void for_each_node(std::int64_t first, const Visit& visit) const;
  std::int64_t taped_goals(std::int64_t last) const;
  std::int64_t fill(const Node& node, std::size_t most_steps);  // returns the number of steps
  void make_forwards(std::int64_t first);

  std::size_t place_of(const Node& node) const;
  const StepFunction& value(const Node& node) const { return values_[place_of(node)]; }
  bool first_pass(const Node& node) const { return node.goal.last == n_; }
  std::int64_t held_bytes(const Node& node) const;
  std::int64_t forward_bytes(const Node& node, std::int64_t k, std::int32_t option) const;
  double forward_time(const Node& node, std::int64_t k, std::int64_t bytes) const;

  void make_step(std::size_t most_points);

  const ChainCosts& costs_;
  std::int64_t n_;
  bool tapes_;
  bool complete_ = false;
  std::int64_t turn_bytes_;
  std::vector<std::int64_t> goals_below_;  // by layer: goals with an option whose last layer is below it
  std::vector<StepFunction> values_;
  std::vector<double> lost_;
  std::int64_t stored_steps_ = 0;
  StepFunction step_;
  double step_lost_ = 0;

  // While nodes of one first layer are filled: time of layers first .. j-1 without tape, by j - first.
  Minimum minimum_;
  std::vector<StepFunction> forwards_again_;  // of the bytes beyond those held
  std::vector<StepFunction> forwards_first_;  // of the first pass: ambient state is made by and by
};

}  // namespace ckpt::plan
