/* The reports of ckpt_set_progress for each long call: a byte count that never decreases and ends at the total; and the result of a
 * call with a failing progress function. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>

#include "numbered.h"

enum { tensors = 3, tensor_bytes = 9 << 20, all_bytes = tensors * tensor_bytes };

typedef struct seen {
  int calls;
  int64_t done;
  int64_t total;
  int64_t longest; /* largest increase between two calls */
  int fails_at;    /* number of the failing call, from 1; 0: none */
  int destroyed;
  pthread_t thread;                 /* every call must run on this thread */
  ckpt_checkpoint_manager* manager; /* a manager in use; NULL: none */
} seen;

static int32_t on_progress(int64_t done_bytes, int64_t total_bytes, void* user) {
  seen* const s = user;
  CHECK(pthread_equal(s->thread, pthread_self()));
  CHECK(s->calls > 0 || done_bytes == 0);
  CHECK(done_bytes >= s->done && done_bytes <= total_bytes);
  if (done_bytes - s->done > s->longest) s->longest = done_bytes - s->done;
  s->done = done_bytes;
  s->total = total_bytes;
  if (s->manager != NULL) {
    CHECK(ckpt_checkpoint_manager_verify(s->manager, NULL, NULL) == CKPT_E_INVALID_STATE);
  }
  if (++s->calls != s->fails_at) return 0;
  ckpt_callback_error("enough");
  return 1;
}
static void on_destroy(void* user) { ++((seen*)user)->destroyed; }

static void watch(seen* s, int fails_at) {
  CHECK_OK(ckpt_set_progress(NULL, NULL, NULL)); /* may still be s */
  const seen fresh = {0, 0, 0, 0, 0, 0, pthread_self(), NULL};
  *s = fresh;
  s->fails_at = fails_at;
  CHECK_OK(ckpt_set_progress(on_progress, s, on_destroy));
  CHECK(s->destroyed == 0);
}

/* Checks that the reports end at bytes, in steps of some MiB; for a load only the reads of this thread are reported. */
static void check_whole(const seen* s, const char* what, int64_t bytes) {
  printf("%s: %d calls, %lld of %lld bytes, at most %lld at once\n", what, s->calls, (long long)s->done, (long long)s->total,
         (long long)s->longest);
  CHECK(s->done == s->total && s->total == bytes);
  CHECK(strcmp(what, "load") == 0 ? s->calls >= 2 : s->calls >= 3 && s->longest <= 8 << 20);
}

typedef struct fixture {
  char scratch[64];
  unsigned char* data;
  ckpt_storage* storage;
  ckpt_checkpoint_manager* manager;
  ckpt_state* state;
} fixture;

static void make(fixture* f) {
  const int64_t length = tensor_bytes;
  f->data = malloc(all_bytes);
  CHECK(f->data != NULL);
  memset(f->data, 1, all_bytes);
  CHECK_OK(ckpt_storage_create_file_system(make_scratch(f->scratch, "progress"), NULL, &f->storage));
  CHECK_OK(ckpt_checkpoint_manager_create(f->storage, NULL, &f->manager));
  CHECK_OK(ckpt_state_create(&f->state));
  for (int i = 0; i < tensors; ++i) {
    char name[16];
    ckpt_tensor* tensor = NULL;
    snprintf(name, sizeof name, "t%d", i);
    CHECK_OK(ckpt_tensor_create_borrowed(f->data + (size_t)i * tensor_bytes, CKPT_DTYPE_U8, &length, 1, NULL, NULL, &tensor));
    CHECK_OK(ckpt_state_add_tensor(f->state, i == 0 ? "first" : "model", name, tensor));
    ckpt_tensor_release(tensor);
  }
}

static int64_t count_checkpoints(ckpt_checkpoint_manager* manager) {
  int64_t count = 0;
  CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
  return count;
}

static void save_at(fixture* f, int64_t step) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  options.step = step;
  CHECK_OK(ckpt_checkpoint_manager_save(f->manager, f->state, &options, NULL));
}

