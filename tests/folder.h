/* folder.h - a new folder for a test's files: below $TMPDIR, or /tmp if that is unset. Needs _POSIX_C_SOURCE 200809L. */
#ifndef CKPT_TESTS_FOLDER_H
#define CKPT_TESTS_FOLDER_H

#include "check.h"

typedef char test_folder[128];

static inline void make_folder(test_folder folder, const char* name) {
  const char* below = getenv("TMPDIR");
  const int length =
      snprintf(folder, sizeof(test_folder), "%s/ckpt-%s-XXXXXX", below == NULL || *below == '\0' ? "/tmp" : below, name);
  CHECK(length > 0 && (size_t)length < sizeof(test_folder));
  CHECK(mkdtemp(folder) != NULL);
}

#endif
