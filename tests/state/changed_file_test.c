/* A load reads files of the file system twice: it verifies them, then copies them. This program interposes pread, so that a file
 * can change at any moment between the two. */
#define _GNU_SOURCE

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include "numbered.h"

enum { data_bytes = 16 }; /* size of the tensor in each of the two files; no other read has this size */

static char scratch[64];
static char newest[256];   /* the newest checkpoint's directory */
static int data_reads;     /* reads of tensors, since before_read was set */
static int change_at = -1; /* change runs before this read of a tensor */
static void (*change)(void);

static char file_path[300];
static const char* file_of(const char* group) {
  snprintf(file_path, sizeof file_path, "%s/%s.safetensors", newest, group);
  return file_path;
}

/* Programs are compiled with hidden symbols; this one must be visible to the library. */
__attribute__((visibility("default"))) ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  if (count == data_bytes && offset > 0 && data_reads++ == change_at) change();
  return syscall(SYS_pread64, file, bytes, count, offset);
}

/* Inverts the last byte. */
static void damage(const char* group) {
  struct stat status;
  unsigned char byte = 0;
  const int file = open(file_of(group), O_RDWR);
  CHECK(file >= 0 && fstat(file, &status) == 0);
  CHECK(syscall(SYS_pread64, file, &byte, (size_t)1, status.st_size - 1) == 1);
  byte ^= 0xFF;
  CHECK(pwrite(file, &byte, 1, status.st_size - 1) == 1);
  close(file);
}
static void damage_a(void) { damage("a"); }
static void damage_b(void) { damage("b"); }
static void shorten_b(void) { CHECK(truncate(file_of("b"), 40) == 0); }
static void remove_all(void) {
  char command[300];
  snprintf(command, sizeof command, "rm -rf %s", newest);
  CHECK(system(command) == 0);
}

static ckpt_checkpoint_manager* two_checkpoints(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  make_scratch(scratch, "changed-file");
  CHECK_OK(ckpt_storage_create_file_system(scratch, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  CHECK_OK(numbered_save(manager, 1, NULL));
  CHECK_OK(numbered_save(manager, 2, &saved));
  snprintf(newest, sizeof newest, "%s/%s", scratch, saved.name);
  ckpt_storage_release(storage);
  return manager;
}

static void end(ckpt_checkpoint_manager* manager) {
  change_at = -1;
  ckpt_checkpoint_manager_release(manager);
  remove_scratch(scratch);
}

/* Loads into n; the change happens before the read of a tensor with that number, from 0: reads 0 and 1 verify, 2 and 3 copy. */
static ckpt_status load_with(ckpt_checkpoint_manager* manager, numbered* n, int read, void (*what)(void),
                             ckpt_load_result* result) {
  data_reads = 0;
  change_at = read;
  change = what;
  numbered_make(n, 9);
  CHECK_OK(ckpt_state_set_json(n->state, "k", "9"));
  const ckpt_status status = ckpt_checkpoint_manager_load(manager, n->state, NULL, result);
  change_at = -1;
  return status;
}

static void detected_before_the_copy_falls_back(void) {
  numbered n;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  CHECK_OK(load_with(manager, &n, 1, damage_b, &result));
  CHECK(numbered_value(&n) == 1 && result.step == 1 && result.skipped == 1 && result.partly_filled == 0);
  ckpt_state_release(n.state);
  end(manager);
}

static void detected_in_the_copy(void (*what)(void), const char* message) {
  numbered n;
  char json[8] = "";
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  CHECK_FAILS(load_with(manager, &n, 2, what, &result), CKPT_E_CORRUPT, "safetensors");
  CHECK(strstr(ckpt_last_error(), "b.safetensors") != NULL && strstr(ckpt_last_error(), message) != NULL);
  CHECK(strstr(ckpt_last_error(), "the tensors are partly filled") != NULL);
  CHECK(result.partly_filled == 1 && result.step == 0 && result.name[0] == '\0');
  CHECK(data_reads == 4);            /* no older one was tried */
  CHECK(n.a[0] == 2 && n.a[3] == 2); /* copied before the change was detected */
  CHECK_OK(ckpt_state_get_json(n.state, "k", json, sizeof json, NULL));
  CHECK(strcmp(json, "9") == 0); /* values are loaded last */
  ckpt_state_release(n.state);
  /* The next load detects the damage during verification, and takes the older checkpoint. */
  CHECK_OK(load_with(manager, &n, -1, NULL, &result));
  CHECK(numbered_value(&n) == 1 && result.skipped == 1 && result.partly_filled == 0);
  ckpt_state_release(n.state);
  end(manager);
}

/* An open file can be copied although it was removed. */
static void removed_before_the_copy(void) {
  numbered n;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  CHECK_OK(load_with(manager, &n, 2, remove_all, &result));
  CHECK(numbered_value(&n) == 2 && result.step == 2);
  ckpt_state_release(n.state);
  end(manager);
}

/* In place, the first tensor is already written when damage to the second is found; no older checkpoint can be taken. */
static void in_place_reports_it(void) {
  numbered n;
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  options.in_place = 1;
  options.step = 2;
  options.has_step = 1;
  numbered_make(&n, 9);
  damage_b();
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, n.state, &options, &result), CKPT_E_CORRUPT, "safetensors");
  CHECK(result.partly_filled == 1 && n.a[0] == 2);
  ckpt_state_release(n.state);
  end(manager);
}

