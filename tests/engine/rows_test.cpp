// Row-wise layers accept activations of any number of dimensions, and give the same bits as for the same rows in two dimensions.
// Through the public API.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t samples = 6;
constexpr std::int64_t context = 11;
constexpr std::int64_t width = 24;
constexpr std::int64_t classes = 7;

ckpt::Chain model(const std::string& norm) {
  ckpt::Chain chain;
  chain.add(ckpt::Layer("before", norm + ":24")).add(ckpt::Layer("up", "linear:24,40")).add(ckpt::Layer("gelu", "gelu"));
  chain.add(ckpt::Layer("down", "linear:40,24")).add(ckpt::Layer("after", norm + ":24,1e-6"));
  chain.add(ckpt::Layer("head", "linear:24,7")).add(ckpt::Layer("loss", "softmax_cross_entropy"));
  chain.initialize(5);
  return chain;
}

ckpt::Tensor input_of(const std::vector<std::int64_t>& shape) {
  ckpt::Tensor x(ckpt::DType::f32, shape);
  for (std::int64_t i = 0; i < x.element_count(); ++i)
    x.data_as<float>()[i] = static_cast<float>((i * 7919) % 1009) / 504.0F - 1.0F + static_cast<float>(i % 24) * 0.1F;
  return x;
}

ckpt::Tensor targets_of(const std::vector<std::int64_t>& shape) {
  ckpt::Tensor targets(ckpt::DType::i32, shape);
  for (std::int64_t i = 0; i < targets.element_count(); ++i)
    targets.data_as<std::int32_t>()[i] = static_cast<std::int32_t>((i * 5) % classes);
  return targets;
}

struct Found {
  double loss = 0;
  std::vector<float> numbers;  // the input's gradient, then the parameters'
};

void add(std::vector<float>& to, const ckpt::Tensor& tensor) {
  to.insert(to.end(), tensor.data_as<float>(), tensor.data_as<float>() + tensor.element_count());
}

Found run(const std::string& norm, const std::vector<std::int64_t>& rows, const std::string& planner, int threads) {
  ckpt::Chain chain = model(norm);
  std::vector<std::int64_t> shape = rows;
  shape.push_back(width);
  const ckpt::Tensor x = input_of(shape);
  const ckpt::Tensor targets = targets_of(rows);
  ckpt::Tensor gradient(ckpt::DType::f32, shape);
  const ckpt::TensorSpec spec{ckpt::DType::f32, shape};
  ckpt::ScheduleExecutorOptions options;
  const ckpt::WorkerPool pool(threads);
  options.pool = pool;
  const ckpt::Profile profile = chain.profile(spec);
  const ckpt::Schedule schedule = ckpt::Schedule::create(profile, planner);
  ckpt::ScheduleExecutor executor(chain, schedule, spec, options);
  ckpt::Step step;
  step.input = x;
  step.targets = targets;
  step.input_gradient = gradient;
  Found found;
  found.loss = executor.run(step);
  EXPECT_EQ(executor.stats().peak_live_bytes, schedule.verify(profile).peak_bytes[0]);
  add(found.numbers, gradient);
  for (const ckpt::Parameter& parameter : chain.parameters()) add(found.numbers, parameter.gradient);
  return found;
}

void expect_same(const Found& a, const Found& b, const std::string& what) {
  EXPECT_EQ(a.loss, b.loss) << what;
  ASSERT_EQ(a.numbers.size(), b.numbers.size()) << what;
  EXPECT_EQ(std::memcmp(a.numbers.data(), b.numbers.data(), a.numbers.size() * sizeof(float)), 0) << what;
}

TEST(Rows, DimensionsSchedulesAndThreadsChangeNoBit) {
  for (const char* norm : {"layer_norm", "rms_norm"}) {
    const Found expected = run(norm, {samples * context}, "store-all", 1);
    double magnitude = 0;
    for (const float number : expected.numbers) magnitude += number < 0 ? -number : number;
    EXPECT_GT(magnitude, 1);
    for (const std::vector<std::int64_t>& rows :
         {std::vector<std::int64_t>{samples, context}, {samples * context, 1}, {3, 2, 1, context}})
      for (const char* planner : {"store-all", "recompute-all", "sqrt", "revolve:2", "chain:40000"})
        for (const int threads : {1, 2})
          expect_same(run(norm, rows, planner, threads), expected,
                      std::string(norm) + " " + std::to_string(rows.size()) + " " + planner + " " + std::to_string(threads));
  }
}

TEST(Rows, AProfileIsMeasuredWithoutData) {
  ckpt::Chain chain = model("layer_norm");
  const ckpt::TensorSpec spec{ckpt::DType::f32, {samples, context, width}};
  EXPECT_GT(chain.profile(spec, 1).option(6, 0).forward_seconds, 0);
}

TEST(Rows, MicroBatchesOfAPipelineHaveTheirTargets) {
  ckpt::Chain chain = model("rms_norm");
  const ckpt::Tensor x = input_of({samples, context, width});
  const ckpt::Tensor targets = targets_of({samples, context});
  ckpt::Step step;
  step.input = x;
  step.targets = targets;
  ckpt::PipelineOptions options;
  options.micro_batches = 3;
  const double expected = ckpt::Pipeline(chain, {ckpt::DType::f32, {samples, context, width}}, options).run(step);
  options.stages = 2;
  EXPECT_EQ(ckpt::Pipeline(chain, {ckpt::DType::f32, {samples, context, width}}, options).run(step), expected);
  EXPECT_NEAR(expected, run("rms_norm", {samples, context}, "store-all", 1).loss, 1e-6);
}

std::string refusal(const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& target_shape) {
  try {
    ckpt::Chain chain = model("layer_norm");
    const ckpt::TensorSpec spec{ckpt::DType::f32, shape};
    ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(chain.profile(spec), "store-all"), spec);
    const ckpt::Tensor x = input_of(shape);
    const ckpt::Tensor targets = targets_of(target_shape);
    ckpt::Step step;
    step.input = x;
    step.targets = targets;
    executor.run(step);
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::invalid_argument);
    return error.what();
  }
  return "";
}

TEST(Rows, MessagesNameLayerExpectedAndGiven) {
  EXPECT_NE(refusal({2, 3, 23}, {2, 3}).find("layer 'before': the input is F32[2, 3, 23]; expected F32[samples, ..., 24]"),
            std::string::npos);
  EXPECT_NE(refusal({24}, {24}).find("layer 'before': the input is F32[24]; expected F32[samples, ..., 24]"), std::string::npos);
  EXPECT_NE(refusal({2, 3, 24}, {2}).find("layer 'loss': targets are I32[2]; expected U8 or I32 [2, 3]"), std::string::npos);
  EXPECT_NE(refusal({2, 3, 24}, {3, 2}).find("layer 'loss': targets are I32[3, 2]; expected U8 or I32 [2, 3]"), std::string::npos);
}

}  // namespace
