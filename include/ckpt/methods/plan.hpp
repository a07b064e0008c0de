// Generated from include/ckpt by tools/api: do not edit.
// plan.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PLAN_HPP
#define CKPT_METHODS_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/base.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/values/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt {

class Profile;
class Schedule;

template <class Self>
class ProfileMethods : public detail::Object<Self, ckpt_profile, ckpt_profile_release> {
  using Base = detail::Object<Self, ckpt_profile, ckpt_profile_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates an empty profile of a chain with an input x_0 of input_bytes (>= 0).
  explicit ProfileMethods(std::int64_t input_bytes) : Base(detail::Empty()) {
    check(ckpt_profile_create(input_bytes, this->out()));
  }
  // Creates the profile of a chain of layer_count (>= 1) equal layers with one option: the steps of a time-stepping code. x_0
  // has the layer's output_bytes, too, and every layer has the name "step". Needs the same small memory for any layer_count; no
  // layers and options can be added to it (Status::invalid_state).
  static Self uniform(std::int64_t layer_count, const LayerProfile& layer, const OptionProfile& option) {
    const ckpt_layer_profile given_layer = detail::to_c(layer);
    const ckpt_option_profile given_option = detail::to_c(option);
    ckpt_profile* result = nullptr;
    check(ckpt_profile_create_uniform(layer_count, &given_layer, &given_option, &result));
    return Self::adopt(result);
  }
  // Creates a profile from the JSON of Profile::json. Status::corrupt for invalid JSON: the message names the error and its
  // position.
  static Self from_json(const std::string& json) {
    ckpt_profile* result = nullptr;
    check(ckpt_profile_create_from_json(json.c_str(), &result));
    return Self::adopt(result);
  }
  // Appends a layer; name: UTF-8, not blank, copied. Add at least one option to it next. Bytes >= 0.
  Self& add_layer(const std::string& name, const LayerProfile& layer) {
    const ckpt_layer_profile given_layer = detail::to_c(layer);
    check(ckpt_profile_add_layer(handle(), name.c_str(), &given_layer));
    return static_cast<Self&>(*this);
  }
  // Appends an option to the layer that was added last. Bytes and seconds >= 0 and finite. Status::invalid_state before the
  // first layer.
  Self& add_option(const OptionProfile& option) {
    const ckpt_option_profile given_option = detail::to_c(option);
    check(ckpt_profile_add_option(handle(), &given_option));
    return static_cast<Self&>(*this);
  }
  // Sets the properties of a tier (1 .. 3); the initial ones are those of a new TierProfile.
  Self& set_tier(std::int32_t tier, const TierProfile& tier_profile) {
    const ckpt_tier_profile given_tier_profile = detail::to_c(tier_profile);
    check(ckpt_profile_set_tier(handle(), tier, &given_tier_profile));
    return static_cast<Self&>(*this);
  }
  // Returns the properties of a tier (1 .. 3).
  TierProfile tier(std::int32_t tier) const {
    ckpt_tier_profile result = CKPT_TIER_PROFILE_INIT;
    check(ckpt_profile_get_tier(handle(), tier, &result));
    return detail::from_c(result);
  }
  // Sets the properties of the whole chain: a sum of ProfileFlag; initially 0. Also for a uniform chain.
  Self& set_flags(ProfileFlag flags) {
    check(ckpt_profile_set_flags(handle(), static_cast<ckpt_profile_flag>(flags)));
    return static_cast<Self&>(*this);
  }
  // Returns the flags of Profile::set_flags.
  ProfileFlag flags() const {
    ckpt_profile_flag result = 0;
    check(ckpt_profile_get_flags(handle(), &result));
    return static_cast<ProfileFlag>(result);
  }
  // Returns the number of layers.
  std::int64_t layer_count() const {
    std::int64_t result = 0;
    check(ckpt_profile_get_layer_count(handle(), &result));
    return result;
  }
  // Returns the size of the chain's input x_0 in bytes.
  std::int64_t input_bytes() const {
    std::int64_t result = 0;
    check(ckpt_profile_get_input_bytes(handle(), &result));
    return result;
  }
  // Returns the properties of an option (0 .. option_count-1) of a layer.
  OptionProfile option(std::int64_t layer, std::int32_t option = 0) const {
    ckpt_option_profile result = CKPT_OPTION_PROFILE_INIT;
    check(ckpt_profile_get_option(handle(), layer, option, &result));
    return detail::from_c(result);
  }
  // Returns the profile as JSON, as docs/reference/plan.md describes it. Seconds are restored to the same bits.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_profile_get_json(handle(), buffer, capacity, needed);
    });
  }
  // Computes the whole frontier of a planner in one run: returns the costs of its schedules, by increasing live bytes and
  // decreasing step seconds (if the profile has no seconds, decreasing recomputed forwards). planner: "chain", "tapes" or
  // "graph"; Status::not_found for another name. A budget selects the fastest point with reserved bytes within it (for tapes:
  // also points of chain). The smallest sufficient budget is the minimum of their reserved bytes. Every call computes the
  // frontier again; only the requested points are placed, one after another. Above 128 layers (of a graph: 40) the result has
  // some points of the frontier, all placed by each call, and a budget may find better schedules between them.
  std::vector<FrontierPoint> frontier(const std::string& planner) const {
    const auto ask = [&](ckpt_frontier_point* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_profile_get_frontier(handle(), planner.c_str(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_frontier_point>(CKPT_FRONTIER_POINT_INIT, ask, 8192);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
  }
  // Makes the chain a graph: sets the values that a layer (0 .. layer_count-1) reads. inputs: inputs_count (>= 1) different
  // values, each 0 .. layer, that its forward reads, in any order; needed: needed_count (>= 0) of them that its backward reads,
  // which sets or clears the layer's flag NEEDS_INPUT. Layers without a call read as in a chain. Status::out_of_range for
  // another layer; Status::invalid_argument for other values, and duplicates; Status::invalid_state for a uniform chain.
  // Planners check the whole graph. They fail with Status::invalid_argument if a value has no reader and is not an output, or if
  // a layer with the flag NO_INPUT_GRADIENT reads another value than 0. They also fail if a layer with the flag IN_PLACE reads a
  // value with another reader.
  Self& set_inputs(std::int64_t layer, const std::vector<std::int64_t>& inputs, const std::vector<std::int64_t>& needed) {
    check(ckpt_profile_set_inputs(handle(), layer, inputs.data(), static_cast<std::int64_t>(inputs.size()), needed.data(),
                                  static_cast<std::int64_t>(needed.size())));
    return static_cast<Self&>(*this);
  }
  // Makes the chain a graph: sets the values (1 .. layer_count, different, values_count >= 1 of them) that TURN passes to the
  // caller. The caller provides their gradients. Initially only the value of the last layer. Status::invalid_argument for other
  // values, Status::invalid_state for a uniform chain.
  Self& set_outputs(const std::vector<std::int64_t>& values) {
    check(ckpt_profile_set_outputs(handle(), values.data(), static_cast<std::int64_t>(values.size())));
    return static_cast<Self&>(*this);
  }
};

template <class Self>
class ScheduleMethods : public detail::Object<Self, ckpt_schedule, ckpt_schedule_release> {
  using Base = detail::Object<Self, ckpt_schedule, ckpt_schedule_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: begins_count of them, strictly
  // ascending, the first is 0.
  static Self segments(const Profile& profile, const std::vector<std::int64_t>& begins);
  // Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and stores its answers.
  // During this, its callbacks cannot add to the profile (Status::invalid_state). A chosen layer begins a segment (boundary) or
  // is recomputed separately while all others record (recompute), as the strategy specifies. The schedule is independent of the
  // strategy afterwards: Follower::next asks again. Status::callback if a custom strategy fails.
  static Self from_strategy(const Profile& profile, const Strategy& strategy);
  // Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
  // step (period >= 1), or records every step (period 0). All layers have the given LayerFlag flags. Its cursors continue the
  // forward part until Cursor::finalize.
  static Self open_ended(std::int64_t period, LayerFlag flags = LayerFlag::needs_input | LayerFlag::deterministic) {
    ckpt_schedule* result = nullptr;
    check(ckpt_schedule_create_open_ended(period, static_cast<ckpt_layer_flag>(flags), &result));
    return Self::adopt(result);
  }
  // Creates a schedule from actions of the caller (actions_count >= 1; only the last is END) for a chain of layer_count layers.
  // Copied. Only the kinds are checked here: Schedule::verify checks all rules.
  static Self list(std::int64_t layer_count, const std::vector<ScheduleAction>& actions) {
    const auto given_actions = detail::values_of(actions, [](const auto& each) { return detail::to_c(each); });
    ckpt_schedule* result = nullptr;
    check(ckpt_schedule_create_list(layer_count, given_actions.data(), static_cast<std::int64_t>(given_actions.size()), &result));
    return Self::adopt(result);
  }
  // Returns a hash of the schedule's name and actions: equal schedules have the same number, different ones almost certainly
  // not. The same on machines of the same byte order.
  std::uint64_t fingerprint() const {
    std::uint64_t result = 0;
    check(ckpt_schedule_get_fingerprint(handle(), &result));
    return result;
  }
  // Returns the number of layers of the chain that the schedule is for; 0 when open-ended.
  std::int64_t layer_count() const {
    std::int64_t result = 0;
    check(ckpt_schedule_get_layer_count(handle(), &result));
    return result;
  }
  // Replays the schedule against the profile without running anything, and returns the report. Bytes of tier 0. x_0 exists at
  // the start. A layer that runs forward first allocates its output (an INPUT or not), then its tape, then its ambient state,
  // then its workspace, and runs; afterwards the workspace and the items that it ends are freed. So inside FORWARD [first, last)
  // layer k > first still holds x_k, which is not an item, and ends it; FORWARD_TAPE ends no item. A layer that runs backward
  // first allocates GRAD(i), then its workspace; afterwards the workspace, the tape and GRAD(i+1) are freed. Ambient state is
  // allocated at a layer's first forward and freed after its backward; a second one exists while the layer runs forward again. A
  // buffer that is overwritten in place (ADVANCE, LayerFlag::in_place) counts the larger of both for the layer, with its
  // workspace, and then the new one; a backward without a gradient of its input overwrites no buffer. An item may be dropped, or
  // ended by BACKWARD, while a STORE_BEGIN copies it. It then counts until the AWAIT, and once more if it is created again
  // before that. A tier above 0 counts an item from its STORE_BEGIN to the DROP. Items. An item exists from the action that
  // creates it (for a copy into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to the action that ends it; an item that is
  // overwritten in place ends when the other one begins. Time. Layers run one after another, for forward_seconds, record_seconds
  // (RECORD, with has_record) or backward_seconds. Each tier has one queue of writes and one of reads: a copy begins when its
  // STORE_BEGIN or LOAD_BEGIN is reached and earlier copies in its queue have ended, and takes latency_seconds + bytes / rate;
  // an AWAIT waits for its end. Status::invalid_schedule, with a message that names the action's index, for an action (fields
  // that its kind does not use are ignored, except micro_batch, which is checked in every kind; a DROP of a tier above 0 uses
  // only tier and slot) that - names layers beyond the chain or none, an option that a layer does not have, or an invalid item,
  // tier or slot (< 0); has a micro_batch other than 0 (except in a pipeline's stage); runs more than one layer by RECORD; -
  // needs or drops an item that does not exist or is still being loaded; creates one (LOAD_BEGIN does, too) that exists; - ends
  // in place (ADVANCE, or BACKWARD of an in-place layer) an item that is being copied; - runs a layer forward again that is not
  // deterministic; runs one backward a second time; runs one with ambient state forward after its backward; has a second TURN;
  // sends or receives (except in a pipeline's stage); - begins a transfer with an id that is in use, or awaits one that is not;
  // stores into an occupied slot, or loads from or drops an empty one; loads another item from a slot than it holds, or before
  // its store was awaited; drops a slot during a transfer; exceeds the capacity of a tier; - ends the step before layer 0 ran
  // backward, with a transfer in progress, an occupied slot, or any item other than GRAD(0). Status::out_of_range if live bytes,
  // or those copied into a tier or back from it, exceed 2^63 - 1, or the seconds of the step the range of a double. Streaming:
  // memory use depends on the number of live items, not on the schedule's length. Open-ended schedules are replayed with the
  // profile's length.
  PlanReport verify(const Profile& profile) const;
  // Returns the bytes to reserve in a tier (0 .. 3). Tier 0, memory: assigns every buffer of the schedule an offset in one
  // arena, a multiple of 64, and returns the arena's size. It is at least the peak live bytes; gaps between live buffers count.
  // Streaming like the verifier: above some thousands of buffers they are placed in the order of time only, which may need more
  // space than a placement by whole lifetimes. Higher tiers: each slot has the size of the longest item that it ever holds,
  // rounded up to a multiple of 64. Status::invalid_schedule as Schedule::verify, Status::out_of_range if the arena or the sum
  // would exceed 2^63 - 1.
  std::int64_t reserved_bytes(const Profile& profile, std::int32_t tier = 0) const;
  // Returns another reference to the same object.
  Self share() const noexcept {
    ckpt_schedule_retain(handle());
    return Self::adopt(handle());
  }
};

template <class Self>
class FollowerMethods : public detail::Object<Self, ckpt_follower, ckpt_follower_release> {
  using Base = detail::Object<Self, ckpt_follower, ckpt_follower_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a follower of a strategy, which it keeps alive; the profile is copied. After its first schedule, only its steps
  // adjust a memory-aware strategy, until it is released. Status::invalid_state for a profile without layers, or with a layer
  // without an option.
  FollowerMethods(const Profile& profile, const Strategy& strategy);
};

template <class Self>
class CursorMethods : public detail::Object<Self, ckpt_cursor, ckpt_cursor_release> {
  using Base = detail::Object<Self, ckpt_cursor, ckpt_cursor_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Creates a cursor at the schedule's first action. Keeps the schedule alive.
  explicit CursorMethods(const Schedule& schedule);
  // Returns the next action. After END it is END again.
  ScheduleAction next() {
    ckpt_schedule_action result = ckpt_schedule_action{};
    check(ckpt_cursor_next(handle(), &result));
    return detail::from_c(result);
  }
  // Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
  // returned). Status::invalid_state when the number is known already.
  void finalize(std::int64_t layer_count) {
    check(ckpt_cursor_finalize(handle(), layer_count));
  }
  // Returns the cursor's position as bytes, for Cursor::restore in this or another process.
  std::vector<std::byte> save() const {
    return detail::buffer_of([&](void* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_cursor_save(handle(), buffer, capacity, needed);
    });
  }
};

// Returns the name of a kind of action: "FORWARD", "DROP", ...; "UNKNOWN" for a number that is not a kind. Static string.
inline std::string_view action_kind_name(ActionKind kind) noexcept {
  return ckpt_action_kind_name(static_cast<ckpt_action_kind>(kind));
}

// Returns the planners, one per line: syntax, description, and the range of each value, as in "periodic:SEGMENTS - ...;
// SEGMENTS: 1 .. layers". Synchronized.
inline std::string known_planners() {
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_schedule_get_known_planners(buffer, capacity, needed);
  });
}

}  // namespace ckpt

#endif
