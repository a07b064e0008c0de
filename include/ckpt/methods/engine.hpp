// Generated from include/ckpt by tools/api: do not edit.
// engine.hpp - the methods of engine.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_ENGINE_HPP
#define CKPT_METHODS_ENGINE_HPP

#include <ckpt/engine.h>
#include <ckpt/base.hpp>
#include <ckpt/values/engine.hpp>

#include <cstdint>

namespace ckpt {

template <class Self>
class ChainMethods {
 public:
  // Returns the number of layers.
  std::int64_t layer_count() const {
    std::int64_t result = 0;
    check(ckpt_chain_get_layer_count(handle(), &result));
    return result;
  }
  // Sets every parameter to its first value from the seed: uniform in +-sqrt(6/inputs) for weights (He et al.,
  // arXiv:1502.01852), in +-1 for tables, 0 for biases. Those of token_embedding, attention and mlp are uniform with a standard
  // deviation of 0.02, that of "out.weight" and "down.weight" divided by sqrt(layer's number + 1), weights of norms 1 (Radford
  // et al., "Language models are unsupervised multitask learners", 2019). The same on every machine. Sets gradients to 0.
  void initialize(std::uint64_t seed) {
    check(ckpt_chain_initialize(handle(), seed));
  }
  // Scales all gradients so that their common 2-norm is at most max_norm (> 0); returns the norm before. Status::out_of_range
  // when that is not finite: no gradient is scaled.
  double clip_gradients(double max_norm) {
    double result = 0;
    check(ckpt_chain_clip_gradients(handle(), max_norm, &result));
    return result;
  }

 private:
  ckpt_chain* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class OptimizerMethods {
 public:
  // Updates the parameters once with the gradients as they are.
  void step() {
    check(ckpt_optimizer_step(handle()));
  }
  // Returns the size of the next steps.
  double learning_rate() const {
    double result = 0;
    check(ckpt_optimizer_get_learning_rate(handle(), &result));
    return result;
  }
  // Sets the size of the next steps, >= 0 and finite. It is not part of the state: set it again when a run is resumed.
  void set_learning_rate(double learning_rate) {
    check(ckpt_optimizer_set_learning_rate(handle(), learning_rate));
  }
  // Returns the number of updates so far; part of AdamW's state.
  std::int64_t step_count() const {
    std::int64_t result = 0;
    check(ckpt_optimizer_get_step_count(handle(), &result));
    return result;
  }
  // Sets the number of updates so far (>= 0), when state is restored.
  void set_step_count(std::int64_t step_count) {
    check(ckpt_optimizer_set_step_count(handle(), step_count));
  }

 private:
  ckpt_optimizer* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class ScheduleExecutorMethods {
 public:
  // Runs the schedule once: forward, backward, gradients added to the layers' parameters. Returns x_n where it has one element,
  // else NaN. After an error the next step works; gradients are then undefined until a step with accumulate 0.
  // Status::out_of_range for a loss that is not finite, before any layer runs backward: see check_finite for where it began. A
  // copy through a tier's storage that fails ends the step, once no other copy is under way, and the message names tier and
  // slot: Status::no_space when the tier's file finds no room, Status::io also when the file has become shorter than what was
  // stored. A storage made by Storage::create_retrying has tried it again by then. Status::forked in a forked child when a tier
  // has a storage.
  double run(const Step& step) {
    const ckpt_step given_step = detail::to_c(step);
    double result = 0;
    check(ckpt_schedule_executor_run(handle(), &given_step, &result));
    return result;
  }
  // Runs the first layer_count layers forward once, and nothing backward: no tape is kept, nothing is dropped at random, no
  // gradient and no parameter changes. 1 <= layer_count <= the chain's. Of step also step, seed, first_sample and input are
  // read, targets when one of the layers needs them, and output, which receives the last of these layers' output; its other
  // fields are ignored. Returns that output where it has one element, else NaN. Uses memory of the executor's own beside its
  // arena, made by the first call: two of the largest activations and the largest workspace. Does not count as a step.
  double evaluate(const Step& step, std::int64_t layer_count) {
    const ckpt_step given_step = detail::to_c(step);
    double result = 0;
    check(ckpt_schedule_executor_evaluate(handle(), &given_step, layer_count, &result));
    return result;
  }
  // Returns what the executor measured since it was made.
  ScheduleExecutorStats stats() const {
    ckpt_schedule_executor_stats result = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
    check(ckpt_schedule_executor_get_stats(handle(), &result));
    return detail::from_c(result);
  }

 private:
  ckpt_schedule_executor* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
