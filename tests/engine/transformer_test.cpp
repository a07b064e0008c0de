// A small transformer with a tied head, dropout and residuals: the executor's contract holds as for a chain of plain layers, and
// the head's weight has one gradient.
#include <gtest/gtest.h>

#include <set>

#include "engine/optimizer.h"
#include "engine/profiler.h"
#include "models.h"
#include "plan/planners.h"
#include "plan/planners/auto_planner.h"
#include "plan/planners/chain_planner.h"

namespace ckpt::engine::test {
namespace {

using plan::Schedule;
using SchedulePtr = std::shared_ptr<const Schedule>;

Model small_transformer(Dtype dtype = Dtype::f32, double dropout = 0.1) { return transformer(dtype, 4, 12, 16, 4, 2, dropout); }

struct Result {
  double loss = 0;
  std::vector<std::byte> gradients;
};

Result run_once(const Model& model, const Schedule& schedule, int thread_count, std::int64_t number = 3) {
  const auto executor = executor_for(model, schedule, thread_count);
  Result result;
  result.loss = executor->run(step_of(model, number));
  result.gradients = gradients_of(*model.chain);
  return result;
}

// Returns the profile with seconds, in which the backward of each option takes longer than that of the previous one, for planners.
plan::ChainProfile timed(plan::ChainProfile profile) {
  for (std::int64_t layer = 0; layer < profile.layers(); ++layer) {
    for (std::size_t option = 0; option < profile.layer(layer).options.size(); ++option) {
      plan::OptionProfile times = profile.layer(layer).options[option];
      times.forward_seconds = times.record_seconds = 1e-3;
      times.backward_seconds = 2e-3 + 3e-4 * static_cast<double>(option);
      profile.set_option(layer, static_cast<std::int32_t>(option), times);
    }
  }
  return profile;
}

std::vector<plan::Action> actions_of(const SchedulePtr& schedule) {
  plan::Cursor cursor(schedule);
  std::vector<plan::Action> actions;
  do {
    actions.push_back(cursor.next());
  } while (actions.back().kind != plan::Kind::end);
  return actions;
}

bool records_or_uses(const plan::Action& action) {
  return action.kind == plan::Kind::forward_tape || action.kind == plan::Kind::record || action.kind == plan::Kind::backward;
}

// Returns store-all with option (i + shift), modulo the number of options, for layer i.
SchedulePtr with_mixed_options(const plan::ChainProfile& profile, std::int64_t shift) {
  std::vector<plan::Action> actions = actions_of(plan::make_store_all(profile));
  for (plan::Action& action : actions) {
    if (!records_or_uses(action)) continue;
    const auto options = static_cast<std::int64_t>(profile.layer(action.first).options.size());
    action.option = static_cast<std::int32_t>((action.first + shift) % options);
  }
  return plan::make_list(profile.layers(), actions);
}

// Returns every schedule that needs only the profile, all mixes of options, and planners' schedules for budgets.
std::vector<SchedulePtr> all_schedules(const plan::ChainProfile& profile) {
  std::vector<SchedulePtr> all = schedules_of(profile);
  for (std::int64_t shift = 0; shift < 4; ++shift) all.push_back(with_mixed_options(profile, shift));
  const plan::ChainProfile seconds = timed(profile);
  for (const auto& [planner, name] : {std::pair{plan::ChainPlanner::chain, "chain"}, {plan::ChainPlanner::tapes, "tapes"}}) {
    const auto points = plan::frontier_points(seconds, name, 1000).points;
    const std::int64_t min = points.front().reserved_bytes;
    const std::int64_t max = points.back().reserved_bytes;
    for (int i = 0; i <= 3; ++i) {
      const std::int64_t budget = min + (max - min) * i / 3;
      all.push_back(plan::make_chain_for_budget(seconds, planner, budget));
      if (i > 0 && planner == plan::ChainPlanner::chain) all.push_back(plan::make_auto(seconds, budget, {}));
    }
  }
  return all;
}

// ---- The contract ------------------------------------------------------------------------------------------------------------

TEST(Transformer, EveryScheduleAndThreadCountGivesTheSameBits) {
  const Model model = small_transformer();
  const plan::ChainProfile profile = model.chain->profile(model.input);
  ASSERT_EQ(profile.layers(), 8);
  const Result expected = run_once(model, *plan::make_store_all(profile), 1);
  EXPECT_TRUE(std::isfinite(expected.loss));
  std::set<std::int32_t> attention_options;
  std::set<std::int32_t> mlp_options;
  for (const auto& schedule : all_schedules(profile)) {
    if (schedule->layers() > 0) {
      for (const plan::Action& action : actions_of(schedule)) {
        if (records_or_uses(action) && action.first == 1) attention_options.insert(action.option);
        if (records_or_uses(action) && action.first == 2) mlp_options.insert(action.option);
      }
    }
    for (const int thread_count : {1, 2, 3}) {
      const Result result = run_once(model, *schedule, thread_count);
      EXPECT_EQ(result.loss, expected.loss) << schedule->name() << ", " << thread_count << " threads";
      EXPECT_TRUE(result.gradients == expected.gradients) << schedule->name() << ", " << thread_count << " threads";
    }
  }
  EXPECT_EQ(attention_options, (std::set<std::int32_t>{0, 1, 2}));
  EXPECT_EQ(mlp_options, (std::set<std::int32_t>{0, 1, 2, 3}));
}

TEST(Transformer, LiveBytesEqualTheVerifiers) {
  const Model model = small_transformer();
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : all_schedules(profile)) {
    const auto tracker = std::make_shared<memory::Tracker>();
    const auto executor = executor_for(model, *schedule, 2, tracker);
    executor->run(step_of(model));
    const plan::PlanReport report = plan::verify(*schedule, profile);
    EXPECT_EQ(executor->stats().peak_live_bytes, report.peak_bytes[0]) << schedule->name();
    EXPECT_EQ(tracker->stats().peak_bytes, report.peak_bytes[0]) << schedule->name();
    EXPECT_EQ(tracker->stats().current_bytes, 0) << schedule->name();
    EXPECT_EQ(executor->stats().live_bytes, 0) << schedule->name();
    EXPECT_EQ(executor->stats().recomputed_forwards, report.recomputed_forwards) << schedule->name();
  }
}

TEST(Transformer, ReservesLittleMoreThanIsLive) {
  const Model model = transformer(Dtype::f32, 4, 64, 32, 4, 3, 0.1);
  const plan::ChainProfile profile = timed(model.chain->profile(model.input));
  const auto store_all = plan::make_store_all(profile);
  const std::int64_t half = executor_for(model, *store_all)->stats().reserved_bytes / 2;
  for (const SchedulePtr& schedule : {store_all, plan::make_chain_for_budget(profile, plan::ChainPlanner::chain, half)}) {
    const auto executor = executor_for(model, *schedule);
    executor->run(step_of(model));
    const auto reserved = static_cast<double>(executor->stats().reserved_bytes);
    EXPECT_LE(reserved, 1.05 * static_cast<double>(executor->stats().peak_live_bytes)) << schedule->name();
    if (schedule != store_all) {
      EXPECT_LE(executor->stats().reserved_bytes, half);
    }
  }
}

TEST(Transformer, GradientsAgreeWithDifferences) {
  const Model model = small_transformer(Dtype::f64);
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)), 2);
  executor->run(step_of(model));
  std::vector<std::vector<double>> gradients;
  for (const Parameter& parameter : model.chain->parameters()) gradients.push_back(numbers_of(*parameter.gradient));
  for (std::size_t i = 0; i < gradients.size(); ++i) {
    const Parameter& parameter = model.chain->parameters()[i];
    double largest = 1e-2;
    for (const double each : gradients[i]) largest = std::max(largest, std::abs(each));
    for (std::size_t j = 0; j < gradients[i].size(); j += gradients[i].size() / 7 + 1) {
      double& x = parameter.value->data_as<double>()[j];
      const double before = x;
      constexpr double h = 1e-5;
      x = before + h;
      const double above = executor->run(step_of(model));
      x = before - h;
      const double below = executor->run(step_of(model));
      x = before;
      EXPECT_NEAR(gradients[i][j], (above - below) / (2 * h), 1e-6 * largest) << parameter.name << " element " << j;
    }
  }
}

