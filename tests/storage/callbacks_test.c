/* A custom storage, here a table of names and bytes, and a fault handler before it, from C99. */
#include <stddef.h>

#include "check.h"

enum { max_nodes = 64, max_bytes = 65536 };

typedef struct node {
  char path[128];
  int used;
  int is_directory;
  int open;
  int64_t length;
  unsigned char bytes[max_bytes];
} node;

typedef struct map_storage {
  node nodes[max_nodes];
  int open_files;
  int locks;
  int destroyed;
  int calls;
  int fail_writes; /* number of future writes that fail with fail_status */
  int32_t fail_status;
  const char* invalid; /* an invalid listing, see map_list; NULL: none */
} map_storage;

static node* find(map_storage* s, const char* path) {
  for (int i = 0; i < max_nodes; ++i) {
    if (s->nodes[i].used && strcmp(s->nodes[i].path, path) == 0) return &s->nodes[i];
  }
  return NULL;
}

static node* add(map_storage* s, const char* path, int is_directory) {
  for (int i = 0; i < max_nodes; ++i) {
    node* n = &s->nodes[i];
    if (n->used) continue;
    memset(n, 0, sizeof *n);
    n->used = 1;
    n->is_directory = is_directory;
    snprintf(n->path, sizeof n->path, "%s", path);
    return n;
  }
  return NULL;
}

static int32_t map_create(const char* path, void** file, void* user) {
  map_storage* s = user;
  ++s->calls;
  if (find(s, path) != NULL) return CKPT_E_ALREADY_EXISTS;
  if ((*file = add(s, path, 0)) == NULL) return CKPT_E_NO_SPACE;
  ++s->open_files;
  return CKPT_OK;
}

static int32_t map_open(const char* path, void** file, void* user) {
  map_storage* s = user;
  node* n = find(s, path);
  if (n == NULL) return CKPT_E_NOT_FOUND;
  if (n->is_directory) return CKPT_E_INVALID_ARGUMENT;
  *file = n;
  ++s->open_files;
  return CKPT_OK;
}

static void map_close(void* file, void* user) {
  (void)file;
  --((map_storage*)user)->open_files;
}

static int32_t map_file_size(void* file, int64_t* bytes, void* user) {
  (void)user;
  *bytes = ((node*)file)->length;
  return CKPT_OK;
}

static int32_t map_read(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* count, void* user) {
  const node* n = file;
  (void)user;
  *count = offset >= n->length ? 0 : n->length - offset < bytes ? n->length - offset : bytes;
  if (*count > 0) memcpy(buffer, n->bytes + offset, (size_t)*count);
  return CKPT_OK;
}

static int32_t map_write(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user) {
  map_storage* s = user;
  node* n = file;
  if (s->fail_writes > 0) {
    --s->fail_writes;
    ckpt_callback_error("the shelf is wet");
    return s->fail_status;
  }
  if (offset + bytes > max_bytes) return CKPT_E_NO_SPACE;
  if (bytes > 0) memcpy(n->bytes + offset, buffer, (size_t)bytes);
  if (offset + bytes > n->length) n->length = offset + bytes;
  return CKPT_OK;
}

static int32_t map_sync(void* file, void* user) {
  (void)file;
  ++((map_storage*)user)->calls;
  return CKPT_OK;
}

static int32_t map_rename(const char* from, const char* to, void* user) {
  map_storage* s = user;
  const size_t length = strlen(from);
  node* old = find(s, to);
  if (find(s, from) == NULL) return CKPT_E_NOT_FOUND;
  if (old != NULL) old->used = 0;
  for (int i = 0; i < max_nodes; ++i) {
    node* n = &s->nodes[i];
    char renamed[256];
    if (!n->used || strncmp(n->path, from, length) != 0 || (n->path[length] != '\0' && n->path[length] != '/')) continue;
    snprintf(renamed, sizeof renamed, "%s%s", to, n->path + length);
    snprintf(n->path, sizeof n->path, "%.127s", renamed);
  }
  return CKPT_OK;
}

