// Generated from include/ckpt by tools/api: do not edit.
// async.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_ASYNC_HPP
#define CKPT_METHODS_ASYNC_HPP

#include <ckpt/async.h>
#include <ckpt/base.hpp>
#include <ckpt/values/async.hpp>
#include <ckpt/values/state.hpp>

#include <chrono>
#include <cstdint>
#include <vector>

namespace ckpt {

template <class Self>
class AsyncManagerMethods : public detail::Object<Self, ckpt_async_manager, ckpt_async_manager_release> {
  using Base = detail::Object<Self, ckpt_async_manager, ckpt_async_manager_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Closes the manager: accepts no new tasks, ends the tasks as mode specifies, and stops the threads; all callbacks have
  // returned by then. timeout: maximum time for draining (-1: forever); after that, remaining tasks are cancelled and the call
  // returns Status::timeout. A failure that was not seen is reported here (see Failures in the documentation of async; its
  // message also names the time-out), and the manager is still closed. Closing again reports the next failure, and returns
  // Status::ok when there is none. Status::invalid_state inside a callback: the manager stays open.
  void close(CloseMode mode = CloseMode::drain, std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_close(handle(), static_cast<ckpt_close_mode>(mode), timeout.count()));
  }
  // Asks a task to stop. Returns true if the task ends Status::cancelled because of this call, and leaves no files; false if the
  // task had ended, was cancelled before, or can no longer be undone (the manifest of a save is being written; the tensors of a
  // load are being filled). A queued task ends, and releases its place, before this returns; a running one ends within its next
  // 4 MiB. Another thread may still copy a block of the tensors: change or free them only after a wait for the task, or in its
  // ended callback. Status::not_found for an id that is unknown or no longer in the history. Not async-signal-safe.
  bool cancel(std::int64_t id) {
    ckpt_bool result = 0;
    check(ckpt_async_manager_cancel(handle(), id, &result));
    return result != 0;
  }
  // Waits until a save is staged or has ended: its tensors may be written. id: 0 waits for all saves. timeout: nanoseconds, -1
  // forever. Status::timeout; Status::not_found as AsyncManager::cancel; Status::invalid_state inside a callback.
  void wait_staged(std::int64_t id, std::chrono::nanoseconds timeout = forever) {
    check(ckpt_async_manager_wait_staged(handle(), id, timeout.count()));
  }
  // Waits until the task has ended, in any final state, and its callbacks have returned (inside a callback: or will return).
  // Returns the outcome, and a failure counts as seen; result may be nullptr, and then a failure does not count as seen. id: 0
  // waits for all tasks; result must be nullptr then. Errors as AsyncManager::wait_staged.
  CheckpointTaskResult wait(std::int64_t id, std::chrono::nanoseconds timeout = forever) {
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    check(ckpt_async_manager_wait(handle(), id, timeout.count(), &result));
    return detail::from_c(result);
  }
  // Fills result as CheckpointManager::save does. Status::invalid_state unless the task is a save that has completed;
  // Status::not_found.
  SaveResult save_result(std::int64_t id) const {
    ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
    check(ckpt_async_manager_get_save_result(handle(), id, &result));
    return detail::from_c(result);
  }
  // Fills result as CheckpointManager::load does. Status::invalid_state unless the task is a load that has completed;
  // Status::not_found.
  LoadResult load_result(std::int64_t id) const {
    ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
    check(ckpt_async_manager_get_load_result(handle(), id, &result));
    return detail::from_c(result);
  }
  // Reports that a step has ended: tasks with a gate_step up to this step may start. A lower step than before has no effect.
  void end_step(std::int64_t step) {
    check(ckpt_async_manager_end_step(handle(), step));
  }
  // Returns the current information about a task. Status::not_found as AsyncManager::cancel.
  CheckpointTaskInfo task(std::int64_t id) const {
    ckpt_checkpoint_task_info result = CKPT_CHECKPOINT_TASK_INFO_INIT;
    check(ckpt_async_manager_get_task(handle(), id, &result));
    return detail::from_c(result);
  }
  // Lists ids of tasks. which: CheckpointTaskList::live or CheckpointTaskList::ended. count receives how many there are; ids
  // (may be nullptr with capacity 0) the first capacity of them.
  std::vector<std::int64_t> list(CheckpointTaskList which) const {
    const auto ask = [&](std::int64_t* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_async_manager_list(handle(), static_cast<ckpt_checkpoint_task_list>(which), list, capacity, count);
    };
    return detail::list_of<std::int64_t>(0, ask);
  }
  // Returns counters of the manager's tasks and bytes: a snapshot while tasks are active.
  AsyncManagerStats stats() const {
    ckpt_async_manager_stats result = CKPT_ASYNC_MANAGER_STATS_INIT;
    check(ckpt_async_manager_get_stats(handle(), &result));
    return detail::from_c(result);
  }
};

}  // namespace ckpt

#endif