static void in_the_background(void) {
  numbered n;
  int64_t id = 0;
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager* background = NULL;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  CHECK_OK(ckpt_async_manager_create(manager, NULL, &background));
  numbered_make(&n, 9);
  data_reads = 0;
  change_at = 3;
  change = damage_b;
  CHECK_OK(ckpt_async_manager_load(background, n.state, NULL, NULL, &id));
  CHECK_OK(ckpt_async_manager_wait(background, id, -1, &result));
  CHECK(result.status == CKPT_E_CORRUPT && strstr(result.error, "the tensors are partly filled") != NULL);
  CHECK_OK(ckpt_async_manager_close(background, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(background);
  ckpt_state_release(n.state);
  end(manager);
}

/* A reader with full verification returns the bytes that it verified: whenever the file changes, never others. */
static void full_readers_return_verified_bytes(void) {
  int read;
  int failures = 0;
  for (read = 0; read < 4; ++read) {
    const int64_t length = 4;
    float values[4] = {0, 0, 0, 0};
    int64_t index = -1;
    ckpt_status status = CKPT_OK;
    ckpt_reader* reader = NULL;
    ckpt_tensor* tensor = NULL;
    ckpt_checkpoint_manager* manager = two_checkpoints();
    CHECK_OK(ckpt_tensor_create_borrowed(values, CKPT_DTYPE_F32, &length, 1, NULL, NULL, &tensor));
    CHECK_OK(ckpt_reader_create_from_checkpoint(manager, NULL, CKPT_VERIFY_FULL, &reader));
    CHECK_OK(ckpt_reader_find(reader, "b", "t", &index));
    data_reads = 0;
    change_at = read;
    change = damage_b;
    status = ckpt_reader_read(reader, index, tensor);
    CHECK(status == CKPT_OK || status == CKPT_E_CORRUPT);
    CHECK(status != CKPT_OK || (values[0] == 2 && values[3] == 2));
    if (status != CKPT_OK) ++failures;
    ckpt_tensor_release(tensor);
    ckpt_reader_release(reader);
    end(manager);
  }
  CHECK(failures > 0); /* the changes were made between the reads of a reader */
}

/* Several threads read a large tensor in chunks of 64 MiB; a change of its last byte is detected in every case. */
static void many_chunks(void) {
  const int64_t bytes = 5 * (64 << 20) / 2;
  unsigned char* const data = malloc((size_t)bytes);
  ckpt_tensor* tensor = NULL;
  ckpt_state* state = NULL;
  ckpt_load_result result = CKPT_LOAD_RESULT_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_checkpoint_manager* manager = two_checkpoints();
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  CHECK(data != NULL);
  for (int64_t i = 0; i < bytes; ++i) data[i] = (unsigned char)(i * 7 + i / 251);
  CHECK_OK(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_U8, &bytes, 1, NULL, NULL, &tensor));
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "a", "t", tensor));
  options.step = 3;
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &options, &saved));
  memset(data, 0, (size_t)bytes);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, &result));
  for (int64_t i = 0; i < bytes; ++i) CHECK(data[i] == (unsigned char)(i * 7 + i / 251));
  snprintf(newest, sizeof newest, "%s/%s", scratch, saved.name);
  damage_a();
  memset(data, 1, (size_t)bytes);
  options.step = 3;
  ckpt_load_options one = CKPT_LOAD_OPTIONS_INIT;
  one.name = saved.name;
  CHECK_FAILS(ckpt_checkpoint_manager_load(manager, state, &one, &result), CKPT_E_CORRUPT, "safetensors");
  CHECK(strstr(ckpt_last_error(), "chunk 2") != NULL && result.partly_filled == 0);
  for (int64_t i = 0; i < bytes; ++i) CHECK(data[i] == 1);
  ckpt_tensor_release(tensor);
  ckpt_state_release(state);
  free(data);
  end(manager);
}

int main(void) {
  full_readers_return_verified_bytes();
  detected_before_the_copy_falls_back();
  detected_in_the_copy(damage_b, "checksum");
  detected_in_the_copy(shorten_b, "truncated");
  removed_before_the_copy();
  in_place_reports_it();
  in_the_background();
  many_chunks();
  return 0;
}
