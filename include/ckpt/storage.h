/* storage.h - places for files: the file system, memory, or callbacks of the caller.
 *
 * All durable data (state.h) is read and written through a storage. Its paths are relative to a root, and no path can leave the
 * root. Read the general rules at the top of ckpt.h first.
 *
 *   ckpt_storage *storage = NULL;
 *   if (ckpt_storage_create_file_system("checkpoints", NULL, &storage) != CKPT_OK) puts(ckpt_last_error());
 *   ... ckpt_checkpoint_manager_create(storage, NULL, &checkpoint) ...
 *   ckpt_storage_release(storage);
 *
 * A beginner needs:
 *
 *   ckpt_storage_create_file_system      a directory; ckpt_storage_create_from_uri: "s3://bucket/run", "memory:"
 *   ckpt_storage_release
 */
#ifndef CKPT_STORAGE_H
#define CKPT_STORAGE_H

#include <stddef.h>

#include <ckpt/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A place for files: a directory of the file system, memory, or callbacks of the caller. Synchronized. Owns no threads. In a forked
 * child it keeps working; locks remain with the parent. */
typedef struct ckpt_storage ckpt_storage;

/* How large files are written. Each mode falls back to the next one if the system or the file does not support it. */
typedef int32_t ckpt_write_path;

/* large files bypass the page cache (O_DIRECT), with eight chunks of 4 MiB in flight by io_uring; falls back to
 * CKPT_WRITE_PATH_DIRECT if the system or the file does not support it */
#define CKPT_WRITE_PATH_RING 0
/* large files bypass the page cache (O_DIRECT), one chunk after the other; falls back to CKPT_WRITE_PATH_BUFFERED if the system or
 * the file does not support it */
#define CKPT_WRITE_PATH_DIRECT 1
#define CKPT_WRITE_PATH_BUFFERED 2 /* large files are written through the page cache */

/* Options for creating a storage in the file system. */
typedef struct ckpt_file_system_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* what happens if the directory is missing: 0 creates it and its parents durably; other values: NOT_FOUND */
  ckpt_bool must_exist;
  /* how large files are written: CKPT_WRITE_PATH_RING (the default), CKPT_WRITE_PATH_DIRECT or CKPT_WRITE_PATH_BUFFERED */
  ckpt_write_path write_path;
  int32_t reserved;         /* not used: 0 */
  int64_t large_from_bytes; /* smallest size of a large file in bytes, >= 0; 0 (the default): 8 MiB */
  /* limit of all writes through this storage together, in bytes per second, >= 0; 0: none. After a pause, 4 MiB may be written at
   * once. Reads of executors from the files of their tiers have a separate limit of the same value */
  int64_t bytes_per_second;
  /* 0: a save that needs more bytes than the file system has free fails with NO_SPACE before it creates a file; other values: the
   * save is tried anyway. For file systems that compress, where a file may occupy less space than its size */
  ckpt_bool may_compress;
  int32_t reserved2; /* not used: 0 */
  /* kind of lock that excludes a second writer; all writers of a directory must use the same kind. NULL or empty: "flock", a lock
   * of flock(2) on the file ".lock"; if the file system has no such locks, opening a writer fails with UNSUPPORTED. "fcntl": a
   * record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has F_OFD_SETLK; elsewhere to the process,
   * which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..." that records the host, process and start
   * time of the writer, and is removed when the writer is released. If the recorded process ran on this host and has ended, its
   * file is taken over; any other file means BUSY. "none": no lock, and a warning; a save fails with BUSY before it commits if a
   * second writer has committed. INVALID_ARGUMENT for other names */
  const char* lock_kind;
} ckpt_file_system_options;

#define CKPT_FILE_SYSTEM_OPTIONS_INIT \
  { sizeof(ckpt_file_system_options), 0, CKPT_WRITE_PATH_RING, 0, 0, 0, 0, 0, NULL }

