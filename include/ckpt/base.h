/* base.h - status codes, errors, logging, thread hooks, clocks, random numbers, thread pool, version.
 *
 *   ckpt_clock *clock = NULL;
 *   int64_t now_ns = 0;
 *   ckpt_set_log(CKPT_LOG_LEVEL_WARNING, print_message, NULL, NULL);      print_message: a ckpt_log_fn of the program
 *   if (ckpt_clock_create_manual(0, &clock) != CKPT_OK) puts(ckpt_last_error());
 *   ckpt_clock_advance(clock, 1000000);
 *   ckpt_clock_get_now(clock, &now_ns);                                   now_ns is 1000000
 *   ckpt_clock_release(clock);
 *
 * Declarations that every other part uses. Read the general rules at the top of ckpt.h first.
 *
 * A beginner needs:
 *
 *   ckpt_last_error                      why the last call on this thread failed
 *   ckpt_set_log                         where messages of the log go
 *   ckpt_version                         the version that is loaded
 *   CKPT_INIT, ckpt_struct_init          structs with their defaults
 */
#ifndef CKPT_BASE_H
#define CKPT_BASE_H

#include <stdint.h>

#if defined(__GNUC__)
#define CKPT_API __attribute__((visibility("default")))
#else
#define CKPT_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* A truth value: 0 is false, any other number is true; the library returns 1 for true. */
typedef int32_t ckpt_bool;

/* ---- Status -------------------------------------------------------------------------------------------------------------- */

/* The result of every function that can fail: CKPT_OK or one of CKPT_E_*. Values never change; later versions only append new
 * ones. */
typedef int32_t ckpt_status;

#define CKPT_OK 0                     /* the operation succeeded */
#define CKPT_E_INVALID_ARGUMENT (-1)  /* an argument is missing, of the wrong kind, or has a value that is never valid */
#define CKPT_E_OUT_OF_MEMORY (-2)     /* the system has no memory left */
#define CKPT_E_OUT_OF_RANGE (-3)      /* an index or size is outside the range of the object */
#define CKPT_E_INVALID_STATE (-4)     /* the call is not allowed now: wrong order, already done, or not begun */
#define CKPT_E_NOT_FOUND (-5)         /* the name, id, file or checkpoint does not exist */
#define CKPT_E_ALREADY_EXISTS (-6)    /* the name is taken */
#define CKPT_E_BUSY (-7)              /* another process, thread or object holds the resource */
#define CKPT_E_TIMEOUT (-8)           /* the time-out expired */
#define CKPT_E_CANCELLED (-9)         /* stopped on request */
#define CKPT_E_CALLBACK (-10)         /* a callback of the caller failed */
#define CKPT_E_FORKED (-11)           /* the process was forked, and the object's threads exist only in the parent */
#define CKPT_E_QUEUE_FULL (-12)       /* a bounded queue is full */
#define CKPT_E_CLOSED (-13)           /* the queue or object was closed */
#define CKPT_E_IO (-14)               /* the operating system failed to read, write or sync */
#define CKPT_E_NO_SPACE (-15)         /* the device or quota is full */
#define CKPT_E_PERMISSION (-16)       /* the operating system denied access */
#define CKPT_E_CORRUPT (-17)          /* stored bytes differ from the written ones or violate the format */
#define CKPT_E_UNSUPPORTED (-18)      /* valid, but not supported by this object or build */
#define CKPT_E_OVER_BUDGET (-19)      /* does not fit the memory budget or limit */
#define CKPT_E_INVALID_SCHEDULE (-20) /* a schedule breaks one of its rules */
#define CKPT_E_INTERNAL (-21)         /* a defect of the library: please report it */

/* Returns the constant's name without the prefix CKPT_E_, for example "INVALID_ARGUMENT"; "OK" for CKPT_OK; "UNKNOWN" for a number
 * that is not a status. Static string. docs/reference/errors.md states the causes of each status and what to do. */
CKPT_API const char* ckpt_status_name(ckpt_status status);

/* Returns why the last failing call on this thread failed: one line of UTF-8; "" when none has. Never NULL. The string stays valid
 * until the next failing call on the same thread; successful calls leave it unchanged. */
