/* Threads of the library never run a program's signal handlers; signals that a thread raises itself, and those with which runtimes
 * suspend threads, remain unblocked. */
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <unistd.h>

#include "check.h"

static const int program_signals[] = {SIGHUP,  SIGINT,  SIGQUIT,  SIGTERM, SIGUSR1, SIGUSR2,
                                      SIGALRM, SIGCHLD, SIGWINCH, SIGPIPE, SIGIO,   SIGTSTP};
static const int thread_signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGTRAP, SIGPROF, SIGPWR, SIGXCPU};

static atomic_int threads;

static void check_mask(const char* name, void* user_data) {
  sigset_t mask;
  size_t i;
  (void)name;
  (void)user_data;
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  for (i = 0; i < sizeof program_signals / sizeof *program_signals; ++i) CHECK(sigismember(&mask, program_signals[i]) == 1);
  for (i = 0; i < sizeof thread_signals / sizeof *thread_signals; ++i) CHECK(sigismember(&mask, thread_signals[i]) == 0);
  CHECK(sigismember(&mask, SIGRTMIN) == 0 && sigismember(&mask, SIGRTMAX) == 0);
  atomic_fetch_add(&threads, 1);
}

static atomic_int handled;
static pthread_t main_thread;

static void* started_thread;

static void run_alone(void* user_data) {
  char name[32] = "";
  CHECK(pthread_getname_np(pthread_self(), name, sizeof name) == 0 && strcmp(name, "plug-in's threa") == 0);
  CHECK(!pthread_equal(pthread_self(), main_thread));
  started_thread = user_data;
}

static pthread_t destroying_thread;

static void destroy_alone(void* user_data) {
  CHECK(user_data == started_thread);
  destroying_thread = pthread_self();
}

static void handle(int signal) {
  (void)signal;
  if (!pthread_equal(pthread_self(), main_thread)) _exit(3);
  atomic_fetch_add(&handled, 1);
}

/* Sends signals while all threads of the library work. */
static int32_t send_signal(int64_t part, void* user_data) {
  (void)user_data;
  CHECK(kill(getpid(), program_signals[(size_t)part % (sizeof program_signals / sizeof *program_signals)]) == 0);
  return 0;
}

int main(void) {
  struct sigaction action;
  sigset_t before;
  sigset_t after;
  int64_t hooks = 0;
  ckpt_worker_pool* pool = NULL;
  size_t i;
  main_thread = pthread_self();
  memset(&action, 0, sizeof action);
  action.sa_handler = handle;
  for (i = 0; i < sizeof program_signals / sizeof *program_signals; ++i) CHECK(sigaction(program_signals[i], &action, NULL) == 0);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &before) == 0);
  CHECK_OK(ckpt_add_thread_hooks(check_mask, NULL, NULL, NULL, &hooks));
  CHECK_OK(ckpt_worker_pool_create(4, &pool));
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &after) == 0);
  for (i = 1; i < 32; ++i) CHECK(sigismember(&before, (int)i) == sigismember(&after, (int)i)); /* the caller's mask is unchanged */
  CHECK_OK(ckpt_worker_pool_run(pool, 2000, send_signal, NULL));
  CHECK(atomic_load(&handled) > 0);
  ckpt_worker_pool_release(pool);
  CHECK_OK(ckpt_start_thread("plug-in's thread", run_alone, &pool, destroy_alone));
  CHECK_OK(ckpt_remove_thread_hooks(hooks)); /* waits for the end of every thread */
  CHECK(started_thread == &pool && destroying_thread != 0 && !pthread_equal(destroying_thread, main_thread));
  CHECK(atomic_load(&threads) == 4); /* the caller is one of the pool's four */
  return 0;
}