/* Creates a storage in a directory of the file system. root: UTF-8 path, absolute or relative to the process's current directory;
 * copied. The storage keeps the directory open, so it stays the same directory when the path is renamed or the process changes
 * directory. Links in the path of the root are followed, links below it never. After the directory is removed, calls that need it
 * fail with INVALID_STATE, even if a new directory has that name. options: NULL for the defaults. INVALID_ARGUMENT when root is a
 * file; PERMISSION, NO_SPACE and IO from the system. */
CKPT_API ckpt_status ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* options,
                                                     ckpt_storage** storage);

/* Creates an empty storage in memory: for tests, and for state that need not outlive the process. */
CKPT_API ckpt_status ckpt_storage_create_memory(ckpt_storage** storage);

/* ---- Storage by callbacks ------------------------------------------------------------------------------------------------ */

/* Return value of these functions: CKPT_OK; or a CKPT_E_ status, with which the operation fails; or any other number, which makes
 * it fail with CALLBACK. Calling ckpt_callback_error first sets the reason. The library acts on the status: NOT_FOUND for a missing
 * file, ALREADY_EXISTS for an existing name, BUSY for a lock that is held, NO_SPACE, PERMISSION; a fault handler retries IO, BUSY
 * and TIMEOUT. Paths are relative, with '/' between their components; "" is the root. They never contain "." or "..", and are
 * borrowed for the call like all other pointers. All functions run on the thread that uses the storage; several may run at once,
 * but only one with the same file. They may block and call any function; calls from inside them that use their storage return
 * INVALID_STATE, and so do calls on the object (ckpt_checkpoint_manager, ...) that is using it. */

/* Creates a new, empty file at path and opens it, or opens an existing file for reading, or locks path. Sets *file to the value
 * that is passed to later calls for this file. */
typedef int32_t (*ckpt_storage_open_fn)(const char* path, void** file, void* user_data);

/* Closes a file or releases a lock, which is not used afterwards. Bytes that were not synced may be lost. */
typedef void (*ckpt_storage_close_fn)(void* file, void* user_data);

/* Sets *bytes to the length of an open file. */
typedef int32_t (*ckpt_storage_file_size_fn)(void* file, int64_t* bytes, void* user_data);

/* Reads bytes (>= 0) bytes at offset into buffer; sets *read to the number of bytes read, fewer only at the end of the file. */
typedef int32_t (*ckpt_storage_read_fn)(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user_data);

/* Writes all bytes at offset, which may be before, at or after the end of the file. */
typedef int32_t (*ckpt_storage_write_fn)(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user_data);

/* Makes all bytes written to the file durable: returns CKPT_OK only when all of them are. Not called again after an error. */
typedef int32_t (*ckpt_storage_sync_fn)(void* file, void* user_data);

/* Renames a file or directory atomically; replaces an existing file of the new name. */
typedef int32_t (*ckpt_storage_rename_fn)(const char* from, const char* to, void* user_data);

/* Does one operation on one path; the field that holds the function documents the operation. */
typedef int32_t (*ckpt_storage_path_fn)(const char* path, void* user_data);

/* Receives one name of a listing, without its path. is_directory: 0 or 1. If it returns a number other than CKPT_OK, return that
 * number from the listing. */
typedef int32_t (*ckpt_storage_entry_fn)(void* listing, const char* name, ckpt_bool is_directory);

/* Lists a directory: calls entry(listing, ...) once for each name in the directory at path, in any order, without "." and "..". The
 * operation fails with CALLBACK if a name is listed twice or is not a single path component. */
typedef int32_t (*ckpt_storage_list_fn)(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user_data);

/* Sets *bytes to the length of the regular file at path; INVALID_ARGUMENT for anything else. */
typedef int32_t (*ckpt_storage_size_fn)(const char* path, int64_t* bytes, void* user_data);

/* Creates a new file that is written without gaps from front to back, then synced once, and opens it. expected_bytes: estimated
 * size of the file in bytes; 0: not known. */
typedef int32_t (*ckpt_storage_create_stream_fn)(const char* path, int64_t expected_bytes, void** file, void* user_data);

