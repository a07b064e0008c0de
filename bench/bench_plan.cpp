// What planning costs: schedules for adjoint codes, and each of their actions.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include "plan/planners.h"

namespace {

using namespace ckpt;
using namespace ckpt::plan;

// Steps whose states take two forwards to be written to tier 1, and as long to be read.
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

// The time of an action, of the first 10^8: in "time/action".
void revolve_actions(benchmark::State& state) {
  constexpr std::int64_t actions_a_run = 100'000'000;
  const auto schedule = make_by_text(time_steps(1'000'000'000), base::cat("revolve:", state.range(0)));
  std::vector<Action> actions(1024);
  for (auto _ : state) {
    Cursor cursor(schedule);
    for (std::int64_t read = 0; read < actions_a_run;) read += cursor.next_many(actions);
    benchmark::DoNotOptimize(actions.data());
  }
  state.counters["time/action"] = benchmark::Counter(static_cast<double>(actions_a_run),
                                                     benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// n steps, 10 states in memory, so many on tier 1.
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
