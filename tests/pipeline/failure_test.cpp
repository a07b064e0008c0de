// Errors, cancellations and timeouts at any point: every stage stops, nothing is lost, and the next step succeeds.
#include <gtest/gtest.h>

#include <atomic>
#include <limits>
#include <semaphore>
#include <thread>
#include <utility>

#include "models.h"
#include "strategy/custom.h"

namespace ckpt::pipeline::test {
namespace {

using base::Status;

const std::vector<std::pair<Order, std::int32_t>> orders = {{Order::gpipe, 1}, {Order::one_f_one_b, 1}, {Order::interleaved, 2}};

// Every layer fails once in forward and once in backward, for every micro-batch.
TEST(PipelineFailure, AnErrorAnywhereFailsTheStepAndTheNextOneSucceeds) {
  for (const auto& [order, chunks] : orders) {
    std::atomic<std::int64_t> bad_layer{-1};
    std::atomic<std::int32_t> bad_micro_batch{-1};
    std::atomic<bool> bad_forward{true};
    ProbeModel model(6, [&](const engine::RunContext& context, bool forward) {
      if (context.layer == bad_layer && context.micro_batch == bad_micro_batch && forward == bad_forward)
        base::fail(Status::callback, "layer ", context.layer, " failed");
    });
    const PipelineOptions used = options_of(order, order == Order::interleaved ? 2 : 3, 4, chunks);
    const auto pipeline = Pipeline::create(model.chain, model.input, used);
    for (std::int64_t layer = 0; layer < 6; ++layer) {
      for (std::int32_t micro_batch = 0; micro_batch < 4; ++micro_batch) {
        for (const bool forward : {true, false}) {
          bad_micro_batch = micro_batch;
          bad_forward = forward;
          bad_layer = layer;
          const base::Error error = error_of([&] { pipeline->run(model.step(), -1, {}); });
          EXPECT_EQ(error.message(), base::cat("layer ", layer, " failed"));
          EXPECT_EQ(error.status(), Status::callback);
          EXPECT_EQ(used.tracker->stats().current_bytes, 0);
          bad_layer = -1;
          std::memset(model.input_gradient->data(), 0, 32);
          pipeline->run(model.step(), -1, {});
          EXPECT_EQ(std::memcmp(model.input_gradient->data(), model.gradient->data(), 32), 0);
          EXPECT_EQ(used.tracker->stats().current_bytes, 0);
        }
      }
    }
  }
}

TEST(PipelineFailure, AForeignExceptionIsPropagated) {
  std::atomic<bool> bad{true};
  ProbeModel model(3, [&](const engine::RunContext& context, bool) {
    if (bad && context.layer == 1) throw std::runtime_error("no such luck");
  });
  const auto pipeline = Pipeline::create(model.chain, model.input, options_of(Order::one_f_one_b, 3, 4));
  EXPECT_THROW(pipeline->run(model.step(), -1, {}), std::runtime_error);
  bad = false;
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
}

// Sample 5 is the second of micro-batch 2; probes pass it on, so the first layer detects it.
TEST(PipelineFailure, TheCheckOfOutputsNamesLayerElementAndMicroBatch) {
  for (const auto& [order, chunks] : orders) {
    for (const bool checks : {true, false}) {
      const ProbeModel model(6, [](const engine::RunContext&, bool) {});
      PipelineOptions used = options_of(order, order == Order::interleaved ? 2 : 3, 4, chunks);
      used.checks.finite = checks;
      const auto pipeline = Pipeline::create(model.chain, model.input, used);
      EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
      float& sample = model.data->data_as<float>()[5];
      for (const float bad : {std::numeric_limits<float>::infinity(), std::numeric_limits<float>::quiet_NaN()}) {
        const float was = std::exchange(sample, bad);
        const base::Error error = error_of([&] { pipeline->run(model.step(), -1, {}); });
        EXPECT_EQ(error.status(), checks ? Status::out_of_range : Status::ok);
        if (checks) {
          EXPECT_EQ(error.message(),
                    base::cat("layer 'probe0': element 1 of its output for micro-batch 2 is ", bad, "; expected a finite number"));
        }
        EXPECT_EQ(used.tracker->stats().current_bytes, 0);
        sample = was;
        EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
      }
    }
  }
}

// In the last stage, where otherwise the loss would detect it first.
TEST(PipelineFailure, TheCheckOfOutputsCoversEveryStage) {
  const Model model = byte_model(8, 16, 2);
  PipelineOptions used = options_of(Order::one_f_one_b, 3, 4);
  used.checks.finite = true;
  const auto pipeline = make_pipeline(model, used);
  const Result expected = run_step(model, *pipeline, step_of(model));
  for (const engine::Parameter& parameter : model.chain->parameters()) {
    if (!parameter.name.ends_with(".bias")) continue;
    float& element = parameter.value->data_as<float>()[3];
    const float was = std::exchange(element, std::numeric_limits<float>::infinity());
    const base::Error error = error_of([&] { pipeline->run(step_of(model), -1, {}); });
    EXPECT_EQ(error.status(), Status::out_of_range);
    const std::string layer = parameter.name.substr(0, parameter.name.rfind('.'));
    EXPECT_NE(error.message().find(base::cat("layer ", base::quote(layer), ": element 3 of its output for micro-batch 0 is inf")),
              std::string::npos)
        << error.message();
    element = was;
  }
  EXPECT_EQ(run_step(model, *pipeline, step_of(model)), expected);
}

// Cancels from within a layer, so that the step is certainly running, at every layer, micro-batch and direction.
TEST(PipelineFailure, ACancelEndsTheStepAtAnyPoint) {
  for (const auto& [order, chunks] : orders) {
    Pipeline* running = nullptr;
    std::atomic<int> left{-1};
    ProbeModel model(4, [&](const engine::RunContext&, bool) {
      if (left.fetch_sub(1) == 0) running->cancel();
    });
    const PipelineOptions options = options_of(order, 2, 4, chunks);
    const auto pipeline = Pipeline::create(model.chain, model.input, options);
    running = pipeline.get();
    for (int at = 0; at < 2 * 4 * 4; ++at) {
      left = at;
      const base::Error error = error_of([&] { pipeline->run(model.step(), -1, {}); });
      EXPECT_EQ(error.status(), Status::cancelled) << at;
      EXPECT_EQ(options.tracker->stats().current_bytes, 0);
      left = -1;
      EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
    }
  }
}

TEST(PipelineFailure, ACancelWithoutAStepDoesNothing) {
  ProbeModel model(2, [](const engine::RunContext&, bool) {});
  const auto pipeline = Pipeline::create(model.chain, model.input, options_of(Order::one_f_one_b, 2, 2));
  pipeline->cancel();
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
}

// Cancels from outside at random moments.
TEST(PipelineFailure, CancelsFromAnotherThread) {
  ProbeModel model(4, [](const engine::RunContext&, bool) { std::this_thread::yield(); });
  const PipelineOptions options = options_of(Order::one_f_one_b, 2, 8);
  const auto pipeline = Pipeline::create(model.chain, model.input, options);
  std::atomic<bool> done{false};
  std::thread other([&] {
    while (!done) {
      pipeline->cancel();
      std::this_thread::yield();
    }
  });
  int ended = 0;
  for (int i = 0; i < 200; ++i) {
    const base::Error error = error_of([&] { pipeline->run(model.step(), -1, {}); });
    EXPECT_TRUE(error.status() == Status::ok || error.status() == Status::cancelled);
    ended += error.status() == Status::ok ? 0 : 1;
    EXPECT_EQ(options.tracker->stats().current_bytes, 0);
  }
  done = true;
  other.join();
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {})) << ended << " steps were cancelled before";
}

