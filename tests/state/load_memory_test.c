/* A load of a state from the file system needs no additional memory of the state's size, although it is all or nothing. */
#define _POSIX_C_SOURCE 200809L

#include "numbered.h"

enum { tensors = 4, tensor_bytes = 64 << 20, max_kib = 16 << 10 };

/* Returns a line of /proc/self/status in KiB; -1 if the system has none. */
static long status_kib(const char* name) {
  char line[128];
  long kib = -1;
  FILE* status = fopen("/proc/self/status", "r");
  if (status == NULL) return -1;
  while (fgets(line, sizeof line, status) != NULL) {
    if (strncmp(line, name, strlen(name)) == 0) sscanf(line + strlen(name), ": %ld", &kib);
  }
  fclose(status);
  return kib;
}

/* Resets the peak; returns 0 if the system does not support that. */
static int reset_peak(void) {
  FILE* clear = fopen("/proc/self/clear_refs", "w");
  if (clear == NULL) return 0;
  const int written = fputs("5", clear) >= 0;
  return fclose(clear) == 0 && written;
}

int main(void) {
  char scratch[64];
  char name[16];
  const int64_t length = tensor_bytes;
  ckpt_storage* storage = NULL;
  ckpt_state* state = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  unsigned char* const data = malloc((size_t)tensors * tensor_bytes);
  if (!reset_peak() || status_kib("VmHWM") < 0) {
    puts("skipped: this system does not report the peak of a process's memory");
    return 77;
  }
  CHECK(data != NULL);
  memset(data, 1, (size_t)tensors * tensor_bytes);
  CHECK_OK(ckpt_storage_create_file_system(make_scratch(scratch, "load-memory"), NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  CHECK_OK(ckpt_state_create(&state));
  for (int i = 0; i < tensors; ++i) {
    ckpt_tensor* tensor = NULL;
    snprintf(name, sizeof name, "t%d", i);
    CHECK_OK(ckpt_tensor_create_borrowed(data + (size_t)i * tensor_bytes, CKPT_DTYPE_U8, &length, 1, NULL, NULL, &tensor));
    CHECK_OK(ckpt_state_add_tensor(state, "model", name, tensor));
    ckpt_tensor_release(tensor);
  }
  CHECK_OK(ckpt_checkpoint_manager_save(manager, state, NULL, NULL));
  memset(data, 2, (size_t)tensors * tensor_bytes);
  const long before = status_kib("VmRSS");
  CHECK(reset_peak());
  CHECK_OK(ckpt_checkpoint_manager_load(manager, state, NULL, NULL));
  const long grown = status_kib("VmHWM") - before;
  CHECK(data[0] == 1 && data[(size_t)tensors * tensor_bytes - 1] == 1);
  printf("a load of %d MiB took %ld KiB\n", tensors * (tensor_bytes >> 20), grown);
  CHECK(grown < max_kib);
  ckpt_state_release(state);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
  remove_scratch(scratch);
  free(data);
  return 0;
}
