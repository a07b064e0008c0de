/* Readers concurrent with a writer that keeps only one checkpoint: a valid one exists at every moment, so loads, verifications and
 * readers must always succeed, whenever the writer runs. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/wait.h>

#include "watched_storage.h"

#ifdef CKPT_SANITIZED
enum { loads = 2000 };
#else
enum { loads = 10000 };
#endif

static char scratch[64];

static ckpt_checkpoint_manager* writer_in(ckpt_storage* storage) {
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.keep_last = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  return checkpoint;
}
static ckpt_checkpoint_manager* reader_in(ckpt_storage* storage) {
  ckpt_checkpoint_manager* checkpoint = NULL;
  ckpt_checkpoint_manager_options options = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  options.read_only = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &options, &checkpoint));
  return checkpoint;
}

/* ---- At every operation of the reader ---------------------------------------------------------------------------------- */

typedef struct schedule {
  ckpt_checkpoint_manager* writer;
  int64_t step;      /* the last saved step */
  int64_t operation; /* number of the reader's operation in the current call */
  int64_t from;      /* the first operation before which the writer saves */
  int64_t every;     /* distance to the next such operation */
  int64_t times;     /* total number of saves */
} schedule;

static int32_t go_on(const char* operation, const char* path, void* data) {
  schedule* s = data;
  const int64_t number = s->operation++;
  (void)operation;
  (void)path;
  if (number < s->from || (number - s->from) % s->every != 0 || s->times == 0) return CKPT_OK;
  --s->times;
  CHECK_OK(numbered_save(s->writer, ++s->step, NULL));
  return CKPT_OK;
}

enum { load_it, verify_it, verify_named, read_it, kinds };

/* Makes one call of that kind; returns its number of operations. */
static int64_t call(int kind, ckpt_checkpoint_manager* reader, schedule* s, numbered* into) {
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_verify_result verified = CKPT_VERIFY_RESULT_INIT;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  ckpt_reader* tensors = NULL;
  int64_t count = 0;
  const int64_t before = s->step;
  if (kind == load_it) {
    CHECK_OK(ckpt_checkpoint_manager_load(reader, into->state, NULL, &loaded));
    CHECK(loaded.step >= before && loaded.step <= s->step && loaded.skipped == 0);
    CHECK(numbered_value(into) == (float)loaded.step);
  } else if (kind == verify_it) {
    CHECK_OK(ckpt_checkpoint_manager_verify(reader, NULL, &verified));
    CHECK(verified.files == 2 && verified.tensors == 2);
  } else if (kind == verify_named) { /* a removal must never be reported as damage */
    CHECK_OK(ckpt_checkpoint_manager_list(reader, &info, 1, &count));
    CHECK(count >= 1);
    CHECK(info.status == CKPT_OK || info.status == CKPT_E_NOT_FOUND);
    const ckpt_status status = ckpt_checkpoint_manager_verify(reader, info.name, NULL);
    CHECK(status == CKPT_OK || status == CKPT_E_NOT_FOUND);
  } else {
    CHECK_OK(ckpt_reader_create_from_checkpoint(reader, NULL, CKPT_VERIFY_LAZY, &tensors));
    for (int64_t i = 0; i < 2; ++i) {
      ckpt_tensor* tensor = NULL;
      CHECK_OK(ckpt_reader_read_new(tensors, i, NULL, &tensor));
      ckpt_tensor_release(tensor);
    }
    ckpt_reader_release(tensors);
  }
  return s->operation;
}

static void at_every_operation(void) {
  watched w = {"", go_on, NULL};
  schedule s = {NULL, 0, 0, 0, 1, 0};
  ckpt_storage* direct = NULL;
  numbered into;
  snprintf(w.root, sizeof w.root, "%s/stepped", scratch);
  w.data = &s;
  CHECK_OK(ckpt_storage_create_file_system(w.root, NULL, &direct));
  s.writer = writer_in(direct);
  CHECK_OK(numbered_save(s.writer, ++s.step, NULL));
  ckpt_storage* storage = watched_storage(&w);
  ckpt_checkpoint_manager* reader = reader_in(storage);
  numbered_make(&into, 0);
  int64_t calls = 0;
  for (int kind = 0; kind < kinds; ++kind) {
    for (int64_t every = 1; every <= 3; ++every) {
      for (int64_t times = 1; times <= 13; times += 4) {
        int64_t took = 1;
        for (s.from = 0; s.from < took; ++s.from) {
          s.operation = 0;
          s.every = every;
          s.times = times;
          took = call(kind, reader, &s, &into);
          ++calls;
        }
      }
    }
  }
  printf("concurrent writer: %lld calls, %lld saves during them\n", (long long)calls, (long long)s.step - 1);
  CHECK(calls > 500);
  ckpt_state_release(into.state);
  ckpt_checkpoint_manager_release(reader);
  ckpt_checkpoint_manager_release(s.writer);
  ckpt_storage_release(storage);
  ckpt_storage_release(direct);
}

