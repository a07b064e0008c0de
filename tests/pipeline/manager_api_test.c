/* The activation checkpoint manager through the C API. */
#define _POSIX_C_SOURCE 200809L
#include "check.h"

#include <time.h>

static int32_t add_one(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data) {
  const int64_t shape[1] = {2};
  float* values;
  ++*(int*)user_data;
  if (micro_batch == 3) return ckpt_callback_error("three is refused"), 1;
  if (micro_batch == 2) return 0; /* leaves the output unset */
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, output));
  values = (float*)ckpt_tensor_get_data(*output);
  values[0] = ((const float*)ckpt_tensor_get_const_data(input))[0] + 1.0F;
  values[1] = (float)micro_batch;
  return 0;
}

static void destroyed(void* user_data) { *(int*)user_data += 1000; }

static ckpt_tensor* floats(float value) {
  const int64_t shape[1] = {2};
  ckpt_tensor* tensor = NULL;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, &tensor));
  CHECK_OK(ckpt_tensor_fill(tensor, (double)value));
  return tensor;
}

static void test_whole_life(void) {
  ckpt_activation_policy policy;
  ckpt_activation_manager_options options;
  ckpt_activation_metadata metadata;
  ckpt_memory_tracker* tracker = NULL;
  ckpt_clock* clock = NULL;
  ckpt_activation_manager* manager = NULL;
  ckpt_tensor* input = floats(4.0F);
  ckpt_tensor* found = NULL;
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  int64_t bytes = -1;
  int64_t count = -1;
  int32_t indices[4] = {-1, -1, -1, -1};
  int32_t flag = -1;
  int calls = 0;

  CKPT_INIT(ckpt_activation_policy, &policy);
  CKPT_INIT(ckpt_activation_manager_options, &options);
  CKPT_INIT(ckpt_activation_metadata, &metadata);
  CHECK(policy.kind == CKPT_ACTIVATION_POLICY_KIND_STORE_ALL && policy.interval == 1 &&
        policy.threshold_bytes == 1024 * 1024 * 1024);
  CHECK_OK(ckpt_memory_tracker_create(NULL, &tracker));
  CHECK_OK(ckpt_clock_create_manual(50, &clock));
  options.tracker = tracker;
  options.clock = clock;
  options.name = "stage 7";
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_SELECTIVE;
  policy.interval = 2;
  CHECK_OK(ckpt_activation_manager_create(&policy, &options, add_one, &calls, destroyed, &manager));
  CHECK_OK(ckpt_activation_manager_begin_step(manager, 6));
  CHECK_OK(ckpt_activation_manager_get_policy(manager, &policy));
  CHECK(policy.kind == CKPT_ACTIVATION_POLICY_KIND_SELECTIVE && policy.interval == 2 && policy.strategy == NULL);

  CHECK_OK(ckpt_activation_manager_should_checkpoint(manager, 1, 8, &flag));
  CHECK(flag == 0);
  CHECK_OK(ckpt_activation_manager_should_checkpoint(manager, 5, 8, &flag));
  CHECK(flag == 1);
  CHECK_OK(ckpt_activation_manager_store(manager, 0, input, &flag));
  CHECK(flag == 1);
  CHECK_OK(ckpt_activation_manager_store(manager, 1, input, &flag));
  CHECK(flag == 0);
  found = floats(9.0F);
  CHECK_OK(ckpt_activation_manager_store_moved(manager, 2, found, NULL));
  found = NULL;
  CHECK_OK(ckpt_activation_manager_has_activation(manager, 2, &flag));
  CHECK(flag == 1);
  CHECK_OK(ckpt_activation_manager_get_activation(manager, 2, &found));
  CHECK(((const float*)ckpt_tensor_get_const_data(found))[0] == 9.0F && ckpt_tensor_is_read_only(found) == 1);
  ckpt_tensor_release(found);
  CHECK_OK(ckpt_activation_manager_get_activation(manager, 1, &found));
  CHECK(found == NULL);
  CHECK_OK(ckpt_activation_manager_get_metadata(manager, 2, &metadata));
  CHECK(metadata.micro_batch == 2 && metadata.bytes == 8 && metadata.ndim == 1 && metadata.shape[0] == 2);
  CHECK(metadata.dtype == CKPT_DTYPE_F32 && metadata.stored_at_ns == 50 && metadata.hits == 1);
  CHECK_OK(ckpt_activation_manager_get_memory_usage(manager, &bytes, &count));
  CHECK(bytes == 16 && count == 2);
  CHECK_OK(ckpt_activation_manager_list(manager, indices, 1, &count));
  CHECK(count == 2 && indices[0] == 0 && indices[1] == -1);

  CHECK_OK(ckpt_activation_manager_get_or_compute(manager, input, 1, &found));
  CHECK(calls == 1 && ((const float*)ckpt_tensor_get_const_data(found))[0] == 5.0F);
  ckpt_tensor_release(found);
  CHECK_OK(ckpt_activation_manager_recompute(manager, input, 0, &found));
  CHECK(calls == 2);
  ckpt_tensor_release(found);
  found = NULL;
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, 3, &found), CKPT_E_CALLBACK, "three is refused");
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, 2, &found), CKPT_E_INVALID_ARGUMENT, "output");
  CHECK(found == NULL);

  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.current_bytes == 16);
  CHECK_OK(ckpt_activation_manager_clear(manager));
  CHECK_OK(ckpt_memory_tracker_get_stats(tracker, &stats));
  CHECK(stats.current_bytes == 0);
  CHECK(calls < 1000);
  ckpt_activation_manager_release(manager);
  CHECK(calls > 1000 && calls < 2000);
  ckpt_tensor_release(input);
  ckpt_clock_release(clock);
  ckpt_memory_tracker_release(tracker);
}

