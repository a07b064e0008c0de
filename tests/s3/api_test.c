/* libckpt-s3 from a C program. With the argument "services" also a save and a load at the S3 gateway from
 * tests/services/radosgw/run.sh. */
#define _POSIX_C_SOURCE 200809L

#include <ckpt/ckpt.h>
#include <ckpt/s3.h>

#include <netdb.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include "check.h"

/* Checks that the call fails with this status, and that ckpt_s3_last_error contains text. */
#define CHECK_S3_FAILS(call, status, text)                                                           \
  do {                                                                                               \
    const ckpt_status check_status = (call);                                                         \
    if (check_status != (status) || strstr(ckpt_s3_last_error(), (text)) == NULL) {                  \
      fprintf(stderr, "%s:%d: %s: got %s '%s', expected %s '...%s...'\n", __FILE__, __LINE__, #call, \
              ckpt_status_name(check_status), ckpt_s3_last_error(), ckpt_status_name(status), text); \
      exit(1);                                                                                       \
    }                                                                                                \
  } while (0)

/* Checks that the call succeeds. */
#define CHECK_S3_OK(call)                                                                                                      \
  do {                                                                                                                         \
    const ckpt_status check_status = (call);                                                                                   \
    if (check_status != CKPT_OK) {                                                                                             \
      fprintf(stderr, "%s:%d: %s: %s: %s\n", __FILE__, __LINE__, #call, ckpt_status_name(check_status), ckpt_s3_last_error()); \
      exit(1);                                                                                                                 \
    }                                                                                                                          \
  } while (0)

static void options_have_defaults(void) {
  const ckpt_s3_options by_macro = CKPT_S3_OPTIONS_INIT;
  ckpt_s3_options by_function;
  memset(&by_function, 0xff, sizeof by_function);
  CHECK(ckpt_s3_options_init(&by_function, sizeof by_function) == CKPT_OK);
  CHECK(memcmp(&by_macro, &by_function, sizeof by_macro) == 0);
  CHECK(by_macro.struct_size == sizeof by_macro && by_macro.part_bytes == 16777216 && by_macro.parts_in_flight == 8);
  CHECK(ckpt_s3_options_init(NULL, sizeof by_function) == CKPT_E_INVALID_ARGUMENT);
  {
    static const uint32_t sizes[] = {0, 4, 8, sizeof by_function - 4, sizeof by_function + 2, 4100, UINT32_MAX};
    size_t i;
    for (i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) {
      CHECK(ckpt_s3_options_init(&by_function, sizes[i]) == CKPT_E_INVALID_ARGUMENT);
      CHECK(strstr(ckpt_s3_last_error(), "size is ") != NULL);
    }
    CHECK(memcmp(&by_macro, &by_function, sizeof by_macro) == 0); /* nothing was written */
  }
}

static void bad_arguments_are_refused(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  struct {
    ckpt_s3_options options;
    unsigned char later[8];
  } larger;
  ckpt_storage* storage = NULL;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", NULL, &storage), CKPT_E_PERMISSION, "no keys for s3://bucket");
  options.access_key = "access";
  options.secret_key = "hiddenSecret";
  CHECK_S3_FAILS(ckpt_s3_storage_create(NULL, &options, &storage), CKPT_E_INVALID_ARGUMENT, "uri is NULL");
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, NULL), CKPT_E_INVALID_ARGUMENT, "storage is NULL");
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket/../x", &options, &storage), CKPT_E_INVALID_ARGUMENT, "'..'");
  CHECK_S3_FAILS(ckpt_s3_storage_create("file:///x", &options, &storage), CKPT_E_INVALID_ARGUMENT, "s3://bucket/prefix");
  options.part_bytes = 1;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT, "options.part_bytes is 1");
  options.part_bytes = 16777216;
  options.reserved = 1;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT, "options.reserved is 1");
  options.reserved = 0;
  options.struct_size = 8;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT, "options.struct_size is 8");
  options.struct_size = 5000;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT,
                 "options.struct_size is 5000; expected a multiple of 4 in 104 .. 4096, as set by the initializer macro");
  options.struct_size = 0x7ffffff0;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT,
                 "options.struct_size is 2147483632");
  options.struct_size = sizeof options + 2;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &options, &storage), CKPT_E_INVALID_ARGUMENT, "options.struct_size is 106");
  CHECK(storage == NULL);

  /* A caller of a later version: fields unknown to this library may be zero. */
  options.struct_size = sizeof options;
  memset(&larger, 0, sizeof larger);
  larger.options = options;
  larger.options.struct_size = sizeof larger;
  CHECK_S3_OK(ckpt_s3_storage_create("s3://bucket", &larger.options, &storage));
  ckpt_storage_release(storage);
  storage = NULL;
  larger.later[7] = 1;
  CHECK_S3_FAILS(ckpt_s3_storage_create("s3://bucket", &larger.options, &storage), CKPT_E_UNSUPPORTED, "newer version");
  CHECK(storage == NULL);
  CHECK(strstr(ckpt_s3_last_error(), "hiddenSecret") == NULL);
}

