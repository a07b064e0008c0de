#include "engine/optimizer.h"

#include <cmath>
#include <cstring>
#include <utility>

#include "base/entered.h"
#include "engine/kernels.h"

namespace ckpt::engine {

using base::require;

void Optimizer::step() {
  base::Entered::refuse(chain_.get(), "chain");
  chain_->for_each_part([this](std::size_t i, std::int64_t begin, std::int64_t end) { update(steps_ + 1, i, begin, end); });
  ++steps_;
}

double Optimizer::step_and_zero(double max_norm) {
  require(max_norm > 0, "max_norm is ", max_norm, "; expected a number above 0");
  base::Entered::refuse(chain_.get(), "chain");
  const double norm = chain_->gradient_norm();
  chain_->for_each_part([&](std::size_t i, std::int64_t begin, std::int64_t end) {
    if (norm > max_norm) chain_->scale_gradients(max_norm / norm, i, begin, end);
    update(steps_ + 1, i, begin, end);
    chain_->zero_gradients(i, begin, end);
  });
  chain_->discard_gradients();
  ++steps_;
  return norm;
}

void Optimizer::set_steps(std::int64_t steps) {
  require(steps >= 0, "step_count is ", steps, "; expected at least 0");
  steps_ = steps;
}

void Optimizer::set_learning_rate(double learning_rate) {
  require(std::isfinite(learning_rate) && learning_rate >= 0, "learning_rate is ", learning_rate,
          "; expected a finite number of at least 0");
  learning_rate_ = learning_rate;
}

void Optimizer::add_state(const Parameter& parameter, const char* suffix) {
  StateTensor state{parameter.name + suffix, tensor::Tensor::create(parameter.value->dtype(), parameter.value->shape())};
  std::memset(state.value->data(), 0, static_cast<std::size_t>(state.value->bytes()));
  state_.push_back(std::move(state));
}

namespace {

class Sgd final : public Optimizer {
 public:
  Sgd(std::shared_ptr<Chain> chain, double learning_rate, double momentum)
      : Optimizer(std::move(chain), learning_rate), momentum_(momentum) {
    for (const Parameter& parameter : this->chain().parameters()) add_state(parameter, ".momentum");
  }

 private:
  void update(std::int64_t, std::size_t i, std::int64_t begin, std::int64_t end) override {
    const Parameter& parameter = chain().parameters()[i];
    with_float(parameter.value->dtype(), [&](auto zero) {
      using T = decltype(zero);
      sgd_update(parameter.value->data_as<T>() + begin, state()[i].value->data_as<T>() + begin,
                 parameter.gradient->data_as<T>() + begin, static_cast<T>(learning_rate()), static_cast<T>(momentum_), end - begin);
    });
  }

  double momentum_;
};

class Adamw final : public Optimizer {
 public:
  Adamw(std::shared_ptr<Chain> chain, const AdamwOptions& options)
      : Optimizer(std::move(chain), options.learning_rate), options_(options) {
    for (const Parameter& parameter : this->chain().parameters()) {
      add_state(parameter, ".m");
      add_state(parameter, ".v");
    }
  }

 private:
  void update(std::int64_t step, std::size_t i, std::int64_t begin, std::int64_t end) override {
    const auto t = static_cast<double>(step);
    const Parameter& parameter = chain().parameters()[i];
    const bool decays = !options_.decay_matrices_only || parameter.value->shape().ndim() >= 2;
    with_float(parameter.value->dtype(), [&](auto zero) {
      using T = decltype(zero);
      const AdamwFactors<T> factors = {static_cast<T>(learning_rate()),
                                       static_cast<T>(options_.beta1),
                                       static_cast<T>(options_.beta2),
                                       static_cast<T>(options_.epsilon),
                                       static_cast<T>(decays ? options_.weight_decay : 0),
                                       static_cast<T>(1 - std::pow(options_.beta1, t)),
                                       static_cast<T>(1 - std::pow(options_.beta2, t))};
      adamw_update(parameter.value->data_as<T>() + begin, state()[2 * i].value->data_as<T>() + begin,
                   state()[2 * i + 1].value->data_as<T>() + begin, parameter.gradient->data_as<T>() + begin, factors, end - begin);
    });
  }

  AdamwOptions options_;
};

void require_within(const char* name, double value, double min, bool min_allowed, double below) {
  const bool fits = std::isfinite(value) && (min_allowed ? value >= min : value > min) && value < below;
  require(fits, name, " is ", value, "; expected ", min_allowed ? "at least " : "above ", min, " and below ", below);
}

}  // namespace

std::unique_ptr<Optimizer> make_sgd(std::shared_ptr<Chain> chain, double learning_rate, double momentum) {
  require_within("learning_rate", learning_rate, 0, false, INFINITY);
  require_within("momentum", momentum, 0, true, 1);
  return std::make_unique<Sgd>(std::move(chain), learning_rate, momentum);
}

std::unique_ptr<Optimizer> make_adamw(std::shared_ptr<Chain> chain, const AdamwOptions& options) {
  require_within("learning_rate", options.learning_rate, 0, false, INFINITY);
  require_within("beta1", options.beta1, 0, true, 1);
  require_within("beta2", options.beta2, 0, true, 1);
  require_within("epsilon", options.epsilon, 0, false, INFINITY);
  require_within("weight_decay", options.weight_decay, 0, true, INFINITY);
  return std::make_unique<Adamw>(std::move(chain), options);
}

}  // namespace ckpt::engine
