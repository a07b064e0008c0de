// Generated from include/ckpt by tools/api: do not edit.
// plan.hpp - the methods of plan.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PLAN_HPP
#define CKPT_METHODS_PLAN_HPP

#include <ckpt/plan.h>
#include <ckpt/base.hpp>
#include <ckpt/values/plan.hpp>

#include <cstdint>
#include <string>

namespace ckpt {

template <class Self>
class CursorMethods {
 public:
  // Sets the number of steps of an open-ended schedule to n (n >= the steps that were already returned, n >= 1). Once.
  // Status::invalid_state when the number is known already.
  void finalize(std::int64_t layer_count) {
    check(ckpt_cursor_finalize(handle(), layer_count));
  }

 private:
  ckpt_cursor* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class ProfileMethods {
 public:
  // Returns what is known of a tier (1 .. 3).
  TierProfile tier(std::int32_t tier) const {
    ckpt_tier_profile result = CKPT_TIER_PROFILE_INIT;
    check(ckpt_profile_get_tier(handle(), tier, &result));
    return detail::from_c(result);
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
  OptionProfile option(std::int64_t layer, std::int32_t option) const {
    ckpt_option_profile result = CKPT_OPTION_PROFILE_INIT;
    check(ckpt_profile_get_option(handle(), layer, option, &result));
    return detail::from_c(result);
  }
  // Returns the profile as JSON, as docs/plan.md describes it: seconds read back to the same bits.
  std::string json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_profile_get_json(handle(), buffer, capacity, needed);
    });
  }

 private:
  ckpt_profile* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class ScheduleMethods {
 public:
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

 private:
  ckpt_schedule* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
