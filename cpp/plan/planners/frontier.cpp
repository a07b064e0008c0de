#include "plan/planners/frontier.h"

#include <algorithm>

namespace ckpt::plan {
namespace {

// Of one function, whatever the limit.
constexpr std::int64_t fewest_steps = 32;

}  // namespace

Frontier::Frontier(const ChainCosts& costs, const FrontierLimits& limits)
    : costs_(costs), n_(costs.layers()), tapes_(limits.tapes), turn_bytes_(costs.input_bytes(costs.layers())), goals_below_{0} {
  for (std::int64_t i = 0; i < n_; ++i) goals_below_.push_back(goals_below_.back() + taped_goals(i));
  values_.resize(static_cast<std::size_t>((n_ + 1) * (n_ + 1 + goals_below_.back()) * 2));
  lost_.resize(values_.size());
  std::int64_t functions = 0;
  for (std::int64_t first = 0; first <= n_; ++first) for_each_node(first, [&](const Node&) { ++functions; });
  // What short spans of layers leave goes to the long ones, which come last.
  std::int64_t room = limits.table_bytes / static_cast<std::int64_t>(sizeof(Step));
  for (std::int64_t first = n_; first >= 0; --first) {
    make_forwards(first);
    for_each_node(first, [&](const Node& node) {
      const std::int64_t share = std::max<std::int64_t>(room / functions--, fewest_steps);
      if (work() <= limits.work) room -= fill(node, static_cast<std::size_t>(share));
    });
    if (work() > limits.work) return;
  }
  complete_ = true;
  make_step(limits.most_points);
}

void Frontier::make_step(std::size_t most_points) {
  minimum_.clear();
  minimum_.add(0, 0, {&value(root()), costs_.input_bytes(0)});
  step_lost_ = minimum_.thin(most_points);
  step_ = minimum_.function();
}

void Frontier::require_at_turn(std::int64_t bytes) {
  turn_bytes_ = std::max(bytes, costs_.input_bytes(n_));
  for (std::int64_t first = n_; first >= 0; --first) {
    make_forwards(first);
    for_each_node(first, [&](const Node& node) {
      if (first_pass(node)) fill(node, SIZE_MAX);
    });
  }
  make_step(SIZE_MAX);
}

// Goals under which the layer is taped and its input made again.
std::int64_t Frontier::taped_goals(std::int64_t last) const {
  return tapes_ && last < n_ && costs_.layer(last).needs_input ? costs_.options(last) : 0;
}

// The nodes that a first layer can have, shorter ones first.
template <class Visit>
void Frontier::for_each_node(std::int64_t first, const Visit& visit) const {
  const bool may_stay = first > 0 && first < n_ && costs_.layer(first - 1).needs_output && !costs_.layer(first).needs_input;
  for (std::int64_t last = first; last <= n_; ++last) {
    for (std::int32_t option = -1; option < taped_goals(last); ++option) {
      visit(Node{first, {last, option}, false});
      if (may_stay) visit(Node{first, {last, option}, true});
    }
  }
}

std::size_t Frontier::place_of(const Node& node) const {
  const Goal& goal = node.goal;
  const std::int64_t at = goal.taped() ? n_ + 1 + goals_below_[static_cast<std::size_t>(goal.last)] + goal.option : goal.last;
  // A layer that needs its input keeps it anyway.
  const bool stays = node.input_stays && node.first < n_ && !costs_.layer(node.first).needs_input;
  return static_cast<std::size_t>((node.first * (n_ + 1 + goals_below_.back()) + at) * 2 + (stays ? 1 : 0));
}

// What lies there from the node's start until its goal's own layers are done: h, and ambient state of layers that ran before.
std::int64_t Frontier::held_bytes(const Node& node) const {
  const std::int64_t last = node.goal.last;
  if (first_pass(node)) return 0;
  std::int64_t held = costs_.input_bytes(last + 1) + costs_.ambient_bytes(node.first, last + 1);
  if (node.goal.taped()) held += costs_.option(last, node.goal.option).tape_bytes + costs_.needed_output_bytes(last);
  return held;
}

// N(k), without what is held.
std::int64_t Frontier::forward_bytes(const Node& node, std::int64_t k, std::int32_t option) const {
  const std::int64_t items = k == node.first ? costs_.input_bytes(k + 1) : costs_.passing_bytes(k);
  const std::int64_t ambient = first_pass(node) ? costs_.ambient_bytes(node.first, k + 1) : costs_.ambient_bytes(k, k + 1);
  return items + costs_.option(k, option).forward_workspace_bytes + ambient;
}

void Frontier::make_forwards(std::int64_t first) {
  for (const bool again : {true, false}) {
    const Node node{first, {again ? first : n_}, false};
    std::vector<StepFunction>& forwards = again ? forwards_again_ : forwards_first_;
    forwards.assign(1, StepFunction::constant(0, 0));
    if (first == n_) continue;
    for (std::int64_t k = first; k < n_; ++k) {
      minimum_.clear();
      for (std::int32_t o = 0; o < costs_.options(k); ++o)
        minimum_.add(forward_bytes(node, k, o), costs_.option(k, o).forward_time);
      const StepFunction one = minimum_.function();
      minimum_.clear();
      minimum_.add(0, 0, {&one}, {&forwards.back()});
      forwards.push_back(minimum_.function());
    }
  }
}

template <class Visit>
void Frontier::for_each_rule(const Node& node, const Visit& visit) const {
  const auto [i, goal, p] = node;
  const std::int64_t last = goal.last;
  if (i == n_) return visit(Rule{.kind = Rule::Kind::turn, .forwards_to = i, .at_least = turn_bytes_});
  if (!first_pass(node) && !costs_.may_run_again(i, goal.taped() ? last : last + 1)) return;

  const LayerCost& layer = costs_.layer(i);
  const std::int64_t output = costs_.input_bytes(i + 1);
  const std::int64_t freed = layer.needs_input || p ? 0 : costs_.input_bytes(i);  // r
  const auto backward_bytes = [&](std::int32_t o) {
    return costs_.option(i, o).tape_bytes + costs_.backward_bytes(i, o) + layer.ambient_bytes - freed;
  };
  if (i == last && goal.taped()) {
    return visit(Rule{.kind = Rule::Kind::leaf,
                      .option = goal.option,
                      .forwards_to = i,
                      .at_least = backward_bytes(goal.option),
                      .time = costs_.option(i, goal.option).backward_time});
  }
  for (std::int32_t o = 0; o < costs_.options(i); ++o) {
    const OptionCost& option = costs_.option(i, o);
    if (i == last) {
      // Gradient, tape, ambient state twice; then workspace, and the output: made, or the workspace of a layer that runs forward.
      const std::int64_t items = output + option.tape_bytes + 2 * layer.ambient_bytes;
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
    visit(Rule{.kind = Rule::Kind::tape,
               .option = o,
               .forwards_to = i,
               .at_least = std::max(held_bytes(node) + forward_bytes(node, i, o) + option.tape_bytes, backward_bytes(o)),
               .time = option.forward_time + option.backward_time,
               .has_inner = true,
               .inner = {i + 1, goal, layer.needs_output},
               .inner_shift = option.tape_bytes + output + layer.ambient_bytes - freed});
  }
  for (std::int64_t j = i + 1; j <= last; ++j) {
    visit(Rule{.kind = Rule::Kind::checkpoint,
               .forwards_to = j,
               .has_inner = true,
               .has_outer = true,
               .inner = {j, goal, false},
               .outer = {i, {j - 1}, p},
               .inner_shift = costs_.input_bytes(j) + costs_.ambient_bytes(i, j)});
    // Where layer j does not need its input, a checkpoint and a tape behind it do as much for less.
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
                 .outer = {i, {j, o}, p},
                 .inner_shift = option.tape_bytes + costs_.input_bytes(j + 1) + costs_.ambient_bytes(i, j + 1)});
    }
  }
}

