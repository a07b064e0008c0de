#include "plan/planners/chain_table.h"

#include <algorithm>

namespace ckpt::plan {

std::int64_t ChainTable::held_bytes(const Node& node) const {
  const std::int64_t last = node.goal.last;
  if (first_pass(node)) return 0;
  std::int64_t held = costs_.input_bytes(last + 1) + costs_.ambient_bytes(node.first, last + 1);
  held += costs_.kept_output_bytes();
  if (node.goal.taped()) {
    held += costs_.option(last, node.goal.option).tape_bytes;
    // The last layer's output is already counted: it is the one that stays with the caller.
    if (last + 1 < n_ || costs_.kept_output_bytes() == 0) held += costs_.needed_output_bytes(last);
  }
  return held;
}

std::int64_t ChainTable::forward_bytes(const Node& node, std::int64_t k, std::int32_t option) const {
  const std::int64_t items = k == node.first ? costs_.input_bytes(k + 1) : costs_.passing_bytes(k);
  const std::int64_t ambient = first_pass(node) ? costs_.ambient_bytes(node.first, k + 1) : costs_.ambient_bytes(k, k + 1);
  return items + costs_.option(k, option).forward_workspace_bytes + ambient;
}

bool ChainTable::may_run(const Node& node) const {
  const Goal& goal = node.goal;
  return first_pass(node) || costs_.may_run_again(node.first, goal.taped() ? goal.last : goal.last + 1);
}

double ChainTable::forward_time(const Node& node, std::int64_t k, std::int64_t bytes) const {
  double min = never;
  for (std::int32_t o = 0; o < costs_.options(k); ++o) {
    if (held_bytes(node) + forward_bytes(node, k, o) <= bytes) min = std::min(min, costs_.option(k, o).forward_time);
  }
  return min;
}

std::int32_t ChainTable::forward_option(const Node& node, std::int64_t k, std::int64_t bytes, std::int32_t before) const {
  const double min = forward_time(node, k, bytes);
  const auto is_fastest = [&](std::int32_t o) {
    return costs_.option(k, o).forward_time == min && held_bytes(node) + forward_bytes(node, k, o) <= bytes;
  };
  if (before >= 0 && before < costs_.options(k) && is_fastest(before)) return before;
  std::int32_t o = 0;
  while (!is_fastest(o)) ++o;
  return o;
}

Rule ChainTable::decide(const Node& node, std::int64_t bytes) const {
  Rule best;
  double min = never;
  std::int64_t forwarded = node.first;
  double forwards = 0;
  for_each_rule(node, [&](const Rule& rule) {
    while (forwarded < rule.forwards_to) forwards += forward_time(node, forwarded++, bytes);
    if (rule.at_least > bytes) return;
    double time = rule.time + (rule.forwards_to > node.first ? forwards : 0);
    if (time < min && rule.has_outer) time += min_time(rule.outer, bytes);
    if (time < min && rule.has_inner) time += min_time(rule.inner, bytes - rule.inner_shift);
    if (time >= min) return;
    min = time;
    best = rule;
  });
  return best;
}

}  // namespace ckpt::plan
