// Profiles and schedules of graphs through the public API: the rules of actions, the planner's effect, and bad input.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include "../sanitized.h"
#include "numbers.h"

namespace {

using ckpt::ActionKind;
using ckpt::Item;
using ckpt::LayerFlag;
using Values = std::vector<std::int64_t>;

template <class Call>
void expect_error(ckpt::Status status, const std::string& text, Call&& call) {
  try {
    call();
    ADD_FAILURE() << "no error; expected " << text;
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), status) << error.what();
    EXPECT_NE(std::string(error.what()).find(text), std::string::npos) << error.what();
  }
}

void add(ckpt::Profile& profile, std::int64_t output_bytes, std::int64_t tape_bytes = 0, double seconds = 1,
         LayerFlag flags = LayerFlag::deterministic) {
  ckpt::LayerProfile layer;
  layer.flags = flags;
  layer.output_bytes = output_bytes;
  profile.add_layer("layer" + std::to_string(profile.layer_count()), layer);
  ckpt::OptionProfile option;
  option.tape_bytes = tape_bytes;
  option.forward_seconds = seconds;
  option.backward_seconds = 2 * seconds;
  profile.add_option(option);
}

// Value 1 is read by layers 1 and 3, as for a skip connection: layer 3 joins values 3 and 1.
ckpt::Profile skip_connection(LayerFlag last = LayerFlag::deterministic) {
  ckpt::Profile profile(10);
  add(profile, 100, 0, 0.5);
  add(profile, 30, 40, 2, LayerFlag::deterministic | LayerFlag::adds_gradient);
  add(profile, 30, 40, 2);
  add(profile, 20, 0, 1, last);
  profile.set_inputs(1, {1}, {1});
  profile.set_inputs(3, {3, 1}, {3});
  return profile;
}

ckpt::ScheduleAction run(ActionKind kind, std::int64_t first, std::int64_t last) {
  ckpt::ScheduleAction action;
  action.kind = kind;
  action.first = first;
  action.last = last;
  return action;
}
ckpt::ScheduleAction forward(std::int64_t layer) { return run(ActionKind::forward, layer, layer + 1); }
ckpt::ScheduleAction tape(std::int64_t layer) { return run(ActionKind::forward_tape, layer, layer + 1); }
ckpt::ScheduleAction backward(std::int64_t layer) { return run(ActionKind::backward, layer, layer + 1); }
ckpt::ScheduleAction turn() { return run(ActionKind::turn, 0, 0); }
ckpt::ScheduleAction end() { return run(ActionKind::end, 0, 0); }
ckpt::ScheduleAction drop(std::int64_t value, Item item = Item::input) {
  ckpt::ScheduleAction action = run(ActionKind::drop, value, 0);
  action.item = item;
  return action;
}

using Actions = std::vector<ckpt::ScheduleAction>;

const Actions stores_all = {tape(0),     tape(1), tape(2),     tape(3), turn(),      drop(4), backward(3), drop(3),
                            backward(2), drop(2), backward(1), drop(1), backward(0), drop(0), end()};

ckpt::PlanReport verify(const ckpt::Profile& profile, const Actions& actions) {
  return ckpt::Schedule::list(profile.layer_count(), actions).verify(profile);
}

