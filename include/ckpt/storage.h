/* storage.h - where files live: the file system, memory, or behind functions of the caller.
 *
 * A storage is the one door to files for everything that is kept durably (state.h). Its paths are relative to a root that nothing
 * can leave. Read the general rules at the top of ckpt.h first.
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

/* A place for files: a directory of the file system, memory, or functions of the caller. Synchronised. Owns no threads. In a forked
 * child it goes on working; locks stay the parent's. */
typedef struct ckpt_storage ckpt_storage;

/* How large files are written. Each way falls back to the next where the system or the file does not support it. */
typedef int32_t ckpt_write_path;

/* large files are written past the page cache (O_DIRECT), eight chunks of 4 MiB under way by io_uring; falls back to
 * CKPT_WRITE_PATH_DIRECT where the system or the file does not support it */
#define CKPT_WRITE_PATH_RING 0
/* large files are written past the page cache (O_DIRECT), one chunk after the other; falls back to CKPT_WRITE_PATH_BUFFERED where
 * the system or the file does not support it */
#define CKPT_WRITE_PATH_DIRECT 1
#define CKPT_WRITE_PATH_BUFFERED 2 /* large files are written through the page cache */

/* How a storage in the file system is made. */
typedef struct ckpt_file_system_options {
  uint32_t struct_size; /* size of this struct in bytes, as its caller was compiled */
  /* what happens when the directory is missing: 0 creates it, and those that lead to it, durably; other values: NOT_FOUND */
  ckpt_bool must_exist;
  /* how large files are written: CKPT_WRITE_PATH_RING (the default), CKPT_WRITE_PATH_DIRECT or CKPT_WRITE_PATH_BUFFERED */
  ckpt_write_path write_path;
  int32_t reserved;         /* not used: 0 */
  int64_t large_from_bytes; /* files of at least this many bytes count as large, >= 0; 0 (the default): 8 MiB */
  /* limit of all writes through this storage together, in bytes per second, >= 0; 0: none. After a pause 4 MiB may be written at
   * once. What executors read back from the files of their tiers has the same limit, by itself */
  int64_t bytes_per_second;
  /* 0: a save that needs more bytes than the file system has free fails with NO_SPACE before it makes a file; other values: it is
   * tried all the same. For file systems that compress, where files may take less room than their bytes */
  ckpt_bool may_compress;
  int32_t reserved2; /* not used: 0 */
  /* how a writer keeps a second one out of the directory; all its writers use the same kind. NULL or empty: "flock", a lock of
   * flock(2) on the file ".lock"; where the file system has no such locks, opening a writer fails with UNSUPPORTED. "fcntl": a
   * record lock (fcntl(2)) on ".lock", which belongs to the open file where the system has F_OFD_SETLK; elsewhere to the process,
   * which loses it when it closes any descriptor of ".lock". "file": a file ".lock-..." that records the host, process and start
   * time of the writer, and is removed when the writer is released. If the recorded process ran on this host and has ended, its
   * file is taken over; any other file means BUSY. "none": no lock, and a warning; a save fails with BUSY before it commits when a
   * second writer has committed. INVALID_ARGUMENT for other names */
  const char* lock_kind;
} ckpt_file_system_options;

#define CKPT_FILE_SYSTEM_OPTIONS_INIT \
  { sizeof(ckpt_file_system_options), 0, CKPT_WRITE_PATH_RING, 0, 0, 0, 0, 0, NULL }

/* Creates a storage in a directory of the file system.
 * root: UTF-8 path, absolute or relative to the process's directory now; copied. The storage holds the directory open, so it stays
 * the same one when the path is renamed or the process changes directory. Links that lead to the root are followed, links below it
 * never. After the directory is removed, calls that need it fail with INVALID_STATE, even if a new one has that name.
 * options: NULL for the defaults. INVALID_ARGUMENT when root is a file; PERMISSION, NO_SPACE and IO from the system. */
CKPT_API ckpt_status ckpt_storage_create_file_system(const char* root, const ckpt_file_system_options* options,
                                                     ckpt_storage** storage);

