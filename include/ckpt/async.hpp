// async.hpp - the C++17 face of async.h: saves and loads in the background.
//
//   ckpt::AsyncManager async(checkpoint);
//   const std::int64_t id = async.save(state, options);   the tensors may change when it returns
//   ...
//   const ckpt::AsyncResult result = async.wait(id);
//   async.close();                                        throws the failure of a task that no wait(id) has shown
#ifndef CKPT_ASYNC_HPP
#define CKPT_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/base.hpp>
#include <ckpt/state.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

enum class AsyncState : std::int32_t {
  queued = CKPT_CHECKPOINT_TASK_STATE_QUEUED,
  running = CKPT_CHECKPOINT_TASK_STATE_RUNNING,
  completed = CKPT_CHECKPOINT_TASK_STATE_COMPLETED,
  failed = CKPT_CHECKPOINT_TASK_STATE_FAILED,
  cancelled = CKPT_CHECKPOINT_TASK_STATE_CANCELLED,
  rejected = CKPT_CHECKPOINT_TASK_STATE_REJECTED,
};

enum class AsyncMode : std::int32_t { copy = CKPT_STAGING_MODE_COPY, borrow = CKPT_STAGING_MODE_BORROW, deferred = CKPT_STAGING_MODE_DEFERRED };

enum class WhenFull : std::int32_t {
  refuse = CKPT_WHEN_FULL_REFUSE,
  wait = CKPT_WHEN_FULL_WAIT,
  drop_oldest = CKPT_WHEN_FULL_DROP_OLDEST,
};

struct AsyncResult {
  std::int64_t id = 0;
  AsyncState state = AsyncState::completed;
  ckpt_status status = CKPT_OK;
  std::int32_t kind = CKPT_CHECKPOINT_TASK_KIND_SAVE;
  std::int64_t step = 0;
  std::int64_t bytes = 0;
  std::int64_t retries = 0;
  double duration_seconds = 0;
  double stall_seconds = 0;
  double durable_seconds = 0;
  std::string name;
  std::string error;
  bool success() const noexcept { return state == AsyncState::completed; }
};

// Functions that are notified of tasks, on threads of the manager; empty ones are not called. What they throw is ignored.
struct AsyncCallbacks {
  std::function<void(std::int64_t id, double stall_seconds)> staged;
  std::function<void(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes)> progress;
  std::function<void(const AsyncResult&)> ended;
};

struct AsyncTaskOptions {
  AsyncMode mode = AsyncMode::copy;
  WhenFull when_full = WhenFull::refuse;
  std::int32_t priority = CKPT_PRIORITY_NORMAL;
  std::int64_t timeout_ns = -1;
  std::int64_t gate_step = -1;
  AsyncCallbacks callbacks;
  // Copies bytes of a tensor, from offset on, into buffer; see ckpt_checkpoint_task_source_fn. What it throws fails the save.
  std::function<void(const char* group, const char* name, const void* data, std::int64_t offset, std::int64_t bytes, void* buffer)>
      source;
};

class Controller;  // adaptive.hpp

class AsyncManager {
 public:
  // options: CKPT_ASYNC_MANAGER_OPTIONS_INIT and what is to differ; its callbacks are those given beside it.
  explicit AsyncManager(const Checkpoint& checkpoint, ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT,
                        AsyncCallbacks callbacks = {}) {
    Owned<AsyncCallbacks> owned;
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    options.callbacks = bind(std::move(callbacks), owned, table);
    options.user_data = owned.get();
    check(ckpt_async_manager_create(checkpoint.handle(), &options, async_.out()));
    static_cast<void>(owned.release());
  }

