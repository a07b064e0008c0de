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
  // Creates an empty profile of a chain whose input x_0 has input_bytes (>= 0).
  explicit ProfileMethods(std::int64_t input_bytes) : Base(detail::Empty()) {
    check(ckpt_profile_create(input_bytes, this->out()));
  }
  // Creates the profile of a chain of layer_count (>= 1) like layers with one option: the steps of a time-stepping code. x_0 has
  // the layer's output_bytes too, and every layer is called "step". Takes the same little memory for any layer_count; what was
  // created so takes no further layers and options (Status::invalid_state).
  static Self uniform(std::int64_t layer_count, const LayerProfile& layer, const OptionProfile& option) {
    const ckpt_layer_profile given_layer = detail::to_c(layer);
    const ckpt_option_profile given_option = detail::to_c(option);
    ckpt_profile* result = nullptr;
    check(ckpt_profile_create_uniform(layer_count, &given_layer, &given_option, &result));
    return Self::adopt(result);
  }
  // Creates the profile that Profile::json wrote. Status::corrupt for a text that is none: the message says what is wrong, and
  // where.
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
  // Says what a tier (1 .. 3) can do; until then it is as a new TierProfile says.
  Self& set_tier(std::int32_t tier, const TierProfile& tier_profile) {
    const ckpt_tier_profile given_tier_profile = detail::to_c(tier_profile);
    check(ckpt_profile_set_tier(handle(), tier, &given_tier_profile));
    return static_cast<Self&>(*this);
  }
  // Returns what is known of a tier (1 .. 3).
  TierProfile tier(std::int32_t tier) const {
    ckpt_tier_profile result = CKPT_TIER_PROFILE_INIT;
    check(ckpt_profile_get_tier(handle(), tier, &result));
    return detail::from_c(result);
  }
  // Sets what holds for the whole chain: a sum of ProfileFlag; 0 until then. Also for a uniform chain.
  Self& set_flags(ProfileFlag flags) {
    check(ckpt_profile_set_flags(handle(), static_cast<ckpt_profile_flag>(flags)));
    return static_cast<Self&>(*this);
  }
  // Returns what Profile::set_flags set.
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
  // Returns the bytes of the chain's input x_0.
  std::int64_t input_bytes() const {
    std::int64_t result = 0;
    check(ckpt_profile_get_input_bytes(handle(), &result));
    return result;
  }
  // Returns what was added as option (0 .. option_count-1) of layer.
  OptionProfile option(std::int64_t layer, std::int32_t option = 0) const {
    ckpt_option_profile result = CKPT_OPTION_PROFILE_INIT;
    check(ckpt_profile_get_option(handle(), layer, option, &result));
    return detail::from_c(result);
  }
  // Returns the profile as JSON, as docs/reference/plan.md describes it: seconds read back to the same bits.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_profile_get_json(handle(), buffer, capacity, needed);
    });
  }
  // Makes the whole frontier of a planner in one run: returns what its schedules cost, by rising live bytes and falling step
  // seconds (where the profile has no seconds at all, falling recomputed forwards). planner: "chain" or "tapes";
  // Status::not_found for another name. A budget takes the fastest point whose reserved bytes fit, a budget of tapes also one of
  // chain's, and the smallest budget that works is the least of them. Every call computes anew; the points are placed, one after
  // another, as far as they are asked for. Beyond 128 layers there are some points of the frontier, all placed by each call, and
  // a budget may find better ones between them.
  std::vector<FrontierPoint> frontier(const std::string& planner) const {
    const auto ask = [&](ckpt_frontier_point* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_profile_get_frontier(handle(), planner.c_str(), list, capacity, count);
    };
    const auto listed = detail::list_of<ckpt_frontier_point>(CKPT_FRONTIER_POINT_INIT, ask, 8192);
    return detail::values_of(listed, [](const auto& each) { return detail::from_c(each); });
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
  // Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes its answers.
  // Meanwhile its callbacks can add nothing to the profile (Status::invalid_state). A chosen layer begins a segment (boundary)
  // or is recomputed alone while all others record (recompute), as the strategy says. The schedule knows nothing of the strategy
  // afterwards: Follower::next asks again. Status::callback when a custom one fails.
  static Self from_strategy(const Profile& profile, const Strategy& strategy);
  // Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th
  // step (period >= 1), or records every step (period 0). All layers have the given LayerFlag flags. Its cursors go on forward
  // until Cursor::finalize.
  static Self open_ended(std::int64_t period, LayerFlag flags = LayerFlag::needs_input | LayerFlag::deterministic) {
    ckpt_schedule* result = nullptr;
    check(ckpt_schedule_create_open_ended(period, static_cast<ckpt_layer_flag>(flags), &result));
    return Self::adopt(result);
  }
  // Creates a schedule from the caller's own actions (actions_count >= 1, the last is END and no other) for a chain of
  // layer_count layers. Copied. Only the kinds are checked here: ask Schedule::verify.
  static Self list(std::int64_t layer_count, const std::vector<ScheduleAction>& actions) {
    const auto given_actions = detail::values_of(actions, [](const auto& each) { return detail::to_c(each); });
    ckpt_schedule* result = nullptr;
    check(ckpt_schedule_create_list(layer_count, given_actions.data(), static_cast<std::int64_t>(given_actions.size()), &result));
    return Self::adopt(result);
  }
  // Returns a number that equal recipes of the same name share and different ones practically never. The same on machines of the
  // same byte order.
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
  // Replays the schedule against the profile without running anything, and fills report. Bytes of tier 0. x_0 is there at the
  // start. A layer that runs forward first makes its output (INPUT or not), then its tape, then what it needs of ambient state,
  // then its workspace, and runs; then the workspace goes, and what it ends. So inside FORWARD [first, last) layer k > first
  // still has x_k, which is no item, and ends it; FORWARD_TAPE ends nothing. A layer that runs backward first makes GRAD(i),
  // then its workspace; then the workspace, the tape and GRAD(i+1) go. Ambient state is made at a layer's first forward and goes
  // behind its backward; a second one is there while the layer runs forward again. A buffer that is overwritten in place
  // (ADVANCE, LayerFlag::in_place) counts the larger of both for the layer, with its workspace, and then the new one; a backward
  // that makes no gradient of its input overwrites nothing. An item that is dropped, or that BACKWARD ends, while a STORE_BEGIN
  // copies it counts until the AWAIT, and once more where it is made again meanwhile. A tier above 0 counts an item from its
  // STORE_BEGIN to the DROP. Items. An item is there from what makes it (of a copy into a tier or back: its STORE_BEGIN or
  // LOAD_BEGIN) to what ends it; one that is overwritten in place is not there any more when the other one is. Time. Layers run
  // one after another, for forward_seconds, record_seconds (RECORD, with has_record) or backward_seconds. Each tier has one
  // queue of writes and one of reads: a copy begins when its STORE_BEGIN or LOAD_BEGIN is met and those before it in its queue
  // have ended, and takes latency_seconds + bytes / rate; an AWAIT waits for its end. Status::invalid_schedule, and the message
  // names the action's index, for an action (fields that its kind does not use are not looked at; micro_batch is, in every kind;
  // a DROP of a tier above 0 uses tier and slot alone) that - names layers beyond the chain or none, an option that a layer does
  // not have, an item, tier or slot (< 0) that cannot be; has another micro_batch than 0 (but for a stage); runs more than one
  // layer by RECORD; - needs or drops an item that is not there or is still being loaded; makes one (LOAD_BEGIN does, too) that
  // is there; - ends in place (ADVANCE, or BACKWARD of an in-place layer) an item that is being copied; - runs a layer forward
  // again that is not deterministic; runs one backward a second time; runs one with ambient state forward behind its backward;
  // turns a second time; sends or receives (but for a stage); - begins a transfer under an id that is under way, or awaits one
  // that is not; stores into a slot that is taken, or loads from or drops one that is empty; loads from a slot another item than
  // it holds, or before its store was awaited; drops one in transfer; holds more in a tier than its capacity; - ends the step
  // before layer 0 ran backward, with a transfer under way, a slot taken, or any other item than GRAD(0) left.
  // Status::out_of_range when live bytes, or those copied into a tier or back from it, pass 2^63 - 1. Streams: takes memory for
  // what is live, not for the schedule's length. Open-ended schedules are replayed with the profile's length.
  PlanReport verify(const Profile& profile) const;
  // Assigns every buffer of the schedule an offset in one arena; returns the arena's size: the reserved bytes that a machine
  // must have, at least the peak live bytes (offsets are multiples of 64; gaps between live buffers count). Streams like the
  // verifier: past some thousands of buffers they are placed in the order of time alone, which may need more room than looking
  // at whole lives. Status::invalid_schedule as Schedule::verify, Status::out_of_range when the arena would pass 2^63 - 1.
  std::int64_t reserved_bytes(const Profile& profile) const;
  // Returns what a tier (1 .. 3) must have: each of the tier's slots is as long as the longest item that it ever holds, rounded
  // up to 64. Status::invalid_schedule as Schedule::verify, Status::out_of_range when the sum would pass 2^63 - 1.
  std::int64_t reserved_bytes(const Profile& profile, std::int32_t tier) const;
  // Another reference to the same object.
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
  // Creates a follower of a strategy, which it keeps alive; the profile is copied. Once it has been asked for a schedule, only
  // its steps adjust a memory-aware strategy, until it is released. Status::invalid_state for a profile without layers, or with
  // a layer that has no option.
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
  // Sets the number of steps of an open-ended schedule to n (n >= the steps that were already returned, n >= 1). Once.
  // Status::invalid_state when the number is known already.
  void finalize(std::int64_t layer_count) {
    check(ckpt_cursor_finalize(handle(), layer_count));
  }
  // Returns the cursor's place as bytes, for Cursor::restore in this or another process.
  std::vector<std::byte> save() const {
    return detail::buffer_of([&](void* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_cursor_save(handle(), buffer, capacity, needed);
    });
  }
};

// Name of a kind of action: "FORWARD", "DROP", ...; "UNKNOWN" for a number that is no kind. Static string.
inline std::string_view action_kind_name(ActionKind kind) noexcept {
  return ckpt_action_kind_name(static_cast<ckpt_action_kind>(kind));
}

// Returns the planners, one a line: its form, what it makes, and the range of each value, as in "periodic:SEGMENTS - ...;
// SEGMENTS: 1 .. layers". Synchronised.
inline std::string known_planners() {
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_schedule_get_known_planners(buffer, capacity, needed);
  });
}

}  // namespace ckpt

#endif
