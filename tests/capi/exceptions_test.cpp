// C++ callbacks that throw: the call fails with CALLBACK and the exception's text; an exception without a caller to report to
// becomes an ERROR record of the log. Nothing hangs, leaks or terminates. The callbacks of storages, layers, drivers and
// coordinators are rows of two tables; the others have separate tests. The last test detects callbacks without a test.
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cctype>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <ostream>
#include <regex>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <utility>

#include <ckpt/ckpt.h>

#include "../memory/named.h"

namespace {

// Thrown by every callback here, half of the time; not derived from std::exception.
struct Odd {};
bool throws_odd = false;
std::atomic<int> thrown = 0;

[[noreturn]] void raise(const char* text) {
  ++thrown;
  if (throws_odd) throw Odd();
  throw std::runtime_error(text);
}

std::mutex log_mutex;
std::string log_text;

void take_log(std::int32_t level, const char* component, const char* message, void*) {
  const std::lock_guard lock(log_mutex);
  if (level == CKPT_LOG_LEVEL_ERROR) log_text += std::string(component) + ": " + message + "\n";
}

std::string taken_log() {
  const std::lock_guard lock(log_mutex);
  return std::exchange(log_text, "");
}

void expect_exception_in(const std::string& message, const std::string& who) {
  EXPECT_NE(message.find(who), std::string::npos) << message;
  EXPECT_NE(message.find(throws_odd ? "an exception of unknown type" : "thrown text"), std::string::npos) << message;
}

void expect_callback_error(ckpt_status status, const char* who) {
  EXPECT_EQ(status, CKPT_E_CALLBACK) << who << ": " << ckpt_last_error();
  expect_exception_in(ckpt_last_error(), who);
}

// Collects the log. A call that hangs ends the process after a while.
class Bounded : public testing::Test {
 protected:
  explicit Bounded(bool odd) {
    alarm(300);
    throws_odd = odd;
    EXPECT_EQ(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, take_log, nullptr, nullptr), CKPT_OK);
    taken_log();
  }
  ~Bounded() override {
    ckpt_set_log(CKPT_LOG_LEVEL_ERROR, nullptr, nullptr, nullptr);
    alarm(0);
  }

  static void expect_logged(const std::string& function) {
    expect_exception_in(taken_log(), "the callback '" + function + "' threw an exception");
  }
};

class Throwing : public Bounded, public testing::WithParamInterface<bool> {
 protected:
  Throwing() : Bounded(GetParam()) {}

  // Set for the process, and only before the first matrix product.
  static void SetUpTestSuite() {
    ckpt_blas blas = CKPT_BLAS_INIT;
    blas.sgemm = [](int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int) {
      raise("thrown text");
    };
    blas.dgemm = [](int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) {
      raise("thrown text");
    };
    ASSERT_EQ(ckpt_blas_set(&blas), CKPT_OK) << ckpt_last_error();
  }
};

// A storage in memory, and a state with a tensor and a value.
struct Memory {
  Memory() {
    EXPECT_EQ(ckpt_storage_create_memory(&storage), CKPT_OK);
    EXPECT_EQ(ckpt_state_create(&state), CKPT_OK);
    EXPECT_EQ(ckpt_state_set_json(state, "key", "1"), CKPT_OK);
    ckpt_tensor* tensor = nullptr;
    const std::int64_t shape = 4;
    EXPECT_EQ(ckpt_tensor_create(CKPT_DTYPE_F32, &shape, 1, nullptr, &tensor), CKPT_OK);
    EXPECT_EQ(ckpt_tensor_fill(tensor, 1), CKPT_OK);
    EXPECT_EQ(ckpt_state_add_tensor(state, "group", "w", tensor), CKPT_OK);
    ckpt_tensor_release(tensor);
  }
  ~Memory() {
    ckpt_state_release(state);
    ckpt_checkpoint_manager_release(manager);
    ckpt_storage_release(storage);
  }
  void open(const ckpt_checkpoint_manager_options* options = nullptr) {
    EXPECT_EQ(ckpt_checkpoint_manager_create(storage, options, &manager), CKPT_OK);
  }
  ckpt_status save(std::int64_t step) {
    ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
    options.step = step;
    return ckpt_checkpoint_manager_save(manager, state, &options, nullptr);
  }
  ckpt_storage* storage = nullptr;
  ckpt_state* state = nullptr;
  ckpt_checkpoint_manager* manager = nullptr;
};

