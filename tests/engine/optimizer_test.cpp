#include "engine/optimizer.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>

#include "models.h"

namespace ckpt::engine::test {
namespace {

TEST(Optimizer, SgdFollowsItsFormula) {
  const Model model = byte_model(Dtype::f64, 8, 16, 1, 0);
  const Parameter& weight = model.chain->parameters()[1];
  double* const w = weight.value->data_as<double>();
  double* const g = weight.gradient->data_as<double>();
  const auto sgd = make_sgd(model.chain, 0.5, 0.75);
  const double before = w[3];
  g[3] = 2;
  sgd->step();
  EXPECT_DOUBLE_EQ(w[3], before - 0.5 * 2);
  g[3] = 1;
  sgd->step();
  EXPECT_DOUBLE_EQ(w[3], before - 0.5 * 2 - 0.5 * (0.75 * 2 + 1));
  EXPECT_EQ(sgd->steps(), 2);
  EXPECT_EQ(sgd->state()[1].name, weight.name + ".momentum");
}

TEST(Optimizer, AdamwFollowsItsFormula) {
  const Model model = byte_model(Dtype::f64, 8, 16, 1, 0);
  const Parameter& weight = model.chain->parameters()[1];
  double& w = weight.value->data_as<double>()[4];
  double& g = weight.gradient->data_as<double>()[4];
  const AdamwOptions options{0.01, 0.8, 0.95, 1e-6, 0.1};
  const auto adamw = make_adamw(model.chain, options);
  double expected = w;
  double m = 0;
  double v = 0;
  for (int t = 1; t <= 5; ++t) {
    g = 0.3 * t - 0.7;
    m = options.beta1 * m + (1 - options.beta1) * g;
    v = options.beta2 * v + (1 - options.beta2) * g * g;
    const double m_hat = m / (1 - std::pow(options.beta1, t));
    const double v_hat = v / (1 - std::pow(options.beta2, t));
    expected -= options.learning_rate * (m_hat / (std::sqrt(v_hat) + options.epsilon) + options.weight_decay * expected);
    adamw->step();
    EXPECT_NEAR(w, expected, 1e-15) << "step " << t;
  }
}

TEST(Optimizer, ARestoredStateContinuesIdentically) {
  const Model one = byte_model(Dtype::f32, 16, 16, 1, 0.1);
  const Model two = byte_model(Dtype::f32, 16, 16, 1, 0.1);
  const auto schedule = plan::make_store_all(one.chain->profile(one.input));
  const auto executor_one = executor_for(one, *schedule);
  const auto executor_two = executor_for(two, *schedule);
  const auto adamw_one = make_adamw(one.chain, {});
  const auto adamw_two = make_adamw(two.chain, {});
  for (int i = 0; i < 3; ++i) {
    executor_one->run(step_of(one, i));
    adamw_one->step();
  }
  for (std::size_t i = 0; i < one.chain->parameters().size(); ++i) {
    const Tensor& from = *one.chain->parameters()[i].value;
    std::memcpy(two.chain->parameters()[i].value->data(), from.data(), static_cast<std::size_t>(from.bytes()));
  }
  for (std::size_t i = 0; i < adamw_one->state().size(); ++i) {
    const Tensor& from = *adamw_one->state()[i].value;
    std::memcpy(adamw_two->state()[i].value->data(), from.data(), static_cast<std::size_t>(from.bytes()));
  }
  adamw_two->set_steps(adamw_one->steps());
  for (int i = 3; i < 6; ++i) {
    executor_one->run(step_of(one, i));
    adamw_one->step();
    executor_two->run(step_of(two, i));
    adamw_two->step();
  }
  for (std::size_t i = 0; i < one.chain->parameters().size(); ++i) {
    const Tensor& a = *one.chain->parameters()[i].value;
    const Tensor& b = *two.chain->parameters()[i].value;
    EXPECT_EQ(std::memcmp(a.data(), b.data(), static_cast<std::size_t>(a.bytes())), 0);
  }
}

TEST(Optimizer, TrainingLowersTheLoss) {
  const Model model = byte_model(Dtype::f32, 64, 32, 2, 0.05);
  const auto schedule = plan::make_periodic(model.chain->profile(model.input), 3);
  const auto executor = executor_for(model, *schedule, 2);
  const auto adamw = make_adamw(model.chain, {});
  const double first = executor->run(step_of(model, 0));
  double last = first;
  for (int i = 1; i < 60; ++i) {
    last = executor->run(step_of(model, i));
    model.chain->clip_gradients(1);
    adamw->step();
  }
  EXPECT_LT(last, 0.7 * first);
}

TEST(Clip, ScalesToTheNormAndKeepsSmallerGradients) {
  const Model model = byte_model(Dtype::f32, 16, 16, 1, 0);
  const auto schedule = plan::make_store_all(model.chain->profile(model.input));
  executor_for(model, *schedule)->run(step_of(model));
  const double norm = model.chain->clip_gradients(1e9);
  EXPECT_GT(norm, 0);
  const std::vector<std::byte> before = gradients_of(*model.chain);
  EXPECT_EQ(model.chain->clip_gradients(norm * 2), norm);
  EXPECT_TRUE(gradients_of(*model.chain) == before);
  EXPECT_EQ(model.chain->clip_gradients(norm / 4), norm);
  EXPECT_NEAR(model.chain->clip_gradients(1e9), norm / 4, norm * 1e-6);
  EXPECT_THROW(model.chain->clip_gradients(0), base::Error);
  EXPECT_THROW(model.chain->clip_gradients(NAN), base::Error);
}

// A parameter of several parts, the last one incomplete, and one of exactly one part.
std::shared_ptr<Chain> chain_of_many_parts(Dtype dtype) {
  auto chain = std::make_shared<Chain>(0);
  chain->add(make_linear("first", 101, 173, dtype));  // 17473 elements
  chain->add(make_linear("second", 173, 64, dtype));
  chain->add(make_linear("third", 64, 128, dtype));  // 8192
  chain->initialize(5);
  return chain;
}

void set_gradients(const Chain& chain, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> uniform(-1, 1);
  for (const Parameter& parameter : chain.parameters()) {
    with_float(parameter.gradient->dtype(), [&](auto zero) {
      using T = decltype(zero);
      for (std::int64_t i = 0; i < parameter.gradient->shape().elements(); ++i)
        parameter.gradient->data_as<T>()[i] = static_cast<T>(uniform(random));
    });
  }
}

struct Updated {
  std::vector<double> norms;
  std::vector<std::byte> clipped;
  std::vector<std::byte> values;
  friend bool operator==(const Updated&, const Updated&) = default;
};

Updated updated(Dtype dtype, bool adamw, std::shared_ptr<base::ThreadPool> pool) {
  const auto chain = chain_of_many_parts(dtype);
  chain->set_pool(std::move(pool));
  const auto optimizer = adamw ? make_adamw(chain, {}) : make_sgd(chain, 0.1, 0.9);
  Updated result;
  for (unsigned step = 0; step < 3; ++step) {
    set_gradients(*chain, step);
    result.norms.push_back(chain->clip_gradients(0.5));
    const std::vector<std::byte> clipped = gradients_of(*chain);
    result.clipped.insert(result.clipped.end(), clipped.begin(), clipped.end());
    optimizer->step();
  }
  result.values = values_of(*chain);
  chain->zero_gradients();
  EXPECT_TRUE(gradients_of(*chain) == std::vector<std::byte>(gradients_of(*chain).size()));
  return result;
}

TEST(ChainPool, AnyNumberOfThreadsGivesTheSameBits) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const bool adamw : {false, true}) {
      const Updated expected = updated(dtype, adamw, nullptr);
      // Uniform in +-1: the norm is the square root of a third of the number of elements.
      const double elements = 101 * 173 + 173 + 173 * 64 + 64 + 64 * 128 + 128;
      EXPECT_NEAR(expected.norms[0], std::sqrt(elements / 3), 0.02 * std::sqrt(elements / 3));
      for (const int thread_count : {1, 2, 3})
        EXPECT_TRUE(updated(dtype, adamw, threads(thread_count)) == expected) << thread_count << " threads, adamw " << adamw;
    }
  }
}

