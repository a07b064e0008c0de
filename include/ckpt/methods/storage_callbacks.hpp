// Generated from include/ckpt by tools/api: do not edit.
// storage_callbacks.hpp - callbacks of storage.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_STORAGE_CALLBACKS_HPP
#define CKPT_METHODS_STORAGE_CALLBACKS_HPP

#include <ckpt/storage.h>
#include <ckpt/base.hpp>
#include <ckpt/values/storage.hpp>

#include <cstdint>

namespace ckpt::detail {

// A ckpt_storage_open_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_open(const char* path, void** file, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *file = (object.*member)(path).release(); });
}

// A ckpt_storage_file_size_fn that calls a member of the object that file points to.
template <auto member>
std::int32_t call_storage_file_size(void* file, std::int64_t* bytes, void* /*user_data*/) noexcept {
  return call_member<member>(file, [&](auto& object) { *bytes = (object.*member)(); });
}

// A ckpt_storage_read_fn that calls a member of the object that file points to.
template <auto member>
std::int32_t call_storage_read(void* file, std::int64_t offset, void* buffer, std::int64_t bytes, std::int64_t* read,
                               void* /*user_data*/) noexcept {
  return call_member<member>(file, [&](auto& object) { *read = (object.*member)(offset, span_of(buffer, bytes)); });
}

// A ckpt_storage_write_fn that calls a member of the object that file points to.
template <auto member>
std::int32_t call_storage_write(void* file, std::int64_t offset, const void* buffer, std::int64_t bytes,
                                void* /*user_data*/) noexcept {
  return call_member<member>(file, [&](auto& object) { (object.*member)(offset, span_of(buffer, bytes)); });
}

// A ckpt_storage_sync_fn that calls a member of the object that file points to.
template <auto member>
std::int32_t call_storage_sync(void* file, void* /*user_data*/) noexcept {
  return call_member<member>(file, [&](auto& object) { (object.*member)(); });
}

// A ckpt_storage_rename_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_rename(const char* from, const char* to, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(from, to); });
}

// A ckpt_storage_path_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_path(const char* path, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(path); });
}

// A ckpt_storage_size_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_size(const char* path, std::int64_t* bytes, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *bytes = (object.*member)(path); });
}

// A ckpt_storage_create_stream_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_create_stream(const char* path, std::int64_t expected_bytes, void** file, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *file = (object.*member)(path, expected_bytes).release(); });
}

// A ckpt_storage_put_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_put(const char* path, const void* buffer, std::int64_t bytes, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(path, span_of(buffer, bytes)); });
}

// A ckpt_storage_scheme_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_storage_scheme(const char* uri, ckpt_storage** storage, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *storage = (object.*member)(uri).detach(); });
}

}  // namespace ckpt::detail

#endif