static void the_scheme_is_known_when_it_is_registered(void) {
  ckpt_storage* storage = NULL;
  CHECK_OK(ckpt_s3_register());
  CHECK_OK(ckpt_s3_register());
  CHECK_FAILS(ckpt_storage_create_from_uri("s3://bucket/run", &storage), CKPT_E_PERMISSION, "no keys for s3://bucket/run");
  CHECK(setenv("AWS_ACCESS_KEY_ID", "access", 1) == 0 && setenv("AWS_SECRET_ACCESS_KEY", "hiddenSecret", 1) == 0);
  CHECK_OK(ckpt_storage_create_from_uri("s3://bucket/run%201", &storage));
  ckpt_storage_release(storage);
  CHECK_FAILS(ckpt_storage_create_from_uri("s3://b", &storage), CKPT_E_INVALID_ARGUMENT, "no valid bucket name");
  CHECK(strstr(ckpt_last_error(), "hiddenSecret") == NULL);
  CHECK_OK(ckpt_storage_unregister_scheme("s3"));
  CHECK_OK(ckpt_s3_register());
}

static void uploads_are_listed(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  int64_t count = -1;
  CHECK_S3_FAILS(ckpt_s3_abort_uploads(NULL, NULL, 0, 0, NULL, NULL, &count), CKPT_E_INVALID_ARGUMENT, "uri is NULL");
  CHECK_S3_FAILS(ckpt_s3_abort_uploads("s3://bucket", NULL, -1, 0, NULL, NULL, &count), CKPT_E_INVALID_ARGUMENT,
                 "older_than_ns is -1");
  CHECK_S3_FAILS(ckpt_s3_abort_uploads("s3://bucket", NULL, 0, 2, NULL, NULL, &count), CKPT_E_INVALID_ARGUMENT, "dry_run is 2");
  CHECK_S3_FAILS(ckpt_s3_abort_uploads("s3://bucket", NULL, 0, 0, NULL, NULL, NULL), CKPT_E_INVALID_ARGUMENT, "count is NULL");
  CHECK_S3_FAILS(ckpt_s3_abort_uploads("file:///x", NULL, 0, 0, NULL, NULL, &count), CKPT_E_INVALID_ARGUMENT, "s3://bucket/prefix");
  options.endpoint = "http://127.0.0.1:1";
  options.access_key = "access";
  options.secret_key = "hiddenSecret";
  CHECK_S3_FAILS(ckpt_s3_abort_uploads("s3://bucket/run", &options, 0, 1, NULL, NULL, &count), CKPT_E_IO, "connect");
  CHECK(count == -1);
}

static atomic_int resolver_threads;
static atomic_int resolvers_that_run_handlers;
static pthread_t main_thread;

/* Replaces the C library's, which libcurl calls on a thread that it starts. */
__attribute__((visibility("default"))) int getaddrinfo(const char* name, const char* service, const struct addrinfo* hints,
                                                       struct addrinfo** found) {
  static const int signals[] = {SIGHUP, SIGINT, SIGTERM, SIGUSR1, SIGUSR2, SIGALRM, SIGCHLD, SIGPIPE};
  sigset_t mask;
  size_t i;
  int runs_handlers = 0;
  (void)service;
  (void)hints;
  (void)found;
  CHECK(strcmp(name, "gateway.test") == 0 && !pthread_equal(pthread_self(), main_thread));
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  for (i = 0; i < sizeof signals / sizeof signals[0]; ++i) runs_handlers |= sigismember(&mask, signals[i]) != 1;
  CHECK(sigismember(&mask, SIGPROF) == 0 && sigismember(&mask, SIGRTMIN) == 0);
  atomic_fetch_add(&resolvers_that_run_handlers, runs_handlers);
  atomic_fetch_add(&resolver_threads, 1);
  return EAI_NONAME;
}

