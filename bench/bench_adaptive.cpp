// Measures a decision of each policy, by a controller that has seen failures, and the update after a failure.
#include <benchmark/benchmark.h>

#include "adaptive/controller.h"
#include "adaptive/trace.h"
#include "base/clock.h"

#include <ckpt/adaptive.h>

namespace {

using namespace ckpt::adaptive;

constexpr double mtbf = 20000;

ControllerOptions options_of(Policy policy) {
  ControllerOptions options;
  options.policy = policy;
  options.mtbf_seconds = mtbf;
  options.interval_seconds = 600;
  return options;
}

// Simulates a run with that many failures and returns the time at its end.
double simulate_failures(Controller& controller, int failures) {
  double now = 0;
  controller.begin_run(now);
  for (const double gap : draw_trace({1, mtbf}, 1, failures, 1, 0)) {
    controller.observe_task("step", 1);
    controller.begin_save(now);
    controller.commit_save(now, 30, 30);
    now += gap;
    controller.record_failure(now);
    controller.record_recovery(now, 0, 30);
  }
  return now;
}

// Baseline: the clock read that the caller makes anyway.
void read_the_clock(benchmark::State& state) {
  const auto clock = ckpt::base::monotonic_clock();
  for (auto _ : state) benchmark::DoNotOptimize(clock->now_ns());
}
BENCHMARK(read_the_clock);

void decide(benchmark::State& state) {
  Controller controller(options_of(static_cast<Policy>(state.range(0))));
  double now = simulate_failures(controller, 600);
  for (auto _ : state) benchmark::DoNotOptimize(controller.decide(now += 1e-3));
}
BENCHMARK(decide)->ArgName("policy")->DenseRange(0, 7);

// Through the C API, as programs call it.
void should_checkpoint(benchmark::State& state) {
  ckpt_controller* controller = nullptr;
  if (ckpt_controller_create(nullptr, &controller) != CKPT_OK) state.SkipWithError("no controller");
  ckpt_controller_event event = CKPT_CONTROLLER_EVENT_INIT;  // CKPT_CONTROLLER_EVENT_KIND_RUN_BEGAN
  ckpt_controller_record(controller, &event);
  double now = 0;
  ckpt_decision decision = CKPT_DECISION_INIT;
  for (auto _ : state) benchmark::DoNotOptimize(ckpt_controller_should_checkpoint(controller, now += 1e-3, &decision));
  ckpt_controller_release(controller);
}
BENCHMARK(should_checkpoint);

// Rare events: a durable save, a failure, and the state as JSON.
void commit(benchmark::State& state) {
  Controller controller(options_of(Policy::automatic));
  double now = simulate_failures(controller, 600);
  for (auto _ : state) {
    controller.begin_save(now += 1);
    controller.commit_save(now, 30, 30);
  }
}
BENCHMARK(commit);

void failure(benchmark::State& state) {
  Controller controller(options_of(Policy::automatic));
  double now = simulate_failures(controller, 600);
  for (auto _ : state) controller.record_failure(now += mtbf);
}
BENCHMARK(failure);

void json(benchmark::State& state) {
  Controller controller(options_of(Policy::automatic));
  simulate_failures(controller, 600);
  for (auto _ : state) benchmark::DoNotOptimize(controller.to_json());
  state.counters["bytes"] = static_cast<double>(controller.to_json().size());
  state.counters["controller_bytes"] = sizeof(Controller);
}
BENCHMARK(json);

}  // namespace

BENCHMARK_MAIN();
