// Generated from include/ckpt by tools/api: do not edit.
// plan.hpp - the values of plan.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_PLAN_HPP
#define CKPT_VALUES_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// The kind of an item in memory. INPUT(i) and GRAD(i) have the bytes of x_i, TAPE(i, option) the layer's tape bytes under that
// option.
enum class Item : std::int32_t {
  // no item
  none = CKPT_ITEM_NONE,
  // INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) exists when a step begins; INPUT(n) is the chain's output
  input = CKPT_ITEM_INPUT,
  // TAPE(i, option): the values that layer i recorded for its backward; its bytes are the layer's tape bytes under that option
  tape = CKPT_ITEM_TAPE,
  // GRAD(i): the gradient with respect to x_i; its bytes are those of x_i
  grad = CKPT_ITEM_GRAD,
};

// Kind of an action. Memory changes only at actions, as each kind documents; nothing else is kept or dropped.
enum class ActionKind : std::int32_t {
  // runs layers first .. last-1 without recording, under one option; needs INPUT(first), creates INPUT(last), keeps nothing
  // between
  forward = CKPT_ACTION_KIND_FORWARD,
  // runs layers first .. last-1 and records: needs INPUT(first), creates TAPE(i, option) and INPUT(i+1) of each layer i
  forward_tape = CKPT_ACTION_KIND_FORWARD_TAPE,
  // runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) if the layer's
  // flags require it; creates GRAD(i); ends GRAD(i+1) and TAPE(i, option). Exactly once for each layer and micro-batch
  backward = CKPT_ACTION_KIND_BACKWARD,
  // begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the AWAIT
  store_begin = CKPT_ACTION_KIND_STORE_BEGIN,
  // begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT
  load_begin = CKPT_ACTION_KIND_LOAD_BEGIN,
  // waits for a transfer of STORE_BEGIN or LOAD_BEGIN
  await = CKPT_ACTION_KIND_AWAIT,
  // ends an item (tier 0), or the item in a slot of another tier
  drop = CKPT_ACTION_KIND_DROP,
  // sends a copy of an item to a neighbour stage of a pipeline; the item is kept until its DROP
  send = CKPT_ACTION_KIND_SEND,
  // receives an item from a neighbour stage. In the schedule of a pipeline's stage every micro-batch's INPUT arrives this way;
  // the schedule of a whole chain has no SEND and RECEIVE
  receive = CKPT_ACTION_KIND_RECEIVE,
  // ends the forward part: needs INPUT(n), passes it to the caller, creates GRAD(n); last stage only
  turn = CKPT_ACTION_KIND_TURN,
  // ends the step: only GRAD(0) may exist
  end = CKPT_ACTION_KIND_END,
  // runs one layer and records, only for its backward: needs INPUT(first), creates TAPE(first, option), and INPUT(last) only
  // if the layer has the flag NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record); without one it runs
  // forward, and an output that is not an item counts as workspace while it runs
  record = CKPT_ACTION_KIND_RECORD,
  // runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and creates INPUT(last)
  // in the same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a
  // STORE_BEGIN is copying. slot names the buffer in schedules of adjoint codes, as for the result of their FORWARD; else it
  // is 0
  advance = CKPT_ACTION_KIND_ADVANCE,
};

// Properties of a layer's backward and recomputation for planning: a sum of flags.
enum class LayerFlag : std::uint32_t {
  // backward reads the layer's input
  needs_input = CKPT_LAYER_FLAG_NEEDS_INPUT,
  // backward reads the layer's output
  needs_output = CKPT_LAYER_FLAG_NEEDS_OUTPUT,
  // recomputing forward produces the same bits; without this flag the layer is never recomputed
  deterministic = CKPT_LAYER_FLAG_DETERMINISTIC,
  // backward computes no gradient of the input: only for layer 0 of a chain, and for layers of a graph that read only value 0,
  // with an input that has no gradient (tokens)
  no_input_gradient = CKPT_LAYER_FLAG_NO_INPUT_GRADIENT,
  // forward may write its output over its input, and backward the gradient of its input over that of its output: an
  // element-wise layer. After the first layer of a FORWARD, the layer writes its output into the buffer of its input, and its
  // BACKWARD writes GRAD(i) into the buffer of GRAD(i+1); while the layer runs that buffer counts the larger of the two
  in_place = CKPT_LAYER_FLAG_IN_PLACE,
  // backward can add to an existing gradient of its input; without this flag it writes a second buffer, which is then added.
  // Used in graphs, for a value that several layers read
  adds_gradient = CKPT_LAYER_FLAG_ADDS_GRADIENT,
};
template <>
struct IsFlags<LayerFlag> : std::true_type {};

