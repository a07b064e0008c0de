/* Nested calls from callbacks. A log callback may load and save through the checkpoint that warned; a callback inside an operation
 * gets an error at once, because its object is in use. Nothing deadlocks: an alarm would end the test. */
#define _POSIX_C_SOURCE 200809L

#include "watched_storage.h"

static char scratch[64];

/* ---- A log callback ------------------------------------------------------------------------------------------------------ */

typedef struct listener {
  ckpt_checkpoint_manager* checkpoint;
  numbered into;
  int64_t loads;
  int64_t next_step; /* also saves with that step, unless it is 0 */
} listener;

static void use_the_checkpoint(int32_t level, const char* component, const char* message, void* user_data) {
  listener* l = user_data;
  int64_t count = 0;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  (void)level;
  (void)component;
  (void)message;
  if (l->checkpoint == NULL) return;
  CHECK_OK(ckpt_checkpoint_manager_load(l->checkpoint, l->into.state, NULL, &loaded));
  CHECK(numbered_value(&l->into) == (float)loaded.step);
  CHECK_OK(ckpt_checkpoint_manager_list(l->checkpoint, NULL, 0, &count));
  if (l->next_step > 0) CHECK_OK(numbered_save(l->checkpoint, l->next_step++, NULL));
  ++l->loads;
}

static int32_t fail_once(const char* operation, const char* path, void* data) {
  int* left = data;
  (void)path;
  return strcmp(operation, "write") == 0 && *left > 0 && --*left >= 0 ? CKPT_E_IO : CKPT_OK;
}

static void a_log_callback_uses_the_checkpoint_that_warned(void) {
  char path[320];
  int failures = 0;
  watched w = {"", fail_once, &failures};
  listener l = {NULL, {{0}, {0}, NULL}, 0, 0};
  numbered into;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_fault_handler_options quick = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  snprintf(w.root, sizeof w.root, "%s/log", scratch);
  CHECK(mkdir(w.root, 0777) == 0);
  quick.first_delay_ns = 0;
  CHECK_OK(ckpt_fault_handler_create(&quick, NULL, NULL, NULL, &options.fault_handler));
  ckpt_storage* storage = watched_storage(&w);
  numbered_make(&l.into, 0);
  numbered_make(&into, 0);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, use_the_checkpoint, &l, NULL));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &l.checkpoint));
  CHECK_OK(numbered_save(l.checkpoint, 1, NULL));
  CHECK_OK(numbered_save(l.checkpoint, 2, &saved));

  /* A load warns about the damaged one; the callback loads, and then saves. */
  snprintf(path, sizeof path, "%s/%s/b.safetensors", w.root, saved.name);
  CHECK(truncate(path, 100) == 0);
  CHECK_OK(ckpt_checkpoint_manager_load(l.checkpoint, into.state, NULL, &loaded));
  CHECK(loaded.step == 1 && l.loads > 0);
  l.next_step = 3;
  CHECK_OK(ckpt_checkpoint_manager_load(l.checkpoint, into.state, NULL, &loaded));
  CHECK(loaded.step == 1 && l.next_step > 3);

  /* A save warns about a retried operation. */
  const int64_t before = l.next_step;
  failures = 1;
  CHECK_OK(numbered_save(l.checkpoint, 100, &saved));
  CHECK(failures == 0 && l.next_step == before + 1);
  /* And about a permanent failure. */
  failures = 1000;
  l.next_step = 0;
  const int64_t loads = l.loads;
  CHECK_FAILS(numbered_save(l.checkpoint, 101, &saved), CKPT_E_IO, "write");
  CHECK(l.loads > loads);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, NULL, NULL, NULL));
  ckpt_state_release(l.into.state);
  ckpt_state_release(into.state);
  ckpt_fault_handler_release(options.fault_handler);
  ckpt_checkpoint_manager_release(l.checkpoint);
  ckpt_storage_release(storage);
}

/* ---- Callbacks inside operations ------------------------------------------------------------------------------------------ */

#define CHECK_INSIDE(call) CHECK_FAILS(call, CKPT_E_INVALID_STATE, "is in use by the operation that runs this callback")

typedef struct inside {
  ckpt_checkpoint_manager* checkpoint;
  ckpt_state* outer; /* the state being saved or loaded; may be NULL */
  ckpt_storage* storage;
  int64_t calls;
  int busy;
} inside;

