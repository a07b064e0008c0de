/* Uses libckpt through dlopen and dlsym only. Argument: the library. */
#include <ckpt/api.h>
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define CHECK(condition)                                              \
  do {                                                                \
    if (!(condition)) {                                               \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                        \
    }                                                                 \
  } while (0)

static int64_t fixed_time(void* user_data) { return *(const int64_t*)user_data; }

int main(int count, char** arguments) {
  const struct ckpt_api* (*get_api)(uint32_t) = NULL;
  const struct ckpt_api* api = NULL;
  ckpt_clock* clock = NULL;
  int64_t moment = 12345;
  int64_t now = 0;
  int status = 0;
  pid_t child = 0;
  void* symbol = NULL;
  void* library = NULL;

  CHECK(count == 2);
  library = dlopen(arguments[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) fprintf(stderr, "%s\n", dlerror());
  CHECK(library != NULL);
  symbol = dlsym(library, "ckpt_get_api");
  CHECK(symbol != NULL);
  memcpy(&get_api, &symbol, sizeof symbol); /* ISO C has no cast from an object pointer to a function pointer */

  api = get_api(CKPT_API_VERSION);
  CHECK(api != NULL);
  CHECK(api->size == sizeof *api);
  CHECK(get_api(CKPT_API_VERSION + 1) == NULL);
  CHECK(strcmp(api->ckpt_status_name(CKPT_E_CORRUPT), "CORRUPT") == 0);

  CHECK(api->ckpt_clock_create_custom(fixed_time, &moment, NULL, &clock) == CKPT_OK);
  CHECK(api->ckpt_clock_get_now(clock, &now) == CKPT_OK && now == 12345);
  CHECK(api->ckpt_clock_advance(clock, 1) == CKPT_E_INVALID_STATE);
  CHECK(strstr(api->ckpt_last_error(), "clock") != NULL);
  api->ckpt_clock_release(clock);
  CHECK(dlclose(library) == 0);

  /* The library stays loaded for its threads, and so do its fork handlers. */
  child = fork();
  if (child == 0) _exit(0);
  CHECK(child > 0 && waitpid(child, &status, 0) == child && status == 0);
  return 0;
}
