// Generated from include/ckpt by tools/api: do not edit.
// engine.hpp - the values of engine.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_ENGINE_HPP
#define CKPT_VALUES_ENGINE_HPP

#include <ckpt/engine.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// The check of recomputed forwards in a step. Each level includes the checks of the lower ones.
enum class RecomputeCheck : std::int32_t {
  // no check
  none = CKPT_RECOMPUTE_CHECK_NONE,
  // the layer is asked again for element type and shape of its output, and for the bytes that its option needs; they must be
  // as when the executor was created
  metadata = CKPT_RECOMPUTE_CHECK_METADATA,
  // the output must have the hash (XXH3-128) of the first run's output; needs 16 bytes for each output that is recomputed
  hash = CKPT_RECOMPUTE_CHECK_HASH,
  // the output must have the bits of the first run's output; needs memory outside of the arena for all outputs that are
  // recomputed
  bitwise = CKPT_RECOMPUTE_CHECK_BITWISE,
};

// The decay of a learning rate after its warm-up.
enum class LearningRateKind : std::int32_t {
  // stays at its peak
  constant = CKPT_LEARNING_RATE_KIND_CONSTANT,
  // decays linearly
  linear = CKPT_LEARNING_RATE_KIND_LINEAR,
  // decays along half a cosine. Source: Loshchilov, Hutter, "SGDR", arXiv:1608.03983
  cosine = CKPT_LEARNING_RATE_KIND_COSINE,
};

// Element type and shape of one activation.
struct TensorSpec {
  // element type
  DType dtype = DType{0};
  // lengths of the dimensions, each >= 0
  Shape shape = {};
};
namespace detail {
inline ckpt_tensor_spec to_c(const TensorSpec& from) {
  ckpt_tensor_spec to = {};
  put(from.dtype, to.dtype);
  put(from.shape, to.shape, to.ndim);
  return to;
}
inline TensorSpec from_c(const ckpt_tensor_spec& from) {
  TensorSpec to;
  take(to.dtype, from.dtype);
  take(to.shape, from.shape, from.ndim);
  return to;
}
}  // namespace detail

// Memory that a custom layer needs for one of its options.
struct LayerOption {
  // bytes that the layer records for its backward, >= 0
  std::int64_t tape_bytes = 0;
  // bytes that the layer needs while forward runs, >= 0
  std::int64_t forward_workspace_bytes = 0;
  // bytes that the layer needs while backward runs, >= 0
  std::int64_t backward_workspace_bytes = 0;
};
namespace detail {
inline ckpt_layer_option to_c(const LayerOption& from) {
  ckpt_layer_option to = {};
  put(from.tape_bytes, to.tape_bytes);
  put(from.forward_workspace_bytes, to.forward_workspace_bytes);
  put(from.backward_workspace_bytes, to.backward_workspace_bytes);
  return to;
}
}  // namespace detail

// The context of one run of a layer. Borrowed for the call.
struct LayerContext {
  // option of the layer that is run, from 0
  std::int32_t option = 0;
  // number of the micro-batch, from 0
  std::int32_t micro_batch = 0;
  // true when this forward is a recomputation in the step, else false
  bool recomputation = false;
  // global number of the layer: the same in every split of the chain
  std::int64_t layer = 0;
  // number of the step, >= 0
  std::int64_t step = 0;
  // seed of the step's random numbers
  std::uint64_t seed = 0;
  // global number of the batch's first sample within the step, >= 0
  std::int64_t first_sample = 0;
  // element type and shape of the layer's input
  TensorSpec input = {};
  // element type and shape of the layer's output
  TensorSpec output = {};
  // targets of the step, of the micro-batch's samples; nullptr when the step has none
  detail::Borrowed<ckpt_tensor> targets = {};
  // threads that the step's layers share; nullptr when only the running thread is used
  detail::Borrowed<ckpt_worker_pool> pool = {};
  // true in ScheduleExecutor::evaluate, without dropout; false in a step
  bool evaluation = false;
};
namespace detail {
inline LayerContext from_c(const ckpt_layer_context& from) {
  LayerContext to;
  take(to.option, from.option);
  take(to.micro_batch, from.micro_batch);
  take(to.recomputation, from.recomputation);
  take(to.layer, from.layer);
  take(to.step, from.step);
  take(to.seed, from.seed);
  take(to.first_sample, from.first_sample);
  take(to.input, from_c(*from.input));
  take(to.output, from_c(*from.output));
  take(to.targets, from.targets);
  take(to.pool, from.pool);
  take(to.evaluation, from.evaluation);
  return to;
}
}  // namespace detail

