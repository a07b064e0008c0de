// Generated from include/ckpt by tools/api: do not edit.
// drive_callbacks.hpp - callbacks of drive.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_DRIVE_CALLBACKS_HPP
#define CKPT_METHODS_DRIVE_CALLBACKS_HPP

#include <ckpt/drive.h>
#include <ckpt/base.hpp>
#include <ckpt/values/drive.hpp>

#include <cstdint>

namespace ckpt::detail {

// A ckpt_drive_forward_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_forward(const ckpt_drive_call* call, void* input, void** output, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *output = (object.*member)(from_c(*call), input).release(); });
}

// A ckpt_drive_backward_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_backward(const ckpt_drive_call* call, void* input, void* output, void* tape, void* grad_output,
                                 void** grad_input, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) {
    *grad_input = (object.*member)(from_c(*call), input, output, tape, grad_output).release();
  });
}

// A ckpt_drive_turn_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_turn(const ckpt_drive_call* call, void* output, void** grad_output, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *grad_output = (object.*member)(from_c(*call), output).release(); });
}

// A ckpt_drive_store_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_store(const ckpt_drive_call* call, void* item, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(from_c(*call), item); });
}

// A ckpt_drive_load_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_load(const ckpt_drive_call* call, void** item, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *item = (object.*member)(from_c(*call)).release(); });
}

// A ckpt_drive_await_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_drive_await(const ckpt_drive_call* call, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(from_c(*call)); });
}

}  // namespace ckpt::detail

#endif
