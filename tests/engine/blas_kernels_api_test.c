/* Selecting and reporting OpenBLAS's kernels: each scenario runs in a new process, because a BLAS is loaded once.
 * usage: blas_kernels_api_test FAKE [SCENARIO]   the file of fake_openblas.c; without a scenario: all */
#define _POSIX_C_SOURCE 200809L

#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"

#define VARIABLE "OPENBLAS_CORETYPE"

static const char* fake;
static int warnings = 0;
static char last_warning[1024];

static void count_warning(int32_t level, const char* component, const char* message, void* user_data) {
  (void)user_data;
  CHECK(level == CKPT_LOG_LEVEL_WARNING);
  CHECK(strcmp(component, "engine") == 0);
  ++warnings;
  snprintf(last_warning, sizeof last_warning, "%s", message);
}

static const char* info(void) {
  static char text[1024];
  CHECK_OK(ckpt_blas_get_info(text, sizeof text, NULL));
  printf("%s\n", text);
  return text;
}

static int has(const char* text, const char* part) { return strstr(text, part) != NULL; }

/* Checks that the variable is unchanged: unset if value is NULL. */
static void check_variable(const char* value) {
  const char* const now = getenv(VARIABLE);
  CHECK(value == NULL ? now == NULL : now != NULL && strcmp(now, value) == 0);
}

static int is_mapped(const char* part) {
  FILE* const maps = fopen("/proc/self/maps", "r");
  char line[1024];
  int found = 0;
  CHECK(maps != NULL);
  while (fgets(line, sizeof line, maps) != NULL) found |= has(line, part);
  fclose(maps);
  return found;
}

static void use_fake(const char* cores) {
  CHECK(setenv("CKPT_OPENBLAS", fake, 1) == 0);
  CHECK(setenv("FAKE_CORES", cores, 1) == 0);
}

/* ---- Kernels in use, compared with the processor ---- */

/* Every x86-64 processor that runs this has SSSE3, so Prescott is never the widest. The environment does not count. */
static void narrow(void) {
  use_fake("Prescott");
  setenv(VARIABLE, "SkylakeX", 1);
  CHECK(has(info(), "Prescott MAX_THREADS=2; its kernels are Prescott (SSE3), and this processor can run "));
  CHECK(warnings == 1 && has(last_warning, "its kernels are Prescott (SSE3)") && has(last_warning, "set " VARIABLE "="));
  CHECK(has(info(), "its kernels are Prescott"));
  CHECK(warnings == 1);
  check_variable("SkylakeX");
}

static void narrow_by_environment(void) { /* the real OpenBLAS follows the environment */
  setenv(VARIABLE, "Prescott", 1);
  CHECK(has(info(), "; its kernels are Prescott (SSE3), and this processor can run "));
  CHECK(warnings == 1);
  check_variable("Prescott");
}

static void narrow_build(void) { /* a build for one processor has no other kernels */
  use_fake("PRESCOTT");
  setenv("FAKE_BUILD", "OpenBLAS fake NO_AFFINITY", 1);
  CHECK(has(info(), "its kernels are Prescott (SSE3)"));
  CHECK(warnings == 1 && has(last_warning, "install an OpenBLAS built with DYNAMIC_ARCH") && !has(last_warning, VARIABLE));
}

static void wide(void) {
  use_fake("SapphireRapids");
  CHECK(strcmp(info(), "OpenBLAS fake DYNAMIC_ARCH SapphireRapids MAX_THREADS=2") == 0);
  CHECK(warnings == 0);
}

/* The sets of every processor; the first is the one that OpenBLAS selects by itself here. */
#define EVERY_CORE                                                                                                         \
  "Prescott,Core2,Penryn,Dunnington,Nehalem,Barcelona,Sandybridge,Bulldozer,Piledriver,Steamroller,Excavator,Haswell,Zen," \
  "SkylakeX,"                                                                                                              \
  "Cooperlake,SapphireRapids"

/* The library never selects kernels by itself, neither for a layer nor for a query. */
static void never_selected(void) {
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {8, 4}};
  ckpt_chain* chain = NULL;
  ckpt_layer* layer = NULL;
  ckpt_profile* profile = NULL;
  use_fake(EVERY_CORE);
  CHECK_OK(ckpt_chain_create(0, &chain));
  CHECK_OK(ckpt_layer_create("linear", "linear:4,2", &layer));
  CHECK_OK(ckpt_chain_add(chain, layer));
  CHECK_OK(ckpt_profile_create_from_chain(chain, &input, 1, NULL, &profile));
  CHECK(is_mapped("fake_openblas") && warnings == 1 && has(last_warning, "its kernels are Prescott"));
  CHECK(has(info(), " Prescott MAX_THREADS"));
  check_variable(NULL);
  ckpt_profile_release(profile);
  ckpt_layer_release(layer);
  ckpt_chain_release(chain);
}

static void selected_on_request(void) {
  use_fake(EVERY_CORE);
  CHECK_OK(ckpt_blas_set_kernels("best"));
  CHECK(!has(info(), "Prescott") && warnings == 0);
}

