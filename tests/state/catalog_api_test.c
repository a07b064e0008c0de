/* Tests the catalog through the C API from C99: existing checkpoints, the latest, the best and that of a step; loading by step; and
 * removing one, also while it is read and while the next save would link from it. */
#define _POSIX_C_SOURCE 200809L

#include <math.h>
#include <sys/stat.h>

#include "watched_storage.h"

static char scratch[64];

static ckpt_storage* storage_in(const char* name) {
  char root[128];
  ckpt_storage* storage = NULL;
  snprintf(root, sizeof root, "%s/%s", scratch, name);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  return storage;
}

static ckpt_checkpoint_manager* manager_of(ckpt_storage* storage, int32_t read_only, ckpt_best_metric best_metric) {
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager* manager = NULL;
  options.read_only = read_only;
  options.best_metric = best_metric;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &manager));
  return manager;
}

/* Saves a state in which every number is value, with a metric unless that is NaN. */
static ckpt_save_result save(ckpt_checkpoint_manager* manager, int64_t step, float value, double metric) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  numbered n;
  numbered_make(&n, value);
  options.step = step;
  options.has_metric = !isnan(metric);
  options.metric = isnan(metric) ? 0 : metric;
  CHECK_OK(ckpt_checkpoint_manager_save(manager, n.state, &options, &result));
  ckpt_state_release(n.state);
  return result;
}

static float loaded_value(ckpt_checkpoint_manager* manager, const ckpt_load_options* options, ckpt_load_result* result) {
  numbered n;
  float value = 0;
  numbered_make(&n, -3);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, n.state, options, result));
  value = numbered_value(&n);
  ckpt_state_release(n.state);
  return value;
}

static void corrupt(const char* folder, const char* checkpoint, const char* file) {
  char path[320];
  FILE* stream = NULL;
  snprintf(path, sizeof path, "%s/%s/%s/%s", scratch, folder, checkpoint, file);
  stream = fopen(path, "wb");
  CHECK(stream != NULL && fputs("short", stream) >= 0 && fclose(stream) == 0);
}

static const double no_metric = (double)NAN;

/* ---- Listing ---- */

static void nothing_there(void) {
  ckpt_storage* storage = storage_in("empty");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  int64_t count = -1;
  info.step = 77;
  CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
  CHECK(count == 0);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, &info, 1, &count));
  CHECK(count == 0);
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(manager, &info), CKPT_E_NOT_FOUND, "no complete checkpoint");
  CHECK_FAILS(ckpt_checkpoint_manager_get_best(manager, &info), CKPT_E_NOT_FOUND, "metric");
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 3, &info), CKPT_E_NOT_FOUND, "step 3");
  CHECK(info.step == 77);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

