// callbacks.hpp - the C API's callbacks as classes with virtual functions, which SWIG lets other languages derive from (directors).
//
// Functions here bear the names of the C functions that they stand for; the generated code uses them in their place. Each takes an
// object of one of the classes below and owns it from then on, also when it fails: it is deleted after the last call. An exception
// never leaves a callback: it becomes the callback's status, and its text the reason.
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

// Set when the language's machine goes down: nothing may call into it any more.
inline std::atomic<bool> machine_closed{false};

// What a director throws when the other language's function failed.
class CallbackFailure : public std::exception {
 public:
  CallbackFailure(int32_t status, std::string text) : status_(status), text_(std::move(text)) {}
  const char* what() const noexcept override { return text_.c_str(); }
  int32_t status() const noexcept { return status_; }

 private:
  int32_t status_;
  std::string text_;
};

// Memory that is lent for one call; data is NULL where there is nothing.
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
  int64_t ndim;
};
struct LayerContext {
  const ckpt_layer_context* value;
};
struct LayerBytes {
  ckpt_layer_option value;
};

#ifndef SWIG
template <class Call>
int32_t guarded(const Call& call) noexcept {
  if (machine_closed.load(std::memory_order_relaxed)) {
    ckpt_callback_error("the interpreter is shutting down");
    return 1;
  }
  try {
    call();
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
  if (!machine_closed.load(std::memory_order_relaxed)) delete static_cast<Object*>(object);
}

// The object belongs to the library when the call that took it went well.
template <class Object>
ckpt_status handed_over(std::unique_ptr<Object>& object, ckpt_status status) {
  if (status == CKPT_OK) object.release();
  return status;
}
#endif

class LogListener {
 public:
  virtual ~LogListener() = default;
  virtual void message(int32_t level, const char* component, const char* message) = 0;
};

class ThreadHooks {
 public:
  virtual ~ThreadHooks() = default;
  virtual void start(const char* name) = 0;
  virtual void stop(const char* name) = 0;
};

class ClockSource {
 public:
  virtual ~ClockSource() = default;
  virtual int64_t now() = 0;
#ifndef SWIG
  std::atomic<int64_t> last{0};
#endif
};

class PartWork {
 public:
  virtual ~PartWork() = default;
  virtual void run(int64_t part) = 0;
};

class MemoryListener {
 public:
  virtual ~MemoryListener() = default;
  virtual void on_event(int32_t kind, uint64_t sequence, uint64_t allocation, int64_t bytes, int64_t current_bytes,
                        int64_t peak_bytes, int64_t limit_bytes, int64_t time_ns, const char* layer_name, int32_t layer) = 0;
};

class StrategyFunctions {
 public:
  virtual ~StrategyFunctions() = default;
  virtual bool decide(const char* layer_name, int32_t dtype, Shape shape, int64_t bytes, int64_t layer_index) = 0;
  virtual void reset() = 0;
  virtual void access(const char* layer_name) = 0;
};

class StrategyFactory {
 public:
  virtual ~StrategyFactory() = default;
  // Hands out one reference.
  virtual ckpt_strategy* make(const char* arguments) = 0;
};

// Passed to StorageFunctions::list.
class Listing {
 public:
#ifndef SWIG
  Listing(ckpt_storage_entry_fn entry, void* listing) : entry_(entry), listing_(listing) {}
#endif
  void add(const char* name, bool is_directory) {
    const int32_t status = entry_(listing_, name, is_directory ? 1 : 0);
    if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");
  }

 private:
  ckpt_storage_entry_fn entry_;
  void* listing_;
};

// Files and locks are numbers of the other language's choice.
class StorageFunctions {
 public:
  virtual ~StorageFunctions() = default;
  virtual int64_t create(const char* path) = 0;
  virtual int64_t open(const char* path) = 0;
  virtual void close(int64_t file) = 0;
  virtual int64_t file_size(int64_t file) = 0;
  virtual int64_t read(int64_t file, int64_t offset, Bytes buffer) = 0;
  virtual void write(int64_t file, int64_t offset, Bytes buffer) = 0;
  virtual void sync(int64_t file) = 0;
  virtual void rename(const char* from_path, const char* to_path) = 0;
  virtual void remove(const char* path) = 0;
  virtual void remove_directory(const char* path) = 0;
  virtual void make_directory(const char* path) = 0;
  virtual void sync_directory(const char* path) = 0;
  virtual void list(const char* path, Listing* listing) = 0;
  virtual int64_t size(const char* path) = 0;
  virtual int64_t lock(const char* path) = 0;
  virtual void unlock(int64_t lock) = 0;
};

class Sleeper {
 public:
  virtual ~Sleeper() = default;
  virtual void sleep(int64_t ns) = 0;
};

class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void list(ckpt_state* into) = 0;
  virtual void restore(const ckpt_state* loaded) = 0;
};

