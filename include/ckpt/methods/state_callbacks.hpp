// Generated from include/ckpt by tools/api: do not edit.
// state_callbacks.hpp - callbacks of state.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_STATE_CALLBACKS_HPP
#define CKPT_METHODS_STATE_CALLBACKS_HPP

#include <ckpt/state.h>
#include <ckpt/base.hpp>
#include <ckpt/values/state.hpp>

#include <chrono>
#include <cstdint>

namespace ckpt::detail {

// A ckpt_coordinator_barrier_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_coordinator_barrier(std::int64_t timeout_ns, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(std::chrono::nanoseconds(timeout_ns)); });
}

// A ckpt_coordinator_broadcast_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_coordinator_broadcast(void* data, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns,
                                        void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) {
    (object.*member)(span_of(data, bytes), root, std::chrono::nanoseconds(timeout_ns));
  });
}

// A ckpt_coordinator_all_gather_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_coordinator_all_gather(const void* sent, std::int64_t bytes, std::int64_t timeout_ns, void* received,
                                         void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) {
    (object.*member)(span_of(sent, bytes), std::chrono::nanoseconds(timeout_ns), received);
  });
}

// A ckpt_coordinator_gather_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_coordinator_gather(const void* sent, std::int64_t bytes, std::int64_t root, std::int64_t timeout_ns,
                                     void* received, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) {
    (object.*member)(span_of(sent, bytes), root, std::chrono::nanoseconds(timeout_ns), received);
  });
}

// A ckpt_keep_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_keep(const ckpt_checkpoint_info* info, ckpt_bool* keep, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *keep = (object.*member)(from_c(*info)) ? 1 : 0; });
}

}  // namespace ckpt::detail

#endif