TEST_P(Throwing, BackgroundTasksStillEnd) {
  Memory memory;
  memory.open();
  ckpt_async_manager* manager = nullptr;
  ASSERT_EQ(ckpt_async_manager_create(memory.manager, nullptr, &manager), CKPT_OK);
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  callbacks.staged = [](std::int64_t, std::int64_t, void*) { raise("thrown text"); };
  callbacks.progress = [](std::int64_t, std::int64_t, std::int64_t, void*) { raise("thrown text"); };
  callbacks.ended = [](const ckpt_checkpoint_task_result*, void*) { raise("thrown text"); };
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.callbacks = &callbacks;
  task.destroy = [](void*) { raise("thrown text"); };
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  for (std::int64_t step = 1; step <= 3; ++step) {
    options.step = step;
    std::int64_t id = 0;
    ASSERT_EQ(ckpt_async_manager_save(manager, memory.state, &options, &task, &id), CKPT_OK);
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    ASSERT_EQ(ckpt_async_manager_wait(manager, id, 60'000'000'000, &result), CKPT_OK) << ckpt_last_error();
    EXPECT_EQ(result.state, CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  }
  EXPECT_EQ(ckpt_async_manager_close(manager, CKPT_CLOSE_MODE_DRAIN, 60'000'000'000), CKPT_OK);
  ckpt_async_manager_release(manager);
  const std::string text = taken_log();
  for (const char* function : {"staged", "progress", "ended", "destroy"})
    EXPECT_NE(text.find(std::string("the callback '") + function + "' threw"), std::string::npos) << text;
}

TEST_P(Throwing, ASourceFailsItsTaskOnly) {
  Memory memory;
  memory.open();
  ckpt_async_manager* manager = nullptr;
  ASSERT_EQ(ckpt_async_manager_create(memory.manager, nullptr, &manager), CKPT_OK);
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.source = [](const char*, const char*, const void*, std::int64_t, std::int64_t, void*, void*) -> std::int32_t {
    raise("thrown text");
  };
  std::int64_t id = 0;
  const ckpt_status status = ckpt_async_manager_save(manager, memory.state, nullptr, &task, &id);
  if (status == CKPT_OK) {
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    ASSERT_EQ(ckpt_async_manager_wait(manager, id, 60'000'000'000, &result), CKPT_OK);
    EXPECT_EQ(result.state, CKPT_CHECKPOINT_TASK_STATE_FAILED);
    EXPECT_EQ(result.status, CKPT_E_CALLBACK);
    EXPECT_NE(std::string(result.error).find("source of tensor 'w'"), std::string::npos) << result.error;
  } else {
    expect_callback_error(status, "source of tensor 'w'");
  }
  ckpt_async_manager_release(manager);
}

TEST_P(Throwing, ThreadHooksAndDestroyFunctionsAreLogged) {
  std::int64_t id = 0;
  const auto hook = [](const char*, void*) { raise("thrown text"); };
  ASSERT_EQ(ckpt_add_thread_hooks(
                hook, hook, nullptr, [](void*) { raise("thrown text"); }, &id),
            CKPT_OK);
  ckpt_worker_pool* pool = nullptr;
  ASSERT_EQ(ckpt_worker_pool_create(2, &pool), CKPT_OK);
  ckpt_worker_pool_release(pool);
  expect_logged("thread hook");
  EXPECT_EQ(ckpt_remove_thread_hooks(id), CKPT_OK);
  expect_logged("destroy");
  float number = 0;
  const std::int64_t shape = 1;
  ckpt_tensor* tensor = nullptr;
  ASSERT_EQ(ckpt_tensor_create_borrowed(
                &number, CKPT_DTYPE_F32, &shape, 1, nullptr, [](void*) { raise("thrown text"); }, &tensor),
            CKPT_OK);
  ckpt_tensor_release(tensor);
  expect_logged("destroy");
}

TEST_P(Throwing, AThreadFunctionIsLogged) {
  std::int64_t id = 0;
  ASSERT_EQ(ckpt_add_thread_hooks([](const char*, void*) {}, nullptr, nullptr, nullptr, &id), CKPT_OK);
  const auto fn = [](void*) { raise("thrown text"); };
  ASSERT_EQ(ckpt_start_thread("throws", fn, nullptr, nullptr), CKPT_OK);
  EXPECT_EQ(ckpt_remove_thread_hooks(id), CKPT_OK);  // waits for the end of the thread
  expect_logged("thread function");
}

TEST_P(Throwing, ALogFunctionIsIgnored) {
  ASSERT_EQ(
      ckpt_set_log(
          CKPT_LOG_LEVEL_DEBUG, [](std::int32_t, const char*, const char*, void*) { raise("thrown text"); }, nullptr, nullptr),
      CKPT_OK);
  Memory memory;
  memory.open();
  EXPECT_EQ(memory.save(1), CKPT_OK) << ckpt_last_error();
}

TEST_P(Throwing, ClocksPartsAndProgress) {
  ckpt_clock* clock = nullptr;
  ASSERT_EQ(ckpt_clock_create_custom([](void*) -> std::int64_t { raise("thrown text"); }, nullptr, nullptr, &clock), CKPT_OK);
  std::int64_t now = 0;
  expect_callback_error(ckpt_clock_get_now(clock, &now), "clock");
  ckpt_clock_release(clock);
  ckpt_worker_pool* pool = nullptr;
  ASSERT_EQ(ckpt_worker_pool_create(2, &pool), CKPT_OK);
  expect_callback_error(ckpt_worker_pool_run(
                            pool, 4, [](std::int64_t, void*) -> std::int32_t { raise("thrown text"); }, nullptr),
                        "part ");
  ckpt_worker_pool_release(pool);
  Memory memory;
  memory.open();
  ASSERT_EQ(ckpt_set_progress([](std::int64_t, std::int64_t, void*) -> std::int32_t { raise("thrown text"); }, nullptr, nullptr),
            CKPT_OK);
  expect_callback_error(memory.save(1), "progress");
  ckpt_set_progress(nullptr, nullptr, nullptr);
  EXPECT_EQ(memory.save(1), CKPT_OK);
}

TEST_P(Throwing, StrategiesAndTheirFactories) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  callbacks.decide = [](const ckpt_strategy_question*, ckpt_bool*, void*) -> std::int32_t { raise("thrown text"); };
  callbacks.reset = [](void*) -> std::int32_t { raise("thrown text"); };
  callbacks.access = [](const char*, void*) -> std::int32_t { raise("thrown text"); };
  ckpt_strategy* strategy = nullptr;
  ASSERT_EQ(ckpt_strategy_create_custom("mine", &callbacks, nullptr, nullptr, &strategy), CKPT_OK);
  const std::int64_t shape = 1;
  ckpt_bool answer = 0;
  expect_callback_error(ckpt_strategy_should_checkpoint_shape(strategy, "layer", CKPT_DTYPE_F32, &shape, 1, 0, &answer),
                        "strategy 'mine' decide");
  expect_callback_error(ckpt_strategy_reset(strategy), "strategy 'mine' reset");
  expect_callback_error(ckpt_strategy_observe_access(strategy, "layer"), "strategy 'mine' access");
  ckpt_strategy_release(strategy);
  ASSERT_EQ(ckpt_strategy_register(
                "throwing", [](const char*, ckpt_strategy**, void*) -> std::int32_t { raise("thrown text"); }, nullptr, nullptr),
            CKPT_OK);
  expect_callback_error(ckpt_strategy_create("throwing", &strategy), "strategy factory");
  EXPECT_EQ(ckpt_strategy_unregister("throwing"), CKPT_OK);
}

// Returns an executor that keeps every activation; nullptr after an error.
ckpt_schedule_executor* storing_all(ckpt_chain* chain, const ckpt_profile* profile, const ckpt_tensor_spec& spec) {
  ckpt_schedule* schedule = nullptr;
  ckpt_schedule_executor* executor = nullptr;
  if (ckpt_schedule_create(profile, "store-all", &schedule) == CKPT_OK) {
    static_cast<void>(ckpt_schedule_executor_create(chain, schedule, &spec, nullptr, &executor));
  }
  ckpt_schedule_release(schedule);
  return executor;
}

TEST_P(Throwing, MatrixProducts) {
  for (const bool is_double : {false, true}) {
    ckpt_layer* layer = nullptr;
    ASSERT_EQ(ckpt_layer_create("mine", is_double ? "linear:4,4,F64" : "linear:4,4,F32", &layer), CKPT_OK) << ckpt_last_error();
    ckpt_chain* chain = nullptr;
    ASSERT_EQ(ckpt_chain_create(0, &chain), CKPT_OK);
    ASSERT_EQ(ckpt_chain_add(chain, layer), CKPT_OK);
    ckpt_layer_release(layer);
    ASSERT_EQ(ckpt_chain_initialize(chain, 1), CKPT_OK) << ckpt_last_error();
    const ckpt_tensor_spec spec = {is_double ? CKPT_DTYPE_F64 : CKPT_DTYPE_F32, 2, {4, 4}};
    ckpt_profile* profile = nullptr;
    ASSERT_EQ(ckpt_profile_create_from_chain(chain, &spec, 0, nullptr, &profile), CKPT_OK) << ckpt_last_error();
    ckpt_schedule_executor* const executor = storing_all(chain, profile, spec);
    ASSERT_NE(executor, nullptr) << ckpt_last_error();
    ckpt_tensor* x = nullptr;
    ASSERT_EQ(ckpt_tensor_create(spec.dtype, spec.shape, spec.ndim, nullptr, &x), CKPT_OK);
    ckpt_step step = CKPT_STEP_INIT;
    step.input = step.output_gradient = x;
    expect_callback_error(ckpt_schedule_executor_run(executor, &step, nullptr), is_double ? "blas dgemm" : "blas sgemm");
    ckpt_schedule_executor_release(executor);
    ckpt_profile_release(profile);
    ckpt_chain_release(chain);
    ckpt_tensor_release(x);
  }
}

TEST_P(Throwing, MemoryEventsAreCountedAsFailed) {
  ckpt_memory_tracker* tracker = nullptr;
  ASSERT_EQ(ckpt_memory_tracker_create(nullptr, &tracker), CKPT_OK);
  std::int64_t subscription = 0;
  ASSERT_EQ(ckpt_memory_tracker_subscribe(
                tracker, CKPT_MEMORY_EVENT_KIND_ALLOCATED,
                [](const ckpt_memory_event*, void*) -> std::int32_t { raise("thrown text"); }, nullptr, nullptr, &subscription),
            CKPT_OK);
  std::uint64_t id = 0;
  EXPECT_EQ(record_named(tracker, "layer", 8, &id), CKPT_OK) << ckpt_last_error();
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  EXPECT_EQ(ckpt_memory_tracker_get_stats(tracker, &stats), CKPT_OK);
  EXPECT_EQ(stats.handler_failures, 1);
  EXPECT_EQ(stats.current_bytes, 8);
  ckpt_memory_tracker_release(tracker);
}

TEST_P(Throwing, KeepRemovesNothing) {
  Memory memory;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = 1;
  options.keep = [](const ckpt_checkpoint_info*, ckpt_bool*, void*) -> std::int32_t { raise("thrown text"); };
  memory.open(&options);
  EXPECT_EQ(memory.save(1), CKPT_OK);
  EXPECT_EQ(memory.save(2), CKPT_OK) << ckpt_last_error();  // saved; without the callback's result nothing is removed
  std::int64_t count = 0;
  EXPECT_EQ(ckpt_checkpoint_manager_list(memory.manager, nullptr, 0, &count), CKPT_OK);
  EXPECT_EQ(count, 2);
}

// ---- Tables of callbacks ----

// The callback that throws: its type, and the field that holds it. Each callback below begins with here() or ends with it.
const char* thrower = nullptr;

void here(const char* callback) {
  if (thrower != nullptr && std::strcmp(thrower, callback) == 0) raise("thrown text");
}

// The calls of a scenario: the first failure. Returns whether the call succeeded.
struct Calls {
  bool operator()(ckpt_status of_call) { return keep(of_call, ckpt_last_error()); }
  bool operator()(const ckpt_checkpoint_task_result& of_task) { return keep(of_task.status, of_task.error); }
  ckpt_status status = CKPT_OK;
  std::string message;

 private:
  bool keep(ckpt_status given, const char* text) {
    if (status == CKPT_OK && given != CKPT_OK) status = given, message = text;
    return given == CKPT_OK;
  }
};

// ---- Storage ----

struct File {
  bool is_directory = false;
  std::string bytes;
};
using FileHandle = std::shared_ptr<File>;

// A storage of callbacks.
struct Files {
  std::mutex mutex;
  std::map<std::string, FileHandle> files;
  std::atomic<int> failures = 0;  // number of future writes that fail with IO
};

// Returns the file at path, which is created if it is missing.
FileHandle& added(void* user, const char* path, bool is_directory = false) {
  FileHandle& file = static_cast<Files*>(user)->files[path];
  if (file == nullptr) file = std::make_shared<File>(File{is_directory, ""});
  return file;
}

std::string& bytes_of(void* file) { return (*static_cast<FileHandle*>(file))->bytes; }
std::unique_lock<std::mutex> locked(void* user) { return std::unique_lock(static_cast<Files*>(user)->mutex); }

void set_file_callbacks(ckpt_storage_callbacks& table) {
  table.create = [](const char* path, void** file, void* user) -> std::int32_t {
    here("ckpt_storage_open_fn create");
    const auto lock = locked(user);
    if (static_cast<Files*>(user)->files.count(path) != 0) return CKPT_E_ALREADY_EXISTS;
    *file = new FileHandle(added(user, path));
    return CKPT_OK;
  };
  table.open = [](const char* path, void** file, void* user) -> std::int32_t {
    here("ckpt_storage_open_fn open");
    const auto lock = locked(user);
    if (static_cast<Files*>(user)->files.count(path) == 0) return CKPT_E_NOT_FOUND;
    *file = new FileHandle(added(user, path));
    return CKPT_OK;
  };
  table.close = [](void* file, void*) {
    delete static_cast<FileHandle*>(file);
    here("ckpt_storage_close_fn close");
  };
  table.file_size = [](void* file, std::int64_t* bytes, void*) -> std::int32_t {
    here("ckpt_storage_file_size_fn file_size");
    *bytes = static_cast<std::int64_t>(bytes_of(file).size());
    return CKPT_OK;
  };
  table.read = [](void* file, std::int64_t offset, void* buffer, std::int64_t bytes, std::int64_t* read, void*) -> std::int32_t {
    here("ckpt_storage_read_fn read");
    const auto size = static_cast<std::int64_t>(bytes_of(file).size());
    *read = std::clamp<std::int64_t>(size - offset, 0, bytes);
    if (*read > 0) std::memcpy(buffer, bytes_of(file).data() + offset, static_cast<std::size_t>(*read));
    return CKPT_OK;
  };
  table.write = [](void* file, std::int64_t offset, const void* buffer, std::int64_t bytes, void* user) -> std::int32_t {
    here("ckpt_storage_write_fn write");
    auto& failures = static_cast<Files*>(user)->failures;
    if (failures > 0 && failures-- > 0) return CKPT_E_IO;
    std::string& all = bytes_of(file);
    all.resize(std::max(all.size(), static_cast<std::size_t>(offset + bytes)));
    if (bytes > 0) std::memcpy(all.data() + offset, buffer, static_cast<std::size_t>(bytes));
    return CKPT_OK;
  };
  table.sync = [](void*, void*) -> std::int32_t { return here("ckpt_storage_sync_fn sync"), CKPT_OK; };
  table.remove = [](const char* path, void* user) -> std::int32_t {
    here("ckpt_storage_path_fn remove");
    const auto lock = locked(user);
    return static_cast<Files*>(user)->files.erase(path) == 1 ? CKPT_OK : CKPT_E_NOT_FOUND;
  };
  table.size = [](const char* path, std::int64_t* bytes, void* user) -> std::int32_t {
    here("ckpt_storage_size_fn size");
    const auto lock = locked(user);
    if (static_cast<Files*>(user)->files.count(path) == 0) return CKPT_E_NOT_FOUND;
    const FileHandle file = added(user, path);
    *bytes = static_cast<std::int64_t>(file->bytes.size());
    return file->is_directory ? CKPT_E_INVALID_ARGUMENT : CKPT_OK;
  };
}

void set_directory_callbacks(ckpt_storage_callbacks& table) {
  table.rename = [](const char* from, const char* to, void* user) -> std::int32_t {
    here("ckpt_storage_rename_fn rename");
    const auto lock = locked(user);
    const std::string old = from;
    std::map<std::string, FileHandle> renamed;
    for (const auto& [path, file] : static_cast<Files*>(user)->files) {
      const bool is_inside = path == old || path.rfind(old + "/", 0) == 0;
      renamed[is_inside ? to + path.substr(old.size()) : path] = file;
    }
    static_cast<Files*>(user)->files = renamed;
    return CKPT_OK;
  };
  table.remove_directory = [](const char* path, void* user) -> std::int32_t {
    here("ckpt_storage_path_fn remove_directory");
    const auto lock = locked(user);
    return static_cast<Files*>(user)->files.erase(path) == 1 ? CKPT_OK : CKPT_E_NOT_FOUND;
  };
  table.make_directory = [](const char* path, void* user) -> std::int32_t {
    here("ckpt_storage_path_fn make_directory");
    const auto lock = locked(user);
    if (static_cast<Files*>(user)->files.count(path) != 0) return CKPT_E_ALREADY_EXISTS;
    added(user, path, true);
    return CKPT_OK;
  };
  table.sync_directory = [](const char*, void*) -> std::int32_t { return here("ckpt_storage_path_fn sync_directory"), CKPT_OK; };
  table.list = [](const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) -> std::int32_t {
    here("ckpt_storage_list_fn list");
    const auto lock = locked(user);
    const std::string prefix = *path == '\0' ? "" : std::string(path) + "/";
    std::int32_t code = CKPT_OK;
    for (const auto& [name, file] : static_cast<Files*>(user)->files) {
      const bool is_here = name.rfind(prefix, 0) == 0 && name.find('/', prefix.size()) == std::string::npos;
      if (is_here && code == CKPT_OK) code = entry(listing, name.c_str() + prefix.size(), file->is_directory ? 1 : 0);
    }
    return code;
  };
  table.lock = [](const char*, void** lock, void* user) -> std::int32_t {
    here("ckpt_storage_open_fn lock");
    *lock = user;
    return CKPT_OK;
  };
  table.unlock = [](void*, void*) { here("ckpt_storage_close_fn unlock"); };
}

void set_object_callbacks(ckpt_storage_callbacks& table) {
  table.flags = CKPT_STORAGE_FLAG_OBJECTS;
  table.create_stream = [](const char* path, std::int64_t, void** file, void* user) -> std::int32_t {
    here("ckpt_storage_create_stream_fn create_stream");
    const auto lock = locked(user);
    *file = new FileHandle(added(user, path));
    return CKPT_OK;
  };
  table.put_if_absent = [](const char* path, const void* buffer, std::int64_t bytes, void* user) -> std::int32_t {
    here("ckpt_storage_put_fn put_if_absent");
    const auto lock = locked(user);
    if (static_cast<Files*>(user)->files.count(path) != 0) return CKPT_E_ALREADY_EXISTS;
    added(user, path)->bytes.assign(static_cast<const char*>(buffer), static_cast<std::size_t>(bytes));
    return CKPT_OK;
  };
  table.read_ranges = [](void* file, const ckpt_storage_range* ranges, std::int64_t count, void*) -> std::int32_t {
    here("ckpt_storage_read_ranges_fn read_ranges");
    for (const ckpt_storage_range* range = ranges; range != ranges + count; ++range)
      bytes_of(file).copy(static_cast<char*>(range->buffer), static_cast<std::size_t>(range->bytes),
                          static_cast<std::size_t>(range->offset));
    return CKPT_OK;
  };
  table.list_from = [](const char* prefix, const char* after, std::int64_t limit, ckpt_storage_object_fn object, void* listing,
                       void* user) -> std::int32_t {
    here("ckpt_storage_list_from_fn list_from");
    const auto lock = locked(user);
    std::int32_t code = CKPT_OK;
    for (const auto& [path, file] : static_cast<Files*>(user)->files) {
      if (path.rfind(prefix, 0) != 0 || path <= after || code != CKPT_OK || limit-- <= 0) continue;
      code = object(listing, path.c_str(), static_cast<std::int64_t>(file->bytes.size()));
    }
    return code;
  };
  table.remove_many = [](const char* const* paths, std::int64_t count, void* user) -> std::int32_t {
    here("ckpt_storage_remove_many_fn remove_many");
    const auto lock = locked(user);
    for (std::int64_t i = 0; i < count; ++i) static_cast<Files*>(user)->files.erase(paths[i]);
    return CKPT_OK;
  };
}

// The objects of saves and loads.
struct Checkpoints : Memory {
  Checkpoints(Calls& calls, Files* files, bool is_objects = false) {
    if (files == nullptr) return;
    ckpt_storage_release(storage);
    storage = nullptr;
    ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
    set_file_callbacks(table);
    is_objects ? set_object_callbacks(table) : set_directory_callbacks(table);
    calls(ckpt_storage_create_custom("shelf", &table, files, nullptr, &storage));
  }
  ~Checkpoints() { ckpt_async_manager_release(async); }
  // Waits for a task of the asynchronous manager.
  void wait(Calls& calls, std::int64_t task) {
    ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
    calls(ckpt_async_manager_wait(async, task, 60'000'000'000, &result));
    calls(result);
  }
  void save_in_background(Calls& calls) {
    std::int64_t task = 0;
    if (calls(ckpt_async_manager_save(async, state, nullptr, nullptr, &task))) wait(calls, task);
  }
  ckpt_async_manager* async = nullptr;
};

void use_storage(Calls& calls, bool is_objects) {
  Files files;
  Checkpoints used(calls, &files, is_objects);
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(used.save(1));
  calls(used.save(2));
  calls(ckpt_checkpoint_manager_load(used.manager, used.state, nullptr, nullptr));
  calls(ckpt_checkpoint_manager_verify(used.manager, nullptr, nullptr));
  calls(ckpt_checkpoint_manager_pin(used.manager, 2));
  calls(ckpt_checkpoint_manager_unpin(used.manager, 2));
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  calls(ckpt_checkpoint_manager_get_latest(used.manager, &info));
  calls(ckpt_checkpoint_manager_remove(used.manager, info.name));
}

void use_files(Calls& calls) { use_storage(calls, false); }
void use_objects(Calls& calls) { use_storage(calls, true); }

void save_in_background(Calls& calls) {
  Files files;
  Checkpoints used(calls, &files);
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(ckpt_async_manager_create(used.manager, nullptr, &used.async));
  used.save_in_background(calls);
}

void create_by_scheme(Calls& calls) {
  const auto create = [](const char*, ckpt_storage** storage, void*) -> std::int32_t {
    here("ckpt_storage_scheme_fn");
    return ckpt_storage_create_memory(storage);
  };
  ckpt_storage* storage = nullptr;
  calls(ckpt_storage_register_scheme("throwing", create, nullptr, nullptr));
  calls(ckpt_storage_create_from_uri("throwing:x", &storage));
  ckpt_storage_release(storage);
  calls(ckpt_storage_unregister_scheme("throwing"));
}

// A write fails once and is tried again.
void retry(Calls& calls) {
  Files files;
  Checkpoints used(calls, &files);
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  options.decide = [](ckpt_status, const char*, std::int32_t, ckpt_bool*, std::int64_t*, void*) -> std::int32_t {
    return here("ckpt_fault_decide_fn decide"), 0;
  };
  const auto sleep = [](std::int64_t, void*) { here("ckpt_sleep_fn"); };
  ckpt_fault_handler* handler = nullptr;
  calls(ckpt_fault_handler_create(&options, sleep, nullptr, nullptr, &handler));
  ckpt_checkpoint_manager_options manager = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  manager.fault_handler = handler;
  calls(ckpt_checkpoint_manager_create(used.storage, &manager, &used.manager));
  files.failures = 1;
  calls(used.save(1));
  ckpt_fault_handler_release(handler);
}

// ---- Saves and loads ----

void stage(Calls& calls) {
  Checkpoints used(calls, nullptr);
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  options.staging_allocate = [](std::int64_t bytes, void** memory, void*) -> std::int32_t {
    here("ckpt_staging_allocate_fn staging_allocate");
    return posix_memalign(memory, 4096, static_cast<std::size_t>(bytes));
  };
  options.staging_free = [](void* memory, std::int64_t, void*) {
    free(memory);
    here("ckpt_staging_free_fn staging_free");
  };
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(ckpt_async_manager_create(used.manager, &options, &used.async));
  used.save_in_background(calls);
}

ckpt_load_options renaming() {
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  options.rename = [](const char*, const char*, char*, std::int64_t, std::int64_t*, void*) -> std::int32_t {
    return here("ckpt_rename_fn rename"), 0;
  };
  return options;
}

void rename_in_load(Calls& calls) {
  Checkpoints used(calls, nullptr);
  const ckpt_load_options options = renaming();
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(used.save(1));
  calls(ckpt_checkpoint_manager_load(used.manager, used.state, &options, nullptr));
}

void rename_in_background(Calls& calls) {
  Checkpoints used(calls, nullptr);
  const ckpt_load_options options = renaming();
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(used.save(1));
  calls(ckpt_async_manager_create(used.manager, nullptr, &used.async));
  std::int64_t task = 0;
  if (calls(ckpt_async_manager_load(used.async, used.state, &options, nullptr, &task))) used.wait(calls, task);
}

void use_stateful(Calls& calls) {
  Checkpoints used(calls, nullptr);
  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  callbacks.list = [](ckpt_state* into, void*) -> std::int32_t {
    here("ckpt_stateful_list_fn list");
    return ckpt_state_set_json(into, "value", "1");
  };
  callbacks.restore = [](const ckpt_state*, void*) -> std::int32_t { return here("ckpt_stateful_restore_fn restore"), 0; };
  calls(ckpt_state_add_stateful(used.state, "mine", &callbacks, nullptr, nullptr));
  calls(ckpt_checkpoint_manager_create(used.storage, nullptr, &used.manager));
  calls(used.save(1));
  calls(ckpt_checkpoint_manager_load(used.manager, used.state, nullptr, nullptr));
}

void use_coordinator(Calls& calls) {
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  callbacks.barrier = [](std::int64_t, void*) -> std::int32_t { return here("ckpt_coordinator_barrier_fn barrier"), 0; };
  callbacks.broadcast = [](void*, std::int64_t, std::int64_t, std::int64_t, void*) -> std::int32_t {
    return here("ckpt_coordinator_broadcast_fn broadcast"), 0;
  };
  callbacks.all_gather = [](const void* sent, std::int64_t bytes, std::int64_t, void* received, void*) -> std::int32_t {
    here("ckpt_coordinator_all_gather_fn all_gather");
    std::memcpy(received, sent, static_cast<std::size_t>(bytes));
    return 0;
  };
  callbacks.gather = [](const void*, std::int64_t, std::int64_t, std::int64_t, void*, void*) -> std::int32_t {
    return here("ckpt_coordinator_gather_fn gather"), 0;
  };
  ckpt_coordinator* coordinator = nullptr;
  std::uint64_t sent = 0;
  std::uint64_t received = 0;
  calls(ckpt_coordinator_create_custom(&callbacks, nullptr, nullptr, &coordinator));
  calls(ckpt_coordinator_barrier(coordinator, 0));
  calls(ckpt_coordinator_broadcast(coordinator, &sent, 8, 0, 0));
  calls(ckpt_coordinator_all_gather(coordinator, &sent, 8, 0, &received));
  calls(ckpt_coordinator_gather(coordinator, &sent, 8, 0, 0, &received));
  ckpt_coordinator_release(coordinator);
}

// ---- Layers ----

constexpr ckpt_tensor_spec layer_input = {CKPT_DTYPE_F32, 2, {4, 2}};

ckpt_chain* make_chain(Calls& calls) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  callbacks.ambient_bytes = 8;
  callbacks.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void*) -> std::int32_t {
    here("ckpt_layer_output_fn output");
    *output = *input;
    return 0;
  };
  callbacks.option = [](const ckpt_tensor_spec*, std::int32_t, ckpt_layer_option* option, void*) -> std::int32_t {
    here("ckpt_layer_option_fn option");
    *option = {64, 0, 0};
    return 0;
  };
  callbacks.forward = [](const ckpt_layer_context*, const void*, void*, void*, void*, void*) -> std::int32_t {
    return here("ckpt_layer_forward_fn forward"), 0;
  };
  callbacks.record = [](const ckpt_layer_context*, const void*, void*, void*, void*, void*) -> std::int32_t {
    return here("ckpt_layer_forward_fn record"), 0;
  };
  callbacks.backward = [](const ckpt_layer_context*, const void*, const void*, const void*, const void*, void*, void*,
                          void*) -> std::int32_t { return here("ckpt_layer_backward_fn backward"), 0; };
  callbacks.save_ambient = [](void* state, void*) -> std::int32_t {
    here("ckpt_layer_save_ambient_fn save_ambient");
    std::memset(state, 0, 8);
    return 0;
  };
  callbacks.restore_ambient = [](const void*, void*) -> std::int32_t {
    return here("ckpt_layer_restore_ambient_fn restore_ambient"), 0;
  };
  ckpt_chain* chain = nullptr;
  calls(ckpt_chain_create(0, &chain));
  for (const char* name : {"mine", "mine too"}) {
    ckpt_layer* layer = nullptr;
    calls(ckpt_layer_create_custom(name, &callbacks, nullptr, nullptr, &layer));
    calls(ckpt_chain_add(chain, layer));
    ckpt_layer_release(layer);
  }
  return chain;
}

ckpt_tensor* make_input(Calls& calls) {
  ckpt_tensor* tensor = nullptr;
  calls(ckpt_tensor_create(layer_input.dtype, layer_input.shape, layer_input.ndim, nullptr, &tensor));
  return tensor;
}

ckpt_schedule_action action(ckpt_action_kind kind, std::int64_t first, ckpt_item item = CKPT_ITEM_NONE) {
  ckpt_schedule_action action = {};
  action.kind = kind;
  action.first = first;
  action.last = item == CKPT_ITEM_NONE ? first + 1 : 0;
  action.item = item;
  return action;
}

// Records layer 0 after its forward.
void run_layers(Calls& calls) {
  const std::array<ckpt_schedule_action, 10> actions = {
      action(CKPT_ACTION_KIND_FORWARD, 0),
      action(CKPT_ACTION_KIND_FORWARD_TAPE, 1),
      action(CKPT_ACTION_KIND_DROP, 1, CKPT_ITEM_INPUT),
      action(CKPT_ACTION_KIND_TURN, 0),
      action(CKPT_ACTION_KIND_DROP, 2, CKPT_ITEM_INPUT),
      action(CKPT_ACTION_KIND_BACKWARD, 1),
      action(CKPT_ACTION_KIND_RECORD, 0),
      action(CKPT_ACTION_KIND_DROP, 0, CKPT_ITEM_INPUT),
      action(CKPT_ACTION_KIND_BACKWARD, 0),
      action(CKPT_ACTION_KIND_END, 0),
  };
  ckpt_chain* const chain = make_chain(calls);
  ckpt_schedule* schedule = nullptr;
  ckpt_schedule_executor* executor = nullptr;
  ckpt_tensor* const x = make_input(calls);
  ckpt_step step = CKPT_STEP_INIT;
  step.input = step.output_gradient = x;
  calls(ckpt_schedule_create_list(2, actions.data(), std::size(actions), &schedule));
  calls(ckpt_schedule_executor_create(chain, schedule, &layer_input, nullptr, &executor));
  calls(ckpt_schedule_executor_run(executor, &step, nullptr));
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
  ckpt_chain_release(chain);
  ckpt_tensor_release(x);
}

// One thread for each layer.
void run_pipeline(Calls& calls) {
  ckpt_chain* const chain = make_chain(calls);
  ckpt_pipeline* pipeline = nullptr;
  ckpt_tensor* const x = make_input(calls);
  ckpt_step step = CKPT_STEP_INIT;
  step.input = step.output_gradient = x;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  options.policy = &policy;
  options.stages = options.micro_batches = 2;
  options.measured_steps = 0;
  calls(ckpt_pipeline_create(chain, &layer_input, &options, &pipeline));
  calls(ckpt_pipeline_run(pipeline, &step, 60'000'000'000, nullptr, nullptr));
  ckpt_pipeline_release(pipeline);
  ckpt_chain_release(chain);
  ckpt_tensor_release(x);
}

void recompute(Calls& calls) {
  const auto forward = [](ckpt_tensor* input, std::int32_t, ckpt_tensor** output, void*) -> std::int32_t {
    here("ckpt_stage_forward_fn");
    ckpt_tensor_retain(*output = input);
    return 0;
  };
  ckpt_tensor* const input = make_input(calls);
  ckpt_tensor* output = nullptr;
  ckpt_activation_manager* manager = nullptr;
  calls(ckpt_activation_manager_create(nullptr, nullptr, forward, nullptr, nullptr, &manager));
  calls(ckpt_activation_manager_recompute(manager, input, 0, &output));
  ckpt_activation_manager_release(manager);
  ckpt_tensor_release(output);
  ckpt_tensor_release(input);
}

// ---- Drivers ----

// A handle of the program; the driver only compares handles.
void* fresh_handle() {
  static std::uintptr_t last = 0;
  return reinterpret_cast<void*>(last += 16);
}

void set_outputs(const ckpt_drive_call* call, void** output, void** tape) {
  if ((call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0) *output = fresh_handle();
  *tape = fresh_handle();
}

ckpt_driver_callbacks driver_callbacks() {
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  callbacks.forward = [](const ckpt_drive_call*, void*, void** output, void*) -> std::int32_t {
    here("ckpt_drive_forward_fn forward");
    *output = fresh_handle();
    return 0;
  };
  callbacks.record = [](const ckpt_drive_call* call, void*, void** output, void** tape, void*) -> std::int32_t {
    here("ckpt_drive_record_fn record");
    return set_outputs(call, output, tape), 0;
  };
  callbacks.backward = [](const ckpt_drive_call*, void*, void*, void*, void*, void** grad_input, void*) -> std::int32_t {
    here("ckpt_drive_backward_fn backward");
    *grad_input = fresh_handle();
    return 0;
  };
  callbacks.turn = [](const ckpt_drive_call*, void*, void** grad_output, void*) -> std::int32_t {
    here("ckpt_drive_turn_fn turn");
    *grad_output = fresh_handle();
    return 0;
  };
  callbacks.store = [](const ckpt_drive_call*, void*, void*) -> std::int32_t { return here("ckpt_drive_store_fn store"), 0; };
  callbacks.load = [](const ckpt_drive_call*, void** item, void*) -> std::int32_t {
    here("ckpt_drive_load_fn load");
    *item = fresh_handle();
    return 0;
  };
  callbacks.await = [](const ckpt_drive_call*, void*) -> std::int32_t { return here("ckpt_drive_await_fn await"), 0; };
  callbacks.drop = [](const ckpt_drive_call*, void*, void*) { here("ckpt_drive_drop_fn drop"); };
  callbacks.forward_n = [](const ckpt_drive_call*, void* const*, std::int64_t, const ckpt_drive_flag*, void** output,
                           void*) -> std::int32_t {
    here("ckpt_drive_forward_n_fn forward_n");
    *output = fresh_handle();
    return 0;
  };
  callbacks.record_n = [](const ckpt_drive_call* call, void* const*, std::int64_t, const ckpt_drive_flag*, void** output,
                          void** tape, void*) -> std::int32_t {
    here("ckpt_drive_record_n_fn record_n");
    return set_outputs(call, output, tape), 0;
  };
  callbacks.backward_n = [](const ckpt_drive_call*, void* const*, std::int64_t count, const ckpt_drive_flag*, void*, void*, void*,
                            void** grad_inputs, void*) -> std::int32_t {
    here("ckpt_drive_backward_n_fn backward_n");
    std::generate_n(grad_inputs, count, fresh_handle);
    return 0;
  };
  return callbacks;
}

// Releases profile and schedule.
void drive(Calls& calls, ckpt_profile* profile, const char* planner) {
  const ckpt_driver_callbacks callbacks = driver_callbacks();
  ckpt_schedule* schedule = nullptr;
  ckpt_driver* driver = nullptr;
  calls(ckpt_schedule_create(profile, planner, &schedule));
  calls(ckpt_driver_create(schedule, &callbacks, nullptr, nullptr, &driver));
  calls(ckpt_driver_run(driver, fresh_handle(), nullptr));
  ckpt_driver_release(driver);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}

void drive_chain(Calls& calls) {
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  option.forward_seconds = 1;
  ckpt_profile* profile = nullptr;
  calls(ckpt_profile_create_uniform(9, &layer, &option, &profile));
  drive(calls, profile, "two-level:1,3");
}

// Value 1 skips layer 1.
void drive_graph(Calls& calls) {
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  layer.output_bytes = 64;
  option.tape_bytes = 640;
  option.forward_seconds = 1;
  ckpt_profile* profile = nullptr;
  calls(ckpt_profile_create(64, &profile));
  for (int i = 0; i < 4; ++i) {
    calls(ckpt_profile_add_layer(profile, "layer", &layer));
    calls(ckpt_profile_add_option(profile, &option));
  }
  const std::array<std::int64_t, 2> inputs = {2, 1};
  calls(ckpt_profile_set_inputs(profile, 2, inputs.data(), 2, inputs.data(), 2));
  drive(calls, profile, "graph:2240");
}

// ---- The tables ----

struct Row {
  const char* callback;
  void (*scenario)(Calls& calls);
  const char* name;  // of the callback, in the message
};

std::ostream& operator<<(std::ostream& out, const Row& row) { return out << row.callback; }

// Fail the call or the task.
const Row failing[] = {
    {"ckpt_storage_open_fn create", use_files, "storage 'shelf' create"},
    {"ckpt_storage_open_fn open", use_files, "storage 'shelf' open"},
    {"ckpt_storage_open_fn lock", use_files, "storage 'shelf' lock"},
    {"ckpt_storage_file_size_fn file_size", use_files, "storage 'shelf' file_size"},
    {"ckpt_storage_read_fn read", use_files, "storage 'shelf' read"},
    {"ckpt_storage_write_fn write", use_files, "storage 'shelf' write"},
    {"ckpt_storage_write_fn write", save_in_background, "storage 'shelf' write"},
    {"ckpt_storage_sync_fn sync", use_files, "storage 'shelf' sync"},
    {"ckpt_storage_rename_fn rename", use_files, "storage 'shelf' rename"},
    {"ckpt_storage_path_fn remove", use_files, "storage 'shelf' remove"},
    {"ckpt_storage_path_fn make_directory", use_files, "storage 'shelf' make_directory"},
    {"ckpt_storage_path_fn sync_directory", use_files, "storage 'shelf' sync_directory"},
    {"ckpt_storage_list_fn list", use_files, "storage 'shelf' list"},
    {"ckpt_storage_size_fn size", use_files, "storage 'shelf' size"},
    {"ckpt_storage_create_stream_fn create_stream", use_objects, "storage 'shelf' create_stream"},
    {"ckpt_storage_put_fn put_if_absent", use_objects, "storage 'shelf' put_if_absent"},
    {"ckpt_storage_read_ranges_fn read_ranges", use_objects, "storage 'shelf' read_ranges"},
    {"ckpt_storage_list_from_fn list_from", use_objects, "storage 'shelf' list_from"},
    {"ckpt_storage_scheme_fn", create_by_scheme, "scheme function, asked for 'throwing:x'"},
    {"ckpt_fault_decide_fn decide", retry, "fault handler's decide"},
    {"ckpt_staging_allocate_fn staging_allocate", stage, "staging_allocate"},
    {"ckpt_rename_fn rename", rename_in_load, "rename, asked about tensor 'w'"},
    {"ckpt_rename_fn rename", rename_in_background, "rename, asked about tensor 'w'"},
    {"ckpt_stateful_list_fn list", use_stateful, "'mine' list"},
    {"ckpt_stateful_restore_fn restore", use_stateful, "'mine' restore"},
    {"ckpt_coordinator_barrier_fn barrier", use_coordinator, "coordinator barrier"},
    {"ckpt_coordinator_broadcast_fn broadcast", use_coordinator, "coordinator broadcast"},
    {"ckpt_coordinator_all_gather_fn all_gather", use_coordinator, "coordinator all_gather"},
    {"ckpt_coordinator_gather_fn gather", use_coordinator, "coordinator gather"},
    {"ckpt_layer_output_fn output", run_layers, "layer 'mine' output"},
    {"ckpt_layer_option_fn option", run_layers, "layer 'mine' option"},
    {"ckpt_layer_forward_fn forward", run_layers, "layer 'mine' forward"},
    {"ckpt_layer_forward_fn record", run_layers, "layer 'mine' record"},
    {"ckpt_layer_backward_fn backward", run_layers, "layer 'mine too' backward"},
    {"ckpt_layer_save_ambient_fn save_ambient", run_layers, "layer 'mine' save_ambient"},
    {"ckpt_layer_restore_ambient_fn restore_ambient", run_layers, "layer 'mine' restore_ambient"},
    {"ckpt_layer_forward_fn forward", run_pipeline, "layer 'mine' forward"},
    {"ckpt_layer_backward_fn backward", run_pipeline, "layer 'mine too' backward"},
    {"ckpt_layer_save_ambient_fn save_ambient", run_pipeline, "layer 'mine' save_ambient"},
    {"ckpt_layer_restore_ambient_fn restore_ambient", run_pipeline, "' restore_ambient"},
    {"ckpt_stage_forward_fn", recompute, "the stage's forward"},
    {"ckpt_drive_forward_fn forward", drive_chain, "(FORWARD of layer"},
    {"ckpt_drive_record_fn record", drive_chain, "(RECORD of layer"},
    {"ckpt_drive_backward_fn backward", drive_chain, "(BACKWARD of layer"},
    {"ckpt_drive_turn_fn turn", drive_chain, "(TURN)"},
    {"ckpt_drive_store_fn store", drive_chain, "(STORE_BEGIN of"},
    {"ckpt_drive_load_fn load", drive_chain, "(LOAD_BEGIN of"},
    {"ckpt_drive_await_fn await", drive_chain, "(AWAIT of"},
    {"ckpt_drive_forward_n_fn forward_n", drive_graph, "(FORWARD of layer"},
    {"ckpt_drive_record_n_fn record_n", drive_graph, "(RECORD of layer"},
    {"ckpt_drive_backward_n_fn backward_n", drive_graph, "(BACKWARD of layer"},
    {"ckpt_storage_path_fn remove_directory", use_files, "cannot remove all files of checkpoint"},
    {"ckpt_storage_remove_many_fn remove_many", use_objects, "cannot remove all files of checkpoint"},
};

// Cannot fail: logged.
const Row logged[] = {
    {"ckpt_storage_close_fn close", use_files, "storage close"},
    {"ckpt_storage_close_fn close", use_objects, "storage close"},
    {"ckpt_storage_close_fn close", save_in_background, "storage close"},
    {"ckpt_storage_close_fn unlock", use_files, "storage unlock"},
    {"ckpt_sleep_fn", retry, "sleep"},
    {"ckpt_staging_free_fn staging_free", stage, "staging_free"},
    {"ckpt_drive_drop_fn drop", drive_chain, "drop"},
    {"ckpt_drive_drop_fn drop", drive_graph, "drop"},
};

class InTable : public Bounded, public testing::WithParamInterface<std::tuple<Row, bool>> {
 protected:
  InTable() : Bounded(std::get<1>(GetParam())) {}

  // Runs the scenario without an exception, and then with exceptions.
  static Calls run() {
    const Row& row = std::get<0>(GetParam());
    Calls usual;
    row.scenario(usual);
    EXPECT_EQ(usual.status, CKPT_OK) << usual.message;
    thrown = 0;
    thrower = row.callback;
    Calls calls;
    row.scenario(calls);
    thrower = nullptr;
    EXPECT_GT(thrown, 0) << "the callback did not run";
    return calls;
  }
  static const char* name() { return std::get<0>(GetParam()).name; }
};

class Failing : public InTable {};
class Logged : public InTable {};

TEST_P(Failing, FailsTheCall) {
  const Calls calls = run();
  EXPECT_EQ(calls.status, CKPT_E_CALLBACK) << calls.message;
  expect_exception_in(calls.message, name());
}

TEST_P(Logged, IsLogged) {
  const Calls calls = run();
  EXPECT_EQ(calls.status, CKPT_OK) << calls.message;
  expect_logged(name());
}

std::string name_of_row(const testing::TestParamInfo<std::tuple<Row, bool>>& info) {
  const auto& [row, is_odd] = info.param;
  std::string name = std::to_string(info.index / 2) + row.callback + (is_odd ? "_unknown_type" : "");
  std::replace_if(
      name.begin(), name.end(), [](unsigned char letter) { return std::isalnum(letter) == 0; }, '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(Capi, Failing, testing::Combine(testing::ValuesIn(failing), testing::Bool()), name_of_row);
INSTANTIATE_TEST_SUITE_P(Capi, Logged, testing::Combine(testing::ValuesIn(logged), testing::Bool()), name_of_row);

// ---- Completeness ----

const char* const in_separate_tests[] = {
    "ckpt_checkpoint_task_ended_fn ended",
    "ckpt_checkpoint_task_progress_fn progress",
    "ckpt_checkpoint_task_source_fn source",
    "ckpt_checkpoint_task_staged_fn staged",
    "ckpt_clock_fn",
    "ckpt_destroy_fn",
    "ckpt_dgemm_fn dgemm",
    "ckpt_keep_fn keep",
    "ckpt_log_fn",
    "ckpt_memory_event_fn",
    "ckpt_part_fn",
    "ckpt_progress_fn",
    "ckpt_s3_upload_fn",  // tests/s3/exceptions_test.cpp
    "ckpt_sgemm_fn sgemm",
    "ckpt_storage_entry_fn",   // a function of the library
    "ckpt_storage_object_fn",  // a function of the library
    "ckpt_strategy_access_fn access",
    "ckpt_strategy_decide_fn decide",
    "ckpt_strategy_factory_fn",
    "ckpt_strategy_reset_fn reset",
    "ckpt_thread_fn",
    "ckpt_thread_hook_fn",
};

// Each type of callback in the headers, and each field of such a type, has a test; destroy functions have one for all fields.
TEST(Exceptions, EachCallbackHasATest) {
  std::set<std::string> tested(std::begin(in_separate_tests), std::end(in_separate_tests));
  for (const Row& row : failing) tested.insert(row.callback);
  for (const Row& row : logged) tested.insert(row.callback);
  std::set<std::string> types;
  for (const std::string& callback : tested) types.insert(callback.substr(0, callback.find(' ')));
  const std::regex type("^typedef .*\\(\\*(ckpt_\\w+_fn)\\)\\(.*");
  const std::regex field("^ +(ckpt_\\w+_fn) (\\w+);.*");
  int found = 0;
  for (const auto& header : std::filesystem::directory_iterator(CKPT_HEADERS)) {
    std::ifstream lines(header.path());
    std::smatch match;
    for (std::string line; std::getline(lines, line);) {
      if (std::regex_match(line, match, type)) {
        ++found;
        EXPECT_EQ(types.count(match[1]), 1U) << match[1] << " has no test";
      } else if (std::regex_match(line, match, field) && match[1] != "ckpt_destroy_fn") {
        EXPECT_EQ(tested.count(match[1].str() + " " + match[2].str()), 1U) << line << ": the field has no test";
      }
    }
  }
  EXPECT_EQ(found, static_cast<int>(types.size()));
}

std::string name_of(const testing::TestParamInfo<bool>& info) { return info.param ? "UnknownType" : "WithText"; }

INSTANTIATE_TEST_SUITE_P(Capi, Throwing, testing::Bool(), name_of);

}  // namespace
