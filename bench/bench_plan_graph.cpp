// Measures the planner of graphs: a transformer in single operations, 14 per block, within a share of the bytes of store-all.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "base/error.h"
#include "plan/placement.h"
#include "plan/planners.h"
#include "plan/verifier.h"

namespace {

namespace base = ckpt::base;
using namespace ckpt::plan;

using Values = std::vector<std::int64_t>;

constexpr std::int64_t row_bytes = 6400;  // of a value as wide as the model

// Adds operations to a graph.
class Model {
 public:
  // Seconds are in arbitrary units. Returns the value.
  std::int64_t add(double width, double forward, double backward, const Values& inputs, const Values& needed,
                   bool needs_own = false, double tape = 0) {
    const std::int64_t number = profile_.layers();
    LayerProfile layer;
    layer.name = base::cat("operation", number);
    layer.flags = deterministic | adds_gradient | (needs_own ? needs_output : 0);
    layer.output_bytes = static_cast<std::int64_t>(width * row_bytes);
    layer.options = {
        {.tape_bytes = static_cast<std::int64_t>(tape * row_bytes), .forward_seconds = forward, .backward_seconds = backward}};
    profile_.add_layer(std::move(layer));
    profile_.set_inputs(number, inputs, needed);
    return number + 1;
  }

  std::int64_t norm(std::int64_t x) { return add(1, 6, 12, {x}, {x}, false, 0.02); }
  std::int64_t linear(std::int64_t x, double from, double to) { return add(to, 100 * from * to, 200 * from * to, {x}, {x}); }
  std::int64_t sum(std::int64_t x, std::int64_t y) { return add(1, 4, 1, {x, y}, {}); }

  // Scores are six times as wide as the model: tokens times heads over width.
  std::int64_t block(std::int64_t x) {
    const std::int64_t normed = norm(x);
    const std::int64_t query = linear(normed, 1, 1);
    const std::int64_t key = linear(normed, 1, 1);
    const std::int64_t value = linear(normed, 1, 1);
    const std::int64_t scores = add(6, 50, 100, {query, key}, {query, key});
    const std::int64_t probabilities = add(6, 20, 30, {scores}, {}, true);
    const std::int64_t context = add(1, 50, 100, {probabilities, value}, {probabilities, value});
    const std::int64_t attended = sum(linear(context, 1, 1), x);
    const std::int64_t up = linear(norm(attended), 1, 4);
    const std::int64_t gelu = add(4, 16, 24, {up}, {up});
    return sum(linear(gelu, 4, 1), attended);
  }

  const ChainProfile& profile() const { return profile_; }

 private:
  ChainProfile profile_{row_bytes};
};

void graph_within(benchmark::State& state) {
  Model model;
  std::int64_t x = 0;
  for (std::int64_t i = 0; i < state.range(0); ++i) x = model.block(x);
  model.norm(x);
  const ChainProfile& profile = model.profile();
  const auto store_all = make_by_text(profile, "store-all");
  const std::int64_t most = arena_bytes(*store_all, profile);
  const std::string planner = base::cat("graph:", most * state.range(1) / 100);
  std::shared_ptr<const Schedule> schedule;
  for (auto _ : state) schedule = make_by_text(profile, planner);
  state.counters["operations"] = static_cast<double>(profile.layers());
  state.counters["more_time_%"] = 100 * (verify(*schedule, profile).step_seconds / verify(*store_all, profile).step_seconds - 1);
  state.counters["bytes_%"] = 100.0 * static_cast<double>(arena_bytes(*schedule, profile)) / static_cast<double>(most);
}

BENCHMARK(graph_within)
    ->ArgNames({"blocks", "percent"})
    ->ArgsProduct({{6}, {80, 40, 25}})
    ->ArgsProduct({{14, 178}, {80, 40, 15}})
    ->Unit(benchmark::kMillisecond)
    ->Iterations(1);

}  // namespace