/* Creates a complete, durable file of these bytes if path does not exist; ALREADY_EXISTS if it does, and the existing file stays
 * unchanged. Atomic: of several concurrent callers, in any process, one succeeds. UNSUPPORTED if the storage cannot do this. */
typedef int32_t (*ckpt_storage_put_fn)(const char* path, const void* buffer, int64_t bytes, void* user_data);

/* A range of a file, and the buffer for its bytes. Frozen: 24 bytes in every version. */
typedef struct ckpt_storage_range {
  int64_t offset; /* offset of the range in the file, in bytes, >= 0 */
  int64_t bytes;  /* size of the range in bytes, >= 0 */
  void* buffer;   /* receives the bytes */
} ckpt_storage_range;

/* Reads several ranges of an open file, in parallel if the storage can. INVALID_ARGUMENT if a range extends beyond the end of the
 * file. */
typedef int32_t (*ckpt_storage_read_ranges_fn)(void* file, const ckpt_storage_range* ranges, int64_t ranges_count, void* user_data);

/* Receives one file of a listing: its full path, and its length in bytes. If it returns a number other than CKPT_OK, return that
 * number from the listing. */
typedef int32_t (*ckpt_storage_object_fn)(void* listing, const char* path, int64_t bytes);

/* Lists files by their full paths: calls object(listing, ...) once for each file with a path that begins with prefix and is greater
 * than after ("": all), in ascending order of the paths' bytes, for at most limit (>= 1) files. The operation fails with CALLBACK
 * if a path is listed twice, out of order, or without the prefix, or leaves the root. */
typedef int32_t (*ckpt_storage_list_from_fn)(const char* prefix, const char* after, int64_t limit, ckpt_storage_object_fn object,
                                             void* listing, void* user_data);

/* Removes many files; a missing file is not an error. */
typedef int32_t (*ckpt_storage_remove_many_fn)(const char* const* paths, int64_t paths_count, void* user_data);

/* flag of a custom storage that is an object store. A file becomes visible, complete, when its sync returns, and is not visible
 * before; it replaces an existing file of the same name. Directories, renames and locks do not exist: rename, remove_directory,
 * make_directory, sync_directory, list, lock and unlock are not called and may be NULL; put_if_absent, list_from and create_stream
 * must not be NULL. The next call of any caller sees the effects of a write, removal or refusal */
#define CKPT_STORAGE_FLAG_OBJECTS 1U

/* The functions of a custom storage; all receive the same user_data. The functions up to unlock must not be NULL; those after it
 * may be. */
typedef struct ckpt_storage_callbacks {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  /* creates a new, empty file and opens it for writing; ALREADY_EXISTS if the name exists */
  ckpt_storage_open_fn create;
  ckpt_storage_open_fn open;             /* opens an existing file for reading */
  ckpt_storage_close_fn close;           /* closes a file; bytes that were not synced may be lost */
  ckpt_storage_file_size_fn file_size;   /* reports the length of an open file in bytes */
  ckpt_storage_read_fn read;             /* reads bytes of an open file */
  ckpt_storage_write_fn write;           /* writes bytes to a file that was opened by create */
  ckpt_storage_sync_fn sync;             /* makes all bytes written to a file durable */
  ckpt_storage_rename_fn rename;         /* renames a file or directory atomically; replaces an existing file of the new name */
  ckpt_storage_path_fn remove;           /* removes a file */
  ckpt_storage_path_fn remove_directory; /* removes an empty directory; ALREADY_EXISTS if it is not empty */
  ckpt_storage_path_fn make_directory;   /* creates one directory; its parent exists */
  ckpt_storage_path_fn sync_directory;   /* makes created, renamed and removed names in a directory durable */
  ckpt_storage_list_fn list;             /* lists the names in a directory */
  /* reports the length in bytes of a regular file that is not open; INVALID_ARGUMENT for anything else */
  ckpt_storage_size_fn size;
  /* takes an exclusive lock on a path; BUSY at once if another process or storage holds it */
  ckpt_storage_open_fn lock;
  ckpt_storage_close_fn unlock;                /* releases a lock. Not called in a forked child: the lock remains with the parent */
  uint32_t flags;                              /* kind of storage: CKPT_STORAGE_FLAG_*; 0: files in directories */
  uint32_t reserved2;                          /* not used: 0 */
  ckpt_storage_create_stream_fn create_stream; /* creates a file that is written from front to back; NULL: create is used */
  ckpt_storage_put_fn put_if_absent;       /* creates a complete file unless the name exists; NULL: not supported by the storage */
  ckpt_storage_read_ranges_fn read_ranges; /* reads several ranges of an open file; NULL: read is called for each */
  ckpt_storage_list_from_fn list_from;     /* lists files by their full paths; NULL: list is called for each directory */
  ckpt_storage_remove_many_fn remove_many; /* removes many files; NULL: remove is called for each */
} ckpt_storage_callbacks;