static void expect_refusals(inside* i) {
  char text[128];
  int64_t count = 0;
  numbered other;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_async_manager* async = NULL;
  ckpt_reader* reader = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  numbered_make(&other, 1);
  CHECK_INSIDE(ckpt_checkpoint_manager_save(i->checkpoint, other.state, NULL, NULL));
  CHECK_INSIDE(ckpt_checkpoint_manager_load(i->checkpoint, other.state, NULL, NULL));
  CHECK_INSIDE(ckpt_checkpoint_manager_verify(i->checkpoint, NULL, NULL));
  CHECK_INSIDE(ckpt_checkpoint_manager_list(i->checkpoint, NULL, 0, &count));
  CHECK_INSIDE(ckpt_checkpoint_manager_list(i->checkpoint, &info, 1, &count));
  CHECK_INSIDE(ckpt_checkpoint_manager_get_latest(i->checkpoint, &info));
  CHECK_INSIDE(ckpt_checkpoint_manager_get_best(i->checkpoint, &info));
  CHECK_INSIDE(ckpt_checkpoint_manager_find_step(i->checkpoint, 0, &info));
  CHECK_INSIDE(ckpt_checkpoint_manager_remove(i->checkpoint, "x"));
  CHECK_INSIDE(ckpt_checkpoint_manager_get_manifest(i->checkpoint, "x", text, sizeof text, &count));
  CHECK_INSIDE(ckpt_async_manager_create(i->checkpoint, NULL, &async));
  CHECK_INSIDE(ckpt_reader_create_from_checkpoint(i->checkpoint, NULL, CKPT_VERIFY_NONE, &reader));
  if (i->storage != NULL) CHECK_INSIDE(ckpt_checkpoint_manager_create(i->storage, NULL, &second));
  if (i->outer != NULL) {
    const int64_t length = 1;
    float data = 0;
    CHECK_OK(ckpt_tensor_create_borrowed(&data, CKPT_DTYPE_F32, &length, 1, NULL, NULL, &tensor));
    CHECK_INSIDE(ckpt_state_add_tensor(i->outer, "c", "t", tensor));
    CHECK_INSIDE(ckpt_state_set_json(i->outer, "k", "1"));
    CHECK_INSIDE(ckpt_state_get_json(i->outer, "k", text, sizeof text, &count));
    CHECK_INSIDE(ckpt_state_get_tensor_count(i->outer, &count));
    CHECK_INSIDE(ckpt_state_get_load_report(i->outer, text, sizeof text, &count));
    CHECK_INSIDE(ckpt_state_set_rarely_changes(i->outer, "a", 1));
    snprintf(text, sizeof text, "%s/export", scratch);
    CHECK_INSIDE(ckpt_safetensors_write(text, i->outer, "a", NULL));
    ckpt_tensor_release(tensor);
  }
  CHECK(second == NULL && async == NULL && reader == NULL);
  ckpt_state_release(other.state);
  ++i->calls;
}

static int32_t list(ckpt_state* into, void* user_data) {
  inside* i = user_data;
  expect_refusals(i);
  return ckpt_state_set_json(into, "counted", "1");
}
static int32_t restore(const ckpt_state* loaded, void* user_data) {
  inside* i = user_data;
  char text[8];
  int64_t needed = 0;
  expect_refusals(i);
  return ckpt_state_get_json(loaded, "counted", text, sizeof text, &needed);
}

static void stateful_callbacks_get_an_error(void) {
  inside i = {NULL, NULL, NULL, 0, 0};
  numbered n;
  ckpt_storage* storage = NULL;
  ckpt_stateful_callbacks callbacks = CKPT_STATEFUL_CALLBACKS_INIT;
  callbacks.list = list;
  callbacks.restore = restore;
  CHECK_OK(ckpt_storage_create_memory(&storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &i.checkpoint));
  numbered_make(&n, 7);
  CHECK_OK(ckpt_state_add_stateful(n.state, "object", &callbacks, &i, NULL));
  i.outer = n.state;
  CHECK_OK(ckpt_checkpoint_manager_save(i.checkpoint, n.state, NULL, NULL));
  CHECK(i.calls == 1);
  numbered_set(&n, 0);
  CHECK_OK(ckpt_checkpoint_manager_load(i.checkpoint, n.state, NULL, NULL));
  CHECK(i.calls == 3 && numbered_value(&n) == 7);
  /* After the callbacks, everything still works. */
  CHECK_OK(ckpt_state_set_json(n.state, "k", "1"));
  CHECK_OK(ckpt_checkpoint_manager_save(i.checkpoint, n.state, NULL, NULL));
  ckpt_state_release(n.state);
  ckpt_checkpoint_manager_release(i.checkpoint);
  ckpt_storage_release(storage);
}

