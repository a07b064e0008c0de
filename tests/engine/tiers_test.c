/* Tiers with items in storages, from C99: the same bits, bytes as counted by the verifier, files that are removed, and errors that
 * fail only one step. */
#define _GNU_SOURCE
#include <errno.h>
#include <semaphore.h>

#include "tiers.h"

enum { SAMPLES = 24, WIDTH = 32, STEPS = 3 };

/* Every storage for a tier. */
enum { NO_STORAGE, IN_MEMORY, BUFFERED, DIRECT, RING, RETRYING, WAYS };

static ckpt_storage* make_storage(int way, const char* directory) {
  static const ckpt_write_path paths[WAYS] = {
      0, 0, CKPT_WRITE_PATH_BUFFERED, CKPT_WRITE_PATH_DIRECT, CKPT_WRITE_PATH_RING, CKPT_WRITE_PATH_RING};
  ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  if (way == NO_STORAGE) return NULL;
  if (way == IN_MEMORY) {
    CHECK_OK(ckpt_storage_create_memory(&storage));
    return storage;
  }
  options.write_path = paths[way];
  options.large_from_bytes = 1;
  CHECK_OK(ckpt_storage_create_file_system(directory, &options, &storage));
  if (way == RETRYING) {
    ckpt_storage* const inner = storage;
    ckpt_fault_handler* handler = NULL;
    CHECK_OK(ckpt_fault_handler_create(NULL, NULL, NULL, NULL, &handler));
    CHECK_OK(ckpt_storage_create_retrying(inner, handler, &storage));
    ckpt_storage_release(inner);
    ckpt_fault_handler_release(handler);
  }
  return storage;
}

static void expect_of(const model* of, result* expected) {
  ckpt_schedule* schedule = NULL;
  ckpt_schedule_executor* executor = NULL;
  CHECK_OK(ckpt_schedule_create(of->profile, "store-all", &schedule));
  executor = make_executor(of, schedule, NULL);
  CHECK_OK(run_step(of, executor));
  read_result(of, expected);
  ckpt_schedule_executor_release(executor);
  ckpt_schedule_release(schedule);
}

/* ---- Same bits, counted bytes ---- */

static void same_bits(const model* of, ckpt_schedule* schedule, const result* expected, const char* directory) {
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  int way;
  CHECK_OK(ckpt_schedule_verify(schedule, of->profile, &report));
  CHECK(report.stored_bytes[1] + report.stored_bytes[2] > 0 && report.loaded_bytes[1] + report.loaded_bytes[2] > 0);
  for (way = 0; way < WAYS; ++way) {
    ckpt_storage* storage = make_storage(way, directory);
    ckpt_schedule_executor* executor = make_executor(of, schedule, storage);
    ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
    int i;
    ckpt_storage_release(storage); /* the executor keeps it alive */
    for (i = 0; i < STEPS; ++i) {
      CHECK_OK(run_step(of, executor));
      check_same(of, expected);
    }
    CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
    for (i = 0; i < CKPT_TIERS; ++i) {
      CHECK(stats.stored_bytes[i] == STEPS * report.stored_bytes[i]);
      CHECK(stats.loaded_bytes[i] == STEPS * report.loaded_bytes[i]);
    }
    CHECK(stats.peak_live_bytes == report.peak_bytes[0]);
    CHECK(way == NO_STORAGE ? stats.transfer_wait_ns == 0 : stats.transfer_wait_ns > 0 && stats.transfer_wait_ns <= stats.run_ns);
    ckpt_schedule_executor_release(executor);
  }
}

/* Background copies do not count as writes of the layers that run concurrently. */
static void same_bits_when_checked(const model* of, ckpt_schedule* schedule, const result* expected, const char* directory) {
  int way;
  for (way = 0; way < WAYS; ++way) {
    ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
    ckpt_schedule_executor* executor = NULL;
    int i;
    options.check_writes = 1;
    options.recompute_check = CKPT_RECOMPUTE_CHECK_BITWISE;
    options.tier1_storage = make_storage(way, directory);
    CHECK_OK(ckpt_schedule_executor_create(of->chain, schedule, &of->spec, &options, &executor));
    ckpt_storage_release(options.tier1_storage);
    for (i = 0; i < STEPS; ++i) {
      CHECK_OK(run_step(of, executor));
      check_same(of, expected);
    }
    ckpt_schedule_executor_release(executor);
  }
}