static void unknown(void) {
  use_fake("CoreOfTheFuture");
  CHECK(strcmp(info(), "OpenBLAS fake DYNAMIC_ARCH CoreOfTheFuture MAX_THREADS=2") == 0);
  CHECK(warnings == 0);
}

/* ---- Setting kernels ---- */

static void in_use_is_refused(const char* kernels) {
  CHECK_FAILS(ckpt_blas_set_kernels("best"), CKPT_E_INVALID_STATE, kernels);
  CHECK(has(ckpt_last_error(), ".so") && has(ckpt_last_error(), "is in use already"));
}

static void best(void) {
  CHECK_OK(ckpt_blas_set_kernels("best"));
  check_variable(NULL);
  CHECK(warnings == 0);
  CHECK(!has(info(), ";"));
  in_use_is_refused(" kernels");
}

static void named(const char* before) {
  if (before != NULL) setenv(VARIABLE, before, 1);
  CHECK_OK(ckpt_blas_set_kernels("pRESCOTT"));
  check_variable(before);
  CHECK(warnings == 1);
  CHECK(has(info(), " Prescott ") && has(info(), "its kernels are Prescott"));
  in_use_is_refused("its Prescott kernels");
  check_variable(before);
}
static void named_unset(void) { named(NULL); }
static void named_empty(void) { named(""); }
static void named_value(void) { named("Nehalem"); }

static void bad(void) {
  const char* const names[] = {"Skylake", "", "best ", "Opteron", "Generic", "OpenBLAS"};
  size_t i;
  CHECK_FAILS(ckpt_blas_set_kernels(NULL), CKPT_E_INVALID_ARGUMENT, "name");
  for (i = 0; i < sizeof names / sizeof *names; ++i)
    CHECK_FAILS(ckpt_blas_set_kernels(names[i]), CKPT_E_INVALID_ARGUMENT, "expected best, ");
  CHECK_FAILS(ckpt_blas_set_kernels("Skylake"), CKPT_E_INVALID_ARGUMENT, "kernels 'Skylake': unknown; expected best, ");
  CHECK(has(ckpt_last_error(), ", Prescott"));
  /* No processor has both of these families. */
  CHECK(ckpt_blas_set_kernels("Barcelona") == CKPT_E_INVALID_ARGUMENT ||
        ckpt_blas_set_kernels("Bulldozer") == CKPT_E_INVALID_ARGUMENT);
  CHECK(has(ckpt_last_error(), "not supported by this processor"));
  CHECK(!is_mapped("openblas") && warnings == 0);
  check_variable(NULL);
  CHECK_OK(ckpt_blas_set_kernels("best"));
}

static void lacking(void) {
  use_fake("Nehalem");
  CHECK_FAILS(ckpt_blas_set_kernels("Prescott"), CKPT_E_UNSUPPORTED,
              "does not contain them (OpenBLAS fake DYNAMIC_ARCH Nehalem MAX_THREADS=2)");
  CHECK(has(ckpt_last_error(), fake) && has(ckpt_last_error(), "is in use with its Nehalem kernels"));
  check_variable(NULL);
  CHECK(has(info(), "OpenBLAS fake DYNAMIC_ARCH Nehalem MAX_THREADS=2"));
  in_use_is_refused("its Nehalem kernels");
}

static void best_lacking(void) {
  use_fake("Prescott");
  CHECK_OK(ckpt_blas_set_kernels("best"));
  CHECK(has(info(), "its kernels are Prescott"));
  CHECK(warnings == 1);
}

static void loaded(void) {
  const int before = (has(info(), "OpenBLAS"), warnings);
  in_use_is_refused(" kernels");
  CHECK(warnings == before);
}

static void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                  int ldb, float beta, float* c, int ldc) {
  (void)order, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  (void)beta, (void)c, (void)ldc;
}
static void dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                  int ldb, double beta, double* c, int ldc) {
  (void)order, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb;
  (void)beta, (void)c, (void)ldc;
}

static void of_host(void) {
  ckpt_blas blas = CKPT_BLAS_INIT;
  blas.sgemm = sgemm;
  blas.dgemm = dgemm;
  blas.name = "OpenBLAS of the host, Prescott";
  CHECK_OK(ckpt_blas_set(&blas));
  CHECK_FAILS(ckpt_blas_set_kernels("best"), CKPT_E_INVALID_STATE,
              "ckpt_blas_set has set another BLAS, 'OpenBLAS of the host, Prescott'");
  CHECK(strcmp(info(), blas.name) == 0);
  CHECK_FAILS(ckpt_blas_set_kernels("best"), CKPT_E_INVALID_STATE, "ckpt_blas_set has set another BLAS");
  CHECK(!is_mapped("openblas") && warnings == 0);
}