// A graph with every property of a layer. Layer i reads value i and some of the four before it. measurement: another one gives the
// same bytes and other seconds.
ckpt::Profile random_graph(std::uint64_t seed, std::int64_t layers, std::uint64_t measurement = 0) {
  Numbers numbers(seed);
  Numbers noise(measurement);
  ckpt::Profile profile(64 * (1 + numbers.up_to(60)));
  Values outputs = {layers};
  for (std::int64_t i = 0; i < layers; ++i) {
    ckpt::LayerProfile layer;
    const auto with = [&](LayerFlag flag, std::int64_t one_in) {
      if (numbers.one_in(one_in)) layer.flags = layer.flags | flag;
    };
    layer.flags = LayerFlag{};
    if (!numbers.one_in(10)) layer.flags = LayerFlag::deterministic;
    with(LayerFlag::needs_output, 4);
    with(LayerFlag::adds_gradient, 2);
    Values inputs = {i};
    for (std::int64_t value = std::max<std::int64_t>(0, i - 4); value < i; ++value) {
      if (numbers.one_in(4)) inputs.insert(numbers.one_in(2) ? inputs.begin() : inputs.end(), value);
    }
    if (i == 0) with(LayerFlag::no_input_gradient, 4);
    layer.output_bytes = 64 * (1 + numbers.up_to(60));
    if (numbers.one_in(6)) layer.ambient_bytes = 64 * numbers.up_to(4);
    profile.add_layer("layer" + std::to_string(i), layer);
    ckpt::OptionProfile option;
    option.tape_bytes = numbers.one_in(2) ? 0 : 64 * numbers.up_to(90);
    option.forward_workspace_bytes = numbers.one_in(3) ? 64 * numbers.up_to(50) : 0;
    option.backward_workspace_bytes = numbers.one_in(3) ? 64 * numbers.up_to(50) : 0;
    option.forward_seconds = 0.001 * static_cast<double>(5 + numbers.up_to(90));
    if (measurement != 0) option.forward_seconds *= 0.25 * static_cast<double>(1 + noise.up_to(15));
    option.backward_seconds = 0.001 * static_cast<double>(5 + numbers.up_to(200));
    profile.add_option(option);
    Values needed;
    for (const std::int64_t value : inputs) {
      if (!numbers.one_in(3)) needed.push_back(value);
    }
    profile.set_inputs(i, inputs, needed);
    if (i + 1 < layers && numbers.one_in(8)) outputs.push_back(i + 1);
  }
  profile.set_outputs(outputs);
  ckpt::ProfileFlag flags{};
  for (const ckpt::ProfileFlag flag :
       {ckpt::ProfileFlag::keeps_input, ckpt::ProfileFlag::keeps_output, ckpt::ProfileFlag::own_allocator}) {
    if (numbers.one_in(4)) flags = flags | flag;
  }
  profile.set_flags(flags);
  return profile;
}

bool budgets_limit_live_bytes(const ckpt::Profile& profile) {
  return (static_cast<std::uint32_t>(profile.flags()) & CKPT_PROFILE_FLAG_OWN_ALLOCATOR) != 0;
}

std::int64_t bytes_of(const ckpt::Profile& profile, const ckpt::Schedule& schedule) {
  return budgets_limit_live_bytes(profile) ? schedule.verify(profile).peak_bytes[0] : schedule.reserved_bytes(profile);
}

std::string with_budget(std::int64_t bytes) { return "graph:" + std::to_string(bytes); }

// ---- Rules ----

TEST(GraphWalk, CountsEveryBufferOfAStep) {
  const ckpt::PlanReport report = verify(skip_connection(), stores_all);
  EXPECT_EQ(report.forwards, 4);
  EXPECT_EQ(report.step_seconds, 3 * 5.5);
  // x0, values 1 .. 3, GRAD(4), both tapes, and GRAD(3), GRAD(1) while layer 3 runs backward.
  EXPECT_EQ(report.peak_bytes[0], 10 + 100 + 30 + 30 + 20 + 40 + 40 + 30 + 100);
}

// Layer 1 adds to the gradient of value 1 that layer 3 created: in place, or by a second buffer.
TEST(GraphWalk, AddsGradientsInPlaceOnlyWhereTheLayerDoes) {
  const auto peak_of = [](LayerFlag flags) {
    ckpt::Profile profile(0);
    add(profile, 100);
    add(profile, 10, 0, 1, flags | LayerFlag::deterministic);
    add(profile, 1);
    profile.set_inputs(1, {1}, {});
    profile.set_inputs(2, {2, 1}, {});
    const Actions actions = {tape(0), tape(1),     tape(2),     drop(1),     drop(2), turn(),
                             drop(3), backward(2), backward(1), backward(0), drop(0), end()};
    return verify(profile, actions).peak_bytes[0];
  };
  EXPECT_EQ(peak_of(LayerFlag{}), 10 + 100 + 100);
  EXPECT_EQ(peak_of(LayerFlag::adds_gradient), 1 + 10 + 100);  // while layer 2 runs
}

