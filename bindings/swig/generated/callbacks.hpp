// Generated from include/ckpt by tools/api: do not edit.
// clang-format off
#pragma once

#include "../callbacks.hpp"

namespace ckpt_swig {

class LogListener {
 public:
  virtual ~LogListener() = default;
  virtual void message(ckpt_log_level level, const char* component, const char* given_message) = 0;
};

class ProgressListener {
 public:
  virtual ~ProgressListener() = default;
  virtual void report(int64_t done_bytes, int64_t total_bytes) = 0;
};

class ThreadHooks {
 public:
  virtual ~ThreadHooks() = default;
  virtual void start(const char* name) = 0;
  virtual void stop(const char* name) = 0;
};

class PartWork {
 public:
  virtual ~PartWork() = default;
  virtual void run(int64_t part) = 0;
};

class StorageFactory {
 public:
  virtual ~StorageFactory() = default;
  virtual ckpt_storage* make(const char* uri) = 0;
};

class Sleeper {
 public:
  virtual ~Sleeper() = default;
  virtual void sleep(int64_t duration_ns) = 0;
};

class StrategyFactory {
 public:
  virtual ~StrategyFactory() = default;
  virtual ckpt_strategy* make(const char* arguments) = 0;
};

class Keeper {
 public:
  virtual ~Keeper() = default;
  virtual bool keep(const ckpt_checkpoint_info* info) = 0;
};

class StageForward {
 public:
  virtual ~StageForward() = default;
  virtual ckpt_tensor* forward(ckpt_tensor* given_input, int32_t micro_batch) = 0;
};

class Stateful {
 public:
  virtual ~Stateful() = default;
  virtual void list(ckpt_state* into) = 0;
  virtual void restore(const ckpt_state* loaded) = 0;
};

class Listing {
 public:
#ifndef SWIG
  Listing(ckpt_storage_entry_fn add, void* listing) : add_(add), listing_(listing) {}
#endif
  void add(const char* name, bool is_directory) {
    const int32_t status = add_(listing_, name, is_directory ? 1 : 0);
    if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");
  }

 private:
  ckpt_storage_entry_fn add_;
  void* listing_;
};

class ObjectListing {
 public:
#ifndef SWIG
  ObjectListing(ckpt_storage_object_fn add, void* listing) : add_(add), listing_(listing) {}
#endif
  void add(const char* path, int64_t bytes) {
    const int32_t status = add_(listing_, path, bytes);
    if (status != CKPT_OK) throw CallbackFailure(status, "the listing was refused");
  }

 private:
  ckpt_storage_object_fn add_;
  void* listing_;
};

class RangeList {
 public:
#ifndef SWIG
  RangeList(const ckpt_storage_range* ranges, int64_t count) : ranges_(ranges), count_(count) {}
#endif
  int64_t count() const { return count_; }
  Bytes buffer(int64_t at) const { return {ranges_[at].buffer, ranges_[at].bytes, true}; }
  int64_t offset(int64_t at) const { return ranges_[at].offset; }

 private:
  const ckpt_storage_range* ranges_;
  int64_t count_;
};

class PathList {
 public:
#ifndef SWIG
  PathList(const char* const* paths, int64_t count) : paths_(paths), count_(count) {}
#endif
  int64_t count() const { return count_; }
  const char* path(int64_t at) const { return paths_[at]; }

 private:
  const char* const* paths_;
  int64_t count_;
};

inline ckpt_status set_log(ckpt_log_level min_level, LogListener* functions) {
  std::unique_ptr<LogListener> owned(functions);
  if (!functions) return ckpt_set_log(min_level, nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_set_log(min_level, detail::Calls<&LogListener::message>::tell, functions, destroy<LogListener>));
}

inline ckpt_status set_fallback_log(LogListener* functions) {
  std::unique_ptr<LogListener> owned(functions);
  if (!functions) return ckpt_set_fallback_log(nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_set_fallback_log(detail::Calls<&LogListener::message>::tell, functions, destroy<LogListener>));
}

inline ckpt_status set_progress(ProgressListener* functions) {
  std::unique_ptr<ProgressListener> owned(functions);
  if (!functions) return ckpt_set_progress(nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_set_progress(detail::Calls<&ProgressListener::report>::run, functions,
                     destroy<ProgressListener>));
}

inline ckpt_status add_thread_hooks(ThreadHooks* functions, int64_t* id) {
  std::unique_ptr<ThreadHooks> owned(functions);
  if (!functions) return ckpt_add_thread_hooks(nullptr, nullptr, nullptr, nullptr, id);
  return handed_over(owned, ckpt_add_thread_hooks(detail::Calls<&ThreadHooks::start>::tell,
                     detail::Calls<&ThreadHooks::stop>::tell, functions, destroy<ThreadHooks>, id));
}

inline ckpt_status worker_pool_run(ckpt_worker_pool* pool, int64_t part_count, PartWork* functions) {
  if (!functions) return ckpt_worker_pool_run(pool, part_count, nullptr, nullptr);
  return ckpt_worker_pool_run(pool, part_count, detail::Calls<&PartWork::run>::run, functions);
}

inline ckpt_status storage_register_scheme(const char* scheme, StorageFactory* functions) {
  std::unique_ptr<StorageFactory> owned(functions);
  if (!functions) return ckpt_storage_register_scheme(scheme, nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_storage_register_scheme(scheme, detail::Calls<&StorageFactory::make>::give, functions,
                     destroy<StorageFactory>));
}

inline ckpt_status strategy_register(const char* name, StrategyFactory* functions) {
  std::unique_ptr<StrategyFactory> owned(functions);
  if (!functions) return ckpt_strategy_register(name, nullptr, nullptr, nullptr);
  return handed_over(owned, ckpt_strategy_register(name, detail::Calls<&StrategyFactory::make>::give, functions,
                     destroy<StrategyFactory>));
}

inline ckpt_status activation_manager_create(const ckpt_activation_policy* policy,
                                             const ckpt_activation_manager_options* options, StageForward* functions,
                                             ckpt_activation_manager** manager) {
  std::unique_ptr<StageForward> owned(functions);
  if (!functions) return ckpt_activation_manager_create(policy, options, nullptr, nullptr, nullptr, manager);
  return handed_over(owned, ckpt_activation_manager_create(policy, options, detail::Calls<&StageForward::forward>::give,
                     functions, destroy<StageForward>, manager));
}

inline ckpt_status state_add_stateful(ckpt_state* state, const char* name, Stateful* functions) {
  std::unique_ptr<Stateful> owned(functions);
  if (!functions) return ckpt_state_add_stateful(state, name, nullptr, nullptr, nullptr);
  ckpt_stateful_callbacks table = CKPT_STATEFUL_CALLBACKS_INIT;
  table.list = detail::Calls<&Stateful::list>::run;
  table.restore = detail::Calls<&Stateful::restore>::run;
  return handed_over(owned, ckpt_state_add_stateful(state, name, &table, functions, destroy<Stateful>));
}

}  // namespace ckpt_swig