// With clipping, with gradients below the limit, and without clipping.
TEST(OnePass, GivesTheBitsOfClippingUpdatingAndZeroing) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const bool adamw : {false, true}) {
      for (const double max_norm : {0.5, 1e9, std::numeric_limits<double>::infinity()}) {
        for (const int thread_count : {1, 3}) {
          const auto apart = chain_of_many_parts(dtype);
          const auto at_once = chain_of_many_parts(dtype);
          at_once->set_pool(threads(thread_count));
          const auto make = [&](const std::shared_ptr<Chain>& chain) {
            return adamw ? make_adamw(chain, {}) : make_sgd(chain, 0.1, 0.9);
          };
          const auto one = make(apart);
          const auto other = make(at_once);
          for (unsigned step = 0; step < 3; ++step) {
            set_gradients(*apart, step);
            set_gradients(*at_once, step);
            const double norm = apart->clip_gradients(std::min(max_norm, 1e9));
            one->step();
            EXPECT_EQ(other->step_and_zero(max_norm), norm);
            EXPECT_TRUE(gradients_of(*at_once) == std::vector<std::byte>(gradients_of(*at_once).size()));
          }
          EXPECT_EQ(one->steps(), other->steps());
          EXPECT_TRUE(values_of(*apart) == values_of(*at_once)) << max_norm << ", adamw " << adamw;
          for (std::size_t i = 0; i < one->state().size(); ++i)
            EXPECT_TRUE(std::ranges::equal(one->state()[i].value->byte_span(), other->state()[i].value->byte_span())) << i;
        }
      }
    }
  }
}