TEST(GraphWalk, RefusesStepsThatBreakARule) {
  const auto refused = [](Actions actions, const std::string& text) {
    if (actions.back().kind != ActionKind::end) actions.push_back(end());
    expect_error(ckpt::Status::invalid_schedule, text, [&] { verify(skip_connection(), actions); });
  };
  const auto changed = [](std::size_t at, const ckpt::ScheduleAction& action) {
    Actions actions = stores_all;
    actions[at] = action;
    return actions;
  };
  refused({tape(0), tape(1), drop(1), tape(2), tape(3)}, "INPUT(1) does not exist");
  refused({tape(0), tape(2)}, "INPUT(2) does not exist");
  refused({tape(0), tape(1), tape(2), tape(3), turn(), drop(3), backward(3)}, "INPUT(3) does not exist");
  refused({tape(0), tape(1), tape(2), tape(3), turn(), drop(1), backward(3), drop(3), backward(2), backward(1)},
          "INPUT(1) does not exist");
  refused(changed(8, backward(1)), "GRAD(2) does not exist");
  refused({tape(0), tape(1), tape(2), tape(3), turn(), backward(3), backward(0)},
          "layer 1, which adds to it first, has not run backward");
  refused({tape(0), tape(1), tape(2), tape(3), turn(), backward(3), drop(1, Item::grad), backward(2), backward(1)},
          "GRAD(1) does not exist");
  refused({run(ActionKind::forward, 0, 2)}, "expected layer 1 alone to read it");
  refused({tape(0), tape(1), tape(2), run(ActionKind::advance, 3, 4)}, "layer 3: expected it to read only value 3");
  Actions without_0(stores_all.begin(), stores_all.end() - 3);
  without_0.insert(without_0.end(), {drop(0), drop(1, Item::grad), end()});
  refused(without_0, "has not run backward through layer 0");
}

// Layers 1 and 2 read only the input.
TEST(GraphWalk, LayersRunInOrderTheFirstTime) {
  ckpt::Profile profile(1);
  for (int i = 0; i < 4; ++i) add(profile, 1);
  profile.set_inputs(1, {0}, {}).set_inputs(2, {0}, {}).set_inputs(3, {1, 2, 3}, {});
  expect_error(ckpt::Status::invalid_schedule, "layer 1 has not run", [&] { verify(profile, {forward(0), forward(2), end()}); });
}

TEST(GraphWalk, AnIncompleteGradientIsNotCopied) {
  ckpt::ScheduleAction store = run(ActionKind::store_begin, 1, 0);
  store.item = Item::grad;
  store.tier = 1;
  Actions actions = stores_all;
  actions.insert(actions.begin() + 7, store);
  expect_error(ckpt::Status::invalid_schedule, "GRAD(1): layer 1, which adds to it first",
               [&] { verify(skip_connection(), actions); });
}

// ---- The planner ----

// Value 1 is large and quick to compute again: the planner drops it between its two readers.
TEST(GraphPlanner, RemakesAValueBetweenItsReaders) {
  ckpt::Profile profile = skip_connection();
  profile.set_flags(ckpt::ProfileFlag::own_allocator);  // the budget limits live bytes
  const ckpt::PlanReport stored = ckpt::Schedule::create(profile, "store-all").verify(profile);
  // Values 1 and 3, GRAD(4), both tapes, and GRAD(3), GRAD(1) while layer 3 runs backward.
  EXPECT_EQ(stored.peak_bytes[0], 100 + 30 + 20 + 40 + 40 + 30 + 100);
  EXPECT_EQ(stored.recomputed_forwards, 0);
  const auto planned = ckpt::Schedule::create(profile, with_budget(stored.peak_bytes[0] - 1));
  const ckpt::PlanReport report = planned.verify(profile);
  // The input, value 1 again, GRAD(1), GRAD(2) and one tape while layer 1 runs backward.
  EXPECT_EQ(report.peak_bytes[0], 10 + 100 + 100 + 30 + 40);
  EXPECT_EQ(report.recomputed_forwards, 1);
  EXPECT_EQ(report.recomputed_seconds, 0.5);
  const auto by_auto = ckpt::Schedule::create(profile, "auto:" + std::to_string(stored.peak_bytes[0] - 1));
  EXPECT_EQ(by_auto.fingerprint(), planned.fingerprint());
}

