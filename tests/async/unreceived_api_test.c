/* Through the C API from C99: failures of background tasks that no caller receives. Each scenario runs in a separate process.
 * Checks of standard error (a terminal, a pipe, a file), the log, the exit status, and the result of the next save of the storage.
 *
 * The program runs itself: "PROGRAM SCENARIO" is a process that loses failures. */
#define _XOPEN_SOURCE 700

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>

#include "api.h"

static run it;

/* ---- The processes that lose failures ---- */

static int32_t no_device(const char* group, const char* name, const void* data, int64_t offset, int64_t bytes, void* buffer,
                         void* user_data) {
  (void)group, (void)name, (void)data, (void)offset, (void)bytes, (void)buffer, (void)user_data;
  ckpt_callback_error("no\x1b[31m device\nhere");
  return 1;
}

static ckpt_async_manager* new_manager(const ckpt_async_manager_options* options) {
  ckpt_async_manager* manager = NULL;
  CHECK_OK(ckpt_async_manager_create(it.checkpoint, options, &manager));
  return manager;
}

/* Starts saves of steps first, first + 1, ... that fail when a worker writes them: by then the caller has removed the directory. */
static void fail_saves(ckpt_async_manager* manager, int64_t first, int count) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.has_gate_step = 1; /* without the gate, the next save could report an earlier failure */
  task.gate_step = 1000000;
  for (int i = 0; i < count; ++i) (void)save_step(manager, it.state, first + i, &task);
}

static void remove_root(void) {
  char command[sizeof it.root + 16];
  snprintf(command, sizeof command, "rm -r %s", it.root);
  CHECK(system(command) == 0);
}

static void make_root(void) { CHECK(mkdir(it.root, 0700) == 0); }

/* Removes the directory, and releases a manager before any caller has received the failures of its count saves. */
static void lose(int64_t first, int count) {
  ckpt_async_manager* const manager = new_manager(NULL);
  fail_saves(manager, first, count);
  remove_root();
  ckpt_async_manager_release(manager);
}

/* Starts a save that fails while it is copied. */
static void fail_copy(ckpt_async_manager* manager, int64_t step) {
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  task.mode = CKPT_STAGING_MODE_DEFERRED;
  task.source = no_device;
  (void)save_step(manager, it.state, step, &task);
}

static void lose_copy(int64_t step) {
  ckpt_async_manager* const manager = new_manager(NULL);
  fail_copy(manager, step);
  ckpt_async_manager_release(manager);
}

static void lost(void) { lose(7, 1); }

static void three(void) { lose(7, 3); }

static void two_managers(void) {
  lose_copy(7);
  lose_copy(8);
}

/* The error message of a callback may contain any bytes. */
static void hostile_text(void) { lose_copy(7); }

static void seen(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  fail_saves(manager, 7, 1);
  remove_root();
  CHECK_OK(ckpt_async_manager_wait(manager, 1, -1, &result));
  CHECK(result.state == CKPT_CHECKPOINT_TASK_STATE_FAILED);
  ckpt_async_manager_release(manager);
}

static void closed(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  fail_saves(manager, 7, 1);
  remove_root();
  CHECK(ckpt_async_manager_close(manager, CKPT_CLOSE_MODE_DRAIN, -1) != CKPT_OK);
  ckpt_async_manager_release(manager);
}

static void complete(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  (void)save_step(manager, it.state, 1, NULL);
  ckpt_async_manager_release(manager);
}

/* Prints a log record to standard output. */
static void print_record(int32_t level, const char* component, const char* message, void* user_data) {
  printf("%s%d %s %s\n", (const char*)user_data, (int)level, component, message);
  fflush(stdout);
}

static void with_log(void) {
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, print_record, "", NULL));
  lose(7, 2);
}

static void log_was_unset(void) {
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, print_record, "", NULL));
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, NULL, NULL, NULL));
  lose(7, 1);
}

/* Unsetting a log that was never set has no effect: the failure is printed. */
static void log_never_set(void) {
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, NULL, NULL, NULL));
  lose(7, 1);
}

static void fallback(void) {
  CHECK_OK(ckpt_set_fallback_log(print_record, "fallback ", NULL));
  lose_copy(7);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, print_record, "", NULL));
  lose_copy(8);
}

static void fallback_was_unset(void) {
  CHECK_OK(ckpt_set_fallback_log(print_record, "fallback ", NULL));
  CHECK_OK(ckpt_set_fallback_log(NULL, NULL, NULL));
  lose(7, 1);
}

