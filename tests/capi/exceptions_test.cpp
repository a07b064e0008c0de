// C++ callbacks that throw: the call fails with CALLBACK and the exception's text; an exception without a caller to report to
// becomes an ERROR record of the log. Nothing hangs, leaks or terminates.
#include <gtest/gtest.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <stdexcept>
#include <string>

#include <ckpt/ckpt.h>

#include "../memory/named.h"

namespace {

// Thrown by every callback here, half of the time; not derived from std::exception.
struct Odd {};
bool throws_odd = false;

[[noreturn]] void raise(const char* text) {
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

void expect_callback_error(ckpt_status status, const char* who) {
  EXPECT_EQ(status, CKPT_E_CALLBACK) << who << ": " << ckpt_last_error();
  const std::string message = ckpt_last_error();
  EXPECT_NE(message.find(who), std::string::npos) << message;
  EXPECT_NE(message.find(throws_odd ? "an exception of unknown type" : "thrown text"), std::string::npos) << message;
}

class Throwing : public testing::TestWithParam<bool> {
 protected:
  Throwing() {
    throws_odd = GetParam();
    EXPECT_EQ(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, take_log, nullptr, nullptr), CKPT_OK);
    taken_log();
  }
  ~Throwing() override { ckpt_set_log(CKPT_LOG_LEVEL_ERROR, nullptr, nullptr, nullptr); }

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

  static void expect_logged(const char* function) {
    const std::string text = taken_log();
    EXPECT_NE(text.find(std::string("the callback '") + function + "' threw an exception"), std::string::npos) << text;
    EXPECT_NE(text.find(throws_odd ? "an exception of unknown type" : "thrown text"), std::string::npos) << text;
  }
};

struct Memory {
  Memory() {
    EXPECT_EQ(ckpt_storage_create_memory(&storage), CKPT_OK);
    EXPECT_EQ(ckpt_state_create(&state), CKPT_OK);
    EXPECT_EQ(ckpt_state_set_json(state, "key", "1"), CKPT_OK);
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
  for (const char* function : {"staged", "ended", "destroy"})
    EXPECT_NE(text.find(std::string("the callback '") + function + "' threw"), std::string::npos) << text;
}

TEST_P(Throwing, ASourceFailsItsTaskOnly) {
  Memory memory;
  memory.open();
  ckpt_tensor* tensor = nullptr;
  const std::int64_t shape = 4;
  ASSERT_EQ(ckpt_tensor_create(CKPT_DTYPE_F32, &shape, 1, nullptr, &tensor), CKPT_OK);
  ASSERT_EQ(ckpt_state_add_tensor(memory.state, "group", "w", tensor), CKPT_OK);
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
  ckpt_tensor_release(tensor);
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

TEST_P(Throwing, Layers) {
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* shape_throws) -> std::int32_t {
    if (*static_cast<bool*>(shape_throws)) raise("thrown text");
    *output = *input;
    return 0;
  };
  callbacks.forward = [](const ckpt_layer_context*, const void*, void*, void*, void*, void*) -> std::int32_t {
    raise("thrown text");
  };
  callbacks.backward = [](const ckpt_layer_context*, const void*, const void*, const void*, const void*, void*, void*,
                          void*) -> std::int32_t { raise("thrown text"); };
  bool shape_throws = true;
  ckpt_layer* layer = nullptr;
  ASSERT_EQ(ckpt_layer_create_custom("mine", &callbacks, &shape_throws, nullptr, &layer), CKPT_OK);
  ckpt_chain* chain = nullptr;
  ASSERT_EQ(ckpt_chain_create(0, &chain), CKPT_OK);
  ASSERT_EQ(ckpt_chain_add(chain, layer), CKPT_OK);
  ckpt_layer_release(layer);
  const ckpt_tensor_spec spec = {CKPT_DTYPE_F32, 1, {4}};
  ckpt_profile* profile = nullptr;
  expect_callback_error(ckpt_profile_create_from_chain(chain, &spec, 0, nullptr, &profile), "layer 'mine' output");
  shape_throws = false;
  ASSERT_EQ(ckpt_profile_create_from_chain(chain, &spec, 0, nullptr, &profile), CKPT_OK) << ckpt_last_error();
  ckpt_schedule_executor* const executor = storing_all(chain, profile, spec);
  ASSERT_NE(executor, nullptr) << ckpt_last_error();
  ckpt_tensor* x = nullptr;
  const std::int64_t shape = 4;
  ASSERT_EQ(ckpt_tensor_create(CKPT_DTYPE_F32, &shape, 1, nullptr, &x), CKPT_OK);
  ckpt_step step = CKPT_STEP_INIT;
  step.input = step.output_gradient = x;
  expect_callback_error(ckpt_schedule_executor_run(executor, &step, nullptr), "layer 'mine' forward");
  ckpt_schedule_executor_release(executor);
  ckpt_profile_release(profile);
  ckpt_chain_release(chain);
  ckpt_tensor_release(x);
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

TEST_P(Throwing, StatefulObjectsKeepAndRename) {
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
  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  callbacks.list = [](ckpt_state*, void*) -> std::int32_t { raise("thrown text"); };
  ASSERT_EQ(ckpt_state_add_stateful(memory.state, "mine", &callbacks, nullptr, nullptr), CKPT_OK);
  expect_callback_error(memory.save(3), "'mine' list");
}

TEST_P(Throwing, CoordinatorsAndFaultHandlers) {
  Memory memory;
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  callbacks.rank = 0;
  callbacks.world_size = 2;
  callbacks.barrier = [](std::int64_t, void*) -> std::int32_t { raise("thrown text"); };
  callbacks.broadcast = [](void*, std::int64_t, std::int64_t, std::int64_t, void*) -> std::int32_t { raise("thrown text"); };
  callbacks.all_gather = [](const void*, std::int64_t, std::int64_t, void*, void*) -> std::int32_t { raise("thrown text"); };
  ckpt_coordinator* coordinator = nullptr;
  ASSERT_EQ(ckpt_coordinator_create_custom(&callbacks, nullptr, nullptr, &coordinator), CKPT_OK);
  expect_callback_error(ckpt_coordinator_barrier(coordinator, 0), "coordinator barrier");
  ckpt_coordinator_release(coordinator);
}

std::string name_of(const testing::TestParamInfo<bool>& info) { return info.param ? "UnknownType" : "WithText"; }

INSTANTIATE_TEST_SUITE_P(Capi, Throwing, testing::Bool(), name_of);

}  // namespace