CKPT_API const char* ckpt_last_error(void);

/* Sets the reason for a failure; called inside a callback before it returns non-zero. The text becomes part of the failing
 * operation's message. text: UTF-8, copied; NULL clears it. */
CKPT_API void ckpt_callback_error(const char* text);

/* Frees a user_data after the last call that uses it. Runs on the thread that made that call. */
typedef void (*ckpt_destroy_fn)(void* user_data);

/* Sets the struct at pointer to the defaults of its _INIT macro, and the remaining bytes up to size to zero. name: name of the
 * type, for example "ckpt_save_options"; any struct of the library that begins with struct_size. Plug-ins have separate functions
 * for their structs. pointer: size writable bytes. size: sizeof the type in the caller's build. INVALID_ARGUMENT, with nothing
 * written, for an unknown name and for an invalid size: below the size of the struct's first version, above 4096, or not a multiple
 * of 4. */
CKPT_API ckpt_status ckpt_struct_init(const char* name, void* pointer, uint32_t size);

/* Sets a struct to its defaults with ckpt_struct_init. Compilers diagnose a pointer to another type.
 *
 *     ckpt_save_options options;
 *     CKPT_INIT(ckpt_save_options, &options);
 */
#define CKPT_INIT(type, pointer) ckpt_struct_init(#type, 1 ? (pointer) : (type*)0, (uint32_t)sizeof(type))

/* ---- Version ------------------------------------------------------------------------------------------------------------- */

/* Returns the version of the loaded library: major * 1000000 + minor * 1000 + patch. */
CKPT_API int32_t ckpt_version(void);

/* Returns the version of the loaded library as a string: "major.minor.patch". Static string. */
CKPT_API const char* ckpt_version_string(void);

/* Returns the compiler, build type and sanitizers of this build in one line, without paths and dates. Static string. */
CKPT_API const char* ckpt_build_info(void);

/* Returns 1 when this build has the named feature, else 0. Known: "threads", "fork-safe", "blas-dlopen", "dlpack", "safetensors",
 * "multiversioned-kernels". Unknown names and NULL return 0. */
CKPT_API ckpt_bool ckpt_feature(const char* name);

struct ckpt_api;

/* Returns the whole API as one table of function pointers, for programs that load the library with dlopen; NULL for a version that
 * this library does not support. <ckpt/api.h> declares the table; its first member is its size in bytes, and later versions only
 * append entries. version: CKPT_API_VERSION of the header that the caller was compiled with. The table and all objects stay valid
 * after dlclose: the library owns threads, so it is linked to stay in memory until the process ends. */
CKPT_API const struct ckpt_api* ckpt_get_api(uint32_t version);

/* ---- Logging ------------------------------------------------------------------------------------------------------------- */

/* The severity of a log message. */
typedef int32_t ckpt_log_level;

#define CKPT_LOG_LEVEL_DEBUG 0   /* details for the development of the library */
#define CKPT_LOG_LEVEL_INFO 1    /* actions and decisions of the library */
#define CKPT_LOG_LEVEL_WARNING 2 /* something went wrong, and the library continues */
#define CKPT_LOG_LEVEL_ERROR 3   /* something failed */

/* Receives one log message. level: one of CKPT_LOG_LEVEL_*. component: the part of the library that logs: "memory", "storage",
 * "state", "async", "engine", "plan" or "pipeline"; later versions may add others. Both strings are borrowed for the call. May run
 * on any thread, and on several at once; may call any function except ckpt_set_log. */
typedef void (*ckpt_log_fn)(ckpt_log_level level, const char* component, const char* message, void* user_data);

/* Sends messages of at least min_level (CKPT_LOG_LEVEL_*) to fn; fn NULL disables logging, which is the initial state. Returns only
 * when the previous callback is no longer running on another thread; its destroy has run by then. INVALID_ARGUMENT for an unknown
 * min_level, INVALID_STATE inside a log callback. Synchronized. */
CKPT_API ckpt_status ckpt_set_log(ckpt_log_level min_level, ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy);

