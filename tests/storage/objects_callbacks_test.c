/* A custom object store, from C99: required functions, calls made, and the handling of invalid results. */
#include <stddef.h>

#include "check.h"

enum { max_objects = 64, max_bytes = 16384 };

typedef struct object {
  char path[128];
  int64_t length;
  unsigned char bytes[max_bytes];
} object;

typedef struct store {
  object objects[max_objects]; /* sorted by path */
  int count;
  int open_files;
  int destroyed;
  int puts, lists, ranges, removals, sizes, streams;
  int64_t max_ranges;
  const char* invalid; /* the result that is invalid; NULL: none */
} store;

typedef struct handle {
  char path[128];
  object contents;
} handle;

static int is_invalid(const store* s, const char* invalid) { return s->invalid != NULL && strcmp(s->invalid, invalid) == 0; }

static object* find(store* s, const char* path) {
  for (int i = 0; i < s->count; ++i) {
    if (strcmp(s->objects[i].path, path) == 0) return &s->objects[i];
  }
  return NULL;
}

static int32_t put(store* s, const char* path, const void* bytes, int64_t length) {
  object* o = find(s, path);
  if (length > max_bytes) return CKPT_E_NO_SPACE;
  if (o == NULL) {
    int at = 0;
    if (s->count == max_objects) return CKPT_E_NO_SPACE;
    while (at < s->count && strcmp(s->objects[at].path, path) < 0) ++at;
    memmove(&s->objects[at + 1], &s->objects[at], (size_t)(s->count++ - at) * sizeof *s->objects);
    o = &s->objects[at];
    snprintf(o->path, sizeof o->path, "%s", path);
  }
  o->length = length;
  if (length > 0) memcpy(o->bytes, bytes, (size_t)length);
  return CKPT_OK;
}

static int32_t store_create(const char* path, void** file, void* user) {
  handle* h = calloc(1, sizeof *h);
  if (h == NULL) return CKPT_E_OUT_OF_MEMORY;
  snprintf(h->path, sizeof h->path, "%s", path);
  ++((store*)user)->open_files;
  *file = h;
  return CKPT_OK;
}

static int32_t store_create_stream(const char* path, int64_t expected_bytes, void** file, void* user) {
  ++((store*)user)->streams;
  CHECK(expected_bytes >= 0);
  return store_create(path, file, user);
}

static int32_t store_open(const char* path, void** file, void* user) {
  const object* o = find(user, path);
  if (o == NULL) return CKPT_E_NOT_FOUND;
  const int32_t code = store_create(path, file, user);
  if (code == CKPT_OK) ((handle*)*file)->contents = *o;
  return code;
}

static void store_close(void* file, void* user) {
  --((store*)user)->open_files;
  free(file);
}

static int32_t store_file_size(void* file, int64_t* bytes, void* user) {
  ++((store*)user)->sizes;
  *bytes = is_invalid(user, "file_size") ? -1 : ((handle*)file)->contents.length;
  return CKPT_OK;
}

static int32_t store_read(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* count, void* user) {
  const object* o = &((handle*)file)->contents;
  *count = offset >= o->length ? 0 : o->length - offset < bytes ? o->length - offset : bytes;
  if (*count > 0) memcpy(buffer, o->bytes + offset, (size_t)*count);
  if (is_invalid(user, "read")) *count = bytes + 1;
  return CKPT_OK;
}

static int32_t store_read_ranges(void* file, const ckpt_storage_range* ranges, int64_t count, void* user) {
  store* s = user;
  const object* o = &((handle*)file)->contents;
  ++s->ranges;
  if (count > s->max_ranges) s->max_ranges = count;
  for (int64_t i = 0; i < count; ++i) {
    CHECK(ranges[i].offset >= 0 && ranges[i].bytes >= 0);
    if (ranges[i].offset + ranges[i].bytes > o->length) return CKPT_E_INVALID_ARGUMENT;
    memcpy(ranges[i].buffer, o->bytes + ranges[i].offset, (size_t)ranges[i].bytes);
  }
  return CKPT_OK;
}

