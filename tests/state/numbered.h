/* numbered.h - states with contents that identify their save, and directories for them. */
#ifndef CKPT_TESTS_NUMBERED_H
#define CKPT_TESTS_NUMBERED_H

#include <unistd.h>

#include "check.h"

/* Creates a directory, in memory if possible: nothing here depends on a real disk. scratch: at least 64 bytes. */
static inline const char* make_scratch(char* scratch, const char* name) {
  snprintf(scratch, 64, "%s/ckpt-%s-XXXXXX", access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", name);
  CHECK(mkdtemp(scratch) != NULL);
  return scratch;
}
static inline void remove_scratch(const char* scratch) {
  char command[80];
  snprintf(command, sizeof command, "rm -rf %s", scratch);
  CHECK(system(command) == 0);
}

/* A state of two groups in which every element is the same number, and that number; -1 if the elements differ. */
typedef struct numbered {
  float a[4];
  float b[4];
  ckpt_state* state;
} numbered;

static inline void numbered_set(numbered* n, float value) {
  for (int i = 0; i < 4; ++i) n->a[i] = n->b[i] = value;
}
static inline void numbered_make(numbered* n, float value) {
  static const char* const groups[] = {"a", "b"};
  float* const data[] = {n->a, n->b};
  const int64_t length = 4;
  numbered_set(n, value);
  CHECK_OK(ckpt_state_create(&n->state));
  for (int i = 0; i < 2; ++i) {
    ckpt_tensor* tensor = NULL;
    CHECK_OK(ckpt_tensor_create_borrowed(data[i], CKPT_DTYPE_F32, &length, 1, NULL, NULL, &tensor));
    CHECK_OK(ckpt_state_add_tensor(n->state, groups[i], "t", tensor));
    ckpt_tensor_release(tensor);
  }
}
static inline float numbered_value(const numbered* n) {
  for (int i = 0; i < 4; ++i) {
    if (n->a[i] != n->a[0] || n->b[i] != n->a[0]) return -1;
  }
  return n->a[0];
}
/* Saves the number with itself as the step. */
static inline ckpt_status numbered_save(ckpt_checkpoint_manager* checkpoint, int64_t step, ckpt_save_result* result) {
  numbered n;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  numbered_make(&n, (float)step);
  options.step = step;
  const ckpt_status status = ckpt_checkpoint_manager_save(checkpoint, n.state, &options, result);
  ckpt_state_release(n.state);
  return status;
}

#endif /* CKPT_TESTS_NUMBERED_H */
