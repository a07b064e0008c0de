#include "base.h"

#include "base/hooks.h"
#include "base/log.h"
#include "base/os/cpu.h"
#include "base/os/thread.h"
#include "base/philox.h"
#include "base/progress.h"
#include "base/version.h"

using namespace ckpt::base;
using namespace ckpt::capi;

// ---- Status ----

#define CKPT_SAME(upper, lower) static_assert(CKPT_E_##upper == static_cast<ckpt_status>(Status::lower))
CKPT_SAME(INVALID_ARGUMENT, invalid_argument);
CKPT_SAME(OUT_OF_MEMORY, out_of_memory);
CKPT_SAME(OUT_OF_RANGE, out_of_range);
CKPT_SAME(INVALID_STATE, invalid_state);
CKPT_SAME(NOT_FOUND, not_found);
CKPT_SAME(ALREADY_EXISTS, already_exists);
CKPT_SAME(BUSY, busy);
CKPT_SAME(TIMEOUT, timeout);
CKPT_SAME(CANCELLED, cancelled);
CKPT_SAME(CALLBACK, callback);
CKPT_SAME(FORKED, forked);
CKPT_SAME(QUEUE_FULL, queue_full);
CKPT_SAME(CLOSED, closed);
CKPT_SAME(IO, io);
CKPT_SAME(NO_SPACE, no_space);
CKPT_SAME(PERMISSION, permission);
CKPT_SAME(CORRUPT, corrupt);
CKPT_SAME(UNSUPPORTED, unsupported);
CKPT_SAME(OVER_BUDGET, over_budget);
CKPT_SAME(INVALID_SCHEDULE, invalid_schedule);
CKPT_SAME(INTERNAL, internal);
#undef CKPT_SAME

const char* ckpt_status_name(ckpt_status status) { return status_name(static_cast<Status>(status)); }

const char* ckpt_last_error(void) { return last_error(); }

void ckpt_callback_error(const char* text) {
  guard([&] { set_callback_error(text); });
}

// ---- Version ----

int32_t ckpt_version(void) { return version_number(); }

const char* ckpt_version_string(void) { return version_text(); }

const char* ckpt_build_info(void) { return build_description(); }

int32_t ckpt_feature(const char* name) { return name != nullptr && has_feature(name) ? 1 : 0; }

// ---- Logging ----

namespace {

LogSink sink_of(ckpt_log_fn fn, const std::shared_ptr<UserData>& user) {
  if (fn == nullptr) return {};
  return [fn, user](LogLevel level, const char* component, const char* message) {
    try {
      fn(static_cast<int32_t>(level), component, message, user->get());
    } catch (const ForcedUnwind&) {
      throw;
    } catch (...) {  // a failing log callback cannot be reported
    }
  };
}

}  // namespace

ckpt_status ckpt_set_log(int32_t min_level, ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy) {
  return guard([&] {
    require(min_level >= CKPT_LOG_LEVEL_DEBUG && min_level <= CKPT_LOG_LEVEL_ERROR, "min_level is ", min_level, "; expected ",
            CKPT_LOG_LEVEL_DEBUG, " .. ", CKPT_LOG_LEVEL_ERROR);
    const auto user = std::make_shared<UserData>(user_data, destroy);
    set_log(static_cast<LogLevel>(min_level), sink_of(fn, user));
    user->adopt();
  });
}

ckpt_status ckpt_set_fallback_log(ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy) {
  return guard([&] {
    const auto user = std::make_shared<UserData>(user_data, destroy);
    set_fallback_log(sink_of(fn, user));
    user->adopt();
  });
}

// ---- Progress ----

ckpt_status ckpt_set_progress(ckpt_progress_fn progress, void* user_data, ckpt_destroy_fn destroy) {
  return guard([&] {
    const auto user = std::make_shared<UserData>(user_data, destroy);
    ProgressSink sink;
    if (progress != nullptr) {
      sink = [progress, user](std::int64_t done_bytes, std::int64_t total_bytes) {
        set_callback_error(nullptr);
        const int32_t code = user_call([&] { return progress(done_bytes, total_bytes, user->get()); });
        if (code != 0) fail_callback("progress", code);
      };
    }
    set_progress(std::move(sink));
    user->adopt();
  });
}

// ---- Thread hooks ----

ckpt_status ckpt_add_thread_hooks(ckpt_thread_hook_fn start, ckpt_thread_hook_fn stop, void* user_data, ckpt_destroy_fn destroy,
                                  int64_t* id) {
  return guard([&] {
    not_null(id, "id");
    require(start != nullptr || stop != nullptr, "start and stop are both NULL");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    const auto hook = [&user](ckpt_thread_hook_fn fn) -> ThreadHook {
      if (fn == nullptr) return {};
      return [fn, user](const char* name) { user_notice("thread hook", [&] { fn(name, user->get()); }); };
    };
    *id = add_thread_hooks(hook(start), hook(stop));
    user->adopt();
  });
}