/* Creates an empty storage in memory: for tests, and for state that need not outlive the process. */
CKPT_API ckpt_status ckpt_storage_create_memory(ckpt_storage** storage);

/* ---- Storage by callbacks ------------------------------------------------------------------------------------------------ */

/* What these functions return: CKPT_OK; or a CKPT_E_ status, which the operation then fails with; or any other number, which makes
 * it fail with CALLBACK. ckpt_callback_error before it sets the reason. Statuses count: NOT_FOUND for what is not there,
 * ALREADY_EXISTS for a taken name, BUSY for a lock that is held, NO_SPACE, PERMISSION; IO, BUSY and TIMEOUT are what a fault
 * handler tries again. Paths are relative, with '/' between their components; "" is the root. They never hold "." or "..", and are
 * borrowed for the call like all other pointers. All run on the thread that uses the storage; several may run at once, but only one
 * with the same file. They may block and call any function; what would use their own storage from inside them returns
 * INVALID_STATE, and so do calls on the object (ckpt_checkpoint_manager, ...) that is using it. */

/* Makes a new, empty file at path and opens it, or opens an existing one for reading, or locks path: *file is what later calls get
 * for it. */
typedef int32_t (*ckpt_storage_open_fn)(const char* path, void** file, void* user_data);

/* Closes a file or releases a lock, which is not used any more. What was not synced may be lost. */
typedef void (*ckpt_storage_close_fn)(void* file, void* user_data);

/* Sets *bytes to the length of an open file. */
typedef int32_t (*ckpt_storage_file_size_fn)(void* file, int64_t* bytes, void* user_data);

/* Reads bytes (>= 0) bytes from offset on into buffer; sets *read to how many there were, fewer only at the end of the file. */
typedef int32_t (*ckpt_storage_read_fn)(void* file, int64_t offset, void* buffer, int64_t bytes, int64_t* read, void* user_data);

/* Writes all bytes at offset, which may lie before, at or behind the file's end. */
typedef int32_t (*ckpt_storage_write_fn)(void* file, int64_t offset, const void* buffer, int64_t bytes, void* user_data);

/* Makes what was written to the file durable: returns CKPT_OK only when all of it is. It is not called again after an error. */
typedef int32_t (*ckpt_storage_sync_fn)(void* file, void* user_data);

/* Renames a file or directory, atomically; a file that had the new name is replaced. */
typedef int32_t (*ckpt_storage_rename_fn)(const char* from, const char* to, void* user_data);

/* Does one operation on one path: which one is said where the function is used. */
typedef int32_t (*ckpt_storage_path_fn)(const char* path, void* user_data);

/* Takes one name of a listing: without the path before it. is_directory: 0 or 1. When it returns another number than CKPT_OK,
 * return that from the listing. */
typedef int32_t (*ckpt_storage_entry_fn)(void* listing, const char* name, ckpt_bool is_directory);

/* Lists a directory: calls entry(listing, ...) once for each name in the directory at path, in any order, without "." and "..". The
 * operation fails with CALLBACK when a name is listed twice or is not one component of a path. */
typedef int32_t (*ckpt_storage_list_fn)(const char* path, ckpt_storage_entry_fn entry, void* listing, void* user_data);

/* Sets *bytes to the length of the regular file at path; INVALID_ARGUMENT for what is none. */
typedef int32_t (*ckpt_storage_size_fn)(const char* path, int64_t* bytes, void* user_data);

/* Makes a new file that is written without gaps from front to back, then synced once, and opens it. expected_bytes: about how many
 * will come; 0: not known. */
typedef int32_t (*ckpt_storage_create_stream_fn)(const char* path, int64_t expected_bytes, void** file, void* user_data);

/* Makes a file of these bytes, whole and durable, if there is none of that name; ALREADY_EXISTS when there is one, which stays as
 * it was. Atomic: of several callers at once, in any process, one succeeds. UNSUPPORTED where the place can't do that. */
