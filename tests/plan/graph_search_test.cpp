// The local search over recomputations in a graph, compared with the reference graphs, an exhaustive search over the contents of
// memory, and a timeline that is built again.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <nlohmann/json.hpp>
#include <queue>
#include <random>
#include <set>

#include "../sanitized.h"
#include "plan/planners/graph_schedule.h"
#include "plan/planners/graph_search.h"
#include "plan/verifier.h"

namespace ckpt::plan::test {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

// Operations read one to three of the last five values.
GraphCosts random_graph(std::mt19937& random, std::int32_t n) {
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  GraphCosts costs{.input_bytes = 1 + up_to(60), .operations = {}};
  for (std::int32_t i = 0; i < n; ++i) {
    GraphOperation operation;
    operation.inputs = {i};  // so that every value has a path to the loss
    for (std::int32_t value = std::max(0, i - 4); value < i; ++value) {
      if (up_to(3) == 0) operation.inputs.push_back(value);
    }
    std::sort(operation.inputs.begin(), operation.inputs.end());
    for (const std::int32_t value : operation.inputs) {
      if (up_to(2) != 0) operation.needed_inputs.push_back(value);
    }
    operation.output_bytes = 1 + up_to(60);
    operation.tape_bytes = up_to(1) == 0 ? 0 : up_to(90);
    operation.forward_time = static_cast<double>(5 + up_to(90));
    operation.backward_time = static_cast<double>(5 + up_to(200));
    operation.deterministic = up_to(9) != 0;
    costs.operations.push_back(operation);
  }
  return costs;
}

// Dijkstra's algorithm over the contents of memory before each main operation. Operations may run again in any order, and record
// in any of their runs.
class ExhaustiveGraphSearch {
 public:
  ExhaustiveGraphSearch(const GraphCosts& costs, std::int64_t budget) : costs_(costs), n_(costs.size()), budget_(budget) {}

  double min_time() {
    known_.assign(std::size_t{1} << 20U, infinite);
    reach({0, 1, 0}, 0);
    while (!queue_.empty()) {
      const auto [time, key] = queue_.top();
      queue_.pop();
      if (time > known_[key]) continue;
      const State state{static_cast<std::int32_t>(key >> 15U), static_cast<std::uint32_t>(key >> 7U & 255U),
                        static_cast<std::uint32_t>(key & 127U)};
      if (state.stage > 2 * n_) return time;
      expand(state, time);
    }
    return infinite;
  }

 private:
  struct State {
    std::int32_t stage;    // the next main operation
    std::uint32_t values;  // in memory
    std::uint32_t tapes;
  };

  std::int64_t live_bytes(const State& state) const {
    std::int64_t bytes = 0;
    for (std::int32_t v = 0; v <= n_; ++v) bytes += (state.values >> v & 1U) != 0 ? costs_.value_bytes(v) : 0;
    for (std::int32_t i = 0; i < n_; ++i) bytes += (state.tapes >> i & 1U) != 0 ? costs_.operation(i).tape_bytes : 0;
    return bytes;
  }

  // at: of a main operation; otherwise of the runs before it.
  std::int64_t gradient_bytes(std::int32_t stage, bool at) const {
    std::int64_t bytes = 0;
    for (std::int32_t v = 0; v <= n_; ++v) {
      std::int32_t created = v == n_ ? n_ : 3 * n_;
      for (std::int32_t i = 0; i < n_; ++i) {
        const auto& inputs = costs_.operation(i).inputs;
        if (std::find(inputs.begin(), inputs.end(), v) != inputs.end()) created = 2 * n_ - i;
      }
      const std::int32_t end = v == 0 ? 2 * n_ : 2 * n_ - (v - 1);
      if ((at ? created <= stage : created < stage) && end >= stage) bytes += costs_.value_bytes(v);
    }
    return bytes;
  }

  void reach(const State& state, double time) {
    const std::size_t key = static_cast<std::size_t>(state.stage) << 15U | state.values << 7U | state.tapes;
    if (time >= known_[key]) return;
    known_[key] = time;
    queue_.push({time, key});
  }

