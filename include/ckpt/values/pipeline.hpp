// Generated from include/ckpt by tools/api: do not edit.
// pipeline.hpp - the values of pipeline.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_PIPELINE_HPP
#define CKPT_VALUES_PIPELINE_HPP

#include <ckpt/pipeline.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/engine.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// The rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed.
enum class ActivationPolicyKind : std::int32_t {
  // the activations of all micro-batches are kept from forward to backward: most memory, fastest backward
  store_all = CKPT_ACTIVATION_POLICY_KIND_STORE_ALL,
  // no activations are kept, all are recomputed: least memory, slowest backward
  recompute_all = CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL,
  // the activations of every interval-th micro-batch are kept, and always those of the first and the last
  selective = CKPT_ACTIVATION_POLICY_KIND_SELECTIVE,
  // activations of at most threshold_bytes in total are kept: if a store would exceed it, the oldest are dropped first; those
  // of the first and the last micro-batch are kept regardless of their size, and any other that does not fit in the rest is
  // not stored
  memory_based = CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED,
  // activations with a yes from a strategy are kept; the question has the stage's name and the micro-batch. A memory-aware
  // strategy, or a composite that contains one, is Status::invalid_argument, because under pressure it answers yes more often;
  // not(memory-aware) is its inverse and allowed, also inside composites
  strategy = CKPT_ACTIVATION_POLICY_KIND_STRATEGY,
  // selected by memory pressure when a step begins: below 0.5 store-all, below 0.7 selective with an interval of at least 2,
  // below 0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes
  // divided by its limit, if it has one; else the process's resident bytes, without the arenas of a pipeline, divided by
  // memory_limit_bytes. In each case an activation is only stored if it fits in the remainder of the limit, which the stages
  // of a pipeline share equally: higher pressure never stores more. threshold_bytes of the policy in force is this bound. Each
  // selection is logged (INFO)
  automatic = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC,
};

// The order in which stages run the forward and backward parts of micro-batches. In each of them gradients are added in the
// order of micro-batches.
enum class PipelineOrder : std::int32_t {
  // all forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965
  gpipe = CKPT_PIPELINE_ORDER_GPIPE,
  // after a warm-up alternately one forward, one backward: stage p of P holds at most P - p micro-batches. Source: Narayanan
  // et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503
  one_f_one_b = CKPT_PIPELINE_ORDER_1F1B,
  // 1F1B over several chunks per stage; micro_batches is a multiple of stages. Source: Narayanan et al., "Efficient
  // large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473
  interleaved = CKPT_PIPELINE_ORDER_INTERLEAVED,
};

// The activity of a stage in an interval of a step.
enum class IntervalKind : std::int32_t {
  // the stage runs a forward part
  forward = CKPT_INTERVAL_KIND_FORWARD,
  // the stage runs a forward part again
  recompute = CKPT_INTERVAL_KIND_RECOMPUTE,
  // the stage runs a backward part
  backward = CKPT_INTERVAL_KIND_BACKWARD,
  // the stage sends, or waits for a neighbour
  wait = CKPT_INTERVAL_KIND_WAIT,
};

// A rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed.
struct ActivationPolicy {
  // kind of policy: one of ActivationPolicyKind; default ActivationPolicyKind::store_all
  ActivationPolicyKind kind = ActivationPolicyKind::store_all;
  // for selective: n, where every n-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1
  std::int64_t interval = 1;
  // for memory-based, also if automatic selects it: maximum bytes of stored activations, >= 0; default 1 GiB
  std::int64_t threshold_bytes = 1073741824;
  // for ActivationPolicyKind::strategy: the strategy that is asked; kept alive; ignored by other kinds
  detail::Borrowed<ckpt_strategy> strategy = {};
  // for automatic: total memory in bytes, >= 0; 0: the memory that this process may use, which is physical memory or its
  // control group's limit
  std::int64_t memory_limit_bytes = 0;
};
namespace detail {
inline ckpt_activation_policy to_c(const ActivationPolicy& from) {
  ckpt_activation_policy to = CKPT_ACTIVATION_POLICY_INIT;
  put(from.kind, to.kind);
  put(from.interval, to.interval);
  put(from.threshold_bytes, to.threshold_bytes);
  put(from.strategy, to.strategy);
  put(from.memory_limit_bytes, to.memory_limit_bytes);
  return to;
}
inline ActivationPolicy from_c(const ckpt_activation_policy& from) {
  ActivationPolicy to;
  take(to.kind, from.kind);
  take(to.interval, from.interval);
  take(to.threshold_bytes, from.threshold_bytes);
  take(to.memory_limit_bytes, from.memory_limit_bytes);
  return to;
}
}  // namespace detail