/* The chain's bytes, and seconds, without which planners never use a tier. */
static ckpt_profile* make_timed(const model* of) {
  ckpt_profile* profile = NULL;
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  int64_t bytes = 0;
  int64_t i;
  CHECK_OK(ckpt_profile_get_input_bytes(of->profile, &bytes));
  CHECK_OK(ckpt_profile_create(bytes, &profile));
  for (i = 0; i < of->layers; ++i) {
    const char* name = NULL;
    CHECK_OK(ckpt_profile_get_layer(of->profile, i, &layer, &name, NULL));
    CHECK_OK(ckpt_profile_get_option(of->profile, i, 0, &option));
    option.forward_seconds = 1;
    option.backward_seconds = 2;
    CHECK_OK(ckpt_profile_add_layer(profile, name, &layer));
    CHECK_OK(ckpt_profile_add_option(profile, &option));
  }
  return profile;
}

static void all_same_bits(const char* directory) {
  static result expected;
  static const char* const planners[] = {"two-level:2,8", "two-level:1", "three-level:1,1,2"};
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_profile* timed = make_timed(&of);
  int64_t ahead;
  size_t i;
  expect_of(&of, &expected);
  for (i = 0; i < sizeof planners / sizeof *planners; ++i) {
    ckpt_schedule* schedule = NULL;
    CHECK_OK(ckpt_schedule_create(timed, planners[i], &schedule));
    same_bits(&of, schedule, &expected, directory);
    ckpt_schedule_release(schedule);
  }
  for (ahead = 1; ahead <= 4; ++ahead) {
    ckpt_schedule* schedule = make_moving(of.layers, ahead);
    same_bits(&of, schedule, &expected, directory);
    same_bits_when_checked(&of, schedule, &expected, directory);
    ckpt_schedule_release(schedule);
  }
  ckpt_profile_release(timed);
  release_model(&of);
}

/* ---- Files ---- */

/* Each executor has its own file, readable only by its user, and without a name. */
static void files(const char* directory) {
  static result expected;
  model of = make_model(SAMPLES, WIDTH, NULL);
  model other = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_schedule* in_memory = NULL;
  ckpt_storage* storage = make_storage(BUFFERED, directory);
  ckpt_schedule_executor* unused = NULL;
  ckpt_schedule_executor* executors[2];
  int descriptors[2];
  int i;
  expect_of(&of, &expected);
  CHECK_OK(ckpt_schedule_create(of.profile, "store-all", &in_memory));
  unused = make_executor(&of, in_memory, storage);
  CHECK(next_unnamed(directory, 0) < 0); /* a tier without actions has no file */
  executors[0] = make_executor(&of, schedule, storage);
  executors[1] = make_executor(&other, schedule, storage);
  descriptors[0] = next_unnamed(directory, 0);
  descriptors[1] = next_unnamed(directory, descriptors[0] + 1);
  CHECK(descriptors[0] >= 0 && descriptors[1] > descriptors[0] && next_unnamed(directory, descriptors[1] + 1) < 0);
  for (i = 0; i < 2; ++i) {
    struct stat status;
    CHECK(fstat(descriptors[i], &status) == 0);
    CHECK((status.st_mode & 07777) == 0600 && status.st_nlink == 0 && status.st_size == (LAYERS - 1) * 4096);
    CHECK((fcntl(descriptors[i], F_GETFD) & FD_CLOEXEC) != 0);
  }
  CHECK(entries_in(directory) == 0);
  for (i = 0; i < 4; ++i) { /* alternately, over the same slots */
    CHECK_OK(run_step(i % 2 == 0 ? &of : &other, executors[i % 2]));
    check_same(i % 2 == 0 ? &of : &other, &expected);
  }
  ckpt_schedule_executor_release(executors[0]);
  ckpt_schedule_executor_release(executors[1]);
  ckpt_schedule_executor_release(unused);
  CHECK(next_unnamed(directory, 0) < 0 && entries_in(directory) == 0);
  ckpt_storage_release(storage);
  ckpt_schedule_release(in_memory);
  ckpt_schedule_release(schedule);
  release_model(&of);
  release_model(&other);
}

/* ---- Errors ---- */

/* Replaces a tier's file by another file, and back. */
static int replace(int descriptor, const char* path, int flags) {
  const int kept = dup(descriptor);
  const int other = open(path, flags);
  CHECK(kept >= 0 && other >= 0 && dup2(other, descriptor) == descriptor);
  close(other);
  return kept;
}

