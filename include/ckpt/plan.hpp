// plan.hpp - the C++17 face of plan.h: profiles, schedules, cursors, the verifier.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
#ifndef CKPT_PLAN_HPP
#define CKPT_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/base.hpp>
#include <ckpt/methods/plan.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/values/plan.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ckpt {

// What planning must know of a chain.
class Profile : public ProfileMethods<Profile> {
 public:
  explicit Profile(std::int64_t input_bytes) { check(ckpt_profile_create(input_bytes, handle_.out())); }
  // A chain of like layers, the steps of a time-stepping code: as little memory for 10^9 as for one.
  static Profile uniform(std::int64_t layer_count, const LayerProfile& layer, const OptionProfile& option) {
    const ckpt_layer_profile like = detail::to_c(layer);
    const ckpt_option_profile way = detail::to_c(option);
    ckpt_profile* profile = nullptr;
    check(ckpt_profile_create_uniform(layer_count, &like, &way, &profile));
    return adopt(profile);
  }
  // What json() wrote.
  static Profile from_json(const std::string& json) {
    ckpt_profile* profile = nullptr;
    check(ckpt_profile_create_from_json(json.c_str(), &profile));
    return adopt(profile);
  }
  // Takes over a reference that a C function returned.
  static Profile adopt(ckpt_profile* profile) noexcept { return Profile(profile); }

  Profile& add_layer(const std::string& name, const LayerProfile& layer) {
    const ckpt_layer_profile given = detail::to_c(layer);
    check(ckpt_profile_add_layer(handle(), name.c_str(), &given));
    return *this;
  }
  Profile& add_option(const OptionProfile& option) {
    const ckpt_option_profile given = detail::to_c(option);
    check(ckpt_profile_add_option(handle(), &given));
    return *this;
  }
  // tier: 1 .. CKPT_TIERS-1.
  Profile& set_tier(std::int32_t tier, const TierProfile& tier_profile) {
    const ckpt_tier_profile given = detail::to_c(tier_profile);
    check(ckpt_profile_set_tier(handle(), tier, &given));
    return *this;
  }
  Profile& set_flags(ProfileFlag flags) {
    check(ckpt_profile_set_flags(handle(), static_cast<ckpt_profile_flag>(flags)));
    return *this;
  }
  std::string layer_name(std::int64_t layer) const {
    ckpt_layer_profile unused = CKPT_LAYER_PROFILE_INIT;
    const char* name = nullptr;
    check(ckpt_profile_get_layer(handle(), layer, &unused, &name, nullptr));
    return name;
  }
  LayerProfile layer(std::int64_t layer) const {
    ckpt_layer_profile out = CKPT_LAYER_PROFILE_INIT;
    check(ckpt_profile_get_layer(handle(), layer, &out, nullptr, nullptr));
    return detail::from_c(out);
  }
  std::int32_t option_count(std::int64_t layer) const {
    ckpt_layer_profile unused = CKPT_LAYER_PROFILE_INIT;
    std::int32_t options = 0;
    check(ckpt_profile_get_layer(handle(), layer, &unused, nullptr, &options));
    return options;
  }
  // What every schedule of the planner "chain" or "tapes" costs, by rising live bytes and falling seconds. Each call computes anew.
  std::vector<FrontierPoint> frontier(const std::string& planner) const {
    constexpr std::int64_t expected = 8192;  // so that it is not computed twice
    return detail::values_of(detail::list_of<ckpt_frontier_point>(
                                 CKPT_FRONTIER_POINT_INIT,
                                 [&](ckpt_frontier_point* list, std::int64_t capacity, std::int64_t* count) {
                                   return ckpt_profile_get_frontier(handle(), planner.c_str(), list, capacity, count);
                                 },
                                 expected),
                             [](const auto& each) { return detail::from_c(each); });
  }
  ckpt_profile* handle() const noexcept { return handle_.get(); }

 private:
  explicit Profile(ckpt_profile* profile) noexcept : handle_(profile) {}
  detail::Handle<ckpt_profile, ckpt_profile_release> handle_;
};

// An immutable recipe for one step.
class Schedule : public ScheduleMethods<Schedule> {
 public:
  // By a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB". known_planners() lists them.
  static Schedule create(const Profile& profile, const std::string& planner) {
    return make([&](ckpt_schedule** out) { return ckpt_schedule_create(profile.handle(), planner.c_str(), out); });
  }
  static Schedule segments(const Profile& profile, const std::vector<std::int64_t>& begins) {
    return make([&](ckpt_schedule** out) {
      return ckpt_schedule_create_segments(profile.handle(), begins.data(), static_cast<std::int64_t>(begins.size()), out);
    });
  }
  static Schedule from_strategy(const Profile& profile, const Strategy& strategy) {
    return make([&](ckpt_schedule** out) { return ckpt_schedule_create_from_strategy(profile.handle(), strategy.handle(), out); });
  }
  // For a number of steps that is not known yet: see Cursor::finalize.
  static Schedule open_ended(std::int64_t period, LayerFlag flags) {
    return make(
        [&](ckpt_schedule** out) { return ckpt_schedule_create_open_ended(period, static_cast<ckpt_layer_flag>(flags), out); });
  }
  static Schedule list(std::int64_t layer_count, const std::vector<ScheduleAction>& given) {
    std::vector<ckpt_schedule_action> actions;
    actions.reserve(given.size());
    for (const ScheduleAction& action : given) actions.push_back(detail::to_c(action));
    return make([&](ckpt_schedule** out) {
      return ckpt_schedule_create_list(layer_count, actions.data(), static_cast<std::int64_t>(actions.size()), out);
    });
  }

