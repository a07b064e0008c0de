// base.hpp - the C++17 interface of base.h: errors as exceptions, and move-only objects instead of handles.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
// Functions that the caller passes to the library (std::function, lambdas) may throw where the comment allows it: the exception's
// message becomes part of the error of the call that runs them. No exception passes through the library itself.
//
// The headers of the other parts include this header, and only those standard headers that are not included here.
#ifndef CKPT_BASE_HPP
#define CKPT_BASE_HPP

#include <ckpt/base.h>
#include <ckpt/values/base.hpp>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace ckpt {

// ---- Errors ----

// Returns "INVALID_ARGUMENT", ...; "UNKNOWN" for a number that is not a status.
inline std::string_view status_name(Status status) noexcept { return ckpt_status_name(static_cast<ckpt_status>(status)); }

// The error of a failed call: its status and the message of ckpt_last_error().
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const noexcept { return status_; }
  std::string_view status_name() const noexcept { return ckpt::status_name(status_); }

 private:
  Status status_;
};

// Checks the result of a C function: throws Error unless status is CKPT_OK.
inline void check(ckpt_status status) {
  if (status != CKPT_OK) throw Error(static_cast<Status>(status), ckpt_last_error());
}

// ---- For the headers of the other parts ----

namespace detail {

// Owns one reference of a C handle, or borrows a handle that the library owns.
template <class T, void (*release)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* pointer, bool is_lent = false) noexcept : pointer_(pointer), is_lent_(is_lent) {}
  Handle(Handle&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)), is_lent_(other.is_lent_) {}
  Handle& operator=(Handle&& other) noexcept {
    Handle taken(std::move(other));  // releases what this owned
    std::swap(pointer_, taken.pointer_);
    std::swap(is_lent_, taken.is_lent_);
    return *this;
  }
  ~Handle() {
    if (!is_lent_) release(pointer_);
  }

  T* get() const noexcept { return pointer_; }
  // The output parameter for create functions. Only for an empty Handle.
  T** out() noexcept { return &pointer_; }
  T* detach() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  T* pointer_ = nullptr;
  bool is_lent_ = false;
};

// Returns the value that a C function writes to its last parameter: function(given..., &result).
template <class Result, class Function, class... Given>
Result result_of(Function function, Given... given) {
  Result result{};
  check(function(given..., &result));
  return result;
}

// Whether an Error thrown by a member of this class in a callback keeps its status; else the callback fails with Status::callback.
template <class Object>
inline constexpr bool keeps_status = false;

// Runs the body of a callback that can fail. Returns 0, or 1 after passing the exception's message to the library; with statuses
// the status of an Error.
template <class Body>
std::int32_t callback_status(Body&& body, bool statuses = false) noexcept {
  try {
    body();
    return 0;
  } catch (const Error& error) {
    ckpt_callback_error(error.what());
    if (statuses) return static_cast<std::int32_t>(error.status());
  } catch (const std::exception& error) {
    ckpt_callback_error(error.what());
  } catch (...) {
    ckpt_callback_error("an exception of unknown type");
  }
  return 1;
}

template <class T>
struct ClassOf;
template <class T, class Class>
struct ClassOf<T Class::*> {
  using type = Class;
};
// Returns the object of this class that the user_data of a callback points to.
template <class Object>
Object& object_of(void* user_data) noexcept {
  return *static_cast<Object*>(user_data);
}
template <auto member>
auto& member_object(void* user_data) noexcept {
  return object_of<typename ClassOf<decltype(member)>::type>(user_data);
}
// Runs the body of a callback that calls a member of an object: body(object).
template <auto member, class Body>
std::int32_t call_member(void* user_data, Body&& body) noexcept {
  constexpr bool statuses = keeps_status<typename ClassOf<decltype(member)>::type>;
  return callback_status([&] { body(member_object<member>(user_data)); }, statuses);
}

inline Span<std::byte> span_of(void* first, std::int64_t bytes) noexcept {
  return {static_cast<std::byte*>(first), static_cast<std::size_t>(bytes)};
}
inline Span<const std::byte> span_of(const void* first, std::int64_t bytes) noexcept {
  return {static_cast<const std::byte*>(first), static_cast<std::size_t>(bytes)};
}