typedef int32_t (*ckpt_storage_put_fn)(const char* path, const void* buffer, int64_t bytes, void* user_data);

/* A piece of a file, and where its bytes go. Frozen: 24 bytes in every version. */
typedef struct ckpt_storage_range {
  int64_t offset; /* where the piece begins in the file, in bytes, >= 0 */
  int64_t bytes;  /* size of the piece in bytes, >= 0 */
  void* buffer;   /* receives the piece */
} ckpt_storage_range;

/* Reads several pieces of an open file, at the same time where the place can. INVALID_ARGUMENT when the file ends before one does.
 */
typedef int32_t (*ckpt_storage_read_ranges_fn)(void* file, const ckpt_storage_range* ranges, int64_t ranges_count, void* user_data);

/* Takes one file of a listing: its whole path, and its length in bytes. When it returns another number than CKPT_OK, return that
 * from the listing. */
typedef int32_t (*ckpt_storage_object_fn)(void* listing, const char* path, int64_t bytes);

/* Lists files by their whole paths: calls object(listing, ...) once for each file whose path begins with prefix and comes behind
 * after ("": from the first one on), in ascending order of the paths' bytes, for limit (>= 1) files at most. The operation fails
 * with CALLBACK when a path is listed twice, out of order, or without the prefix, or leaves the root. */
typedef int32_t (*ckpt_storage_list_from_fn)(const char* prefix, const char* after, int64_t limit, ckpt_storage_object_fn object,
                                             void* listing, void* user_data);

/* Removes many files; those that are not there are no error. */
typedef int32_t (*ckpt_storage_remove_many_fn)(const char* const* paths, int64_t paths_count, void* user_data);

/* The flag of a custom storage that is an object store: a file is there for others whole when its sync has returned, and not at all
 * before; a new one replaces that of its name. There are no directories, renames and locks: rename, remove_directory,
 * make_directory, sync_directory, list, lock and unlock are not called and may be NULL; put_if_absent, list_from and
 * create_stream must not be NULL. What was written, removed or refused is seen by the next call of anyone */
#define CKPT_STORAGE_FLAG_OBJECTS 1U

/* The functions of a custom storage, which all get the same user_data. The functions up to unlock must not be NULL; those
 * after it may be. */
typedef struct ckpt_storage_callbacks {
  uint32_t struct_size; /* size of this struct in bytes, as its caller was compiled */
  uint32_t reserved;    /* not used: 0 */
  /* makes a new, empty file and opens it for writing; ALREADY_EXISTS when the name is taken */
  ckpt_storage_open_fn create;
  ckpt_storage_open_fn open;             /* opens an existing file for reading */
  ckpt_storage_close_fn close;           /* closes a file; what was not synced may be lost */
  ckpt_storage_file_size_fn file_size;   /* reports the length of an open file in bytes */
  ckpt_storage_read_fn read;             /* reads bytes of an open file */
  ckpt_storage_write_fn write;           /* writes bytes to a file that was opened by create */
  ckpt_storage_sync_fn sync;             /* makes what was written to a file durable */
  ckpt_storage_rename_fn rename;         /* renames a file or directory, atomically; a file that had the new name is replaced */
  ckpt_storage_path_fn remove;           /* removes a file */
  ckpt_storage_path_fn remove_directory; /* removes an empty directory; ALREADY_EXISTS when it is not empty */
  ckpt_storage_path_fn make_directory;   /* makes one directory, whose parent exists */
  ckpt_storage_path_fn sync_directory;   /* makes names that were made, renamed and removed in a directory durable */
  ckpt_storage_list_fn list;             /* lists the names in a directory */
  /* reports the length in bytes of a regular file that is not open; INVALID_ARGUMENT for anything else */
  ckpt_storage_size_fn size;
  /* takes an exclusive lock on a path; BUSY at once when another process or storage holds it */
  ckpt_storage_open_fn lock;
  ckpt_storage_close_fn unlock;                /* releases a lock. Not called in a forked child: the lock stays the parent's */
  uint32_t flags;                              /* what this storage is: CKPT_STORAGE_FLAG_*; 0: files in directories */
  uint32_t reserved2;                          /* not used: 0 */
  ckpt_storage_create_stream_fn create_stream; /* makes a file that is written from front to back; NULL: create does */
  ckpt_storage_put_fn put_if_absent;       /* makes a file whole, if there is none of that name; NULL: not known to the storage */
  ckpt_storage_read_ranges_fn read_ranges; /* reads several pieces of an open file; NULL: read does, one after the other */
  ckpt_storage_list_from_fn list_from;     /* lists files by their whole paths; NULL: list does, directory by directory */
  ckpt_storage_remove_many_fn remove_many; /* removes many files; NULL: remove does, one after the other */
} ckpt_storage_callbacks;