ckpt_status ckpt_start_thread(const char* name, ckpt_thread_fn fn, void* user_data, ckpt_destroy_fn destroy) {
  return guard([&] {
    not_null(name, "name");
    not_null(fn, "fn");
    // Only the thread owns it: destroy runs there, before the stop hooks.
    auto user = std::make_shared<UserData>(user_data, destroy);
    Thread(name, [fn, user = std::move(user)]() mutable {
      user->adopt();
      user_notice("thread function", [&] { fn(user->get()); });
      user.reset();
    }).detach();
  });
}

ckpt_status ckpt_remove_thread_hooks(int64_t id) {
  return guard([&] { remove_thread_hooks(id); });
}

// ---- Clock ----

namespace {

class CallbackClock final : public Clock {
 public:
  CallbackClock(ckpt_clock_fn now, std::shared_ptr<UserData> user) : now_(now), user_(std::move(user)) {}
  std::int64_t now_ns() const override {
    std::int64_t now = 0;
    const std::int32_t code = user_call([&] {
      now = now_(user_->get());
      return CKPT_OK;
    });
    if (code != CKPT_OK) fail_callback("clock", code);
    return now;
  }

 private:
  ckpt_clock_fn now_;
  std::shared_ptr<UserData> user_;
};

}  // namespace

ckpt_status ckpt_clock_create_manual(int64_t start_ns, ckpt_clock** clock) {
  return guard([&] {
    not_null(clock, "clock");
    hand_out(clock, std::make_shared<ManualClock>(start_ns));
  });
}

ckpt_status ckpt_clock_create_custom(ckpt_clock_fn now, void* user_data, ckpt_destroy_fn destroy, ckpt_clock** clock) {
  return guard([&] {
    not_null(clock, "clock");
    not_null(now, "now");
    const auto user = std::make_shared<UserData>(user_data, destroy);
    hand_out(clock, std::make_shared<CallbackClock>(now, user));
    user->adopt();
  });
}

ckpt_status ckpt_clock_advance(ckpt_clock* clock, int64_t duration_ns) {
  return guard([&] {
    auto* const manual = dynamic_cast<ManualClock*>(checked(clock, "clock")->object.get());
    if (manual == nullptr) fail(Status::invalid_state, "clock is not a manual clock: only that can be advanced");
    manual->advance(duration_ns);
  });
}

ckpt_status ckpt_clock_get_now(const ckpt_clock* clock, int64_t* now_ns) {
  return guard([&] {
    const auto source = clock_argument(clock, "clock");
    not_null(now_ns, "now_ns");
    *now_ns = source->now_ns();
  });
}

void ckpt_clock_release(ckpt_clock* clock) { release(clock); }

// ---- Random ----

ckpt_status ckpt_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]) {
  return guard([&] {
    not_null(counter, "counter");
    not_null(key, "key");
    not_null(out, "out");
    const PhiloxCounter block = philox4x32({counter[0], counter[1], counter[2], counter[3]}, {key[0], key[1]});
    std::copy(block.begin(), block.end(), out);
  });
}

// ---- Threads ----

int32_t ckpt_available_threads(void) {
  int32_t threads = 1;
  guard([&] { threads = available_threads(); });
  return threads;
}

ckpt_status ckpt_worker_pool_create(int32_t thread_count, ckpt_worker_pool** pool) {
  return guard([&] {
    not_null(pool, "pool");
    hand_out(pool, std::make_shared<ThreadPool>(thread_count));
  });
}

ckpt_status ckpt_worker_pool_run(ckpt_worker_pool* pool, int64_t part_count, ckpt_part_fn fn, void* user_data) {
  return guard([&] {
    // A part may release the pool: it lives until the last part is done.
    const auto object = checked(pool, "pool")->object;
    not_null(fn, "fn");
    object->run(part_count, [&](std::int64_t part) {
      set_callback_error(nullptr);
      const int32_t code = user_call([&] { return fn(part, user_data); });
      if (code != 0) fail_callback(cat("part ", part), code);
    });
  });
}

ckpt_status ckpt_worker_pool_get_thread_count(const ckpt_worker_pool* pool, int32_t* thread_count) {
  return guard([&] {
    const int32_t threads = checked(pool, "pool")->object->threads();
    *not_null(thread_count, "thread_count") = threads;
  });
}

void ckpt_worker_pool_release(ckpt_worker_pool* pool) { release(pool); }
