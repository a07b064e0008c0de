// The first members of every handle of the C API, and conversions of a caller's pointer to an object.
//
//   struct ckpt_thing : ckpt::capi::Handle<ckpt::capi::Kind::thing> { std::shared_ptr<part::Thing> object; };
//
//   ckpt_status ckpt_thing_do(ckpt_thing* thing, int64_t n) {
//     return guard([&] { checked(thing, "thing")->object->do_it(n); });
//   }
#pragma once

#include <atomic>
#include <cstdint>
#include <cstring>
#include <memory>
#include <type_traits>
#include <utility>

#include "base/error.h"
#include "call.h"

namespace ckpt::capi {

// Kinds of handles; the number is the type tag in memory, unlikely to occur by chance.
enum class Kind : std::uint32_t {
  none = 0,  // released
  clock = 0x436b0001,
  thread_pool,
  memory_tracker,
  tensor,
  buffer_pool,
  storage,
  strategy,
  profile,
  schedule,
  cursor,
  layer,
  chain,
  executor,
  optimizer,
  state,
  checkpoint,
  fault_handler,
  coordinator,
  reader,
  threshold,
  controller,
  simulation,
  activation_manager,
  pipeline,
  async,
  follower,
  tree,
  driver,
  program,
};

const char* kind_name(std::uint32_t tag) noexcept;

template <Kind kind>
struct Handle {
  static constexpr Kind handle_kind = kind;

  Kind tag = kind;
  std::atomic<std::int32_t> references{1};

  Handle() = default;
  Handle(const Handle&) = delete;
  Handle& operator=(const Handle&) = delete;
  ~Handle() {
    // The compiler may remove a plain store to an object that is destroyed next.
    *const_cast<volatile Kind*>(&tag) = Kind::none;
  }
};

inline std::uint32_t tag_of(const void* handle) noexcept {
  std::uint32_t tag = 0;
  std::memcpy(&tag, handle, sizeof tag);
  return tag;
}

// Throws the error of a handle that is not of the kind wanted. Out of line, because callers are performance-critical.
[[noreturn]] void refuse_handle(const void* handle, Kind wanted, const char* argument);

// Returns the handle; Error(invalid_argument) for NULL and for a handle of another kind. argument is the parameter's name.
template <class T>
inline T* checked(T* handle, const char* argument) {
  if (handle == nullptr || tag_of(handle) != static_cast<std::uint32_t>(T::handle_kind)) [[unlikely]]
    refuse_handle(handle, T::handle_kind, argument);
  Call::uses(const_cast<std::remove_const_t<T>*>(handle));
  return handle;
}

// Like checked, but NULL is allowed and stays NULL.
template <class T>
T* checked_or_null(T* handle, const char* argument) {
  return handle == nullptr ? nullptr : checked(handle, argument);
}

// For functions without a status (release, retain, plain getters): false for NULL and foreign handles.
template <class T>
bool is_handle(const T* handle) noexcept {
  return handle != nullptr && tag_of(handle) == static_cast<std::uint32_t>(T::handle_kind);
}

template <class T>
void retain(T* handle) noexcept {
  if (is_handle(handle)) handle->references.fetch_add(1, std::memory_order_relaxed);
}

// Releasing the last reference frees the handle: at once, or, if it is an argument of a call on this thread, when that call ends.
template <class T>
void release(T* handle) noexcept {
  if (!is_handle(handle) || handle->references.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  if (!Call::destroys_later(handle, [](void* last) { delete static_cast<T*>(last); })) delete handle;
}

// Creates a handle for an object and stores it in the out-parameter.
template <class T, class Object>
void hand_out(T** out, Object&& object) {
  auto handle = std::make_unique<T>();
  handle->object = std::forward<Object>(object);
  *out = handle.release();
}

}  // namespace ckpt::capi
