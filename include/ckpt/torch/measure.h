// torch/measure.h - finds the layers of a chain, measures them, and plans. Included by ckpt/torch.h.
#ifndef CKPT_TORCH_MEASURE_H
#define CKPT_TORCH_MEASURE_H

#include <ckpt/torch/step.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace ckpt::torch::detail {

inline double seconds_of(const std::function<void()>& run) {
  const auto begin = std::chrono::steady_clock::now();
  run();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

inline std::vector<std::shared_ptr<::torch::nn::Module>> modules_of(const State& state, std::size_t begin, std::size_t end) {
  std::vector<std::shared_ptr<::torch::nn::Module>> modules;
  for (std::size_t i = begin; i < end; ++i)
    modules.insert(modules.end(), state.layers[i].modules.begin(), state.layers[i].modules.end());
  return modules;
}

// Adds the parameters that the graph of callable `i` reaches, and those of its modules, to its step.
inline void add_parameters(State& state, State::Step& step, std::size_t i, const Tape& tape) {
  const auto add = [&](const at::Tensor& parameter) {
    const auto [at, is_new] = state.parameter_numbers.emplace(parameter.unsafeGetTensorImpl(), state.parameters.size());
    if (is_new) state.parameters.push_back(parameter);
    if (std::find(step.parameters.begin(), step.parameters.end(), at->second) == step.parameters.end())
      step.parameters.push_back(at->second);
  };
  for (const at::Tensor& parameter : State::leaves(tape)) add(parameter);
  for (const auto& module : modules_of(state, i, i + 1))
    for (const at::Tensor& parameter : module->parameters())
      if (parameter.requires_grad()) add(parameter);
}

// Groups callables into steps: one that writes over its input, or returns it, joins the previous one.
inline void find_steps(State& state, const Tensors& sample) {
  Tensors now = sample;
  std::vector<bool> has_gradient;
  for (const at::Tensor& tensor : sample) has_gradient.push_back(tensor.defined() && tensor.requires_grad());
  const auto of_sample = memory_of(sample);
  bool open = true;  // the step has only the sample's memory so far: the next callable joins
  for (std::size_t i = 0; i < state.layers.size(); ++i) {
    Tape tape;
    const c10::AutoGradMode grad(true);
    const Tensors entered = State::enter(now, has_gradient, tape);
    std::vector<std::uint32_t> versions;
    for (const at::Tensor& tensor : entered)
      versions.push_back(tensor.defined() ? static_cast<std::uint32_t>(tensor._version()) : 0U);
    Tensors output = state.layers[i].run(entered);
    bool writes = false;
    for (std::size_t k = 0; k < entered.size(); ++k) {
      if (!entered[k].defined() || static_cast<std::uint32_t>(entered[k]._version()) == versions[k]) continue;
      writes = true;
      if (entered[k].has_storage() && of_sample.count(entered[k].storage().unsafeGetStorageImpl()) != 0)
        fail(Status::invalid_argument, "layer " + state.layers[i].name + " writes over the chain's input, which the caller owns");
    }
    const auto before = memory_of(now);
    bool makes = false;
    bool of_caller = true;
    for (const void* memory : memory_of(output)) {
      makes = makes || before.count(memory) == 0;
      of_caller = of_caller && of_sample.count(memory) != 0;
    }
    if (!state.steps.empty() && (open || writes || !makes))
      state.steps.back().end = i + 1;
    else {
      state.steps.emplace_back();
      state.steps.back().begin = i;
      state.steps.back().end = i + 1;
    }
    open = of_caller && i + 1 < state.layers.size() && state.steps.size() == 1;
    has_gradient.clear();
    for (const at::Tensor& tensor : output) {
      has_gradient.push_back(tensor.defined() && tensor.requires_grad());
      if (has_gradient.back()) tape.roots.push_back(::torch::autograd::impl::gradient_edge(tensor));
    }
    add_parameters(state, state.steps.back(), i, tape);
    for (at::Tensor& tensor : output)
      if (tensor.defined()) tensor = tensor.variable_data();
    now = std::move(output);
  }
}

// Returns sums of gradients as the step finds them in a backward: of the parameters that later steps use too. The gradient that
// the step adds to such a sum is temporary memory of its backward, unlike a first gradient, which remains.
inline Tensors earlier_sums(const State& state, const State::Step& step) {
  Tensors sums(state.parameters.size());
  for (const State::Step* later = &step + 1; later <= &state.steps.back(); ++later)
    for (const std::size_t number : later->parameters)
      if (!sums[number].defined() && std::count(step.parameters.begin(), step.parameters.end(), number) != 0) {
        sums[number] = at::zeros_like(state.parameters[number]);
        Meter::leave_out_of_current(sums[number]);
      }
  return sums;
}

// Measures every layer: bytes by the allocator's counters, seconds within the chain.
inline void measure(State& state, const Tensors& sample, const Options& options) {
  Meter meter;
  Tensors now;
  for (const at::Tensor& tensor : sample) now.push_back(tensor.defined() ? tensor.detach().clone() : tensor);
  const Tensors first = now;  // kept: layers may pass parts of it on without additional memory
  const auto of_sample = memory_of(first);
  std::vector<bool> has_gradient;
  for (const at::Tensor& tensor : sample) has_gradient.push_back(tensor.defined() && tensor.requires_grad());
  state.profile.emplace(bytes_of(now));
  state.profile->set_flags(ProfileFlag::keeps_input | ProfileFlag::keeps_output | ProfileFlag::own_allocator);
  for (State::Step& step : state.steps) {
    step.input_has_gradient = has_gradient;
    LayerProfile layer;
    OptionProfile option;
    layer.flags = LayerFlag::deterministic;
    Tensors buffers;
    for (const auto& module : modules_of(state, step.begin, step.end))
      for (const at::Tensor& buffer : module->buffers())
        if (buffer.defined()) buffers.push_back(buffer);
    const Ambient begin = Ambient::now(buffers);

    std::int64_t base = meter.live_bytes();
    meter.begin();
    Tensors next = state.run_without_graph(step, now);
    const std::int64_t created_bytes = meter.live_bytes() - base;
    layer.output_bytes = bytes_of(next, of_sample);
    const std::int64_t plain_workspace = std::max<std::int64_t>(0, meter.peak_bytes() - base - created_bytes);
    for (std::size_t k = 0; k < buffers.size(); ++k) {
      if (!at::equal(buffers[k], begin.buffers[k])) {
        step.buffers.push_back(buffers[k]);
        layer.ambient_bytes += bytes_of({buffers[k]});
      }
    }
    begin.put_back(buffers);

    for (int run = 0; run <= std::max(1, options.timed_runs); ++run) {
      base = meter.live_bytes();
      meter.begin();
      auto [output, tape] = state.record(step, now);
      const std::int64_t peak = meter.peak_bytes();
      const std::int64_t held = meter.live_bytes();
      if (run == 0) {
        has_gradient.clear();
        for (const Edge& root : tape->roots) has_gradient.push_back(root.is_valid());
        option.tape_bytes = std::max<std::int64_t>(0, held - base - created_bytes);
        // The temporary memory of a run without recording is mostly memory that a recording keeps. Each layer records once, with
        // the same other live memory as in its run without recording, so only the excess over the tape counts.
        option.forward_workspace_bytes = std::max(peak - held, plain_workspace - option.tape_bytes) + layer.ambient_bytes;
        option.forward_workspace_bytes = std::max<std::int64_t>(0, option.forward_workspace_bytes);
        if (pinned(now, {&output, &next, &first})) layer.flags = layer.flags | LayerFlag::needs_input;
        if (pinned(output, {&now, &next, &first})) {
          layer.flags = layer.flags | LayerFlag::needs_output;
          step.needs_output = true;
        }
      }
      Tensors grads;
      for (std::size_t k = 0; k < output.size(); ++k)
        grads.push_back(tape->roots[k].is_valid() ? at::ones_like(output[k], at::MemoryFormat::Contiguous) : at::Tensor());
      output.clear();
      Tensors sums = earlier_sums(state, step);
      meter.begin();
      const std::int64_t grad_bytes = bytes_of(grads);
      const double seconds = seconds_of([&] { state.backward(step, std::move(tape), std::move(grads), sums); });
      option.backward_peak_bytes = std::max(option.backward_peak_bytes, meter.peak_bytes() - base);
      option.backward_seconds = run == 0 ? seconds : std::min(option.backward_seconds, seconds);
      const std::int64_t known = option.tape_bytes + grad_bytes + bytes_of(now) + (step.needs_output ? layer.output_bytes : 0);
      option.backward_workspace_bytes = std::max<std::int64_t>(0, option.backward_peak_bytes - known);
      const double forward = seconds_of([&] { state.run_without_graph(step, now); });
      option.forward_seconds = run == 0 ? forward : std::min(option.forward_seconds, forward);
      begin.put_back(buffers);
    }
    if (&step == &state.steps.front() && !state.sample_has_gradient) layer.flags = layer.flags | LayerFlag::no_input_gradient;
    state.profile->add_layer(state.layers[step.begin].name, layer);
    state.profile->add_option(option);
    now = std::move(next);
  }
  state.output_has_gradient = has_gradient;
}

inline std::shared_ptr<State> make(std::vector<Layer> layers, const Tensors& sample, const Budget& budget, const Options& options) {
  if (layers.empty()) fail(Status::invalid_argument, "layers is empty");
  if (sample.empty()) fail(Status::invalid_argument, "sample is empty");
  if (options.loss_bytes < 0)
    fail(Status::invalid_argument, "loss_bytes is " + std::to_string(options.loss_bytes) + ": expected at least 0");
  for (const at::Tensor& tensor : sample)
    if (tensor.defined() && !tensor.device().is_cpu())
      fail(Status::unsupported, "sample is on " + tensor.device().str() + ": only the CPU is supported");
  auto state = std::make_shared<State>();
  state->layers = std::move(layers);
  Tensors buffers;
  std::unordered_set<const ::torch::nn::Module*> seen;
  for (std::size_t i = 0; i < state->layers.size(); ++i) {
    Layer& layer = state->layers[i];
    if (!layer.run) fail(Status::invalid_argument, "layer " + std::to_string(i) + " has no function");
    if (layer.name.empty()) layer.name = std::to_string(i);
    for (const auto& top : layer.modules) {
      if (top == nullptr) fail(Status::invalid_argument, "layer " + layer.name + " has a module that is NULL");
      for (const auto& module : top->modules())
        if (seen.insert(module.get()).second) {
          state->training.emplace_back(module, module->is_training());
          for (const at::Tensor& buffer : module->buffers(false))
            if (buffer.defined()) buffers.push_back(buffer);
        }
    }
  }
  for (const at::Tensor& tensor : sample)
    state->sample_has_gradient = state->sample_has_gradient || (tensor.defined() && tensor.requires_grad());
  state->sample_bytes = bytes_of(sample);
  state->sample_count = sample.size();
  {
    const AmbientGuard as_before(buffers);
    const AutocastGuard autocast{Autocast()};
    find_steps(*state, sample);
    as_before.present.put_back(buffers);
    measure(*state, sample, options);
  }
  const PlanReport all = Schedule::create(*state->profile, "store-all").verify(*state->profile);
  state->store_all_bytes = all.peak_bytes[0] + options.loss_bytes;
  state->budget_bytes = budget.bytes_of(state->store_all_bytes);
  const std::int64_t left = std::max<std::int64_t>(0, state->budget_bytes - options.loss_bytes);
  state->schedule.emplace(Schedule::create(*state->profile, options.planner + ":" + std::to_string(left)));
  state->report = state->schedule->verify(*state->profile);
  state->planned_bytes = state->report.peak_bytes[0] + options.loss_bytes;
  return state;
}

}  // namespace ckpt::torch::detail

#endif  // CKPT_TORCH_MEASURE_H