// Properties of a whole chain: a sum of flags.
enum class ProfileFlag : std::uint32_t {
  // the caller keeps INPUT(0) for the whole step: its DROP frees no bytes
  keeps_input = CKPT_PROFILE_FLAG_KEEPS_INPUT,
  // the caller keeps INPUT(n) from its computation to the end of the step: its DROP frees no bytes
  keeps_output = CKPT_PROFILE_FLAG_KEEPS_OUTPUT,
  // memory comes from an allocator of the caller, not from one arena: budgets limit live bytes, not reserved ones
  own_allocator = CKPT_PROFILE_FLAG_OWN_ALLOCATOR,
};
template <>
struct IsFlags<ProfileFlag> : std::true_type {};

// One action of a schedule. Fields that a kind does not use are 0.
struct ScheduleAction {
  // kind of action
  ActionKind kind = ActionKind{0};
  // number of the micro-batch, from 0; 0 for a step of one batch
  std::int32_t micro_batch = 0;
  // first layer of the action; or the index i of the item
  std::int64_t first = 0;
  // one past the last layer of the action
  std::int64_t last = 0;
  // option of the layers; or of the item, for a TAPE
  std::int32_t option = 0;
  // kind of item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE
  Item item = Item::none;
  // tier of the item: 0 memory; 1 .. 3 slower places
  std::int32_t tier = 0;
  // slot within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for code that runs the schedule
  std::int32_t slot = 0;
  // id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
  std::int64_t transfer = 0;
};
namespace detail {
inline ckpt_schedule_action to_c(const ScheduleAction& from) {
  ckpt_schedule_action to = {};
  put(from.kind, to.kind);
  put(from.micro_batch, to.micro_batch);
  put(from.first, to.first);
  put(from.last, to.last);
  put(from.option, to.option);
  put(from.item, to.item);
  put(from.tier, to.tier);
  put(from.slot, to.slot);
  put(from.transfer, to.transfer);
  return to;
}
inline ScheduleAction from_c(const ckpt_schedule_action& from) {
  ScheduleAction to;
  take(to.kind, from.kind);
  take(to.micro_batch, from.micro_batch);
  take(to.first, from.first);
  take(to.last, from.last);
  take(to.option, from.option);
  take(to.item, from.item);
  take(to.tier, from.tier);
  take(to.slot, from.slot);
  take(to.transfer, from.transfer);
  return to;
}
}  // namespace detail

// Properties of one layer for planning.
struct LayerProfile {
  // sum of LayerFlag; default LayerFlag::needs_input | LayerFlag::deterministic
  LayerFlag flags = LayerFlag::needs_input | LayerFlag::deterministic;
  // bytes of the layer's output, and of its gradient, >= 0
  std::int64_t output_bytes = 0;
  // bytes of the ambient state that is saved before the first forward and restored before a recomputation, >= 0
  std::int64_t ambient_bytes = 0;
  // element type of the layer's output, for strategies; 0 when not known
  DType dtype = DType{0};
  // lengths of the dimensions of the layer's output, for strategies
  Shape shape = {};
};
namespace detail {
inline ckpt_layer_profile to_c(const LayerProfile& from) {
  ckpt_layer_profile to = CKPT_LAYER_PROFILE_INIT;
  put(from.flags, to.flags);
  put(from.output_bytes, to.output_bytes);
  put(from.ambient_bytes, to.ambient_bytes);
  put(from.dtype, to.dtype);
  put(from.shape, to.shape, to.ndim);
  return to;
}
inline LayerProfile from_c(const ckpt_layer_profile& from) {
  LayerProfile to;
  take(to.flags, from.flags);
  take(to.output_bytes, from.output_bytes);
  take(to.ambient_bytes, from.ambient_bytes);
  take(to.dtype, from.dtype);
  take(to.shape, from.shape, from.ndim);
  return to;
}
}  // namespace detail