TEST(Transformer, MemorisesItsData) {
  const Model model = transformer(Dtype::f32, 4, 12, 16, 4, 2, 0);
  const auto executor = executor_for(model, *plan::make_periodic(model.chain->profile(model.input), 3), 2);
  AdamwOptions options;
  options.learning_rate = 0.01;
  const auto adamw = make_adamw(model.chain, options);
  const double first = executor->run(step_of(model, 0));
  double last = first;
  for (int i = 1; i < 80; ++i) {
    model.chain->clip_gradients(1);
    adamw->step();
    last = executor->run(step_of(model, i));
  }
  EXPECT_LT(last, 0.7 * first);
}

// ---- The tied head -----------------------------------------------------------------------------------------------------------

TEST(TiedHead, ItsParameterIsListedOnce) {
  const Model model = small_transformer();
  std::set<std::string> names;
  int token_weights = 0;
  for (const Parameter& parameter : model.chain->parameters()) {
    EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
    EXPECT_FALSE(parameter.name.starts_with("head")) << parameter.name;
    token_weights += parameter.name == "embedding.tokens.weight" ? 1 : 0;
  }
  EXPECT_EQ(token_weights, 1);
  EXPECT_EQ(names.size(), 2 + 2 * (6 + 6) + 2U);
  EXPECT_TRUE(model.chain->layer(6).parameters().empty());
  EXPECT_EQ(model.chain->layer(6).tied_to(), &model.chain->layer(0));
  EXPECT_EQ(model.chain->layer(5).tied_to(), nullptr);
}

