// Small models and their data for the tests of the engine.
#pragma once

#include <cmath>
#include <cstring>
#include <random>
#include <string>
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

// All gradients, one behind another, as bytes.
inline std::vector<std::byte> gradients_of(const Chain& chain) {
  std::vector<std::byte> all;
  for (const Parameter& parameter : chain.parameters()) {
    const auto bytes = parameter.gradient->byte_span();
    all.insert(all.end(), bytes.begin(), bytes.end());
  }
  return all;
}

// Every schedule of a chain that this library makes from its profile alone.
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
