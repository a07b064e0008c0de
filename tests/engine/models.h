// Small models and their data for the tests of the engine.
#pragma once

#include <cmath>
#include <cstring>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/executor.h"
#include "plan/budget.h"
#include "plan/verifier.h"

namespace ckpt::engine::test {

using tensor::Dtype;
using tensor::Shape;
using tensor::Tensor;

struct Model {
  std::shared_ptr<Chain> chain;
  TensorSpec input;
  std::shared_ptr<Tensor> tokens;
  std::shared_ptr<Tensor> targets;
};

// A byte-level model: embedding, hidden blocks of linear, GELU, dropout, then linear and the loss.
inline Model byte_model(Dtype dtype, std::int64_t samples, std::int64_t width, int blocks, double dropout) {
  constexpr std::int64_t vocabulary = 64;
  constexpr std::int64_t context = 4;
  Model model;
  model.chain = std::make_shared<Chain>(0);
  model.chain->add(make_embedding("embedding", vocabulary, context, width / context, dtype));
  for (int i = 0; i < blocks; ++i) {
    const std::string block = "block" + std::to_string(i);
    model.chain->add(make_linear(block + ".linear", width, width, dtype));
    model.chain->add(make_gelu(block + ".gelu"));
    model.chain->add(make_dropout(block + ".dropout", dropout));
  }
  model.chain->add(make_linear("head", width, vocabulary, dtype));
  model.chain->add(make_softmax_cross_entropy("loss"));
  model.chain->initialize(7);

  std::mt19937 random(11);
  model.input = {Dtype::u8, {samples, context}};
  model.tokens = Tensor::create(Dtype::u8, model.input.shape);
  for (std::byte& byte : model.tokens->byte_span()) byte = static_cast<std::byte>(random() % vocabulary);
  model.targets = Tensor::create(Dtype::i32, {samples});
  for (std::int64_t i = 0; i < samples; ++i)
    model.targets->data_as<std::int32_t>()[i] = static_cast<std::int32_t>(random() % vocabulary);
  return model;
}

// Gives every parameter larger values: with small ones, attention is nearly uniform.
inline void spread_parameters(std::span<const Parameter> parameters) {
  std::mt19937 random(29);
  std::uniform_real_distribution<double> uniform(-0.4, 0.4);
  for (const Parameter& parameter : parameters) {
    const double middle = parameter.name.ends_with("norm.weight") ? 1 : 0;
    with_float(parameter.value->dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < parameter.value->shape().elements(); ++i)
        parameter.value->data_as<T>()[i] = static_cast<T>(middle + uniform(random));
    });
  }
}

constexpr std::int64_t transformer_vocabulary = 24;

enum class Head : std::uint8_t { tied, own };

// Token embedding, blocks of attention and mlp, a norm, a head with the embedding's weights (or its own), and the loss: 2 * blocks
// + 4 layers. between, if given, is placed between the last block and the norm.
inline Model transformer(Dtype dtype, std::int64_t samples, std::int64_t context, std::int64_t width, std::int64_t heads,
                         int blocks, double dropout, Head head = Head::tied, std::shared_ptr<Layer> between = nullptr) {
  Model model;
  model.chain = std::make_shared<Chain>(0);
  const auto embedding = make_token_embedding("embedding", transformer_vocabulary, context, width, true, dtype);
  model.chain->add(embedding);
  for (int i = 0; i < blocks; ++i) {
    const std::string block = "block" + std::to_string(i);
    model.chain->add(make_attention(block + ".attention", {.width = width, .heads = heads, .dropout = dropout, .dtype = dtype}));
    model.chain->add(make_mlp(block + ".mlp", {.width = width, .hidden = 2 * width, .dropout = dropout, .dtype = dtype}));
  }
  if (between != nullptr) model.chain->add(std::move(between));
  model.chain->add(make_layer_norm("norm", width, 1e-5, dtype));
  model.chain->add(head == Head::tied ? make_tied_head("head", embedding)
                                      : make_linear("head", width, transformer_vocabulary, dtype));
  model.chain->add(make_softmax_cross_entropy("loss"));
  model.chain->initialize(7);
  spread_parameters(model.chain->parameters());

  std::mt19937 random(13);
  model.input = {Dtype::u8, {samples, context}};
  model.tokens = Tensor::create(Dtype::u8, model.input.shape);
  for (std::byte& byte : model.tokens->byte_span()) byte = static_cast<std::byte>(random() % transformer_vocabulary);
  model.targets = Tensor::create(Dtype::i32, model.input.shape);
  for (std::int64_t i = 0; i < model.targets->shape().elements(); ++i)
    model.targets->data_as<std::int32_t>()[i] = static_cast<std::int32_t>(random() % transformer_vocabulary);
  return model;
}

