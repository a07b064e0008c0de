// A step in the steady state allocates no memory from the system: every way to allocate is counted here.
#include <gtest/gtest.h>

#include "engine/optimizer.h"
#include "heap_counts.h"
#include "models.h"
#include "storage/file_system.h"
#include "storage/memory.h"
#include "storage/scratch.h"

namespace ckpt::engine::test {
namespace {

TEST(SteadyState, AStepAllocatesNothing) {
  const Model model = byte_model(Dtype::f32, 64, 64, 4, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : {plan::make_store_all(profile), plan::make_periodic(profile, 4), plan::make_recompute_all(profile)}) {
    const auto executor = executor_for(model, *schedule, 2);
    for (int i = 0; i < 3; ++i) executor->run(step_of(model, i));
    const std::int64_t before = heap_requests;
    for (int i = 3; i < 13; ++i) executor->run(step_of(model, i));
    EXPECT_EQ(heap_requests, before) << schedule->name();
  }
}

// The same for all work of a training step, on the chain's threads.
// Returns a schedule that stores everything with this option of each layer, or the highest that it has.
std::shared_ptr<const plan::Schedule> stored_by(const plan::ChainProfile& profile, std::int32_t max_option) {
  plan::Cursor cursor(plan::make_store_all(profile));
  std::vector<plan::Action> actions;
  do {
    plan::Action action = cursor.next();
    if (action.kind == plan::Kind::forward_tape || action.kind == plan::Kind::backward)
      action.option = std::min(max_option, static_cast<std::int32_t>(profile.layer(action.first).options.size()) - 1);
    actions.push_back(action);
  } while (actions.back().kind != plan::Kind::end);
  return plan::make_list(profile.layers(), actions);
}

// So an option uses no memory outside of the planned buffers, either.
TEST(SteadyState, AStepOfATransformerAllocatesNothing) {
  const Model model = transformer(Dtype::f32, 4, 40, 32, 4, 2, 0.1);
  model.chain->set_pool(threads(2));
  const auto adamw = make_adamw(model.chain, {});
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const auto& schedule : {plan::make_store_all(profile), plan::make_periodic(profile, 3), plan::make_recompute_all(profile),
                               stored_by(profile, 1), stored_by(profile, 2), stored_by(profile, 3)}) {
    for (const bool check_finite : {false, true}) {
      ExecutorChecks checks;
      checks.finite = check_finite;
      Executor executor(model.chain, *schedule, model.input, 0, threads(2), std::make_shared<memory::Tracker>(), nullptr, checks);
      const auto step = [&](int number) {
        executor.run(step_of(model, number));
        Step again = step_of(model, number + 100);
        again.accumulate = true;
        executor.run(again);
        model.chain->clip_gradients(0.1);
        adamw->set_learning_rate(1e-4 * number);
        adamw->step();
        adamw->step_and_zero(0.1);
      };
      for (int i = 0; i < 3; ++i) step(i);
      const std::int64_t before = heap_requests;
      for (int i = 3; i < 8; ++i) step(i);
      EXPECT_EQ(heap_requests, before) << schedule->name() << ", check of outputs " << check_finite;
    }
  }
}

// The same for a step that moves the input of the head through a tier, and for the threads that copy it.
TEST(SteadyState, AStepThroughATierAllocatesNothing) {
  const Model model = byte_model(Dtype::f32, 64, 64, 1, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  plan::Cursor cursor(plan::make_store_all(profile));
  const plan::Action in_tier{.first = 4, .item = plan::Item::input, .tier = 1, .transfer = 1};
  const auto of_kind = [&](plan::Kind kind) {
    plan::Action action = in_tier;
    action.kind = kind;
    return action;
  };
  std::vector<plan::Action> actions;
  do {
    const plan::Action action = cursor.next();
    if (action.kind == plan::Kind::backward && action.first == 4)
      for (const plan::Kind kind : {plan::Kind::load_begin, plan::Kind::await, plan::Kind::drop}) actions.push_back(of_kind(kind));
    actions.push_back(action);
    if (action.kind == plan::Kind::forward_tape && action.first == 4) {
      for (const plan::Kind kind : {plan::Kind::store_begin, plan::Kind::await}) actions.push_back(of_kind(kind));
      actions.push_back(plan::drop_input(4));
    }
  } while (actions.back().kind != plan::Kind::end);
  const auto schedule = plan::make_list(profile.layers(), actions);
  const tests::Scratch directory;
  storage::WriteOptions large;
  large.stream_from_bytes = 1;
  const auto files = storage::open_file_system(directory.path(), storage::Root::make, large);
  for (const auto& tier : {storage::make_memory_storage(), files}) {
    Executor executor(model.chain, *schedule, model.input, 0, threads(2), std::make_shared<memory::Tracker>(), nullptr, {},
                      {nullptr, tier});
    for (int i = 0; i < 3; ++i) executor.run(step_of(model, i));
    const std::int64_t before = heap_requests;
    for (int i = 3; i < 13; ++i) executor.run(step_of(model, i));
    EXPECT_EQ(heap_requests, before) << tier->name();
    EXPECT_GT(executor.stats().stored_bytes[1], 0);
  }
}

}  // namespace
}  // namespace ckpt::engine::test
