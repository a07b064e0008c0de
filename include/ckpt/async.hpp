// async.hpp - the C++17 interface of async.h: saves and loads in the background.
//
//   ckpt::AsyncManager background(checkpoints);
//   const std::int64_t id = background.save(state, options);   the tensors may change when it returns
//   ...
//   const ckpt::CheckpointTaskResult result = background.wait(id);
//   background.close();   throws the failure of a task that no wait(id) has returned
#ifndef CKPT_ASYNC_HPP
#define CKPT_ASYNC_HPP

#include <ckpt/methods/async.hpp>
#include <ckpt/methods/async_callbacks.hpp>
#include <ckpt/state.hpp>

#include <memory_resource>

namespace ckpt {

// Returns whether a task completed.
inline bool succeeded(const CheckpointTaskResult& result) noexcept { return result.state == CheckpointTaskState::completed; }

// Functions that are notified of tasks, on threads of the manager; empty ones are not called. Exceptions are ignored.
struct CheckpointTaskCallbacks {
  std::function<void(std::int64_t id, std::chrono::nanoseconds stall)> staged;
  std::function<void(std::int64_t id, std::int64_t done_bytes, std::int64_t total_bytes)> progress;
  std::function<void(const CheckpointTaskResult& result)> ended;
};

// Copies bytes of a tensor, from offset, into buffer; see ckpt_checkpoint_task_source_fn. An exception fails the save.
using CheckpointTaskSource = std::function<void(std::string_view group, std::string_view name, const void* data,
                                                std::int64_t offset, Span<std::byte> buffer)>;

// The functions of a task.
struct CheckpointTaskFunctions {
  CheckpointTaskCallbacks callbacks;
  CheckpointTaskSource source;  // empty: the tensors are read from memory
};

class Controller;  // adaptive.hpp

class AsyncManager : public AsyncManagerMethods<AsyncManager> {
 public:
  using AsyncManagerMethods::AsyncManagerMethods;
  // staging: allocator of the memory for copies, in blocks of at most 4 MiB aligned to pages (see ckpt_staging_allocate_fn); must
  // outlive the manager and its tasks; nullptr: the library's allocator.
  explicit AsyncManager(const CheckpointManager& checkpoints, const AsyncManagerOptions& options = {},
                        CheckpointTaskCallbacks callbacks = {}, std::pmr::memory_resource* staging = nullptr)
      : AsyncManagerMethods(detail::Empty()) {
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    ckpt_async_manager_options given = detail::to_c(options);
    auto owned = bind(std::move(callbacks), table, given);
    if (staging != nullptr) {
      given.staging_allocate = allocate_staging;
      given.staging_free = free_staging;
      given.staging_user_data = staging;
    }
    check(ckpt_async_manager_create(checkpoints.handle(), &given, out()));
    static_cast<void>(owned.release());
  }

  // Returns the task's id.
  std::int64_t save(const State& state, const SaveOptions& options, const CheckpointTaskOptions& task = {},
                    CheckpointTaskFunctions functions = {}) {
    const ckpt_save_options given = detail::to_c(options);
    return start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return ckpt_async_manager_save(handle(), state.handle(), &given, &how, id);
    });
  }
  std::int64_t save(const State& state, std::int64_t step) { return save(state, detail::options_of_step<SaveOptions>(step)); }
  // No other caller may use the state until the task has ended.
  std::int64_t load(State& state, const LoadOptions& options = {}, const CheckpointTaskOptions& task = {},
                    CheckpointTaskFunctions functions = {}, Rename rename = {}) {
    return start(task, std::move(functions), [&](const ckpt_checkpoint_task_options& how, std::int64_t* id) {
      return detail::load_renamed(options, std::move(rename), [&](const ckpt_load_options& given) {
        return ckpt_async_manager_load(handle(), state.handle(), &given, &how, id);
      });
    });
  }

  using AsyncManagerMethods::wait;
  void wait_all_staged(std::chrono::nanoseconds timeout = forever) { wait_staged(CKPT_CHECKPOINT_TASK_ALL, timeout); }
  void wait_all(std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_wait(handle(), CKPT_CHECKPOINT_TASK_ALL, timeout.count(), nullptr));
  }

  // Throws the oldest failure that was not seen (see async.h), on each call the next one, or Status::timeout. The destructor
  // closes, too, but does not throw: it reports failures to the log, or else to standard error (ckpt_set_fallback_log), and to the
  // next save.
  void close(CloseMode mode = CloseMode::drain, std::chrono::nanoseconds timeout = forever) {
    AsyncManagerMethods::close(mode, timeout);
  }

 private:
  friend class Controller;  // starts tasks

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

  // Fills table and its fields in options. Returns the owner of the callbacks; nullptr if there are none.
  template <class Options>
  static std::unique_ptr<CheckpointTaskCallbacks> bind(CheckpointTaskCallbacks callbacks, ckpt_checkpoint_task_callbacks& table,
                                                       Options& options) {
    if (!callbacks.staged && !callbacks.progress && !callbacks.ended) return nullptr;
    if (callbacks.staged) table.staged = detail::call_checkpoint_task_staged<&CheckpointTaskCallbacks::staged>;
    if (callbacks.progress) table.progress = detail::call_checkpoint_task_progress<&CheckpointTaskCallbacks::progress>;
    if (callbacks.ended) table.ended = detail::call_checkpoint_task_ended<&CheckpointTaskCallbacks::ended>;
    auto owned = std::make_unique<CheckpointTaskCallbacks>(std::move(callbacks));
    options.callbacks = &table;
    options.user_data = owned.get();
    options.destroy = detail::destroy<CheckpointTaskCallbacks>;
    return owned;
  }

  template <class Call>
  static std::int64_t start(const CheckpointTaskOptions& task, CheckpointTaskFunctions functions, Call&& call) {
    ckpt_checkpoint_task_options how = detail::to_c(task);
    ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
    auto callbacks = bind(std::move(functions.callbacks), table, how);
    std::unique_ptr<CheckpointTaskSource> source;
    if (functions.source) {
      source = std::make_unique<CheckpointTaskSource>(std::move(functions.source));
      how.source = detail::call_checkpoint_task_source<&CheckpointTaskSource::operator()>;
      how.source_user_data = source.get();
      how.source_destroy = detail::destroy<CheckpointTaskSource>;
    }
    std::int64_t id = 0;
    check(call(how, &id));
    static_cast<void>(callbacks.release());
    static_cast<void>(source.release());
    return id;
  }
};

}  // namespace ckpt

#endif  // CKPT_ASYNC_HPP
