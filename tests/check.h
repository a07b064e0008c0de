/* check.h - the assertions of the C99 tests: a failure prints its line and reason, and the program exits with 1. */
#ifndef CKPT_TESTS_CHECK_H
#define CKPT_TESTS_CHECK_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ckpt/ckpt.h>

/* For alarm(): ends a test that hangs, with a margin for loaded machines. No test result depends on time. */
#ifdef CKPT_SANITIZED
#define HANG_SECONDS 1200
#else
#define HANG_SECONDS 600
#endif

#define CHECK(condition)                                                      \
  do {                                                                        \
    if (!(condition)) {                                                       \
      fprintf(stderr, "%s:%d: failed: %s\n", __FILE__, __LINE__, #condition); \
      exit(1);                                                                \
    }                                                                         \
  } while (0)

/* Checks that the call succeeds. */
#define CHECK_OK(call)                                                                                                      \
  do {                                                                                                                      \
    const ckpt_status check_status = (call);                                                                                \
    if (check_status != CKPT_OK) {                                                                                          \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, ckpt_status_name(check_status), ckpt_last_error()); \
      exit(1);                                                                                                              \
    }                                                                                                                       \
  } while (0)

/* Checks that the call fails with this status and a message that contains text. */
#define CHECK_FAILS(call, status, text)                                                              \
  do {                                                                                               \
    const ckpt_status check_status = (call);                                                         \
    if (check_status != (status) || strstr(ckpt_last_error(), (text)) == NULL) {                     \
      fprintf(stderr, "%s:%d: %s: got %s '%s', expected %s '...%s...'\n", __FILE__, __LINE__, #call, \
              ckpt_status_name(check_status), ckpt_last_error(), ckpt_status_name(status), (text));  \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

#endif /* CKPT_TESTS_CHECK_H */