static void put_back(int descriptor, int kept) {
  CHECK(dup2(kept, descriptor) == descriptor);
  close(kept);
}

typedef struct fault {
  int descriptor; /* descriptor of the tier's file */
  int armed;
  int cut;
} fault;

/* All inputs are stored at this point, and at most two are loaded. */
static int32_t cut_file(void* user_data) {
  fault* self = user_data;
  if (!self->armed) return 0;
  ++self->cut;
  return ftruncate(self->descriptor, 2 * 4096 + 100);
}

static int32_t refuse(void* user_data) {
  if (!((fault*)user_data)->armed) return 0;
  ckpt_callback_error("the probe refuses");
  return 1;
}

static void errors(int way, const char* directory) {
  static result expected;
  fault broken = {-1, 0, 0};
  probe last = {cut_file, NULL, &broken};
  model of = make_model(SAMPLES, WIDTH, &last);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_storage* storage = make_storage(way, directory);
  ckpt_schedule_executor* executor = make_executor(&of, schedule, storage);
  ckpt_schedule_executor_stats stats = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
  int kept;
  int round;
  expect_of(&of, &expected);
  broken.descriptor = next_unnamed(directory, 0);
  for (round = 0; round < 3; ++round) {
    CHECK_OK(run_step(&of, executor));
    check_same(&of, &expected);
    kept = replace(broken.descriptor, "/dev/full", O_RDWR);
    CHECK_FAILS(run_step(&of, executor), CKPT_E_NO_SPACE, "tier 1, slot 0: cannot write '");
    CHECK(strstr(ckpt_last_error(), strerror(ENOSPC)) != NULL);
    put_back(broken.descriptor, kept);
    CHECK_OK(run_step(&of, executor));
    check_same(&of, &expected);

    kept = replace(broken.descriptor, "/dev/null", O_WRONLY);
    CHECK_FAILS(run_step(&of, executor), CKPT_E_IO, "tier 1, slot 11: cannot read '");
    put_back(broken.descriptor, kept);
    CHECK_OK(run_step(&of, executor));
    check_same(&of, &expected);

    broken.armed = 1;
    CHECK_FAILS(run_step(&of, executor), CKPT_E_IO, "tier 1, slot ");
    CHECK(strstr(ckpt_last_error(), ": expected 3072 bytes at ") != NULL);
    broken.armed = 0;
    CHECK_OK(run_step(&of, executor));
    check_same(&of, &expected);

    last.hook = refuse;
    broken.armed = 1;
    CHECK_FAILS(run_step(&of, executor), CKPT_E_CALLBACK, "the probe refuses");
    broken.armed = 0;
    last.hook = cut_file;
  }
  CHECK_OK(ckpt_schedule_executor_get_stats(executor, &stats));
  CHECK(broken.cut == 3 && stats.steps == 3 * 4 && stats.live_bytes == 0);
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(storage);
  ckpt_schedule_release(schedule);
  release_model(&of);
}

/* A fault handler's callback, on the copying thread: it may not use the executor and its chain; it restores the file. */
typedef struct file_repair {
  const model* of;
  ckpt_schedule_executor* executor;
  int descriptor;
  int kept;
  int asked;
} file_repair;

static int32_t mend(ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry, int64_t* delay_ns,
                    void* user_data) {
  file_repair* self = user_data;
  ++self->asked;
  CHECK(status == CKPT_E_IO && attempt == 1 && *retry == 1 && strstr(message, "cannot read '") != NULL);
  CHECK_FAILS(run_step(self->of, self->executor), CKPT_E_INVALID_STATE, "executor is in use");
  CHECK_FAILS(ckpt_chain_initialize(self->of->chain, 1), CKPT_E_INVALID_STATE, "chain is in use");
  put_back(self->descriptor, self->kept);
  *delay_ns = 0;
  return 0;
}

