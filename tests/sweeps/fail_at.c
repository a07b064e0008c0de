/* A preload library that makes allocations fail after main has begun. CKPT_FAIL_AT=N: allocation N fails, counted from 1;
 * CKPT_FAIL_AT=N+: allocation N and all later ones fail. CKPT_FAIL_COUNT=FILE: the number of allocations is written to FILE after
 * main has returned. Allocations of libgfortran, which OpenBLAS loads, do not fail, because its constructor recurses without end
 * when an allocation fails. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* glibc's internal names. dlsym("malloc") does not work here, because glibc's dlsym allocates. */
extern void* __libc_malloc(size_t bytes);
extern void* __libc_calloc(size_t count, size_t bytes);
extern void* __libc_realloc(void* memory, size_t bytes);
extern void* __libc_memalign(size_t alignment, size_t bytes);

static long fail_at;
static int fails_from_there_on;
static atomic_int is_counting;
static atomic_long calls;

static int is_of_libgfortran(const void* caller) {
  Dl_info object;
  return dladdr(caller, &object) != 0 && object.dli_fname != NULL && strstr(object.dli_fname, "libgfortran") != NULL;
}

static int fails(const void* caller) {
  long number;
  if (!atomic_load_explicit(&is_counting, memory_order_relaxed)) return 0;
  number = atomic_fetch_add_explicit(&calls, 1, memory_order_relaxed) + 1;
  if (fail_at == 0 || (fails_from_there_on ? number < fail_at : number != fail_at)) return 0;
  if (is_of_libgfortran(caller)) return 0;
  errno = ENOMEM;
  return 1;
}

#define CALLER __builtin_return_address(0)
void* malloc(size_t bytes) { return fails(CALLER) ? NULL : __libc_malloc(bytes); }
void* calloc(size_t count, size_t bytes) { return fails(CALLER) ? NULL : __libc_calloc(count, bytes); }
void* realloc(void* memory, size_t bytes) { return fails(CALLER) ? NULL : __libc_realloc(memory, bytes); }
void* memalign(size_t alignment, size_t bytes) { return fails(CALLER) ? NULL : __libc_memalign(alignment, bytes); }
void* aligned_alloc(size_t alignment, size_t bytes) { return fails(CALLER) ? NULL : __libc_memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  void* const created = fails(CALLER) ? NULL : __libc_memalign(alignment, bytes);
  if (created == NULL) return ENOMEM;
  *memory = created;
  return 0;
}

typedef int (*main_function)(int, char**, char**);
static main_function program;

static int counted(int argc, char** argv, char** environment) {
  const char* const wanted = getenv("CKPT_FAIL_AT");
  const char* const file = getenv("CKPT_FAIL_COUNT");
  char* end = NULL;
  int result;
  if (wanted != NULL) {
    fail_at = strtol(wanted, &end, 10);
    fails_from_there_on = *end == '+';
  }
  unsetenv("LD_PRELOAD"); /* allocations of child programs do not fail */
  atomic_store(&is_counting, 1);
  result = program(argc, argv, environment);
  if (file != NULL) {
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld", atomic_load(&calls));
    const int out = open(file, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (out < 0 || write(out, text, (size_t)length) != length) _exit(99);
    close(out);
  }
  return result;
}

/* glibc's entry point, which calls main. */
int __libc_start_main(main_function to_run, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void* stack_end);
int __libc_start_main(main_function to_run, int argc, char** argv, void (*init)(void), void (*fini)(void), void (*rtld_fini)(void),
                      void* stack_end) {
  const __typeof__(&__libc_start_main) start =
      *__extension__(__typeof__(&__libc_start_main)*) & (void*){dlsym(RTLD_NEXT, "__libc_start_main")};
  program = to_run;
  return start(counted, argc, argv, init, fini, rtld_fini, stack_end);
}