// An identity that calls hook when it runs; an exception of hook fails the step.
class Passage final : public Layer {
 public:
  using Hook = std::function<void(const RunContext&, bool forward)>;
  Passage(std::string name, Hook hook) : Layer(std::move(name)), hook_(std::move(hook)) {}
  TensorSpec output(const TensorSpec& input) const override { return input; }
  std::uint32_t flags() const override { return plan::deterministic; }
  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    hook_(context, true);
    if (buffers.output != buffers.input)
      std::memcpy(buffers.output, buffers.input, static_cast<std::size_t>(context.input->bytes()));
  }
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    hook_(context, false);
    if (buffers.grad_input != buffers.grad_output)
      std::memcpy(buffers.grad_input, buffers.grad_output, static_cast<std::size_t>(context.input->bytes()));
  }

 private:
  Hook hook_;
};

inline std::shared_ptr<base::ThreadPool> threads(int count) { return std::make_shared<base::ThreadPool>(count); }

inline std::unique_ptr<Executor> executor_for(const Model& model, const plan::Schedule& schedule, int thread_count = 1,
                                              std::shared_ptr<memory::Tracker> tracker = std::make_shared<memory::Tracker>()) {
  return std::make_unique<Executor>(model.chain, schedule, model.input, 0, threads(thread_count), std::move(tracker));
}

inline Step step_of(const Model& model, std::int64_t number = 3) {
  Step step;
  step.step = number;
  step.seed = 42;
  step.input = model.tokens.get();
  step.targets = model.targets.get();
  return step;
}

// Returns all gradients, concatenated, as bytes.
inline std::vector<std::byte> gradients_of(const Chain& chain) {
  std::vector<std::byte> all;
  for (const Parameter& parameter : chain.parameters()) {
    const auto bytes = parameter.gradient->byte_span();
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

inline std::vector<std::byte> values_of(const Chain& chain) {
  std::vector<std::byte> all;
  for (const Parameter& parameter : chain.parameters()) {
    const auto bytes = parameter.value->byte_span();
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

inline const Parameter& parameter_named(const Chain& chain, std::string_view name) {
  for (const Parameter& parameter : chain.parameters()) {
    if (parameter.name == name) return parameter;
  }
  base::fail(base::Status::not_found, "no parameter ", base::quote(name));
}

inline std::vector<double> numbers_of(const Tensor& tensor) {
  std::vector<double> numbers;
  with_float(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    for (std::int64_t i = 0; i < tensor.shape().elements(); ++i) numbers.push_back(static_cast<double>(tensor.data_as<T>()[i]));
  });
  return numbers;
}

// Returns the exception of call; Error(ok) if there is none.
template <class Call>
base::Error thrown_by(Call&& call) {
  try {
    call();
  } catch (const base::Error& error) {
    return error;
  }
  return base::Error(base::Status::ok, "");
}

inline bool contains(const base::Error& error, std::string_view text) { return error.message().find(text) != std::string::npos; }

// Returns every schedule of a chain that this library generates from its profile alone.
inline std::vector<std::shared_ptr<const plan::Schedule>> schedules_of(const plan::ChainProfile& profile) {
  std::vector<std::shared_ptr<const plan::Schedule>> all = {
      plan::make_store_all(profile), plan::make_recompute_all(profile),
      plan::make_open_ended(3, plan::needs_input | plan::needs_output | plan::deterministic)};
  for (std::int64_t segments = 2; segments <= profile.layers(); segments += 2)
    all.push_back(plan::make_periodic(profile, segments));
  for (std::int64_t interval = 1; interval <= 4; ++interval) {
    for (const strategy::Chosen chosen : {strategy::Chosen::boundary, strategy::Chosen::recompute}) {
      const auto choice = strategy::make_interval(interval);
      choice->set_chosen(chosen);
      all.push_back(plan::make_from_strategy(profile, choice));
    }
  }
  return all;
}

}  // namespace ckpt::engine::test