// Properties of one option (way to run a layer) for planning. Most layers have one.
struct OptionProfile {
  // bytes that the layer records for its backward, >= 0
  std::int64_t tape_bytes = 0;
  // bytes needed while forward runs, with or without tape, >= 0
  std::int64_t forward_workspace_bytes = 0;
  // bytes needed while backward runs, >= 0
  std::int64_t backward_workspace_bytes = 0;
  // duration of one forward in seconds, >= 0
  double forward_seconds = 0.0;
  // duration of one backward in seconds, >= 0
  double backward_seconds = 0.0;
  // bytes needed while RECORD runs, >= 0; ignored without has_record
  std::int64_t record_workspace_bytes = 0;
  // duration of one RECORD in seconds, >= 0; ignored without has_record
  double record_seconds = 0.0;
  // true: the layer can record without computing its output, with record_workspace_bytes and record_seconds; false: RECORD
  // runs forward
  bool has_record = false;
  // maximum bytes of a backward while it runs, without the layer's input: its tape, both gradients, the output if it is read,
  // and workspace, >= 0; 0: not known, their sum. For programs with a separate allocator: planners and the verifier use it;
  // arena and program use the sum
  std::int64_t backward_peak_bytes = 0;
};
namespace detail {
inline ckpt_option_profile to_c(const OptionProfile& from) {
  ckpt_option_profile to = CKPT_OPTION_PROFILE_INIT;
  put(from.tape_bytes, to.tape_bytes);
  put(from.forward_workspace_bytes, to.forward_workspace_bytes);
  put(from.backward_workspace_bytes, to.backward_workspace_bytes);
  put(from.forward_seconds, to.forward_seconds);
  put(from.backward_seconds, to.backward_seconds);
  put(from.record_workspace_bytes, to.record_workspace_bytes);
  put(from.record_seconds, to.record_seconds);
  put(from.has_record, to.has_record);
  put(from.backward_peak_bytes, to.backward_peak_bytes);
  return to;
}
inline OptionProfile from_c(const ckpt_option_profile& from) {
  OptionProfile to;
  take(to.tape_bytes, from.tape_bytes);
  take(to.forward_workspace_bytes, from.forward_workspace_bytes);
  take(to.backward_workspace_bytes, from.backward_workspace_bytes);
  take(to.forward_seconds, from.forward_seconds);
  take(to.backward_seconds, from.backward_seconds);
  take(to.record_workspace_bytes, from.record_workspace_bytes);
  take(to.record_seconds, from.record_seconds);
  take(to.has_record, from.has_record);
  take(to.backward_peak_bytes, from.backward_peak_bytes);
  return to;
}
}  // namespace detail

// Properties of a tier, a place that is slower than memory, for planning.
struct TierProfile {
  // capacity of the tier in bytes, >= 0; 0: no limit
  std::int64_t capacity_bytes = 0;
  // rate of a STORE_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
  double write_bytes_per_second = 0.0;
  // rate of a LOAD_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time
  double read_bytes_per_second = 0.0;
  // duration of a copy of no bytes in seconds, >= 0
  double latency_seconds = 0.0;
};
namespace detail {
inline ckpt_tier_profile to_c(const TierProfile& from) {
  ckpt_tier_profile to = CKPT_TIER_PROFILE_INIT;
  put(from.capacity_bytes, to.capacity_bytes);
  put(from.write_bytes_per_second, to.write_bytes_per_second);
  put(from.read_bytes_per_second, to.read_bytes_per_second);
  put(from.latency_seconds, to.latency_seconds);
  return to;
}
inline TierProfile from_c(const ckpt_tier_profile& from) {
  TierProfile to;
  take(to.capacity_bytes, from.capacity_bytes);
  take(to.write_bytes_per_second, from.write_bytes_per_second);
  take(to.read_bytes_per_second, from.read_bytes_per_second);
  take(to.latency_seconds, from.latency_seconds);
  return to;
}
}  // namespace detail