// Options for creating an executor.
struct ScheduleExecutorOptions {
  // a schedule that reserves more bytes is refused with Status::over_budget; 0: no budget
  std::int64_t budget_bytes = 0;
  // threads that the executor uses; kept alive; nullptr: a new pool with as many threads as the process may use
  detail::Borrowed<ckpt_worker_pool> pool = {};
  // tracker that counts every buffer under its layer's name; kept alive; nullptr: a new one
  detail::Borrowed<ckpt_memory_tracker> tracker = {};
  // follower with a strategy that is notified of layers that run and of live bytes; nullptr: none
  detail::Borrowed<ckpt_follower> follower = {};
  // check of recomputed forwards: one of RecomputeCheck; default RecomputeCheck::none. A difference fails the step with
  // Status::corrupt; the message names the layer and the micro-batch. A RECORD without output is not checked
  RecomputeCheck recompute_check = RecomputeCheck::none;
  // true: after every run of a layer all bytes of the arena that it must not write are compared with their state before, and a
  // change fails the step with Status::corrupt; the message names the layer; each run of a layer takes longer; false: no check
  bool check_writes = false;
  // storage for the items of tier 1: a file that only this executor can access, or memory, written while layers run; kept
  // alive; nullptr: memory of the executor, each item copied synchronously
  detail::Borrowed<ckpt_storage> tier1_storage = {};
  // storage for the items of tier 2; kept alive; nullptr: memory, each item copied synchronously
  detail::Borrowed<ckpt_storage> tier2_storage = {};
  // storage for the items of tier 3; kept alive; nullptr: memory, each item copied synchronously
  detail::Borrowed<ckpt_storage> tier3_storage = {};
  // true: a layer's output of F32 or F64 that is not finite fails the step with Status::out_of_range; the message names the
  // first such layer, the element and its value; each forward reads its output once more; false: only the loss is checked
  bool check_finite = false;
};
namespace detail {
inline ckpt_schedule_executor_options to_c(const ScheduleExecutorOptions& from) {
  ckpt_schedule_executor_options to = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  put(from.budget_bytes, to.budget_bytes);
  put(from.pool, to.pool);
  put(from.tracker, to.tracker);
  put(from.follower, to.follower);
  put(from.recompute_check, to.recompute_check);
  put(from.check_writes, to.check_writes);
  put(from.tier1_storage, to.tier1_storage);
  put(from.tier2_storage, to.tier2_storage);
  put(from.tier3_storage, to.tier3_storage);
  put(from.check_finite, to.check_finite);
  return to;
}
}  // namespace detail

// Data of one step of training. Tensors are borrowed for the call.
struct Step {
  // number of the step, >= 0: a key of dropout's random numbers
  std::int64_t step = 0;
  // seed of the step's random numbers: a key of dropout
  std::uint64_t seed = 0;
  // global number of the batch's first sample within the step, >= 0
  std::int64_t first_sample = 0;
  // input of the chain, of the executor's input element type and shape
  detail::Borrowed<ckpt_tensor> input = {};
  // targets of a loss layer; nullptr when no layer needs them
  detail::Borrowed<ckpt_tensor> targets = {};
  // gradient of the chain's output; nullptr: 1, only for a chain with an output of one element
  detail::Borrowed<ckpt_tensor> output_gradient = {};
  // receives the chain's output; nullptr: it is not wanted
  detail::Borrowed<ckpt_tensor> output = {};
  // receives the gradient of the chain's input; nullptr: it is not wanted. Refused if the first layer computes none
  detail::Borrowed<ckpt_tensor> input_gradient = {};
  // false: gradients are set to 0 first; true: this step adds to them
  bool accumulate = false;
};
namespace detail {
inline ckpt_step to_c(const Step& from) {
  ckpt_step to = CKPT_STEP_INIT;
  put(from.step, to.step);
  put(from.seed, to.seed);
  put(from.first_sample, to.first_sample);
  put(from.input, to.input);
  put(from.targets, to.targets);
  put(from.output_gradient, to.output_gradient);
  put(from.output, to.output);
  put(from.input_gradient, to.input_gradient);
  put(from.accumulate, to.accumulate);
  return to;
}
}  // namespace detail

