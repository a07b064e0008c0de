// Layers one behind another. Not synchronised.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {

// What the layers answer about one input, asked once: so activations and buffers cannot disagree.
struct ChainShape {
  std::vector<TensorSpec> specs;  // dtype and shape of x_0 .. x_n
  plan::ChainProfile profile;     // exact bytes; seconds are 0
};

class Chain {
 public:
  // first_layer: the global number of the first layer.
  explicit Chain(std::int64_t first_layer);

  // Error(already_exists) when the name is taken, Error(invalid_state) once frozen. number: the layer's global one; without it the
  // one behind the layer before.
  void add(std::shared_ptr<Layer> layer);
  void add(std::shared_ptr<Layer> layer, std::int64_t number);
  // An executor relies on the layers from now on.
  void freeze() noexcept { frozen_ = true; }

  std::int64_t first_layer() const noexcept { return first_layer_; }
  std::int64_t layers() const noexcept { return static_cast<std::int64_t>(layers_.size()); }
  Layer& layer(std::int64_t i) const { return *layers_[static_cast<std::size_t>(i)]; }
  const std::shared_ptr<Layer>& shared_layer(std::int64_t i) const { return layers_[static_cast<std::size_t>(i)]; }
  // The layer's global number: the same in every split of a chain.
  std::int64_t number(std::int64_t i) const { return numbers_[static_cast<std::size_t>(i)]; }
  const std::vector<Parameter>& parameters() const noexcept { return parameters_; }
  bool needs_blas() const;
  bool needs_targets() const;

  void initialize(std::uint64_t seed);
  // Threads for what follows; nullptr: the calling one alone.
  void set_pool(std::shared_ptr<base::ThreadPool> pool) noexcept { pool_ = std::move(pool); }
  // Runs work(begin, end) over the elements of each parameter, in parts that its shape fixes; work(parameter, begin, end).
  void zero_gradients();
  // Behind a step: what layers made for parameters of others.
  void gather_gradients();
  // Scales all gradients so that their common 2-norm is at most max_norm; returns the norm before.
  double clip_gradients(double max_norm);

  // Error(invalid_argument) names the layer that refuses its input. Marks this thread as inside the chain meanwhile.
  ChainShape shape(const TensorSpec& input) const;
  std::vector<TensorSpec> specs(const TensorSpec& input) const { return shape(input).specs; }
  plan::ChainProfile profile(const TensorSpec& input) const { return shape(input).profile; }

 private:
  std::int64_t first_layer_;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<std::int64_t> numbers_;
  std::vector<Parameter> parameters_;
  std::shared_ptr<base::ThreadPool> pool_;
  bool frozen_ = false;
};

}  // namespace ckpt::engine
