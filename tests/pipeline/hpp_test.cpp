// pipeline.hpp: the same from C++17.
#include <gtest/gtest.h>

#include <ckpt/pipeline.hpp>

namespace {

ckpt::Tensor numbers(float first) {
  ckpt::Tensor tensor(ckpt::DType::f32, {4, 2});
  for (int i = 0; i < 8; ++i) tensor.data_as<float>()[i] = first + static_cast<float>(i);
  return tensor;
}

TEST(PipelineHpp, ManagersStoreAndCompute) {
  ckpt::ActivationManager manager(ckpt::ActivationPolicy{ckpt::ActivationPolicyKind::selective, 2},
                                  [](const ckpt::Tensor& input, std::int32_t micro_batch) {
                                    if (micro_batch == 3) throw std::runtime_error("no three");
                                    ckpt::Tensor output(ckpt::DType::f32, {4, 2});
                                    output.copy_from(input);
                                    output.scale(2);
                                    return output;
                                  });
  manager.begin_step(6);
  const ckpt::Tensor input = numbers(1);
  EXPECT_TRUE(manager.should_checkpoint(2, 32));
  EXPECT_TRUE(manager.store(0, input));
  EXPECT_FALSE(manager.store(1, input));
  EXPECT_TRUE(manager.store(2, numbers(5)));
  EXPECT_EQ(manager.list(), (std::vector<std::int32_t>{0, 2}));
  EXPECT_EQ(manager.memory_usage(), 64);
  EXPECT_EQ(manager.count(), 2);
  EXPECT_TRUE(manager.has_activation(2));
  const std::optional<ckpt::Tensor> found = manager.activation(2);
  ASSERT_TRUE(found.has_value());
  EXPECT_EQ(static_cast<const float*>(found->data())[0], 5);
  EXPECT_FALSE(manager.activation(1).has_value());
  ckpt::Tensor read_only = found->share();
  EXPECT_EQ(read_only.elements_as<const float>().data(), std::as_const(*found).data());
  EXPECT_EQ(read_only.elements_as<const float>().size(), static_cast<std::size_t>(found->element_count()));
  try {
    read_only.elements_as<float>();
    FAIL() << "elements that must not be written";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::unsupported);
    EXPECT_NE(std::string(error.what()).find("elements_as<const float>"), std::string::npos);
  }
  EXPECT_EQ(manager.metadata(2).hits, 1);
  const ckpt::Tensor computed = manager.get_or_compute(input, 1);
  EXPECT_EQ(static_cast<const float*>(computed.data())[1], 4);
  try {
    manager.recompute(input, 3);
    ADD_FAILURE() << "the forward's exception was lost";
  } catch (const ckpt::Error& error) {
    EXPECT_EQ(error.status(), ckpt::Status::callback);
    EXPECT_NE(std::string(error.what()).find("no three"), std::string::npos);
  }
  manager.clear();
  EXPECT_EQ(manager.memory_usage(), 0);
  manager.set_policy({ckpt::ActivationPolicyKind::memory_based, 1, 10});
  EXPECT_EQ(manager.policy().kind, ckpt::ActivationPolicyKind::memory_based);
  EXPECT_THROW(ckpt::ActivationManager(ckpt::ActivationPolicy{ckpt::ActivationPolicyKind{77}}), ckpt::Error);
}

TEST(PipelineHpp, PipelinesRun) {
  ckpt::Chain chain;
  chain.add(ckpt::Layer("a", "linear:2,8")).add(ckpt::Layer("b", "relu")).add(ckpt::Layer("c", "linear:8,3"));
  chain.add(ckpt::Layer("loss", "softmax_cross_entropy"));
  chain.initialize(3);
  const ckpt::Tensor x = numbers(0);
  ckpt::Tensor targets(ckpt::DType::u8, {4});
  for (int i = 0; i < 4; ++i) targets.data_as<std::uint8_t>()[i] = 1;
  const ckpt::TensorSpec input{ckpt::DType::f32, {4, 2}};
  ckpt::Step step;
  step.input = x;
  step.targets = targets;
  ckpt::PipelineOptions options;
  options.micro_batches = 4;
  const double expected = ckpt::Pipeline(chain, input, options).run(step);
  options.stages = 2;
  EXPECT_EQ(ckpt::pipeline_in_flight(options, 0), 2);
  EXPECT_EQ(ckpt::pipeline_split(chain.profile(input), options).size(), 2U);
  ckpt::Pipeline pipeline(chain, input, options);
  std::vector<double> losses;
  EXPECT_EQ(pipeline.run(step, losses), expected);
  EXPECT_EQ(losses.size(), 4U);
  EXPECT_EQ(pipeline.begins().size(), 2U);
  EXPECT_EQ(pipeline.schedule(1).verify(pipeline.profile(1)).peak_bytes[0], pipeline.stats(1).peak_live_bytes);
  std::chrono::nanoseconds step_time{0};
  const auto intervals = pipeline.timeline(&step_time);
  EXPECT_GE(intervals.size(), 16U);
  for (const ckpt::PipelineInterval& each : intervals) EXPECT_LE(each.end_at, step_time);
  EXPECT_NE(pipeline.trace_json().find("traceEvents"), std::string::npos);
  pipeline.manager(0).set_policy({ckpt::ActivationPolicyKind::recompute_all});
  EXPECT_EQ(pipeline.run(step), expected);
  EXPECT_EQ(pipeline.stats(0).recomputed_micro_batches, 4);
  pipeline.cancel();  // no effect without a step
  EXPECT_EQ(pipeline.run(step, std::chrono::hours(1)), expected);
  EXPECT_THROW(pipeline.run(step, std::chrono::nanoseconds(-2)), ckpt::Error);
}

// A stage outside of a step runs its layers with all that an executor passes to them.
TEST(PipelineHpp, AManagerComputesAttention) {
  ckpt::Chain chain;
  chain.add(ckpt::Layer("core", "dot_product_attention:2")).add(ckpt::Layer("relu", "relu"));
  const ckpt::TensorSpec micro{ckpt::DType::f32, {1, 3, 12}};
  const ckpt::TensorSpec batch{ckpt::DType::f32, {2, 3, 12}};
  ckpt::Tensor x(micro.dtype, micro.shape);
  for (int i = 0; i < 36; ++i) x.data_as<float>()[i] = static_cast<float>(i * 7 % 5) - 2;
  ckpt::PipelineOptions options;
  options.micro_batches = 2;
  options.stages = 2;
  ckpt::Pipeline pipeline(chain, batch, options);
  const ckpt::Tensor computed = pipeline.manager(0).recompute(x, 0);

  ckpt::ScheduleExecutor executor(chain, ckpt::Schedule::create(chain.profile(micro), "store-all"), micro);
  ckpt::Tensor expected(ckpt::DType::f32, {1, 3, 4});
  ckpt::Step step;
  step.input = x;
  step.output = expected;
  executor.evaluate(step, 1);
  EXPECT_TRUE(computed.bit_equal(expected));
}

}  // namespace