/* Sets the function that receives failures that no caller can receive, unless a log callback was ever set. For bindings of
 * languages that have another mechanism for such failures. fn NULL restores the default, standard error.
 *
 * Such failures are those of background tasks that no caller has received before the manager is released (see Failures at the top
 * of async.h), and exceptions that a C++ program throws in callbacks without a result. Each is logged as an ERROR message. If no
 * log callback was ever set, one line per manager, and one for the first such exception in the process, is reported in addition: to
 * fn (level CKPT_LOG_LEVEL_ERROR), or without fn to standard error. Standard error is used only if descriptor 2 is a terminal, a
 * pipe or a file that was opened for append. The line is written by one call of write, without SIGPIPE and without holding a lock
 * of the library. It is dropped if a pipe or terminal accepts no bytes for one second. The environment variable CKPT_LOG, read when
 * the library is loaded, replaces this rule. "off" reports no line. "stderr" writes each line to standard error, also when fn or a
 * log callback is set or descriptor 2 is another file. The library writes nothing else to standard error, and nothing to standard
 * output.
 *
 * Returns only when the previous function is no longer running on another thread; its destroy has run by then. INVALID_STATE inside
 * a log callback or fn. Synchronized. */
CKPT_API ckpt_status ckpt_set_fallback_log(ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy);

/* ---- Progress ------------------------------------------------------------------------------------------------------------ */

/* Receives the progress of a long call on the same thread: bytes read, written or checked so far, and their total. Called once at
 * the start, then about every 4 MiB, and with done_bytes equal to total_bytes before the long call succeeds. done_bytes never
 * decreases; total_bytes changes only when work is repeated (another checkpoint is tried, a file is written under another name).
 * Runs inside the long call: calls on the objects that the long call uses return INVALID_STATE; other calls are allowed and report
 * no progress, like long calls made inside another callback or a log callback. Returns 0, or another number to stop (reason by
 * ckpt_callback_error): the long call then fails with CALLBACK and makes no further attempt. */
typedef int32_t (*ckpt_progress_fn)(int64_t done_bytes, int64_t total_bytes, void* user_data);

/* Sets the function that receives the progress of the long calls that this thread makes from now on: those that save, load, verify,
 * open, read and map checkpoints and safetensors files, and ckpt_safetensors_write. Counts the bytes of tensors, and those of whole
 * files where files are verified. A save reports all bytes before it commits; a load that its progress function stops may leave
 * tensors partly filled (ckpt_load_result). Background tasks have separate callbacks. progress: NULL (the initial state) disables
 * reporting. destroy runs when another function is set and no call uses this one, or when the thread ends. */
CKPT_API ckpt_status ckpt_set_progress(ckpt_progress_fn progress, void* user_data, ckpt_destroy_fn destroy);

/* ---- Thread hooks -------------------------------------------------------------------------------------------------------- */

/* Runs on a thread of the library, when it starts or before it ends. name is the thread's name, borrowed for the call. */
typedef void (*ckpt_thread_hook_fn)(const char* name, void* user_data);

/* Runs start and stop (one of them may be NULL) on every thread that the library creates from now on. So a virtual machine can
 * attach once per thread instead of once per callback. Several sets of hooks may be active. *id identifies this set.
 * Synchronized. */
CKPT_API ckpt_status ckpt_add_thread_hooks(ckpt_thread_hook_fn start, ckpt_thread_hook_fn stop, void* user_data,
                                           ckpt_destroy_fn destroy, int64_t* id);

/* Removes a set of hooks: threads created later do not run them. Waits until every thread that ran start has run stop, so release
 * the objects that own those threads first. NOT_FOUND for an unknown id; INVALID_STATE on a thread of the library itself. */
CKPT_API ckpt_status ckpt_remove_thread_hooks(int64_t id);

/* Runs on a thread that ckpt_start_thread started; the thread ends when it returns. */
typedef void (*ckpt_thread_fn)(void* user_data);