class CoordinatorFunctions {
 public:
  virtual ~CoordinatorFunctions() = default;
  virtual void barrier(int64_t timeout_ns) = 0;
  virtual void broadcast(Bytes data, int64_t root, int64_t timeout_ns) = 0;
  virtual void all_gather(Bytes sent, Bytes received, int64_t timeout_ns) = 0;
#ifndef SWIG
  int64_t world_size = 1;
#endif
};

class LayerFunctions {
 public:
  virtual ~LayerFunctions() = default;
  virtual Spec output(Spec input) = 0;
  virtual LayerBytes option(Spec input, int32_t option) = 0;
  virtual void forward(LayerContext context, Bytes input, Bytes output, Bytes tape, Bytes workspace) = 0;
  virtual void backward(LayerContext context, Bytes input, Bytes output, Bytes tape, Bytes grad_output, Bytes grad_input,
                        Bytes workspace) = 0;
  virtual void save_ambient(Bytes state) = 0;
  virtual void restore_ambient(Bytes state) = 0;
#ifndef SWIG
  int64_t ambient_bytes = 0;
#endif
};

// ---- What hands them to the library --------------------------------------------------------------------------------------

#ifndef SWIG
namespace detail {

inline int64_t spec_bytes(const ckpt_tensor_spec& spec) {
  int64_t elements = 1;
  for (int32_t i = 0; i < spec.ndim; ++i) elements *= spec.shape[i];
  return elements * ckpt_dtype_bits(spec.dtype) / 8;
}

inline Bytes readable(const void* data, int64_t size) { return Bytes{const_cast<void*>(data), size, false}; }
inline Bytes writable(void* data, int64_t size) { return Bytes{data, size, true}; }

inline int64_t file_number(void* file) { return static_cast<int64_t>(reinterpret_cast<intptr_t>(file)); }
inline void* file_pointer(int64_t file) { return reinterpret_cast<void*>(static_cast<intptr_t>(file)); }

inline StorageFunctions& storage(void* user) { return *static_cast<StorageFunctions*>(user); }
inline LayerFunctions& layer(void* user) { return *static_cast<LayerFunctions*>(user); }
inline CoordinatorFunctions& coordinator(void* user) { return *static_cast<CoordinatorFunctions*>(user); }

template <int64_t (StorageFunctions::*method)(const char*)>
int32_t open_file(const char* path, void** file, void* user) {
  return guarded([&] { *file = file_pointer((storage(user).*method)(path)); });
}
template <void (StorageFunctions::*method)(const char*)>
int32_t on_path(const char* path, void* user) {
  return guarded([&] { (storage(user).*method)(path); });
}
template <void (StorageFunctions::*method)(int64_t)>
void close_file(void* file, void* user) {
  (void)guarded([&] { (storage(user).*method)(file_number(file)); });
}

inline ckpt_storage_callbacks storage_callbacks() {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  table.create = open_file<&StorageFunctions::create>;
  table.open = open_file<&StorageFunctions::open>;
  table.lock = open_file<&StorageFunctions::lock>;
  table.close = close_file<&StorageFunctions::close>;
  table.unlock = close_file<&StorageFunctions::unlock>;
  table.file_size = [](void* file, int64_t* bytes, void* user) {
    return guarded([&] { *bytes = storage(user).file_size(file_number(file)); });
  };
  table.read = [](void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user) {
    return guarded([&] {
      const int64_t count = storage(user).read(file_number(file), offset, writable(buffer, bytes));
      if (count < 0 || count > bytes) throw CallbackFailure(1, "read returned a count outside its buffer");
      *read = count;
    });
  };
  table.write = [](void* file, int64_t offset, const void* buffer, int64_t bytes, void* user) {
    return guarded([&] { storage(user).write(file_number(file), offset, readable(buffer, bytes)); });
  };
  table.sync = [](void* file, void* user) { return guarded([&] { storage(user).sync(file_number(file)); }); };
  table.rename = [](const char* from, const char* to, void* user) { return guarded([&] { storage(user).rename(from, to); }); };
  table.remove = on_path<&StorageFunctions::remove>;
  table.remove_directory = on_path<&StorageFunctions::remove_directory>;
  table.make_directory = on_path<&StorageFunctions::make_directory>;
  table.sync_directory = on_path<&StorageFunctions::sync_directory>;
  table.list = [](const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) {
    return guarded([&] {
      Listing names(entry, listing);
      storage(user).list(path, &names);
    });
  };
  table.size = [](const char* path, int64_t* bytes, void* user) { return guarded([&] { *bytes = storage(user).size(path); }); };
  return table;
}

inline LayerBytes option_of(void* user, const ckpt_tensor_spec* input, int32_t option) {
  return layer(user).option(Spec{*input}, option);
}

inline ckpt_layer_callbacks layer_callbacks(uint32_t flags, int32_t options, int64_t ambient_bytes) {
  ckpt_layer_callbacks table = CKPT_LAYER_CALLBACKS_INIT;
  table.flags = flags;
  table.options = options;
  table.ambient_bytes = ambient_bytes;
  table.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user) {
    return guarded([&] { *output = layer(user).output(Spec{*input}).value; });
  };
  table.option = [](const ckpt_tensor_spec* input, int32_t option, ckpt_layer_option* out, void* user) {
    return guarded([&] { *out = option_of(user, input, option).value; });
  };
  table.forward = [](const ckpt_layer_context* context, const void* input, void* output, void* tape, void* workspace, void* user) {
    return guarded([&] {
      const ckpt_layer_option bytes = option_of(user, context->input, context->option).value;
      layer(user).forward(LayerContext{context}, readable(input, spec_bytes(*context->input)),
                          writable(output, spec_bytes(*context->output)), writable(tape, bytes.tape_bytes),
                          writable(workspace, bytes.forward_workspace_bytes));
    });
  };
  table.backward = [](const ckpt_layer_context* context, const void* input, const void* output, const void* tape,
                      const void* grad_output, void* grad_input, void* workspace, void* user) {
    return guarded([&] {
      const ckpt_layer_option bytes = option_of(user, context->input, context->option).value;
      const int64_t in_bytes = spec_bytes(*context->input);
      const int64_t out_bytes = spec_bytes(*context->output);
      layer(user).backward(LayerContext{context}, readable(input, in_bytes), readable(output, out_bytes),
                           readable(tape, bytes.tape_bytes), readable(grad_output, out_bytes), writable(grad_input, in_bytes),
                           writable(workspace, bytes.backward_workspace_bytes));
    });
  };
  if (ambient_bytes > 0) {
    table.save_ambient = [](void* state, void* user) {
      return guarded([&] { layer(user).save_ambient(writable(state, layer(user).ambient_bytes)); });
    };
    table.restore_ambient = [](const void* state, void* user) {
      return guarded([&] { layer(user).restore_ambient(readable(state, layer(user).ambient_bytes)); });
    };
  }
  return table;
}

