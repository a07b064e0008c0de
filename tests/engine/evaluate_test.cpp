// Evaluation runs layers forward as a step does, without dropout, changes nothing, and does not affect the surrounding steps.
#include <gtest/gtest.h>

#include "heap_counts.h"
#include "models.h"

namespace ckpt::engine::test {
namespace {

Model small_transformer(double dropout = 0.3, std::shared_ptr<Layer> between = nullptr) {
  return transformer(Dtype::f32, 4, 12, 16, 4, 2, dropout, Head::tied, std::move(between));
}

std::shared_ptr<Tensor> tensor_for(const TensorSpec& spec) { return Tensor::create(spec.dtype, spec.shape); }

TEST(Evaluate, IsTheLossOfAChainWithoutDropout) {
  const Model model = small_transformer(0.3);
  const Model without = small_transformer(0);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const double expected = executor_for(without, *plan::make_store_all(profile))->run(step_of(without));
  for (const auto& schedule : schedules_of(profile)) {
    const auto executor = executor_for(model, *schedule, 2);
    EXPECT_EQ(executor->evaluate(step_of(model), model.chain->layers()), expected) << schedule->name();
    EXPECT_NE(executor->run(step_of(model)), expected) << schedule->name();
    EXPECT_EQ(executor->evaluate(step_of(model), model.chain->layers()), expected) << schedule->name();
    // Nothing is random.
    EXPECT_EQ(executor->evaluate(step_of(model, 8), model.chain->layers()), expected) << schedule->name();
  }
}

TEST(Evaluate, DisablesPlainDropout) {
  const Model model = byte_model(Dtype::f32, 24, 32, 3, 0.4);
  const Model without = byte_model(Dtype::f32, 24, 32, 3, 0);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  const double expected = executor_for(without, *schedule)->run(step_of(without));
  EXPECT_EQ(executor_for(model, *schedule, 3)->evaluate(step_of(model), model.chain->layers()), expected);
}

TEST(Evaluate, WritesTheOutputOfTheLastOfItsLayers) {
  const Model model = small_transformer();
  const std::vector<TensorSpec> specs = model.chain->specs(model.input);
  const std::int64_t n = model.chain->layers();
  const auto executor = executor_for(model, *plan::make_recompute_all(model.chain->profile(model.input)), 2);
  const double loss = executor->evaluate(step_of(model), n);
  const auto logits = tensor_for(specs[static_cast<std::size_t>(n - 1)]);
  Step step = step_of(model);
  step.output = logits.get();
  step.targets = nullptr;  // only the loss needs them
  EXPECT_TRUE(std::isnan(executor->evaluate(step, n - 1)));
  const std::vector<double> numbers = numbers_of(*logits);
  double sum = 0;
  for (std::size_t row = 0; row < 48; ++row) {
    const double* const x = &numbers[row * transformer_vocabulary];
    double exponentials = 0;
    for (int i = 0; i < transformer_vocabulary; ++i) exponentials += std::exp(x[i]);
    sum += std::log(exponentials) - x[model.targets->data_as<std::int32_t>()[row]];
  }
  EXPECT_NEAR(loss, sum / 48, 1e-5 * loss);

  const auto result = tensor_for(specs.back());
  step = step_of(model);
  step.output = result.get();
  const double answer = executor->evaluate(step, n);
  EXPECT_EQ(answer, static_cast<double>(*result->data_as<float>()));
}

TEST(Evaluate, OfTheFirstLayerIsTheEmbedding) {
  const Model model = small_transformer();
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)));
  const auto vectors = tensor_for(model.chain->specs(model.input)[1]);
  Step step = step_of(model);
  step.output = vectors.get();
  EXPECT_TRUE(std::isnan(executor->evaluate(step, 1)));
  const auto* const table = parameter_named(*model.chain, "embedding.tokens.weight").value->data_as<float>();
  const auto* const places = parameter_named(*model.chain, "embedding.positions.weight").value->data_as<float>();
  for (std::int64_t i = 0; i < 48; ++i) {
    const std::int64_t token = model.tokens->data_as<std::uint8_t>()[i];
    for (std::int64_t j = 0; j < 16; ++j)
      ASSERT_EQ(vectors->data_as<float>()[i * 16 + j], table[token * 16 + j] + places[i % 12 * 16 + j]) << i << ", " << j;
  }
}

