// Generated from include/ckpt by tools/api: do not edit.
// plan_definitions.hpp - methods that name other classes of the header.
// clang-format off
#ifndef CKPT_METHODS_PLAN_DEFINITIONS_HPP
#define CKPT_METHODS_PLAN_DEFINITIONS_HPP

#include <ckpt/plan.hpp>

namespace ckpt {

template <class Self>
Self ScheduleMethods<Self>::segments(const Profile& profile, const std::vector<std::int64_t>& begins) {
  ckpt_schedule* result = nullptr;
  check(ckpt_schedule_create_segments(profile.handle(), begins.data(), static_cast<std::int64_t>(begins.size()), &result));
  return Self::adopt(result);
}

template <class Self>
Self ScheduleMethods<Self>::from_strategy(const Profile& profile, const Strategy& strategy) {
  ckpt_schedule* result = nullptr;
  check(ckpt_schedule_create_from_strategy(profile.handle(), strategy.handle(), &result));
  return Self::adopt(result);
}

template <class Self>
PlanReport ScheduleMethods<Self>::verify(const Profile& profile) const {
  ckpt_plan_report result = CKPT_PLAN_REPORT_INIT;
  check(ckpt_schedule_verify(handle(), profile.handle(), &result));
  return detail::from_c(result);
}

template <class Self>
std::int64_t ScheduleMethods<Self>::reserved_bytes(const Profile& profile, std::int32_t tier) const {
  std::int64_t result = 0;
  check(ckpt_schedule_place(handle(), profile.handle(), tier, &result));
  return result;
}

template <class Self>
FollowerMethods<Self>::FollowerMethods(const Profile& profile, const Strategy& strategy) : Base(detail::Empty()) {
  check(ckpt_follower_create(profile.handle(), strategy.handle(), this->out()));
}

template <class Self>
CursorMethods<Self>::CursorMethods(const Schedule& schedule) : Base(detail::Empty()) {
  check(ckpt_cursor_create(schedule.handle(), this->out()));
}

}  // namespace ckpt

#endif
