// The model that the soak trains, and the state that it saves.
#pragma once

#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace soak {

constexpr std::int64_t samples = 32;
constexpr std::int64_t width = 64;
constexpr std::int64_t classes = 10;
constexpr std::int32_t micro_batches = 4;
constexpr std::int64_t blocks = 4;

// SplitMix64: a hash of its argument.
inline std::uint64_t mixed(std::uint64_t value) {
  value += 0x9E3779B97F4A7C15U;
  value = (value ^ (value >> 30U)) * 0xBF58476D1CE4E5B9U;
  value = (value ^ (value >> 27U)) * 0x94D049BB133111EBU;
  return value ^ (value >> 31U);
}

// Parameters, moments of the optimizer and a table that never changes, all of them in one state.
class Model {
 public:
  // seed: determines the contents before a load.
  explicit Model(std::uint64_t seed) : chain_(make_chain(seed)), optimizer_(ckpt::Optimizer::adamw(chain_)) {
    for (ckpt::Parameter& each : chain_.parameters()) add("model", each.name, std::move(each.value));
    for (auto& [name, tensor] : optimizer_.tensors()) add("optimizer", name, std::move(tensor));
    ckpt::Tensor table(ckpt::DType::u8, {300000});
    std::memset(table.data(), static_cast<int>(seed % 200), static_cast<std::size_t>(table.bytes()));
    add("table", "rows", std::move(table));
    state_.set_rarely_changes("table");
  }

  ckpt::Chain& chain() { return chain_; }
  ckpt::Optimizer& optimizer() { return optimizer_; }
  ckpt::State& state() { return state_; }

  // Depends on every bit of every tensor.
  std::uint64_t digest() const {
    std::uint64_t digest = 1;
    for (const ckpt::Tensor& tensor : tensors_) {
      const auto* bytes = static_cast<const unsigned char*>(tensor.data());
      const std::int64_t size = tensor.bytes();
      std::int64_t place = 0;
      for (; place + 8 <= size; place += 8) {
        std::uint64_t word = 0;
        std::memcpy(&word, bytes + place, sizeof word);
        digest = (digest ^ word) * 0x9FB21C651E98DF25U;
        digest ^= digest >> 32U;
      }
      for (; place < size; ++place) digest = (digest ^ bytes[place]) * 0x9FB21C651E98DF25U;
    }
    return digest;
  }

  // Sets the values that are saved with the tensors.
  void describe(std::int64_t step, std::uint64_t digest) {
    state_.set("digest", std::to_string(digest));
    state_.set("optimizer.step", optimizer_.step_count());
    state_.set(ckpt::State::data_position_key, step * samples);
  }
  std::string described_digest() const { return state_.get<std::string>("digest"); }
  // Call after a load: sets the values that are not tensors.
  void restore() { optimizer_.set_step_count(state_.get<std::int64_t>("optimizer.step")); }

 private:
  static ckpt::Chain make_chain(std::uint64_t seed) {
    ckpt::Chain chain;
    for (std::int64_t block = 0; block < blocks; ++block) {
      const std::string number = std::to_string(block);
      chain.add(ckpt::Layer("up" + number, "linear", width, 4 * width));
      chain.add(ckpt::Layer("gelu" + number, "gelu"));
      chain.add(ckpt::Layer("down" + number, "linear", 4 * width, width));
      chain.add(ckpt::Layer("dropout" + number, "dropout:0.1"));
    }
    chain.add(ckpt::Layer("head", "linear", width, classes));
    chain.add(ckpt::Layer("loss", "softmax_cross_entropy"));
    chain.initialize(seed);
    return chain;
  }
  void add(const std::string& group, const std::string& name, ckpt::Tensor tensor) {
    state_.add(group, name, tensor);
    tensors_.push_back(std::move(tensor));
  }

  ckpt::Chain chain_;
  ckpt::Optimizer optimizer_;
  ckpt::State state_;
  std::vector<ckpt::Tensor> tensors_;
};

// The layout of a pipeline's stages. Results do not depend on it.
struct Layout {
  std::int32_t stages = 2;
  std::int32_t chunks = 1;
  ckpt::PipelineOrder order = ckpt::PipelineOrder::one_f_one_b;
  ckpt::ActivationPolicy policy = {};
};

// A pipeline over the model under an activation budget: three quarters of the bytes that a stage reserves without one.
class Trainer {
 public:
  Trainer(Model& model, const Layout& layout, const ckpt::MemoryTracker& tracker)
      : model_(model), input_(ckpt::DType::f32, {samples, width}), targets_(ckpt::DType::u8, {samples}) {
    ckpt::PipelineOptions options;
    options.stages = layout.stages;
    options.chunks = layout.chunks;
    options.order = layout.order;
    options.micro_batches = micro_batches;
    options.measured_steps = 0;
    options.tracker = tracker.handle();
    const ckpt::TensorSpec spec{ckpt::DType::f32, {samples, width}};
    pipeline_ = std::make_unique<ckpt::Pipeline>(model.chain(), spec, options, layout.policy);
    for (std::int32_t stage = 0; stage < layout.stages; ++stage) {
      budget_bytes_ = std::max(budget_bytes_, pipeline_->stats(stage).reserved_bytes);
    }
    budget_bytes_ = budget_bytes_ * 3 / 4;
    options.budget_bytes = budget_bytes_;
    pipeline_ = std::make_unique<ckpt::Pipeline>(model.chain(), spec, options, layout.policy);
    for (std::int32_t stage = 0; stage < layout.stages; ++stage) {
      if (pipeline_->stats(stage).reserved_bytes > budget_bytes_) throw std::runtime_error("a stage reserves more than its budget");
    }
  }

  // Trains on the batch of this step; returns the loss.
  double run(std::int64_t number) {
    fill(number);
    ckpt::Step step;
    step.step = number;
    step.seed = 5;
    step.input = input_.handle();
    step.targets = targets_.handle();
    const double loss = pipeline_->run(step);
    model_.optimizer().step();
    return loss;
  }
  std::int64_t recomputed_forwards() {
    std::int64_t forwards = 0;
    for (std::int32_t stage = 0; stage < pipeline_->stages(); ++stage) {
      const ckpt::PipelineStats stats = pipeline_->stats(stage);
      if (stats.peak_live_bytes > budget_bytes_) throw std::runtime_error("a stage has more bytes alive than its budget");
      forwards += stats.recomputed_forwards;
    }
    return forwards;
  }

 private:
  void fill(std::int64_t number) {
    float* const values = input_.data_as<float>();
    for (std::int64_t i = 0; i < samples * width; ++i) {
      const std::uint64_t bits = mixed(static_cast<std::uint64_t>(number * samples * width + i));
      values[i] = static_cast<float>(bits >> 40U) / static_cast<float>(1U << 24U) - 0.5F;
    }
    for (std::int64_t sample = 0; sample < samples; ++sample) {
      const float first = values[sample * width] + 0.5F;
      targets_.data_as<std::uint8_t>()[sample] = static_cast<std::uint8_t>(first * 9.99F);
    }
  }

  Model& model_;
  ckpt::Tensor input_;
  ckpt::Tensor targets_;
  std::unique_ptr<ckpt::Pipeline> pipeline_;
  std::int64_t budget_bytes_ = 0;
};

}  // namespace soak
