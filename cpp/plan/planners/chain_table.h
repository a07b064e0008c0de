// The recurrence for planning chains of different layers, independent of how the table of least times is stored.
//
// A node (i, goal, p) represents the work from {INPUT(i), the items that the goal holds} to GRAD(i). Its value is the least time
// of that work as a function of the bytes that it may use in addition to INPUT(i). docs/reference/plan.md has the recurrences.
#pragma once

#include <algorithm>
#include <cstdint>

#include "plan/planners/chain_costs.h"
#include "plan/planners/step_function.h"

namespace ckpt::plan {

// The goal of a node. Without an option, V of docs/reference/plan.md: layers first .. last run forward and backward; GRAD(last+1)
// is held, or, if last is n, the step turns. With an option, U: layer `last` is taped under it, and its input is to be
// recomputed.
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

// One way to do a node's work: layers first .. forwards_to-1 run without tape, then the rule's own action, then the work of the
// inner node, then that of the outer one.
struct Rule {
  enum class Kind : std::uint8_t { none, turn, leaf, tape, checkpoint, late } kind = Kind::none;
  bool makes_output = false;     // for leaf: with FORWARD_TAPE, although the layer has RECORD
  std::int32_t option = 0;       // of the layer that the rule records: first, or forwards_to for late
  std::int64_t forwards_to = 0;  // first: none
  std::int64_t at_least = 0;     // bytes
  double time = 0;               // of the layer that the rule records, including its backward if that is part of the rule
  bool has_inner = false;
  bool has_outer = false;
  Node inner = {};
  Node outer = {};
  std::int64_t inner_shift = 0;  // bytes of the node that are unavailable to the inner one
};

class ChainTable {
 public:
  // tapes: also consider tapes with recomputed input (Late and U). The costs must outlive the table.
  ChainTable(const ChainCosts& costs, bool tapes)
      : costs_(costs), n_(costs.layers()), tapes_(tapes), turn_bytes_(costs.input_bytes(costs.layers())) {}
  virtual ~ChainTable() = default;
  ChainTable(const ChainTable&) = delete;
  ChainTable& operator=(const ChainTable&) = delete;

  Node root() const { return {0, {n_}, false}; }
  // Returns infinity exactly if no work of the node fits.
  virtual double min_time(const Node& node, std::int64_t bytes) const = 0;

  // Returns the cheapest rule of a node within this many bytes; Kind::none if none fits.
  Rule decide(const Node& node, std::int64_t bytes) const;
  // Returns the fastest option that fits for layer k of a FORWARD from the node's first layer; `before` if it is among the
  // fastest.
  std::int32_t forward_option(const Node& node, std::int64_t k, std::int64_t bytes, std::int32_t before) const;

 protected:
  // Visits the rules that record the node's first layer first, or turn.
  template <class Visit>
  void for_each_recording(const Node& node, const Visit& visit) const;
  template <class Visit>
  void for_each_rule(const Node& node, const Visit& visit) const;

  // The bytes that must be available at the TURN; never fewer than it needs.
  void set_turn_bytes(std::int64_t bytes) { turn_bytes_ = std::max(bytes, costs_.input_bytes(n_)); }

  std::int64_t layers() const { return n_; }
  const ChainCosts& costs() const { return costs_; }
  bool tapes() const { return tapes_; }
  bool first_pass(const Node& node) const { return node.goal.last == n_; }
  // Returns true if p makes a difference: a layer that needs its input keeps it anyway.
  bool may_stay(std::int64_t first) const {
    return first > 0 && first < n_ && costs_.layer(first - 1).needs_output && !costs_.layer(first).needs_input;
  }
  // Returns the bytes held from the node's start until its goal's own layers are done: h, and ambient state of layers that ran
  // before.
  std::int64_t held_bytes(const Node& node) const;
  // N(k), without the held bytes.
  std::int64_t forward_bytes(const Node& node, std::int64_t k, std::int32_t option) const;

 private:
  bool may_run(const Node& node) const;
  double forward_time(const Node& node, std::int64_t k, std::int64_t bytes) const;

