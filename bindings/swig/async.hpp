// async.hpp - listeners and sources of background tasks as classes that other languages derive from. See callbacks.hpp for
// ownership.
#ifndef CKPT_SWIG_ASYNC_HPP
#define CKPT_SWIG_ASYNC_HPP

#include <ckpt/ckpt.h>

#include <memory>

#include "callbacks.hpp"
#include "state.hpp"

namespace ckpt_swig {

// Notified of tasks, on threads of the manager; see ckpt_checkpoint_task_callbacks. result is valid during the call only.
class AsyncListener {
 public:
  virtual ~AsyncListener() = default;
  // Selects the calls to make, before the object is handed over. An unneeded call would still wait for the language's lock.
  void wants(bool staged, bool progress) {
    wants_staged = staged;
    wants_progress = progress;
  }
  virtual void staged(int64_t id, int64_t stall_ns) = 0;
  virtual void progress(int64_t id, int64_t done_bytes, int64_t total_bytes) = 0;
  virtual void ended(const ckpt_checkpoint_task_result* result) = 0;
#ifndef SWIG
  bool wants_staged = true;
  bool wants_progress = true;
#endif
};

// Fills buffer with a tensor's bytes from offset on; see ckpt_checkpoint_task_source_fn. data is the tensor's pointer as a number.
class AsyncSource {
 public:
  virtual ~AsyncSource() = default;
  virtual void read(const char* group, const char* name, int64_t data, int64_t offset, Bytes buffer) = 0;
};

#ifndef SWIG
namespace detail {

inline ckpt_checkpoint_task_callbacks async_callbacks(const AsyncListener* listener) {
  ckpt_checkpoint_task_callbacks table = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  if (listener && listener->wants_staged) table.staged = Calls<&AsyncListener::staged>::tell;
  if (listener && listener->wants_progress) table.progress = Calls<&AsyncListener::progress>::tell;
  table.ended = Calls<&AsyncListener::ended>::tell;
  return table;
}

inline int32_t read_source(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                           void* user) {
  return guarded([&] {
    static_cast<AsyncSource*>(user)->read(group, name, static_cast<int64_t>(reinterpret_cast<intptr_t>(data)), offset,
                                          writable(buffer, bytes));
  });
}

// Starts a task by call(options with the callbacks); on success the library owns both objects.
template <class Call>
ckpt_status start_task(const ckpt_checkpoint_task_options* options, AsyncListener* listener, AsyncSource* source,
                       const Call& call) {
  std::unique_ptr<AsyncListener> owned_listener(listener);
  std::unique_ptr<AsyncSource> owned_source(source);
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  if (options) task = *options;
  const ckpt_checkpoint_task_callbacks table = async_callbacks(listener);
  task.callbacks = listener ? &table : nullptr;
  task.user_data = listener;
  task.destroy = listener ? destroy<AsyncListener> : nullptr;
  task.source = source ? read_source : nullptr;
  task.source_user_data = source;
  task.source_destroy = source ? destroy<AsyncSource> : nullptr;
  return handed_over(owned_listener, handed_over(owned_source, call(&task)));
}

}  // namespace detail
#endif

// listener NULL: no object is notified.
inline ckpt_status async_manager_create(ckpt_checkpoint_manager* checkpoints, const ckpt_async_manager_options* options,
                                        AsyncListener* listener, ckpt_async_manager** manager) {
  std::unique_ptr<AsyncListener> owned(listener);
  ckpt_async_manager_options given = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  if (options) given = *options;
  const ckpt_checkpoint_task_callbacks table = detail::async_callbacks(listener);
  given.callbacks = listener ? &table : nullptr;
  given.user_data = listener;
  given.destroy = listener ? destroy<AsyncListener> : nullptr;
  return handed_over(owned, ckpt_async_manager_create(checkpoints, &given, manager));
}

// source NULL: the tensors are in memory.
inline ckpt_status async_manager_save(ckpt_async_manager* manager, const ckpt_state* state, const ckpt_save_options* options,
                                      const ckpt_checkpoint_task_options* task, AsyncListener* listener, AsyncSource* source,
                                      int64_t* id) {
  return detail::start_task(task, listener, source, [&](const ckpt_checkpoint_task_options* how) {
    return ckpt_async_manager_save(manager, state, options, how, id);
  });
}

inline ckpt_status async_manager_load(ckpt_async_manager* manager, ckpt_state* state, const ckpt_load_options* options,
                                      const ckpt_checkpoint_task_options* task, AsyncListener* listener, Renamer* renamer,
                                      int64_t* id) {
  return detail::start_task(task, listener, nullptr, [&](const ckpt_checkpoint_task_options* how) {
    return detail::load_renamed(
        options, renamer, [&](const ckpt_load_options* given) { return ckpt_async_manager_load(manager, state, given, how, id); });
  });
}

inline ckpt_status controller_save_async(ckpt_controller* controller, double now_seconds, ckpt_async_manager* manager,
                                         ckpt_state* state, const ckpt_save_options* options,
                                         const ckpt_checkpoint_task_options* task, AsyncListener* listener, AsyncSource* source,
                                         int64_t* id) {
  return detail::start_task(task, listener, source, [&](const ckpt_checkpoint_task_options* how) {
    return ckpt_controller_save_async(controller, now_seconds, manager, state, options, how, id);
  });
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_ASYNC_HPP