static int32_t map_remove(const char* path, void* user) {
  node* n = find(user, path);
  if (n == NULL) return CKPT_E_NOT_FOUND;
  n->used = 0;
  return CKPT_OK;
}

static int32_t map_make_directory(const char* path, void* user) {
  if (find(user, path) != NULL) return CKPT_E_ALREADY_EXISTS;
  return add(user, path, 1) == NULL ? CKPT_E_NO_SPACE : CKPT_OK;
}

static int32_t map_sync_directory(const char* path, void* user) {
  (void)path;
  ++((map_storage*)user)->calls;
  return CKPT_OK;
}

static int32_t map_list(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) {
  map_storage* s = user;
  const size_t length = strlen(path);
  for (int i = 0; i < max_nodes; ++i) {
    const node* n = &s->nodes[i];
    const char* name = n->path;
    if (!n->used) continue;
    if (length > 0) {
      if (strncmp(name, path, length) != 0 || name[length] != '/') continue;
      name += length + 1;
    }
    if (strchr(name, '/') != NULL) continue;
    const int32_t code = entry(listing, name, n->is_directory);
    if (code != CKPT_OK) return code;
    if (s->invalid != NULL && strcmp(s->invalid, "twice") == 0) {
      const int32_t again = entry(listing, name, n->is_directory);
      if (again != CKPT_OK) return again;
    }
    if (s->invalid != NULL && strcmp(s->invalid, "twice, answers ignored") == 0) (void)entry(listing, name, 1 - n->is_directory);
  }
  if (s->invalid == NULL || strncmp(s->invalid, "name:", 5) != 0) return CKPT_OK;
  return entry(listing, strcmp(s->invalid, "name:NULL") == 0 ? NULL : s->invalid + 5, 0);
}

static int32_t map_size(const char* path, int64_t* bytes, void* user) {
  const node* n = find(user, path);
  if (n == NULL) return CKPT_E_NOT_FOUND;
  if (n->is_directory) return CKPT_E_INVALID_ARGUMENT;
  *bytes = n->length;
  return CKPT_OK;
}

static int32_t map_lock(const char* path, void** lock, void* user) {
  map_storage* s = user;
  (void)path;
  if (s->locks > 0) {
    ckpt_callback_error("the shelf is taken");
    return CKPT_E_BUSY;
  }
  ++s->locks;
  *lock = s;
  return CKPT_OK;
}

static void map_unlock(void* lock, void* user) {
  (void)lock;
  --((map_storage*)user)->locks;
}

static void map_destroy(void* user) { ++((map_storage*)user)->destroyed; }

static ckpt_storage_callbacks all_callbacks(void) {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  CKPT_INIT(ckpt_storage_callbacks, &table);
  table.create = map_create;
  table.open = map_open;
  table.close = map_close;
  table.file_size = map_file_size;
  table.read = map_read;
  table.write = map_write;
  table.sync = map_sync;
  table.rename = map_rename;
  table.remove = map_remove;
  table.remove_directory = map_remove;
  table.make_directory = map_make_directory;
  table.sync_directory = map_sync_directory;
  table.list = map_list;
  table.size = map_size;
  table.lock = map_lock;
  table.unlock = map_unlock;
  return table;
}

static int sleeps;
static int64_t slept_ns;
static void count_sleep(int64_t ns, void* user) {
  ++sleeps;
  slept_ns += ns;
  (void)user;
}
static void count_destroy(void* user) { ++*(int*)user; }