/* The manager is released inside a log callback: its record is delivered after the callback has returned. */
static ckpt_async_manager* released_inside;
static void release_inside(int32_t level, const char* component, const char* message, void* user_data) {
  print_record(level, component, message, user_data);
  ckpt_async_manager_release(released_inside);
  released_inside = NULL;
}

static void inside_log(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  released_inside = new_manager(NULL);
  fail_copy(released_inside, 7);
  CHECK_OK(ckpt_async_manager_wait(released_inside, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, release_inside, "", NULL));
  fail_copy(manager, 8);
  CHECK_OK(ckpt_async_manager_wait(manager, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, print_record, "", NULL));
  ckpt_async_manager_release(manager);
}

/* The manager is released inside one of its callbacks: its threads report the failure. */
static event gone = EVENT_INIT;
static ckpt_async_manager* detached;
static void release_it(const ckpt_checkpoint_task_result* result, void* user_data) {
  (void)result, (void)user_data;
  ckpt_async_manager_release(detached);
}
static void note_destroyed(void* user_data) {
  (void)user_data;
  raise_event(&gone);
}

static void inside_callback(void) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_checkpoint_task_callbacks callbacks = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
  ckpt_checkpoint_task_options task = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
  callbacks.ended = release_it;
  options.callbacks = &callbacks;
  options.destroy = note_destroyed;
  detached = new_manager(&options);
  task.has_gate_step = 1;
  task.gate_step = 5;
  (void)save_step(detached, it.state, 7, &task);
  remove_root();
  CHECK_OK(ckpt_async_manager_end_step(detached, 5));
  await_event(&gone, 1); /* destroy runs after the report */
}

/* Releases a manager that drains too slowly: the release cancels its saves. */
static void drain_for(int64_t timeout_ns) {
  ckpt_async_manager_options options = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
  ckpt_async_manager* manager = NULL;
  options.bytes_per_second = 1;
  options.drain_timeout_ns = timeout_ns;
  manager = new_manager(&options);
  (void)save_step(manager, it.state, 7, NULL);
  (void)save_step(manager, it.state, 8, NULL);
  ckpt_async_manager_release(manager);
}

static void late(void) { drain_for(1); }

/* A timeout of 0 requests the cancellation. */
static void cancels(void) { drain_for(0); }

/* Close returns the failure, and release reports it as well. */
static void closed_unreported(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  fail_saves(manager, 7, 1);
  remove_root();
  CHECK_FAILS(ckpt_async_manager_close(manager, CKPT_CLOSE_MODE_DRAIN_UNREPORTED, -1), CKPT_E_INVALID_STATE,
              "task 1 (save of step 7)");
  ckpt_async_manager_release(manager);
}