  bool has_values(const State& state, const std::vector<std::int32_t>& values) const {
    return std::all_of(values.begin(), values.end(), [&](std::int32_t v) { return (state.values >> v & 1U) != 0; });
  }

  void run_forward(const State& state, double time, std::int32_t i, std::int32_t next_stage) {
    const GraphOperation& operation = costs_.operation(i);
    const std::uint32_t output = 1U << (i + 1);
    if ((state.values & output) != 0 || !has_values(state, operation.inputs)) return;
    for (const bool records : {false, true}) {
      if (records && (state.tapes >> i & 1U) != 0) continue;
      const State ran{next_stage, state.values | output, state.tapes | (records ? 1U << i : 0)};
      if (live_bytes(ran) + gradient_bytes(state.stage, next_stage > state.stage) > budget_) continue;
      reach(ran, time + operation.forward_time);
    }
  }

  void expand(const State& state, double time) {
    for (std::int32_t v = 0; v <= n_; ++v) reach({state.stage, state.values & ~(1U << v), state.tapes}, time);
    for (std::int32_t i = 0; i < std::min(state.stage, n_); ++i) {
      if (costs_.operation(i).deterministic) run_forward(state, time, i, state.stage);
    }
    if (state.stage < n_) return run_forward(state, time, state.stage, state.stage + 1);
    if (live_bytes(state) + gradient_bytes(state.stage, true) > budget_) return;
    if (state.stage == n_) {
      if (has_values(state, {n_})) reach({n_ + 1, state.values, state.tapes}, time);
      return;
    }
    const std::int32_t i = 2 * n_ - state.stage;
    if ((state.tapes >> i & 1U) == 0 || !has_values(state, costs_.operation(i).needed_inputs)) return;
    reach({state.stage + 1, state.values, state.tapes & ~(1U << i)}, time + costs_.operation(i).backward_time);
  }