static void test_strategy_policy(void) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_strategy* strategy = NULL;
  ckpt_activation_manager* manager = NULL;
  ckpt_tensor* input = floats(1.0F);
  int32_t kept = -1;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  CHECK_FAILS(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager), CKPT_E_INVALID_ARGUMENT,
              "policy.strategy is NULL");
  CHECK_OK(ckpt_strategy_create("interval:2", &strategy));
  policy.strategy = strategy;
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, NULL, NULL, NULL, &manager));
  CHECK_OK(ckpt_activation_manager_set_policy(manager, &policy));
  ckpt_strategy_release(strategy);
  CHECK_OK(ckpt_activation_manager_store(manager, 1, input, &kept));
  CHECK(kept == 0);
  CHECK_OK(ckpt_activation_manager_store(manager, 2, input, &kept));
  CHECK(kept == 1);
  ckpt_tensor_release(input);
  ckpt_activation_manager_release(manager);
}

static int64_t wall_ns(void) {
  struct timespec now;
  CHECK(clock_gettime(CLOCK_REALTIME, &now) == 0);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* Independent of the manager's clock; and nothing is written after the struct of a caller compiled for the first version. */
static void test_stored_at_wall_clock_time(void) {
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
  ckpt_activation_manager* manager = NULL;
  ckpt_tensor* input = floats(1.0F);
  int64_t before;
  int64_t after;
  CHECK_OK(ckpt_clock_create_manual(50, &options.clock));
  CHECK_OK(ckpt_activation_manager_create(NULL, &options, NULL, NULL, NULL, &manager));
  before = wall_ns();
  CHECK_OK(ckpt_activation_manager_store(manager, 0, input, NULL));
  after = wall_ns();
  CHECK_OK(ckpt_activation_manager_get_metadata(manager, 0, &metadata));
  CHECK(metadata.stored_at_ns == 50 && metadata.stored_utc_ns >= before && metadata.stored_utc_ns <= after);
  ckpt_activation_manager_release(manager);
  ckpt_clock_release(options.clock);
  ckpt_tensor_release(input);
}

static void test_refusals(void) {
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  ckpt_activation_manager* manager = NULL;
  ckpt_tensor* input = floats(1.0F);
  ckpt_tensor* found = NULL;
  int calls = 0;
  int32_t flag = 7;
  policy.kind = 9;
  CHECK_FAILS(ckpt_activation_manager_create(&policy, NULL, NULL, NULL, NULL, &manager), CKPT_E_INVALID_ARGUMENT, "kind is 9");
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_SELECTIVE;
  policy.interval = -3;
  CHECK_FAILS(ckpt_activation_manager_create(&policy, NULL, add_one, &calls, destroyed, &manager), CKPT_E_INVALID_ARGUMENT,
              "interval is -3");
  CHECK(calls == 0); /* a failed call does not destroy user_data */
  options.name = " ";
  CHECK_FAILS(ckpt_activation_manager_create(NULL, &options, NULL, NULL, NULL, &manager), CKPT_E_INVALID_ARGUMENT, "options.name");
  CHECK(manager == NULL);
  CHECK_OK(ckpt_activation_manager_create(NULL, NULL, NULL, NULL, NULL, &manager));
  CHECK_FAILS(ckpt_activation_manager_begin_step(manager, -2), CKPT_E_INVALID_ARGUMENT, "micro_batches is -2");
  CHECK_OK(ckpt_activation_manager_begin_step(manager, 2));
  CHECK_FAILS(ckpt_activation_manager_store(manager, 2, input, &flag), CKPT_E_OUT_OF_RANGE,
              "micro_batch is 2; expected less than 2");
  CHECK_FAILS(ckpt_activation_manager_should_checkpoint(manager, 0, -1, &flag), CKPT_E_INVALID_ARGUMENT, "bytes is -1");
  CHECK(flag == 7);
  CHECK_FAILS(ckpt_activation_manager_recompute(manager, input, 0, &found), CKPT_E_INVALID_STATE, "has no forward function");
  CHECK_FAILS(ckpt_activation_manager_get_metadata(manager, 0, NULL), CKPT_E_INVALID_ARGUMENT, "metadata");
  CHECK_FAILS(ckpt_activation_manager_get_memory_usage(manager, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "both NULL");
  ckpt_activation_manager_release(manager);
  ckpt_tensor_release(input);
}

int main(void) {
  test_whole_life();
  test_strategy_policy();
  test_stored_at_wall_clock_time();
  test_refusals();
  return 0;
}
