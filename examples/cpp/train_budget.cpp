// Trains a small model storing everything, and again under half the activation memory: the same losses and parameters, bit for bit.
#include <ckpt/ckpt.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t samples = 64;
constexpr std::int64_t context = 8;
constexpr std::int64_t width = 64;

ckpt::Chain make_chain() {
  ckpt::Chain chain;
  chain.add(ckpt::Layer::embedding("embedding", 256, context, width / context));
  for (int i = 0; i < 8; ++i) {
    chain.add(ckpt::Layer::linear("linear" + std::to_string(i), width, width));
    chain.add(ckpt::Layer::gelu("gelu" + std::to_string(i)));
    chain.add(ckpt::Layer::dropout("dropout" + std::to_string(i), 0.1));
  }
  chain.add(ckpt::Layer::linear("head", width, 256));
  chain.add(ckpt::Layer::softmax_cross_entropy("loss"));
  chain.initialize(1);
  return chain;
}

// Trains 20 steps; share 1 stores everything. Returns the parameters.
std::vector<ckpt::Parameter> train(double share) {
  const std::string text = "Training should not need more memory than there is, nor give other results when there is less of it. ";
  ckpt::Chain chain = make_chain();
  const ckpt_tensor_spec input = ckpt::tensor_spec(CKPT_DTYPE_U8, {samples, context});
  const ckpt::Profile profile = chain.profile(input);
  const std::int64_t all = ckpt::Schedule::store_all(profile).reserved_bytes(profile);
  const ckpt::Schedule schedule = ckpt::Schedule::for_budget(profile, static_cast<std::int64_t>(static_cast<double>(all) * share));
  ckpt::Executor executor(chain, schedule, input);
  ckpt::Optimizer optimizer = ckpt::Optimizer::adamw(chain);

  ckpt::Tensor tokens(CKPT_DTYPE_U8, {samples, context});
  ckpt::Tensor targets(CKPT_DTYPE_U8, {samples});
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t j = 0; j < context; ++j) {
      tokens.data_as<std::uint8_t>()[i * context + j] =
          static_cast<std::uint8_t>(text[static_cast<std::size_t>(i + j) % text.size()]);
    }
    targets.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(text[static_cast<std::size_t>(i + context) % text.size()]);
  }
  double loss = 0;
  for (std::int64_t number = 0; number < 20; ++number) {
    ckpt_step step = CKPT_STEP_INIT;
    step.step = number;
    step.seed = 1;
    step.input = tokens.handle();
    step.targets = targets.handle();
    loss = executor.run(step);
    optimizer.step();
  }
  const ckpt_executor_stats stats = executor.stats();
  std::printf("%-12s  reserved %7lld bytes  recomputed %4lld forwards  loss %.6f\n", std::string(schedule.name()).c_str(),
              static_cast<long long>(stats.reserved_bytes), static_cast<long long>(stats.recomputed_forwards), loss);
  return chain.parameters();
}

}  // namespace

int main() {
  try {
    const auto stored = train(1.0);
    const auto budgeted = train(0.5);
    for (std::size_t i = 0; i < stored.size(); ++i) {
      if (!stored[i].value.bit_equal(budgeted[i].value)) throw std::runtime_error(stored[i].name + " differs");
    }
    std::puts("all parameters are bit-identical");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
