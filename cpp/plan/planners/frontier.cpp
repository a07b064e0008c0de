#include "plan/planners/frontier.h"

#include <algorithm>

namespace ckpt::plan {
namespace {

// The minimum per function, whatever the limit.
constexpr std::int64_t fewest_steps = 32;
// The share of all rules after which the total work is predicted.
constexpr double predicted_share = 1.0 / 64;

}  // namespace

Frontier::Frontier(const ChainCosts& costs, const FrontierLimits& limits)
    : ChainTable(costs, limits.tapes), live_bytes_(limits.live_bytes), goals_below_{0} {
  for (std::int64_t i = 0; i < layers(); ++i) goals_below_.push_back(goals_below_.back() + taped_goals(i));
  values_.resize(static_cast<std::size_t>((layers() + 1) * (layers() + 1 + goals_below_.back()) * 2));
  lost_.resize(values_.size());
  std::int64_t functions = 0;
  double rules = 0;
  for (std::int64_t first = 0; first <= layers(); ++first) {
    for_each_node(first, [&](const Node&) { ++functions; });
    rules += rules_from(first);
  }
  // Memory that short spans of layers leave unused is available to the long ones, which come last.
  std::int64_t room = limits.table_bytes / static_cast<std::int64_t>(sizeof(Step));
  double done = 0;
  for (std::int64_t first = layers(); first >= 0; --first) {
    make_forwards(first);
    for_each_node(first, [&](const Node& node) {
      const std::int64_t share = std::max<std::int64_t>(room / std::max<std::int64_t>(functions--, 1), fewest_steps);
      if (work() <= limits.work) room -= fill(node, static_cast<std::size_t>(share));
    });
    // Functions of longer spans have more steps, so a rule's mean work only grows.
    done += rules_from(first);
    const double predicted = done < rules * predicted_share ? 0 : static_cast<double>(work()) * rules / done;
    if (work() > limits.work || predicted > static_cast<double>(limits.work)) return;
  }
  complete_ = true;
  make_step();
}

void Frontier::make_step() {
  minimum_.clear();
  minimum_.add(0, 0, {&value(root()), costs().input_bytes(0)});
  step_ = minimum_.function();
}

void Frontier::require_at_turn(std::int64_t bytes) {
  set_turn_bytes(bytes);
  for (std::int64_t first = layers(); first >= 0; --first) {
    make_forwards(first);
    for_each_node(first, [&](const Node& node) {
      if (first_pass(node)) fill(node, SIZE_MAX);
    });
  }
  make_step();
}

// The number of rules of the nodes of a first layer, which determines the work.
double Frontier::rules_from(std::int64_t first) const {
  double rules = 0;
  for_each_node(first, [&](const Node& node) {
    const std::int64_t last = std::min(node.goal.last, layers() - 1);
    const auto below = [&](std::int64_t layer) { return goals_below_[static_cast<std::size_t>(layer)]; };
    const std::int64_t late = last > first ? below(last) - below(first + 1) : 0;
    rules += static_cast<double>((first < layers() ? costs().options(first) : 1) + node.goal.last - first + late);
  });
  return rules;
}

// Goals under which the layer is taped and its input recomputed.
std::int64_t Frontier::taped_goals(std::int64_t last) const {
  return tapes() && last < layers() && costs().layer(last).needs_input ? costs().options(last) : 0;
}

// Visits the nodes of a first layer, shorter ones first.
template <class Visit>
void Frontier::for_each_node(std::int64_t first, const Visit& visit) const {
  for (std::int64_t last = first; last <= layers(); ++last) {
    for (std::int32_t option = -1; option < taped_goals(last); ++option) {
      visit(Node{first, {last, option}, false});
      if (may_stay(first)) visit(Node{first, {last, option}, true});
    }
  }
}

std::size_t Frontier::place_of(const Node& node) const {
  const Goal& goal = node.goal;
  const std::int64_t at = goal.taped() ? layers() + 1 + goals_below_[static_cast<std::size_t>(goal.last)] + goal.option : goal.last;
  const bool stays = node.input_stays && may_stay(node.first);
  return static_cast<std::size_t>((node.first * (layers() + 1 + goals_below_.back()) + at) * 2 + (stays ? 1 : 0));
}

void Frontier::make_forwards(std::int64_t first) {
  for (const bool again : {true, false}) {
    const Node node{first, {again ? first : layers()}, false};
    std::vector<StepFunction>& forwards = again ? forwards_again_ : forwards_first_;
    forwards.assign(1, StepFunction::constant(0, 0));
    if (first == layers()) continue;
    for (std::int64_t k = first; k < layers(); ++k) {
      minimum_.clear();
      for (std::int32_t o = 0; o < costs().options(k); ++o)
        minimum_.add(forward_bytes(node, k, o), costs().option(k, o).forward_time);
      const StepFunction one = minimum_.function();
      minimum_.clear();
      minimum_.add(0, 0, {&one}, {&forwards.back()});
      forwards.push_back(minimum_.function());
    }
  }
}

std::int64_t Frontier::fill(const Node& node, std::size_t max_steps) {
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
  minimum_.clip(live_bytes_ - costs().input_bytes(node.first));
  lost_[place] = lost + minimum_.thin(max_steps);
  values_[place] = minimum_.function();
  const auto steps = static_cast<std::int64_t>(minimum_.size());
  stored_steps_ += steps;
  return steps;
}

}  // namespace ckpt::plan
