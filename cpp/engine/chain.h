// Layers one behind another. Not synchronised.
#pragma once

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "base/thread_pool.h"
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
  // Calls work(i, begin, end) for parts of each parameter i's elements, which shapes alone fix, on the chain's threads.
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
  // Threads for what concerns all parameters; nullptr: the calling one alone.
  void set_pool(std::shared_ptr<base::ThreadPool> pool) noexcept { pool_ = std::move(pool); }
  void zero_gradients();
  // Of parameter i's elements begin .. end-1.
  void zero_gradients(std::size_t i, std::int64_t begin, std::int64_t end) const;
  void scale_gradients(double factor, std::size_t i, std::int64_t begin, std::int64_t end) const;
  // What layers made for parameters of others and nobody has gathered.
  void forget_gradients();
  // Behind a step: what layers made for parameters of others.
  void gather_gradients();
  // The common 2-norm of all gradients. Error(out_of_range) when it is not finite.
  double gradient_norm();
  // Scales all gradients so that their norm is at most max_norm; returns the norm before.
  double clip_gradients(double max_norm);

  // Error(invalid_argument) names the layer that refuses its input. Marks this thread as inside the chain meanwhile.
  ChainShape shape(const TensorSpec& input) const;
  std::vector<TensorSpec> specs(const TensorSpec& input) const { return shape(input).specs; }
  plan::ChainProfile profile(const TensorSpec& input) const { return shape(input).profile; }

 private:
  // Of a parameter's elements.
  struct Part {
    std::size_t parameter;
    std::int64_t begin;
    std::int64_t end;
    double squares = 0;  // sum of them, when gradients are clipped
  };

  template <class Work>
  void run_parts(const Work& work) const {
    const auto count = static_cast<std::int64_t>(parts_.size());
    if (pool_ != nullptr) return pool_->run(count, work);
    for (std::int64_t number = 0; number < count; ++number) work(number);
  }

  std::int64_t first_layer_;
  std::vector<std::shared_ptr<Layer>> layers_;
  std::vector<std::int64_t> numbers_;
  std::vector<Parameter> parameters_;
  std::vector<Part> parts_;
  std::shared_ptr<base::ThreadPool> pool_;
  bool frozen_ = false;
};

}  // namespace ckpt::engine
