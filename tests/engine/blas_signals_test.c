/* The threads that OpenBLAS starts while the library loads it run none of the program's signal handlers. */
#define _POSIX_C_SOURCE 200809L

#include <dirent.h>
#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include "check.h"

/* Returns the signals that a thread of this process blocks: bit n - 1 for signal n. */
static unsigned long long blocked_in(const char* thread) {
  char path[64];
  char line[256];
  unsigned long long blocked = 0;
  int found = 0;
  FILE* file;
  snprintf(path, sizeof path, "/proc/self/task/%.20s/status", thread);
  file = fopen(path, "r");
  CHECK(file != NULL);
  while (!found && fgets(line, sizeof line, file) != NULL) found = sscanf(line, "SigBlk: %llx", &blocked) == 1;
  fclose(file);
  CHECK(found);
  return blocked;
}

/* Checks every thread but the first one. Returns their number. */
static int check_threads(void) {
  static const int signals[] = {SIGTERM, SIGINT, SIGHUP, SIGUSR1, SIGCHLD};
  DIR* const threads = opendir("/proc/self/task");
  const struct dirent* entry;
  int count = 0;
  CHECK(threads != NULL);
  while ((entry = readdir(threads)) != NULL) {
    unsigned long long blocked;
    size_t i;
    if (entry->d_name[0] == '.' || atol(entry->d_name) == (long)getpid()) continue;
    /* A thread that starts blocks all signals for a moment. Afterwards those that it causes itself are not blocked. */
    for (blocked = ~0ULL; (blocked >> (SIGSEGV - 1) & 1) == 1;) blocked = blocked_in(entry->d_name);
    for (i = 0; i < sizeof signals / sizeof *signals; ++i) CHECK((blocked >> (signals[i] - 1) & 1) == 1);
    ++count;
  }
  closedir(threads);
  return count;
}

int main(void) {
  char text[256];
  int64_t needed = 0;
  int started = 0;
  sigset_t mask;
  alarm(HANG_SECONDS);
  CHECK(setenv("OPENBLAS_NUM_THREADS", "2", 1) == 0);
  CHECK(check_threads() == 0);
  CHECK_OK(ckpt_blas_get_info(text, sizeof text, &needed));
  started = check_threads();
  if (started == 0) printf("skipped: %s has started no thread\n", text);
  CHECK(pthread_sigmask(SIG_BLOCK, NULL, &mask) == 0);
  CHECK(sigismember(&mask, SIGTERM) == 0); /* the caller's mask is restored */
  return 0;
}
