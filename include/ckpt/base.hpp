// base.hpp - the C++17 face of base.h: errors as exceptions, and move-only objects instead of handles.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
// Functions of the caller that are passed to the library (std::function, lambdas) may throw where the comment says so: the
// exception's text becomes part of the error of the call that ran them. Nothing is ever thrown through the library itself.
#ifndef CKPT_BASE_HPP
#define CKPT_BASE_HPP

#include <ckpt/base.h>
#include <ckpt/values/base.hpp>

#include <array>
#include <chrono>
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

// "INVALID_ARGUMENT", ...; "UNKNOWN" for a number that is none.
inline std::string_view status_name(Status status) noexcept { return ckpt_status_name(static_cast<ckpt_status>(status)); }

// A call that failed: its status and the line that ckpt_last_error() returned.
class Error : public std::runtime_error {
 public:
  Error(Status status, const std::string& message) : std::runtime_error(message), status_(status) {}
  Status status() const noexcept { return status_; }
  std::string_view status_name() const noexcept { return ckpt::status_name(status_); }

 private:
  Status status_;
};

// For what is called in C: throws Error unless status is CKPT_OK.
inline void check(ckpt_status status) {
  if (status != CKPT_OK) throw Error(static_cast<Status>(status), ckpt_last_error());
}

// ---- For the headers of the other parts ----

namespace detail {

// Owns one reference of a C handle.
template <class T, void (*release)(T*)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T* pointer) noexcept : pointer_(pointer) {}
  Handle(Handle&& other) noexcept : pointer_(std::exchange(other.pointer_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      release(pointer_);
      pointer_ = std::exchange(other.pointer_, nullptr);
    }
    return *this;
  }
  ~Handle() { release(pointer_); }

  T* get() const noexcept { return pointer_; }
  // For create functions: where they put the new handle. Only on an empty Handle.
  T** out() noexcept { return &pointer_; }
  T* give_up() noexcept { return std::exchange(pointer_, nullptr); }

 private:
  T* pointer_ = nullptr;
};

// The body of a callback that can fail: 0, or 1 with the exception's text left for the library; where the callback's status counts
// (`statuses`), that of an Error.
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
    ckpt_callback_error("an exception that is no std::exception");
  }
  return 1;
}

// The body of a callback that has no caller to report to: exceptions end here.
template <class Body>
void callback_silent(Body&& body) noexcept {
  try {
    body();
  } catch (...) {
  }
}

// Text from a function of the (buffer, capacity, *needed) kind. ask(buffer, capacity, needed) returns its status. expected: bytes
// that it has room for at once, where being asked is expensive.
template <class Ask>
std::string text_of(Ask&& ask, std::int64_t expected = 0) {
  std::int64_t needed = expected;
  if (expected == 0) check(ask(nullptr, 0, &needed));
  for (;;) {  // it may have grown by now
    const std::int64_t capacity = needed + 1;
    std::string text(static_cast<std::size_t>(capacity), '\0');
    const ckpt_status status = ask(text.data(), capacity, &needed);
    if (status == CKPT_E_OUT_OF_RANGE && needed >= capacity) continue;
    check(status);
    text.resize(static_cast<std::size_t>(needed));
    return text;
  }
}

// A list from a function of the (array, capacity, *count) kind, all of one moment. ask(array, capacity, count) returns its status.
// expected: elements that it has room for at once, where being asked for their number is expensive.
template <class T, class Ask>
std::vector<T> list_of(const T& empty, Ask&& ask, std::int64_t expected = 0) {
  std::int64_t count = expected;
  if (expected == 0) check(ask(nullptr, 0, &count));
  for (;;) {  // there may be more by now
    std::vector<T> list(static_cast<std::size_t>(count), empty);
    const std::int64_t capacity = count;
    check(ask(list.data(), capacity, &count));
    if (count > capacity) continue;
    list.resize(static_cast<std::size_t>(count), empty);
    return list;
  }
}

// What convert makes of each.
template <class Struct, class Convert>
auto values_of(const std::vector<Struct>& structs, Convert&& convert) {
  std::vector<decltype(convert(structs.front()))> values;
  values.reserve(structs.size());
  for (const Struct& each : structs) values.push_back(convert(each));
  return values;
}