static void threads_that_resolve_run_no_handlers(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager_options reads = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_checkpoint_info info = CKPT_CHECKPOINT_INFO_INIT;
  sigset_t before;
  sigset_t after;
  main_thread = pthread_self();
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
  options.endpoint = "http://gateway.test:1";
  options.path_style = CKPT_S3_PATH_STYLE_ON;
  options.access_key = "access";
  options.secret_key = "hiddenSecret";
  CHECK_S3_OK(ckpt_s3_storage_create("s3://bucket/run", &options, &storage));
  reads.read_only = 1;
  CHECK_OK(ckpt_checkpoint_manager_create(storage, &reads, &manager));
  CHECK(ckpt_checkpoint_manager_get_latest(manager, &info) == CKPT_E_IO);
  CHECK(atomic_load(&resolver_threads) > 0 && atomic_load(&resolvers_that_run_handlers) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
  CHECK(sigismember(&before, SIGINT) == 0 && sigismember(&after, SIGINT) == 0 && sigismember(&after, SIGTERM) == 0);
  ckpt_checkpoint_manager_release(manager);
  ckpt_storage_release(storage);
}

static void counts_log(ckpt_log_level level, const char* component, const char* message, void* user_data) {
  (void)level;
  (void)component;
  printf("%s\n", message); /* run.sh searches it for secrets */
  ++*(int*)user_data;
}

/* Returns a state of a number and a large tensor that is uploaded in parts. */
static ckpt_state* new_state(double value, ckpt_tensor** tensor) {
  const int64_t shape[1] = {6000000};
  ckpt_state* state = NULL;
  float* elements = NULL;
  int64_t i;
  CHECK_OK(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, NULL, tensor));
  elements = (float*)ckpt_tensor_get_data(*tensor);
  for (i = 0; i < shape[0]; ++i) elements[i] = (float)(value * (double)i);
  CHECK_OK(ckpt_state_create(&state));
  CHECK_OK(ckpt_state_add_tensor(state, "model", "weights", *tensor));
  return state;
}

static void saves_and_loads(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  ckpt_storage* storage = NULL;
  ckpt_storage* retrying = NULL;
  ckpt_fault_handler* handler = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
  ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;
  ckpt_tensor* tensor = NULL;
  ckpt_tensor* other = NULL;
  ckpt_state* state = new_state(3.0, &tensor);
  ckpt_state* empty = new_state(0.0, &other);
  int logged = 0;
  char uri[64];
  int64_t count = 0;
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, counts_log, &logged, NULL));
  options.endpoint = getenv("CKPT_TEST_S3_ENDPOINT");
  options.access_key = getenv("CKPT_TEST_S3_ACCESS_KEY");
  options.secret_key = getenv("CKPT_TEST_S3_SECRET_KEY");
  CHECK(options.endpoint != NULL && options.access_key != NULL && options.secret_key != NULL);
  CHECK(getenv("CKPT_TEST_S3_BUCKET") != NULL);
  snprintf(uri, sizeof uri, "s3://%.30s/api-%ld", getenv("CKPT_TEST_S3_BUCKET"), (long)getpid());
  CHECK_S3_OK(ckpt_s3_storage_create(uri, &options, &storage));
  CHECK_OK(ckpt_fault_handler_create(NULL, NULL, NULL, NULL, &handler));
  CHECK_OK(ckpt_storage_create_retrying(storage, handler, &retrying));
  CHECK_OK(ckpt_checkpoint_manager_create(retrying, NULL, &manager));
  for (save.step = 1; save.step <= 3; ++save.step) CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
  CHECK_OK(ckpt_checkpoint_manager_list(manager, NULL, 0, &count));
  CHECK(count == 3);
  CHECK_OK(ckpt_checkpoint_manager_load(manager, empty, NULL, &loaded));
  CHECK(loaded.step == 3);
  CHECK(((const float*)ckpt_tensor_get_data(other))[5999999] == 17999997.0F);
  ckpt_checkpoint_manager_release(manager);
  manager = NULL;

  /* Invalid keys are reported, but not shown. */
  options.secret_key = "hiddenSecret";
  ckpt_storage_release(storage);
  CHECK_S3_OK(ckpt_s3_storage_create(uri, &options, &storage));
  CHECK(ckpt_checkpoint_manager_create(storage, NULL, &manager) == CKPT_E_PERMISSION);
  CHECK(strstr(ckpt_last_error(), "SignatureDoesNotMatch") != NULL && strstr(ckpt_last_error(), "hiddenSecret") == NULL);
  printf("%s\n%d lines of the log\n", ckpt_last_error(), logged);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, NULL, NULL, NULL));

  ckpt_storage_release(storage);
  ckpt_storage_release(retrying);
  ckpt_fault_handler_release(handler);
  ckpt_state_release(state);
  ckpt_state_release(empty);
  ckpt_tensor_release(tensor);
  ckpt_tensor_release(other);
}

