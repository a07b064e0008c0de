// A loss that is not finite fails the step before any backward runs, and the check of outputs reports the first such value.
#include <gtest/gtest.h>

#include <limits>

#include "models.h"

namespace ckpt::engine::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

// Embedding, a layer that counts, linear, the loss.
struct Watched {
  explicit Watched(Dtype dtype) {
    model.chain = std::make_shared<Chain>(0);
    model.chain->add(make_embedding("table", 8, 4, 4, dtype));
    model.chain->add(
        std::make_shared<Passage>("between", [this](const RunContext&, bool forward) { ++(forward ? forwards : backwards); }));
    model.chain->add(make_linear("wide", 16, 8, dtype));
    model.chain->add(make_softmax_cross_entropy("entropy"));
    model.chain->initialize(3);
    model.input = {Dtype::u8, {5, 4}};
    model.tokens = Tensor::create(Dtype::u8, model.input.shape);
    for (std::size_t i = 0; i < 20; ++i) model.tokens->byte_span()[i] = static_cast<std::byte>(i * 3 % 8);
    model.targets = Tensor::create(Dtype::i32, {5});
    for (int i = 0; i < 5; ++i) model.targets->data_as<std::int32_t>()[i] = i;
  }
  Watched(const Watched&) = delete;
  Watched& operator=(const Watched&) = delete;

  std::unique_ptr<Executor> executor(bool check_finite) const {
    ExecutorChecks checks;
    checks.finite = check_finite;
    return std::make_unique<Executor>(model.chain, *plan::make_store_all(model.chain->profile(model.input)), model.input, 0,
                                      threads(2), std::make_shared<memory::Tracker>(), nullptr, checks);
  }

  void set(const char* parameter, std::int64_t element, double value) const {
    const Tensor& tensor = *parameter_named(*model.chain, parameter).value;
    with_float(tensor.dtype(), [&](auto zero) { tensor.data_as<decltype(zero)>()[element] = static_cast<decltype(zero)>(value); });
  }

  Model model;
  int forwards = 0;
  int backwards = 0;
};

bool names_no_number(const base::Error& error) { return contains(error, "nan") || contains(error, "inf"); }

TEST(Finite, ANonFiniteLossFailsTheStepBeforeAnyBackward) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    // The last value is finite, but its sums are not.
    for (const double value : {infinity, std::numeric_limits<double>::quiet_NaN(), dtype == Dtype::f32 ? 1e38 : 1e308}) {
      Watched watched(dtype);
      const auto executor = watched.executor(false);
      const double loss = executor->run(step_of(watched.model));
      const std::vector<std::byte> gradients = gradients_of(*watched.model.chain);
      const Tensor& table = *parameter_named(*watched.model.chain, "table.table").value;
      const Tensor& weight = *parameter_named(*watched.model.chain, "wide.weight").value;
      const std::vector<std::byte> kept(weight.byte_span().begin(), weight.byte_span().end());
      const std::vector<std::byte> kept_table(table.byte_span().begin(), table.byte_span().end());
      for (std::int64_t i = 0; i < table.shape().elements(); ++i) watched.set("table.table", i, 8);
      for (std::int64_t row = 0; row < 16; ++row) watched.set("wide.weight", row * 8, value);

      watched.forwards = watched.backwards = 0;
      const base::Error error = thrown_by([&] { executor->run(step_of(watched.model)); });
      EXPECT_EQ(error.status(), base::Status::out_of_range) << value;
      EXPECT_TRUE(contains(error, "loss") && names_no_number(error)) << error.message();
      EXPECT_EQ(watched.forwards, 1);
      EXPECT_EQ(watched.backwards, 0);
      EXPECT_EQ(executor->stats().live_bytes, 0);

      std::memcpy(weight.data(), kept.data(), kept.size());
      std::memcpy(table.data(), kept_table.data(), kept_table.size());
      EXPECT_EQ(executor->run(step_of(watched.model)), loss);
      EXPECT_EQ(watched.backwards, 1);
      EXPECT_TRUE(gradients_of(*watched.model.chain) == gradients);
    }
  }
}

