/* watched_storage.h - a custom storage over a directory. A test is called before every operation, and may do something else or make
 * the operation fail. */
#ifndef CKPT_TESTS_WATCHED_STORAGE_H
#define CKPT_TESTS_WATCHED_STORAGE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "numbered.h"

typedef struct watched {
  char root[128];
  int32_t (*before)(const char* operation, const char* path, void* data); /* CKPT_OK, or the status to fail with; may be NULL */
  void* data;
} watched;

static int32_t watched_status(int result) {
  if (result >= 0) return CKPT_OK;
  switch (errno) {
    case ENOENT: return CKPT_E_NOT_FOUND;
    case EEXIST:
    case ENOTEMPTY: return CKPT_E_ALREADY_EXISTS;
    case ENOTDIR:
    case EISDIR: return CKPT_E_INVALID_ARGUMENT;
    default: return CKPT_E_IO;
  }
}

static int32_t watched_call(watched* w, const char* operation, const char* path) {
  return w->before == NULL ? CKPT_OK : w->before(operation, path, w->data);
}

static const char* watched_path(char (*buffer)[512], const watched* w, const char* path) {
  snprintf(*buffer, sizeof *buffer, "%s/%s", w->root, path);
  return *buffer;
}

static int32_t watched_open_with(watched* w, const char* operation, const char* path, int flags, void** file) {
  char full[512];
  const int32_t code = watched_call(w, operation, path);
  if (code != CKPT_OK) return code;
  const int number = open(watched_path(&full, w, path), flags | O_CLOEXEC, 0666);
  if (number >= 0) *file = (void*)(intptr_t)(number + 1);
  return watched_status(number);
}
static int32_t watched_create(const char* path, void** file, void* user) {
  return watched_open_with(user, "create", path, O_RDWR | O_CREAT | O_EXCL, file);
}
static int32_t watched_open(const char* path, void** file, void* user) {
  return watched_open_with(user, "open", path, O_RDONLY, file);
}
static void watched_close(void* file, void* user) {
  (void)user;
  close((int)(intptr_t)file - 1);
}
static int32_t watched_file_size(void* file, int64_t* bytes, void* user) {
  struct stat status;
  const int result = fstat((int)(intptr_t)file - 1, &status);
  (void)user;
  if (result == 0) *bytes = status.st_size;
  return watched_status(result);
}
static int32_t watched_read(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* count, void* user) {
  const int32_t code = watched_call(user, "read", "");
  if (code != CKPT_OK) return code;
  *count = pread((int)(intptr_t)file - 1, buffer, (size_t)bytes, offset);
  return watched_status((int)(*count < 0 ? -1 : 0));
}
static int32_t watched_write(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user) {
  const int32_t code = watched_call(user, "write", "");
  if (code != CKPT_OK) return code;
  return pwrite((int)(intptr_t)file - 1, buffer, (size_t)bytes, offset) == bytes ? CKPT_OK : CKPT_E_IO;
}
static int32_t watched_sync(void* file, void* user) {
  (void)file;
  return watched_call(user, "sync", "");
}
static int32_t watched_rename(const char* from, const char* to, void* user) {
  char source[512];
  char target[512];
  const int32_t code = watched_call(user, "rename", from);
  if (code != CKPT_OK) return code;
  return watched_status(rename(watched_path(&source, user, from), watched_path(&target, user, to)));
}
static int32_t watched_remove(const char* path, void* user) {
  char full[512];
  const int32_t code = watched_call(user, "remove", path);
  return code != CKPT_OK ? code : watched_status(unlink(watched_path(&full, user, path)));
}
static int32_t watched_remove_directory(const char* path, void* user) {
  char full[512];
  const int32_t code = watched_call(user, "remove_directory", path);
  return code != CKPT_OK ? code : watched_status(rmdir(watched_path(&full, user, path)));
}
static int32_t watched_make_directory(const char* path, void* user) {
  char full[512];
  const int32_t code = watched_call(user, "make_directory", path);
  return code != CKPT_OK ? code : watched_status(mkdir(watched_path(&full, user, path), 0777));
}
static int32_t watched_sync_directory(const char* path, void* user) { return watched_call(user, "sync_directory", path); }
static int32_t watched_list(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user) {
  char full[512];
  int32_t code = watched_call(user, "list", path);
  if (code != CKPT_OK) return code;
  DIR* directory = opendir(watched_path(&full, user, path));
  if (directory == NULL) return watched_status(-1);
  for (struct dirent* found = readdir(directory); found != NULL && code == CKPT_OK; found = readdir(directory)) {
    char name[1024];
    struct stat status;
    if (strcmp(found->d_name, ".") == 0 || strcmp(found->d_name, "..") == 0) continue;
    snprintf(name, sizeof name, "%s/%s", full, found->d_name);
    if (stat(name, &status) == 0) code = entry(listing, found->d_name, S_ISDIR(status.st_mode) ? 1 : 0);
  }
  closedir(directory);
  return code;
}
static int32_t watched_size(const char* path, int64_t* bytes, void* user) {
  char full[512];
  struct stat status;
  const int32_t code = watched_call(user, "size", path);
  if (code != CKPT_OK) return code;
  const int result = stat(watched_path(&full, user, path), &status);
  if (result == 0) *bytes = status.st_size;
  return watched_status(result);
}
static int32_t watched_lock(const char* path, void** lock, void* user) {
  *lock = user;
  return watched_call(user, "lock", path);
}
static void watched_unlock(void* lock, void* user) {
  (void)lock;
  (void)user;
}

/* w belongs to the caller and must outlive the storage. */
static ckpt_storage* watched_storage(watched* w) {
  ckpt_storage* storage = NULL;
  ckpt_storage_callbacks callbacks = CKPT_STORAGE_CALLBACKS_INIT;
  callbacks.create = watched_create;
  callbacks.open = watched_open;
  callbacks.close = watched_close;
  callbacks.file_size = watched_file_size;
  callbacks.read = watched_read;
  callbacks.write = watched_write;
  callbacks.sync = watched_sync;
  callbacks.rename = watched_rename;
  callbacks.remove = watched_remove;
  callbacks.remove_directory = watched_remove_directory;
  callbacks.make_directory = watched_make_directory;
  callbacks.sync_directory = watched_sync_directory;
  callbacks.list = watched_list;
  callbacks.size = watched_size;
  callbacks.lock = watched_lock;
  callbacks.unlock = watched_unlock;
  CHECK_OK(ckpt_storage_create_custom("watched", &callbacks, w, NULL, &storage));
  return storage;
}

#endif /* CKPT_TESTS_WATCHED_STORAGE_H */
