// plan.hpp - the values of plan.h in C++: its enums, options and results. Made from include/ckpt by tools/api: do not edit.
// clang-format off
#ifndef CKPT_VALUES_PLAN_HPP
#define CKPT_VALUES_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/tensor.hpp>

#include <array>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

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
  // runs layers first .. last-1 without recording; needs INPUT(first), makes INPUT(last), keeps nothing between
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
};
template <>
struct IsFlags<LayerFlag> : std::true_type {};

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
  // place within the tier, >= 0
  std::int32_t slot = 0;
  // id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT
  std::int64_t transfer = 0;
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_schedule_action to_c(const ScheduleAction& value) {
  ckpt_schedule_action to = {};
  to.kind = static_cast<int32_t>(value.kind);
  to.micro_batch = value.micro_batch;
  to.first = value.first;
  to.last = value.last;
  to.option = value.option;
  to.item = static_cast<int32_t>(value.item);
  to.tier = value.tier;
  to.slot = value.slot;
  to.transfer = value.transfer;
  return to;
}

inline ScheduleAction from_c(const ckpt_schedule_action& from) {
  ScheduleAction value;
  value.kind = static_cast<ActionKind>(from.kind);
  value.micro_batch = from.micro_batch;
  value.first = from.first;
  value.last = from.last;
  value.option = from.option;
  value.item = static_cast<Item>(from.item);
  value.tier = from.tier;
  value.slot = from.slot;
  value.transfer = from.transfer;
  return value;
}

}  // namespace detail

// What planning must know of one layer.
struct LayerProfile {
  // sum of LayerFlag
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

// Borrows from value: texts and arrays.
inline ckpt_layer_profile to_c(const LayerProfile& value) {
  ckpt_layer_profile to = CKPT_LAYER_PROFILE_INIT;
  to.flags = static_cast<uint32_t>(value.flags);
  to.output_bytes = value.output_bytes;
  to.ambient_bytes = value.ambient_bytes;
  to.dtype = static_cast<int32_t>(value.dtype);
  value.shape.put(to.shape, to.ndim);
  return to;
}

inline LayerProfile from_c(const ckpt_layer_profile& from) {
  LayerProfile value;
  value.flags = static_cast<LayerFlag>(from.flags);
  value.output_bytes = from.output_bytes;
  value.ambient_bytes = from.ambient_bytes;
  value.dtype = static_cast<DType>(from.dtype);
  value.shape = Shape(from.shape, from.shape + from.ndim);
  return value;
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
};

namespace detail {

// Borrows from value: texts and arrays.
inline ckpt_option_profile to_c(const OptionProfile& value) {
  ckpt_option_profile to = CKPT_OPTION_PROFILE_INIT;
  to.tape_bytes = value.tape_bytes;
  to.forward_workspace_bytes = value.forward_workspace_bytes;
  to.backward_workspace_bytes = value.backward_workspace_bytes;
  to.forward_seconds = value.forward_seconds;
  to.backward_seconds = value.backward_seconds;
  return to;
}

inline OptionProfile from_c(const ckpt_option_profile& from) {
  OptionProfile value;
  value.tape_bytes = from.tape_bytes;
  value.forward_workspace_bytes = from.forward_workspace_bytes;
  value.backward_workspace_bytes = from.backward_workspace_bytes;
  value.forward_seconds = from.forward_seconds;
  value.backward_seconds = from.backward_seconds;
  return value;
}

}  // namespace detail

// What a schedule costs on a chain, exactly.
struct PlanReport {
  // number of actions, END included
  std::int64_t actions = 0;
  // number of layer forwards, recomputed ones included
  std::int64_t forwards = 0;
  // number of layer forwards beyond the first of each layer
  std::int64_t recomputed_forwards = 0;
  // duration of all forwards and backwards in seconds; transfers take no time
  double step_seconds = 0.0;
  // duration of the recomputed forwards in seconds
  double recomputed_seconds = 0.0;
  // index of the action during which tier 0 was fullest (the first such)
  std::int64_t peak_action = 0;
  // live bytes at the fullest moment of each tier; tier 0 counts items, workspace and ambient state
  std::array<std::int64_t, 4> peak_bytes = {};
};

namespace detail {

inline PlanReport from_c(const ckpt_plan_report& from) {
  PlanReport value;
  value.actions = from.actions;
  value.forwards = from.forwards;
  value.recomputed_forwards = from.recomputed_forwards;
  value.step_seconds = from.step_seconds;
  value.recomputed_seconds = from.recomputed_seconds;
  value.peak_action = from.peak_action;
  value.peak_bytes = detail::elements<4>(from.peak_bytes);
  return value;
}

}  // namespace detail

}  // namespace ckpt

#endif  // CKPT_VALUES_PLAN_HPP