// Copies the tied model's values into the untied model; the head's weight is transposed.
void copy_values(const Model& from, const Model& to) {
  for (const Parameter& parameter : from.chain->parameters()) {
    const Tensor& value = *parameter_named(*to.chain, parameter.name).value;
    std::memcpy(value.data(), parameter.value->data(), static_cast<std::size_t>(value.bytes()));
  }
  const double* const table = parameter_named(*from.chain, "embedding.tokens.weight").value->data_as<double>();
  const Tensor& head = *parameter_named(*to.chain, "head.weight").value;
  const std::int64_t width = head.shape()[0];
  for (std::int64_t word = 0; word < transformer_vocabulary; ++word) {
    for (std::int64_t j = 0; j < width; ++j) head.data_as<double>()[j * transformer_vocabulary + word] = table[word * width + j];
  }
  const Tensor& bias = *parameter_named(*to.chain, "head.bias").value;
  std::memset(bias.data(), 0, static_cast<std::size_t>(bias.bytes()));
}

TEST(TiedHead, ItsGradientIsTheSumOfBothUses) {
  const Model tied = small_transformer(Dtype::f64);
  const Model untied = transformer(Dtype::f64, 4, 12, 16, 4, 2, 0.1, Head::own);
  copy_values(tied, untied);
  const plan::ChainProfile profile = tied.chain->profile(tied.input);
  const double loss = executor_for(tied, *plan::make_store_all(profile))->run(step_of(tied));
  const double untied_loss = executor_for(untied, *plan::make_store_all(untied.chain->profile(untied.input)))->run(step_of(untied));
  EXPECT_NEAR(loss, untied_loss, 1e-12);
  const std::vector<double> head = numbers_of(*parameter_named(*untied.chain, "head.weight").gradient);
  for (const Parameter& parameter : tied.chain->parameters()) {
    const std::vector<double> gradient = numbers_of(*parameter.gradient);
    std::vector<double> expected = numbers_of(*parameter_named(*untied.chain, parameter.name).gradient);
    double largest_of_head = 0;
    for (std::size_t i = 0; parameter.name == "embedding.tokens.weight" && i < expected.size(); ++i) {
      const double of_head = head[i % 16 * transformer_vocabulary + i / 16];
      largest_of_head = std::max(largest_of_head, std::abs(of_head));
      expected[i] += of_head;
    }
    if (parameter.name == "embedding.tokens.weight") {
      EXPECT_GT(largest_of_head, 1e-4);
    }
    for (std::size_t i = 0; i < gradient.size(); ++i)
      EXPECT_NEAR(gradient[i], expected[i], 1e-12) << parameter.name << ", element " << i;
  }
}