// 10,000 graphs with CKPT_TEST_GRAPHS=10000; CKPT_TEST_FIRST_GRAPH=5000 begins with that one, so that several processes share them.
TEST(GraphPlanner, KeepsEveryBudgetAndTimeNeverRisesWithIt) {
  int budgets = 0;
  int recomputing = 0;
  const char* const given = std::getenv("CKPT_TEST_GRAPHS");
  const char* const first = std::getenv("CKPT_TEST_FIRST_GRAPH");
  const std::uint64_t graphs = given != nullptr ? std::stoull(given) : sanitized ? 3 : 12;
  for (std::uint64_t seed = first != nullptr ? std::stoull(first) : 0; seed < graphs; ++seed) {
    const std::int64_t layers = 3 + static_cast<std::int64_t>(seed % (seed < 300 ? 22 : 10));
    const ckpt::Profile profile = random_graph(seed, layers);
    const auto all = ckpt::Schedule::create(profile, "store-all");
    const std::int64_t largest = bytes_of(profile, all);
    EXPECT_EQ(ckpt::Schedule::create(profile, with_budget(largest)).fingerprint(), all.fingerprint());
    double shortest = all.verify(profile).step_seconds;
    std::int64_t smallest = 0;
    for (std::int64_t percent = 98; smallest == 0; percent -= 7) {
      const std::int64_t budget = std::max<std::int64_t>(1, largest * percent / 100);
      try {
        const auto schedule = ckpt::Schedule::create(profile, with_budget(budget));
        EXPECT_LE(bytes_of(profile, schedule), budget);
        const ckpt::PlanReport report = schedule.verify(profile);
        EXPECT_GE(report.step_seconds, shortest * (1 - 1e-9)) << "graph " << seed << ", " << percent << "%";
        shortest = report.step_seconds;
        ++budgets;
        recomputing += report.recomputed_forwards > 0 ? 1 : 0;
      } catch (const ckpt::Error& error) {
        ASSERT_EQ(error.status(), ckpt::Status::over_budget) << error.what();
        const std::string text = error.what();
        smallest = std::stoll(text.substr(text.find("graph is ") + 9));
        EXPECT_GT(smallest, budget);
      }
    }
    EXPECT_LE(bytes_of(profile, ckpt::Schedule::create(profile, with_budget(smallest))), smallest);
    expect_error(ckpt::Status::over_budget, "is " + std::to_string(smallest),
                 [&] { ckpt::Schedule::create(profile, with_budget(smallest - 1)); });
  }
  std::cout << budgets << " budgets, " << recomputing << " of them with recomputation\n";
  EXPECT_GT(recomputing, budgets / 2);
}

std::int64_t smallest_budget(const ckpt::Profile& profile) {
  try {
    ckpt::Schedule::create(profile, with_budget(1));
  } catch (const ckpt::Error& error) {
    const std::string text = error.what();
    return std::stoll(text.substr(text.find("graph is ") + 9));
  }
  return 0;
}

// A program that measures its layers again finds the budget sufficient that an earlier run has reported.
TEST(GraphPlanner, TheSmallestBudgetDoesNotDependOnSeconds) {
  for (const std::int64_t layers : {20, 60}) {
    for (std::uint64_t seed = 0; seed < (sanitized ? 1 : 4); ++seed) {
      const std::int64_t smallest = smallest_budget(random_graph(seed, layers));
      for (std::uint64_t measurement = 1; measurement <= 2; ++measurement) {
        const ckpt::Profile profile = random_graph(seed, layers, measurement);
        EXPECT_EQ(smallest_budget(profile), smallest) << layers << " layers, graph " << seed;
        EXPECT_LE(bytes_of(profile, ckpt::Schedule::create(profile, with_budget(smallest))), smallest);
      }
    }
  }
}

TEST(GraphPlanner, AFrontierPointIsTheScheduleOfItsBudget) {
  const ckpt::Profile profile = random_graph(7, 14);
  const std::vector<ckpt::FrontierPoint> points = profile.frontier("graph");
  ASSERT_GT(points.size(), 3U);
  for (std::size_t i = 0; i < points.size(); ++i) {
    if (i > 0) {
      EXPECT_GT(points[i].live_bytes, points[i - 1].live_bytes);
      EXPECT_LT(points[i].step_seconds, points[i - 1].step_seconds);
    }
    const auto schedule = ckpt::Schedule::create(profile, with_budget(points[i].reserved_bytes));
    EXPECT_LE(schedule.verify(profile).step_seconds, points[i].step_seconds);
  }
  EXPECT_EQ(points.back().recomputed_forwards, 0);
}

