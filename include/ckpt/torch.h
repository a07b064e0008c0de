// torch.h - trains a LibTorch chain within a byte budget: some of the tensors that its layers keep for backward are dropped and
// recomputed.
//
//   auto chain = ckpt::torch::budget(model, sample, 0.4);          // a torch::nn::Sequential; 40% of what storing all takes
//   auto loss = torch::mse_loss(chain.forward(batch), target);
//   loss.backward();                                               // gradients as without it, bit for bit
//
// For C++17 and LibTorch 1.13 on the CPU. Header-only: the library does not depend on LibTorch, and ckpt.hpp does not include this
// file. docs/how-to/bring-your-own-framework.md lists guarantees and limits.
#ifndef CKPT_TORCH_H
#define CKPT_TORCH_H

#include <ckpt/torch/measure.h>
#include <ckpt/torch/meter.h>
#include <ckpt/torch/options.h>
#include <ckpt/torch/step.h>

#include <torch/nn/module.h>
#include <torch/nn/modules/container/sequential.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ckpt::torch {

namespace detail {

inline Tensors tensors_of(::torch::nn::AnyValue value) {
  if (auto* one = value.try_get<at::Tensor>()) return {std::move(*one)};
  if (auto* list = value.try_get<Tensors>()) return std::move(*list);
  if (auto* two = value.try_get<std::tuple<at::Tensor, at::Tensor>>()) return {std::get<0>(*two), std::get<1>(*two)};
  if (auto* three = value.try_get<std::tuple<at::Tensor, at::Tensor, at::Tensor>>())
    return {std::get<0>(*three), std::get<1>(*three), std::get<2>(*three)};
  fail(Status::unsupported, "a module returns neither a tensor, nor a tuple of 2 or 3, nor a vector of them");
}

inline Tensors run_module(::torch::nn::AnyModule& module, const Tensors& input) {
  switch (input.size()) {
    case 1: return tensors_of(module.any_forward(input[0]));
    case 2: return tensors_of(module.any_forward(input[0], input[1]));
    case 3: return tensors_of(module.any_forward(input[0], input[1], input[2]));
    default: fail(Status::unsupported, "a module of a Sequential gets " + std::to_string(input.size()) + " tensors: at most 3");
  }
}

}  // namespace detail

// A chain with a memory budget. Copies share the plan. The caller owns the layers, which are trained in place.
class Chain {
 public:
  explicit Chain(std::shared_ptr<detail::State> state) : state_(std::move(state)) {}

  // Differentiable once. May be called from any thread; the layers must synchronize their state.
  Tensors forward(const Tensors& input) const {
    detail::State& state = *state_;
    if (input.size() != state.sample_count)
      detail::fail(Status::invalid_argument,
                   "input has " + std::to_string(input.size()) + " tensors: the sample has " + std::to_string(state.sample_count));
    bool input_has_gradient = false;
    for (const at::Tensor& tensor : input) input_has_gradient = input_has_gradient || (tensor.defined() && tensor.requires_grad());
    bool any = input_has_gradient;
    for (const at::Tensor& parameter : state.parameters) any = any || parameter.requires_grad();
    if (!any || !c10::GradMode::is_enabled()) return state.run(0, state.layers.size(), input);

    if (const std::int64_t bytes = detail::bytes_of(input); bytes > state.sample_bytes)
      detail::fail(Status::invalid_argument, "input has " + std::to_string(bytes) +
                                                 " bytes: the sample, for which the plan was made, has " +
                                                 std::to_string(state.sample_bytes));
    if (input_has_gradient && !state.sample_has_gradient)
      detail::fail(Status::invalid_argument, "input requires a gradient, and the sample did not");
    for (const auto& [module, is_training] : state.training)
      if (module->is_training() != is_training)
        detail::fail(Status::invalid_state,
                     std::string("the plan was made ") + (is_training ? "in" : "out of") + " training mode: make another");

    auto node = detail::make_node<detail::StepNode>(state_, take());
    node->input_count = input.size();
    node->set_next_edges(::torch::autograd::collect_next_edges(input, state.parameters));
    Tensors output;
    {
      const c10::NoGradGuard no_grad;
      detail::Item item;
      for (const at::Tensor& tensor : input) item.tensors.push_back(tensor.defined() ? tensor.variable_data() : tensor);
      detail::StepNode::framework(*node->driver).begin();
      for (const at::Tensor& tensor : node->driver->forward(std::move(item)).tensors)
        output.push_back(tensor.defined() ? tensor.variable_data() : tensor);
    }
    for (std::size_t i = 0; i < output.size(); ++i) {
      if (output[i].defined() && i < state.output_has_gradient.size() && state.output_has_gradient[i])
        ::torch::autograd::set_history(output[i], node);
      else
        node->add_input_metadata(Node::undefined_input());
    }
    return output;
  }
  // For chains with one tensor at either end.
  at::Tensor forward(const at::Tensor& input) const {
    Tensors output = forward(Tensors{input});
    if (output.size() != 1)
      detail::fail(Status::invalid_state,
                   "the chain returns " + std::to_string(output.size()) + " tensors: call forward with a list");
    return output[0];
  }
  template <class Input>
  auto operator()(const Input& input) const {
    return forward(input);
  }

