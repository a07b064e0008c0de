// A sequence of layers, or a graph: layer i computes value i + 1, and reads any of the values before it; value 0 is the input.
// Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {

// The layers' answers for one input, collected once, so that activations and buffers are consistent.
struct ChainShape {
  std::vector<TensorSpec> specs;  // dtype and shape of x_0 .. x_n
  plan::ChainProfile profile;     // exact bytes; seconds are 0
  // dtype and shape of what each layer of a graph reads; empty for a chain
  std::vector<std::vector<TensorSpec>> inputs{};

  std::span<const TensorSpec> inputs_of(std::int64_t layer) const {
    const auto i = static_cast<std::size_t>(layer);
    return inputs.empty() ? std::span(specs).subspan(i, 1) : inputs[i];
  }
};

class Chain {
 public:
  // first_layer: the global number of the first layer.
  explicit Chain(std::int64_t first_layer);

  // Fails with Error(already_exists) if the name exists, Error(invalid_state) once frozen. number: the layer's global number; by
  // default the previous layer's plus one.
  void add(std::shared_ptr<Layer> layer);
  void add(std::shared_ptr<Layer> layer, std::int64_t number);
  // inputs: the values that the layer reads, by default that of the layer before it. Error(invalid_argument) for values that it
  // cannot read.
  void add(std::shared_ptr<Layer> layer, std::span<const std::int64_t> inputs);
  // Called by an executor: no layers can be added afterwards.
  void freeze() noexcept { frozen_ = true; }

  std::int64_t first_layer() const noexcept { return first_layer_; }
  std::int64_t layers() const noexcept { return static_cast<std::int64_t>(layers_.size()); }
  Layer& layer(std::int64_t i) const { return *layers_[static_cast<std::size_t>(i)]; }
  const std::shared_ptr<Layer>& shared_layer(std::int64_t i) const { return layers_[static_cast<std::size_t>(i)]; }
  // The layer's global number: the same in every split of a chain.
  std::int64_t number(std::int64_t i) const { return numbers_[static_cast<std::size_t>(i)]; }
  // Returns true if a layer reads other values than that of the layer before it.
  bool is_graph() const noexcept;
  std::span<const std::int64_t> inputs(std::int64_t i) const { return inputs_[static_cast<std::size_t>(i)]; }
  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  // Calls work(i, begin, end) for parts of each parameter i's elements, on the chain's threads. The shapes determine the parts.
  template <class Work>
  void for_each_part(const Work& work) const {
    run_parts([&](std::int64_t number) {
      const Part& part = parts_[static_cast<std::size_t>(number)];
      work(part.parameter, part.begin, part.end);
    });
  }
  bool needs_blas() const;
  bool needs_targets() const;

  void initialize(std::uint64_t seed);
  // The threads for operations on all parameters; nullptr: only the calling thread.
  void set_pool(std::shared_ptr<base::ThreadPool> pool) noexcept { pool_ = std::move(pool); }
  void zero_gradients();
  // Zeroes elements begin .. end-1 of parameter i's gradient.
  void zero_gradients(std::size_t i, std::int64_t begin, std::int64_t end) const;
  void scale_gradients(double factor, std::size_t i, std::int64_t begin, std::int64_t end) const;
  // Discards gradients that layers made for parameters of other layers and that were not gathered.
  void discard_gradients();
  // After a step: adds gradients that layers made for parameters of other layers.
  void gather_gradients();
  // Returns the common 2-norm of all gradients. Error(out_of_range) if it is not finite.
  double gradient_norm();
  // Scales all gradients so that their norm is at most max_norm; returns the previous norm.
  double clip_gradients(double max_norm);

  // Error(invalid_argument) names the layer that refuses its input. Marks this thread as inside the chain meanwhile.
  ChainShape shape(const TensorSpec& input) const;
  std::vector<TensorSpec> specs(const TensorSpec& input) const { return shape(input).specs; }
  plan::ChainProfile profile(const TensorSpec& input) const { return shape(input).profile; }

 private:
  // A part of a parameter's elements.
  struct Part {
    std::size_t parameter;
    std::int64_t begin;
    std::int64_t end;
    double squares = 0;  // their sum of squares, if gradients are clipped
  };

  plan::LayerProfile profile_of(const Layer& layer, std::span<const TensorSpec> inputs, const TensorSpec& output) const;
  std::vector<std::int64_t> readers_of_values() const;
  void set_reads(plan::ChainProfile& profile) const;

  template <class Work>
  void run_parts(const Work& work) const {
    const auto count = static_cast<std::int64_t>(parts_.size());
    if (pool_ != nullptr) return pool_->run(count, work);
    for (std::int64_t number = 0; number < count; ++number) work(number);
  }

  std::int64_t first_layer_;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<std::int64_t> numbers_;
  std::vector<std::vector<std::int64_t>> inputs_;  // the values that each layer reads
  std::vector<Parameter> parameters_;
  std::vector<Part> parts_;
  std::shared_ptr<base::ThreadPool> pool_;
  bool frozen_ = false;
};

}  // namespace ckpt::engine