// Options for creating an activation manager.
struct ActivationManagerOptions {
  // name of the stage for strategies and the tracker; empty: "stage"
  std::string name = {};
  // tracker that counts stored activations; kept alive; nullptr: a new one
  detail::Borrowed<ckpt_memory_tracker> tracker = {};
  // clock for the times of stored activations; kept alive; nullptr: the monotonic clock
  detail::Borrowed<ckpt_clock> clock = {};
};
namespace detail {
inline ckpt_activation_manager_options to_c(const ActivationManagerOptions& from) {
  ckpt_activation_manager_options to = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  put(from.name, to.name);
  put(from.tracker, to.tracker);
  put(from.clock, to.clock);
  return to;
}
}  // namespace detail

// Information about one stored activation.
struct ActivationMetadata {
  // number of the micro-batch, from 0
  std::int32_t micro_batch = 0;
  // element type of the activation
  DType dtype = DType{0};
  // lengths of the activation's dimensions
  Shape shape = {};
  // size of the activation in bytes
  std::int64_t bytes = 0;
  // number of reads since it was stored
  std::int64_t hits = 0;
  // when it was stored, in nanoseconds on the manager's clock
  std::chrono::nanoseconds stored_at = std::chrono::nanoseconds(0);
  // when it was stored, in UTC by the system's clock
  std::chrono::system_clock::time_point stored_utc = {};
};
namespace detail {
inline ActivationMetadata from_c(const ckpt_activation_metadata& from) {
  ActivationMetadata to;
  take(to.micro_batch, from.micro_batch);
  take(to.dtype, from.dtype);
  take(to.shape, from.shape, from.ndim);
  take(to.bytes, from.bytes);
  take(to.hits, from.hits);
  take(to.stored_at, from.stored_at_ns);
  take(to.stored_utc, from.stored_utc_ns);
  return to;
}
}  // namespace detail

// Options for creating a pipeline. The chain is split into pieces = stages * chunks pieces of at least one layer; piece k is
// chunk k / stages of stage k % stages.
struct PipelineOptions {
  // order in which stages run the forward and backward parts of micro-batches: one of PipelineOrder; default
  // PipelineOrder::one_f_one_b
  PipelineOrder order = PipelineOrder::one_f_one_b;
  // number of stages, 1 .. 1024; default 1
  std::int32_t stages = 1;
  // number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1
  std::int32_t micro_batches = 1;
  // number of pieces of each stage; 1 (the default) unless the order is PipelineOrder::interleaved
  std::int32_t chunks = 1;
  // number of threads of each stage's pool, the stage's thread included; 1 .. 1024; default 1
  std::int32_t threads_per_stage = 1;
  // number of runs for measuring the layers' times, for the split and the budget; 0: only bytes are used; default 3
  std::int32_t measured_steps = 3;
  // first layers of the pieces, ascending from 0; empty: a split into pieces of equal time
  std::vector<std::int64_t> begins = {};
  // capacity of each queue between neighbours; 0: as much as the schedule needs
  std::int64_t queue_places = 0;
  // limit of the reserved bytes of each stage's whole step, with the kept values of all micro-batches in flight; each stage
  // uses the fastest plan found within it; 0: no budget
  std::int64_t budget_bytes = 0;
  // strategy that determines each piece's plan, layer by layer; asked again before each step; kept alive; nullptr: no strategy
  detail::Borrowed<ckpt_strategy> strategy = {};
  // tracker that counts every buffer, those of queues included; kept alive; nullptr: a new one
  detail::Borrowed<ckpt_memory_tracker> tracker = {};
  // check of each recomputed forward: one of RecomputeCheck; default RecomputeCheck::none
  RecomputeCheck recompute_check = RecomputeCheck::none;
  // true: detects writes of layers outside of their buffers; false: no check
  bool check_writes = false;
  // true: a layer's output of F32 or F64 that is not finite fails the step with Status::out_of_range; the message names the
  // layer, the element and the micro-batch: the first such layer of the stage that detected one first; false: only the losses
  // are checked
  bool check_finite = false;
};
namespace detail {
inline ckpt_pipeline_options to_c(const PipelineOptions& from) {
  ckpt_pipeline_options to = CKPT_PIPELINE_OPTIONS_INIT;
  put(from.order, to.order);
  put(from.stages, to.stages);
  put(from.micro_batches, to.micro_batches);
  put(from.chunks, to.chunks);
  put(from.threads_per_stage, to.threads_per_stage);
  put(from.measured_steps, to.measured_steps);
  put(from.begins, to.begins, to.begins_count);
  put(from.queue_places, to.queue_places);
  put(from.budget_bytes, to.budget_bytes);
  put(from.strategy, to.strategy);
  put(from.tracker, to.tracker);
  put(from.recompute_check, to.recompute_check);
  put(from.check_writes, to.check_writes);
  put(from.check_finite, to.check_finite);
  return to;
}
}  // namespace detail

