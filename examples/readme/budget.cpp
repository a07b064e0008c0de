#include <ckpt/ckpt.hpp>
#include <cstdio>
#include <string>

int main() {
  ckpt::Chain chain;  // custom layers are classes derived from ckpt::CustomLayer
  for (int i = 0; i < 12; ++i) {
    chain.add(ckpt::Layer("linear" + std::to_string(i), "linear:256,256"));
    chain.add(ckpt::Layer("gelu" + std::to_string(i), "gelu"));
  }
  chain.add(ckpt::Layer("loss", "softmax_cross_entropy")).initialize(1);
  const ckpt::TensorSpec input{ckpt::DType::f32, {512, 256}};
  const auto profile = chain.profile(input);
  const auto all = ckpt::Schedule::create(profile, "store-all").reserved_bytes(profile);
  // Verified to the byte before anything runs.
  const auto schedule = ckpt::Schedule::create(profile, "auto:" + std::to_string(all / 2));
  ckpt::ScheduleExecutor executor(chain, schedule, input);
  ckpt::Tensor x(ckpt::DType::f32, {512, 256}), classes(ckpt::DType::u8, {512});
  x.fill(0.5);
  for (std::uint8_t& each : classes.elements_as<std::uint8_t>()) each = 7;
  ckpt::Step step;
  step.input = x;
  step.targets = classes;
  const double loss = executor.run(step);  // and the gradients, with the bits that they have without a budget
  std::printf("loss %.4f in %lld of %lld KiB\n", loss, static_cast<long long>(executor.stats().reserved_bytes >> 10),
              static_cast<long long>(all >> 10));
}
