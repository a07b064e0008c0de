/* Kinds of locks through the C API: options, URIs, and a file system without flock. */
#define _DEFAULT_SOURCE

#include <errno.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "state/numbered.h"

static int flock_error;

/* Replaces the C library's flock. */
__attribute__((visibility("default"))) int flock(int file, int operation) {
  if (flock_error == 0) return (int)syscall(SYS_flock, file, operation);
  errno = flock_error;
  return -1;
}

static char scratch[64];

static ckpt_status open_writer(ckpt_storage* storage, ckpt_checkpoint_manager** manager) {
  const ckpt_status status = ckpt_checkpoint_manager_create(storage, NULL, manager);
  ckpt_storage_release(storage);
  return status;
}

static ckpt_status open_kind(const char* kind, ckpt_checkpoint_manager** manager) {
  ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  options.lock_kind = kind;
  CHECK_OK(ckpt_storage_create_file_system(scratch, &options, &storage));
  return open_writer(storage, manager);
}

static ckpt_status open_uri(const char* query, ckpt_checkpoint_manager** manager) {
  char uri[128];
  ckpt_storage* storage = NULL;
  snprintf(uri, sizeof uri, "file://%s%s", scratch, query);
  const ckpt_status status = ckpt_storage_create_from_uri(uri, &storage);
  return status == CKPT_OK ? open_writer(storage, manager) : status;
}

/* Checks that a second writer is refused while the first one is open. */
static void expect_exclusive(const char* kind, const char* query) {
  ckpt_checkpoint_manager* first = NULL;
  ckpt_checkpoint_manager* second = NULL;
  CHECK_OK(open_kind(kind, &first));
  CHECK(open_uri(query, &second) == CKPT_E_BUSY && second == NULL);
  ckpt_checkpoint_manager_release(first);
  CHECK_OK(open_uri(query, &second));
  CHECK(open_kind(kind, &first) == CKPT_E_BUSY);
  ckpt_checkpoint_manager_release(second);
}

static void refuse_names(void) {
  ckpt_file_system_options options = CKPT_FILE_SYSTEM_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  options.lock_kind = "lockf";
  CHECK(ckpt_storage_create_file_system(scratch, &options, &storage) == CKPT_E_INVALID_ARGUMENT);
  CHECK(strcmp(ckpt_last_error(), "options.lock_kind is 'lockf'; expected flock, fcntl, file or none") == 0);
  CHECK(open_uri("?lock=lockf", &manager) == CKPT_E_INVALID_ARGUMENT);
  CHECK(strcmp(ckpt_last_error(), "lock of the uri is 'lockf'; expected flock, fcntl, file or none") == 0);
  CHECK(open_uri("?lock=", &manager) == CKPT_E_INVALID_ARGUMENT);
  CHECK(open_uri("#lock=file", &manager) == CKPT_E_INVALID_ARGUMENT);
  CHECK(open_uri("?keep=1", &manager) == CKPT_E_INVALID_ARGUMENT);
  CHECK(strstr(ckpt_last_error(), "?lock=KIND") != NULL);
}

int main(void) {
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_checkpoint_manager* second = NULL;
  alarm(HANG_SECONDS);
  make_scratch(scratch, "locks");
  refuse_names();
  expect_exclusive(NULL, "");
  expect_exclusive("", "?lock=flock");
  flock_error = ENOSYS;
  CHECK(open_kind(NULL, &manager) == CKPT_E_UNSUPPORTED);
  CHECK(strstr(ckpt_last_error(), "lock_kind = \"fcntl\", \"file\" or \"none\"") != NULL);
  CHECK(strstr(ckpt_last_error(), "?lock=fcntl") != NULL);
  expect_exclusive("fcntl", "?lock=fcntl");
  expect_exclusive("file", "?lock=file");
  CHECK_OK(open_kind("none", &manager));
  CHECK_OK(open_uri("?lock=none", &second));
  ckpt_checkpoint_manager_release(manager);
  ckpt_checkpoint_manager_release(second);
  remove_scratch(scratch);
  return 0;
}