/* ---- At any moment ------------------------------------------------------------------------------------------------------- */

static atomic_int ended;

static void* keep_saving(void* writer) {
  for (int64_t step = 2; !atomic_load(&ended); ++step) CHECK_OK(numbered_save(writer, step, NULL));
  return NULL;
}

static void read_often(ckpt_checkpoint_manager* reader, int times) {
  numbered into;
  int64_t last = 0;
  int64_t steps = 0;
  numbered_make(&into, 0);
  for (int i = 0; i < times; ++i) {
    ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
    CHECK_OK(ckpt_checkpoint_manager_load(reader, into.state, NULL, &loaded));
    CHECK(loaded.skipped == 0 && loaded.step >= last && numbered_value(&into) == (float)loaded.step);
    steps += loaded.step > last ? 1 : 0;
    last = loaded.step;
    if (i % 10 == 0) CHECK_OK(ckpt_checkpoint_manager_verify(reader, NULL, NULL));
  }
  printf("concurrent writer: %d loads of %lld checkpoints\n", times, (long long)steps);
  ckpt_state_release(into.state);
}

static void during_saves_of_a_thread(void) {
  ckpt_storage* storage = NULL;
  pthread_t thread;
  CHECK_OK(ckpt_storage_create_memory(&storage));
  ckpt_checkpoint_manager* writer = writer_in(storage);
  ckpt_checkpoint_manager* reader = reader_in(storage);
  CHECK_OK(numbered_save(writer, 1, NULL));
  CHECK(pthread_create(&thread, NULL, keep_saving, writer) == 0);
  read_often(reader, loads);
  atomic_store(&ended, 1);
  CHECK(pthread_join(thread, NULL) == 0);
  ckpt_checkpoint_manager_release(reader);
  ckpt_checkpoint_manager_release(writer);
  ckpt_storage_release(storage);
}

static void during_saves_of_a_process(void) {
  char root[128];
  int begun[2];
  char byte = 0;
  ckpt_storage* storage = NULL;
  snprintf(root, sizeof root, "%s/forked", scratch);
  CHECK(pipe(begun) == 0);
  const pid_t child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    alarm(HANG_SECONDS / 4);
    CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
    ckpt_checkpoint_manager* writer = writer_in(storage);
    CHECK_OK(numbered_save(writer, 1, NULL));
    CHECK(write(begun[1], "!", 1) == 1);
    keep_saving(writer);
  }
  CHECK(read(begun[0], &byte, 1) == 1);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  ckpt_checkpoint_manager* reader = reader_in(storage);
  read_often(reader, loads / 5);
  CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
  ckpt_checkpoint_manager_release(reader);
  ckpt_storage_release(storage);
}

/* Real damage is still reported, with the damaged object, while no process writes. */
static void damage_is_still_damage(void) {
  watched w = {"", NULL, NULL};
  char path[320];
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  numbered into;
  snprintf(w.root, sizeof w.root, "%s/damaged", scratch);
  CHECK(mkdir(w.root, 0777) == 0);
  ckpt_storage* storage = watched_storage(&w);
  ckpt_checkpoint_manager* writer = writer_in(storage);
  CHECK_OK(numbered_save(writer, 1, &saved));
  snprintf(path, sizeof path, "%s/%s/b.safetensors", w.root, saved.name);
  CHECK(truncate(path, 100) == 0);
  numbered_make(&into, 9);
  CHECK_FAILS(ckpt_checkpoint_manager_load(writer, into.state, NULL, NULL), CKPT_E_CORRUPT, "b.safetensors");
  CHECK_FAILS(ckpt_checkpoint_manager_verify(writer, NULL, NULL), CKPT_E_CORRUPT, "b.safetensors");
  CHECK(unlink(path) == 0);
  CHECK_FAILS(ckpt_checkpoint_manager_load(writer, into.state, NULL, NULL), CKPT_E_CORRUPT, "b.safetensors");
  CHECK(numbered_value(&into) == 9);
  ckpt_state_release(into.state);
  ckpt_checkpoint_manager_release(writer);
  ckpt_storage_release(storage);
}

int main(void) {
  make_scratch(scratch, "beside");
  alarm(HANG_SECONDS);
  during_saves_of_a_process(); /* first: it forks */
  at_every_operation();
  damage_is_still_damage();
  during_saves_of_a_thread();
  remove_scratch(scratch);
  return 0;
}