static int32_t from_the_storage(const char* operation, const char* path, void* data) {
  inside* i = data;
  (void)operation;
  (void)path;
  if (i->checkpoint == NULL || i->busy) return CKPT_OK;
  i->busy = 1;
  expect_refusals(i);
  i->busy = 0;
  return CKPT_OK;
}

static void storage_callbacks_get_an_error(void) {
  inside i = {NULL, NULL, NULL, 0, 0};
  watched w = {"", from_the_storage, NULL};
  numbered n;
  int64_t count = 0;
  ckpt_reader* reader = NULL;
  w.data = &i;
  snprintf(w.root, sizeof w.root, "%s/storage", scratch);
  CHECK(mkdir(w.root, 0777) == 0);
  i.storage = watched_storage(&w);
  CHECK_OK(ckpt_checkpoint_manager_create(i.storage, NULL, &i.checkpoint));
  numbered_make(&n, 7);
  CHECK_OK(ckpt_checkpoint_manager_save(i.checkpoint, n.state, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_load(i.checkpoint, n.state, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_verify(i.checkpoint, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_list(i.checkpoint, NULL, 0, &count));
  CHECK_OK(ckpt_reader_create_from_checkpoint(i.checkpoint, NULL, CKPT_VERIFY_FULL, &reader));
  CHECK(count == 1 && i.calls > 30);
  ckpt_reader_release(reader);
  ckpt_state_release(n.state);
  ckpt_checkpoint_manager_release(i.checkpoint);
  ckpt_storage_release(i.storage);
}

/* ---- Coordinators --------------------------------------------------------------------------------------------------------- */

static int32_t barrier(int64_t timeout_ns, void* user_data) {
  ckpt_coordinator* const* self = user_data;
  char byte = 0;
  CHECK_INSIDE(ckpt_coordinator_barrier(*self, timeout_ns));
  CHECK_INSIDE(ckpt_coordinator_broadcast(*self, &byte, 1, 0, timeout_ns));
  CHECK_INSIDE(ckpt_coordinator_all_gather(*self, &byte, 1, timeout_ns, &byte));
  CHECK_INSIDE(ckpt_coordinator_gather(*self, &byte, 1, 0, timeout_ns, &byte));
  return 0;
}
static int32_t broadcast(void* data, int64_t bytes, int64_t root, int64_t timeout_ns, void* user_data) {
  (void)data;
  (void)bytes;
  (void)root;
  return barrier(timeout_ns, user_data);
}
static int32_t all_gather(const void* sent, int64_t bytes, int64_t timeout_ns, void* received, void* user_data) {
  (void)sent;
  (void)bytes;
  (void)received;
  return barrier(timeout_ns, user_data);
}
static int32_t gather(const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns, void* received, void* user_data) {
  (void)sent;
  (void)bytes;
  (void)root;
  (void)received;
  return barrier(timeout_ns, user_data);
}

static void coordinator_callbacks_get_an_error(void) {
  ckpt_coordinator* coordinator = NULL;
  ckpt_coordinator_callbacks callbacks = CKPT_COORDINATOR_CALLBACKS_INIT;
  char byte = 0;
  char other = 0;
  callbacks.barrier = barrier;
  callbacks.broadcast = broadcast;
  callbacks.all_gather = all_gather;
  callbacks.gather = gather;
  CHECK_OK(ckpt_coordinator_create_custom(&callbacks, &coordinator, NULL, &coordinator));
  CHECK_OK(ckpt_coordinator_barrier(coordinator, 0));
  CHECK_OK(ckpt_coordinator_broadcast(coordinator, &byte, 1, 0, 0));
  CHECK_OK(ckpt_coordinator_all_gather(coordinator, &byte, 1, 0, &other));
  CHECK_OK(ckpt_coordinator_gather(coordinator, &byte, 1, 0, 0, &other));
  ckpt_coordinator_release(coordinator);
}

int main(void) {
  alarm(HANG_SECONDS);
  make_scratch(scratch, "reentry");
  a_log_callback_uses_the_checkpoint_that_warned();
  stateful_callbacks_get_an_error();
  storage_callbacks_get_an_error();
  coordinator_callbacks_get_an_error();
  remove_scratch(scratch);
  return 0;
}