#define CKPT_STORAGE_CALLBACKS_INIT                                                                                              \
  {                                                                                                                              \
    sizeof(ckpt_storage_callbacks), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, 0, 0, NULL, NULL, NULL, NULL, NULL                                                                                 \
  }

/* Creates a storage from callbacks of the caller. name: location of the storage, for messages; UTF-8, not blank, copied. callbacks:
 * copied. destroy (may be NULL) runs once, after the last call. INVALID_ARGUMENT if a required function is missing. */
CKPT_API ckpt_status ckpt_storage_create_custom(const char* name, const ckpt_storage_callbacks* callbacks, void* user_data,
                                                ckpt_destroy_fn destroy, ckpt_storage** storage);

/* ---- Storage by URI ------------------------------------------------------------------------------------------------------ */

/* Creates a storage from a URI. The scheme (at least two letters, digits, '+', '-' and '.', a letter first; case-insensitive)
 * selects the kind:
 * - "file:PATH" or "file:///PATH": ckpt_storage_create_file_system;
 * - "memory:": a new storage; "memory:NAME": the storage of that name, shared within this process, which exists as long as one
 *   handle does;
 * - a scheme registered by ckpt_storage_register_scheme, for example by a plug-in (s3: libckpt-s3).
 * A string without a scheme is a path of the file system: "./ab:c" for a path with a ':' in its first component. "%" and two
 * hexadecimal digits encode a byte; a '/' at the end is ignored. INVALID_ARGUMENT for components "." and "..", empty components
 * ("//"), control characters and encoded slashes, encoded or not; the path of a string without a scheme is used unchanged. The
 * scheme interprets the part after a '?' or '#'; file and memory refuse it. UNSUPPORTED for an unknown scheme: the message names
 * the known ones, and the package of a missing one. INVALID_STATE for a URI that creates itself recursively. */
CKPT_API ckpt_status ckpt_storage_create_from_uri(const char* uri, ckpt_storage** storage);

/* Creates a storage for a URI of one scheme: *storage receives a new reference. uri: the complete URI, checked as by
 * ckpt_storage_create_from_uri, still encoded; borrowed. Runs on the calling thread, and on several at once; may block and call any
 * function. A non-zero return fails the call as in the functions of a storage. */
typedef int32_t (*ckpt_storage_scheme_fn)(const char* uri, ckpt_storage** storage, void* user_data);

/* Registers a scheme for ckpt_storage_create_from_uri, in this process and for all threads. scheme: without ':', at least two
 * letters, digits, '+', '-' and '.', a letter first. ALREADY_EXISTS if it is registered. destroy (may be NULL) runs with user_data
 * after ckpt_storage_unregister_scheme, when no call uses it. Synchronized. */
CKPT_API ckpt_status ckpt_storage_register_scheme(const char* scheme, ckpt_storage_scheme_fn create, void* user_data,
                                                  ckpt_destroy_fn destroy);

/* Unregisters a scheme; storages created with it stay valid. NOT_FOUND for any other. Synchronized. */
CKPT_API ckpt_status ckpt_storage_unregister_scheme(const char* scheme);

/* ---- Fault handler ------------------------------------------------------------------------------------------------------- */