static void latest_best_and_step(void) {
  ckpt_storage* storage = storage_in("many");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_checkpoint_manager* largest = NULL;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_checkpoint_info infos[8];
  ckpt_save_result saved[6];
  int64_t count = -1;
  int64_t i;
  saved[0] = save(manager, 1, 10, 0.5);
  saved[1] = save(manager, 2, 11, no_metric);
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 3, &info), CKPT_E_NOT_FOUND, "step 3");
  saved[2] = save(manager, 9, 12, 0.25);
  saved[3] = save(manager, 4, 13, 0.25); /* committed later, but its step is lower */
  saved[4] = save(manager, 4, 14, 0.75); /* the same step again */
  saved[5] = save(manager, 0, 15, -0.0);

  /* In the order in which a load tries them: by step, then those committed later first. */
  for (i = 0; i < 8; ++i) CKPT_INIT(ckpt_checkpoint_info, &infos[i]);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 8, &count));
  CHECK(count == 6);
  CHECK(strcmp(infos[0].name, saved[2].name) == 0 && strcmp(infos[1].name, saved[4].name) == 0);
  CHECK(strcmp(infos[2].name, saved[3].name) == 0 && strcmp(infos[3].name, saved[1].name) == 0);
  CHECK(strcmp(infos[4].name, saved[0].name) == 0 && strcmp(infos[5].name, saved[5].name) == 0);
  CHECK(infos[3].has_metric == 0 && infos[3].metric == 0 && infos[4].has_metric == 1 && infos[4].metric == 0.5);
  CHECK(infos[6].name[0] == '\0' && infos[6].step == 0);
  for (i = 0; i < 6; ++i) CHECK(infos[i].status == CKPT_OK && infos[i].bytes == saved[0].bytes && infos[i].commit_sequence > 0);

  /* Too small an array receives the first elements; the count is that of all. */
  for (i = 0; i < 8; ++i) CKPT_INIT(ckpt_checkpoint_info, &infos[i]);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 2, &count));
  CHECK(count == 6 && infos[0].step == 9 && infos[1].step == 4 && infos[2].name[0] == '\0');

  CHECK_OK(ckpt_checkpoint_manager_get_latest(manager, &info));
  CHECK(strcmp(info.name, saved[2].name) == 0 && info.step == 9 && info.commit_sequence == saved[2].commit_sequence);
  CHECK_OK(ckpt_checkpoint_manager_find_step(manager, 4, &info));
  CHECK(strcmp(info.name, saved[4].name) == 0);
  CHECK_OK(ckpt_checkpoint_manager_find_step(manager, 0, &info));
  CHECK(strcmp(info.name, saved[5].name) == 0);
  CHECK_OK(ckpt_checkpoint_manager_get_best(manager, &info));
  CHECK(strcmp(info.name, saved[5].name) == 0);
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved[5].name));
  CHECK_OK(ckpt_checkpoint_manager_get_best(manager, &info)); /* of two equal metrics the newest checkpoint, of the higher step */
  CHECK(strcmp(info.name, saved[2].name) == 0 && info.metric == 0.25);
  largest = manager_of(storage, 1, CKPT_BEST_METRIC_LARGEST);
  CHECK_OK(ckpt_checkpoint_manager_get_best(largest, &info));
  CHECK(strcmp(info.name, saved[4].name) == 0 && info.metric == 0.75);
  ckpt_checkpoint_manager_release(largest);

  /* A damaged checkpoint is listed with its status, and is neither the latest nor the best nor that of its step. */
  corrupt("many", saved[2].name, "a.safetensors");
  CHECK_OK(ckpt_checkpoint_manager_list(manager, &info, 1, &count));
  CHECK(count == 5 && info.status == CKPT_E_CORRUPT && strcmp(info.name, saved[2].name) == 0);
  CHECK_OK(ckpt_checkpoint_manager_get_latest(manager, &info));
  CHECK(strcmp(info.name, saved[4].name) == 0);
  CHECK_OK(ckpt_checkpoint_manager_get_best(manager, &info));
  CHECK(strcmp(info.name, saved[3].name) == 0);
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 9, &info), CKPT_E_NOT_FOUND, "step 9");
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

/* ---- Loading by step ---- */

static void load_by_step(void) {
  ckpt_storage* storage = storage_in("steps");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_save_result first;
  ckpt_save_result second;
  numbered n;
  save(manager, 0, 5, no_metric);
  first = save(manager, 2, 6, no_metric);
  second = save(manager, 2, 7, no_metric);
  save(manager, 3, 8, no_metric);

  options.step = 2; /* ignored without has_step */
  CHECK(loaded_value(manager, &options, &result) == 8 && result.step == 3);
  options.has_step = 1;
  CHECK(loaded_value(manager, &options, &result) == 7 && result.step == 2 && strcmp(result.name, second.name) == 0);
  CHECK(result.skipped == 0); /* the checkpoint of step 3 was not tried */
  options.step = 0;
  CHECK(loaded_value(manager, &options, &result) == 5 && result.step == 0);

  /* The newest valid checkpoint of several of one step; never one of another step. */
  corrupt("steps", second.name, "b.safetensors");
  options.step = 2;
  CHECK(loaded_value(manager, &options, &result) == 6 && strcmp(result.name, first.name) == 0 && result.skipped == 1);
  corrupt("steps", first.name, "b.safetensors");
  numbered_make(&n, 1);
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &options, NULL), CKPT_E_CORRUPT, second.name);
  options.step = 1;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &options, NULL), CKPT_E_NOT_FOUND, "step 1");
  options.step = -1;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &options, NULL), CKPT_E_INVALID_ARGUMENT, "step is -1");
  options.step = 3;
  options.name = first.name;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &options, NULL), CKPT_E_INVALID_ARGUMENT,
              "name and step are both set");
  CHECK(numbered_value(&n) == 1);
  ckpt_state_release(n.state);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

/* ---- Removing ---- */

static int is_there(const char* folder, const char* checkpoint) {
  char path[320];
  struct stat status;
  snprintf(path, sizeof path, "%s/%s/%s", scratch, folder, checkpoint);
  return stat(path, &status) == 0;
}

/* One group changes rarely, so a save links its file from the previous checkpoint. */
static ckpt_save_result save_seldom(ckpt_checkpoint_manager* manager, ckpt_state* state, int64_t step) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  options.step = step;
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &options, &result));
  return result;
}

