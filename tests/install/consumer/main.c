/* A minimal external C program. Optional argument: the version that must be loaded. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckpt/ckpt.h>

#define CHECK(condition)                                                                      \
  do {                                                                                        \
    if (!(condition)) {                                                                       \
      fprintf(stderr, "%s:%d: %s (%s)\n", __FILE__, __LINE__, #condition, ckpt_last_error()); \
      exit(1);                                                                                \
    }                                                                                         \
  } while (0)

static int32_t square(int64_t part, void* user_data) {
  int64_t* squares = user_data;
  squares[part] = part * part;
  return 0;
}

int main(int count, char** arguments) {
  const uint32_t counter[4] = {0, 0, 0, 0};
  const uint32_t key[2] = {0, 0};
  uint32_t block[4] = {0, 0, 0, 0};
  int64_t squares[100];
  int64_t sum = 0;
  int i;
  ckpt_worker_pool* pool = NULL;

  if (count > 1) CHECK(strcmp(arguments[1], ckpt_version_string()) == 0);

  CHECK(ckpt_random_philox(counter, key, block) == CKPT_OK);
  CHECK(block[0] == 0x6627e8d5U && block[3] == 0x9b00dbd8U);

  CHECK(ckpt_worker_pool_create(3, &pool) == CKPT_OK);
  CHECK(ckpt_worker_pool_run(pool, 100, square, squares) == CKPT_OK);
  for (i = 0; i < 100; ++i) sum += squares[i];
  CHECK(sum == 328350);
  ckpt_worker_pool_release(pool);

  CHECK(ckpt_worker_pool_create(-7, &pool) == CKPT_E_INVALID_ARGUMENT && strstr(ckpt_last_error(), "thread_count is -7") != NULL);
  return 0;
}