// A chain is a graph, too: the planner comes close to the better one of those of chains.
TEST(GraphPlanner, PlansChains) {
  double sum = 0;
  double worst = 0;
  int count = 0;
  const auto compare = [&](const ckpt::Profile& profile, std::int64_t budget) {
    const auto seconds_of = [&](const char* planner) {
      return ckpt::Schedule::create(profile, planner + std::to_string(budget)).verify(profile).step_seconds;
    };
    double more = 0;
    try {
      more = seconds_of("graph:") / std::min(seconds_of("chain:"), seconds_of("tapes:")) - 1;
    } catch (const ckpt::Error& error) {
      ASSERT_EQ(error.status(), ckpt::Status::over_budget) << error.what();
      return;
    }
    sum += more;
    worst = std::max(worst, more);
    ++count;
  };
  const Values sizes = sanitized ? Values{12} : Values{12, 12, 12, 12, 24, 24, 24, 48, 96};
  for (std::size_t at = 0; at < sizes.size(); ++at) {
    Numbers numbers(at + 1);
    ckpt::Profile profile(64 * (1 + numbers.up_to(60)));
    for (std::int64_t i = 0; i < sizes[at]; ++i) {
      add(profile, 64 * (1 + numbers.up_to(60)), 64 * numbers.up_to(90), 0.001 * static_cast<double>(5 + numbers.up_to(90)),
          LayerFlag::deterministic | LayerFlag::needs_input);
    }
    const std::int64_t all = ckpt::Schedule::create(profile, "store-all").reserved_bytes(profile);
    for (const std::int64_t percent : sizes[at] < 48 ? Values{35, 50, 70} : Values{40}) compare(profile, all * percent / 100);
  }
  std::cout << "chains: " << count << " budgets, " << 100 * sum / count
            << "% longer than the better of chain and tapes on average, " << 100 * worst << "% at most\n";
  EXPECT_LE(sum / count, 0.005);
  EXPECT_LE(worst, 0.03);
}

TEST(GraphPlanner, OtherPlannersAndExecutorsRefuseGraphs) {
  const ckpt::Profile profile = skip_connection();
  for (const char* planner :
       {"chain:1000", "tapes:1000", "revolve:3", "mixed:3", "two-level:2", "periodic:2", "sqrt", "recompute-all"}) {
    expect_error(ckpt::Status::unsupported, "graph:BYTES", [&] { ckpt::Schedule::create(profile, planner); });
  }
  expect_error(ckpt::Status::unsupported, "graph", [&] { ckpt::Schedule::segments(profile, {0, 2}); });
  expect_error(ckpt::Status::unsupported, "graph", [&] { profile.frontier("chain"); });
  expect_error(ckpt::Status::not_found, "chain, tapes or graph", [&] { profile.frontier("revolve"); });
  const auto schedule = ckpt::Schedule::create(profile, "store-all");
  expect_error(ckpt::Status::unsupported, "graph", [&] { ckpt::Program(schedule, profile); });
}

// ---- Profiles ----

TEST(GraphProfile, IsWrittenAsJsonAndReadBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const ckpt::Profile profile = random_graph(seed, 3 + static_cast<std::int64_t>(seed));
    const ckpt::Profile read = ckpt::Profile::from_json(profile.json());
    EXPECT_EQ(read.json(), profile.json());
    EXPECT_EQ(ckpt::Schedule::create(read, "store-all").fingerprint(), ckpt::Schedule::create(profile, "store-all").fingerprint());
  }
  ckpt::Profile chain(1);
  add(chain, 1);
  EXPECT_EQ(chain.json().find("inputs"), std::string::npos);
  EXPECT_EQ(chain.json().find("outputs"), std::string::npos);
}

TEST(GraphProfile, RefusesInvalidJson) {
  const std::string json = skip_connection().json();
  const auto refused = [&](const std::string& from, const std::string& to, const std::string& text) {
    std::string changed = json;
    ASSERT_NE(changed.find(from), std::string::npos) << json;
    changed.replace(changed.find(from), from.size(), to);
    expect_error(ckpt::Status::corrupt, text, [&] { ckpt::Profile::from_json(changed); });
  };
  refused(R"("inputs":[3,1])", R"("inputs":[3,9])", "layers[3]: inputs[1] is 9");
  refused(R"("inputs":[3,1])", R"("inputs":[3,3])", "layers[3]: inputs has value 3 twice");
  refused(R"("inputs":[3,1])", R"("inputs":[])", "layers[3]: inputs_count is 0");
  refused(R"("inputs":[3,1])", R"("inputs":[3.5])", "layers[3].inputs[0]: expected a whole number");
  refused(R"("inputs":[3,1],)", "", "layers[3]: expected inputs and needed_inputs, or neither");
  refused(R"("needed_inputs":[3])", R"("needed_inputs":[2])", "layers[3]: needed has value 2");
  refused(R"("outputs":[4])", R"("outputs":[5])", "outputs: values[0] is 5");
  refused(R"("outputs":[4])", R"("outputs":4)", "outputs: expected a list");
}