inline ckpt_strategy_callbacks strategy_callbacks() {
  ckpt_strategy_callbacks table = CKPT_STRATEGY_CALLBACKS_INIT;
  table.decide = [](const ckpt_strategy_question* question, int32_t* answer, void* user) {
    return guarded([&] {
      *answer =
          static_cast<StrategyFunctions*>(user)->decide(
              question->layer_name, question->dtype, Shape{question->shape, question->ndim}, question->bytes, question->layer_index)
              ? 1
              : 0;
    });
  };
  table.reset = [](void* user) { return guarded([&] { static_cast<StrategyFunctions*>(user)->reset(); }); };
  table.access = [](const char* layer_name, void* user) {
    return guarded([&] { static_cast<StrategyFunctions*>(user)->access(layer_name); });
  };
  return table;
}

}  // namespace detail
#endif

inline ckpt_status set_log(int32_t min_level, LogListener* listener) {
  std::unique_ptr<LogListener> owned(listener);
  if (!listener) return ckpt_set_log(min_level, nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_set_log(
                                min_level,
                                [](int32_t level, const char* component, const char* message, void* user) {
                                  (void)guarded([&] { static_cast<LogListener*>(user)->message(level, component, message); });
                                },
                                listener, destroy<LogListener>));
}

inline ckpt_status add_thread_hooks(ThreadHooks* hooks, int64_t* id) {
  std::unique_ptr<ThreadHooks> owned(hooks);
  return handed_over(
      owned, ckpt_add_thread_hooks(
                 [](const char* name, void* user) { (void)guarded([&] { static_cast<ThreadHooks*>(user)->start(name); }); },
                 [](const char* name, void* user) { (void)guarded([&] { static_cast<ThreadHooks*>(user)->stop(name); }); }, hooks,
                 destroy<ThreadHooks>, id));
}

// A source that fails gives the time that it gave last.
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

// The work stays the caller's: it is used during the call only.
inline ckpt_status thread_pool_run(ckpt_thread_pool* pool, int64_t parts, PartWork* work) {
  return ckpt_thread_pool_run(
      pool, parts, [](int64_t part, void* user) { return guarded([&] { static_cast<PartWork*>(user)->run(part); }); }, work);
}

inline ckpt_status memory_tracker_subscribe(ckpt_memory_tracker* tracker, uint32_t kinds, MemoryListener* listener,
                                            int64_t* subscription) {
  std::unique_ptr<MemoryListener> owned(listener);
  return handed_over(owned, ckpt_memory_tracker_subscribe(
                                tracker, kinds,
                                [](const ckpt_memory_event* e, void* user) {
                                  return guarded([&] {
                                    static_cast<MemoryListener*>(user)->on_event(e->kind, e->sequence, e->allocation, e->bytes,
                                                                                 e->current_bytes, e->peak_bytes, e->limit_bytes,
                                                                                 e->time_ns, e->layer_name, e->layer);
                                  });
                                },
                                listener, destroy<MemoryListener>, subscription));
}