// Runs the body of a callback that cannot report errors: discards exceptions.
template <class Body>
void callback_silent(Body&& body) noexcept {
  try {
    body();
  } catch (...) {
  }
}

// Returns the string of a function with (buffer, capacity, *needed). ask(buffer, capacity, needed) calls it and returns its status.
// expected: bytes of the first buffer, for functions with expensive calls.
template <class Ask>
std::string text_of(Ask&& ask, std::int64_t expected = 0) {
  std::int64_t needed = expected;
  if (expected == 0) check(ask(nullptr, 0, &needed));
  for (;;) {  // the text may have grown since the last call
    const std::int64_t capacity = needed + 1;
    std::string text(static_cast<std::size_t>(capacity), '\0');
    const ckpt_status status = ask(text.data(), capacity, &needed);
    if (status == CKPT_E_OUT_OF_RANGE && needed >= capacity) continue;
    check(status);
    text.resize(static_cast<std::size_t>(needed));
    return text;
  }
}

// Returns the bytes of a function with (buffer, capacity, *needed).
template <class Ask>
std::vector<std::byte> buffer_of(Ask&& ask) {
  std::int64_t needed = 0;
  check(ask(nullptr, 0, &needed));
  std::vector<std::byte> bytes(static_cast<std::size_t>(needed));
  check(ask(bytes.data(), needed, &needed));
  return bytes;
}

// Returns the list of a function with (array, capacity, *count), as one consistent snapshot. ask(array, capacity, count) calls it
// and returns its status. expected: elements of the first array, because a query for the count alone may cost as much as the list.
template <class T, class Ask>
std::vector<T> list_of(const T& empty, Ask&& ask, std::int64_t expected = 64) {
  std::int64_t count = expected;
  for (;;) {  // the list may have more elements than the array
    std::vector<T> list(static_cast<std::size_t>(count), empty);
    const std::int64_t capacity = count;
    check(ask(list.data(), capacity, &count));
    if (count > capacity) continue;
    list.resize(static_cast<std::size_t>(count), empty);
    return list;
  }
}

// Returns the results of convert for all elements.
template <class Struct, class Convert>
auto values_of(const std::vector<Struct>& structs, Convert&& convert) {
  std::vector<decltype(convert(structs.front()))> values;
  values.reserve(structs.size());
  for (const Struct& each : structs) values.push_back(convert(each));
  return values;
}

// A ckpt_destroy_fn for a T created by new.
template <class T>
void destroy(void* user_data) noexcept {
  delete static_cast<T*>(user_data);
}

struct Empty {};

// The base of the classes: owns one reference of a C handle.
template <class Self, class T, void (*release)(T*)>
class Object {
 public:
  // Takes ownership of a reference that a C function returned.
  static Self adopt(T* handle) noexcept { return Self(Reference(handle)); }
  T* handle() const noexcept { return reference_.get(); }
  // Releases ownership: returns the reference, which the caller passes to the library; the object is empty afterwards.
  T* detach() noexcept { return reference_.detach(); }

 protected:
  using Reference = Handle<T, release>;
  explicit Object(Empty) noexcept {}  // for constructors that fill out()
  explicit Object(Reference reference) noexcept : reference_(std::move(reference)) {}
  // Calls a create function: function(given..., &handle).
  template <class Function, class... Given>
  static Reference created(Function function, Given... given) {
    return Reference(result_of<T*>(function, given...));
  }
  // Calls a create function that takes an object with its destroy function before &handle; C then owns the object.
  template <class User, class Function, class... Given>
  static Reference made_with(std::unique_ptr<User> user, Function function, Given... given) {
    Reference reference = created(function, given..., static_cast<void*>(user.get()), destroy<User>);
    static_cast<void>(user.release());
    return reference;
  }
  T** out() noexcept { return reference_.out(); }

 private:
  Reference reference_;
};