/* The child reports nothing; its parent reports the failure once. */
static void forks(void) {
  ckpt_async_manager* const manager = new_manager(NULL);
  int status = 0;
  pid_t child = 0;
  fail_saves(manager, 7, 1);
  remove_root();
  CHECK_OK(ckpt_async_manager_wait(manager, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    ckpt_async_manager_release(manager);
    _exit(0);
  }
  CHECK(waitpid(child, &status, 0) == child && status == 0);
  ckpt_async_manager_release(manager);
}

/* ---- The next save of the storage ---- */

static ckpt_checkpoint_manager* open_root(void) {
  ckpt_storage* storage = NULL;
  ckpt_checkpoint_manager* manager = NULL;
  CHECK_OK(ckpt_storage_create_file_system(it.root, NULL, &storage));
  CHECK_OK(ckpt_checkpoint_manager_create(storage, NULL, &manager));
  ckpt_storage_release(storage);
  return manager;
}

static void next_result(void) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  ckpt_checkpoint_task_result ended = CKPT_CHECKPOINT_TASK_RESULT_INIT;
  ckpt_async_manager_stats stats = CKPT_ASYNC_MANAGER_STATS_INIT;
  ckpt_checkpoint_manager* elsewhere = NULL;
  ckpt_storage* memory = NULL;
  ckpt_async_manager* manager = new_manager(NULL);
  CHECK_OK(ckpt_set_log(CKPT_LOG_LEVEL_ERROR, print_record, "", NULL));
  fail_saves(manager, 7, 2);
  remove_root();
  CHECK_OK(ckpt_async_manager_wait(manager, CKPT_CHECKPOINT_TASK_ALL, -1, NULL));
  CHECK_OK(ckpt_async_manager_get_stats(manager, &stats));
  CHECK(stats.unreported_failures == 2 && stats.unreported_status == CKPT_E_INVALID_STATE);
  CHECK(strstr(stats.unreported_error, "task 1 (save of step 7) failed: ") == stats.unreported_error);
  ckpt_async_manager_release(manager);
  ckpt_checkpoint_manager_release(it.checkpoint);

  /* A save to another storage reports no failure. */
  CHECK_OK(ckpt_storage_create_memory(&memory));
  CHECK_OK(ckpt_checkpoint_manager_create(memory, NULL, &elsewhere));
  CHECK_OK(ckpt_checkpoint_manager_save(elsewhere, it.state, NULL, &saved));
  CHECK(saved.unreported_failures == 0 && saved.unreported_status == CKPT_OK && saved.unreported_error[0] == '\0');
  ckpt_checkpoint_manager_release(elsewhere);
  ckpt_storage_release(memory);

  /* The directory is created again, with a new inode. */
  make_root();
  it.checkpoint = open_root();
  options.step = 8;
  CHECK_OK(ckpt_checkpoint_manager_save(it.checkpoint, it.state, &options, &saved));
  CHECK(saved.unreported_failures == 2 && saved.unreported_status == CKPT_E_INVALID_STATE);
  CHECK(strstr(saved.unreported_error, "task 1 (save of step 7) failed: ") == saved.unreported_error);
  options.step = 9;
  CHECK_OK(ckpt_checkpoint_manager_save(it.checkpoint, it.state, &options, &saved));
  CHECK(saved.unreported_failures == 0 && saved.unreported_status == CKPT_OK && saved.unreported_error[0] == '\0');

  /* The same with a background save. */
  lose(10, 1);
  ckpt_checkpoint_manager_release(it.checkpoint);
  make_root();
  it.checkpoint = open_root();
  manager = new_manager(NULL);
  (void)save_step(manager, it.state, 11, NULL);
  CHECK_OK(ckpt_async_manager_wait(manager, 1, -1, &ended));
  CHECK(ended.state == CKPT_CHECKPOINT_TASK_STATE_COMPLETED);
  CHECK(ended.unreported_failures == 1 && ended.unreported_status == CKPT_E_INVALID_STATE);
  CHECK(strstr(ended.unreported_error, "task 1 (save of step 10) failed: ") == ended.unreported_error);
  CHECK_OK(ckpt_async_manager_get_save_result(manager, 1, &saved));
  CHECK(saved.unreported_failures == 1 && strcmp(saved.unreported_error, ended.unreported_error) == 0);
  ckpt_async_manager_release(manager);
}

static const struct scenario {
  const char* name;
  void (*run)(void);
} scenarios[] = {{"lost", lost},
                 {"three", three},
                 {"two-managers", two_managers},
                 {"hostile-text", hostile_text},
                 {"seen", seen},
                 {"closed", closed},
                 {"complete", complete},
                 {"with-log", with_log},
                 {"log-was-unset", log_was_unset},
                 {"log-never-set", log_never_set},
                 {"fallback", fallback},
                 {"fallback-was-unset", fallback_was_unset},
                 {"inside-log", inside_log},
                 {"inside-callback", inside_callback},
                 {"late", late},
                 {"cancels", cancels},
                 {"closed-unreported", closed_unreported},
                 {"forks", forks},
                 {"next-result", next_result}};

static int run_scenario(const char* name) {
  char command[sizeof it.root + 16];
  for (size_t i = 0; i < sizeof scenarios / sizeof *scenarios; ++i) {
    if (strcmp(scenarios[i].name, name) != 0) continue;
    /* A rate limit does not delay the first 4 MiB. */
    begin_run(&it, strcmp(name, "late") == 0 || strcmp(name, "cancels") == 0 ? 64 << 20 : 16);
    scenarios[i].run();
    ckpt_state_release(it.state);
    ckpt_checkpoint_manager_release(it.checkpoint);
    snprintf(command, sizeof command, "rm -rf %s", it.root);
    return system(command) == 0 ? 0 : 3;
  }
  return 2;
}

/* ---- Outputs of the scenarios ---- */

enum { TEXT = 16384 };

typedef struct outcome {
  int status; /* of the process, from waitpid */
  char out[TEXT];
  char err[TEXT];
} outcome;

static void read_all(int from, char* text) {
  size_t size = 0;
  for (;;) {
    const ssize_t count = read(from, text + size, TEXT - 1 - size);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) break; /* the host end of a terminal reports EIO after the other end is closed */
    size += (size_t)count;
  }
  text[size] = '\0';
  close(from);
}