  const ChainCosts& costs_;
  std::int64_t n_;
  bool tapes_;
  std::int64_t turn_bytes_;
};

template <class Visit>
void ChainTable::for_each_recording(const Node& node, const Visit& visit) const {
  const std::int64_t i = node.first;
  const Goal& goal = node.goal;
  const std::int64_t last = goal.last;
  if (i == n_) return visit(Rule{.kind = Rule::Kind::turn, .forwards_to = i, .at_least = turn_bytes_});
  if (!may_run(node)) return;

  const LayerCost& layer = costs_.layer(i);
  const std::int64_t output = costs_.input_bytes(i + 1);
  const std::int64_t freed = layer.needs_input || node.input_stays || costs_.keeps(i) ? 0 : costs_.input_bytes(i);  // r
  const std::int64_t kept = costs_.kept_output_bytes();
  const auto backward_bytes = [&](std::int32_t o) {
    return costs_.option(i, o).tape_bytes + costs_.backward_bytes(i, o) + layer.ambient_bytes + kept - freed;
  };
  // At the last layer's first recording, the output that its backward reads is the one that stays with the caller.
  const std::int64_t counted_twice = i + 1 == n_ && layer.needs_output ? kept : 0;
  if (i == last && goal.taped()) {
    return visit(Rule{.kind = Rule::Kind::leaf,
                      .option = goal.option,
                      .forwards_to = i,
                      .at_least = backward_bytes(goal.option) - counted_twice,
                      .time = costs_.option(i, goal.option).backward_time});
  }
  for (std::int32_t o = 0; o < costs_.options(i); ++o) {
    const OptionCost& option = costs_.option(i, o);
    if (i == last) {
      // Gradient, tape, ambient state twice; then the workspace and the output: made, or the scratch output of a layer that runs
      // forward.
      const std::int64_t items = output + option.tape_bytes + 2 * layer.ambient_bytes + kept;
      const std::int64_t forward_bytes = items + output + option.forward_workspace_bytes;
      if (option.has_record) {
        const std::int64_t record_bytes = items + costs_.needed_output_bytes(i) + option.record_workspace_bytes;
        visit(Rule{.kind = Rule::Kind::leaf,
                   .option = o,
                   .forwards_to = i,
                   .at_least = std::max(record_bytes, backward_bytes(o)),
                   .time = option.record_time + option.backward_time});
      }
      visit(Rule{.kind = Rule::Kind::leaf,
                 .makes_output = option.has_record,
                 .option = o,
                 .forwards_to = i,
                 .at_least = std::max(forward_bytes, backward_bytes(o)),
                 .time = option.forward_time + option.backward_time});
      continue;
    }
    visit(Rule{
        .kind = Rule::Kind::tape,
        .option = o,
        .forwards_to = i,
        .at_least = std::max(held_bytes(node) + forward_bytes(node, i, o) + option.tape_bytes, backward_bytes(o) - counted_twice),
        .time = option.forward_time + option.backward_time,
        .has_inner = true,
        .inner = {i + 1, goal, layer.needs_output},
        .inner_shift = option.tape_bytes + output + layer.ambient_bytes - freed});
  }
}

template <class Visit>
void ChainTable::for_each_rule(const Node& node, const Visit& visit) const {
  for_each_recording(node, visit);
  if (node.first == n_ || !may_run(node)) return;
  const std::int64_t i = node.first;
  const Goal& goal = node.goal;
  const std::int64_t last = goal.last;
  for (std::int64_t j = i + 1; j <= last; ++j) {
    visit(Rule{.kind = Rule::Kind::checkpoint,
               .forwards_to = j,
               .has_inner = true,
               .has_outer = true,
               .inner = {j, goal, false},
               .outer = {i, {j - 1}, node.input_stays},
               .inner_shift = costs_.input_bytes(j) + costs_.ambient_bytes(i, j)});
    // If layer j does not need its input, a checkpoint followed by a tape achieves the same at lower cost.
    if (!tapes_ || j == last || !costs_.layer(j).needs_input) continue;
    const std::int64_t both = costs_.input_bytes(j) + costs_.input_bytes(j + 1);
    for (std::int32_t o = 0; o < costs_.options(j); ++o) {
      const OptionCost& option = costs_.option(j, o);
      const std::int64_t recording = held_bytes(node) + forward_bytes(node, j, o) - costs_.passing_bytes(j) + both;
      visit(Rule{.kind = Rule::Kind::late,
                 .option = o,
                 .forwards_to = j,
                 .at_least = recording + option.tape_bytes,
                 .time = option.forward_time,
                 .has_inner = true,
                 .has_outer = true,
                 .inner = {j + 1, goal, costs_.layer(j).needs_output},
                 .outer = {i, {j, o}, node.input_stays},
                 .inner_shift = option.tape_bytes + costs_.input_bytes(j + 1) + costs_.ambient_bytes(i, j + 1)});
    }
  }
}

}  // namespace ckpt::plan
