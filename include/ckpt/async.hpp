// async.hpp - the C++17 face of async.h: saves and loads in the background.
//
//   ckpt::AsyncManager background(checkpoints);
//   const std::int64_t id = background.save(state, options);   the tensors may change when it returns
//   ...
//   const ckpt::CheckpointTaskResult result = background.wait(id);
//   background.close();                                        throws the failure of a task that no wait(id) has shown
#ifndef CKPT_ASYNC_HPP
#define CKPT_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/base.hpp>
#include <ckpt/methods/async.hpp>
#include <ckpt/state.hpp>
#include <ckpt/values/async.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <memory_resource>
#include <string_view>
#include <utility>
#include <vector>

namespace ckpt {

// Whether a task did what it was made for.
inline bool succeeded(const CheckpointTaskResult& result) noexcept { return result.state == CheckpointTaskState::completed; }

// Functions that are notified of tasks, on threads of the manager; empty ones are not called. What they throw is ignored.
struct CheckpointTaskCallbacks {
  std::function<void(std::int64_t id, std::chrono::nanoseconds stall)> staged;
  std::function<void(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes)> progress;
  std::function<void(const CheckpointTaskResult& result)> ended;
};

// Copies bytes of a tensor, from offset on, into buffer; see ckpt_checkpoint_task_source_fn. What it throws fails the save.
using CheckpointTaskSource = std::function<void(std::string_view group, std::string_view name, const void* data,
                                                std::int64_t offset, Span<std::byte> buffer)>;

// What of a task is functions.
struct CheckpointTaskFunctions {
  CheckpointTaskCallbacks callbacks;
  CheckpointTaskSource source;  // empty: the tensors are memory
};

class Controller;  // adaptive.hpp

class AsyncManager : public AsyncManagerMethods<AsyncManager> {
 public:
  // staging: where the memory for copies comes from, in blocks of at most 4 MiB that begin on a page (see
  // ckpt_staging_allocate_fn); it outlives the manager and its tasks; nullptr: the library's own.
  explicit AsyncManager(const CheckpointManager& checkpoints, const AsyncManagerOptions& options = {},
                        CheckpointTaskCallbacks callbacks = {}, std::pmr::memory_resource* staging = nullptr) {
    Owned<CheckpointTaskCallbacks> owned;
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    ckpt_async_manager_options given = detail::to_c(options);
    given.callbacks = bind(std::move(callbacks), owned, table);
    given.user_data = owned.get();
    given.destroy = owned ? detail::destroy<CheckpointTaskCallbacks> : nullptr;
    if (staging != nullptr) {
      given.staging_allocate = allocate_staging;
      given.staging_free = free_staging;
      given.staging_user_data = staging;
    }
    check(ckpt_async_manager_create(checkpoints.handle(), &given, manager_.out()));
    static_cast<void>(owned.release());
  }