// Measurements of a stage of a pipeline since the pipeline was created.
struct PipelineStats {
  // maximum number of micro-batches between forward and backward (of chunk 0)
  std::int32_t in_flight = 0;
  // global number of the stage's first layer (of chunk 0)
  std::int64_t first_layer = 0;
  // number of layers of all chunks of the stage
  std::int64_t layers = 0;
  // number of successful steps
  std::int64_t steps = 0;
  // number of layer forwards, recomputed ones included
  std::int64_t forwards = 0;
  // number of layer forwards beyond the first of each layer and micro-batch in a step
  std::int64_t recomputed_forwards = 0;
  // number of micro-batches with tapes that were kept from forward to backward
  std::int64_t kept_micro_batches = 0;
  // number of micro-batches with tapes that were recomputed
  std::int64_t recomputed_micro_batches = 0;
  // maximum number of live bytes: equals the verifier's peak of the whole step to the byte
  std::int64_t peak_live_bytes = 0;
  // bytes of the stage's arena
  std::int64_t reserved_bytes = 0;
  // bytes reserved by the queues to and from the next stage, in addition to the arena
  std::int64_t queue_bytes = 0;
  // time for which the stage computed, without waits, in the last step
  std::chrono::nanoseconds busy = std::chrono::nanoseconds(0);
};
namespace detail {
inline PipelineStats from_c(const ckpt_pipeline_stats& from) {
  PipelineStats to;
  take(to.in_flight, from.in_flight);
  take(to.first_layer, from.first_layer);
  take(to.layers, from.layers);
  take(to.steps, from.steps);
  take(to.forwards, from.forwards);
  take(to.recomputed_forwards, from.recomputed_forwards);
  take(to.kept_micro_batches, from.kept_micro_batches);
  take(to.recomputed_micro_batches, from.recomputed_micro_batches);
  take(to.peak_live_bytes, from.peak_live_bytes);
  take(to.reserved_bytes, from.reserved_bytes);
  take(to.queue_bytes, from.queue_bytes);
  take(to.busy, from.busy_ns);
  return to;
}
}  // namespace detail

// The activity of a stage of a pipeline in one interval of a step.
struct PipelineInterval {
  // activity of the stage
  IntervalKind kind = IntervalKind{0};
  // number of the stage, from 0
  std::int32_t stage = 0;
  // number of the chunk of the stage, from 0
  std::int32_t chunk = 0;
  // number of the micro-batch, from 0
  std::int32_t micro_batch = 0;
  // begin of the interval, in nanoseconds since the step began
  std::chrono::nanoseconds begin_at = std::chrono::nanoseconds(0);
  // end of the interval, in nanoseconds since the step began
  std::chrono::nanoseconds end_at = std::chrono::nanoseconds(0);
};
namespace detail {
inline PipelineInterval from_c(const ckpt_pipeline_interval& from) {
  PipelineInterval to;
  take(to.kind, from.kind);
  take(to.stage, from.stage);
  take(to.chunk, from.chunk);
  take(to.micro_batch, from.micro_batch);
  take(to.begin_at, from.begin_at_ns);
  take(to.end_at, from.end_at_ns);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
