// Generated from include/ckpt by tools/api: do not edit.
// memory_callbacks.hpp - callbacks of memory.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_MEMORY_CALLBACKS_HPP
#define CKPT_METHODS_MEMORY_CALLBACKS_HPP

#include <ckpt/memory.h>
#include <ckpt/base.hpp>
#include <ckpt/values/memory.hpp>

#include <cstdint>

namespace ckpt::detail {

// A ckpt_memory_event_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_memory_event(const ckpt_memory_event* event, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(from_c(*event)); });
}

}  // namespace ckpt::detail

#endif
