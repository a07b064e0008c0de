/* A shared library that looks like OpenBLAS, for tests of the choice of its kernels. Like OpenBLAS, it reads OPENBLAS_CORETYPE
 * once, when it is loaded. It has the cores listed in FAKE_CORES ("Nehalem,Haswell"), and falls back to the first one. FAKE_BUILD
 * is the part of its description before the core. Its products do nothing. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAKE_API __attribute__((visibility("default")))

static char config[256];
static int threads = 1;

__attribute__((constructor)) static void choose(void) {
  const char* const asked = getenv("OPENBLAS_CORETYPE");
  const char* const cores = getenv("FAKE_CORES");
  const char* const build = getenv("FAKE_BUILD");
  char list[512];
  const char* chosen;
  char* core;
  snprintf(list, sizeof list, "%s", cores == NULL ? "Prescott" : cores);
  core = strtok(list, ",");
  chosen = core;
  for (; core != NULL; core = strtok(NULL, ",")) {
    if (asked != NULL && strcmp(core, asked) == 0) chosen = core;
  }
  snprintf(config, sizeof config, "%s %s MAX_THREADS=2", build == NULL ? "OpenBLAS fake DYNAMIC_ARCH" : build, chosen);
}

FAKE_API char* openblas_get_config(void);
FAKE_API int openblas_get_parallel(void);
FAKE_API int openblas_get_num_threads(void);
FAKE_API void openblas_set_num_threads(int count);
FAKE_API void cblas_sgemm(void);
FAKE_API void cblas_dgemm(void);

char* openblas_get_config(void) { return config; }
int openblas_get_parallel(void) { return 1; }
int openblas_get_num_threads(void) { return threads; }
void openblas_set_num_threads(int count) { threads = count; }
void cblas_sgemm(void) {}
void cblas_dgemm(void) {}
