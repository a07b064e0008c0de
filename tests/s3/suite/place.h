/* place.h - locations of the storages of the state and async suites on a real object store: each has a new prefix in the gateway's
 * bucket. */
#ifndef CKPT_TESTS_S3_SUITE_PLACE_H
#define CKPT_TESTS_S3_SUITE_PLACE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <ckpt/s3.h>

/* Returns the value of a variable CKPT_TEST_S3_..., set by tests/services/radosgw/run.sh. */
static inline const char* gateway_variable(const char* name) {
  const char* value = getenv(name);
  if (value == NULL) {
    fprintf(stderr, "%s is not set: run it by tests/services/radosgw/run.sh\n", name);
    exit(1);
  }
  return value;
}

static inline ckpt_s3_options gateway_options(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  options.endpoint = gateway_variable("CKPT_TEST_S3_ENDPOINT");
  options.access_key = gateway_variable("CKPT_TEST_S3_ACCESS_KEY");
  options.secret_key = gateway_variable("CKPT_TEST_S3_SECRET_KEY");
  return options;
}

/* Maps a scratch directory to a URI: the same root, in any process, maps to the same location. */
static inline void place_of_root(const char* root, char* uri, size_t size) {
  while (*root == '/') ++root;
  snprintf(uri, size, "s3://%s/suite/%s", gateway_variable("CKPT_TEST_S3_BUCKET"), root);
}

/* Maps a storage in memory to a URI: a new location each time. */
static inline void place_of_memory(int number, char* uri, size_t size) {
  struct timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const long process = getpid();
  const long seconds = now.tv_sec;
  snprintf(uri, size, "s3://%s/suite/memory/%ld-%ld-%ld-%d", gateway_variable("CKPT_TEST_S3_BUCKET"), process, seconds, now.tv_nsec,
           number);
}

/* Only scratch directories, detected by name, are moved to the store: other roots are used in tests of refusals. */
static inline int is_scratch(const char* root) { return root != NULL && strstr(root, "/ckpt-") != NULL; }

#endif /* CKPT_TESTS_S3_SUITE_PLACE_H */