static int32_t store_write(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user) {
  object* o = &((handle*)file)->contents;
  (void)user;
  CHECK(offset == o->length); /* a stream has no gaps */
  if (offset + bytes > max_bytes) return CKPT_E_NO_SPACE;
  if (bytes > 0) memcpy(o->bytes + offset, buffer, (size_t)bytes);
  o->length += bytes;
  return CKPT_OK;
}

static int32_t store_sync(void* file, void* user) {
  const handle* h = file;
  return put(user, h->path, h->contents.bytes, h->contents.length);
}

static int32_t store_remove(const char* path, void* user) {
  store* s = user;
  object* o = find(s, path);
  if (o == NULL) return CKPT_E_NOT_FOUND;
  memmove(o, o + 1, (size_t)(s->objects + s->count - o - 1) * sizeof *o);
  --s->count;
  return CKPT_OK;
}

static int32_t store_remove_many(const char* const* paths, int64_t count, void* user) {
  ++((store*)user)->removals;
  CHECK(count > 0);
  for (int64_t i = 0; i < count; ++i) (void)store_remove(paths[i], user);
  return CKPT_OK;
}

static int32_t store_size(const char* path, int64_t* bytes, void* user) {
  const object* o = find(user, path);
  if (o == NULL) return CKPT_E_NOT_FOUND;
  *bytes = o->length;
  return CKPT_OK;
}

static int32_t store_put_if_absent(const char* path, const void* buffer, int64_t bytes, void* user) {
  store* s = user;
  ++s->puts;
  if (is_invalid(s, "unsupported")) return CKPT_E_UNSUPPORTED;
  if (find(s, path) != NULL && !is_invalid(s, "put")) return CKPT_E_ALREADY_EXISTS;
  return put(s, path, buffer, bytes);
}

static int32_t store_list_from(const char* prefix, const char* after, int64_t limit, ckpt_storage_object_fn take, void* listing,
                               void* user) {
  store* s = user;
  int64_t given = 0;
  ++s->lists;
  CHECK(limit >= 1);
  for (int i = 0; i < s->count; ++i) {
    const object* o = &s->objects[i];
    if (strncmp(o->path, prefix, strlen(prefix)) != 0 || strcmp(o->path, after) <= 0) continue;
    if (given++ == limit && !is_invalid(s, "limit")) break;
    const char* path = is_invalid(s, "outside") ? "elsewhere"
                       : is_invalid(s, "dots")  ? "../x"
                       : is_invalid(s, "null")  ? NULL
                                                : o->path;
    const int32_t code = take(listing, path, is_invalid(s, "bytes") ? -1 : o->length);
    if (code != CKPT_OK && !is_invalid(s, "ignores")) return code;
    if (is_invalid(s, "twice")) (void)take(listing, path, o->length); /* and continues as if the call had succeeded */
  }
  return is_invalid(s, "error") ? CKPT_E_PERMISSION : CKPT_OK;
}

static void store_destroy(void* user) { ++((store*)user)->destroyed; }

static int32_t must_not(const char* path, void* user) {
  (void)path;
  (void)user;
  CHECK(0 && "an object store has no such call");
  return CKPT_E_INTERNAL;
}

static ckpt_storage_callbacks object_callbacks(void) {
  ckpt_storage_callbacks table = CKPT_STORAGE_CALLBACKS_INIT;
  table.flags = CKPT_STORAGE_FLAG_OBJECTS;
  table.create = store_create;
  table.open = store_open;
  table.close = store_close;
  table.file_size = store_file_size;
  table.read = store_read;
  table.write = store_write;
  table.sync = store_sync;
  table.remove = store_remove;
  table.size = store_size;
  table.create_stream = store_create_stream;
  table.put_if_absent = store_put_if_absent;
  table.list_from = store_list_from;
  return table;
}

static ckpt_storage* make(store* s, const ckpt_storage_callbacks* table) {
  ckpt_storage* storage = NULL;
  memset(s, 0, sizeof *s);
  CHECK_OK(ckpt_storage_create_custom("store", table, s, store_destroy, &storage));
  return storage;
}

static ckpt_state* make_state(const char* lr) {
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", lr));
  return state;
}