static void the_newest_is_removed(void) {
  ckpt_storage* storage = storage_in("newest");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_save_result saved[3];
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  int64_t count = -1;
  int i;
  numbered n;
  numbered_make(&n, 4);
  CHECK_OK(ckpt_state_set_rarely_changes(n.state, "a", 1));
  saved[0] = save_seldom(manager, n.state, 1);
  saved[1] = save_seldom(manager, n.state, 2);
  CHECK(saved[0].linked == 0 && saved[1].linked == 1);
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved[1].name));
  CHECK(!is_there("newest", saved[1].name));
  CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
  CHECK(count == 1);
  CHECK(loaded_value(manager, NULL, &loaded) == 4 && loaded.step == 1 && loaded.skipped == 0);

  /* The next save links from an existing one, and is complete. */
  saved[2] = save_seldom(manager, n.state, 3);
  CHECK(saved[2].linked == 1 && saved[2].commit_sequence > saved[1].commit_sequence);
  CHECK_OK(ckpt_checkpoint_manager_verify(manager, saved[2].name, NULL));
  CHECK_OK(ckpt_checkpoint_manager_verify(manager, saved[0].name, NULL));

  /* After all are removed, it writes everything again. */
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved[2].name));
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved[0].name));
  for (i = 0; i < 2; ++i) {
    saved[i] = save_seldom(manager, n.state, 1);
    CHECK(saved[i].linked == i);
    CHECK_OK(ckpt_checkpoint_manager_verify(manager, saved[i].name, NULL));
  }
  CHECK(saved[0].commit_sequence > saved[2].commit_sequence); /* a number is never reused */
  ckpt_state_release(n.state);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

/* Data read before the removal, and data read after it through an open reader. */
static void removed_while_it_is_read(void) {
  ckpt_storage* storage = storage_in("reader");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_checkpoint_manager* other = manager_of(storage, 1, CKPT_BEST_METRIC_SMALLEST);
  const ckpt_save_result saved = save(manager, 1, 6, no_metric);
  ckpt_reader* reader = NULL;
  ckpt_tensor* mapped = NULL;
  int64_t i;
  CHECK_OK(ckpt_reader_create_from_checkpoint(other, NULL, CKPT_VERIFY_LAZY, &reader));
  CHECK_OK(ckpt_reader_map(reader, 0, &mapped));
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved.name));
  for (i = 0; i < 2; ++i) {
    ckpt_tensor* tensor = NULL;
    CHECK_OK(ckpt_reader_read_new(reader, i, NULL, &tensor));
    CHECK(((const float*)ckpt_tensor_get_const_data(tensor))[3] == 6);
    ckpt_tensor_release(tensor);
  }
  ckpt_reader_release(reader);
  CHECK(((const float*)ckpt_tensor_get_const_data(mapped))[3] == 6);
  ckpt_tensor_release(mapped);
  CHECK_FAILS(ckpt_reader_create_from_checkpoint(other, saved.name, CKPT_VERIFY_NONE, &reader), CKPT_E_NOT_FOUND, saved.name);
  ckpt_checkpoint_manager_release(other);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

/* If a checkpoint is removed during its load, the load takes another one, and reports no damage. */
typedef struct remover {
  ckpt_checkpoint_manager* writer;
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  int left; /* reads before it removes */
} remover;

static int32_t remove_at_a_read(const char* operation, const char* path, void* data) {
  remover* r = data;
  (void)path;
  if (strcmp(operation, "read") == 0 && r->left > 0 && --r->left == 0) {
    CHECK_OK(ckpt_checkpoint_manager_remove(r->writer, r->name));
  }
  return CKPT_OK;
}

static void removed_while_it_is_loaded(void) {
  int reads;
  for (reads = 1; reads <= 4; ++reads) {
    remover r = {NULL, "", 0};
    watched w = {"", remove_at_a_read, NULL};
    ckpt_storage* storage = NULL;
    ckpt_storage* list_checkpoints = NULL;
    ckpt_checkpoint_manager* reading = NULL;
    ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
    ckpt_save_result saved;
    char folder[16];
    snprintf(folder, sizeof folder, "load%d", reads);
    storage = storage_in(folder);
    r.writer = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
    w.data = &r;
    snprintf(w.root, sizeof w.root, "%s/%s", scratch, folder);
    list_checkpoints = watched_storage(&w);
    save(r.writer, 1, 21, no_metric);
    saved = save(r.writer, 2, 22, no_metric);
    memcpy(r.name, saved.name, sizeof r.name);
    reading = manager_of(list_checkpoints, 1, CKPT_BEST_METRIC_SMALLEST);
    r.left = reads;
    CHECK(loaded_value(reading, NULL, &loaded) == (float)(20 + loaded.step));
    CHECK(loaded.skipped == 0 && r.left == 0);
    ckpt_checkpoint_manager_release(reading);
    ckpt_checkpoint_manager_release(r.writer);
    ckpt_storage_release(list_checkpoints);
    ckpt_storage_release(storage);
  }
}