  std::int64_t budget_bytes() const { return state_->budget_bytes; }
  // Peak bytes of a step with the sample's shape, without parameters and their gradients: as planned, and when storing everything.
  std::int64_t planned_bytes() const { return state_->planned_bytes; }
  std::int64_t store_all_bytes() const { return state_->store_all_bytes; }
  // Number of recomputed forwards: in one step as planned, and in all steps so far.
  std::int64_t planned_again() const { return state_->report.recomputed_forwards; }
  std::int64_t ran_again() const { return state_->recomputed; }
  const Profile& profile() const { return *state_->profile; }
  const Schedule& schedule() const { return *state_->schedule; }

 private:
  using Node = ::torch::autograd::Node;

  std::unique_ptr<detail::State::Drive> take() const {
    {
      const std::lock_guard<std::mutex> lock(state_->mutex);
      if (!state_->free.empty()) {
        auto driver = std::move(state_->free.back());
        state_->free.pop_back();
        return driver;
      }
    }
    return std::make_unique<detail::State::Drive>(*state_->schedule, std::make_unique<detail::State::StepFramework>(*state_));
  }

  std::shared_ptr<detail::State> state_;
};

// Measures the layers on a sample with the shapes of the training, and plans within the budget. Parameters, their gradients,
// buffers and the generator's state are unchanged. Throws OVER_BUDGET with the smallest sufficient budget.
inline Chain budget(std::vector<Layer> layers, const Tensors& sample, const Budget& budget, const Options& options = {}) {
  return Chain(detail::make(std::move(layers), sample, budget, options));
}
inline Chain budget(const std::vector<std::function<Tensors(const Tensors&)>>& functions, const Tensors& sample,
                    const Budget& budget, const Options& options = {}) {
  std::vector<Layer> layers;
  for (const auto& function : functions) layers.push_back({"", function, {}});
  return Chain(detail::make(std::move(layers), sample, budget, options));
}
inline Chain budget(const ::torch::nn::Sequential& model, const Tensors& sample, const Budget& budget,
                    const Options& options = {}) {
  std::vector<Layer> layers;
  for (const auto& child : model->named_children()) layers.push_back({child.key(), nullptr, {child.value()}});
  std::size_t i = 0;
  for (const ::torch::nn::AnyModule& module : *model) {
    auto shared = std::make_shared<::torch::nn::AnyModule>(module);
    layers[i++].run = [shared](const Tensors& input) { return detail::run_module(*shared, input); };
  }
  return Chain(detail::make(std::move(layers), sample, budget, options));
}
// The same for one tensor.
template <class Layers>
Chain budget(const Layers& layers, const at::Tensor& sample, const Budget& given, const Options& options = {}) {
  return budget(layers, Tensors{sample}, given, options);
}

}  // namespace ckpt::torch

#endif  // CKPT_TORCH_H