  // The task's id.
  std::int64_t save(const State& state, const SaveOptions& options, const CheckpointTaskOptions& task = {},
                    CheckpointTaskFunctions functions = {}) {
    const ckpt_save_options given = detail::to_c(options);
    return start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_async_manager_save(handle(), state.handle(), &given, &how, id);
    });
  }
  std::int64_t save(const State& state, std::int64_t step) {
    SaveOptions options;
    options.step = step;
    return save(state, options);
  }
  // No other caller may use the state until the task has ended.
  std::int64_t load(State& state, const LoadOptions& options = {}, const CheckpointTaskOptions& task = {},
                    CheckpointTaskFunctions functions = {}, Rename rename = {}) {
    return start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return detail::load_renamed(options, std::move(rename), [&](const ckpt_load_options& given) {
        return ckpt_async_manager_load(handle(), state.handle(), &given, &how, id);
      });
    });
  }

  void wait_staged(std::int64_t id, std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_wait_staged(handle(), id, timeout.count()));
  }
  void wait_all_staged(std::chrono::nanoseconds timeout = forever) { wait_staged(CKPT_CHECKPOINT_TASK_ALL, timeout); }
  CheckpointTaskResult wait(std::int64_t id, std::chrono::nanoseconds timeout = forever) {
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    check(ckpt_async_manager_wait(handle(), id, timeout.count(), &result));
    return detail::from_c(result);
  }
  void wait_all(std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_wait(handle(), CKPT_CHECKPOINT_TASK_ALL, timeout.count(), nullptr));
  }
  // What the save or load returned; Error with Status::invalid_state unless it has completed.
  SaveResult save_result(std::int64_t id) const {
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_async_manager_get_save_result(handle(), id, &result));
    return detail::from_c(result);
  }
  LoadResult load_result(std::int64_t id) const {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(ckpt_async_manager_get_load_result(handle(), id, &result));
    return detail::from_c(result);
  }

  CheckpointTaskInfo task(std::int64_t id) const {
    ckpt_checkpoint_task_info task = CKPT_CHECKPOINT_TASK_INFO_INIT;
    check(ckpt_async_manager_get_task(handle(), id, &task));
    return detail::from_c(task);
  }
  std::vector<std::int64_t> list(CheckpointTaskList which) const {
    return detail::list_of<std::int64_t>(0, [&](std::int64_t* ids, std::int64_t capacity, std::int64_t* count) {
      return ckpt_async_manager_list(handle(), static_cast<ckpt_checkpoint_task_list>(which), ids, capacity, count);
    });
  }
  AsyncManagerStats stats() const {
    ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
    check(ckpt_async_manager_get_stats(handle(), &stats));
    return detail::from_c(stats);
  }

  // Throws the oldest failure that was not seen (see async.h), each call the next one, or Status::timeout. The destructor closes,
  // too, and throws nothing: it reports failures to the log, or else to standard error (ckpt_set_fallback_log), and to the next
  // save.
  void close(CloseMode mode = CloseMode::drain, std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_close(handle(), static_cast<ckpt_close_mode>(mode), timeout.count()));
  }

  ckpt_async_manager* handle() const noexcept { return manager_.get(); }

 private:
  friend class Controller;  // starts tasks
  template <class T>
  using Owned = std::unique_ptr<T>;

  static std::int32_t allocate_staging(std::int64_t bytes, void** memory, void* user_data) noexcept {
    return detail::callback_status([&] {
      *memory = static_cast<std::pmr::memory_resource*>(user_data)->allocate(static_cast<std::size_t>(bytes), page_bytes);
    });
  }
  static void free_staging(void* memory, std::int64_t bytes, void* user_data) noexcept {
    detail::callback_silent([&] {
      static_cast<std::pmr::memory_resource*>(user_data)->deallocate(memory, static_cast<std::size_t>(bytes), page_bytes);
    });
  }
  static constexpr std::size_t page_bytes = 4096;

  // Fills table for callbacks, which owned keeps; nullptr when there are none.
  static const ckpt_checkpoint_task_callbacks* bind(CheckpointTaskCallbacks callbacks, Owned<CheckpointTaskCallbacks>& owned,
                                                    ckpt_checkpoint_task_callbacks& table) {
    if (!callbacks.staged && !callbacks.progress && !callbacks.ended) return nullptr;
    owned = std::make_unique<CheckpointTaskCallbacks>(std::move(callbacks));
    if (owned->staged) {
      table.staged = [](std::int64_t id, std::int64_t stall_ns, void* user_data) {
        static_cast<CheckpointTaskCallbacks*>(user_data)->staged(id, std::chrono::nanoseconds(stall_ns));
      };
    }
    if (owned->progress) {
      table.progress = [](std::int64_t id, std::int64_t done, std::int64_t total, void* user_data) {
        static_cast<CheckpointTaskCallbacks*>(user_data)->progress(id, done, total);
      };
    }
    if (owned->ended) {
      table.ended = [](const ckpt_checkpoint_task_result* result, void* user_data) {
        static_cast<CheckpointTaskCallbacks*>(user_data)->ended(detail::from_c(*result));
      };
    }
    return &table;
  }

  template <class Call>
  static std::int64_t start(const CheckpointTaskOptions& task, CheckpointTaskFunctions functions, Call&& call) {
    ckpt_checkpoint_task_options how = detail::to_c(task);
    Owned<CheckpointTaskCallbacks> callbacks;
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    how.callbacks = bind(std::move(functions.callbacks), callbacks, table);
    how.user_data = callbacks.get();
    how.destroy = callbacks ? detail::destroy<CheckpointTaskCallbacks> : nullptr;
    Owned<CheckpointTaskSource> source;
    if (functions.source) {
      source = std::make_unique<CheckpointTaskSource>(std::move(functions.source));
      how.source = [](const char* group, const char* name, const void* data, std::int64_t offset, std::int64_t bytes, void* buffer,
                      void* user_data) noexcept {
        return detail::callback_status([&] {
          (*static_cast<CheckpointTaskSource*>(user_data))(group, name, data, offset,
                                                           {static_cast<std::byte*>(buffer), static_cast<std::size_t>(bytes)});
        });
      };
      how.source_user_data = source.get();
      how.source_destroy = detail::destroy<CheckpointTaskSource>;
    }
    std::int64_t id = 0;
    check(call(how, &id));
    static_cast<void>(callbacks.release());
    static_cast<void>(source.release());
    return id;
  }

  detail::Handle<ckpt_async_manager, ckpt_async_manager_release> manager_;
};

}  // namespace ckpt

#endif  // CKPT_ASYNC_HPP