static void refused_removals(void) {
  ckpt_storage* storage = storage_in("refused");
  ckpt_checkpoint_manager* manager = manager_of(storage, 0, CKPT_BEST_METRIC_SMALLEST);
  ckpt_checkpoint_manager* looking = manager_of(storage, 1, CKPT_BEST_METRIC_SMALLEST);
  const ckpt_save_result saved = save(manager, 1, 6, no_metric);
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_clock* clock = NULL;
  int64_t count = -7;
  CHECK_OK(ckpt_clock_create_manual(0, &clock));
  CHECK_FAILS(ckpt_checkpoint_manager_remove(looking, saved.name), CKPT_E_INVALID_STATE, "read-only");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, NULL), CKPT_E_INVALID_ARGUMENT, "name is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, " "), CKPT_E_INVALID_ARGUMENT, "name is blank");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, "../refused"), CKPT_E_INVALID_ARGUMENT, "../refused");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, "/"), CKPT_E_INVALID_ARGUMENT, "'/'");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, CKPT_CHECKPOINT_SELF), CKPT_E_NOT_FOUND, "'.'");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, "step-000000000001-ffffffff"), CKPT_E_NOT_FOUND,
              "step-000000000001-ffffffff");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, ".lock"), CKPT_E_NOT_FOUND, ".lock");
  CHECK_FAILS(ckpt_checkpoint_manager_remove(NULL, saved.name), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_remove((ckpt_checkpoint_manager*)clock, saved.name), CKPT_E_INVALID_ARGUMENT, "found clock");

  CHECK_FAILS(ckpt_checkpoint_manager_list(NULL, &info, 1, &count), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_list(manager, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "infos is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_list(manager, &info, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_checkpoint_manager_list(manager, &info, 1, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(NULL, &info), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(manager, NULL), CKPT_E_INVALID_ARGUMENT, "info is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_best(NULL, &info), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_get_best(manager, NULL), CKPT_E_INVALID_ARGUMENT, "info is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(NULL, 1, &info), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 1, NULL), CKPT_E_INVALID_ARGUMENT, "info is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, -1, &info), CKPT_E_INVALID_ARGUMENT, "step is -1");
  info.struct_size = 4;
  CHECK_FAILS(ckpt_checkpoint_manager_list(manager, &info, 1, &count), CKPT_E_INVALID_ARGUMENT, "struct_size is 4");
  CHECK_FAILS(ckpt_checkpoint_manager_get_latest(manager, &info), CKPT_E_INVALID_ARGUMENT, "info.struct_size is 4");
  CHECK_FAILS(ckpt_checkpoint_manager_get_best(manager, &info), CKPT_E_INVALID_ARGUMENT, "info.struct_size is 4");
  CHECK_FAILS(ckpt_checkpoint_manager_find_step(manager, 1, &info), CKPT_E_INVALID_ARGUMENT, "info.struct_size is 4");
  CHECK(count == -7 && info.name[0] == '\0' && is_there("refused", saved.name));
  CHECK_OK(ckpt_checkpoint_manager_verify(manager, saved.name, NULL));

  /* A damaged checkpoint can be removed; a removed one cannot be removed again. */
  corrupt("refused", saved.name, "a.safetensors");
  CHECK_OK(ckpt_checkpoint_manager_remove(manager, saved.name));
  CHECK(!is_there("refused", saved.name));
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, saved.name), CKPT_E_NOT_FOUND, saved.name);
  ckpt_clock_release(clock);
  ckpt_checkpoint_manager_release(looking);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

/* Keeps checkpoints with the step in user_data. */
static int32_t keeps_step(const ckpt_checkpoint_info* info, int32_t* keep, void* user_data) {
  int64_t wanted = *(const int64_t*)user_data;
  CHECK(info->status == CKPT_OK && info->saved_utc_ns > INT64_C(1700000000000000000) && *keep == 0);
  if (wanted < 0) return ckpt_callback_error("no idea"), 1;
  *keep = info->step == wanted;
  return 0;
}

static int destroyed = 0;
static void destroy_step(void* user_data) { destroyed += *(const int64_t*)user_data == -1; }

