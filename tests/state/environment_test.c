/* The environment that manifests record by themselves: the library's version, and the BLAS if one is in use. A save loads no BLAS.
 * A load in an environment that differs reports it. */
#define _POSIX_C_SOURCE 200809L

#include <sys/wait.h>

#include "numbered.h"

static char scratch[64];
static char messages[1 << 14];

static void note(int32_t level, const char* component, const char* message, void* user_data) {
  const size_t used = strlen(messages);
  (void)level;
  (void)component;
  (void)user_data;
  snprintf(messages + used, sizeof messages - used, "%s\n", message);
}

static void sgemm(int order, int trans_a, int trans_b, int m, int n, int k, float alpha, const float* a, int lda, const float* b,
                  int ldb, float beta, float* c, int ldc) {
  (void)order, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb,
      (void)beta, (void)c, (void)ldc;
}
static void dgemm(int order, int trans_a, int trans_b, int m, int n, int k, double alpha, const double* a, int lda, const double* b,
                  int ldb, double beta, double* c, int ldc) {
  (void)order, (void)trans_a, (void)trans_b, (void)m, (void)n, (void)k, (void)alpha, (void)a, (void)lda, (void)b, (void)ldb,
      (void)beta, (void)c, (void)ldc;
}

/* From here on this process uses the BLAS with that name. */
static void use_blas(const char* name) {
  char text[64];
  int64_t needed = 0;
  ckpt_blas blas = CKPT_BLAS_INIT;
  blas.sgemm = sgemm;
  blas.dgemm = dgemm;
  blas.name = name;
  CHECK_OK(ckpt_blas_set(&blas));
  CHECK_OK(ckpt_blas_get_info(text, sizeof text, &needed));
  CHECK(strcmp(text, name) == 0);
}

static int maps_openblas(void) {
  char line[512];
  int found = 0;
  FILE* maps = fopen("/proc/self/maps", "r");
  if (maps == NULL) return 0;
  while (fgets(line, sizeof line, maps) != NULL) found |= strstr(line, "openblas") != NULL;
  fclose(maps);
  return found;
}

static ckpt_checkpoint_manager* open_root(const char* name) {
  char root[128];
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* checkpoint = NULL;
  snprintf(root, sizeof root, "%s/%s", scratch, name);
  CHECK_OK(ckpt_storage_create_file_system(root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &checkpoint));
  ckpt_storage_release(storage);
  return checkpoint;
}

/* Returns the manifest's line of the environment after a save with that environment. */
static const char* recorded(ckpt_checkpoint_manager* checkpoint, const char* environment) {
  static char text[8192];
  numbered n;
  int64_t needed = 0;
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  options.environment_json = environment;
  numbered_make(&n, 1);
  CHECK_OK(ckpt_checkpoint_manager_save(checkpoint, n.state, &options, &saved));
  CHECK_OK(ckpt_checkpoint_manager_get_manifest(checkpoint, saved.name, text, sizeof text, &needed));
  ckpt_state_release(n.state);
  char* line = strstr(text, "\"environment\":");
  CHECK(line != NULL);
  *strchr(line, '\n') = '\0';
  return line;
}

/* Returns whether a load with that environment reports that it differs. */
static int differs(ckpt_checkpoint_manager* checkpoint, const char* environment) {
  numbered n;
  ckpt_load_options options = CKPT_LOAD_OPTIONS_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  options.environment_json = environment;
  numbered_make(&n, 0);
  messages[0] = '\0';
  CHECK_OK(ckpt_checkpoint_manager_load(checkpoint, n.state, &options, &loaded));
  CHECK(numbered_value(&n) == 1);
  ckpt_state_release(n.state);
  CHECK((loaded.environment_differs != 0) == (strstr(messages, "may differ in their last bits") != NULL));
  return loaded.environment_differs;
}

static int64_t background_save(ckpt_checkpoint_manager* checkpoint, int32_t* is_other) {
  numbered n;
  int64_t id = 0;
  ckpt_async_manager* async = NULL;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  numbered_make(&n, 1);
  CHECK_OK(ckpt_async_manager_create(checkpoint, NULL, &async));
  if (is_other == NULL) {
    CHECK_OK(ckpt_async_manager_save(async, n.state, NULL, NULL, &id));
    CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
  } else {
    CHECK_OK(ckpt_async_manager_load(async, n.state, NULL, NULL, &id));
    CHECK_OK(ckpt_async_manager_wait(async, id, -1, NULL));
    CHECK_OK(ckpt_async_manager_get_load_result(async, id, &loaded));
    *is_other = loaded.environment_differs;
  }
  CHECK_OK(ckpt_async_manager_close(async, CKPT_CLOSE_MODE_DRAIN, -1));
  ckpt_async_manager_release(async);
  ckpt_state_release(n.state);
  return id;
}