static void check_calls(fixture* f) {
  seen s;
  char path[96];
  ckpt_reader* reader = NULL;
  ckpt_tensor* tensor = NULL;
  ckpt_load_options in_place = CKPT_LOAD_OPTIONS_INIT;
  ckpt_verify_result verified = CKPT_VERIFY_RESULT_INIT;
  in_place.in_place = 1;
  watch(&s, 0);
  s.manager = f->manager;
  save_at(f, 1);
  check_whole(&s, "save", all_bytes);
  watch(&s, 0);
  s.manager = f->manager;
  CHECK_OK(ckpt_checkpoint_manager_load(f->manager, f->state, NULL, NULL));
  check_whole(&s, "load", all_bytes);
  watch(&s, 0);
  CHECK_OK(ckpt_checkpoint_manager_load(f->manager, f->state, &in_place, NULL));
  check_whole(&s, "load in place", all_bytes);
  watch(&s, 0);
  s.manager = f->manager;
  CHECK_OK(ckpt_checkpoint_manager_verify(f->manager, NULL, &verified));
  check_whole(&s, "verify", verified.bytes);
  watch(&s, 0);
  CHECK_OK(ckpt_reader_create_from_checkpoint(f->manager, NULL, CKPT_VERIFY_FULL, &reader));
  check_whole(&s, "opening a reader", verified.bytes);
  ckpt_reader_release(reader);
  watch(&s, 0);
  CHECK_OK(ckpt_reader_create_from_checkpoint(f->manager, NULL, CKPT_VERIFY_LAZY, &reader));
  CHECK(s.calls == 0);
  CHECK_OK(ckpt_reader_read_new(reader, 0, NULL, &tensor));
  check_whole(&s, "reading a tensor", tensor_bytes);
  ckpt_tensor_release(tensor);
  watch(&s, 0);
  CHECK_OK(ckpt_reader_read_slice(reader, 1, 5, 5 << 20, NULL, &tensor));
  check_whole(&s, "reading a slice, with the chunk that it is part of", tensor_bytes);
  ckpt_tensor_release(tensor);
  watch(&s, 0);
  CHECK_OK(ckpt_reader_map(reader, 2, &tensor));
  check_whole(&s, "mapping a tensor", tensor_bytes);
  ckpt_tensor_release(tensor);
  ckpt_reader_release(reader);
  watch(&s, 0);
  snprintf(path, sizeof path, "%s/plain.safetensors", f->scratch);
  CHECK_OK(ckpt_safetensors_write(path, f->state, "model", NULL));
  check_whole(&s, "writing a file", all_bytes - tensor_bytes);
  CHECK_OK(ckpt_set_progress(NULL, NULL, NULL));
  CHECK(s.destroyed == 1);
  const int calls = s.calls;
  CHECK_OK(ckpt_checkpoint_manager_verify(f->manager, NULL, NULL));
  CHECK(s.calls == calls);
}

/* The failure does not cause a load of an older checkpoint, and nothing remains of a save. */
static void check_failures(fixture* f) {
  seen s;
  char path[96];
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  const int64_t before = count_checkpoints(f->manager);
  snprintf(path, sizeof path, "%s/none.safetensors", f->scratch);
  memset(f->data, 2, all_bytes);
  watch(&s, 2);
  CHECK_FAILS(ckpt_checkpoint_manager_save(f->manager, f->state, NULL, NULL), CKPT_E_CALLBACK, "enough");
  CHECK(count_checkpoints(f->manager) == before);
  watch(&s, 1);
  CHECK_FAILS(ckpt_checkpoint_manager_load(f->manager, f->state, NULL, &loaded), CKPT_E_CALLBACK, "enough");
  CHECK(s.calls == 1 && loaded.partly_filled == 0);
  for (int i = 0; i < all_bytes; i += 4096) CHECK(f->data[i] == 2);
  watch(&s, 1);
  CHECK_FAILS(ckpt_checkpoint_manager_verify(f->manager, NULL, NULL), CKPT_E_CALLBACK, "enough");
  CHECK(s.calls == 1);
  watch(&s, 1);
  CHECK_FAILS(ckpt_safetensors_write(path, f->state, "model", NULL), CKPT_E_CALLBACK, "enough");
  CHECK(access(path, F_OK) != 0);
  CHECK_OK(ckpt_set_progress(NULL, NULL, NULL));
  CHECK_OK(ckpt_checkpoint_manager_load(f->manager, f->state, NULL, &loaded));
  CHECK(loaded.skipped == 0 && f->data[0] == 1);
}

/* A load that falls back continues counting: bytes read from the damaged checkpoint remain in both the done and the total count. */

static void check_fall_back(fixture* f) {
  seen s;
  char damage[256];
  ckpt_checkpoint_info latest = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  save_at(f, 2);
  CHECK_OK(ckpt_checkpoint_manager_get_latest(f->manager, &latest));
  snprintf(damage, sizeof damage, "printf x | dd of=%s/%s/model.safetensors bs=1 seek=%d conv=notrunc status=none", f->scratch,
           latest.name, tensor_bytes);
  CHECK(system(damage) == 0);
  watch(&s, 0);
  CHECK_OK(ckpt_checkpoint_manager_load(f->manager, f->state, NULL, &loaded));
  CHECK(loaded.skipped == 1 && s.done == s.total && s.total > all_bytes && s.total <= 2 * all_bytes);
  CHECK_OK(ckpt_set_progress(NULL, NULL, NULL)); /* s ends here */
}

static void* watch_and_end(void* s) {
  watch(s, 0);
  return NULL;
}

/* Another thread has its own function, which is destroyed with the thread. */
static void check_threads(fixture* f) {
  seen s;
  pthread_t thread;
  CHECK(pthread_create(&thread, NULL, watch_and_end, &s) == 0 && pthread_join(thread, NULL) == 0);
  CHECK_OK(ckpt_checkpoint_manager_verify(f->manager, NULL, NULL));
  CHECK(s.destroyed == 1 && s.calls == 0);
}

int main(void) {
  fixture f;
  make(&f);
  check_calls(&f);
  check_failures(&f);
  check_threads(&f);
  check_fall_back(&f);
  ckpt_state_release(f.state);
  ckpt_checkpoint_manager_release(f.manager);
  ckpt_storage_release(f.storage);
  remove_scratch(f.scratch);
  free(f.data);
  return 0;
}
