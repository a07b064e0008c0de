// plan.hpp - the C++17 interface of plan.h: profiles, schedules, cursors, the verifier.
#ifndef CKPT_PLAN_HPP
#define CKPT_PLAN_HPP

#include <ckpt/methods/plan.hpp>
#include <ckpt/strategy.hpp>

namespace ckpt {

// A profile of a chain for planning.
class Profile : public ProfileMethods<Profile> {
 public:
  using ProfileMethods::ProfileMethods;
  std::string layer_name(std::int64_t layer) const {
    const char* name = nullptr;
    read_layer(layer, &name, nullptr);
    return name;
  }
  LayerProfile layer(std::int64_t layer) const { return detail::from_c(read_layer(layer, nullptr, nullptr)); }
  std::int32_t option_count(std::int64_t layer) const {
    std::int32_t options = 0;
    read_layer(layer, nullptr, &options);
    return options;
  }

 private:
  ckpt_layer_profile read_layer(std::int64_t layer, const char** name, std::int32_t* options) const {
    ckpt_layer_profile profile = CKPT_LAYER_PROFILE_INIT;
    check(ckpt_profile_get_layer(handle(), layer, &profile, name, options));
    return profile;
  }
};

// An immutable list of actions for one step.
class Schedule : public ScheduleMethods<Schedule> {
 public:
  using ScheduleMethods::ScheduleMethods;
  // Creates a schedule by a planner: "store-all", "recompute-all", "periodic:4", "auto:64MiB". known_planners() lists them.
  static Schedule create(const Profile& profile, const std::string& planner) {
    return Schedule(created(ckpt_schedule_create, profile.handle(), planner.c_str()));
  }

  std::string name() const { return detail::result_of<const char*>(ckpt_schedule_get_name, handle()); }
  // Returns the alternatives that auto:BYTES did not consider for this schedule; "" if there are none.
  std::string left_out() const { return detail::result_of<const char*>(ckpt_schedule_get_left_out, handle()); }
};

// Asks a strategy again between steps. Executors with this follower in their options report executed layers to the strategy.
class Follower : public FollowerMethods<Follower> {
 public:
  using FollowerMethods::FollowerMethods;
  // Returns the schedule of the next step. changed, if not nullptr, receives whether it differs from the last one.
  Schedule next(bool* changed = nullptr) {
    ckpt_schedule* schedule = nullptr;
    ckpt_bool is_another = 0;
    check(ckpt_follower_next(handle(), &schedule, &is_another));
    if (changed != nullptr) *changed = is_another != 0;
    return Schedule::adopt(schedule);
  }
};

// A position in a schedule.
class Cursor : public CursorMethods<Cursor> {
 public:
  using CursorMethods::CursorMethods;

  // Returns at most `most` actions; fewer only if END was reached, none after it.
  std::vector<ScheduleAction> next_many(std::int64_t most) {
    std::vector<ckpt_schedule_action> actions(static_cast<std::size_t>(most < 0 ? 0 : most));
    std::int64_t count = 0;
    check(ckpt_cursor_next_many(handle(), actions.data(), most, &count));
    actions.resize(static_cast<std::size_t>(count));
    return detail::values_of(actions, [](const auto& each) { return detail::from_c(each); });
  }
  void restore(const std::vector<std::byte>& bytes) {
    check(ckpt_cursor_restore(handle(), bytes.data(), static_cast<std::int64_t>(bytes.size())));
  }
};

}  // namespace ckpt

#include <ckpt/methods/plan_definitions.hpp>

#endif  // CKPT_PLAN_HPP