std::int64_t Frontier::fill(const Node& node, std::size_t most_steps) {
  minimum_.clear();
  double lost = 0;
  const std::vector<StepFunction>& forwards = first_pass(node) ? forwards_first_ : forwards_again_;
  const std::int64_t held = held_bytes(node);
  for_each_rule(node, [&](const Rule& rule) {
    const auto runs = static_cast<std::size_t>(rule.forwards_to - node.first);
    minimum_.add(rule.at_least, rule.time, rule.has_inner ? Shifted{&value(rule.inner), rule.inner_shift} : Shifted{},
                 rule.has_outer ? Shifted{&value(rule.outer)} : Shifted{}, runs > 0 ? Shifted{&forwards[runs], held} : Shifted{});
    lost = std::max(lost, (rule.has_inner ? lost_[place_of(rule.inner)] : 0) + (rule.has_outer ? lost_[place_of(rule.outer)] : 0));
  });
  const std::size_t place = place_of(node);
  lost_[place] = lost + minimum_.thin(most_steps);
  values_[place] = minimum_.function();
  const auto steps = static_cast<std::int64_t>(minimum_.size());
  stored_steps_ += steps;
  return steps;
}

double Frontier::forward_time(const Node& node, std::int64_t k, std::int64_t bytes) const {
  double least = never;
  for (std::int32_t o = 0; o < costs_.options(k); ++o) {
    if (held_bytes(node) + forward_bytes(node, k, o) <= bytes) least = std::min(least, costs_.option(k, o).forward_time);
  }
  return least;
}

std::int32_t Frontier::forward_option(const Node& node, std::int64_t k, std::int64_t bytes, std::int32_t before) const {
  const double least = forward_time(node, k, bytes);
  const auto is_fastest = [&](std::int32_t o) {
    return costs_.option(k, o).forward_time == least && held_bytes(node) + forward_bytes(node, k, o) <= bytes;
  };
  if (before >= 0 && before < costs_.options(k) && is_fastest(before)) return before;
  std::int32_t o = 0;
  while (!is_fastest(o)) ++o;
  return o;
}

Rule Frontier::decide(const Node& node, std::int64_t bytes) const {
  Rule best;
  double least = never;
  std::int64_t forwarded = node.first;
  double forwards = 0;
  for_each_rule(node, [&](const Rule& rule) {
    while (forwarded < rule.forwards_to) forwards += forward_time(node, forwarded++, bytes);
    if (rule.at_least > bytes) return;
    double time = rule.time + (rule.forwards_to > node.first ? forwards : 0);
    if (time < least && rule.has_outer) time += value(rule.outer).at(bytes);
    if (time < least && rule.has_inner) time += value(rule.inner).at(bytes - rule.inner_shift);
    if (time >= least) return;
    least = time;
    best = rule;
  });
  return best;
}

}  // namespace ckpt::plan
