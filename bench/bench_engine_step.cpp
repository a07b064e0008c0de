// A transformer's training step (forward, backward, clipping, AdamW) compared with its lower bounds. All compared runs are
// interleaved in one process; a time is the median over the rounds, a ratio the median of the rounds' ratios. Printed for each
// model:
// - the step on one thread, compared with its matrix products alone, split as the engine splits them;
// - these products in parts, compared with the same products whole;
// - the step on two threads, compared with one;
// - the part of the step that is neither a layer's arithmetic nor the optimizer.
// Then one attention layer alone, option 1 (keeps nothing that grows with the square of the context) compared with option 0.
//
//   bench_engine_step [small | large] [--repetitions=N] [--quick]
//
// Without a model, both run. --repetitions: rounds, default 5. --quick: one round of a tiny model, to check that all of it runs;
// its figures mean nothing.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "bench_engine_replay.h"

namespace {

using namespace ckpt;
using namespace engine_step;

double seconds_of(const std::function<void()>& work) {
  const auto begin = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

using Rounds = std::vector<double>;  // one number a round

double median(Rounds of) {
  std::sort(of.begin(), of.end());
  const std::size_t half = of.size() / 2;
  return of.size() % 2 == 1 ? of[half] : (of[half - 1] + of[half]) / 2;
}

double median_ratio(const Rounds& above, const Rounds& below) {
  Rounds ratios;
  for (std::size_t i = 0; i < above.size(); ++i) ratios.push_back(above[i] / below[i]);
  return median(std::move(ratios));
}

// ---- The step itself ----

Chain transformer(const Model& model) {
  Chain chain;
  const Layer embedding("embed", "token_embedding", vocabulary, model.context, model.width);
  chain.add(embedding);
  for (std::int64_t i = 0; i < model.blocks; ++i) {
    const std::string block = "blocks." + std::to_string(i);
    chain.add(Layer(block + ".attn", "attention", model.width, model.heads, "dropout=0.1"));
    chain.add(Layer(block + ".mlp", "mlp", model.width, 4 * model.width, "dropout=0.1"));
  }
  chain.add(Layer("norm", "layer_norm", model.width));
  chain.add(Layer::tied_head("head", embedding));
  chain.add(Layer("loss", "softmax_cross_entropy"));
  chain.initialize(1);
  return chain;
}

Optimizer adamw(const Chain& chain) {
  AdamWOptions options;
  options.decay_matrices_only = true;
  return Optimizer::adamw(chain, options);
}

ScheduleExecutorOptions on(const WorkerPool& pool) {
  ScheduleExecutorOptions options;
  options.pool = pool;
  return options;
}

struct StepSeconds {
  double all = 0;
  double run = 0;        // the executor's measured part
  double optimizer = 0;  // an additional update alone
};

struct Trainer {
  Chain chain;
  Optimizer optimizer;
  TensorSpec spec;
  Profile profile;
  Schedule schedule;
  Tensor tokens;
  Tensor targets;
  Step step;

  explicit Trainer(const Model& model)
      : chain(transformer(model)),
        optimizer(adamw(chain)),
        spec{DType::u8, {model.batch, model.context}},
        profile(chain.profile(spec)),
        schedule(Schedule::create(profile, "store-all")),
        tokens(spec.dtype, {model.batch, model.context}),
        targets(spec.dtype, {model.batch, model.context}) {
    std::uint8_t next = 0;
    for (std::uint8_t& token : tokens.elements_as<std::uint8_t>()) token = next = static_cast<std::uint8_t>(5 * next + 17);
    for (std::uint8_t& target : targets.elements_as<std::uint8_t>()) target = next = static_cast<std::uint8_t>(5 * next + 3);
    step.input = tokens;
    step.targets = targets;
  }

  StepSeconds train(ScheduleExecutor& executor, const WorkerPool& pool) {
    chain.set_worker_pool(pool);
    const auto run_before = executor.stats().run;
    StepSeconds taken;
    taken.all = seconds_of([&] {
      executor.run(step);
      optimizer.step_and_zero(1);
    });
    taken.optimizer = seconds_of([&] { optimizer.step(); });
    step.accumulate = true;
    taken.run = std::chrono::duration<double>(executor.stats().run - run_before).count();
    ++step.step;
    return taken;
  }
};

// ---- Time outside the layers' arithmetic and the optimizer ----

// A layer with the bytes and flags of another that computes nothing.
class Idle final : public CustomLayer {
 public:
  Idle(LayerProfile layer, const OptionProfile& option)
      : layer_(std::move(layer)), needs_{option.tape_bytes, option.forward_workspace_bytes, option.backward_workspace_bytes} {}
  LayerFlag flags() const override { return layer_.flags; }
  TensorSpec output(const TensorSpec& /*input*/) override { return {layer_.dtype, layer_.shape}; }
  LayerOption option(const TensorSpec& /*input*/, std::int32_t /*option*/) override { return needs_; }
  void forward(const LayerContext& /*context*/, const void* /*input*/, void* output, void* /*tape*/, void* /*workspace*/) override {
    // A loss that is not finite would fail the step.
    if (output != nullptr && layer_.output_bytes == sizeof(float)) std::memset(output, 0, sizeof(float));
  }
  void backward(const LayerContext& /*context*/, const void* /*input*/, const void* /*output*/, const void* /*tape*/,
                const void* /*grad_output*/, void* /*grad_input*/, void* /*workspace*/) override {}

 private:
  LayerProfile layer_;
  LayerOption needs_;
};

Chain idle_chain(const Profile& profile) {
  Chain chain;
  for (std::int64_t i = 0; i < profile.layer_count(); ++i)
    chain.add(Layer::custom(profile.layer_name(i), std::make_unique<Idle>(profile.layer(i), profile.option(i, 0))));
  return chain;
}

// Returns the seconds of one forward and one backward of each layer: all that store-all runs, every layer under option 0.
double layer_seconds(const Profile& refined) {
  double sum = 0;
  for (std::int64_t i = 0; i < refined.layer_count(); ++i) {
    const OptionProfile option = refined.option(i, 0);
    sum += option.forward_seconds + option.backward_seconds;
  }
  return sum;
}

// Returns the seconds of a step outside its layers. Uses only an executor's first step: refine gives medians over steps, so only
// then are the layers' seconds exactly those of this step.
double seconds_outside_layers(Trainer& trainer, const WorkerPool& pool) {
  ScheduleExecutor executor(trainer.chain, trainer.schedule, trainer.spec, on(pool));
  const double run = trainer.train(executor, pool).run;
  return run - layer_seconds(executor.refine(trainer.profile));
}

// Returns the seconds of steps of a chain of idle layers with the same bytes and the same schedule.
Rounds seconds_of_idle_steps(const Trainer& trainer, std::size_t rounds, const WorkerPool& pool) {
  Chain idle = idle_chain(trainer.profile);
  ScheduleExecutor executor(idle, trainer.schedule, trainer.spec, on(pool));
  executor.run(trainer.step);
  Rounds walks;
  for (std::size_t i = 0; i < rounds; ++i) walks.push_back(seconds_of([&] { executor.run(trainer.step); }));
  return walks;
}

// The executor attributes the time between two layers to the later one, so its layers' seconds alone would hide its overhead. The
// overhead is therefore measured on the idle chain: copying the tokens, allocating and freeing buffers, tracking them, the clock
// (and calls of custom layers, which the model's layers do not make). The rest is the norm of the gradients, their clipping and
// zeroing, which is the time of the pass over the parameters minus an update alone, and the executor's work after the last layer,
// where the head's gradient is gathered.
void print_overhead(Trainer& trainer, const std::vector<StepSeconds>& steps, const WorkerPool& pool) {
  Rounds all;
  Rounds between_steps;  // the executor's measured part and the optimizer
  Rounds after_layers;
  for (const StepSeconds& step : steps) {
    all.push_back(step.all);
    between_steps.push_back(step.all - step.run - step.optimizer);
    after_layers.push_back(seconds_outside_layers(trainer, pool));
  }
  const auto percent = [&](const Rounds& seconds) { return 100 * median(seconds) / median(all); };
  const double between = percent(seconds_of_idle_steps(trainer, steps.size(), pool));
  std::printf(
      "  neither layers nor optimizer       %9.2f %% of the step: clipping and zeroing %.2f, after the layers %.2f, "
      "between them %.3f\n",
      percent(between_steps) + percent(after_layers) + between, percent(between_steps), percent(after_layers), between);
}

void print_model(const Model& model, int rounds) {
  std::printf("%s: %lld blocks, width %lld, %lld heads, context %lld, batch %lld\n", model.name.c_str(),
              static_cast<long long>(model.blocks), static_cast<long long>(model.width), static_cast<long long>(model.heads),
              static_cast<long long>(model.context), static_cast<long long>(model.batch));
  Trainer trainer(model);
  const WorkerPool one(1);
  const WorkerPool two(2);
  const bool has_two = available_threads() >= 2;
  ScheduleExecutor on_one(trainer.chain, trainer.schedule, trainer.spec, on(one));
  std::optional<ScheduleExecutor> on_two;
  if (has_two) on_two.emplace(trainer.chain, trainer.schedule, trainer.spec, on(two));
  Replay replay(model);
  const auto multiply_adds = static_cast<double>(replay.multiply_adds());
  trainer.train(on_one, one);
  if (has_two) trainer.train(*on_two, two);

  std::vector<StepSeconds> steps;
  Rounds step;
  Rounds step_on_two;
  Rounds in_parts;
  Rounds whole;
  for (int i = 0; i < rounds; ++i) {
    steps.push_back(trainer.train(on_one, one));
    step.push_back(steps.back().all);
    in_parts.push_back(seconds_of([&] { replay.step(Cut::engine); }));
    whole.push_back(seconds_of([&] { replay.step(Cut::whole); }));
    if (has_two) step_on_two.push_back(trainer.train(*on_two, two).all);
  }
  std::printf("  step on one thread                 %9.2f ms\n", 1e3 * median(step));
  std::printf("  its products in parts              %9.2f ms, %.1f GFLOP/s\n", 1e3 * median(in_parts),
              2e-9 * multiply_adds / median(in_parts));
  std::printf("  its products whole                 %9.2f ms\n", 1e3 * median(whole));
  std::printf("  step / products in parts           %9.3f\n", median_ratio(step, in_parts));
  std::printf("  products in parts / whole          %9.3f\n", median_ratio(in_parts, whole));
  if (has_two)
    std::printf("  one thread / two threads           %9.3f, %.2f ms\n", median_ratio(step, step_on_two),
                1e3 * median(step_on_two));
  else
    std::printf("  one thread / two threads             skipped: this process may use one core\n");
  print_overhead(trainer, steps, one);
}

// ---- One attention layer alone ----

ScheduleAction on_layer(ActionKind kind, std::int32_t option) {
  ScheduleAction action;
  action.kind = kind;
  action.last = 1;
  action.option = option;
  return action;
}

ScheduleAction dropped_input(std::int64_t index) {
  ScheduleAction action;
  action.kind = ActionKind::drop;
  action.first = index;
  action.item = Item::input;
  return action;
}

// Returns a schedule of a chain of one layer, with forward and backward, which records under that option.
Schedule one_layer(const Profile& profile, std::int32_t option) {
  const auto has = [&](std::uint32_t flag) { return (static_cast<std::uint32_t>(profile.layer(0).flags) & flag) != 0; };
  const bool needs_input = has(CKPT_LAYER_FLAG_NEEDS_INPUT);
  const bool needs_output = has(CKPT_LAYER_FLAG_NEEDS_OUTPUT);
  std::vector<ScheduleAction> actions = {on_layer(ActionKind::forward_tape, option)};
  if (!needs_input) actions.push_back(dropped_input(0));
  actions.push_back({});
  actions.back().kind = ActionKind::turn;
  if (!needs_output) actions.push_back(dropped_input(1));
  actions.push_back(on_layer(ActionKind::backward, option));
  if (needs_input) actions.push_back(dropped_input(0));
  if (needs_output) actions.push_back(dropped_input(1));
  actions.push_back({});
  actions.back().kind = ActionKind::end;
  return Schedule::list(1, actions);
}

void print_attention(const Model& model, int rounds) {
  Chain chain;
  chain.add(Layer("attention", "attention", model.width, model.heads, "dropout=0.1"));
  chain.initialize(1);
  const TensorSpec spec{DType::f32, {model.batch, model.context, model.width}};
  const Profile profile = chain.profile(spec);
  Tensor input(DType::f32, {model.batch, model.context, model.width});
  Tensor output_gradient(DType::f32, {model.batch, model.context, model.width});
  fill(input.data_as<float>(), input.element_count());
  fill(output_gradient.data_as<float>(), output_gradient.element_count());
  Step step;
  step.input = input;
  step.output_gradient = output_gradient;
  const WorkerPool one(1);
  ScheduleExecutor keeping(chain, one_layer(profile, 0), spec, on(one));
  ScheduleExecutor making_again(chain, one_layer(profile, 1), spec, on(one));
  keeping.run(step);
  making_again.run(step);
  Rounds kept;
  Rounds made_again;
  for (int i = 0; i < rounds; ++i) {
    kept.push_back(seconds_of([&] { keeping.run(step); }));
    made_again.push_back(seconds_of([&] { making_again.run(step); }));
  }
  const auto megabytes = [&](std::int32_t option) { return 1e-6 * static_cast<double>(profile.option(0, option).tape_bytes); };
  std::printf(
      "attention alone, context %lld, width %lld, %lld heads, batch %lld: option 0 %.2f ms, tape %.1f MB; option 1 %.2f ms, "
      "tape %.1f MB; option 1 / option 0 %.3f\n",
      static_cast<long long>(model.context), static_cast<long long>(model.width), static_cast<long long>(model.heads),
      static_cast<long long>(model.batch), 1e3 * median(kept), megabytes(0), 1e3 * median(made_again), megabytes(1),
      median_ratio(made_again, kept));
}

// ---- Arguments ----

struct Arguments {
  std::vector<Model> models = {{"small", 4, 128, 4, 128, 16}, {"large", 6, 384, 6, 256, 4}};
  std::vector<Model> attentions = {{"", 1, 128, 4, 1024, 2}, {"", 1, 384, 6, 1024, 2}};
  int rounds = 5;
};

// Returns nothing if an argument is invalid.
std::optional<Arguments> parse(const std::vector<std::string>& arguments) {
  constexpr std::string_view repetitions = "--repetitions=";
  Arguments parsed;
  bool quick = false;
  std::string wanted;
  for (const std::string& argument : arguments) {
    if (argument == "--quick") {
      quick = true;
    } else if (argument.starts_with(repetitions)) {
      parsed.rounds = std::atoi(argument.c_str() + repetitions.size());
      if (parsed.rounds < 1) return std::nullopt;
    } else if (wanted.empty() && (argument == "small" || argument == "large")) {
      wanted = argument;
    } else {
      return std::nullopt;
    }
  }
  if (quick) return Arguments{{{"tiny", 2, 64, 2, 160, 2}}, {{"", 1, 64, 2, 160, 1}}, 1};  // 160: more than one block of attention
  if (!wanted.empty()) std::erase_if(parsed.models, [&](const Model& model) { return model.name != wanted; });
  return parsed;
}

}  // namespace

int main(int count, char** arguments) try {
  const std::optional<Arguments> parsed = parse({arguments + 1, arguments + count});
  if (!parsed) {
    std::fprintf(stderr, "usage: bench_engine_step [small | large] [--repetitions=N] [--quick]\n");
    return 2;
  }
  std::printf("BLAS: %s\n", blas_info().c_str());
  std::printf("medians of %d rounds\n", parsed->rounds);
  for (const Model& model : parsed->models) print_model(model, parsed->rounds);
  for (const Model& model : parsed->attentions) print_attention(model, parsed->rounds);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "bench_engine_step: %s\n", error.what());
  return 1;
}
