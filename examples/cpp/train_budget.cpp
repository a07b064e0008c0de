// Trains a small model with a custom layer type, first storing everything, then under 70% and 50% of the activation memory: losses
// and parameters are equal bit for bit.
#include <ckpt/ckpt.hpp>

#include <cmath>
#include <cstdio>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

constexpr std::int64_t samples = 64;
constexpr std::int64_t window = 8;
constexpr std::int64_t width = 64;

// x * sigmoid(x), element-wise. Backward reads only the input, so the layer can be recomputed whenever memory is short.
class Swish : public ckpt::CustomLayer {
 public:
  ckpt::TensorSpec output(const ckpt::TensorSpec& input) override {
    if (input.dtype != ckpt::DType::f32) throw std::invalid_argument("Swish is for F32");  // becomes part of the error of the chain
    return input;
  }
  void forward(const ckpt::LayerContext& context, const void* input, void* output, void*, void*) override {
    const float* x = static_cast<const float*>(input);
    float* y = static_cast<float*>(output);
    for (std::int64_t i = 0; i < elements(context); ++i) y[i] = x[i] * sigmoid(x[i]);
  }
  void backward(const ckpt::LayerContext& context, const void* input, const void*, const void*, const void* grad_output,
                void* grad_input, void*) override {
    const float* x = static_cast<const float*>(input);
    const float* dy = static_cast<const float*>(grad_output);
    float* dx = static_cast<float*>(grad_input);
    for (std::int64_t i = 0; i < elements(context); ++i) {
      const float s = sigmoid(x[i]);
      dx[i] = dy[i] * (s + x[i] * s * (1 - s));
    }
  }

 private:
  static float sigmoid(float x) { return 1 / (1 + std::exp(-x)); }
  static std::int64_t elements(const ckpt::LayerContext& context) {
    std::int64_t product = 1;
    for (const std::int64_t length : context.input.shape) product *= length;
    return product;
  }
};

ckpt::Chain make_chain() {
  ckpt::Chain chain;
  chain.add(ckpt::Layer("embedding", "embedding", 256, window, width / window));
  for (int i = 0; i < 8; ++i) {
    chain.add(ckpt::Layer("linear" + std::to_string(i), "linear", width, width));
    chain.add(ckpt::Layer::custom("swish" + std::to_string(i), std::make_unique<Swish>()));
    chain.add(ckpt::Layer("dropout" + std::to_string(i), "dropout:0.1"));
  }
  chain.add(ckpt::Layer("head", "linear", width, 256));
  chain.add(ckpt::Layer("loss", "softmax_cross_entropy"));
  chain.initialize(1);
  return chain;
}

// Trains 20 steps; share is the fraction of store-all's memory, and 1 stores everything. Returns the parameters.
std::vector<ckpt::Parameter> train(double share) {
  const std::string text = "Training should not need more memory than there is, nor give other results when there is less of it. ";
  ckpt::Chain chain = make_chain();
  const ckpt::TensorSpec input{ckpt::DType::u8, {samples, window}};
  const ckpt::Profile profile = chain.profile(input);
  const std::int64_t all = ckpt::Schedule::create(profile, "store-all").reserved_bytes(profile);
  const auto budget = static_cast<std::int64_t>(static_cast<double>(all) * share);
  const auto schedule = ckpt::Schedule::create(profile, "auto:" + std::to_string(budget));
  ckpt::ScheduleExecutor executor(chain, schedule, input);
  ckpt::Optimizer optimizer = ckpt::Optimizer::adamw(chain);

  ckpt::Tensor tokens(ckpt::DType::u8, {samples, window});
  ckpt::Tensor targets(ckpt::DType::u8, {samples});
  for (std::int64_t i = 0; i < samples; ++i) {
    for (std::int64_t j = 0; j < window; ++j) {
      tokens.data_as<std::uint8_t>()[i * window + j] =
          static_cast<std::uint8_t>(text[static_cast<std::size_t>(i + j) % text.size()]);
    }
    targets.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(text[static_cast<std::size_t>(i + window) % text.size()]);
  }
  double loss = 0;
  for (std::int64_t number = 0; number < 20; ++number) {
    ckpt::Step step;
    step.step = number;
    step.seed = 1;
    step.input = tokens;
    step.targets = targets;
    loss = executor.run(step);
    optimizer.step();
  }
  const ckpt::ScheduleExecutorStats stats = executor.stats();
  std::printf("%-12s  reserved %7lld bytes  recomputed %5lld forwards  loss %.6f\n", std::string(schedule.name()).c_str(),
              static_cast<long long>(stats.reserved_bytes), static_cast<long long>(stats.recomputed_forwards), loss);
  return chain.parameters();
}

}  // namespace

int main() {
  try {
    const auto stored = train(1.0);
    for (const double share : {0.7, 0.5}) {
      const auto budgeted = train(share);
      for (std::size_t i = 0; i < stored.size(); ++i) {
        if (!stored[i].value.bit_equal(budgeted[i].value)) throw std::runtime_error(stored[i].name + " differs");
      }
    }
    std::puts("all parameters are bit-identical");
    return 0;
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}