// The exact memory and time of a schedule on a chain.
struct PlanReport {
  // number of actions, END included
  std::int64_t actions = 0;
  // number of layer forwards (each RECORD is one), recomputed ones included
  std::int64_t forwards = 0;
  // number of layer forwards beyond the first of each layer
  std::int64_t recomputed_forwards = 0;
  // duration of the step in seconds: the sum of forwards, records, backwards and waits of AWAITs
  double step_seconds = 0.0;
  // duration of the recomputed forwards in seconds, from forward_seconds or record_seconds
  double recomputed_seconds = 0.0;
  // index of the first action with the peak of tier 0
  std::int64_t peak_action = 0;
  // peak live bytes of each tier; tier 0 counts items, workspace and ambient state
  std::array<std::int64_t, 4> peak_bytes = {};
  // duration of the waits of AWAITs in seconds; included in step_seconds
  double wait_seconds = 0.0;
  // maximum number of items (INPUT, TAPE, GRAD) in each tier, x_0 included
  std::array<std::int64_t, 4> peak_items = {};
  // maximum number of INPUTs in each tier, x_0 included: the states that an adjoint code keeps
  std::array<std::int64_t, 4> peak_inputs = {};
  // bytes that were copied into each tier; 0 for tier 0
  std::array<std::int64_t, 4> stored_bytes = {};
  // bytes that were copied back from each tier; 0 for tier 0
  std::array<std::int64_t, 4> loaded_bytes = {};
};
namespace detail {
inline PlanReport from_c(const ckpt_plan_report& from) {
  PlanReport to;
  take(to.actions, from.actions);
  take(to.forwards, from.forwards);
  take(to.recomputed_forwards, from.recomputed_forwards);
  take(to.step_seconds, from.step_seconds);
  take(to.recomputed_seconds, from.recomputed_seconds);
  take(to.peak_action, from.peak_action);
  take(to.peak_bytes, from.peak_bytes);
  take(to.wait_seconds, from.wait_seconds);
  take(to.peak_items, from.peak_items);
  take(to.peak_inputs, from.peak_inputs);
  take(to.stored_bytes, from.stored_bytes);
  take(to.loaded_bytes, from.loaded_bytes);
  return to;
}
}  // namespace detail

// Memory and time of one schedule of a planner's frontier: no other schedule of the planner takes less time within its live
// bytes.
struct FrontierPoint {
  // peak live bytes of tier 0
  std::int64_t live_bytes = 0;
  // size of the arena that holds all buffers, in bytes
  std::int64_t reserved_bytes = 0;
  // number of layer forwards beyond the first of each layer
  std::int64_t recomputed_forwards = 0;
  // duration of the step in seconds
  double step_seconds = 0.0;
  // duration of the recomputed forwards in seconds
  double recomputed_seconds = 0.0;
  // upper bound, in seconds, by which the optimum may be shorter, if it did not fit in the planner's tables
  double lost_seconds = 0.0;
};
namespace detail {
inline FrontierPoint from_c(const ckpt_frontier_point& from) {
  FrontierPoint to;
  take(to.live_bytes, from.live_bytes);
  take(to.reserved_bytes, from.reserved_bytes);
  take(to.recomputed_forwards, from.recomputed_forwards);
  take(to.step_seconds, from.step_seconds);
  take(to.recomputed_seconds, from.recomputed_seconds);
  take(to.lost_seconds, from.lost_seconds);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