static void counts_upload(const char* path, int64_t age_ns, void* reported) {
  CHECK(strlen(path) > 0 && age_ns >= 0);
  ++*(int64_t*)reported;
}

/* A writer killed in the middle of a file leaves an upload: a recent one remains, an old one is removed. */
static void a_killed_writer_leaves_an_upload(void) {
  ckpt_s3_options options = CKPT_S3_OPTIONS_INIT;
  char uri[64];
  int64_t count = 0;
  int64_t reported = 0;
  int64_t left = 0;
  options.endpoint = getenv("CKPT_TEST_S3_ENDPOINT");
  options.access_key = getenv("CKPT_TEST_S3_ACCESS_KEY");
  options.secret_key = getenv("CKPT_TEST_S3_SECRET_KEY");
  options.part_bytes = 8388608;
  snprintf(uri, sizeof uri, "s3://%.30s/killed-%ld", getenv("CKPT_TEST_S3_BUCKET"), (long)getpid());
  while (left == 0) { /* an upload may be complete before the kill */
    const pid_t child = fork();
    CHECK(child >= 0);
    if (child == 0) {
      ckpt_storage* storage = NULL;
      ckpt_checkpoint_manager* manager = NULL;
      ckpt_save_options save = CKPT_SAVE_OPTIONS_INIT;
      ckpt_tensor* tensor = NULL;
      ckpt_state* state = new_state(3.0, &tensor);
      CHECK_S3_OK(ckpt_s3_storage_create(uri, &options, &storage));
      CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
      for (;;) CHECK_OK(ckpt_checkpoint_manager_save(manager, state, &save, NULL));
    }
    for (count = 0; count == 0;) CHECK_S3_OK(ckpt_s3_abort_uploads(uri, &options, 0, 1, NULL, NULL, &count));
    CHECK(kill(child, SIGKILL) == 0 && waitpid(child, NULL, 0) == child);
    CHECK_S3_OK(ckpt_s3_abort_uploads(uri, &options, 0, 1, counts_upload, &reported, &left));
    CHECK(reported == left);
    reported = 0;
  }
  CHECK_S3_OK(ckpt_s3_abort_uploads(uri, &options, INT64_C(3600000000000), 0, counts_upload, &reported, &count));
  CHECK(count == 0 && reported == 0);
  CHECK_S3_OK(ckpt_s3_abort_uploads(uri, &options, 0, 0, counts_upload, &reported, &count));
  CHECK(count == left && reported == left);
  CHECK_S3_OK(ckpt_s3_abort_uploads(uri, &options, 0, 1, NULL, NULL, &count));
  CHECK(count == 0);
}

int main(int argc, char** argv) {
  const char* const names[] = {"AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN",
                               "AWS_PROFILE",       "AWS_ENDPOINT_URL",      "AWS_ENDPOINT_URL_S3"};
  size_t i;
  alarm(HANG_SECONDS);
  for (i = 0; i < sizeof names / sizeof names[0]; ++i) CHECK(unsetenv(names[i]) == 0);
  CHECK(setenv("AWS_SHARED_CREDENTIALS_FILE", "/nonexistent", 1) == 0 && setenv("AWS_CONFIG_FILE", "/nonexistent", 1) == 0);
  CHECK(strcmp(ckpt_s3_last_error(), "") == 0);
  if (argc > 1 && strcmp(argv[1], "services") == 0) {
    a_killed_writer_leaves_an_upload(); /* first, because it forks */
    saves_and_loads();
    return 0;
  }
  options_have_defaults();
  bad_arguments_are_refused();
  uploads_are_listed();
  threads_that_resolve_run_no_handlers();
  the_scheme_is_known_when_it_is_registered();
  return 0;
}