// ckpt_destroy_fn for a T made by new.
template <class T>
void destroy(void* user_data) noexcept {
  delete static_cast<T*>(user_data);
}

}  // namespace detail

// ---- Version ----

// "major.minor.patch" of the library that is loaded.
inline std::string_view version() noexcept { return ckpt_version_string(); }
// As CKPT_VERSION.
inline std::int32_t version_number() noexcept { return ckpt_version(); }
inline std::string_view build_info() noexcept { return ckpt_build_info(); }
inline bool has_feature(const std::string& name) noexcept { return ckpt_feature(name.c_str()) != 0; }

// ---- Logging ----

using LogSink = std::function<void(LogLevel level, std::string_view component, std::string_view message)>;

// Sends messages of at least min_level to sink, on any thread, several at once; an empty sink silences. What sink
// throws is ignored.
inline void set_log(LogLevel min_level, LogSink sink) {
  if (!sink) {
    check(ckpt_set_log(static_cast<ckpt_log_level>(min_level), nullptr, nullptr, nullptr));
    return;
  }
  auto owned = std::make_unique<LogSink>(std::move(sink));
  const ckpt_log_fn call = [](std::int32_t level, const char* component, const char* message, void* user_data) noexcept {
    detail::callback_silent([&] { (*static_cast<LogSink*>(user_data))(static_cast<LogLevel>(level), component, message); });
  };
  check(ckpt_set_log(static_cast<ckpt_log_level>(min_level), call, owned.get(), detail::destroy<LogSink>));
  static_cast<void>(owned.release());
}

// Sends failures that no caller can receive to sink instead of standard error, unless a log sink was ever set. An empty sink
// restores standard error: ckpt_set_fallback_log.
inline void set_fallback_log(LogSink sink) {
  if (!sink) {
    check(ckpt_set_fallback_log(nullptr, nullptr, nullptr));
    return;
  }
  auto owned = std::make_unique<LogSink>(std::move(sink));
  const ckpt_log_fn call = [](std::int32_t level, const char* component, const char* message, void* user_data) noexcept {
    detail::callback_silent([&] { (*static_cast<LogSink*>(user_data))(static_cast<LogLevel>(level), component, message); });
  };
  check(ckpt_set_fallback_log(call, owned.get(), detail::destroy<LogSink>));
  static_cast<void>(owned.release());
}

// ---- Progress ----

// Reports the long calls that this thread makes while this object lives: ckpt_set_progress. What report throws ends the call, which
// throws it. Of several on one thread the last one made is told; with its end none is.
class Progress {
 public:
  using Report = std::function<void(std::int64_t done_bytes, std::int64_t total_bytes)>;

  explicit Progress(Report report) {
    auto owned = std::make_unique<Report>(std::move(report));
    const ckpt_progress_fn call = [](std::int64_t done_bytes, std::int64_t total_bytes, void* user_data) noexcept {
      return detail::callback_status([&] { (*static_cast<Report*>(user_data))(done_bytes, total_bytes); });
    };
    check(ckpt_set_progress(call, owned.get(), detail::destroy<Report>));
    static_cast<void>(owned.release());
  }
  ~Progress() { ckpt_set_progress(nullptr, nullptr, nullptr); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;
};

// ---- Thread hooks ----

// Starts a thread that runs thread hooks and does not run the program's signal handlers: ckpt_start_thread. An exception of body
// is logged as an error.
inline void start_thread(const char* name, std::function<void()> body) {
  auto owned = std::make_unique<std::function<void()>>(std::move(body));
  const ckpt_thread_fn call = [](void* user_data) noexcept {
    detail::callback_silent([&] { (*static_cast<std::function<void()>*>(user_data))(); });
  };
  check(ckpt_start_thread(name, call, owned.get(), detail::destroy<std::function<void()>>));
  static_cast<void>(owned.release());
}

// Runs start and stop (one may be empty) on every thread that the library makes while this object lives. The destructor waits until
// every thread that ran start has run stop: destroy the objects that own those threads first. If a hook throws, the thread
// continues and the log has an error.
class ThreadHooks {
 public:
  using Hook = std::function<void(std::string_view thread_name)>;