// Passes an object to C, which owns it if call(pointer) succeeds.
template <class T, class Call>
void pass(T object, Call&& call) {
  auto owned = std::make_unique<T>(std::move(object));
  check(call(owned.get()));
  static_cast<void>(owned.release());
}

}  // namespace detail

// ---- Version ----

// Returns "major.minor.patch" of the loaded library.
inline std::string_view version() noexcept { return ckpt_version_string(); }
// Returns the version as a number, as CKPT_VERSION.
inline std::int32_t version_number() noexcept { return ckpt_version(); }
inline std::string_view build_info() noexcept { return ckpt_build_info(); }
inline bool has_feature(const std::string& name) noexcept { return ckpt_feature(name.c_str()) != 0; }

// ---- Logging ----

using LogSink = std::function<void(LogLevel level, std::string_view component, std::string_view message)>;

namespace detail {

// Calls set(function, user_data, destroy) for sink; with NULL for an empty sink.
template <class Set>
void set_log_sink(LogSink sink, Set&& set) {
  if (!sink) return check(set(nullptr, nullptr, nullptr));
  const ckpt_log_fn call = [](std::int32_t level, const char* component, const char* message, void* user_data) noexcept {
    callback_silent([&] { object_of<LogSink>(user_data)(static_cast<LogLevel>(level), component, message); });
  };
  pass(std::move(sink), [&](LogSink* owned) { return set(call, owned, destroy<LogSink>); });
}

}  // namespace detail

// Sends messages of at least min_level to sink, on any thread, and on several at once; an empty sink disables logging. Exceptions
// of sink are ignored.
inline void set_log(LogLevel min_level, LogSink sink) {
  detail::set_log_sink(std::move(sink), [&](ckpt_log_fn call, void* user_data, ckpt_destroy_fn destroy) {
    return ckpt_set_log(static_cast<ckpt_log_level>(min_level), call, user_data, destroy);
  });
}

// Sends failures that no caller can receive to sink instead of standard error, unless a log sink was ever set. An empty sink
// restores standard error: ckpt_set_fallback_log.
inline void set_fallback_log(LogSink sink) { detail::set_log_sink(std::move(sink), ckpt_set_fallback_log); }

// ---- Progress ----

// Reports the progress of the long calls that this thread makes during the lifetime of this object: ckpt_set_progress. An exception
// of report fails the call, which throws it. If a thread has several objects, only the last one created reports; after its end,
// none does.
class Progress {
 public:
  using Report = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