TEST(Evaluate, ChangesNothingAndDisturbsNoStep) {
  const Model model = small_transformer();
  const Model other = small_transformer();
  const auto schedule = plan::make_periodic(model.chain->profile(model.input), 3);
  const auto executor = executor_for(model, *schedule, 2);
  const auto undisturbed = executor_for(other, *schedule, 2);
  for (int number = 0; number < 3; ++number) {
    EXPECT_EQ(executor->run(step_of(model, number)), undisturbed->run(step_of(other, number)));
    const std::vector<std::byte> gradients = gradients_of(*model.chain);
    const std::vector<std::byte> values = values_of(*model.chain);
    for (const std::int64_t layers : {model.chain->layers(), std::int64_t{4}}) executor->evaluate(step_of(model, number), layers);
    EXPECT_TRUE(gradients_of(*model.chain) == gradients);
    EXPECT_TRUE(values_of(*model.chain) == values);
  }
  // Gradients for a step with accumulate are preserved.
  Step step = step_of(model, 3);
  step.accumulate = true;
  EXPECT_EQ(executor->run(step), undisturbed->run([&] {
    Step same = step_of(other, 3);
    same.accumulate = true;
    return same;
  }()));
  EXPECT_TRUE(gradients_of(*model.chain) == gradients_of(*other.chain));
  EXPECT_EQ(executor->stats().steps, 4);
  EXPECT_EQ(executor->stats().live_bytes, 0);
  EXPECT_EQ(executor->stats().peak_live_bytes, undisturbed->stats().peak_live_bytes);
}

TEST(Evaluate, WorksAgainAfterAnError) {
  const Model model = small_transformer();
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)), 2);
  const std::int64_t n = model.chain->layers();
  const double expected = executor->evaluate(step_of(model), n);
  const auto bad = Tensor::create(Dtype::u8, model.input.shape);
  std::memset(bad->data(), 200, static_cast<std::size_t>(bad->bytes()));
  Step step = step_of(model);
  step.input = bad.get();
  const base::Error error = thrown_by([&] { executor->evaluate(step, n); });
  EXPECT_EQ(error.status(), base::Status::out_of_range);
  EXPECT_TRUE(contains(error, "'embedding'") && contains(error, "200")) << error.message();
  EXPECT_EQ(executor->evaluate(step_of(model), n), expected);
  const double loss = executor->run(step_of(model));
  EXPECT_THROW(executor->evaluate(step, n), base::Error);
  EXPECT_EQ(executor->run(step_of(model)), loss);
}