  ThreadHooks(Hook start, Hook stop) {
    auto owned = std::make_unique<Both>(Both{std::move(start), std::move(stop)});
    const ckpt_thread_hook_fn on_start = [](const char* name, void* user_data) { static_cast<Both*>(user_data)->start(name); };
    const ckpt_thread_hook_fn on_stop = [](const char* name, void* user_data) { static_cast<Both*>(user_data)->stop(name); };
    check(ckpt_add_thread_hooks(owned->start ? on_start : nullptr, owned->stop ? on_stop : nullptr, owned.get(),
                                detail::destroy<Both>, &id_));
    static_cast<void>(owned.release());
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

class Clock {
 public:
  // Stands still at start until advance.
  static Clock manual(std::chrono::nanoseconds start = {}) {
    Clock clock;
    check(ckpt_clock_create_manual(start.count(), clock.handle_.out()));
    return clock;
  }
  // Asks now, on any thread. If it throws, the call that needs the time fails with Status::callback.
  static Clock custom(std::function<std::chrono::nanoseconds()> now) {
    using Now = std::function<std::chrono::nanoseconds()>;
    auto owned = std::make_unique<Now>(std::move(now));
    const ckpt_clock_fn call = [](void* user_data) { return (*static_cast<Now*>(user_data))().count(); };
    Clock clock;
    check(ckpt_clock_create_custom(*owned ? call : nullptr, owned.get(), detail::destroy<Now>, clock.handle_.out()));
    static_cast<void>(owned.release());
    return clock;
  }
  // The system's monotonic clock.
  static std::chrono::nanoseconds monotonic() {
    std::int64_t now = 0;
    check(ckpt_clock_get_now(nullptr, &now));
    return std::chrono::nanoseconds(now);
  }

  void advance(std::chrono::nanoseconds duration) { check(ckpt_clock_advance(handle_.get(), duration.count())); }
  std::chrono::nanoseconds now() const {
    if (handle_.get() == nullptr) throw Error(Status::invalid_state, "the clock was moved away");
    std::int64_t now = 0;
    check(ckpt_clock_get_now(handle_.get(), &now));
    return std::chrono::nanoseconds(now);
  }
  ckpt_clock* handle() const noexcept { return handle_.get(); }

 private:
  Clock() = default;
  detail::Handle<ckpt_clock, ckpt_clock_release> handle_;
};

// ---- Random ----

// One block of Philox4x32-10: four random words from a counter and a key, the same on every machine.
inline std::array<std::uint32_t, 4> philox(const std::array<std::uint32_t, 4>& counter, const std::array<std::uint32_t, 2>& key) {
  std::array<std::uint32_t, 4> out{};
  check(ckpt_random_philox(counter.data(), key.data(), out.data()));
  return out;
}

// ---- Threads ----

inline std::int32_t available_threads() noexcept { return ckpt_available_threads(); }

class WorkerPool {
 public:
  // thread_count: the calling thread included; 0 takes available_threads().
  explicit WorkerPool(std::int32_t thread_count = 0) { check(ckpt_worker_pool_create(thread_count, handle_.out())); }

  // Calls work(part) for 0 <= part < parts, several at once, and returns when all are done. work may throw: parts not begun are
  // skipped and Error with Status::callback carries the text of the lowest part that threw.
  template <class Work>
  void run(std::int64_t parts, Work&& work) {
    run(handle(), parts, std::forward<Work>(work));
  }
  // The same on a borrowed pool, such as LayerContext::pool.
  template <class Work>
  static void run(detail::Borrowed<ckpt_worker_pool> pool, std::int64_t parts, Work&& work) {
    using Callee = std::remove_reference_t<Work>;
    const ckpt_part_fn call = [](std::int64_t part, void* user_data) noexcept {
      return detail::callback_status([&] { (*static_cast<Callee*>(user_data))(part); });
    };
    check(ckpt_worker_pool_run(pool, parts, call, const_cast<void*>(static_cast<const void*>(std::addressof(work)))));
  }
  std::int32_t thread_count() const {
    std::int32_t count = 0;
    check(ckpt_worker_pool_get_thread_count(handle_.get(), &count));
    return count;
  }
  ckpt_worker_pool* handle() const noexcept { return handle_.get(); }

 private:
  detail::Handle<ckpt_worker_pool, ckpt_worker_pool_release> handle_;
};

}  // namespace ckpt

#endif  // CKPT_BASE_HPP
