/* Preloaded into a program that writes a file: it stops itself (SIGSTOP) before the CKPT_STOP_AT-th call, counted from 1, that
 * could change the file system. Writes to descriptors 0 to 2 do not count. */
#define _GNU_SOURCE

#include <dlfcn.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

static atomic_int calls;

static void about_to_write(void) {
  const char* const stop_at = getenv("CKPT_STOP_AT");
  if (stop_at != NULL && atomic_fetch_add(&calls, 1) + 1 == atoi(stop_at)) raise(SIGSTOP);
}

static void* next(const char* name) {
  void* const found = dlsym(RTLD_NEXT, name);
  if (found == NULL) abort();
  return found;
}

/* Calls the real function of the same name and type with the same arguments. */
#define NEXT(name) (*__extension__(__typeof__(&name)) next(#name))

static int opens_to_write(int flags) { return (flags & (O_WRONLY | O_RDWR | O_CREAT | O_TRUNC)) != 0; }

#define OPEN(name)                                                    \
  int name(const char* path, int flags, ...) {                        \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    if (opens_to_write(flags)) about_to_write();                      \
    return NEXT(name)(path, flags, mode);                             \
  }
OPEN(open)
OPEN(open64)

#define OPENAT(name)                                                  \
  int name(int directory, const char* path, int flags, ...) {         \
    va_list more;                                                     \
    va_start(more, flags);                                            \
    const mode_t mode = (flags & O_CREAT) ? va_arg(more, mode_t) : 0; \
    va_end(more);                                                     \
    if (opens_to_write(flags)) about_to_write();                      \
    return NEXT(name)(directory, path, flags, mode);                  \
  }
OPENAT(openat)
OPENAT(openat64)

#define FOPEN(name)                                \
  FILE* name(const char* path, const char* mode) { \
    if (mode[0] != 'r') about_to_write();          \
    return NEXT(name)(path, mode);                 \
  }
FOPEN(fopen)
FOPEN(fopen64)

#define CALL(result, name, parameters, arguments, counts) \
  result name parameters {                                \
    if (counts) about_to_write();                         \
    return NEXT(name) arguments;                          \
  }
CALL(ssize_t, write, (int file, const void* bytes, size_t count), (file, bytes, count), file > 2)
CALL(ssize_t, writev, (int file, const struct iovec* parts, int count), (file, parts, count), file > 2)
CALL(ssize_t, pwrite, (int file, const void* bytes, size_t count, off_t at), (file, bytes, count, at), 1)
CALL(ssize_t, pwrite64, (int file, const void* bytes, size_t count, off64_t at), (file, bytes, count, at), 1)
CALL(size_t, fwrite, (const void* from, size_t size, size_t count, FILE* file), (from, size, count, file), fileno(file) > 2)
CALL(int, fclose, (FILE * file), (file), fileno(file) > 2)
CALL(int, fsync, (int file), (file), 1)
CALL(int, fdatasync, (int file), (file), 1)
CALL(int, ftruncate, (int file, off_t bytes), (file, bytes), 1)
CALL(int, ftruncate64, (int file, off64_t bytes), (file, bytes), 1)
CALL(int, fallocate, (int file, int mode, off_t at, off_t bytes), (file, mode, at, bytes), 1)
CALL(int, fallocate64, (int file, int mode, off64_t at, off64_t bytes), (file, mode, at, bytes), 1)
CALL(int, flock, (int file, int how), (file, how), 1)
CALL(int, fchmod, (int file, mode_t mode), (file, mode), 1)
CALL(int, chmod, (const char* path, mode_t mode), (path, mode), 1)
CALL(int, mkdir, (const char* path, mode_t mode), (path, mode), 1)
CALL(int, mkdirat, (int directory, const char* path, mode_t mode), (directory, path, mode), 1)
CALL(int, mkstemp, (char* name), (name), 1)
CALL(int, mkostemp, (char* name, int flags), (name, flags), 1)
CALL(int, rename, (const char* from, const char* to), (from, to), 1)
CALL(int, renameat, (int in, const char* from, int into, const char* to), (in, from, into, to), 1)
CALL(int, renameat2, (int in, const char* from, int into, const char* to, unsigned flags), (in, from, into, to, flags), 1)
CALL(int, linkat, (int in, const char* from, int into, const char* to, int flags), (in, from, into, to, flags), 1)
CALL(int, remove, (const char* path), (path), 1)
CALL(int, unlink, (const char* path), (path), 1)
CALL(int, unlinkat, (int directory, const char* path, int flags), (directory, path, flags), 1)