/* A checkpoint works in a custom storage like anywhere else. */
static void test_custom(map_storage* s) {
  const ckpt_storage_callbacks table = all_callbacks();
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_state* state = NULL;
  int64_t count = 0;
  CHECK_OK(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &second), CKPT_E_BUSY, "the shelf is taken");
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", "0.5"));
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_list(checkpoint, NULL, 0, &count));
  CHECK(count == 1);
  CHECK_OK(ckpt_checkpoint_manager_verify(checkpoint, NULL, NULL));

  /* A status is passed on, another number becomes CALLBACK; the older checkpoint is unchanged. */
  s->fail_writes = 1;
  s->fail_status = CKPT_E_NO_SPACE;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_NO_SPACE, "the shelf is wet");
  s->fail_writes = 1;
  s->fail_status = 17;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_CALLBACK, "the shelf is wet");
  CHECK_OK(ckpt_state_set_json(state, "lr", "7"));
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, state, NULL, NULL));
  char text[8];
  CHECK_OK(ckpt_state_get_json(state, "lr", text, sizeof text, NULL));
  CHECK(strcmp(text, "0.5") == 0);
  CHECK(s->open_files == 0 && s->locks == 1);

  ckpt_storage_release(storage);
  CHECK(s->destroyed == 0); /* the checkpoint manager keeps it alive */
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK(s->destroyed == 1 && s->locks == 0);
  ckpt_state_release(state);
}

static void test_retries(map_storage* s) {
  const ckpt_storage_callbacks table = all_callbacks();
  ckpt_fault_handler_options options;
  ckpt_fault_handler* handler = NULL;
  ckpt_storage* inner = NULL;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  int64_t retries = -1;
  int destroyed = 0;
  CKPT_INIT(ckpt_fault_handler_options, &options);
  CHECK(options.max_attempts == 5);
  options.max_attempts = 3;
  options.first_delay_ns = 1000;
  options.jitter = 0;
  CHECK_OK(ckpt_fault_handler_create(&options, count_sleep, &destroyed, count_destroy, &handler));
  CHECK_OK(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &inner));
  CHECK_OK(ckpt_storage_create_retrying(inner, handler, &storage));
  /* Using the same handler twice would multiply the attempts: the checkpoint manager gets one that tries once. */
  ckpt_checkpoint_manager_options once = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.max_attempts = 1;
  CHECK_OK(ckpt_fault_handler_create(&options, NULL, NULL, NULL, &once.fault_handler));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &once, &checkpoint));
  ckpt_fault_handler_release(once.fault_handler);
  CHECK_OK(ckpt_state_create(&state));

  s->fail_writes = 2;
  s->fail_status = CKPT_E_IO;
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));
  CHECK_OK(ckpt_fault_handler_get_retry_count(handler, &retries));
  CHECK(retries == 2 && sleeps == 2 && slept_ns == 3000);
  s->fail_writes = 3;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_IO, "the shelf is wet");
  CHECK(sleeps == 4);
  s->fail_writes = 1;
  s->fail_status = CKPT_E_NO_SPACE;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_NO_SPACE, "wet");
  CHECK(sleeps == 4);

  ckpt_storage_release(inner);
  ckpt_storage_release(storage);
  ckpt_fault_handler_release(handler);
  CHECK(destroyed == 0);
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK(destroyed == 1 && s->destroyed == 1);
  ckpt_state_release(state);
}

typedef struct decider {
  int asked, destroyed;
  int32_t last_attempt, retry_by_rule, answer, code;
  int64_t delay_by_rule, delay;
  ckpt_status last_status;
  ckpt_checkpoint_manager* reenter; /* the manager of the running operation */
  ckpt_state* state;
  char last_message[200];
} decider;

static int32_t decide(ckpt_status status, const char* message, int32_t attempt, int32_t* retry, int64_t* delay_ns,
                      void* user_data) {
  decider* const d = user_data;
  ++d->asked;
  d->last_status = status;
  d->last_attempt = attempt;
  d->retry_by_rule = *retry;
  d->delay_by_rule = *delay_ns;
  snprintf(d->last_message, sizeof d->last_message, "%s", message);
  *retry = d->answer;
  *delay_ns = d->delay;
  if (d->reenter != NULL) {
    CHECK(ckpt_checkpoint_manager_save(d->reenter, d->state, NULL, NULL) == CKPT_E_INVALID_STATE);
    CHECK(ckpt_checkpoint_manager_load(d->reenter, d->state, NULL, NULL) == CKPT_E_INVALID_STATE);
  }
  if (d->code != 0) ckpt_callback_error("the shelf is not to be waited for");
  return d->code;
}