TEST(GraphProfile, RefusesInvalidGraphs) {
  ckpt::Profile profile = skip_connection();
  const auto refused = [&](ckpt::Status status, const std::string& text, std::int64_t layer, const Values& inputs,
                           const Values& needed) {
    expect_error(status, text, [&] { profile.set_inputs(layer, inputs, needed); });
  };
  const std::string before = profile.json();
  refused(ckpt::Status::out_of_range, "layer is 4; the profile has 4", 4, {0}, {});
  refused(ckpt::Status::out_of_range, "layer is -1", -1, {0}, {});
  refused(ckpt::Status::invalid_argument, "inputs_count is 0; expected at least 1", 2, {}, {});
  refused(ckpt::Status::invalid_argument, "inputs[0] is 3; expected 0 .. 2", 2, {3},
          {});  // a cycle, or a value that nothing computes
  refused(ckpt::Status::invalid_argument, "inputs[1] is -1", 2, {2, -1}, {});
  refused(ckpt::Status::invalid_argument, "inputs has value 2 twice", 2, {2, 1, 2}, {});
  refused(ckpt::Status::invalid_argument, "needed has value 1; expected values that inputs has, too", 2, {2}, {1});
  refused(ckpt::Status::invalid_argument, "needed has value 2 twice", 2, {2}, {2, 2});
  for (const Values& outputs : {Values{}, Values{0}, Values{5}, Values{4, 4}})
    expect_error(ckpt::Status::invalid_argument, outputs.empty() ? "values_count is 0" : "values",
                 [&] { profile.set_outputs(outputs); });
  EXPECT_EQ(profile.json(), before);
  ckpt::LayerProfile step;
  step.output_bytes = 1;
  ckpt::Profile uniform = ckpt::Profile::uniform(4, step, ckpt::OptionProfile());
  expect_error(ckpt::Status::invalid_state, "uniform", [&] { uniform.set_inputs(1, {1}, {}); });
  expect_error(ckpt::Status::invalid_state, "uniform", [&] { uniform.set_outputs({1}); });

  const auto refuses_plan = [](const ckpt::Profile& graph, const std::string& text) {
    for (const char* planner : {"graph:1GiB", "auto:1GiB", "store-all"})
      expect_error(ckpt::Status::invalid_argument, text, [&] { ckpt::Schedule::create(graph, planner); });
    expect_error(ckpt::Status::invalid_argument, text, [&] { verify(graph, stores_all); });
  };
  ckpt::Profile unread = skip_connection();
  unread.set_inputs(2, {1}, {});
  refuses_plan(unread, "no layer reads value 2 of layer 1 (layer1); expected a path to an output");
  refuses_plan(skip_connection(LayerFlag::no_input_gradient), "layer 3 (layer3) has the flag NO_INPUT_GRADIENT");
  refuses_plan(skip_connection(LayerFlag::in_place), "layer 3 (layer3) has the flag IN_PLACE");
  ckpt::Profile no_option(1);
  no_option.add_layer("layer0", ckpt::LayerProfile());
  no_option.set_inputs(0, {0}, {});
  expect_error(ckpt::Status::invalid_state, "expected at least one option", [&] { ckpt::Schedule::create(no_option, "graph:1"); });
}

TEST(GraphProfile, RefusesSumsThatOverflow) {
  ckpt::Profile bytes = skip_connection();
  add(bytes, std::numeric_limits<std::int64_t>::max() / 2);
  expect_error(ckpt::Status::out_of_range, "exceeds INT64_MAX", [&] { ckpt::Schedule::create(bytes, "graph:1GiB"); });
  ckpt::Profile seconds = skip_connection();
  add(seconds, 1, 0, std::numeric_limits<double>::max() / 3);
  expect_error(ckpt::Status::out_of_range, "exceeds the range of a double", [&] { ckpt::Schedule::create(seconds, "graph:1GiB"); });
}

TEST(GraphProfile, HasAnyNumberOfLayersAndPlannersStateTheirLimit) {
  const std::int64_t layers = sanitized ? 20000 : std::int64_t{1} << 20;
  ckpt::Profile profile(1);
  for (std::int64_t i = 0; i < layers; ++i) add(profile, 1);
  profile.set_inputs(1, {1, 0}, {});
  expect_error(ckpt::Status::unsupported, "up to 16384", [&] { ckpt::Schedule::create(profile, "graph:1GiB"); });
}

}  // namespace