static void what_stays(void) {
  ckpt_storage* storage = storage_in("stays");
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_checkpoint_info infos[4] = {CKPT_CHECKPOINT_INFO_INIT, CKPT_CHECKPOINT_INFO_INIT, CKPT_CHECKPOINT_INFO_INIT,
                                   CKPT_CHECKPOINT_INFO_INIT};
  ckpt_checkpoint_info bad = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_save_result first;
  int64_t wanted = 2;
  int64_t count = -7;
  int64_t step;
  options.keep_user_data = &wanted;
  options.keep_destroy = destroy_step;
  options.keep = keeps_step;
  options.keep_rules = "last:1, every:0";
  CHECK_FAILS(ckpt_checkpoint_manager_create(storage, &options, &manager), CKPT_E_INVALID_ARGUMENT,
              "keep_rules 'last:1, every:0': rule 2, 'every:0': steps is 0");
  CHECK(manager == NULL && destroyed == 0);
  options.keep_rules = "last:1, every:4";
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &manager));
  first = save(manager, 1, 1, no_metric);
  CHECK_OK(ckpt_checkpoint_manager_pin(manager, 1));
  for (step = 2; step <= 6; ++step) save(manager, step, 1, no_metric);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, infos, 4, &count));
  CHECK(count == 4 && infos[0].step == 6 && infos[1].step == 4 && infos[2].step == 2 && infos[3].step == 1);
  CHECK(!infos[0].pinned && infos[3].pinned == 1 && infos[3].saved_utc_ns > INT64_C(1700000000000000000));
  CHECK_FAILS(ckpt_checkpoint_manager_remove(manager, first.name), CKPT_E_INVALID_STATE, "is pinned");

  /* A call with too small an array for the removed checkpoints removes nothing, nor does a call that fails. */
  count = -7;
  bad.struct_size = 4;
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "last:1", 0, &bad, 1, &count), CKPT_E_INVALID_ARGUMENT, "struct_size is 4");
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "last:1", 0, NULL, 1, &count), CKPT_E_INVALID_ARGUMENT, "infos is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "last:1", 0, infos, -1, &count), CKPT_E_INVALID_ARGUMENT, "capacity is -1");
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "last:1", 0, infos, 4, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_prune(NULL, "last:1", 0, infos, 4, &count), CKPT_E_INVALID_ARGUMENT, "manager is NULL");
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, "first:1", 0, infos, 4, &count), CKPT_E_INVALID_ARGUMENT, "'first'");
  CHECK_FAILS(ckpt_checkpoint_manager_pin(manager, -1), CKPT_E_INVALID_ARGUMENT, "step is -1");
  CHECK_FAILS(ckpt_checkpoint_manager_unpin(manager, -1), CKPT_E_INVALID_ARGUMENT, "step is -1");
  CHECK_FAILS(ckpt_checkpoint_manager_pin(manager, 3), CKPT_E_NOT_FOUND, "step 3");
  CHECK(count == -7);
  CHECK_OK(ckpt_checkpoint_manager_prune(manager, "last:1", 0, infos, 1, &count));
  CHECK(count == 2 && infos[0].step == 4);
  CHECK_OK(ckpt_checkpoint_manager_prune(manager, "last:1", 1, infos, 4, &count));
  CHECK(count == 2 && infos[0].step == 4 && infos[1].step == 2);
  CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
  CHECK(count == 4);
  CHECK_OK(ckpt_checkpoint_manager_prune(manager, "last:1", 0, infos, 2, &count));
  CHECK(count == 2 && infos[1].step == 2);
  CHECK_OK(ckpt_checkpoint_manager_unpin(manager, 1));
  wanted = -1;
  CHECK_FAILS(ckpt_checkpoint_manager_prune(manager, NULL, 0, infos, 4, &count), CKPT_E_CALLBACK, "no idea");
  wanted = 1;
  CHECK_OK(ckpt_checkpoint_manager_prune(manager, NULL, 0, infos, 4, &count));
  CHECK(count == 0);
  wanted = 0;
  CHECK_OK(ckpt_checkpoint_manager_prune(manager, "", 0, infos, 4, &count));
  CHECK(count == 1 && infos[0].step == 1);
  wanted = -1;
  ckpt_checkpoint_manager_release(manager);
  CHECK(destroyed == 1);
  ckpt_storage_release(storage);
}

int main(void) {
  alarm(HANG_SECONDS);
  make_scratch(scratch, "catalog");
  nothing_there();
  latest_best_and_step();
  load_by_step();
  the_newest_is_removed();
  removed_while_it_is_read();
  removed_while_it_is_loaded();
  refused_removals();
  what_stays();
  remove_scratch(scratch);
  return 0;
}