/* Starts a thread like those of the library, for plug-ins: it runs thread hooks and does not run the program's signal handlers.
 * name (not NULL) is copied; the system shows its first 15 bytes. The thread is never joined: fn reports its end itself. destroy
 * (may be NULL) runs on the thread after fn. OUT_OF_MEMORY when the system cannot create a thread; then neither runs.
 * Synchronized. */
CKPT_API ckpt_status ckpt_start_thread(const char* name, ckpt_thread_fn fn, void* user_data, ckpt_destroy_fn destroy);

/* ---- Clock --------------------------------------------------------------------------------------------------------------- */

/* A monotonic clock. Objects that measure time accept one, so that tests do not depend on real time. Synchronized. */
typedef struct ckpt_clock ckpt_clock;

/* Returns the time in nanoseconds since a fixed, arbitrary moment. Called on any thread. */
typedef int64_t (*ckpt_clock_fn)(void* user_data);

/* Creates a clock that stays at start_ns (>= 0, nanoseconds) until ckpt_clock_advance moves it. */
CKPT_API ckpt_status ckpt_clock_create_manual(int64_t start_ns, ckpt_clock** clock);

/* Creates a clock that calls the function now for its time. destroy (may be NULL) runs once, after the last call. */
CKPT_API ckpt_status ckpt_clock_create_custom(ckpt_clock_fn now, void* user_data, ckpt_destroy_fn destroy, ckpt_clock** clock);

/* Moves a manual clock forward by duration_ns (>= 0). INVALID_STATE for any other clock, OUT_OF_RANGE past INT64_MAX. */
CKPT_API ckpt_status ckpt_clock_advance(ckpt_clock* clock, int64_t duration_ns);

/* Sets *now_ns to the clock's time in nanoseconds; clock NULL asks the system's monotonic clock. */
CKPT_API ckpt_status ckpt_clock_get_now(const ckpt_clock* clock, int64_t* now_ns);

/* Releases the handle. Objects that were created with the clock keep it alive. NULL does nothing. */
CKPT_API void ckpt_clock_release(ckpt_clock* clock);

/* ---- Random -------------------------------------------------------------------------------------------------------------- */

/* Computes one block of Philox4x32-10: four random words from a counter and a key, identical on every machine. Source: Salmon,
 * Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011. */
CKPT_API ckpt_status ckpt_random_philox(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);

/* ---- Threads ------------------------------------------------------------------------------------------------------------- */

/* Returns the number of threads that a CPU-bound computation should use: the processors that this process may run on (affinity
 * mask), at most its cgroup's CPU quota (v1 or v2), rounded up; at least 1. */
CKPT_API int32_t ckpt_available_threads(void);

/* A fixed set of threads that process numbered parts. Owns threads. Synchronized: while the pool is busy with another caller's
 * parts, the calling thread processes its parts alone. */
typedef struct ckpt_worker_pool ckpt_worker_pool;

/* Processes one part (0 .. part_count-1). Runs on a pool thread or on the calling thread, several parts at once; may block; may
 * call any function. A non-zero return stops the run: parts that have not begun are skipped. */
typedef int32_t (*ckpt_part_fn)(int64_t part, void* user_data);

/* Creates a pool. thread_count: 1 .. 1024, the calling thread included; 0: ckpt_available_threads(). */
CKPT_API ckpt_status ckpt_worker_pool_create(int32_t thread_count, ckpt_worker_pool** pool);

/* Runs fn for every part and returns when all are done. part_count >= 0. The assignment of parts to threads is not deterministic.
 * CALLBACK when a part returned non-zero; the message is that of the lowest such part. FORKED in a forked child. Allocates nothing
 * unless a part fails. */
CKPT_API ckpt_status ckpt_worker_pool_run(ckpt_worker_pool* pool, int64_t part_count, ckpt_part_fn fn, void* user_data);

/* Sets *thread_count to the number of threads of the pool, the caller's included. */
CKPT_API ckpt_status ckpt_worker_pool_get_thread_count(const ckpt_worker_pool* pool, int32_t* thread_count);

/* Releases the pool and joins its threads; if called inside one of its parts, they are joined when the current run ends. NULL does
 * nothing. */
CKPT_API void ckpt_worker_pool_release(ckpt_worker_pool* pool);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_BASE_H */