#define CKPT_STORAGE_CALLBACKS_INIT                                                                                              \
  {                                                                                                                              \
    sizeof(ckpt_storage_callbacks), 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, \
        NULL, 0, 0, NULL, NULL, NULL, NULL, NULL                                                                                 \
  }

/* Creates a storage whose operations are functions of the caller. name: where it is, for messages; UTF-8, not blank, copied.
 * callbacks: copied. destroy (may be NULL) runs once, after the last call. INVALID_ARGUMENT when a function is missing. */
CKPT_API ckpt_status ckpt_storage_create_custom(const char* name, const ckpt_storage_callbacks* callbacks, void* user_data,
                                                ckpt_destroy_fn destroy, ckpt_storage** storage);

/* ---- Storage by URI ------------------------------------------------------------------------------------------------------ */

/* Creates a storage from a URI. Its scheme (at least two letters, digits, '+', '-' and '.', a letter first; case does not matter)
 * says which kind:
 * - "file:PATH" or "file:///PATH": ckpt_storage_create_file_system;
 * - "memory:": a storage of its own; "memory:NAME": one that all of this process share by that name, as long as one of them lives;
 * - one that ckpt_storage_register_scheme knows, as plug-ins do with theirs (s3: libckpt-s3).
 * A text without a scheme is a path of the file system: "./ab:c" for one with a ':' in its first component.
 * "%" and two hexadecimal digits stand for a byte; a '/' at the end says nothing. INVALID_ARGUMENT for components "." and "..",
 * empty ones ("//"), control characters and encoded slashes, also encoded ones; the path of a text without a scheme is taken as it
 * is. What follows a '?' or '#' is the scheme's affair; file and memory refuse it. UNSUPPORTED for a scheme that is not known: the
 * message names those that are, and the package of one that is missing. INVALID_STATE for a URI that is made of itself. */
CKPT_API ckpt_status ckpt_storage_create_from_uri(const char* uri, ckpt_storage** storage);

/* Creates a storage for a URI of one scheme: *storage receives a new reference. uri: the whole of it, checked as
 * ckpt_storage_create_from_uri does, still encoded; borrowed. Runs on the thread that asks, several at once; may block and call any
 * function. Non-zero return ends the call as a storage's functions do. */
typedef int32_t (*ckpt_storage_scheme_fn)(const char* uri, ckpt_storage** storage, void* user_data);

/* Lets ckpt_storage_create_from_uri make storages for a scheme, in this process, from now on and on all threads. scheme: as above,
 * without ':', of at least two characters. ALREADY_EXISTS when it is known. destroy (may be NULL) runs with user_data after
 * ckpt_storage_unregister_scheme, when no call uses it. Synchronised. */
CKPT_API ckpt_status ckpt_storage_register_scheme(const char* scheme, ckpt_storage_scheme_fn create, void* user_data,
                                                  ckpt_destroy_fn destroy);

/* Forgets a registered scheme; storages made by it live on. NOT_FOUND for any other. Synchronised. */
CKPT_API ckpt_status ckpt_storage_unregister_scheme(const char* scheme);

/* ---- Fault handler ------------------------------------------------------------------------------------------------------- */

/* Decides which failed operations of storages are tried again, and when. Synchronised; one handler may serve several storages. */
typedef struct ckpt_fault_handler ckpt_fault_handler;