static void test_whole_life(store* s, int all) {
  ckpt_storage_callbacks table = object_callbacks();
  if (all) {
    table.read_ranges = store_read_ranges;
    table.remove_many = store_remove_many;
    table.remove_directory = table.make_directory = table.sync_directory = must_not; /* must not be called */
  }
  ckpt_storage* storage = make(s, &table);
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager* first = NULL;
  ckpt_checkpoint_manager* second = NULL;
  ckpt_state* state = make_state("0.5");
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  int64_t count = 0;
  ckpt_tensor* tensor = NULL;
  const int64_t length = 5;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, &length, 1, NULL, &tensor));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "w", tensor));
  ckpt_tensor_release(tensor);
  options.keep_last = 2;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &first));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &second)); /* no lock prevents it */
  for (save.step = 1; save.step <= 4; ++save.step) CHECK_OK(ckpt_checkpoint_manager_save(first, state, &save, NULL));
  CHECK_OK(ckpt_checkpoint_manager_list(first, NULL, 0, &count));
  CHECK(count == 2);
  CHECK(s->count == 6); /* two files, their manifests, and their records */
  CHECK_FAILS(ckpt_checkpoint_manager_save(second, state, &save, NULL), CKPT_E_BUSY, "another writer has committed");
  CHECK_FAILS(ckpt_checkpoint_manager_save(second, state, &save, NULL), CKPT_E_BUSY, "reopen the storage");
  CHECK_OK(ckpt_state_set_json(state, "lr", "7"));
  CHECK_OK(ckpt_checkpoint_manager_verify(second, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_load(second, state, NULL, NULL));
  char text[8];
  CHECK_OK(ckpt_state_get_json(state, "lr", text, sizeof text, NULL));
  CHECK(strcmp(text, "0.5") == 0);
  CHECK(s->open_files == 0 && s->streams > 0 && s->lists > 0);
  CHECK((s->removals > 0) == (all != 0));
  ckpt_storage_release(storage);
  ckpt_checkpoint_manager_release(second);
  CHECK(s->destroyed == 0);
  ckpt_checkpoint_manager_release(first);
  CHECK(s->destroyed == 1);
  ckpt_state_release(state);
}

/* Tensors: range reads are used if the store offers them, and the size of an open file is requested once. */
static void test_ranges(store* s) {
  for (int given = 0; given < 2; ++given) {
    ckpt_storage_callbacks table = object_callbacks();
    if (given) table.read_ranges = store_read_ranges;
    ckpt_storage* storage = make(s, &table);
    ckpt_checkpoint_manager* manager = NULL;
    ckpt_state* state = make_state("1");
    ckpt_tensor* tensor = NULL;
    ckpt_reader* reader = NULL;
    const int64_t shape[2] = {4, 8};
    CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, NULL, &tensor));
    CHECK_OK(ckpt_state_add_tensor(state, "model", "w", tensor));
    CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
    CHECK_OK(ckpt_checkpoint_manager_save(manager, state, NULL, NULL));
    CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, NULL));
    CHECK((s->ranges > 0) == (given != 0));
    CHECK_OK(ckpt_reader_create_from_checkpoint(manager, NULL, CKPT_VERIFY_LAZY, &reader));
    s->sizes = 0;
    for (int i = 0; i < 5; ++i) CHECK_OK(ckpt_reader_read(reader, 0, tensor));
    CHECK(s->sizes == 0);
    ckpt_reader_release(reader);
    ckpt_tensor_release(tensor);
    ckpt_state_release(state);
    ckpt_checkpoint_manager_release(manager);
    ckpt_storage_release(storage);
    CHECK(s->open_files == 0 && s->destroyed == 1);
  }
}