static void tried_again(const char* directory) {
  static result expected;
  static file_repair hand;
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_storage* inner = make_storage(BUFFERED, directory);
  ckpt_storage* storage = NULL;
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  ckpt_fault_handler* handler = NULL;
  int64_t retries = 0;
  expect_of(&of, &expected);
  options.decide = mend;
  options.decide_user_data = &hand;
  CHECK_OK(ckpt_fault_handler_create(&options, NULL, NULL, NULL, &handler));
  CHECK_OK(ckpt_storage_create_retrying(inner, handler, &storage));
  hand.of = &of;
  hand.executor = make_executor(&of, schedule, storage);
  hand.descriptor = next_unnamed(directory, 0);
  CHECK_OK(run_step(&of, hand.executor));
  /* Discards stores, so that loads return items of the previous step. */
  hand.kept = replace(hand.descriptor, "/dev/null", O_WRONLY);
  CHECK_OK(run_step(&of, hand.executor));
  check_same(&of, &expected);
  CHECK(hand.asked == 1);
  CHECK_OK(ckpt_fault_handler_get_retry_count(handler, &retries));
  CHECK(retries == 1);
  ckpt_schedule_executor_release(hand.executor);
  ckpt_storage_release(storage);
  ckpt_storage_release(inner);
  ckpt_fault_handler_release(handler);
  ckpt_schedule_release(schedule);
  release_model(&of);
}

/* ---- Concurrency: a copy that cannot end before the last layer has run forward ---- */

typedef struct gate {
  sem_t last_ran;
  int descriptor;
  int kept;
  int asked;
} gate;

static int32_t open_gate(void* user_data) { return sem_post(&((gate*)user_data)->last_ran); }

static int32_t wait_at_gate(ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry, int64_t* delay_ns,
                            void* user_data) {
  gate* self = user_data;
  (void)message, (void)attempt;
  CHECK(status == CKPT_E_NO_SPACE && self->asked++ == 0);
  while (sem_wait(&self->last_ran) != 0) continue;
  put_back(self->descriptor, self->kept);
  *retry = 1;
  *delay_ns = 0;
  return 0;
}

static void during_layers(const char* directory) {
  static result expected;
  static gate at;
  probe last = {NULL, NULL, &at};
  model of = make_model(SAMPLES, WIDTH, &last);
  ckpt_schedule* schedule = make_moving(of.layers, of.layers); /* no AWAIT before the last layer */
  ckpt_storage* inner = make_storage(BUFFERED, directory);
  ckpt_storage* storage = NULL;
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  ckpt_fault_handler* handler = NULL;
  ckpt_schedule_executor* executor = NULL;
  expect_of(&of, &expected);
  CHECK(sem_init(&at.last_ran, 0, 0) == 0);
  options.decide = wait_at_gate;
  options.decide_user_data = &at;
  CHECK_OK(ckpt_fault_handler_create(&options, NULL, NULL, NULL, &handler));
  CHECK_OK(ckpt_storage_create_retrying(inner, handler, &storage));
  executor = make_executor(&of, schedule, storage);
  at.descriptor = next_unnamed(directory, 0);
  at.kept = replace(at.descriptor, "/dev/full", O_RDWR);
  last.forward_hook = open_gate;
  CHECK_OK(run_step(&of, executor));
  CHECK(at.asked == 1);
  check_same(&of, &expected);
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(storage);
  ckpt_storage_release(inner);
  ckpt_fault_handler_release(handler);
  ckpt_schedule_release(schedule);
  release_model(&of);
  CHECK(sem_destroy(&at.last_ran) == 0);
}

/* A step that fails does not wait for pending writes to a slow tier: here they would take a year. */
static void fails_soon(const char* directory) {
  enum { LONG_SAMPLES = 4096, LONG_WIDTH = 512 };
  fault broken = {-1, 1, 0};
  probe last = {refuse, NULL, &broken};
  model of = make_model(LONG_SAMPLES, LONG_WIDTH, &last);
  ckpt_schedule_action actions[64];
  ckpt_schedule* schedule = NULL;
  ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  ckpt_schedule_executor* executor = NULL;
  int64_t i;
  int n = 0;
  options.bytes_per_second = 1;
  CHECK_OK(ckpt_storage_create_file_system(directory, &options, &storage));
  actions[n++] = move(CKPT_ACTION_KIND_STORE_BEGIN, 0);
  for (i = 0; i < of.layers; ++i) actions[n++] = act(CKPT_ACTION_KIND_FORWARD_TAPE, i);
  actions[n++] = act(CKPT_ACTION_KIND_TURN, 0);
  actions[n++] = drop_input(of.layers);
  for (i = of.layers - 1; i >= 0; --i) {
    actions[n++] = act(CKPT_ACTION_KIND_BACKWARD, i);
    actions[n++] = drop_input(i);
  }
  actions[n++] = await_transfer(0);
  actions[n++] = move(CKPT_ACTION_KIND_DROP, 0);
  actions[n++] = act(CKPT_ACTION_KIND_END, 0);
  CHECK_OK(ckpt_schedule_create_list(of.layers, actions, n, &schedule));
  executor = make_executor(&of, schedule, storage);
  CHECK_FAILS(run_step(&of, executor), CKPT_E_CALLBACK, "the probe refuses");
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(storage);
  ckpt_schedule_release(schedule);
  release_model(&of);
}

