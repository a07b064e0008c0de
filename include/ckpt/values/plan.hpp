// Generated from include/ckpt by tools/api: do not edit.
// plan.hpp - the values of plan.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_PLAN_HPP
#define CKPT_VALUES_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// What memory holds. Bytes of INPUT(i) and GRAD(i): those of x_i; of TAPE(i, option): the layer's tape bytes under that option.
enum class Item : std::int32_t {
  // no item
  none = CKPT_ITEM_NONE,
  // INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) is there when a step begins; INPUT(n) is the chain's
  // output
  input = CKPT_ITEM_INPUT,
  // TAPE(i, option): what layer i recorded for its backward; its bytes are the layer's tape bytes under that option
  tape = CKPT_ITEM_TAPE,
  // GRAD(i): the gradient with respect to x_i; its bytes are those of x_i
  grad = CKPT_ITEM_GRAD,
};

// Kind of an action. Memory changes only at actions, as each kind says; nothing else is kept or dropped.
enum class ActionKind : std::int32_t {
  // runs layers first .. last-1 without recording, under one option; needs INPUT(first), makes INPUT(last), keeps nothing
  // between
  forward = CKPT_ACTION_KIND_FORWARD,
  // runs layers first .. last-1 and records: needs INPUT(first), makes TAPE(i, option) and INPUT(i+1) of each layer i
  forward_tape = CKPT_ACTION_KIND_FORWARD_TAPE,
  // runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) where the layer's
  // flags say so; makes GRAD(i); ends GRAD(i+1) and TAPE(i, option). Once for each layer and micro-batch
  backward = CKPT_ACTION_KIND_BACKWARD,
  // begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the AWAIT
  store_begin = CKPT_ACTION_KIND_STORE_BEGIN,
  // begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT
  load_begin = CKPT_ACTION_KIND_LOAD_BEGIN,
  // waits for a transfer that STORE_BEGIN or LOAD_BEGIN began
  await = CKPT_ACTION_KIND_AWAIT,
  // ends an item (tier 0), or what a slot of another tier holds
  drop = CKPT_ACTION_KIND_DROP,
  // sends a copy of an item to a neighbour stage of a pipeline; the item stays until its DROP
  send = CKPT_ACTION_KIND_SEND,
  // receives an item from a neighbour stage. In a stage's schedule of a pipeline every micro-batch's INPUT arrives this way; a
  // schedule of a chain of its own has no SEND and RECEIVE
  receive = CKPT_ACTION_KIND_RECEIVE,
  // ends the forward part: needs INPUT(n), shows it to the caller, makes GRAD(n); last stage only
  turn = CKPT_ACTION_KIND_TURN,
  // ends the step: only GRAD(0) may be left
  end = CKPT_ACTION_KIND_END,
  // runs one layer and records, for a backward that nothing else waits for: needs INPUT(first), makes TAPE(first, option), and
  // INPUT(last) only where the layer's flags say NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record);
  // without one it runs forward, and an output that it does not make counts as workspace meanwhile
  record = CKPT_ACTION_KIND_RECORD,
  // runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and makes INPUT(last) in
  // the same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN
  // is copying. slot names the buffer in schedules of adjoint codes, as it does for the result of their FORWARD; else it is 0
  advance = CKPT_ACTION_KIND_ADVANCE,
};

// What planning must know of a layer's backward and of running it again: a sum of flags.
enum class LayerFlag : std::uint32_t {
  // backward reads the layer's input
  needs_input = CKPT_LAYER_FLAG_NEEDS_INPUT,
  // backward reads the layer's output
  needs_output = CKPT_LAYER_FLAG_NEEDS_OUTPUT,
  // running forward again produces the same bits; without it the layer is never recomputed
  deterministic = CKPT_LAYER_FLAG_DETERMINISTIC,
  // backward makes no gradient of the input: only for layer 0, whose input has no gradient (tokens)
  no_input_gradient = CKPT_LAYER_FLAG_NO_INPUT_GRADIENT,
  // forward may write its output over its input, and backward the gradient of its input over that of its output: an
  // element-wise layer. Behind the first layer of a FORWARD, the layer's output is made in the buffer of its input, and its
  // BACKWARD makes GRAD(i) in the buffer of GRAD(i+1); meanwhile that buffer counts the larger of the two
  in_place = CKPT_LAYER_FLAG_IN_PLACE,
};
template <>
struct IsFlags<LayerFlag> : std::true_type {};