// The tied head's gradient is part of the embedding's gradient, and does not appear twice.
TEST(OnePass, TrainsATransformerLikeClippingUpdatingAndZeroing) {
  const Model apart = transformer(Dtype::f32, 4, 12, 16, 4, 2, 0.1);
  const Model at_once = transformer(Dtype::f32, 4, 12, 16, 4, 2, 0.1);
  const auto schedule = plan::make_periodic(apart.chain->profile(apart.input), 3);
  const auto one = make_adamw(apart.chain, {});
  const auto other = make_adamw(at_once.chain, {});
  const auto run_one = executor_for(apart, *schedule, 2);
  const auto run_other = executor_for(at_once, *schedule, 2);
  for (int i = 0; i < 4; ++i) {
    Step step = step_of(at_once, i);
    step.accumulate = i > 0;
    EXPECT_EQ(run_one->run(step_of(apart, i)), run_other->run(step));
    EXPECT_EQ(apart.chain->clip_gradients(0.1), other->step_and_zero(0.1));
    one->step();
  }
  EXPECT_TRUE(values_of(*apart.chain) == values_of(*at_once.chain));
}

TEST(OnePass, ANormThatIsNotFiniteChangesNothing) {
  for (const Dtype dtype : {Dtype::f32, Dtype::f64}) {
    for (const double bad : {std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
      const auto chain = chain_of_many_parts(dtype);
      const auto adamw = make_adamw(chain, {});
      set_gradients(*chain, 1);
      adamw->step();
      const Tensor& gradient = *chain->parameters()[0].gradient;
      with_float(dtype, [&](auto zero) { gradient.data_as<decltype(zero)>()[17472] = static_cast<decltype(zero)>(bad); });
      const std::vector<std::byte> values = values_of(*chain);
      const std::vector<std::byte> gradients = gradients_of(*chain);
      for (const bool at_once : {true, false}) {
        const base::Error error = thrown_by([&] { at_once ? adamw->step_and_zero(1) : chain->clip_gradients(1); });
        EXPECT_EQ(error.status(), base::Status::out_of_range);
        EXPECT_TRUE(contains(error, "norm of the gradients is")) << error.message();
        EXPECT_TRUE(values_of(*chain) == values && gradients_of(*chain) == gradients);
        EXPECT_EQ(adamw->steps(), 1);
      }
      chain->zero_gradients();
      EXPECT_EQ(adamw->step_and_zero(1), 0);
    }
  }
}

TEST(ChainPool, CanBeRemoved) {
  const auto chain = chain_of_many_parts(Dtype::f32);
  set_gradients(*chain, 1);
  auto pool = threads(2);
  const std::weak_ptr<base::ThreadPool> watched = pool;
  chain->set_pool(std::move(pool));
  EXPECT_FALSE(watched.expired());  // the chain keeps it alive
  const double norm = chain->clip_gradients(1e9);
  chain->set_pool(nullptr);
  EXPECT_TRUE(watched.expired());
  EXPECT_EQ(chain->clip_gradients(1e9), norm);
}

// With gradients of 0, only decay changes weights.
TEST(Optimizer, DecaysOnlyMatricesOnRequest) {
  for (const bool matrices_only : {false, true}) {
    const Model model = transformer(Dtype::f64, 2, 4, 8, 2, 1, 0);
    std::vector<std::vector<double>> before;
    for (const Parameter& parameter : model.chain->parameters()) before.push_back(numbers_of(*parameter.value));
    model.chain->zero_gradients();
    AdamwOptions options;
    options.learning_rate = 0.5;
    options.weight_decay = 0.25;
    options.decay_matrices_only = matrices_only;
    make_adamw(model.chain, options)->step();
    int vectors = 0;
    for (std::size_t i = 0; i < before.size(); ++i) {
      const Parameter& parameter = model.chain->parameters()[i];
      const bool decays = !matrices_only || parameter.value->shape().ndim() >= 2;
      vectors += parameter.value->shape().ndim() < 2 ? 1 : 0;
      const std::vector<double> after = numbers_of(*parameter.value);
      for (std::size_t j = 0; j < after.size(); ++j)
        ASSERT_DOUBLE_EQ(after[j], decays ? before[i][j] * (1 - 0.125) : before[i][j]) << parameter.name << ", element " << j;
    }
    EXPECT_EQ(vectors, 10);  // biases and norms
  }
}

TEST(Optimizer, TheLearningRateOfTheNextStepsCanBeSet) {
  for (const bool adamw : {false, true}) {
    const Model model = byte_model(Dtype::f64, 8, 16, 1, 0);
    const Model other = byte_model(Dtype::f64, 8, 16, 1, 0);
    const auto make = [&](const Model& of, double rate) {
      AdamwOptions options;
      options.learning_rate = rate;
      return adamw ? make_adamw(of.chain, options) : make_sgd(of.chain, rate, 0.5);
    };
    const auto optimizer = make(model, 0.25);
    const auto expected = make(other, 0.75);
    EXPECT_EQ(optimizer->learning_rate(), 0.25);
    set_gradients(*model.chain, 1);
    set_gradients(*other.chain, 1);

    const std::vector<std::byte> before = values_of(*model.chain);
    optimizer->set_learning_rate(0.75);
    EXPECT_EQ(optimizer->learning_rate(), 0.75);
    optimizer->step();
    expected->step();
    EXPECT_FALSE(values_of(*model.chain) == before);
    EXPECT_TRUE(values_of(*model.chain) == values_of(*other.chain));

    // A rate of 0 leaves values unchanged, and the state advances.
    const std::vector<std::byte> behind = values_of(*model.chain);
    optimizer->set_learning_rate(0);
    expected->set_learning_rate(0);
    optimizer->step();
    expected->step();
    EXPECT_TRUE(values_of(*model.chain) == behind);
    EXPECT_EQ(optimizer->steps(), 2);

    for (const double bad : {-1e-9, -1.0, std::nan(""), HUGE_VAL}) {
      const base::Error error = thrown_by([&] { optimizer->set_learning_rate(bad); });
      EXPECT_EQ(error.status(), base::Status::invalid_argument) << bad;
      EXPECT_TRUE(contains(error, "learning_rate is ")) << error.message();
    }
    EXPECT_EQ(optimizer->learning_rate(), 0);
  }
}

TEST(Optimizer, RefusesBadNumbers) {
  const Model model = byte_model(Dtype::f32, 8, 16, 1, 0);
  EXPECT_THROW(make_sgd(model.chain, 0, 0), base::Error);
  EXPECT_THROW(make_sgd(model.chain, NAN, 0), base::Error);
  EXPECT_THROW(make_sgd(model.chain, 0.1, 1), base::Error);
  EXPECT_THROW(make_adamw(model.chain, {0.1, 1.0}), base::Error);
  EXPECT_THROW(make_adamw(model.chain, {0.1, 0.9, 0.9, 0}), base::Error);
  EXPECT_THROW(make_adamw(model.chain, {0.1, 0.9, 0.9, 1e-8, -1}), base::Error);
  EXPECT_THROW(make_sgd(model.chain, 0.1, 0)->set_steps(-1), base::Error);
}

}  // namespace
}  // namespace ckpt::engine::test
