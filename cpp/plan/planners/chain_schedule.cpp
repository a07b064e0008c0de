#include "plan/planners/chain_schedule.h"

namespace ckpt::plan {
namespace {

// Writes the actions of a node. Before them INPUT(first) and the items that the goal holds exist; after them GRAD(first) does,
// and INPUT(first) if it stays.
class Writer {
 public:
  Writer(const ChainCosts& costs, const ChainTable& table) : costs_(costs), table_(table) {}

  void write(const Node& node, std::int64_t bytes) {
    const Rule rule = table_.decide(node, bytes);
    const std::int64_t i = node.first;
    write_forwards(node, rule.forwards_to, bytes);
    switch (rule.kind) {
      case Rule::Kind::none: return;
      case Rule::Kind::turn:
        actions.push_back(turn());
        if (!node.input_stays) actions.push_back(drop_input(i));
        return;
      case Rule::Kind::leaf:
        if (!node.goal.taped()) add_layer(rule.makes_output ? Kind::forward_tape : Kind::record, i, rule.option);
        if (rule.makes_output && !costs_.layer(i).needs_output) actions.push_back(drop_input(i + 1));
        write_backward(node, rule);
        return;
      case Rule::Kind::tape:
        add_layer(Kind::forward_tape, i, rule.option);
        drop_unneeded_input(node);
        write(rule.inner, bytes - rule.inner_shift);
        write_backward(node, rule, true);
        return;
      case Rule::Kind::late:
        add_layer(Kind::forward_tape, rule.forwards_to, rule.option);
        actions.push_back(drop_input(rule.forwards_to));
        break;
      case Rule::Kind::checkpoint: break;
    }
    write(rule.inner, bytes - rule.inner_shift);
    write(rule.outer, bytes);
  }

  std::vector<Action> actions;

 private:
  void add_layer(Kind kind, std::int64_t layer, std::int32_t option) {
    actions.push_back({.kind = kind, .first = layer, .last = layer + 1, .option = option});
  }

  bool drops_before_backward(const Node& node) const { return !node.input_stays && !costs_.layer(node.first).needs_input; }

  void drop_unneeded_input(const Node& node) {
    if (drops_before_backward(node)) actions.push_back(drop_input(node.first));
  }

  void write_backward(const Node& node, const Rule& rule, bool input_dropped = false) {
    const std::int64_t i = node.first;
    if (!input_dropped) drop_unneeded_input(node);
    add_layer(Kind::backward, i, rule.option);
    if (costs_.layer(i).needs_output) actions.push_back(drop_input(i + 1));
    if (!node.input_stays && !drops_before_backward(node)) actions.push_back(drop_input(i));
  }

  // An action has one option. After the first layer with a different option, the layers run one by one: a longer FORWARD would
  // keep its own input while it runs.
  void write_forwards(const Node& node, std::int64_t end, std::int64_t bytes) {
    std::int32_t option = -1;
    bool together = true;
    for (std::int64_t k = node.first; k < end; ++k) {
      const std::int32_t before = option;
      option = table_.forward_option(node, k, bytes, before);
      together = together && (k == node.first || option == before);
      if (together && k > node.first) {
        actions.back().last = k + 1;
      } else if (together) {
        add_layer(Kind::forward, k, option);
      } else if (costs_.layer(k).in_place) {
        add_layer(Kind::advance, k, option);
      } else {
        add_layer(Kind::forward, k, option);
        actions.push_back(drop_input(k));
      }
    }
  }

  const ChainCosts& costs_;
  const ChainTable& table_;
};

}  // namespace

std::vector<Action> chain_actions(const ChainCosts& costs, const ChainTable& table, std::int64_t live_bytes) {
  const std::int64_t bytes = live_bytes - costs.input_bytes(0);
  if (table.decide(table.root(), bytes).kind == Rule::Kind::none) return {};
  Writer writer(costs, table);
  writer.write(table.root(), bytes);
  writer.actions.push_back(end());
  return std::move(writer.actions);
}

}  // namespace ckpt::plan