static void test_refusals(store* s) {
  ckpt_storage* storage = NULL;
  ckpt_storage_callbacks table = object_callbacks();
  memset(s, 0, sizeof *s);
#define MISSING(member)       \
  table = object_callbacks(); \
  table.member = NULL;        \
  CHECK_FAILS(ckpt_storage_create_custom("store", &table, s, store_destroy, &storage), CKPT_E_INVALID_ARGUMENT, #member " is NULL")
  MISSING(create);
  MISSING(open);
  MISSING(close);
  MISSING(file_size);
  MISSING(read);
  MISSING(write);
  MISSING(sync);
  MISSING(remove);
  MISSING(size);
  MISSING(create_stream);
  MISSING(put_if_absent);
  MISSING(list_from);
  table = object_callbacks();
  table.flags = 2;
  CHECK_FAILS(ckpt_storage_create_custom("store", &table, s, store_destroy, &storage), CKPT_E_INVALID_ARGUMENT, "flags is 2");
  table.flags = CKPT_STORAGE_FLAG_OBJECTS | 0x80000000U;
  CHECK_FAILS(ckpt_storage_create_custom("store", &table, s, store_destroy, &storage), CKPT_E_INVALID_ARGUMENT,
              "flags is 2147483649");
  table.flags = 0; /* files: these need directories and locks */
  CHECK_FAILS(ckpt_storage_create_custom("store", &table, s, store_destroy, &storage), CKPT_E_INVALID_ARGUMENT, "rename is NULL");
  CHECK(s->destroyed == 0 && storage == NULL);
}

/* Each invalid result fails the call, and removes nothing that was acknowledged. */
static void test_invalid_results(store* s) {
  static const struct {
    const char* invalid;
    ckpt_status status;
    const char* text;
  } invalid_results[] = {
      {"outside", CKPT_E_CALLBACK, "expected the prefix"},
      {"dots", CKPT_E_CALLBACK, "leaves its root"},
      {"null", CKPT_E_CALLBACK, "path"},
      {"bytes", CKPT_E_CALLBACK, "at least 0"},
      {"twice", CKPT_E_CALLBACK, "expected a path after"},
      {"limit", CKPT_E_CALLBACK, "; expected at most"},
      {"error", CKPT_E_PERMISSION, "list_from"},
      {"ignores", CKPT_OK, ""}, /* nothing in it is invalid */
  };
  for (size_t i = 0; i < sizeof invalid_results / sizeof *invalid_results; ++i) {
    const ckpt_storage_callbacks table = object_callbacks();
    ckpt_storage* storage = make(s, &table);
    ckpt_checkpoint_manager* manager = NULL;
    ckpt_checkpoint_manager* other = NULL;
    ckpt_state* state = make_state("1");
    ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
    CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
    for (save.step = 1; save.step < 20; ++save.step) CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
    s->invalid = invalid_results[i].invalid;
    if (invalid_results[i].status == CKPT_OK) {
      CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
    } else {
      CHECK_FAILS(ckpt_checkpoint_manager_create(storage, NULL, &other), invalid_results[i].status, invalid_results[i].text);
      CHECK_FAILS(ckpt_checkpoint_manager_save(manager, state, &save, NULL), invalid_results[i].status, invalid_results[i].text);
    }
    s->invalid = NULL;
    CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, NULL));
    ckpt_state_release(state);
    ckpt_checkpoint_manager_release(manager);
    ckpt_storage_release(storage);
    CHECK(s->destroyed == 1);
  }
}

/* A store that cannot refuse an existing name, or does not: records are named by attempt, and a single writer works as usual. */
static void test_stores_that_cannot_refuse(store* s) {
  static const char* const invalid_results[] = {"unsupported", "put"};
  for (int i = 0; i < 2; ++i) {
    const ckpt_storage_callbacks table = object_callbacks();
    ckpt_storage* storage = make(s, &table);
    ckpt_checkpoint_manager* manager = NULL;
    ckpt_state* state = make_state("1");
    int named = 0;
    s->invalid = invalid_results[i];
    CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
    CHECK(s->count == 0); /* the probe is removed */
    s->puts = 0;
    CHECK_OK(ckpt_checkpoint_manager_save(manager, state, NULL, NULL));
    CHECK(s->puts == 0);
    for (int k = 0; k < s->count; ++k) named += strncmp(s->objects[k].path, "commits/9223372036854775806-step-", 33) == 0;
    CHECK(named == 1);
    CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, NULL));
    ckpt_state_release(state);
    ckpt_checkpoint_manager_release(manager);
    ckpt_storage_release(storage);
  }
}

int main(void) {
  store* s = calloc(1, sizeof *s);
  CHECK(s != NULL);
  test_whole_life(s, 0);
  test_whole_life(s, 1);
  test_ranges(s);
  test_refusals(s);
  test_invalid_results(s);
  test_stores_that_cannot_refuse(s);
  free(s);
  return 0;
}
