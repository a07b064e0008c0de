// Generated from include/ckpt by tools/api: do not edit.
// engine_callbacks.hpp - callbacks of engine.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_ENGINE_CALLBACKS_HPP
#define CKPT_METHODS_ENGINE_CALLBACKS_HPP

#include <ckpt/engine.h>
#include <ckpt/base.hpp>
#include <ckpt/values/engine.hpp>

#include <cstdint>

namespace ckpt::detail {

// A ckpt_layer_output_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_output(const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *output = to_c((object.*member)(from_c(*input))); });
}

// A ckpt_layer_option_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_option(const ckpt_tensor_spec* input, std::int32_t option, ckpt_layer_option* out,
                               void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *out = to_c((object.*member)(from_c(*input), option)); });
}

// A ckpt_layer_forward_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_forward(const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace,
                                void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(from_c(*context), input, output, tape, workspace); });
}

// A ckpt_layer_backward_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_backward(const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                                 const void* grad_output, void* grad_input, void* workspace, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) {
    (object.*member)(from_c(*context), input, output, tape, grad_output, grad_input, workspace);
  });
}

// A ckpt_layer_save_ambient_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_save_ambient(void* state, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(state); });
}

// A ckpt_layer_restore_ambient_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_layer_restore_ambient(const void* state, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(state); });
}

}  // namespace ckpt::detail

#endif