  const GraphCosts& costs_;
  const std::int32_t n_;
  const std::int64_t budget_;
  std::vector<double> known_;
  std::priority_queue<std::pair<double, std::size_t>, std::vector<std::pair<double, std::size_t>>, std::greater<>> queue_;
};

TEST(GraphTimeline, EqualsOneThatIsBuiltAgain) {
  std::mt19937 random(41);
  for (int round = 0; round < (sanitized ? 30 : 300); ++round) {
    const auto n = static_cast<std::int32_t>(3 + random() % 20);
    const GraphCosts costs = random_graph(random, n);
    GraphTimeline timeline(costs);
    for (int change = 0; change < 60; ++change) {
      const auto i = static_cast<std::int32_t>(random() % static_cast<std::uint32_t>(n));
      const Recomputation each{static_cast<std::int32_t>(i + 1 + random() % static_cast<std::uint32_t>(2 * (n - i))), i};
      if (timeline.has(each)) {
        timeline.remove(each);
      } else {
        timeline.add(each);
      }
      GraphTimeline again(costs);
      for (const Recomputation& one : timeline.recomputations()) again.add(one);
      ASSERT_EQ(timeline.peak_bytes(), again.peak_bytes()) << "graph " << round << ", change " << change;
      ASSERT_EQ(timeline.time(), again.time());
      ASSERT_EQ(timeline.fullest(), again.fullest());
    }
    while (!timeline.recomputations().empty()) timeline.remove(*timeline.recomputations().begin());
    EXPECT_EQ(timeline.peak_bytes(), GraphTimeline(costs).peak_bytes());
  }
}

// A graph with every property that changes the bytes of a step. Seconds are whole multiples of a unit.
ChainProfile random_profile(std::mt19937& random, std::int64_t n) {
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  ChainProfile profile(up_to(60));
  std::vector<std::int64_t> outputs = {n};
  std::set<std::int64_t> read_in_place;  // by one layer alone
  for (std::int64_t i = 0; i < n; ++i) {
    LayerProfile layer;
    layer.name = "layer";
    layer.flags = up_to(5) == 0 ? 0 : deterministic;
    layer.output_bytes = up_to(60);
    std::vector<std::int64_t> inputs = {i};
    if (i == 0 && up_to(2) == 0) layer.flags |= no_input_gradient;
    for (std::int64_t value = std::max<std::int64_t>(0, i - 4); value < i; ++value) {
      if (up_to(3) == 0 && !read_in_place.contains(value)) inputs.push_back(value);
    }
    if (inputs.size() == 1 && outputs.back() != i && up_to(3) == 0) {
      layer.flags |= in_place;
      read_in_place.insert(i);
    }
    for (const std::uint32_t flag : {needs_output, adds_gradient}) layer.flags |= up_to(1) == 0 ? flag : 0;
    layer.ambient_bytes = up_to(2) == 0 ? up_to(20) : 0;
    OptionProfile option{.tape_bytes = up_to(90),
                         .forward_workspace_bytes = up_to(1) * up_to(50),
                         .backward_workspace_bytes = up_to(1) * up_to(50),
                         .forward_seconds = static_cast<double>(up_to(9)),
                         .backward_seconds = static_cast<double>(up_to(9))};
    if (up_to(3) == 0) option.backward_peak_bytes = option.tape_bytes + up_to(300);
    layer.options = {option};
    profile.add_layer(layer);
    std::vector<std::int64_t> needed;
    for (const std::int64_t value : inputs) {
      if (up_to(1) == 0) needed.push_back(value);
    }
    profile.set_inputs(i, inputs, needed);
    if (i + 1 < n && up_to(6) == 0) outputs.push_back(i + 1);
  }
  profile.set_outputs(outputs);
  profile.set_flags(static_cast<std::uint32_t>(up_to(3)));
  return profile;
}

TEST(GraphSchedule, HasTheBytesAndRunsOfItsTimeline) {
  std::mt19937 random(43);
  for (int round = 0; round < (sanitized ? 100 : 2000); ++round) {
    const auto n = static_cast<std::int32_t>(2 + random() % 12);
    const ChainProfile profile = random_profile(random, n);
    const GraphCosts costs = graph_costs(profile);
    GraphTimeline timeline(costs);
    std::vector<Recomputation> recomputations;
    // In descending order of operations, so that what a recomputation reads can be remade for it.
    for (std::int32_t stage = 1; stage <= 2 * n; ++stage) {
      for (std::int32_t i = std::min(stage, n); i-- > 0;) {
        const bool is_wanted = random() % 8 == 0 && stage <= 2 * n - i;
        if (is_wanted && costs.operation(i).deterministic) timeline.add({stage, i});
      }
    }
    recomputations.assign(timeline.recomputations().begin(), timeline.recomputations().end());
    const auto schedule = graph_schedule(costs, recomputations, "graph");
    const PlanReport report = verify(*schedule, profile);
    ASSERT_EQ(report.peak_bytes[0], timeline.peak_bytes()) << "graph " << round;
    ASSERT_EQ(report.recomputed_forwards, std::ssize(recomputations));
  }
}

// Times next to the least ones.
class Comparison {
 public:
  // time: nothing if no plan was found.
  void add(std::optional<double> time, double min) {
    ++budgets_;
    if (!time) {
      ++refused_;
      return;
    }
    EXPECT_GE(*time, min);
    optimal_ += *time == min ? 1 : 0;
    sum_ += *time / min - 1;
    worst_ = std::max(worst_, *time / min - 1);
  }

  void expect_nearly_optimal(const char* name) const {
    std::cout << name << ", " << budgets_ << " budgets: optimal at " << 100.0 * optimal_ / budgets_ << "%, "
              << 100 * sum_ / budgets_ << "% longer on average, at most " << 100 * worst_ << "%; " << refused_
              << " refused although a schedule exists\n";
    if (!sanitized) {  // with sanitizers there are too few budgets for a share of them
      EXPECT_GE(optimal_, 0.97 * budgets_);
      EXPECT_LE(sum_, 0.001 * budgets_);
    }
    EXPECT_LE(worst_, 0.06);
    EXPECT_LE(refused_, 0.003 * budgets_);  // a few need runs before a stage in another order than that of their indices
  }