// What holds for a whole chain: a sum of flags.
enum class ProfileFlag : std::uint32_t {
  // INPUT(0) stays with the caller, who holds it through the whole step: its DROP frees no bytes
  keeps_input = CKPT_PROFILE_FLAG_KEEPS_INPUT,
  // INPUT(n) stays with the caller from the moment it is made to the end of the step: its DROP frees no bytes
  keeps_output = CKPT_PROFILE_FLAG_KEEPS_OUTPUT,
  // memory comes from an allocator of the caller's, not from one arena: budgets bind live bytes, not reserved ones
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
  // where the item is: 0 memory; 1 .. 3 slower places
  std::int32_t tier = 0;
  // place within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for the user's own code
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

// What planning must know of one layer.
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

// What planning must know of one way to run a layer. Most layers have one.
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
  // bytes needed while RECORD runs, >= 0; not looked at without has_record
  std::int64_t record_workspace_bytes = 0;
  // duration of one RECORD in seconds, >= 0; not looked at without has_record
  double record_seconds = 0.0;
  // true: the layer can record without making its output, as the two fields above say; false: RECORD runs forward
  bool has_record = false;
  // most bytes at once while the backward runs of all that it reads, makes and needs for itself, but for the layer's input:
  // its tape, both gradients, the output where it is read, and workspace, >= 0; 0: not known, their sum. For those whose
  // memory comes from an allocator of their own: planners and the verifier count it; arena and program keep the sum
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

// What planning must know of a tier, a place that is slower than memory.
struct TierProfile {
  // bytes that the tier can hold, >= 0; 0: no limit
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

// What a schedule costs on a chain, exactly.
struct PlanReport {
  // number of actions, END included
  std::int64_t actions = 0;
  // number of layer forwards (each RECORD is one), recomputed ones included
  std::int64_t forwards = 0;
  // number of layer forwards beyond the first of each layer
  std::int64_t recomputed_forwards = 0;
  // duration of the step in seconds: of the forwards, records and backwards, one after another, and of what the AWAITs wait
  // for
  double step_seconds = 0.0;
  // duration of the recomputed forwards in seconds, as they ran: forward_seconds or record_seconds
  double recomputed_seconds = 0.0;
  // index of the action during which tier 0 was fullest (the first such)
  std::int64_t peak_action = 0;
  // live bytes at the fullest moment of each tier; tier 0 counts items, workspace and ambient state
  std::array<std::int64_t, 4> peak_bytes = {};
  // duration of what the AWAITs wait for, in seconds; counted in step_seconds
  double wait_seconds = 0.0;
  // most items (INPUT, TAPE, GRAD) at once in each tier; with x_0
  std::array<std::int64_t, 4> peak_items = {};
  // most INPUTs at once in each tier; with x_0: the states that an adjoint code keeps
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

// What one schedule of a planner's frontier costs: no other of the planner's takes less time within its live bytes.
struct FrontierPoint {
  // live bytes of tier 0 at the fullest moment
  std::int64_t live_bytes = 0;
  // bytes that a machine must have: the size of the arena that holds all buffers
  std::int64_t reserved_bytes = 0;
  // number of layer forwards beyond the first of each layer
  std::int64_t recomputed_forwards = 0;
  // duration of the step in seconds
  double step_seconds = 0.0;
  // duration of the recomputed forwards in seconds
  double recomputed_seconds = 0.0;
  // duration in seconds by which the planner's best may be shorter, where its tables had no room for it
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