static void of_host_too_late(void) {
  ckpt_blas blas = CKPT_BLAS_INIT;
  blas.sgemm = sgemm;
  blas.dgemm = dgemm;
  CHECK_OK(ckpt_blas_set_kernels("best"));
  CHECK_FAILS(ckpt_blas_set(&blas), CKPT_E_INVALID_STATE, "in use");
}

/* The process has loaded it by its soname, and the message names its file. */
static void loaded_before(void) {
  CHECK(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL) != NULL);
  CHECK_FAILS(ckpt_blas_set_kernels("Prescott"), CKPT_E_INVALID_STATE, "this process has loaded /");
  CHECK(has(ckpt_last_error(), "libopenblas") && has(ckpt_last_error(), " kernels"));
  CHECK_FAILS(ckpt_blas_set_kernels("best"), CKPT_E_INVALID_STATE, "kernels 'best': this process has loaded /");
  check_variable(NULL);
  CHECK(has(info(), "OpenBLAS"));
}

/* The same file under another path; after its user has unloaded it, it can be loaded with other kernels. */
static void loaded_before_by_another_path(void) {
  test_folder folder;
  char link[sizeof(test_folder) + 16];
  void* library;
  use_fake("Nehalem,Prescott");
  make_folder(folder, "blas");
  snprintf(link, sizeof link, "%s/libother.so", folder);
  CHECK(symlink(fake, link) == 0);
  library = dlopen(link, RTLD_NOW | RTLD_LOCAL);
  CHECK(unlink(link) == 0 && rmdir(folder) == 0);
  CHECK(library != NULL);
  CHECK_FAILS(ckpt_blas_set_kernels("Prescott"), CKPT_E_INVALID_STATE, "already, with its Nehalem kernels");
  CHECK(has(ckpt_last_error(), link));
  CHECK(dlclose(library) == 0);
  CHECK(!is_mapped("fake_openblas"));
  CHECK_OK(ckpt_blas_set_kernels("Prescott"));
  CHECK(has(info(), "OpenBLAS fake DYNAMIC_ARCH Prescott MAX_THREADS=2"));
}

/* Another file's kernels do not matter, and neither does a library that is not OpenBLAS. */
static void another_loaded_before(void) {
  CHECK(dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL) != NULL);
  use_fake("Nehalem,Prescott");
  CHECK_OK(ckpt_blas_set_kernels("Prescott"));
  CHECK(has(info(), "OpenBLAS fake DYNAMIC_ARCH Prescott"));
}

static void no_openblas_loaded_before(void) {
  CHECK(dlopen("libm.so.6", RTLD_NOW | RTLD_LOCAL) != NULL);
  setenv("CKPT_OPENBLAS", "libm.so.6", 1);
  CHECK_OK(ckpt_blas_set_kernels("Prescott"));
  CHECK(has(info(), " Prescott "));
}

static const struct {
  const char* name;
  void (*run)(void);
} scenarios[] = {
    {"narrow", narrow},
    {"narrow_by_environment", narrow_by_environment},
    {"narrow_build", narrow_build},
    {"wide", wide},
    {"never_selected", never_selected},
    {"selected_on_request", selected_on_request},
    {"unknown", unknown},
    {"best", best},
    {"named_unset", named_unset},
    {"named_empty", named_empty},
    {"named_value", named_value},
    {"bad", bad},
    {"lacking", lacking},
    {"best_lacking", best_lacking},
    {"loaded", loaded},
    {"of_host", of_host},
    {"of_host_too_late", of_host_too_late},
    {"loaded_before", loaded_before},
    {"loaded_before_by_another_path", loaded_before_by_another_path},
    {"another_loaded_before", another_loaded_before},
    {"no_openblas_loaded_before", no_openblas_loaded_before},
};

static int run_scenario(const char* name) {
  size_t i;
  unsetenv(VARIABLE);
  unsetenv("CKPT_OPENBLAS");
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, count_warning, NULL, NULL));
  for (i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (strcmp(scenarios[i].name, name) != 0) continue;
    scenarios[i].run();
    return 0;
  }
  fprintf(stderr, "no scenario %s\n", name);
  return 1;
}

int main(int count, char** arguments) {
  size_t i;
  int failed = 0;
  alarm(HANG_SECONDS);
  CHECK(count == 2 || count == 3);
  fake = arguments[1];
#if !defined(__x86_64__)
  CHECK_FAILS(ckpt_blas_set_kernels("best"), CKPT_E_UNSUPPORTED, "x86-64 only");
  printf("SKIP: the kernels of this processor have no sets\n");
  return 77;
#endif
  if (count == 3) return run_scenario(arguments[2]);
  for (i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    int status = 0;
    const pid_t child = fork();
    if (child == 0) {
      char name[64];
      char* const command[] = {arguments[0], arguments[1], name, NULL};
      snprintf(name, sizeof name, "%s", scenarios[i].name);
      execv(arguments[0], command);
      _exit(127);
    }
    CHECK(waitpid(child, &status, 0) == child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) continue;
    fprintf(stderr, "scenario %s failed\n", scenarios[i].name);
    ++failed;
  }
  return failed > 0;
}
