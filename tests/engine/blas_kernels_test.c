/* Where the environment asks for a narrower set of BLAS kernels than the processor has instructions for, the BLAS's description
 * says so; where it asks for nothing, nothing is said. The environment is only read. Each in a process of its own, for a BLAS is
 * loaded once. usage: blas_kernels_test CORE ADVISED   the set that is asked for ("" for none), and whether a processor with AVX2
 * is better */
#define _POSIX_C_SOURCE 200809L

#include "check.h"

int main(int count, char** arguments) {
  char info[1024];
  char asked[64];
  const char* left;
  CHECK(count == 3);
  snprintf(asked, sizeof asked, "%s", arguments[1]);
#if defined(__x86_64__) && defined(__GNUC__)
  if (!__builtin_cpu_supports("avx2")) {
    printf("SKIP: this processor has no AVX2, so no set of kernels is too narrow for it\n");
    return 77;
  }
#else
  printf("SKIP: the kernels of this processor have no sets\n");
  return 77;
#endif
  if (asked[0] == '\0') {
    unsetenv("OPENBLAS_CORETYPE");
  } else {
    setenv("OPENBLAS_CORETYPE", asked, 1);
  }
  CHECK_OK(ckpt_blas_get_info(info, sizeof info, NULL));
  printf("%s\n", info);
  CHECK(strncmp(info, "OpenBLAS", strlen("OpenBLAS")) == 0);
  if (strcmp(arguments[2], "advised") == 0) {
    CHECK(strstr(info, "OPENBLAS_CORETYPE asks for ") != NULL);
    CHECK(strstr(info, asked) != NULL);
    CHECK(strstr(info, "the processor has AVX") != NULL);
  } else {
    CHECK(strstr(info, "OPENBLAS_CORETYPE") == NULL);
  }
  left = getenv("OPENBLAS_CORETYPE");
  CHECK(asked[0] == '\0' ? left == NULL : left != NULL && strcmp(left, asked) == 0);
  return 0;
}