/* ---- Storages without such files ---- */

static int32_t no_open(const char* path, void** file, void* user_data) {
  (void)path, (void)file, (void)user_data;
  return CKPT_E_IO;
}
static void no_close(void* file, void* user_data) { (void)file, (void)user_data; }
static int32_t no_file_size(void* file, int64_t* bytes, void* user_data) {
  (void)file, (void)bytes, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_read(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user_data) {
  (void)file, (void)offset, (void)buffer, (void)bytes, (void)read, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_write(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user_data) {
  (void)file, (void)offset, (void)buffer, (void)bytes, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_sync(void* file, void* user_data) {
  (void)file, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_rename(const char* from, const char* to, void* user_data) {
  (void)from, (void)to, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_path(const char* path, void* user_data) {
  (void)path, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_list(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user_data) {
  (void)path, (void)entry, (void)listing, (void)user_data;
  return CKPT_E_IO;
}
static int32_t no_size(const char* path, int64_t* bytes, void* user_data) {
  (void)path, (void)bytes, (void)user_data;
  return CKPT_E_IO;
}

static void refused(const char* directory) {
  ckpt_storage_callbacks callbacks = CKPT_STORAGE_CALLBACKS_INIT;
  model of = make_model(SAMPLES, WIDTH, NULL);
  ckpt_schedule* schedule = make_moving(of.layers, 2);
  ckpt_schedule_executor_options options = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_schedule_executor* executor = NULL;
  ckpt_storage* custom = NULL;
  ckpt_storage* gone = NULL;
  ckpt_status status = CKPT_OK;
  callbacks.create = callbacks.open = callbacks.lock = no_open;
  callbacks.close = callbacks.unlock = no_close;
  callbacks.file_size = no_file_size;
  callbacks.read = no_read;
  callbacks.write = no_write;
  callbacks.sync = no_sync;
  callbacks.rename = no_rename;
  callbacks.remove = callbacks.remove_directory = callbacks.make_directory = callbacks.sync_directory = no_path;
  callbacks.list = no_list;
  callbacks.size = no_size;
  CHECK_OK(ckpt_storage_create_custom("shelf", &callbacks, NULL, NULL, &custom));
  options.tier1_storage = custom;
  CHECK_FAILS(ckpt_schedule_executor_create(of.chain, schedule, &of.spec, &options, &executor), CKPT_E_UNSUPPORTED,
              "tier 1: storage 'shelf' does not support scratch files");
  options.tier1_storage = (ckpt_storage*)(void*)of.chain;
  CHECK_FAILS(ckpt_schedule_executor_create(of.chain, schedule, &of.spec, &options, &executor), CKPT_E_INVALID_ARGUMENT,
              "options.tier1_storage");
  options.tier1_storage = make_storage(BUFFERED, directory);
  options.tier2_storage = custom; /* for a tier without actions: ignored */
  CHECK_OK(ckpt_schedule_executor_create(of.chain, schedule, &of.spec, &options, &executor));
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(options.tier1_storage);

  executor = NULL;
  gone = make_storage(BUFFERED, directory);
  CHECK(rmdir(directory) == 0);
  options.tier1_storage = gone;
  status = ckpt_schedule_executor_create(of.chain, schedule, &of.spec, &options, &executor);
  /* tmpfs, which Debian 13 has at /tmp, creates files without a name in a folder that was removed; other file systems fail. */
  CHECK(status == CKPT_OK || status == CKPT_E_NOT_FOUND || status == CKPT_E_PERMISSION);
  if (status != CKPT_OK) CHECK(strstr(ckpt_last_error(), "tier 1: cannot create '") != NULL);
  ckpt_schedule_executor_release(executor);
  ckpt_storage_release(gone);
  ckpt_storage_release(custom);
  ckpt_schedule_release(schedule);
  release_model(&of);
}

int main(void) {
  const char* directory = make_directory();
  alarm(HANG_SECONDS);
  all_same_bits(directory);
  files(directory);
  errors(BUFFERED, directory);
  errors(DIRECT, directory);
  errors(RING, directory);
  tried_again(directory);
  during_layers(directory);
  fails_soon(directory);
  refused(directory);
  puts("tiers: same bits, files, errors");
  return 0;
}