inline ckpt_status strategy_create_custom(const char* name, StrategyFunctions* functions, ckpt_strategy** strategy) {
  std::unique_ptr<StrategyFunctions> owned(functions);
  const ckpt_strategy_callbacks table = detail::strategy_callbacks();
  return handed_over(owned, ckpt_strategy_create_custom(name, &table, functions, destroy<StrategyFunctions>, strategy));
}

inline ckpt_status strategy_register(const char* name, StrategyFactory* factory) {
  std::unique_ptr<StrategyFactory> owned(factory);
  return handed_over(owned, ckpt_strategy_register(
                                name,
                                [](const char* arguments, ckpt_strategy** strategy, void* user) {
                                  return guarded([&] { *strategy = static_cast<StrategyFactory*>(user)->make(arguments); });
                                },
                                factory, destroy<StrategyFactory>));
}

inline ckpt_status storage_create_custom(const char* name, StorageFunctions* functions, ckpt_storage** storage) {
  std::unique_ptr<StorageFunctions> owned(functions);
  const ckpt_storage_callbacks table = detail::storage_callbacks();
  return handed_over(owned, ckpt_storage_create_custom(name, &table, functions, destroy<StorageFunctions>, storage));
}

// sleeper NULL really sleeps.
inline ckpt_status fault_handler_create(const ckpt_fault_handler_options* options, Sleeper* sleeper, ckpt_fault_handler** handler) {
  std::unique_ptr<Sleeper> owned(sleeper);
  if (!sleeper) return ckpt_fault_handler_create(options, nullptr, nullptr, nullptr, handler);
  return handed_over(
      owned, ckpt_fault_handler_create(
                 options, [](int64_t ns, void* user) { (void)guarded([&] { static_cast<Sleeper*>(user)->sleep(ns); }); }, sleeper,
                 destroy<Sleeper>, handler));
}

inline ckpt_status state_add_stateful(ckpt_state* state, const char* name, Stateful* object) {
  std::unique_ptr<Stateful> owned(object);
  ckpt_stateful_callbacks table = CKPT_STATEFUL_CALLBACKS_INIT;
  table.list = [](ckpt_state* into, void* user) { return guarded([&] { static_cast<Stateful*>(user)->list(into); }); };
  table.restore = [](const ckpt_state* loaded, void* user) {
    return guarded([&] { static_cast<Stateful*>(user)->restore(loaded); });
  };
  table.destroy = destroy<Stateful>;
  return handed_over(owned, ckpt_state_add_stateful(state, name, &table, object));
}

inline ckpt_status coordinator_create_custom(int64_t rank, int64_t world_size, CoordinatorFunctions* functions,
                                             ckpt_coordinator** coordinator) {
  std::unique_ptr<CoordinatorFunctions> owned(functions);
  if (functions) functions->world_size = world_size;
  ckpt_coordinator_callbacks table = CKPT_COORDINATOR_CALLBACKS_INIT;
  table.rank = rank;
  table.world_size = world_size;
  table.barrier = [](int64_t timeout_ns, void* user) { return guarded([&] { detail::coordinator(user).barrier(timeout_ns); }); };
  table.broadcast = [](void* data, int64_t bytes, int64_t root, int64_t timeout_ns, void* user) {
    return guarded([&] { detail::coordinator(user).broadcast(detail::writable(data, bytes), root, timeout_ns); });
  };
  table.all_gather = [](const void* sent, int64_t bytes, void* received, int64_t timeout_ns, void* user) {
    return guarded([&] {
      CoordinatorFunctions& functions_of = detail::coordinator(user);
      functions_of.all_gather(detail::readable(sent, bytes), detail::writable(received, bytes * functions_of.world_size),
                              timeout_ns);
    });
  };
  table.destroy = destroy<CoordinatorFunctions>;
  return handed_over(owned, ckpt_coordinator_create_custom(&table, functions, coordinator));
}

inline ckpt_status layer_create_custom(const char* name, uint32_t flags, int32_t options, int64_t ambient_bytes,
                                       LayerFunctions* functions, ckpt_layer** layer) {
  std::unique_ptr<LayerFunctions> owned(functions);
  if (functions) functions->ambient_bytes = ambient_bytes;
  const ckpt_layer_callbacks table = detail::layer_callbacks(flags, options, ambient_bytes);
  return handed_over(owned, ckpt_layer_create_custom(name, &table, functions, destroy<LayerFunctions>, layer));
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_CALLBACKS_HPP
