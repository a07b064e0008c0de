/* Storages by URI in two processes: names in memory belong to one process, a directory is the same one for both; and in a child
 * forked while threads register schemes and open URIs, every call works or returns FORKED; none waits. */
#define _POSIX_C_SOURCE 200809L

#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

#include "folder.h"

#define FORKS 60

static int ends = 0;

static ckpt_checkpoint_manager* writer_of(const char* uri) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* writer = NULL;
  CHECK_OK(ckpt_storage_create_from_uri(uri, &storage));
  if (ckpt_checkpoint_manager_create(storage, NULL, &writer) != CKPT_OK) writer = NULL;
  ckpt_storage_release(storage);
  return writer;
}

static void save(ckpt_checkpoint_manager* writer) {
  ckpt_state* state = NULL;
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_set_json(state, "lr", "0.5"));
  CHECK_OK(ckpt_checkpoint_manager_save(writer, state, NULL, NULL));
  ckpt_state_release(state);
}

static void ends_well(pid_t child) {
  int status = 0;
  CHECK(child > 0 && waitpid(child, &status, 0) == child);
  CHECK(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void two_processes(const char* root) {
  char uri[300];
  ckpt_storage* kept = NULL;
  ckpt_checkpoint_manager *in_memory = NULL, *in_files = NULL;
  int64_t count = 0;
  pid_t child;
  snprintf(uri, sizeof uri, "file://%s/run", root);
  CHECK_OK(ckpt_storage_create_from_uri("memory:run", &kept));
  in_files = writer_of(uri);
  CHECK(in_files != NULL);
  child = fork();
  if (child == 0) {
    ckpt_checkpoint_manager* own = writer_of("memory:run");
    alarm(HANG_SECONDS);
    CHECK(own != NULL && writer_of(root) != NULL); /* other locations are free */
    CHECK(writer_of(uri) == NULL);                 /* in use by the parent */
    save(own);
    _exit(0);
  }
  ends_well(child);
  in_memory = writer_of("memory:run");
  CHECK(in_memory != NULL);
  CHECK_OK(ckpt_checkpoint_manager_list(in_memory, NULL, 0, &count));
  CHECK(count == 0); /* the child's checkpoint was in the child's memory */
  ckpt_checkpoint_manager_release(in_memory);
  ckpt_checkpoint_manager_release(in_files);
  ckpt_storage_release(kept);
}

static int32_t make(const char* uri, ckpt_storage** storage, void* user_data) {
  (void)uri;
  (void)user_data;
  return ckpt_storage_create_from_uri("memory:inner", storage);
}

static void* come_and_go(void* unused) {
  (void)unused;
  while (!__atomic_load_n(&ends, __ATOMIC_ACQUIRE)) {
    ckpt_storage* storage = NULL;
    CHECK_OK(ckpt_storage_register_scheme("often", make, NULL, NULL));
    CHECK_OK(ckpt_storage_create_from_uri("often:x", &storage));
    ckpt_storage_release(storage);
    CHECK_OK(ckpt_storage_unregister_scheme("often"));
  }
  return NULL;
}

static void fine(ckpt_status status, ckpt_status also, int line) {
  if (status == CKPT_OK || status == CKPT_E_FORKED || status == also) return;
  fprintf(stderr, "line %d: %s: %s\n", line, ckpt_status_name(status), ckpt_last_error());
  _exit(1);
}

static void open_in_child(const char* uri, ckpt_status also, int line) {
  ckpt_storage* storage = NULL;
  fine(ckpt_storage_create_from_uri(uri, &storage), also, line);
  ckpt_storage_release(storage);
}

static void forks_among_threads(const char* root) {
  pthread_t thread;
  int i;
  CHECK(pthread_create(&thread, NULL, come_and_go, NULL) == 0);
  for (i = 0; i < FORKS; ++i) {
    const pid_t child = fork();
    if (child == 0) {
      alarm(HANG_SECONDS);
      open_in_child(root, CKPT_OK, __LINE__);
      open_in_child("memory:", CKPT_OK, __LINE__);
      open_in_child("memory:inner", CKPT_OK, __LINE__);
      open_in_child("often:x", CKPT_E_UNSUPPORTED, __LINE__);
      fine(ckpt_storage_register_scheme("childs", make, NULL, NULL), CKPT_OK, __LINE__);
      open_in_child("childs:x", CKPT_E_UNSUPPORTED, __LINE__);
      fine(ckpt_storage_unregister_scheme("childs"), CKPT_E_NOT_FOUND, __LINE__);
      _exit(0);
    }
    ends_well(child);
  }
  __atomic_store_n(&ends, 1, __ATOMIC_RELEASE);
  CHECK(pthread_join(thread, NULL) == 0);
}

int main(void) {
  test_folder root;
  char command[sizeof(test_folder) + 32];
  alarm(HANG_SECONDS);
  make_folder(root, "storage-uri-fork");
  two_processes(root);
  forks_among_threads(root);
  snprintf(command, sizeof command, "rm -rf '%s'", root);
  CHECK(system(command) == 0);
  return 0;
}
