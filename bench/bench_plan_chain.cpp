// Measures whole frontiers: the planners "chain" and "tapes" on transformers and on chains of different layers. Read the CPU
// column.
#include <benchmark/benchmark.h>

#include <random>
#include <string>

#include "../tests/plan/plain_grid.h"
#include "base/error.h"
#include "plan/placement.h"
#include "plan/planners.h"
#include "plan/planners/chain_planner.h"
#include "plan/planners/chain_schedule.h"
#include "plan/planners/grid.h"
#include "plan/verifier.h"

namespace {

using namespace ckpt::plan;

// Blocks of an attention and a feed-forward layer, each with four options: the less an option records, the longer its backward.
ChainProfile transformer(std::int64_t blocks) {
  constexpr std::int64_t activation = 4'000'000;
  ChainProfile profile(activation);
  for (std::int64_t i = 0; i < 2 * blocks; ++i) {
    const bool attention = i % 2 == 0;
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.output_bytes = activation;
    for (std::int64_t o = 0; o < 4; ++o) {
      OptionProfile option;
      option.tape_bytes = ((attention ? 24'000'000 : 16'000'000) >> o) + 1000 * o;
      option.forward_workspace_bytes = 1'000'000 + 100'000 * o;
      option.backward_workspace_bytes = 2'000'000;
      option.forward_seconds = attention ? 0.0101 : 0.013;
      option.backward_seconds = (attention ? 0.022 : 0.027 + 0.0007 * static_cast<double>(o)) + 0.003 * static_cast<double>(o);
      layer.options.push_back(option);
    }
    profile.add_layer(layer);
  }
  return profile;
}

ChainProfile unlike_layers(std::int64_t layers) {
  std::mt19937_64 random(7);
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  ChainProfile profile(1 + up_to(9'000'000));
  for (std::int64_t i = 0; i < layers; ++i) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.output_bytes = 1'000'000 + up_to(8'000'000);
    OptionProfile option;
    option.tape_bytes = 1'000'000 + up_to(19'000'000);
    option.forward_workspace_bytes = up_to(3'000'000);
    option.backward_workspace_bytes = up_to(3'000'000);
    option.forward_seconds = 1e-6 * static_cast<double>(1 + up_to(999'999));
    option.backward_seconds = 1e-6 * static_cast<double>(1 + up_to(1'999'999));
    layer.options = {option};
    profile.add_layer(layer);
  }
  return profile;
}

void frontier_of(benchmark::State& state, const ChainProfile& profile, bool tapes) {
  for (auto _ : state) {
    const ChainCosts costs(profile);
    const Frontier frontier(costs, {.tapes = tapes});
    state.counters["points"] = static_cast<double>(frontier.step().size());
    state.counters["table_MB"] = 16e-6 * static_cast<double>(frontier.stored_steps());
    state.counters["work"] = static_cast<double>(frontier.work());
    state.counters["lost_seconds"] = costs.seconds(frontier.max_lost_time());
  }
}

void blocks_chain(benchmark::State& state) { frontier_of(state, transformer(state.range(0)), false); }
BENCHMARK(blocks_chain)->Unit(benchmark::kMillisecond)->Arg(6)->Arg(12)->Arg(24);
void blocks_tapes(benchmark::State& state) { frontier_of(state, transformer(state.range(0)), true); }
BENCHMARK(blocks_tapes)->Unit(benchmark::kMillisecond)->Arg(6)->Arg(12)->Arg(24);
void unlike_chain(benchmark::State& state) { frontier_of(state, unlike_layers(state.range(0)), false); }
BENCHMARK(unlike_chain)->Unit(benchmark::kMillisecond)->Arg(25)->Arg(50)->Arg(100)->Arg(128);
void unlike_tapes(benchmark::State& state) { frontier_of(state, unlike_layers(state.range(0)), true); }
BENCHMARK(unlike_tapes)->Unit(benchmark::kMillisecond)->Arg(25)->Arg(50)->Arg(100);

// A third of store-all's memory.
std::int64_t third_of_store_all(const ChainProfile& profile) { return verify(*make_store_all(profile), profile).peak_bytes[0] / 3; }

// Includes the schedule, without its placement.
void grid_of(benchmark::State& state) {
  const ChainProfile profile = unlike_layers(state.range(0));
  const std::int64_t bytes = third_of_store_all(profile);
  for (auto _ : state) {
    const ChainCosts costs(profile);
    const Grid grid(costs, {.live_bytes = bytes});
    benchmark::DoNotOptimize(chain_actions(costs, grid, bytes));
    state.counters["table_MB"] = 1e-6 * static_cast<double>(GridTable::bytes(grid.chain().rows(), grid.chain().units));
  }
}
BENCHMARK(grid_of)->Unit(benchmark::kMillisecond)->Arg(50)->Arg(100)->Arg(200)->Arg(500);

// Only the tables, in blocks and by plain loops.
template <class Table>
void fill_grid(benchmark::State& state) {
  const ChainProfile profile = unlike_layers(state.range(0));
  const ChainCosts costs(profile);
  const Grid grid(costs, {.live_bytes = third_of_store_all(profile)});
  for (auto _ : state) benchmark::DoNotOptimize(Table(grid.chain()));
}
BENCHMARK(fill_grid<GridTable>)->Unit(benchmark::kMillisecond)->Arg(100)->Arg(500);
// Uses only instructions that every processor has.
struct GridTableAnywhere : GridTable {
  explicit GridTableAnywhere(const GridChain& chain) : GridTable(chain, GridSet::plain) {}
};
BENCHMARK(fill_grid<GridTableAnywhere>)->Unit(benchmark::kMillisecond)->Arg(100)->Arg(500);
BENCHMARK(fill_grid<ckpt::plan::test::PlainGrid>)->Unit(benchmark::kMillisecond)->Arg(50)->Arg(100)->Arg(200)->Arg(500);

// A budget's schedule, with placement, of chains that are planned on a grid.
void long_chain_within(benchmark::State& state) {
  const ChainProfile profile = unlike_layers(state.range(0));
  const auto store_all = make_by_text(profile, "store-all");
  const std::string text = "chain:" + std::to_string(arena_bytes(*store_all, profile) / 100 * state.range(1));
  for (auto _ : state) {
    const auto schedule = make_by_text(profile, text);
    state.counters["times_as_long"] = verify(*schedule, profile).step_seconds / verify(*store_all, profile).step_seconds;
  }
}
BENCHMARK(long_chain_within)->Unit(benchmark::kMillisecond)->ArgsProduct({{200, 500, 2000}, {5, 10, 20, 40, 70}});

// Includes the schedule, with placement, for 12 blocks within a percentage of the bytes that store-all reserves. Also reports the
// step's time relative to store-all's.
void schedule_within(benchmark::State& state, const char* planner) {
  const ChainProfile profile = transformer(12);
  const auto store_all = make_by_text(profile, "store-all");
  const std::int64_t budget = arena_bytes(*store_all, profile) / 100 * state.range(0);
  const std::string text = std::string(planner) + ":" + std::to_string(budget);
  for (auto _ : state) {
    try {
      const auto schedule = make_by_text(profile, text);
      state.counters["times_as_long"] = verify(*schedule, profile).step_seconds / verify(*store_all, profile).step_seconds;
    } catch (const ckpt::base::Error& error) {
      state.SkipWithError(error.message().c_str());
      return;
    }
  }
}
BENCHMARK_CAPTURE(schedule_within, budget, "budget")->Unit(benchmark::kMillisecond)->Arg(10)->Arg(20)->Arg(40)->Arg(70);
BENCHMARK_CAPTURE(schedule_within, chain, "chain")->Unit(benchmark::kMillisecond)->Arg(10)->Arg(20)->Arg(40)->Arg(70);
BENCHMARK_CAPTURE(schedule_within, tapes, "tapes")->Unit(benchmark::kMillisecond)->Arg(10)->Arg(20)->Arg(40)->Arg(70);

}  // namespace
