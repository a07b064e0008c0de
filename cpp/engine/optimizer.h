// Updates a chain's parameters from their gradients, element-wise: the same bits for any number of threads. Not thread-safe.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "engine/chain.h"

namespace ckpt::engine {

struct AdamwOptions {
  double learning_rate = 1e-3;
  double beta1 = 0.9;
  double beta2 = 0.999;
  double epsilon = 1e-8;
  double weight_decay = 0.01;
  bool decay_matrices_only = false;  // parameters of one dimension do not decay
};

// A tensor of optimizer state, as stored in a checkpoint.
struct StateTensor {
  std::string name;
  std::shared_ptr<tensor::Tensor> value;
};

class Optimizer {
 public:
  virtual ~Optimizer() = default;

  void step();
  // Clips the chain's gradients to that norm (above 0; infinity: no clipping), updates the parameters and zeroes the gradients,
  // part by part, reading each once. Returns the previous norm. Error(out_of_range) if it is not finite: nothing has changed.
  double step_and_zero(double max_norm);
  std::int64_t steps() const noexcept { return steps_; }
  void set_steps(std::int64_t steps);
  double learning_rate() const noexcept { return learning_rate_; }
  void set_learning_rate(double learning_rate);
  const std::vector<StateTensor>& state() const noexcept { return state_; }

 protected:
  Optimizer(std::shared_ptr<Chain> chain, double learning_rate) : chain_(std::move(chain)), learning_rate_(learning_rate) {}
  // Adds a zero tensor with the dtype and shape of the parameter.
  void add_state(const Parameter& parameter, const char* suffix);
  const Chain& chain() const noexcept { return *chain_; }

 private:
  // Updates elements begin .. end-1 of parameter i. step: the number of this update, from 1.
  virtual void update(std::int64_t step, std::size_t i, std::int64_t begin, std::int64_t end) = 0;

  std::shared_ptr<Chain> chain_;
  double learning_rate_;
  std::vector<StateTensor> state_;
  std::int64_t steps_ = 0;
};

std::unique_ptr<Optimizer> make_sgd(std::shared_ptr<Chain> chain, double learning_rate, double momentum);
std::unique_ptr<Optimizer> make_adamw(std::shared_ptr<Chain> chain, const AdamwOptions& options);

}  // namespace ckpt::engine