  std::string name() const {
    const char* name = nullptr;
    check(ckpt_schedule_get_name(handle(), &name));
    return name;
  }
  // What was not looked at when auto:BYTES chose this schedule; "" when nothing was.
  std::string left_out() const {
    const char* left_out = nullptr;
    check(ckpt_schedule_get_left_out(handle(), &left_out));
    return left_out;
  }
  PlanReport verify(const Profile& profile) const {
    ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
    check(ckpt_schedule_verify(handle(), profile.handle(), &report));
    return detail::from_c(report);
  }
  std::int64_t reserved_bytes(const Profile& profile) const {
    std::int64_t bytes = 0;
    check(ckpt_schedule_place(handle(), profile.handle(), &bytes));
    return bytes;
  }
  // Of a tier above memory: 1 .. CKPT_TIERS-1.
  std::int64_t reserved_bytes(const Profile& profile, std::int32_t tier) const {
    std::int64_t bytes = 0;
    check(ckpt_schedule_place_tier(handle(), profile.handle(), tier, &bytes));
    return bytes;
  }
  // Another reference to the same schedule.
  Schedule share() const noexcept {
    ckpt_schedule_retain(handle());
    return adopt(handle());
  }
  static Schedule adopt(ckpt_schedule* schedule) noexcept {
    Schedule adopted;
    adopted.handle_ = detail::Handle<ckpt_schedule, ckpt_schedule_release>(schedule);
    return adopted;
  }
  ckpt_schedule* handle() const noexcept { return handle_.get(); }

 private:
  Schedule() = default;
  template <class Create>
  static Schedule make(Create&& create) {
    Schedule schedule;
    check(create(schedule.handle_.out()));
    return schedule;
  }
  detail::Handle<ckpt_schedule, ckpt_schedule_release> handle_;
};

// One planner a line: its form, what it makes, the ranges of its values.
inline std::string known_planners() { return detail::text_of(ckpt_schedule_get_known_planners); }

// "FORWARD", "DROP", ...
inline std::string_view action_kind_name(ActionKind kind) noexcept {
  return ckpt_action_kind_name(static_cast<ckpt_action_kind>(kind));
}

// Asks a strategy again between steps. An executor whose options have this follower lets the strategy learn what runs.
class Follower {
 public:
  Follower(const Profile& profile, const Strategy& strategy) {
    check(ckpt_follower_create(profile.handle(), strategy.handle(), handle_.out()));
  }
  // The schedule of the next step. changed, when given, says whether it is another than the last one.
  Schedule next(bool* changed = nullptr) {
    ckpt_schedule* schedule = nullptr;
    ckpt_bool is_another = 0;
    check(ckpt_follower_next(handle(), &schedule, &is_another));
    if (changed != nullptr) *changed = is_another != 0;
    return Schedule::adopt(schedule);
  }
  ckpt_follower* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_follower, ckpt_follower_release> handle_;
};

// A place in a schedule.
class Cursor : public CursorMethods<Cursor> {
 public:
  explicit Cursor(const Schedule& schedule) { check(ckpt_cursor_create(schedule.handle(), handle_.out())); }

  ScheduleAction next() {
    ckpt_schedule_action action;
    check(ckpt_cursor_next(handle(), &action));
    return detail::from_c(action);
  }
  // At most `most` actions; fewer only where END was reached, none behind it.
  std::vector<ScheduleAction> next_many(std::int64_t most) {
    std::vector<ckpt_schedule_action> actions(static_cast<std::size_t>(most < 0 ? 0 : most));
    std::int64_t count = 0;
    check(ckpt_cursor_next_many(handle(), actions.data(), most, &count));
    actions.resize(static_cast<std::size_t>(count));
    return detail::values_of(actions, [](const auto& each) { return detail::from_c(each); });
  }
  std::vector<std::byte> save() const {
    std::int64_t needed = 0;
    check(ckpt_cursor_save(handle(), nullptr, 0, &needed));
    std::vector<std::byte> bytes(static_cast<std::size_t>(needed));
    check(ckpt_cursor_save(handle(), bytes.data(), needed, nullptr));
    return bytes;
  }
  void restore(const std::vector<std::byte>& bytes) {
    check(ckpt_cursor_restore(handle(), bytes.data(), static_cast<std::int64_t>(bytes.size())));
  }
  ckpt_cursor* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_cursor, ckpt_cursor_release> handle_;
};

}  // namespace ckpt

#endif  // CKPT_PLAN_HPP
