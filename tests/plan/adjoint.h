// Shared by the tests of the planners for adjoint codes: a code that follows a schedule and counts, and exhaustive searches.
#pragma once

#include <array>
#include <map>
#include <queue>
#include <set>
#include <string>
#include <vector>

#include "chains.h"

namespace ckpt::plan::test {

inline ChainProfile time_steps(std::int64_t n, std::uint32_t flags = needs_input | deterministic) {
  LayerProfile step;
  step.name = "step";
  step.flags = flags;
  step.output_bytes = 10;
  step.options = {{.tape_bytes = 3, .forward_seconds = 1, .backward_seconds = 2}};
  return ChainProfile::uniform(n, step);
}

// An adjoint code: it tracks the state in each of its buffers, and rejects impossible actions.
class AdjointCode {
 public:
  explicit AdjointCode(std::int64_t steps, std::uint32_t flags = needs_input | deterministic)
      : steps_(steps), next_back_(steps - 1), reads_output_((flags & needs_output) != 0) {
    states_[0] = 0;
  }

  std::int64_t forwards = 0;  // forwards without a recording
  std::int64_t recorded = 0;
  std::int64_t max_states = 0;  // maximum in memory at once, including the chain's output
  std::int64_t max_held = 0;    // states and recordings in memory at once
  std::array<std::int64_t, tiers> stores{};
  std::array<std::int64_t, tiers> loads{};
  std::array<std::int64_t, tiers> max_stored{};
  std::int32_t largest_slot = 0;
  std::string wrong;  // the first impossible action

  void obey(const Action& action) {
    switch (action.kind) {
      case Kind::forward:
        need(states_.contains(action.first), "FORWARD without its state");
        put(action.last, action.slot);
        forwards += action.last - action.first;
        break;
      case Kind::advance:
        need(states_.contains(action.first) && states_[action.first] == action.slot, "ADVANCE of a buffer that has another state");
        need(!transfers_.contains(action.first), "ADVANCE of a state that is being copied");
        states_.erase(action.first);
        put(action.last, action.slot);
        forwards += action.last - action.first;
        break;
      case Kind::forward_tape:
        need(states_.contains(action.first), "FORWARD_TAPE without its state");
        put(action.last, states_[action.first] + 1);
        record(action.first);
        break;
      case Kind::record:
        need(states_.contains(action.first), "RECORD without its state");
        if (reads_output_) put(action.last, 1000000000);  // in addition to the slots
        record(action.first);
        break;
      case Kind::turn: need(states_.contains(steps_) && next_back_ == steps_ - 1, "TURN without the output"); break;
      case Kind::backward:
        need(action.first == next_back_, "BACKWARD out of order");
        need(tapes_.erase(action.first) == 1, "BACKWARD without its recording");
        need(!reads_output_ || states_.contains(action.last), "BACKWARD without its output");
        --next_back_;
        break;
      case Kind::drop:
        if (action.tier == 0) {
          need(action.item == Item::input && states_.erase(action.first) == 1, "DROP of a missing state");
        } else {
          need(tier_[at(action.tier)].erase(action.slot) == 1, "DROP of an empty slot");
        }
        break;
      case Kind::store_begin:
        need(states_.contains(action.first), "STORE_BEGIN without its state");
        need(tier_[at(action.tier)].emplace(action.slot, action.first).second, "STORE_BEGIN into a slot that is taken");
        ++stores[at(action.tier)];
        max_stored[at(action.tier)] = std::max(max_stored[at(action.tier)], std::ssize(tier_[at(action.tier)]));
        transfers_.insert(action.first);
        break;
      case Kind::load_begin:
        need(tier_[at(action.tier)].contains(action.slot) && tier_[at(action.tier)][action.slot] == action.first,
             "LOAD_BEGIN of a slot that has another state");
        put(action.first, 0);
        ++loads[at(action.tier)];
        transfers_.insert(action.first);
        break;
      case Kind::await: transfers_.clear(); break;
      case Kind::end:
        need(next_back_ == -1 && states_.empty() && tapes_.empty(), "END too early");
        for (const auto& slots : tier_) need(slots.empty(), "END with a state on a tier");
        break;
      default: need(false, "an unknown kind");
    }
    max_states = std::max(max_states, std::ssize(states_));
    max_held = std::max(max_held, std::ssize(states_) + std::ssize(tapes_));
  }

 private:
  static std::size_t at(std::int32_t tier) { return static_cast<std::size_t>(tier); }

  void need(bool condition, const char* what) {
    if (!condition && wrong.empty()) wrong = what;
  }

  void put(std::int64_t step, std::int32_t slot) {
    for (const auto& [other, taken] : states_) need(taken != slot, "a buffer that is in use is written to");
    need(states_.emplace(step, slot).second, "an existing state is computed");
    if (step < steps_ && slot < 1000000000) largest_slot = std::max(largest_slot, slot);
  }

  void record(std::int64_t step) {
    need(tapes_.insert(step).second, "a step is recorded twice");
    ++recorded;
  }

  std::int64_t steps_;
  std::int64_t next_back_;
  bool reads_output_;
  std::map<std::int64_t, std::int32_t> states_;  // state to slot
  std::set<std::int64_t> tapes_;
  std::array<std::map<std::int32_t, std::int64_t>, tiers> tier_;
  std::set<std::int64_t> transfers_;
};

inline AdjointCode run(const std::shared_ptr<const Schedule>& schedule, std::uint32_t flags = needs_input | deterministic) {
  AdjointCode code(schedule->layers(), flags);
  Cursor cursor(schedule);
  for (Action action = cursor.next();; action = cursor.next()) {
    code.obey(action);
    if (action.kind == Kind::end || !code.wrong.empty()) return code;
  }
}

// Returns the least cost to reach a state with `is_goal`, over all paths (Dijkstra). moves(state) returns pairs of state and cost.
template <class State, class Moves, class Goal>
double min_cost(const State& start, const Moves& moves, const Goal& is_goal) {
  using Entry = std::pair<double, State>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> open;
  std::map<State, double> best{{start, 0}};
  open.push({0, start});
  while (!open.empty()) {
    const auto [cost, state] = open.top();
    open.pop();
    if (cost > best[state]) continue;
    if (is_goal(state)) return cost;
    for (const auto& [next, step] : moves(state)) {
      const auto [found, fresh] = best.emplace(next, cost + step);
      if (!fresh && found->second <= cost + step) continue;
      found->second = cost + step;
      open.push({cost + step, next});
    }
  }
  return -1;
}

}  // namespace ckpt::plan::test
