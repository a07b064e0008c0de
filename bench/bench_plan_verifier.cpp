// Measures replaying a schedule per action. Read the CPU column with "actions": nanoseconds each.
#include <benchmark/benchmark.h>

#include <string>

#include "plan/planners.h"
#include "plan/verifier.h"

namespace {

using namespace ckpt::plan;

ChainProfile like_layers(std::int64_t layers) {
  ChainProfile profile(1000);
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerProfile layer;
    layer.name = "layer";
    layer.output_bytes = 1000;
    OptionProfile option;
    option.tape_bytes = 3000;
    option.forward_workspace_bytes = 100;
    option.backward_workspace_bytes = 100;
    option.forward_seconds = 1;
    option.backward_seconds = 2;
    layer.options = {option};
    profile.add_layer(std::move(layer));
  }
  return profile;
}

void verify_schedule(benchmark::State& state, const ChainProfile& profile, const std::string& planner) {
  const auto schedule = make_by_text(profile, planner);
  double actions = 0;
  for (auto _ : state) actions += static_cast<double>(verify(*schedule, profile).actions);
  state.counters["actions"] = actions / static_cast<double>(state.iterations());
  state.counters["action"] = benchmark::Counter(actions, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

void verify_of_layers(benchmark::State& state, const std::string& planner) {
  verify_schedule(state, like_layers(state.range(0)), planner);
}
BENCHMARK_CAPTURE(verify_of_layers, chain, "chain:100KiB")->Arg(100);
BENCHMARK_CAPTURE(verify_of_layers, periodic, "periodic:10")->Arg(1000);
BENCHMARK_CAPTURE(verify_of_layers, revolve, "revolve:10")->Arg(1000);
BENCHMARK_CAPTURE(verify_of_layers, two_level, "two-level:5,50")->Arg(1000);

void verify_of_steps(benchmark::State& state, const std::string& planner) {
  const ChainProfile steps = ChainProfile::uniform(state.range(0), like_layers(1).layer(0));
  verify_schedule(state, steps, planner);
}
BENCHMARK_CAPTURE(verify_of_steps, revolve, "revolve:10")->Arg(100'000);
BENCHMARK_CAPTURE(verify_of_steps, mixed, "mixed:10")->Arg(1000);

}  // namespace
