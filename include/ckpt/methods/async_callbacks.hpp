// Generated from include/ckpt by tools/api: do not edit.
// async_callbacks.hpp - callbacks of async.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_ASYNC_CALLBACKS_HPP
#define CKPT_METHODS_ASYNC_CALLBACKS_HPP

#include <ckpt/async.h>
#include <ckpt/base.hpp>
#include <ckpt/values/async.hpp>

#include <chrono>
#include <cstdint>

namespace ckpt::detail {

// A ckpt_checkpoint_task_staged_fn that calls a member of the object that user_data points to.
template <auto member>
void call_checkpoint_task_staged(std::int64_t id, std::int64_t stall_ns, void* user_data) {
  auto& object = member_object<member>(user_data);
  (object.*member)(id, std::chrono::nanoseconds(stall_ns));
}

// A ckpt_checkpoint_task_progress_fn that calls a member of the object that user_data points to.
template <auto member>
void call_checkpoint_task_progress(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes, void* user_data) {
  auto& object = member_object<member>(user_data);
  (object.*member)(id, done_bytes, total_bytes);
}

// A ckpt_checkpoint_task_ended_fn that calls a member of the object that user_data points to.
template <auto member>
void call_checkpoint_task_ended(const ckpt_checkpoint_task_result* result, void* user_data) {
  auto& object = member_object<member>(user_data);
  (object.*member)(from_c(*result));
}

// A ckpt_checkpoint_task_source_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_checkpoint_task_source(const char* group, const char* name, const void* data, std::int64_t offset,
                                         std::int64_t bytes, void* buffer, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(group, name, data, offset, span_of(buffer, bytes)); });
}

}  // namespace ckpt::detail

#endif