static void destroy_decider(void* user_data) { ++((decider*)user_data)->destroyed; }

/* The user's function decides about each error, instead of the built-in rule. */
static void test_decide(map_storage* s) {
  const ckpt_storage_callbacks table = all_callbacks();
  ckpt_checkpoint_manager_options checkpoint_options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  ckpt_fault_handler* handler = NULL;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_state* state = NULL;
  int64_t retries = -1;
  int unused = 0;
  decider d = {0};
  sleeps = 0;
  slept_ns = 0;
  options.max_attempts = 3;
  options.first_delay_ns = 1000;
  options.jitter = 0;
  options.decide = decide;
  options.decide_user_data = &d;
  options.decide_destroy = destroy_decider;
  options.factor = 0.5;
  CHECK_FAILS(ckpt_fault_handler_create(&options, NULL, NULL, NULL, &handler), CKPT_E_INVALID_ARGUMENT, "factor is 0.5");
  CHECK(d.destroyed == 0); /* a failed call does not take user_data */
  options.factor = 2;
  CHECK_OK(ckpt_fault_handler_create(&options, count_sleep, &unused, count_destroy, &handler));
  checkpoint_options.fault_handler = handler;
  CHECK_OK(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &checkpoint_options, &checkpoint));
  CHECK_OK(ckpt_state_create(&state));

  s->fail_writes = 2; /* the rule would report this at once */
  s->fail_status = CKPT_E_NO_SPACE;
  d.answer = 1;
  d.delay = 70;
  d.reenter = checkpoint;
  d.state = state;
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));
  d.reenter = NULL;
  CHECK(d.asked == 2 && d.last_status == CKPT_E_NO_SPACE && d.last_attempt == 2 && d.retry_by_rule == 0);
  CHECK(d.delay_by_rule == 2000 && strstr(d.last_message, "the shelf is wet") != NULL);
  CHECK(sleeps == 2 && slept_ns == 140);
  CHECK_OK(ckpt_fault_handler_get_retry_count(handler, &retries));
  CHECK(retries == 2);

  s->fail_writes = 1; /* the rule would retry this */
  s->fail_status = CKPT_E_IO;
  d.answer = 0;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_IO, "the shelf is wet");
  CHECK(d.retry_by_rule == 1 && d.last_attempt == 1 && sleeps == 2);

  d.asked = 0; /* the number of attempts still limits retries, and the last error is not passed to the function */
  d.answer = 1;
  d.delay = 0;
  s->fail_writes = 3;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_IO, "the shelf is wet");
  CHECK(d.asked == 2 && sleeps == 2);

  d.code = 9;
  s->fail_writes = 1;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_CALLBACK, "the shelf is not to be waited for");
  CHECK(strstr(ckpt_last_error(), "the shelf is wet") != NULL); /* the original error is not lost */
  d.code = 0;
  d.answer = 2;
  s->fail_writes = 1;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "set *retry to 2");
  d.answer = 1;
  d.delay = -1;
  s->fail_writes = 1;
  CHECK_FAILS(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "set *delay_ns to -1");
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, state, NULL, NULL));

  ckpt_storage_release(storage);
  ckpt_fault_handler_release(handler);
  CHECK(d.destroyed == 0 && unused == 0);
  ckpt_checkpoint_manager_release(checkpoint);
  CHECK(d.destroyed == 1 && unused == 1);
  ckpt_state_release(state);
}