TEST(Finite, TheCheckNamesTheFirstLayerTheElementAndItsValue) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    Watched watched(dtype);
    const auto executor = watched.executor(true);
    const double loss = executor->run(step_of(watched.model));

    // Token 3 is the second one of the first sample: element 1 of its vector is output element 4 + 1.
    watched.set("table.table", 3 * 4 + 1, -infinity);
    watched.forwards = 0;
    base::Error error = thrown_by([&] { executor->run(step_of(watched.model)); });
    EXPECT_EQ(error.status(), base::Status::out_of_range);
    for (const char* word : {"'table'", "element 5", "-inf"}) EXPECT_TRUE(contains(error, word)) << word << ": " << error.message();
    EXPECT_FALSE(contains(error, "'wide'") || contains(error, "'entropy'")) << error.message();
    EXPECT_EQ(watched.forwards, 0);

    watched.set("table.table", 3 * 4 + 1, 0.25);
    watched.set("wide.bias", 6, std::numeric_limits<double>::quiet_NaN());
    error = thrown_by([&] { executor->run(step_of(watched.model)); });
    EXPECT_EQ(error.status(), base::Status::out_of_range);
    for (const char* word : {"'wide'", "element 6", "nan"}) EXPECT_TRUE(contains(error, word)) << word << ": " << error.message();
    EXPECT_EQ(watched.backwards, 1);

    watched.set("wide.bias", 6, 0);
    EXPECT_TRUE(std::isfinite(executor->run(step_of(watched.model))));
    watched.model.chain->initialize(3);
    EXPECT_EQ(executor->run(step_of(watched.model)), loss);
  }
}

// The only occurrence of a token with an infinity in its vector, at any position.
TEST(Finite, TheCheckExaminesEveryElement) {
  for (const std::int64_t element :
       {std::int64_t{0}, std::int64_t{8191}, std::int64_t{8192}, std::int64_t{9001}, 3 * 50 * 96 - 1L}) {
    const Model model = transformer(Dtype::f32, 3, 50, 96, 2, 1, 0.1);
    std::memset(model.tokens->data(), 0, static_cast<std::size_t>(model.tokens->bytes()));
    model.tokens->data_as<std::uint8_t>()[element / 96] = 1;
    const Tensor& vectors = *parameter_named(*model.chain, "embedding.tokens.weight").value;
    vectors.data_as<float>()[96 + element % 96] = std::numeric_limits<float>::infinity();
    ExecutorChecks checks;
    checks.finite = true;
    Executor executor(model.chain, *plan::make_recompute_all(model.chain->profile(model.input)), model.input, 0, threads(2),
                      std::make_shared<memory::Tracker>(), nullptr, checks);
    const base::Error error = thrown_by([&] { executor.run(step_of(model)); });
    EXPECT_EQ(error.status(), base::Status::out_of_range);
    EXPECT_TRUE(contains(error, "'embedding'")) << error.message();
    EXPECT_TRUE(contains(error, "element " + std::to_string(element))) << error.message();
  }
}

TEST(Finite, TheCheckChangesNoBits) {
  const Model model = transformer(Dtype::f32, 4, 12, 16, 4, 2, 0.1);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const double loss = executor_for(model, *plan::make_store_all(profile))->run(step_of(model));
  const std::vector<std::byte> gradients = gradients_of(*model.chain);
  for (const auto& schedule : schedules_of(profile)) {
    ExecutorChecks checks;
    checks.finite = true;
    Executor executor(model.chain, *schedule, model.input, 0, threads(2), std::make_shared<memory::Tracker>(), nullptr, checks);
    EXPECT_EQ(executor.run(step_of(model)), loss) << schedule->name();
    EXPECT_TRUE(gradients_of(*model.chain) == gradients) << schedule->name();
  }
}

}  // namespace
}  // namespace ckpt::engine::test