 private:
  int budgets_ = 0;
  int optimal_ = 0;
  int refused_ = 0;
  double sum_ = 0;
  double worst_ = 0;
};

// Returns the time of the fastest plan within the budget.
std::optional<double> time_within(const std::vector<GraphPlan>& plans, std::int64_t budget) {
  std::optional<double> time;
  for (const GraphPlan& plan : plans) {
    if (plan.peak_bytes <= budget) time = plan.time;
  }
  return time;
}

// 1,000 graphs with CKPT_TEST_GRAPHS=1000.
TEST(GraphSearch, IsNearlyAlwaysOptimalForSmallGraphs) {
  std::mt19937 random(42);
  Comparison of_one;  // a search for the budget
  Comparison of_all;  // a search for all budgets
  const char* const graphs = std::getenv("CKPT_TEST_GRAPHS");
  for (int round = 0; round < (graphs != nullptr ? std::atoi(graphs) : sanitized ? 8 : 80); ++round) {
    const GraphCosts costs = random_graph(random, 4 + round % 4);
    const std::int64_t all = GraphTimeline(costs).peak_bytes();
    const std::vector<GraphPlan> plans =
        explore_graph(costs, smallest_graphs(costs, exploring_work(costs) / 4).back(), exploring_work(costs));
    for (const std::int64_t percent : {55, 70, 85}) {
      const std::int64_t budget = all * percent / 100;
      const double min = ExhaustiveGraphSearch(costs, budget).min_time();
      const std::optional<GraphPlan> plan = search_graph(costs, budget, 2000000);
      const std::optional<double> explored = time_within(plans, budget);
      if (min == infinite) {
        EXPECT_FALSE(plan) << "graph " << round << ", budget " << budget;
        EXPECT_FALSE(explored);
        continue;
      }
      if (plan) {
        EXPECT_LE(plan->peak_bytes, budget);
      }
      of_one.add(plan ? std::optional(plan->time) : std::nullopt, min);
      of_all.add(explored, min);
    }
  }
  of_one.expect_nearly_optimal("searched");
  of_all.expect_nearly_optimal("explored");
}

TEST(GraphSearch, EqualsTheReferenceGraphs) {
  const char* const shared = std::getenv("CKPT_SHARED");
  std::ifstream file(std::string(shared == nullptr ? "." : shared) + "/reference/graphs.json");
  if (!file) GTEST_SKIP() << "SKIP: the reference data (reference/graphs.json) is not on this machine";
  const nlohmann::json reference = nlohmann::json::parse(file);
  double sum = 0;
  int count = 0;
  for (const auto& graph : reference["graphs"]) {
    GraphCosts costs;
    costs.input_bytes = graph["a"][0].get<std::int64_t>();
    for (std::size_t i = 0; i < graph["n"].get<std::size_t>(); ++i) {
      costs.operations.push_back({.inputs = graph["in"][i].get<std::vector<std::int32_t>>(),
                                  .needed_inputs = graph["bw"][i].get<std::vector<std::int32_t>>(),
                                  .output_bytes = graph["a"][i + 1].get<std::int64_t>(),
                                  .tape_bytes = graph["tape"][i].get<std::int64_t>(),
                                  .forward_time = graph["f"][i].get<double>(),
                                  .backward_time = graph["b"][i].get<double>()});
    }
    const GraphTimeline timeline(costs);
    EXPECT_EQ(timeline.peak_bytes(), graph["store_all_peak"].get<std::int64_t>()) << graph["name"];
    EXPECT_EQ(timeline.time(), graph["store_all_cost"].get<double>()) << graph["name"];
    for (const auto& best : graph["best"]) {
      const auto budget = best["budget"].get<std::int64_t>();
      const std::optional<GraphPlan> plan = search_graph(costs, budget, sanitized ? 2'000'000 : 20'000'000);
      ASSERT_TRUE(plan) << graph["name"] << ", budget " << budget;
      EXPECT_LE(plan->peak_bytes, budget);
      const double longer = plan->time / best["cost"].get<double>() - 1;
      EXPECT_LE(longer, sanitized ? 0.1 : 0.015) << graph["name"] << ", budget " << budget;
      sum += longer;
      ++count;
    }
  }
  std::cout << count << " budgets: " << 100 * sum / count << "% longer than the reference on average\n";
  if (!sanitized) {
    EXPECT_LE(sum, 0);
  }
}

}  // namespace
}  // namespace ckpt::plan::test
