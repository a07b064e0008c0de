// A schedule from the caller's list of actions.
#include <utility>

#include "base/error.h"
#include "plan/schedule.h"

namespace ckpt::plan {

using base::require;

namespace {

// A position is {index, 0, 0, 0}.
class ListSource final : public PositionSource {
 public:
  explicit ListSource(std::span<const Action> actions) : actions_(actions.begin(), actions.end()) {}

  Position start() const override { return {0, 0, 0, 0}; }

  void group_at(const Position& at, std::int64_t, ActionGroup& group, Position& next) const override {
    const auto index = static_cast<std::size_t>(at[0]);
    group.add(actions_[index]);
    next = index + 1 < actions_.size() ? Position{at[0] + 1, 0, 0, 0} : at;
  }

  bool is_position(const Position& at, std::int64_t) const override {
    return at[0] >= 0 && at[0] < static_cast<std::int64_t>(actions_.size()) && at[1] == 0 && at[2] == 0 && at[3] == 0;
  }

  void describe(Fingerprint& fingerprint) const override { fingerprint.add_bytes(std::as_bytes(std::span(actions_))); }

 private:
  std::vector<Action> actions_;
};

}  // namespace

std::shared_ptr<const Schedule> make_list(std::int64_t layers, std::span<const Action> actions) {
  require(layers >= 1, "layer_count is ", layers, "; expected at least 1");
  require(!actions.empty(), "actions_count is 0; expected actions that end with END");
  for (std::size_t i = 0; i < actions.size(); ++i) {
    const auto kind = static_cast<std::int32_t>(actions[i].kind);
    require(is_kind(kind), "actions[", i, "].kind is ", kind, "; expected an action kind");
    const bool last = i + 1 == actions.size();
    require((actions[i].kind == Kind::end) == last, "actions[", i, "] is ", kind_name(actions[i].kind),
            "; expected END last and only there");
  }
  return std::make_shared<const Schedule>(base::cat("list(", actions.size(), ")"), layers, std::make_unique<ListSource>(actions));
}

std::shared_ptr<const Schedule> make_graph_list(std::string name, std::int64_t layers, std::span<const Action> actions,
                                                std::shared_ptr<const GraphEdges> graph) {
  return std::make_shared<const Schedule>(std::move(name), layers, std::make_unique<ListSource>(actions), StageRole(),
                                          std::move(graph));
}

std::shared_ptr<const Schedule> make_stage_list(std::string name, std::int64_t layers, std::span<const Action> actions,
                                                StageRole role) {
  require(!actions.empty() && actions.back().kind == Kind::end, "a schedule ends with END");
  return std::make_shared<const Schedule>(std::move(name), layers, std::make_unique<ListSource>(actions), std::move(role));
}

}  // namespace ckpt::plan