// Measurements of an executor since it was created.
struct ScheduleExecutorStats {
  // number of successful steps
  std::int64_t steps = 0;
  // number of layer forwards, recomputed ones included
  std::int64_t forwards = 0;
  // number of layer forwards beyond the first of each layer in a step
  std::int64_t recomputed_forwards = 0;
  // bytes that are live now; 0 between steps
  std::int64_t live_bytes = 0;
  // maximum number of live bytes: equals the verifier's peak of tier 0 to the byte
  std::int64_t peak_live_bytes = 0;
  // bytes of the arena that the executor reserved when it was created
  std::int64_t reserved_bytes = 0;
  // duration of all steps
  std::chrono::nanoseconds run = std::chrono::nanoseconds(0);
  // duration that steps waited for copies through the storages of tiers; part of run
  std::chrono::nanoseconds transfer_wait = std::chrono::nanoseconds(0);
  // bytes that were copied into each tier; 0 for tier 0
  std::array<std::int64_t, 4> stored_bytes = {};
  // bytes that were copied back from each tier; 0 for tier 0
  std::array<std::int64_t, 4> loaded_bytes = {};
};
namespace detail {
inline ScheduleExecutorStats from_c(const ckpt_schedule_executor_stats& from) {
  ScheduleExecutorStats to;
  take(to.steps, from.steps);
  take(to.forwards, from.forwards);
  take(to.recomputed_forwards, from.recomputed_forwards);
  take(to.live_bytes, from.live_bytes);
  take(to.peak_live_bytes, from.peak_live_bytes);
  take(to.reserved_bytes, from.reserved_bytes);
  take(to.run, from.run_ns);
  take(to.transfer_wait, from.transfer_wait_ns);
  take(to.stored_bytes, from.stored_bytes);
  take(to.loaded_bytes, from.loaded_bytes);
  return to;
}
}  // namespace detail

// Options for creating an AdamW optimizer. Its state: "<name>.m" and "<name>.v" for every parameter, and the number of steps.
// Source: Loshchilov, Hutter, "Decoupled weight decay regularization", arXiv:1711.05101.
struct AdamWOptions {
  // size of a step, > 0; default 1e-3
  double learning_rate = 1e-3;
  // decay of the mean of gradients, 0 <= beta1 < 1; default 0.9
  double beta1 = 0.9;
  // decay of the mean of squared gradients, 0 <= beta2 < 1; default 0.999
  double beta2 = 0.999;
  // added to the root of the mean of squared gradients, > 0; default 1e-8
  double epsilon = 1e-8;
  // decoupled weight decay, >= 0: each step subtracts learning_rate * weight_decay times a weight from it; default 0.01
  double weight_decay = 0.01;
  // true: only parameters of two dimensions or more decay, biases and norms do not; false: all decay
  bool decay_matrices_only = false;
};
namespace detail {
inline ckpt_adamw_options to_c(const AdamWOptions& from) {
  ckpt_adamw_options to = CKPT_ADAMW_OPTIONS_INIT;
  put(from.learning_rate, to.learning_rate);
  put(from.beta1, to.beta1);
  put(from.beta2, to.beta2);
  put(from.epsilon, to.epsilon);
  put(from.weight_decay, to.weight_decay);
  put(from.decay_matrices_only, to.decay_matrices_only);
  return to;
}
}  // namespace detail

// A learning rate for each step: increases linearly over warm_up_steps, then decays to last_rate at step_count.
struct LearningRateSchedule {
  // kind of decay: one of LearningRateKind; default LearningRateKind::constant
  LearningRateKind kind = LearningRateKind::constant;
  // the highest rate, >= 0: of the first step after the warm-up; default 1e-3
  double peak_rate = 1e-3;
  // the rate at step_count and later, 0 .. peak_rate; not read when the kind is constant
  double last_rate = 0;
  // number of steps before the peak, >= 0: step i of them has peak_rate (i + 1) / (steps + 1)
  std::int64_t warm_up_steps = 0;
  // number of steps of the run, >= warm_up_steps; not read when the kind is constant
  std::int64_t step_count = 0;
};
namespace detail {
inline ckpt_learning_rate_schedule to_c(const LearningRateSchedule& from) {
  ckpt_learning_rate_schedule to = CKPT_LEARNING_RATE_SCHEDULE_INIT;
  put(from.kind, to.kind);
  put(from.peak_rate, to.peak_rate);
  put(from.last_rate, to.last_rate);
  put(from.warm_up_steps, to.warm_up_steps);
  put(from.step_count, to.step_count);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
