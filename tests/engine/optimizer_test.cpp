#include "engine/optimizer.h"

#include <gtest/gtest.h>

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

TEST(Optimizer, ARestoredStateGoesOnTheSame) {
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

TEST(Clip, ScalesToTheNormAndLeavesSmallerOnesAlone) {
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
