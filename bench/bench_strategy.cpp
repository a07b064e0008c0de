// Measures one decision of each strategy. Every row asks about layers in order, as an executor does.
#include <benchmark/benchmark.h>

#include <string>
#include <vector>

#include <ckpt/strategy.hpp>

#include "base/text.h"
#include "memory/tracker.h"
#include "strategy/factory.h"
#include "strategy/memory_aware.h"
#include "strategy/selective.h"
#include "strategy/smart.h"

namespace {

using namespace ckpt;
using namespace ckpt::strategy;

std::vector<std::string> layer_names(int count) {
  std::vector<std::string> names;
  for (int i = 0; i < count; ++i) names.push_back(base::cat("model.layers.", i, ".attention.output"));
  return names;
}

void ask_in_order(benchmark::State& state, strategy::Strategy& strategy, int layers) {
  const auto names = layer_names(layers);
  const Activation activation(tensor::Dtype::f32, tensor::Shape{32, 512, 64});
  std::size_t layer = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(strategy.should_checkpoint(names[layer], activation, static_cast<std::int64_t>(layer)));
    if (++layer == names.size()) layer = 0;
  }
}

// The overhead of the loop.
class Nothing final : public strategy::Strategy {
 public:
  std::string name() const override { return "Nothing"; }
  Parameters parameters() const override { return {}; }

 private:
  bool decide(std::string_view, const Activation&, std::int64_t) override { return false; }
};

void no_decision(benchmark::State& state) {
  Nothing nothing;
  ask_in_order(state, nothing, 1000);
}
BENCHMARK(no_decision);

void from_text_of(benchmark::State& state, const char* text) { ask_in_order(state, *from_text(text), 1000); }
BENCHMARK_CAPTURE(from_text_of, interval, "interval:2");
BENCHMARK_CAPTURE(from_text_of, interval_1, "interval:1");
BENCHMARK_CAPTURE(from_text_of, size, "size:1MiB");
BENCHMARK_CAPTURE(from_text_of, size_too_small, "size:1GiB");
BENCHMARK_CAPTURE(from_text_of, size_excluded, "size:1MiB,!head,!model.layers.7.attention.output");
BENCHMARK_CAPTURE(from_text_of, selective_glob, "selective:model.layers.*.output");
BENCHMARK_CAPTURE(from_text_of, any_of_two, "any(size:1MiB,interval:8)");

// Every name is in the set; with a second argument of 1, none is.
void selective(benchmark::State& state) {
  auto names = layer_names(static_cast<int>(state.range(0)));
  if (state.range(1) == 1) {
    for (auto& name : names) name += "2";
  }
  Selective strategy(names, std::vector<std::string>{});
  ask_in_order(state, strategy, static_cast<int>(state.range(0)));
}
BENCHMARK(selective)->Args({1000, 0})->Args({1000, 1})->Args({10000, 0});

void memory_aware(benchmark::State& state) {
  MemoryAware strategy({0.8, std::make_shared<memory::Tracker>(), std::int64_t{1} << 34, nullptr});
  ask_in_order(state, strategy, 1000);
}
BENCHMARK(memory_aware);

void smart(benchmark::State& state) {
  Smart strategy({}, std::vector<std::string>{});
  ask_in_order(state, strategy, static_cast<int>(state.range(0)));
}
BENCHMARK(smart)->Arg(100)->Arg(10000);

// ---- Custom strategies: a C callback, and a C++ callback that receives the query as a value ----

void ask_in_order(benchmark::State& state, ckpt_strategy* strategy) {
  const auto names = layer_names(1000);
  const std::int64_t shape[] = {32, 512, 64};
  ckpt_bool answer = 0;
  std::size_t layer = 0;
  for (auto _ : state) {
    ckpt_strategy_should_checkpoint_shape(strategy, names[layer].c_str(), CKPT_DTYPE_F32, shape, 3,
                                          static_cast<std::int64_t>(layer), &answer);
    benchmark::DoNotOptimize(answer);
    if (++layer == names.size()) layer = 0;
  }
}

void custom_of_c(benchmark::State& state) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  callbacks.decide = [](const ckpt_strategy_question* question, ckpt_bool* answer, void*) {
    *answer = question->layer_index % 2 == 0 ? 1 : 0;
    return 0;
  };
  ckpt_strategy* strategy = nullptr;
  if (ckpt_strategy_create_custom("C", &callbacks, nullptr, nullptr, &strategy) != CKPT_OK) state.SkipWithError("no strategy");
  ask_in_order(state, strategy);
  ckpt_strategy_release(strategy);
}
BENCHMARK(custom_of_c);

void custom_of_cpp(benchmark::State& state) {
  ckpt::CustomStrategy functions;
  functions.decide = [](const ckpt::StrategyQuestion& question) { return question.layer_index % 2 == 0; };
  ask_in_order(state, ckpt::Strategy::custom("C++", std::move(functions)).handle());
}
BENCHMARK(custom_of_cpp);

void threads_share_interval(benchmark::State& state) {
  static const StrategyPtr strategy = make_interval(2);
  ask_in_order(state, *strategy, 1000);
}
BENCHMARK(threads_share_interval)->Threads(2);

}  // namespace

BENCHMARK_MAIN();