TEST(Evaluate, RefusesInvalidLayerCounts) {
  const Model model = small_transformer();
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)));
  for (const std::int64_t layers : {std::int64_t{0}, std::int64_t{-1}, model.chain->layers() + 1, INT64_MIN, INT64_MAX}) {
    const base::Error error = thrown_by([&] { executor->evaluate(step_of(model), layers); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << layers;
    EXPECT_TRUE(contains(error, "layer_count is " + std::to_string(layers))) << error.message();
  }
}

TEST(Evaluate, RefusesMismatchedData) {
  const Model model = small_transformer();
  const auto executor = executor_for(model, *plan::make_store_all(model.chain->profile(model.input)));
  const std::int64_t n = model.chain->layers();
  const auto refused = [&](const Step& step, std::int64_t layers, const char* word) {
    const base::Error error = thrown_by([&] { executor->evaluate(step, layers); });
    EXPECT_EQ(error.status(), base::Status::invalid_argument) << word;
    EXPECT_TRUE(contains(error, word)) << error.message();
  };
  Step step = step_of(model);
  step.input = nullptr;
  refused(step, n, "input");
  step.input = model.targets.get();
  refused(step, n, "input");
  step = step_of(model);
  step.targets = nullptr;
  refused(step, n, "targets");
  step = step_of(model);
  step.step = -1;
  refused(step, n, "step is -1");
  step = step_of(model);
  step.first_sample = -2;
  refused(step, n, "first_sample is -2");
  step = step_of(model);
  const auto loss = tensor_for(model.chain->specs(model.input).back());
  step.output = loss.get();
  refused(step, n - 1, "output");
}

TEST(Evaluate, ReportsEvaluationToLayers) {
  std::vector<bool> evaluations;
  const auto watcher = std::make_shared<Passage>("watcher", [&](const RunContext& context, bool forward) {
    if (forward) evaluations.push_back(context.evaluation);
    EXPECT_TRUE(forward || !context.evaluation);
    // Everything else is as in a step.
    EXPECT_EQ(context.first_sample, 21);
    EXPECT_EQ(context.step, 3);
    EXPECT_EQ(context.seed, 42U);
    EXPECT_NE(context.pool, nullptr);
    EXPECT_NE(context.targets, nullptr);
  });
  const Model model = small_transformer(0.1, watcher);
  const auto executor = executor_for(model, *plan::make_recompute_all(model.chain->profile(model.input)));
  Step step = step_of(model);
  step.first_sample = 21;
  executor->run(step);
  EXPECT_GT(evaluations.size(), 1U);
  EXPECT_EQ(evaluations, std::vector<bool>(evaluations.size(), false));
  evaluations.clear();
  executor->evaluate(step, model.chain->layers());
  EXPECT_EQ(evaluations, std::vector<bool>{true});
  evaluations.clear();
  executor->evaluate(step, 5);  // the layers before it
  EXPECT_TRUE(evaluations.empty());
  executor->run(step);
  EXPECT_EQ(evaluations, std::vector<bool>(evaluations.size(), false));
}

// Draws from a generator outside of its arguments, as a step would.
class Drawing final : public Layer {
 public:
  using Layer::Layer;
  TensorSpec output(const TensorSpec& input) const override { return input; }
  std::uint32_t flags() const override { return plan::deterministic; }
  std::int64_t ambient_bytes() const override { return sizeof drawn_; }
  void save_ambient(void* state) const override { std::memcpy(state, &drawn_, sizeof drawn_); }
  void restore_ambient(const void* state) override { std::memcpy(&drawn_, state, sizeof drawn_); }
  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    ++drawn_;
    std::memmove(buffers.output, buffers.input, static_cast<std::size_t>(context.input->bytes()));
  }
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    std::memmove(buffers.grad_input, buffers.grad_output, static_cast<std::size_t>(context.input->bytes()));
  }
  std::int64_t drawn() const { return drawn_; }

 private:
  std::int64_t drawn_ = 7;
};

// So the step after the evaluation draws the same numbers as without it.
TEST(Evaluate, PreservesAmbientStateOfLayers) {
  Model model = small_transformer();
  const auto drawing = std::make_shared<Drawing>("drawing");
  const auto chain = std::make_shared<Chain>(0);
  chain->add(make_token_embedding("embedding", transformer_vocabulary, 12, 16, true, Dtype::f32));
  chain->add(drawing);
  chain->add(make_linear("head", 16, transformer_vocabulary, Dtype::f32));
  chain->add(make_softmax_cross_entropy("loss"));
  chain->initialize(3);
  model.chain = chain;
  const auto executor = executor_for(model, *plan::make_store_all(chain->profile(model.input)));
  executor->evaluate(step_of(model), chain->layers());
  executor->evaluate(step_of(model), 2);
  EXPECT_EQ(drawing->drawn(), 7);
  executor->run(step_of(model));
  EXPECT_EQ(drawing->drawn(), 8);
}

TEST(Evaluate, AllocatesNothingAfterTheFirstCall) {
  const Model model = small_transformer();
  const auto executor = executor_for(model, *plan::make_periodic(model.chain->profile(model.input), 2), 2);
  const auto logits = tensor_for(model.chain->specs(model.input)[7]);
  const std::int64_t n = model.chain->layers();
  Step step = step_of(model);
  const auto round = [&] {
    step.output = nullptr;
    executor->evaluate(step, n);
    step.output = logits.get();
    executor->evaluate(step, n - 1);
    executor->run(step_of(model));
  };
  for (int i = 0; i < 3; ++i) round();
  const std::int64_t before = heap_requests;
  for (int i = 0; i < 5; ++i) round();
  EXPECT_EQ(heap_requests, before);
}

}  // namespace
}  // namespace ckpt::engine::test