// A layer that returns only after the other stage has given everything back, which happens only at the timeout. If the machine was
// too loaded to get that far in time, the layer waits for a multiple of the timeout instead.
TEST(PipelineFailure, ASlowLayerTimesOut) {
  constexpr std::int64_t timeout_ns = 100000000;
  std::atomic<bool> slow{true};
  std::atomic<int> other_stage{0};
  const PipelineOptions options = options_of(Order::gpipe, 2, 4);
  const memory::LayerId probe1 = options.tracker->layer("probe1");
  ProbeModel model(2, [&](const engine::RunContext& context, bool forward) {
    if (!slow || !forward) return;
    if (context.layer == 1) ++other_stage;
    if (context.layer != 0 || context.micro_batch != 2) return;
    const auto& clock = *base::monotonic_clock();
    const std::int64_t begin = clock.now_ns();
    while (clock.now_ns() - begin < 50 * timeout_ns) {
      if (other_stage == 2 && options.tracker->layer_stats(probe1).current_bytes == 0) return;
      std::this_thread::yield();
    }
  });
  const auto pipeline = Pipeline::create(model.chain, model.input, options);
  const base::Error error = error_of([&] { pipeline->run(model.step(), timeout_ns, {}); });
  EXPECT_EQ(error.status(), Status::timeout);
  EXPECT_EQ(error.message(), "the step did not end within timeout_ns 100000000");
  EXPECT_EQ(options.tracker->stats().current_bytes, 0);
  slow = false;
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
}

