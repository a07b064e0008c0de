// torch/options.h - options of a chain with a memory budget. Included by ckpt/torch.h.
#ifndef CKPT_TORCH_OPTIONS_H
#define CKPT_TORCH_OPTIONS_H

#include <ckpt/torch/meter.h>
#include <ckpt/plan.hpp>

#include <torch/nn/module.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace ckpt::torch {

// One callable of a chain. modules determine the buffers that it writes (for example of batch norm), and whether it is in training
// mode; parameters are found without them.
struct Layer {
  std::string name;
  std::function<Tensors(const Tensors&)> run;
  std::vector<std::shared_ptr<::torch::nn::Module>> modules;
};

// A budget in bytes, or as a share (0 < share <= 1) of the memory for storing everything for the sample.
class Budget {
 public:
  template <class Number, std::enable_if_t<std::is_arithmetic_v<Number>, int> = 0>
  Budget(Number value) {  // NOLINT(google-explicit-constructor): budget(model, sample, 0.4)
    if constexpr (std::is_floating_point_v<Number>) {
      if (!(value > 0 && value <= 1))
        throw Error(Status::invalid_argument, "budget is " + std::to_string(value) + ": expected a share in (0, 1]");
      share_ = static_cast<double>(value);
    } else {
      if (value <= 0) throw Error(Status::invalid_argument, "budget is " + std::to_string(value) + " bytes: expected at least 1");
      bytes_ = static_cast<std::int64_t>(value);
    }
  }
  std::int64_t bytes_of(std::int64_t store_all) const {
    return share_ > 0 ? static_cast<std::int64_t>(share_ * static_cast<double>(store_all)) : bytes_;
  }

 private:
  std::int64_t bytes_ = 0;
  double share_ = 0;
};

struct Options {
  std::string planner = "chain";
  // Bytes that the caller's loss needs in addition to the chain's output and its gradient; 0 if the loss is the chain's last layer.
  std::int64_t loss_bytes = 0;
  // Number of timed runs of each layer; the shortest is used.
  int timed_runs = 2;
};

namespace detail {

[[noreturn]] inline void fail(Status status, const std::string& message) { throw Error(status, message); }

}  // namespace detail

}  // namespace ckpt::torch

#endif  // CKPT_TORCH_OPTIONS_H