  explicit Progress(Report report) {
    const ckpt_progress_fn call = [](std::int64_t done_bytes, std::int64_t total_bytes, void* user_data) noexcept {
      return detail::callback_status([&] { detail::object_of<Report>(user_data)(done_bytes, total_bytes); });
    };
    detail::pass(std::move(report), [&](Report* owned) { return ckpt_set_progress(call, owned, detail::destroy<Report>); });
  }
  ~Progress() { ckpt_set_progress(nullptr, nullptr, nullptr); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

// ---- Thread hooks ----

// Starts a thread that runs thread hooks and does not run the program's signal handlers: ckpt_start_thread. An exception of body
// is logged as an error.
inline void start_thread(const char* name, std::function<void()> body) {
  using Body = std::function<void()>;
  const ckpt_thread_fn call = [](void* user_data) noexcept { detail::callback_silent(detail::object_of<Body>(user_data)); };
  detail::pass(std::move(body), [&](Body* owned) { return ckpt_start_thread(name, call, owned, detail::destroy<Body>); });
}

// Runs start and stop (one may be empty) on every thread that the library creates during the lifetime of this object. The
// destructor waits until every thread that ran start has run stop: destroy the objects that own those threads first. If a hook
// throws, the thread continues and an error is logged.
class ThreadHooks {
 public:
  using Hook = std::function<void(std::string_view thread_name)>;

  ThreadHooks(Hook start, Hook stop) {
    const ckpt_thread_hook_fn on_start = [](const char* name, void* user_data) { detail::object_of<Both>(user_data).start(name); };
    const ckpt_thread_hook_fn on_stop = [](const char* name, void* user_data) { detail::object_of<Both>(user_data).stop(name); };
    detail::pass(Both{std::move(start), std::move(stop)}, [&](Both* owned) {
      return ckpt_add_thread_hooks(owned->start ? on_start : nullptr, owned->stop ? on_stop : nullptr, owned, detail::destroy<Both>,
                                   &id_);
    });
  }
  ~ThreadHooks() { ckpt_remove_thread_hooks(id_); }
  ThreadHooks(const ThreadHooks&) = delete;
  ThreadHooks& operator=(const ThreadHooks&) = delete;

 private:
  struct Both {
    Hook start;
    Hook stop;
  };
  std::int64_t id_ = 0;
};

// ---- Clock ----

class Clock : public detail::Object<Clock, ckpt_clock, ckpt_clock_release> {
 public:
  using Object::Object;
  // Creates a clock that stays at start until advance.
  static Clock manual(std::chrono::nanoseconds start = {}) { return Clock(created(ckpt_clock_create_manual, start.count())); }
  // Creates a clock that calls now, on any thread. If now throws, the call that needs the time fails with Status::callback.
  static Clock custom(std::function<std::chrono::nanoseconds()> now) {
    using Now = std::function<std::chrono::nanoseconds()>;
    const ckpt_clock_fn call = [](void* user_data) { return detail::object_of<Now>(user_data)().count(); };
    auto owned = std::make_unique<Now>(std::move(now));
    const ckpt_clock_fn given = *owned ? call : nullptr;
    return Clock(made_with(std::move(owned), ckpt_clock_create_custom, given));
  }
  // Returns the system's monotonic clock.
  static std::chrono::nanoseconds monotonic() { return now_of(nullptr); }

  void advance(std::chrono::nanoseconds duration) { check(ckpt_clock_advance(handle(), duration.count())); }
  std::chrono::nanoseconds now() const {
    if (handle() == nullptr) throw Error(Status::invalid_state, "the clock was moved away");
    return now_of(handle());
  }

 private:
  static std::chrono::nanoseconds now_of(const ckpt_clock* clock) {
    return std::chrono::nanoseconds(detail::result_of<std::int64_t>(ckpt_clock_get_now, clock));
  }
};

// ---- Random ----

// Computes one block of Philox4x32-10: four random words from a counter and a key, identical on every machine.
inline std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter, const std::array<std::uint32_t, 2>& key) {
  std::array<std::uint32_t, 4> out{};
  check(ckpt_random_philox(counter.data(), key.data(), out.data()));
  return out;
}

// ---- Threads ----

inline std::int32_t available_threads() noexcept { return ckpt_available_threads(); }

class WorkerPool : public detail::Object<WorkerPool, ckpt_worker_pool, ckpt_worker_pool_release> {
 public:
  using Object::Object;
  // thread_count: number of threads, the calling one included; 0: available_threads().
  explicit WorkerPool(std::int32_t thread_count = 0) : Object(created(ckpt_worker_pool_create, thread_count)) {}

  // Calls work(part) for 0 <= part < parts, several at once, and returns when all are done. work may throw: parts that have not
  // begun are skipped, and the call throws Error with Status::callback and the message of the lowest part that threw.
  template <class Work>
  void run(std::int64_t parts, Work&& work) {
    run(handle(), parts, std::forward<Work>(work));
  }
  // Runs the parts on a borrowed pool, such as LayerContext::pool.
  template <class Work>
  static void run(detail::Borrowed<ckpt_worker_pool> pool, std::int64_t parts, Work&& work) {
    using Callee = std::remove_reference_t<Work>;
    const ckpt_part_fn call = [](std::int64_t part, void* user_data) noexcept {
      return detail::callback_status([&] { detail::object_of<Callee>(user_data)(part); });
    };
    check(ckpt_worker_pool_run(pool, parts, call, const_cast<void*>(static_cast<const void*>(std::addressof(work)))));
  }
  std::int32_t thread_count() const { return detail::result_of<std::int32_t>(ckpt_worker_pool_get_thread_count, handle()); }
};

}  // namespace ckpt

#endif  // CKPT_BASE_HPP