TEST(PipelineFailure, OtherCallsAreBusyDuringAStep) {
  std::binary_semaphore entered(0);
  std::binary_semaphore go_on(0);
  ProbeModel model(2, [&](const engine::RunContext& context, bool forward) {
    if (!forward || context.layer != 0 || context.micro_batch != 0) return;
    entered.release();
    go_on.acquire();
  });
  const auto pipeline = Pipeline::create(model.chain, model.input, options_of(Order::gpipe, 2, 4));
  base::Error error(Status::internal, "");
  std::thread runner([&] { error = error_of([&] { pipeline->run(model.step(), -1, {}); }); });
  entered.acquire();
  EXPECT_EQ(error_of([&] { pipeline->run(model.step(), -1, {}); }).status(), Status::busy);
  EXPECT_EQ(error_of([&] { pipeline->stats(0); }).status(), Status::busy);
  EXPECT_EQ(error_of([&] { pipeline->timeline(); }).status(), Status::busy);
  go_on.release();
  runner.join();
  EXPECT_EQ(error.status(), Status::ok) << error.message();
}

// It tries once: the step has either ended by then, or is stopped.
TEST(PipelineFailure, AZeroTimeoutNeverWaitsForTheStep) {
  ProbeModel model(2, [](const engine::RunContext&, bool) { std::this_thread::yield(); });
  const auto pipeline = Pipeline::create(model.chain, model.input, options_of(Order::gpipe, 2, 4));
  const Status status = error_of([&] { pipeline->run(model.step(), 0, {}); }).status();
  EXPECT_TRUE(status == Status::timeout || status == Status::ok);
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
}

TEST(PipelineFailure, AStrategyThatFailsChangesNothing) {
  bool bad = false;
  strategy::CustomHooks hooks;
  hooks.decide = [&](std::string_view, const strategy::Activation&, std::int64_t) -> bool {
    if (bad) base::fail(Status::callback, "no answer");
    return true;
  };
  ProbeModel model(2, [](const engine::RunContext&, bool) {});
  PipelineOptions options = options_of(Order::gpipe, 2, 4);
  options.policy = {.kind = Policy::Kind::strategy, .strategy = std::make_shared<strategy::Custom>(hooks)};
  const auto pipeline = Pipeline::create(model.chain, model.input, options);
  bad = true;
  EXPECT_EQ(error_of([&] { pipeline->run(model.step(), -1, {}); }).message(), "no answer");
  bad = false;
  EXPECT_NO_THROW(pipeline->run(model.step(), -1, {}));
}

TEST(PipelineFailure, ALayerThatIsNotDeterministicIsNeverRecomputed) {
  const auto chain = std::make_shared<Chain>(0);
  const auto nothing = [](const engine::RunContext&, bool) {};
  chain->add(std::make_shared<Probe>("a", nothing, 0));
  chain->add(std::make_shared<Probe>("b", nothing));
  PipelineOptions options = options_of(Order::gpipe, 2, 4);
  EXPECT_NO_THROW(Pipeline::create(chain, {Dtype::f32, {8, 1}}, options));
  options.policy.kind = Policy::Kind::recompute_all;
  const base::Error error = error_of([&] { Pipeline::create(chain, {Dtype::f32, {8, 1}}, options); });
  EXPECT_EQ(error.status(), Status::invalid_schedule);
  EXPECT_NE(error.message().find("is not deterministic"), std::string::npos) << error.message();
}

}  // namespace
}  // namespace ckpt::pipeline::test