/* Runs a scenario with err as its standard error (-1: closed). setting: the value of CKPT_LOG; NULL: unset. */
static void run_with(const char* scenario, int err, const char* setting, outcome* found) {
  int out[2];
  pid_t child = 0;
  CHECK(pipe(out) == 0);
  child = fork();
  CHECK(child >= 0);
  if (child == 0) {
    dup2(out[1], 1);
    close(out[0]);
    close(out[1]);
    if (err < 0) {
      close(2);
    } else {
      dup2(err, 2);
      if (err > 2) close(err);
    }
    if (setting != NULL) setenv("CKPT_LOG", setting, 1);
    if (setting == NULL) unsetenv("CKPT_LOG");
    execl("/proc/self/exe", "unreceived", scenario, (char*)NULL);
    _exit(126);
  }
  close(out[1]);
  if (err > 2) close(err);
  read_all(out[0], found->out);
  CHECK(waitpid(child, &found->status, 0) == child);
}

static int count_of(const char* text, const char* part) {
  int count = 0;
  for (const char* at = strstr(text, part); at != NULL; at = strstr(at + 1, part)) ++count;
  return count;
}

static outcome run_piped(const char* scenario, const char* setting) {
  outcome found;
  int err[2];
  CHECK(pipe(err) == 0);
  CHECK(fcntl(err[0], F_SETFD, FD_CLOEXEC) == 0);
  run_with(scenario, err[1], setting, &found); /* the output fits into the pipe's buffer */
  read_all(err[0], found.err);
  return found;
}

static outcome run_in_file(const char* scenario, int flags, const char* setting) {
  outcome found;
  char path[] = "/tmp/ckpt-unreceived-XXXXXX";
  int file = mkstemp(path);
  CHECK(file >= 0);
  CHECK(write(file, "before\n", 7) == 7);
  close(file);
  file = open(path, O_WRONLY | flags);
  CHECK(file >= 0);
  run_with(scenario, file, setting, &found);
  file = open(path, O_RDONLY);
  CHECK(file >= 0);
  read_all(file, found.err);
  CHECK(unlink(path) == 0);
  return found;
}

static outcome run_in_terminal(const char* scenario) {
  outcome found;
  int terminal = -1;
  const int host = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
  CHECK(host >= 0 && grantpt(host) == 0 && unlockpt(host) == 0);
  terminal = open(ptsname(host), O_RDWR | O_NOCTTY);
  CHECK(terminal >= 0);
  run_with(scenario, terminal, NULL, &found);
  read_all(host, found.err);
  return found;
}

static int show(const outcome* found, const char* what) {
  fprintf(stderr, "%s: status %d, standard output:\n%s\nstandard error:\n%s\n", what, found->status, found->out, found->err);
  return 0;
}
#define EXPECT(found, condition) CHECK((condition) || show(&(found), #condition))

static const char one_line[] = "ckpt: async: no caller has seen this failure: task 1 (save of step 7) failed: ";

/* Checks that the process succeeded and that standard error holds exactly one line, which contains end. */
static void expect_line(const outcome* found, const char* end) {
  EXPECT(*found, found->status == 0);
  EXPECT(*found, strncmp(found->err, one_line, strlen(one_line)) == 0);
  EXPECT(*found, count_of(found->err, "\n") == 1 && strstr(found->err, end) != NULL);
}

static void lines_on_standard_error(void) {
  outcome found = run_piped("lost", NULL);
  expect_line(&found, "\n");
  EXPECT(found, found.out[0] == '\0');
  found = run_in_terminal("lost");
  expect_line(&found, "\r\n");
  found = run_in_file("lost", O_APPEND, NULL);
  EXPECT(found, found.status == 0 && strncmp(found.err, "before\nckpt: async: ", 20) == 0 && count_of(found.err, "\n") == 2);
  found = run_piped("three", NULL);
  expect_line(&found, "; 2 more failures\n");
  found = run_piped("two-managers", NULL);
  EXPECT(found, found.status == 0 && count_of(found.err, "ckpt: async: ") == 2 && count_of(found.err, "\n") == 2);
  found = run_piped("log-never-set", NULL);
  expect_line(&found, "\n");
  found = run_piped("fallback-was-unset", NULL);
  expect_line(&found, "\n");
  found = run_piped("inside-callback", NULL);
  expect_line(&found, "\n");
  found = run_piped("forks", NULL);
  expect_line(&found, "\n");
  found = run_piped("hostile-text", NULL);
  EXPECT(found, found.status == 0 && strstr(found.err, "[31m device here") != NULL && strchr(found.err, 0x1b) == NULL);
  EXPECT(found, count_of(found.err, "\n") == 1);
  found = run_piped("closed-unreported", NULL);
  expect_line(&found, "\n");
  found = run_piped("late", NULL);
  EXPECT(found, found.status == 0 && count_of(found.err, "\n") == 1);
  EXPECT(found, strstr(found.err, "2 tasks were cancelled at the release: not ended within 1 ns\n") != NULL);
}