/* A retry policy: decides which failed operations of storages are tried again, and when. Synchronized; one handler may serve
 * several storages. */
typedef struct ckpt_fault_handler ckpt_fault_handler;

/* Decides whether a failed operation of a storage is tried again. status, message (borrowed for the call): the error. attempt:
 * number of the failed attempt, 1 for the first. *retry: 1 if the default rule would try again (IO, BUSY and TIMEOUT), else 0; may
 * be changed. *delay_ns: the pause before the next attempt by the default rule; may be set to any number >= 0. Not called for the
 * last attempt, nor for CANCELLED. Runs on the thread of the failed operation, and on several at once, without holding a lock of
 * the handler; may block. Runs inside that operation: calls on the checkpoint manager that runs it return INVALID_STATE. A non-zero
 * return fails the operation with CALLBACK. */
typedef int32_t (*ckpt_fault_decide_fn)(ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry,
                                        int64_t* delay_ns, void* user_data);

/* Options for creating a fault handler: number of attempts and pauses between them. */
typedef struct ckpt_fault_handler_options {
  uint32_t struct_size;           /* size of this struct in bytes, in the caller's build */
  int32_t max_attempts;           /* maximum number of attempts of one operation, the first one included, >= 1; default 5 */
  int64_t first_delay_ns;         /* pause before the second attempt, in nanoseconds, >= 0; default 10 ms */
  int64_t max_delay_ns;           /* maximum pause, in nanoseconds, >= 0; default 10 s */
  double factor;                  /* ratio of each pause to the previous one, >= 1; default 2 */
  double jitter;                  /* maximum random change of a pause, as a fraction of it, 0 .. 1; default 0.5 */
  uint64_t seed;                  /* seed of the random numbers for the jitter: Philox4x32-10 */
  ckpt_fault_decide_fn decide;    /* decides which errors are tried again; NULL: IO, BUSY and TIMEOUT */
  void* decide_user_data;         /* passed to each call of decide */
  ckpt_destroy_fn decide_destroy; /* called once with decide_user_data after the last call of decide; may be NULL */
} ckpt_fault_handler_options;

#define CKPT_FAULT_HANDLER_OPTIONS_INIT \
  { sizeof(ckpt_fault_handler_options), 5, 10000000, 10000000000, 2.0, 0.5, 0, NULL, NULL, NULL }

/* Waits duration_ns (> 0) nanoseconds, or in a test only records the call. Runs on the thread of the failed operation. */
typedef void (*ckpt_sleep_fn)(int64_t duration_ns, void* user_data);

/* Creates a handler. options: NULL for the defaults: 5 attempts, pauses of about 10, 20, 40 and 80 ms. sleep: NULL sleeps in real
 * time; user_data and destroy (may be NULL, runs once after the last use) belong to it. If the call fails, destroy does not run. */
CKPT_API ckpt_status ckpt_fault_handler_create(const ckpt_fault_handler_options* options, ckpt_sleep_fn sleep, void* user_data,
                                               ckpt_destroy_fn destroy, ckpt_fault_handler** handler);

/* Sets *retries to the number of retries since the handler was created. */
CKPT_API ckpt_status ckpt_fault_handler_get_retry_count(const ckpt_fault_handler* handler, int64_t* retries);

/* Releases the handler. Storages created with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_fault_handler_release(ckpt_fault_handler* handler);

/* Creates a storage that wraps inner, which is kept alive. It retries operations that fail with IO, BUSY or TIMEOUT by the rules of
 * the handler, and logs a warning for each retry. All other errors (NO_SPACE, PERMISSION, CORRUPT, ...) are reported at once. If
 * the handler has a decide function, that function decides instead. Never retried are locks, and the sync of a file or directory:
 * after a failed sync the system may report success for bytes that it has lost. A save writes the file again instead. */
CKPT_API ckpt_status ckpt_storage_create_retrying(ckpt_storage* inner, ckpt_fault_handler* handler, ckpt_storage** storage);

/* Releases the storage. Objects created with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_storage_release(ckpt_storage* storage);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STORAGE_H */