TEST(TiedHead, AccumulatedGradientsAreTheSumOfTheSteps) {
  const Model model = small_transformer(Dtype::f64);
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)), 2);
  std::vector<std::vector<double>> sums;
  executor->run(step_of(model, 3));
  for (const Parameter& parameter : model.chain->parameters()) sums.push_back(numbers_of(*parameter.gradient));
  for (const std::int64_t number : {4, 5}) {
    executor->run(step_of(model, number));
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const std::vector<double> gradient = numbers_of(*model.chain->parameters()[i].gradient);
      for (std::size_t j = 0; j < gradient.size(); ++j) sums[i][j] += gradient[j];
    }
  }
  for (const std::int64_t number : {3, 4, 5}) {
    Step step = step_of(model, number);
    step.accumulate = number != 3;
    executor->run(step);
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    const Parameter& parameter = model.chain->parameters()[i];
    const std::vector<double> gradient = numbers_of(*parameter.gradient);
    for (std::size_t j = 0; j < gradient.size(); ++j)
      EXPECT_NEAR(gradient[j], sums[i][j], 1e-12 * std::max(1.0, std::abs(sums[i][j]))) << parameter.name << ", element " << j;
  }
}

// A step that fails between the head's backward and the embedding's leaves no part of the head's gradient.
// Measuring a layer runs its backward, which is not part of a step.
TEST(TiedHead, AMeasurementDoesNotAffectGradients) {
  const Model model = small_transformer();
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto executor = executor_for(model, *plan::make_store_all(profile));
  Step step = step_of(model);
  const auto two_steps = [&](auto&& between) {
    step.accumulate = false;
    executor->run(step);
    between();
    step.accumulate = true;
    executor->run(step);
    return gradients_of(*model.chain);
  };
  const auto alone = two_steps([] {});
  const auto pool = threads(2);
  EXPECT_EQ(two_steps([&] { measured_shape(*model.chain, model.input, 2, *pool); }), alone);
  EXPECT_EQ(two_steps([&] { measured_in_chain(model.chain, step, 2, pool); }), alone);
  EXPECT_EQ(two_steps([&] { executor->evaluate(step, model.chain->layers()); }), alone);
}

TEST(TiedHead, AFailedStepDoesNotAffectTheNext) {
  bool fails = false;
  const auto fault = std::make_shared<Passage>("fault", [&](const RunContext&, bool forward) {
    if (fails && !forward) base::fail(base::Status::internal, "this backward fails");
  });
  const Model model = transformer(Dtype::f32, 4, 12, 16, 4, 2, 0.1, Head::tied, fault);
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)), 2);
  const double loss = executor->run(step_of(model));
  const std::vector<std::byte> gradients = gradients_of(*model.chain);

  fails = true;
  EXPECT_EQ(thrown_by([&] { executor->run(step_of(model)); }).status(), base::Status::internal);
  fails = false;
  EXPECT_EQ(executor->run(step_of(model)), loss);
  EXPECT_TRUE(gradients_of(*model.chain) == gradients);

  fails = true;
  EXPECT_THROW(executor->run(step_of(model)), base::Error);
  fails = false;
  model.chain->zero_gradients();
  EXPECT_TRUE(gradients_of(*model.chain) == std::vector<std::byte>(gradients.size()));
  Step step = step_of(model);
  step.accumulate = true;
  EXPECT_EQ(executor->run(step), loss);
  EXPECT_TRUE(gradients_of(*model.chain) == gradients);
}

TEST(TiedHead, MustFollowItsEmbeddingInOneChain) {
  const auto elsewhere = make_token_embedding("elsewhere", 8, 4, 6, true, Dtype::f32);
  Chain chain(0);
  chain.add(make_token_embedding("embedding", 8, 4, 6, true, Dtype::f32));
  const base::Error error = thrown_by([&] { chain.add(make_tied_head("head", elsewhere)); });
  EXPECT_EQ(error.status(), base::Status::invalid_argument);
  EXPECT_TRUE(contains(error, "'head'") && contains(error, "'elsewhere'")) << error.message();
  EXPECT_EQ(chain.layers(), 1);
  EXPECT_EQ(chain.parameters().size(), 2U);
}

}  // namespace
}  // namespace ckpt::engine::test
