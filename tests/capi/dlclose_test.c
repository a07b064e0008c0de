/* A program that loads the library, closes it while its threads run, and continues: it is never unmapped. Argument: the library.
 */
#define _POSIX_C_SOURCE 200809L
#include <ckpt/api.h>

#include <dlfcn.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

static const ckpt_api* api;
static ckpt_worker_pool* pool;
static sem_t inside; /* a thread of the library is in a callback */
static sem_t closed; /* the library's handle is closed */

/* The start hook of the pool's own thread: blocks until the program has closed the library. */
static void stay(const char* name, void* user_data) {
  (void)name;
  (void)user_data;
  CHECK(sem_post(&inside) == 0);
  CHECK(sem_wait(&closed) == 0);
}

static void stopped(const char* name, void* user_data) {
  (void)name;
  ++*(int*)user_data;
}

static int32_t count(int64_t part, void* user_data) {
  ((int*)user_data)[part] += 1;
  return 0;
}

/* The program's objects still work, also in a forked child and after a second dlopen. */
static void go_on(const char* path) {
  int counts[64] = {0};
  int exit_status = -1;
  int i;
  pid_t child;
  void* again;
  CHECK(api->ckpt_worker_pool_run(pool, 64, count, counts) == CKPT_OK);
  for (i = 0; i < 64; ++i) CHECK(counts[i] == 1);
  child = fork();
  if (child == 0) _exit(api->ckpt_worker_pool_run(pool, 2, count, counts) == CKPT_E_FORKED ? 0 : 1);
  CHECK(child > 0 && waitpid(child, &exit_status, 0) == child && exit_status == 0);
  again = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  CHECK(again != NULL && api->ckpt_worker_pool_run(pool, 64, count, counts) == CKPT_OK && counts[63] == 2);
  CHECK(dlclose(again) == 0);
}

int main(int arguments, char** argument) {
  const ckpt_api* (*get_api)(uint32_t) = NULL;
  void* library = NULL;
  void* symbol = NULL;
  int64_t hooks = 0;
  int stops = 0;
  CHECK(arguments == 2);
  alarm(600);
  library = dlopen(argument[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  symbol = dlsym(library, "ckpt_get_api");
  CHECK(symbol != NULL);
  memcpy(&get_api, &symbol, sizeof symbol); /* ISO C has no cast from an object pointer to a function pointer */
  api = get_api(CKPT_API_VERSION);
  CHECK(api != NULL);
  CHECK(sem_init(&inside, 0, 0) == 0 && sem_init(&closed, 0, 0) == 0);
  CHECK(api->ckpt_add_thread_hooks(stay, stopped, &stops, NULL, &hooks) == CKPT_OK);
  CHECK(api->ckpt_worker_pool_create(2, &pool) == CKPT_OK);
  CHECK(sem_wait(&inside) == 0);
  CHECK(dlclose(library) == 0);
  CHECK(sem_post(&closed) == 0); /* the thread returns into the library's code */
  go_on(argument[1]);
  api->ckpt_worker_pool_release(pool);
  CHECK(stops == 1);
  CHECK(api->ckpt_remove_thread_hooks(hooks) == CKPT_OK);
  return 0;
}