  // The task's id.
  std::int64_t save(const State& state, const SaveOptions& options, AsyncTaskOptions task = {}) {
    const ckpt_save_options given = detail::to_c(options);
    return start(std::move(task), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_async_manager_save(handle(), state.handle(), &given, &how, id);
    });
  }
  // No other caller may use the state until the task has ended.
  std::int64_t load(State& state, const LoadOptions& options = {}, AsyncTaskOptions task = {}) {
    const ckpt_load_options given = detail::to_c(options);
    return start(std::move(task), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_async_manager_load(handle(), state.handle(), &given, &how, id);
    });
  }

  // True when the task ends cancelled because of this call.
  bool cancel(std::int64_t id) {
    std::int32_t won = 0;
    check(ckpt_async_manager_cancel(handle(), id, &won));
    return won != 0;
  }
  // id CKPT_CHECKPOINT_TASK_ALL: all saves.
  void wait_staged(std::int64_t id, std::int64_t timeout_ns = -1) { check(ckpt_async_manager_wait_staged(handle(), id, timeout_ns)); }
  AsyncResult wait(std::int64_t id, std::int64_t timeout_ns = -1) {
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    check(ckpt_async_manager_wait(handle(), id, timeout_ns, &result));
    return converted(result);
  }
  // What the save or load returned; Error with CKPT_E_INVALID_STATE unless it has completed.
  SaveResult saved(std::int64_t id) const {
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_async_manager_get_save_result(handle(), id, &result));
    return detail::from_c(result);
  }
  LoadResult loaded(std::int64_t id) const {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(ckpt_async_manager_get_load_result(handle(), id, &result));
    return detail::from_c(result);
  }
  void wait_all(std::int64_t timeout_ns = -1) { check(ckpt_async_manager_wait(handle(), CKPT_CHECKPOINT_TASK_ALL, timeout_ns, nullptr)); }
  void end_step(std::int64_t step) { check(ckpt_async_manager_end_step(handle(), step)); }

  ckpt_checkpoint_task_info task(std::int64_t id) const {
    ckpt_checkpoint_task_info task = CKPT_CHECKPOINT_TASK_INFO_INIT;
    check(ckpt_async_manager_get_task(handle(), id, &task));
    return task;
  }
  std::vector<std::int64_t> live() const { return ids(CKPT_CHECKPOINT_TASK_LIST_LIVE); }
  std::vector<std::int64_t> ended() const { return ids(CKPT_CHECKPOINT_TASK_LIST_ENDED); }
  ckpt_async_manager_stats stats() const {
    ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
    check(ckpt_async_manager_get_stats(handle(), &stats));
    return stats;
  }

  // Throws the oldest failure that was not seen (see async.h), each call the next one, or CKPT_E_TIMEOUT. The destructor closes,
  // too, and only logs.
  void close(std::int32_t mode = CKPT_CLOSE_MODE_DRAIN, std::int64_t timeout_ns = -1) {
    check(ckpt_async_manager_close(handle(), mode, timeout_ns));
  }

  ckpt_async_manager* handle() const noexcept { return async_.get(); }

 private:
  friend class Controller;  // starts tasks
  template <class T>
  using Owned = std::unique_ptr<T>;
  using Source = decltype(AsyncTaskOptions::source);

  static AsyncResult converted(const ckpt_checkpoint_task_result& result) {
    return {result.id,
            static_cast<AsyncState>(result.state),
            result.status,
            result.kind,
            result.step,
            result.bytes,
            result.retries,
            result.duration_seconds,
            result.stall_seconds,
            result.durable_seconds,
            result.name,
            result.error};
  }

  // Fills table for callbacks, which owned keeps; nullptr when there are none.
  static const ckpt_checkpoint_task_callbacks* bind(AsyncCallbacks callbacks, Owned<AsyncCallbacks>& owned, ckpt_checkpoint_task_callbacks& table) {
    if (!callbacks.staged && !callbacks.progress && !callbacks.ended) return nullptr;
    owned = std::make_unique<AsyncCallbacks>(std::move(callbacks));
    if (owned->staged) {
      table.staged = [](std::int64_t id, double stall_seconds, void* user_data) noexcept {
        detail::callback_silent([&] { static_cast<AsyncCallbacks*>(user_data)->staged(id, stall_seconds); });
      };
    }
    if (owned->progress) {
      table.progress = [](std::int64_t id, std::int64_t done, std::int64_t total, void* user_data) noexcept {
        detail::callback_silent([&] { static_cast<AsyncCallbacks*>(user_data)->progress(id, done, total); });
      };
    }
    if (owned->ended) {
      table.ended = [](const ckpt_checkpoint_task_result* result, void* user_data) noexcept {
        detail::callback_silent([&] { static_cast<AsyncCallbacks*>(user_data)->ended(converted(*result)); });
      };
    }
    table.destroy = detail::destroy<AsyncCallbacks>;
    return &table;
  }

  template <class Call>
  static std::int64_t start(AsyncTaskOptions task, Call&& call) {
    ckpt_checkpoint_task_options how = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
    how.mode = static_cast<std::int32_t>(task.mode);
    how.when_full = static_cast<std::int32_t>(task.when_full);
    how.priority = task.priority;
    how.timeout_ns = task.timeout_ns;
    how.gate_step = task.gate_step;
    Owned<AsyncCallbacks> callbacks;
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    how.callbacks = bind(std::move(task.callbacks), callbacks, table);
    how.user_data = callbacks.get();
    Owned<Source> source;
    if (task.source) {
      source = std::make_unique<Source>(std::move(task.source));
      how.source = [](const char* group, const char* name, const void* data, std::int64_t offset, std::int64_t bytes, void* buffer,
                      void* user_data) noexcept {
        return detail::callback_status([&] { (*static_cast<Source*>(user_data))(group, name, data, offset, bytes, buffer); });
      };
      how.source_user_data = source.get();
      how.source_destroy = detail::destroy<Source>;
    }
    std::int64_t id = 0;
    check(call(how, &id));
    static_cast<void>(callbacks.release());
    static_cast<void>(source.release());
    return id;
  }

  std::vector<std::int64_t> ids(std::int32_t which) const {
    std::vector<std::int64_t> out;
    for (;;) {
      std::int64_t count = 0;
      const ckpt_status status =
          ckpt_async_manager_list(handle(), which, out.empty() ? nullptr : out.data(), static_cast<std::int64_t>(out.size()), &count);
      const bool fits = count <= static_cast<std::int64_t>(out.size());
      if (status != CKPT_E_OUT_OF_RANGE) check(status);
      out.resize(static_cast<std::size_t>(count));
      if (fits) return out;
    }
  }

  detail::Handle<ckpt_async_manager, ckpt_async_manager_release> async_;
};

}  // namespace ckpt

#endif  // CKPT_ASYNC_HPP