/* Descriptor 2 may be closed, or a file or socket of the program: nothing is printed. */
static void other_descriptors(void) {
  outcome found = run_in_file("lost", 0, NULL);
  int ends[2];
  EXPECT(found, found.status == 0 && strcmp(found.err, "before\n") == 0);
  run_with("lost", -1, NULL, &found);
  CHECK(found.status == 0);
  CHECK(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
  CHECK(fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0);
  run_with("lost", ends[1], NULL, &found);
  read_all(ends[0], found.err);
  EXPECT(found, found.status == 0 && found.err[0] == '\0');
}

static void setting_of_environment(void) {
  outcome found = run_piped("lost", "off");
  EXPECT(found, found.status == 0 && found.err[0] == '\0');
  found = run_piped("fallback", "off");
  EXPECT(found, found.status == 0 && found.err[0] == '\0' && count_of(found.out, "fallback") == 0);
  found = run_piped("lost", "stderr");
  expect_line(&found, "\n");
  found = run_in_file("lost", 0, "stderr");
  EXPECT(found, found.status == 0 && strstr(found.err, "ckpt: async: ") != NULL);
  found = run_piped("fallback", "stderr");
  EXPECT(found, found.status == 0 && count_of(found.out, "fallback") == 0 && count_of(found.err, "ckpt: async: ") == 2);
  found = run_piped("lost", "no such value");
  expect_line(&found, "\n");
}

/* A caller or the log has received the failure: nothing is printed. */
static void received(void) {
  static const char record[] = "3 async no caller has seen this failure: task ";
  static const char* const silent[] = {"seen",          "closed",   "complete",   "cancels",    "with-log",
                                       "log-was-unset", "fallback", "inside-log", "next-result"};
  for (size_t i = 0; i < sizeof silent / sizeof *silent; ++i) {
    const outcome found = run_piped(silent[i], NULL);
    EXPECT(found, found.status == 0 && found.err[0] == '\0');
    if (strcmp(silent[i], "with-log") == 0) EXPECT(found, count_of(found.out, record) == 2);
    if (strcmp(silent[i], "log-was-unset") == 0) EXPECT(found, found.out[0] == '\0');
    if (strcmp(silent[i], "fallback") == 0) {
      EXPECT(found, count_of(found.out, "fallback 3 async no caller has seen this failure: task 1 (save of step 7) failed: ") == 1);
      EXPECT(found, count_of(found.out, "fallback") == 1 && count_of(found.out, record) == 2);
    }
    if (strcmp(silent[i], "inside-log") == 0) {
      EXPECT(found, count_of(found.out, record) == 2 && strstr(found.out, "(save of step 7)") != NULL);
    }
  }
}

/* A pipe without a reader, and a full pipe that no reader empties. */
static void pipes_that_take_nothing(void) {
  outcome found;
  int ends[2];
  char filler[4096];
  CHECK(pipe(ends) == 0);
  close(ends[0]);
  run_with("lost", ends[1], NULL, &found);
  CHECK(WIFEXITED(found.status) && WEXITSTATUS(found.status) == 0);

  CHECK(pipe(ends) == 0);
  memset(filler, '-', sizeof filler);
  CHECK(fcntl(ends[0], F_SETFD, FD_CLOEXEC) == 0 && fcntl(ends[1], F_SETFL, O_NONBLOCK) == 0);
  while (write(ends[1], filler, sizeof filler) > 0) {
  }
  CHECK(fcntl(ends[1], F_SETFL, 0) == 0);
  run_with("lost", ends[1], NULL, &found);
  CHECK(WIFEXITED(found.status) && WEXITSTATUS(found.status) == 0);
  close(ends[0]);
}

int main(int count, char** arguments) {
  alarm(HANG_SECONDS);
  signal(SIGPIPE, SIG_DFL);
  if (count == 2) return run_scenario(arguments[1]);
  lines_on_standard_error();
  other_descriptors();
  setting_of_environment();
  received();
  pipes_that_take_nothing();
  return 0;
}
