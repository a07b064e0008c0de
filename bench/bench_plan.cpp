// Measures planning: schedules for adjoint codes, and the time per action.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include <ckpt/plan.hpp>

#include "plan/planners.h"

namespace {

namespace base = ckpt::base;
using namespace ckpt::plan;
using ckpt::check;

// Steps with states that take the time of two forwards to write to tier 1, and the same to read.
ChainProfile time_steps(std::int64_t steps) {
  LayerProfile step;
  step.name = "step";
  step.flags = deterministic;
  step.output_bytes = 1000;
  step.options = {{.tape_bytes = 1000, .forward_seconds = 1, .backward_seconds = 1}};
  ChainProfile profile = ChainProfile::uniform(steps, step);
  profile.set_tier(1, {.write_bytes_per_second = 500, .read_bytes_per_second = 500});
  return profile;
}

// The time per action over the first 10^8 actions, through the C API, as "time/action".
void revolve_actions(benchmark::State& state) {
  constexpr std::int64_t actions_a_run = 100'000'000;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  ckpt_profile* profile = nullptr;
  ckpt_schedule* schedule = nullptr;
  check(ckpt_profile_create_uniform(1'000'000'000, &layer, &option, &profile));
  check(ckpt_schedule_create(profile, base::cat("revolve:", state.range(0)).c_str(), &schedule));
  std::vector<ckpt_schedule_action> actions(1024);
  for (auto _ : state) {
    ckpt_cursor* cursor = nullptr;
    check(ckpt_cursor_create(schedule, &cursor));
    for (std::int64_t read = 0, count = 0; read < actions_a_run; read += count) {
      check(ckpt_cursor_next_many(cursor, actions.data(), std::ssize(actions), &count));
    }
    ckpt_cursor_release(cursor);
  }
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
  state.counters["time/action"] = benchmark::Counter(static_cast<double>(actions_a_run),
                                                     benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// n steps, 10 states in memory, the second argument's number of states on tier 1.
void two_level(benchmark::State& state) {
  const ChainProfile profile = time_steps(state.range(0));
  const std::string planner = base::cat("two-level:10,", state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(make_by_text(profile, planner));
}

void mixed(benchmark::State& state) {
  const ChainProfile profile = time_steps(state.range(0));
  const std::string planner = base::cat("mixed:", state.range(1));
  for (auto _ : state) benchmark::DoNotOptimize(make_by_text(profile, planner));
}

}  // namespace

BENCHMARK(revolve_actions)->Arg(1)->Arg(2)->Arg(3)->Arg(10)->Arg(100)->Unit(benchmark::kMillisecond)->Iterations(1);
BENCHMARK(two_level)->Args({1000, 20})->Args({10000, 20})->Args({10000, 0})->Unit(benchmark::kMillisecond);
BENCHMARK(mixed)->Args({1000, 20})->Args({10000, 20})->Unit(benchmark::kMillisecond);

BENCHMARK_MAIN();