static void expect_line(ckpt_checkpoint_manager* checkpoint, const char* environment, const char* format) {
  char expected[256];
  const char* line = recorded(checkpoint, environment);
  snprintf(expected, sizeof expected, format, ckpt_version_string());
  if (strstr(line, expected) != line) fprintf(stderr, "%s\nexpected %s\n", line, expected);
  CHECK(strcmp(line + strlen(expected), ",") == 0 && strncmp(line, expected, strlen(expected)) == 0);
}

static void the_version_is_always_there(void) {
  ckpt_checkpoint_manager* checkpoint = open_root("alone");
  expect_line(checkpoint, NULL, "\"environment\":{\"libckpt\":{\"version\":\"%s\"}}");
  CHECK(!differs(checkpoint, NULL) && !differs(checkpoint, "null") && differs(checkpoint, "{\"isa\":1}"));
  expect_line(checkpoint, "{ \"isa\": \"avx2\", \"n\": 0.5 }",
              "\"environment\":{\"isa\":\"avx2\",\"n\":0.5,\"libckpt\":{\"version\":\"%s\"}}");
  CHECK(!differs(checkpoint, NULL) && !differs(checkpoint, "{\"isa\":\"avx2\",\"n\":0.5}") &&
        differs(checkpoint, "{\"isa\":\"neon\"}"));
  expect_line(checkpoint, "[1,2]", "\"environment\":{\"given\":[1,2],\"libckpt\":{\"version\":\"%s\"}}");
  CHECK(!differs(checkpoint, NULL) && !differs(checkpoint, "[1,2]") && differs(checkpoint, "[2,1]") && differs(checkpoint, "null"));
  background_save(checkpoint, NULL);
  CHECK(!differs(checkpoint, NULL));
  CHECK(!maps_openblas());
  ckpt_checkpoint_manager_release(checkpoint);
}

static void another_blas_is_reported(void) {
  int status = 0;
  int32_t is_other = 0;
  const pid_t child = fork(); /* a separate process, since a process has one BLAS */
  CHECK(child >= 0);
  if (child == 0) {
    use_blas("first BLAS \"1.0\"");
    ckpt_checkpoint_manager* checkpoint = open_root("blas");
    expect_line(checkpoint, NULL, "\"environment\":{\"libckpt\":{\"version\":\"%s\",\"blas\":\"first BLAS \\\"1.0\\\"\"}}");
    CHECK(!differs(checkpoint, NULL));
    ckpt_checkpoint_manager_release(checkpoint);
    checkpoint = open_root("background");
    background_save(checkpoint, NULL);
    ckpt_checkpoint_manager_release(checkpoint);
    exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && WIFEXITED(status) && WEXITSTATUS(status) == 0);
  ckpt_checkpoint_manager* checkpoint = open_root("blas");
  ckpt_checkpoint_manager* background = open_root("background");
  CHECK(!differs(checkpoint, NULL)); /* no BLAS is in use here: nothing to compare yet */
  use_blas("second BLAS");
  CHECK(strstr(messages, "was written with the BLAS first BLAS \"1.0\"; this process has second BLAS") != NULL);
  CHECK(differs(checkpoint, NULL) && differs(checkpoint, "null"));
  CHECK(strstr(messages, "first BLAS") != NULL && strstr(messages, "second BLAS") != NULL);
  background_save(background, &is_other);
  CHECK(is_other == 1 && differs(background, NULL));
  ckpt_checkpoint_manager_release(checkpoint);
  ckpt_checkpoint_manager_release(background);
}

int main(void) {
  alarm(HANG_SECONDS);
  make_scratch(scratch, "environment");
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, note, NULL, NULL));
  the_version_is_always_there();
  another_blas_is_reported();
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_WARNING, NULL, NULL, NULL));
  remove_scratch(scratch);
  return 0;
}