/* Decides what becomes of an error that an operation of a storage reported. status, message (borrowed for the call): the error's.
 * attempt: the one that failed, 1 for the first. *retry is 1 when the usual rule would try again (IO, BUSY and TIMEOUT), else 0;
 * set it to what should be done. *delay_ns is the pause before the next attempt by that rule; it may be set to any number of at
 * least 0. Not asked about the last attempt, nor about CANCELLED. Runs on the thread whose operation failed, several at once, under
 * no lock of the handler; may block. It runs inside that operation: the checkpoint whose operation it is returns INVALID_STATE to
 * calls from it. Non-zero return ends the operation with CALLBACK. */
typedef int32_t (*ckpt_fault_decide_fn)(ckpt_status status, const char* message, int32_t attempt, ckpt_bool* retry,
                                        int64_t* delay_ns, void* user_data);

/* How a fault handler is made: how often and after which pauses a failed operation is tried again. */
typedef struct ckpt_fault_handler_options {
  uint32_t struct_size;        /* size of this struct in bytes, as its caller was compiled */
  int32_t max_attempts;        /* attempts of one operation at most, the first one included, >= 1; default 5 */
  int64_t first_delay_ns;      /* pause before the second attempt, in nanoseconds, >= 0; default 10 ms */
  int64_t max_delay_ns;        /* no pause is longer than this, in nanoseconds, >= 0; default 10 s */
  double factor;               /* each pause is this many times as long as the pause before it, >= 1; default 2 */
  double jitter;               /* a pause is made longer or shorter by a random share of it of at most this, 0 .. 1; default 0.5 */
  uint64_t seed;               /* seed of the random numbers for the jitter: Philox4x32-10 */
  ckpt_fault_decide_fn decide; /* function that is asked which error is tried again; NULL: IO, BUSY and TIMEOUT are */
  void* decide_user_data;      /* passed to each call of decide */
  ckpt_destroy_fn decide_destroy; /* called once with decide_user_data after the last call of decide; may be NULL */
} ckpt_fault_handler_options;

#define CKPT_FAULT_HANDLER_OPTIONS_INIT \
  { sizeof(ckpt_fault_handler_options), 5, 10000000, 10000000000, 2.0, 0.5, 0, NULL, NULL, NULL }

/* Waits ns (> 0) nanoseconds, or in a test only records that it should. Runs on the thread whose operation failed. */
typedef void (*ckpt_sleep_fn)(int64_t duration_ns, void* user_data);

/* Creates a handler. options: NULL for the defaults: 5 attempts, pauses of about 10, 20, 40 and 80 ms. sleep: NULL really sleeps;
 * user_data and destroy (may be NULL, runs once after the last use) belong to it. A failing call destroys nothing. */
CKPT_API ckpt_status ckpt_fault_handler_create(const ckpt_fault_handler_options* options, ckpt_sleep_fn sleep, void* user_data,
                                               ckpt_destroy_fn destroy, ckpt_fault_handler** handler);

/* *retries receives how often an operation was tried again since the handler was made. */
CKPT_API ckpt_status ckpt_fault_handler_get_retry_count(const ckpt_fault_handler* handler, int64_t* retries);

/* Releases the handler. Storages made with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_fault_handler_release(ckpt_fault_handler* handler);

/* Creates a storage before another one, which is kept alive: operations that fail with IO, BUSY or TIMEOUT are tried again as the
 * handler says, with a warning in the log each time. All other errors (NO_SPACE, PERMISSION, CORRUPT, ...) are reported at once. A
 * handler with a decide function asks that instead. Never tried again: the sync of a file or directory, since the system may report
 * success for what it has lost (a save writes the file anew instead), and a lock. */
CKPT_API ckpt_status ckpt_storage_create_retrying(ckpt_storage* inner, ckpt_fault_handler* handler, ckpt_storage** storage);

/* Releases the storage. Objects made with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_storage_release(ckpt_storage* storage);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STORAGE_H */