/* An invalid listing is refused completely: a duplicate name would count twice in retention. */
static void test_listings(map_storage* s) {
  static const struct {
    const char* invalid;
    const char* text;
  } invalid_results[] = {
      {"twice", "is listed twice"},   {"twice, answers ignored", "is listed twice"},
      {"name:", "name is empty"},     {"name:a/b", "one path component"},
      {"name:..", "leaves its root"}, {"name:NULL", "name is NULL"},
  };
  for (size_t i = 0; i < sizeof invalid_results / sizeof *invalid_results; ++i) {
    const ckpt_storage_callbacks table = all_callbacks();
    ckpt_storage* storage = NULL;
    ckpt_checkpoint_manager* manager = NULL;
    ckpt_checkpoint_manager_options keep = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
    ckpt_state* state = NULL;
    ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
    int64_t count = 0;
    memset(s, 0, sizeof *s);
    CHECK_OK(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &storage));
    keep.keep_last = 2;
    CHECK_OK(ckpt_checkpoint_manager_create(storage, &keep, &manager));
    CHECK_OK(ckpt_state_create(&state));
    for (save.step = 1; save.step <= 2; ++save.step) CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
    s->invalid = invalid_results[i].invalid;
    CHECK_FAILS(ckpt_checkpoint_manager_list(manager, NULL, 0, &count), CKPT_E_CALLBACK, invalid_results[i].text);
    CHECK_FAILS(ckpt_checkpoint_manager_load(manager, state, NULL, NULL), CKPT_E_CALLBACK, "storage 'shelf' list ''");
    (void)ckpt_checkpoint_manager_save(manager, state, &save, NULL); /* removes nothing, whether or not it succeeds */
    s->invalid = NULL;
    CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
    CHECK(count >= 2);
    CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, NULL));
    ckpt_state_release(state);
    ckpt_checkpoint_manager_release(manager);
    ckpt_storage_release(storage);
  }
}

static void test_refusals(map_storage* s) {
  ckpt_storage_callbacks table = all_callbacks();
  ckpt_storage* storage = NULL;
  ckpt_fault_handler* handler = NULL;
  ckpt_fault_handler_options options = CKPT_FAULT_HANDLER_OPTIONS_INIT;
  int64_t retries = -1;
  table.rename = NULL;
  CHECK_FAILS(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &storage), CKPT_E_INVALID_ARGUMENT,
              "callbacks.rename is NULL");
  CHECK_FAILS(ckpt_storage_create_custom("shelf", NULL, s, map_destroy, &storage), CKPT_E_INVALID_ARGUMENT, "callbacks is NULL");
  table = all_callbacks();
  CHECK_FAILS(ckpt_storage_create_custom(" ", &table, s, map_destroy, &storage), CKPT_E_INVALID_ARGUMENT, "name");
  CHECK_FAILS(ckpt_storage_create_custom("shelf", &table, s, map_destroy, NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  table.struct_size = 8;
  CHECK_FAILS(ckpt_storage_create_custom("shelf", &table, s, map_destroy, &storage), CKPT_E_INVALID_ARGUMENT, "struct_size");
  CHECK(s->destroyed == 0); /* a failed call does not take user_data */
  options.factor = 0.5;
  CHECK_FAILS(ckpt_fault_handler_create(&options, NULL, NULL, NULL, &handler), CKPT_E_INVALID_ARGUMENT, "factor is 0.5");
  CHECK_FAILS(ckpt_fault_handler_create(NULL, NULL, NULL, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "handler is NULL");
  CHECK_FAILS(ckpt_fault_handler_get_retry_count(NULL, &retries), CKPT_E_INVALID_ARGUMENT, "handler is NULL");
  CHECK_OK(ckpt_fault_handler_create(NULL, NULL, NULL, NULL, &handler));
  CHECK_FAILS(ckpt_fault_handler_get_retry_count(handler, NULL), CKPT_E_INVALID_ARGUMENT, "retries is NULL");
  CHECK_FAILS(ckpt_storage_create_retrying(NULL, handler, &storage), CKPT_E_INVALID_ARGUMENT, "inner is NULL");
  CHECK(storage == NULL);
  ckpt_fault_handler_release(handler);
  ckpt_fault_handler_release(NULL);
}

int main(void) {
  map_storage* s = calloc(1, sizeof *s);
  CHECK(s != NULL);
  test_custom(s);
  memset(s, 0, sizeof *s);
  test_retries(s);
  memset(s, 0, sizeof *s);
  test_decide(s);
  test_listings(s);
  memset(s, 0, sizeof *s);
  test_refusals(s);
  free(s);
  return 0;
}
