// callbacks.hpp - the C API's callbacks as classes with virtual functions, which SWIG lets other languages derive from (directors).
//
// Functions here have the names of the C functions that they replace in the generated code. Each takes an object of one of the
// classes below (and in generated/callbacks.hpp) and owns it from then on, even if it fails: the object is deleted after the last
// call. An exception never leaves a callback: it becomes the callback's status, and its message the reason.
#ifndef CKPT_SWIG_CALLBACKS_HPP
#define CKPT_SWIG_CALLBACKS_HPP

#include <ckpt/ckpt.h>

#include <stdint.h>
#include <atomic>
#include <cstring>
#include <exception>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ckpt_swig {

// Set when the language's runtime shuts down: nothing may call into it any more.
inline std::atomic<bool> machine_closed{false};

// Thrown by a director when the other language's function failed.
class CallbackFailure : public std::exception {
 public:
  CallbackFailure(int32_t status, std::string text) : status_(status), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  int32_t status() const noexcept { return status_; }

 private:
  int32_t status_;
  std::string text_;
};

// Memory that is valid during one call; data is NULL for no memory.
struct Bytes {
  void* data;
  int64_t size;
  bool writable;
};
struct Spec {
  ckpt_tensor_spec value;
};
struct Shape {
  const int64_t* lengths;
  int32_t ndim;
};
struct LayerContext {
  const ckpt_layer_context* value;
};
struct LayerBytes {
  ckpt_layer_option value;
};

#ifndef SWIG
// The stored failure of a director's function, for a language that cannot throw inside a director (C#).
inline thread_local CallbackFailure* stored_failure = nullptr;
inline void throw_stored_failure() {
  if (!stored_failure) return;
  const std::unique_ptr<CallbackFailure> left(stored_failure);
  stored_failure = nullptr;
  throw CallbackFailure(*left);
}

// Called before an object of the classes below is deleted; for a language that keeps its own object alive until then.
inline std::atomic<void (*)(void*)> before_delete{nullptr};
inline void notify_before_delete(void* object) noexcept {
  void (*const notify)(void*) = before_delete.load();
  if (notify && object) notify(object);
}

template <class Call>
int32_t guarded(const Call& call) noexcept {
  if (machine_closed.load(std::memory_order_relaxed)) {
    ckpt_callback_error("the interpreter is shutting down");
    return 1;
  }
  try {
    call();
    throw_stored_failure();
    return CKPT_OK;
  } catch (const CallbackFailure& failure) {
    ckpt_callback_error(failure.what());
    return failure.status();
  } catch (const std::exception& error) {
    ckpt_callback_error(error.what());
    return 1;
  }
}

template <class Object>
void destroy(void* object) noexcept {
  if (machine_closed.load(std::memory_order_relaxed)) return;
  notify_before_delete(object);
  delete static_cast<Object*>(object);
}

// Releases the object to the library if the call that took it succeeded.
template <class Object>
ckpt_status handed_over(std::unique_ptr<Object>& object, ckpt_status status) {
  if (status == CKPT_OK) {
    object.release();
  } else {
    notify_before_delete(object.get());
  }
  return status;
}

namespace detail {

// Convert handles of objects: a number in the language, a pointer in the library.
inline int64_t number_of(const void* object) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(object)); }
inline void* pointer_of(int64_t object) { return reinterpret_cast<void*>(static_cast<intptr_t>(object)); }

inline Bytes readable(const void* data, int64_t size) { return Bytes{const_cast<void*>(data), size, false}; }
inline Bytes writable(void* data, int64_t size) { return Bytes{data, size, true}; }

template <class Functions>
Functions& functions_of(void* user_data) {
  return *static_cast<Functions*>(user_data);
}

// Checks the number of bytes that a callback reports for a buffer.
inline int64_t checked_count(int64_t count, int64_t bytes) {
  if (count < 0 || count > bytes) throw CallbackFailure(1, "number of bytes: exceeds the buffer");
  return count;
}

// C callbacks that call a method of the object in user_data: with a status as the result, without a result, or with a result that
// is written to a pointer.
template <auto method>
struct Calls;
template <class Object, class Result, class... Arguments, Result (Object::*method)(Arguments...)>
struct Calls<method> {
  static int32_t run(Arguments... arguments, void* user) noexcept {
    return guarded([&] { (static_cast<Object*>(user)->*method)(arguments...); });
  }
  static void tell(Arguments... arguments, void* user) noexcept { (void)run(arguments..., user); }
  template <class Out>
  static int32_t give(Arguments... arguments, Out* out, void* user) noexcept {
    return guarded([&] { *out = static_cast<Out>((static_cast<Object*>(user)->*method)(arguments...)); });
  }
};

}  // namespace detail
#endif

class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual int64_t now() = 0;
#ifndef SWIG
  std::atomic<int64_t> last{0};
#endif
};

class MemoryListener {
 public:
  virtual ~MemoryListener() = default;
#if defined(SWIGPYTHON)  // receives a tuple
  virtual void on_event(const ckpt_memory_event* event) = 0;
#elif defined(SWIGCSHARP)  // reads the struct at its address
  virtual void on_event(const void* event) = 0;
#else                      // numbers are faster to pass into the JVM than an object of the struct
  virtual void on_event(int32_t kind, uint64_t sequence, uint64_t allocation, int64_t bytes, int64_t current_bytes,
                        int64_t peak_bytes, int64_t limit_bytes, int64_t at_ns, int64_t utc_ns, const char* layer_name,
                        bool has_layer, int32_t layer_id) = 0;
#endif
};

// When a source fails, the last time is used.
inline ckpt_status clock_create_custom(ClockSource* source, ckpt_clock** clock) {
  std::unique_ptr<ClockSource> owned(source);
  return handed_over(owned, ckpt_clock_create_custom(
                                [](void* user) {
                                  auto& from = *static_cast<ClockSource*>(user);
                                  (void)guarded([&] { from.last = from.now(); });
                                  return from.last.load();
                                },
                                source, destroy<ClockSource>, clock));
}

inline ckpt_status memory_tracker_subscribe(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds, MemoryListener* listener,
                                            int64_t* subscription) {
  std::unique_ptr<MemoryListener> owned(listener);
  const ckpt_memory_event_fn call = [](const ckpt_memory_event* e, void* user) {
    return guarded([&] {
      auto& to = *static_cast<MemoryListener*>(user);
#if defined(SWIGPYTHON) || defined(SWIGCSHARP)
      to.on_event(e);
#else
      to.on_event(e->kind, e->sequence, e->allocation, e->bytes, e->current_bytes, e->peak_bytes, e->limit_bytes, e->occurred_at_ns,
                  e->occurred_utc_ns, e->layer_name, e->has_layer != 0, e->layer_id);
#endif
    });
  };
  return handed_over(owned, ckpt_memory_tracker_subscribe(tracker, kinds, call, listener, destroy<MemoryListener>, subscription));
}

}  // namespace ckpt_swig

#include "generated/callbacks.hpp"

#endif  // CKPT_SWIG_CALLBACKS_HPP
