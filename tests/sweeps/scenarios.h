// Shared helpers of the scenarios.
#pragma once

#include <tuple>

#include "reentry.h"

namespace sweeps {

// A callback of any type: sweeps at the place that is its user_data, then does nothing and succeeds.
template <class Result, class... Arguments>
Result sweeping(Arguments... arguments) {
  const auto all = std::tie(arguments...);
  const Place* place = static_cast<const Place*>(std::get<sizeof...(Arguments) - 1>(all));
  if (place != nullptr) here(*place);
  return Result();
}

// Releases the remaining handles of a scenario; calls may already have released some.
inline void release_rest(Objects& objects) { release_objects(objects); }

ckpt_state* make_small_state();
ckpt_tensor* make_small_tensor();
// A chain of one built-in and one custom layer; the callbacks of the latter sweep at the given places (NULL: not at all).
struct LayerPlaces {
  Place* output = nullptr;
  Place* option = nullptr;
  Place* forward = nullptr;
  Place* backward = nullptr;
  Place* save_ambient = nullptr;
  Place* restore_ambient = nullptr;
};
ckpt_chain* make_custom_chain(LayerPlaces* places);
inline constexpr ckpt_tensor_spec small_input = {CKPT_DTYPE_F32, 2, {4, 2}};

}  // namespace sweeps
