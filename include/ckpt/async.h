/* async.h - saves (and loads) in the background: training continues as soon as its state is copied, or sooner.
 *
 *   ckpt_async_manager *manager = NULL;
 *   ckpt_async_manager_create(checkpoints, NULL, &manager);
 *
 *   ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
 *   options.step = step;
 *   int64_t id = 0;
 *   ckpt_async_manager_save(manager, state, &options, NULL, &id);       the tensors may change when it returns
 *   ... training continues ...
 *   ckpt_checkpoint_task_result result = CKPT_CHECKPOINT_TASK_RESULT_INIT;
 *   ckpt_async_manager_wait(manager, id, -1, &result);                  result.state: whether it is durable
 *
 *   ckpt_async_manager_close(manager, CKPT_CLOSE_MODE_DRAIN, -1);       writes queued tasks; returns the first unseen failure
 *   ckpt_async_manager_release(manager);
 *
 * A save has two distinct events: *staged* (the library no longer reads the tensors) and *ended* (durable, if it completed). Read
 * the general rules at the top of ckpt.h and state.h first.
 *
 * Failures. A task that ends FAILED is *seen* when ckpt_async_manager_wait for its id has filled a result (also inside a callback).
 * Nothing else marks it as seen: not a wait without a result or for CKPT_CHECKPOINT_TASK_ALL, not the ended callback,
 * ckpt_async_manager_get_task or the log. Each failure that was not seen is *reported* once, the oldest first, one for each call:
 * by the next ckpt_async_manager_save or ckpt_async_manager_load, which then does nothing else, or by ckpt_async_manager_close,
 * which still closes the manager. The call returns the task's status; the message names the task and the number of failures that
 * are still to be reported. Cancelled and rejected tasks are not failures.
 *
 * After the release of the manager no caller can receive the remaining failures. Each of them is then logged as an ERROR message.
 * If no log callback was ever set, they are reported in one line on standard error; ckpt_set_fallback_log documents this rule. The
 * same applies to tasks that the release cancels because draining exceeds drain_timeout_ns, unless that is 0. The next save of the
 * same storage that completes in this process returns their number and the oldest one: unreported_failures, unreported_status and
 * unreported_error of ckpt_save_result and ckpt_checkpoint_task_result. ckpt_async_manager_get_stats reports them before the
 * release.
 *
 * Log. The component is "async", every message about a task names its id and step. INFO: manager created, shutting down and shut
 * down; workers started and stopped; tasks queued, processing, completed and cancelled. WARNING: tasks rejected. ERROR: tasks
 * failed; at the release, failures that were neither seen nor reported, and tasks that it cancelled.
 *
 * A beginner needs:
 *
 *   ckpt_async_manager_create, ckpt_async_manager_save
 *   ckpt_async_manager_wait              reports how a save ended
 *   ckpt_async_manager_close, ckpt_async_manager_release
 */
#ifndef CKPT_ASYNC_H
#define CKPT_ASYNC_H

#include <ckpt/base.h>
#include <ckpt/memory.h>
#include <ckpt/state.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Callbacks ----------------------------------------------------------------------------------------------------------- */

/* The state of a task, or how it ended. A task changes from QUEUED to RUNNING to one of the final states, or from QUEUED directly
 * to a final state; a final state never changes. */
typedef int32_t ckpt_checkpoint_task_state;

#define CKPT_CHECKPOINT_TASK_STATE_QUEUED 0    /* admitted; being copied, or waiting for a worker or its gate */
#define CKPT_CHECKPOINT_TASK_STATE_RUNNING 1   /* a worker has begun */
#define CKPT_CHECKPOINT_TASK_STATE_COMPLETED 2 /* a save is durable; a load has filled the state */
#define CKPT_CHECKPOINT_TASK_STATE_FAILED 3    /* an error stopped it */
#define CKPT_CHECKPOINT_TASK_STATE_CANCELLED 4 /* stopped on request */
#define CKPT_CHECKPOINT_TASK_STATE_REJECTED 5  /* refused because the queue was full, or dropped for a newer one */

/* The operation of a task. */
typedef int32_t ckpt_checkpoint_task_kind;

#define CKPT_CHECKPOINT_TASK_KIND_SAVE 0 /* saves a state */
#define CKPT_CHECKPOINT_TASK_KIND_LOAD 1 /* loads a state */

/* How a background task ended. */
typedef struct ckpt_checkpoint_task_result {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* final state of the task: CKPT_CHECKPOINT_TASK_STATE_COMPLETED, CKPT_CHECKPOINT_TASK_STATE_FAILED,
   * CKPT_CHECKPOINT_TASK_STATE_CANCELLED or CKPT_CHECKPOINT_TASK_STATE_REJECTED */
  ckpt_checkpoint_task_state state;
  /* CKPT_OK when completed, CKPT_E_CANCELLED when cancelled, CKPT_E_QUEUE_FULL when rejected, else the error */
  ckpt_status status;
  ckpt_checkpoint_task_kind kind; /* kind of task: CKPT_CHECKPOINT_TASK_KIND_SAVE or CKPT_CHECKPOINT_TASK_KIND_LOAD */
  int64_t id;                     /* id of the task */
  /* number of the step: of a save, in any final state; of the checkpoint that a load loaded, 0 unless completed */
  int64_t step;
  int64_t bytes; /* bytes of the files that are durable, or that were loaded; 0 unless completed */
  /* number of operations that the manager's fault handler retried, and of files that were written again */
  int64_t retries;
  /* nanoseconds from the start of the task by a worker to its end; 0 when none started it */
  int64_t duration_ns;
  int64_t stall_ns; /* nanoseconds for which the call that created the task blocked its caller: admission and staging */
  /* nanoseconds from the call that created the task until it was durable (loaded); 0 unless completed */
  int64_t durable_ns;
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage; empty unless completed */
  /* reason why the task did not complete: one line of UTF-8, truncated at a character boundary; empty when completed */
  char error[256];
  /* generation of a save's line, which increases with each roll-back; 0 in a storage without roll-backs, and when rejected */
  int64_t generation;
  /* 1 when the generation began with this save, which was accepted although its step does not exceed the newest step, else 0 */
  ckpt_bool rolled_back;
  ckpt_bool metric_ignored; /* 1 when the metric of a save was not finite, so that the checkpoint has none, else 0 */
  /* number of failures of earlier background tasks of the storage that no caller has received (see ckpt_save_result); of a save
   * that completed, else 0 */
  int64_t unreported_failures;
  ckpt_status unreported_status; /* status of the oldest of the unreported failures; CKPT_OK when there are none */
  int32_t reserved;              /* not used: 0 */
  /* the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there are none */
  char unreported_error[256];
} ckpt_checkpoint_task_result;

#define CKPT_CHECKPOINT_TASK_RESULT_INIT \
  { sizeof(ckpt_checkpoint_task_result), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "", "", 0, 0, 0, 0, 0, 0, "" }

/* Notifies that a save is staged: its tensors may change. stall_ns: as in ckpt_checkpoint_task_result. Threads and timing: see
 * ckpt_checkpoint_task_callbacks. */
typedef void (*ckpt_checkpoint_task_staged_fn)(int64_t id, int64_t stall_ns, void* user_data);

/* Notifies of a task's progress: bytes written (by a load: read) so far, and their total. Called about every 4 MiB, less often if
 * the callback is slower than the transfer. Threads and timing: see ckpt_checkpoint_task_callbacks. */
typedef void (*ckpt_checkpoint_task_progress_fn)(int64_t id, int64_t done_bytes, int64_t total_bytes, void* user_data);

/* Notifies that a task has ended: exactly once for every admitted task, in any final state, after its other notifications, before
 * any wait for it outside callbacks returns; result is valid during the call only. Threads and timing: see
 * ckpt_checkpoint_task_callbacks. */
typedef void (*ckpt_checkpoint_task_ended_fn)(const ckpt_checkpoint_task_result* result, void* user_data);

/* The functions that are notified of background tasks. Any of them may be NULL. Each runs on a thread of the manager, or on the
 * thread that saved, cancelled, dropped or closed, without holding a lock of the library. Callbacks of one task never run at the
 * same time, those of several tasks may. Events of a task that occur while one of its callbacks runs are reported when it returns.
 * A worker starts its next task after all events of the previous one were reported, so callbacks should be short. With one worker,
 * the ends of tasks are reported in the order in which they ran. The following applies inside these callbacks. It also applies
 * inside a task's source, a stateful object's list or restore, a log callback, and a destroy function that the manager calls.
 *
 * Functions that may be called:
 * - the queries: ckpt_async_manager_get_task, ckpt_async_manager_list, ckpt_async_manager_get_stats,
 *   ckpt_async_manager_get_save_result, ckpt_async_manager_get_load_result
 * - ckpt_async_manager_cancel, ckpt_async_manager_end_step, ckpt_async_manager_release
 *
 * Functions that return INVALID_STATE at once, because they would wait:
 * - ckpt_async_manager_save, ckpt_async_manager_load, ckpt_async_manager_close: always
 * - ckpt_async_manager_wait, ckpt_async_manager_wait_staged: unless the awaited event has occurred or timeout_ns is 0 */
typedef struct ckpt_checkpoint_task_callbacks {
  uint32_t struct_size;                      /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                         /* not used: 0 */
  ckpt_checkpoint_task_staged_fn staged;     /* called when a save is staged: its tensors may change */
  ckpt_checkpoint_task_progress_fn progress; /* called with the bytes written or read so far, about every 4 MiB */
  ckpt_checkpoint_task_ended_fn ended;       /* called last, exactly once: the task has ended, its tensors are no longer read */
} ckpt_checkpoint_task_callbacks;

#define CKPT_CHECKPOINT_TASK_CALLBACKS_INIT \
  { sizeof(ckpt_checkpoint_task_callbacks), 0, 0, 0, 0 }

/* ---- Manager ------------------------------------------------------------------------------------------------------------- */

/* A manager of background tasks of one ckpt_checkpoint_manager, which it keeps alive. Owns threads. Synchronized. In a forked child
 * every call except release returns FORKED. */
typedef struct ckpt_async_manager ckpt_async_manager;

/* Allocates a block of memory for copies instead of the library: pinned memory, for faster copies from a device, or memory of one
 * NUMA node. bytes: whole pages of 4 KiB, at most 4 MiB; *memory receives the address, a multiple of 4096, or NULL (OUT_OF_MEMORY).
 * Runs inside the saves that need the block, one call at a time for each save, and inside ckpt_async_manager_create if
 * prepare_bytes > 0; calls of this manager inside it return INVALID_STATE. A non-zero return fails that save or creation with
 * CALLBACK. */
typedef int32_t (*ckpt_staging_allocate_fn)(int64_t bytes, void** memory, void* user_data);

/* Releases a block that ckpt_staging_allocate_fn returned, with its size. Runs after the manager and its tasks are destroyed, on
 * any thread; not in a forked child. */
typedef void (*ckpt_staging_free_fn)(void* memory, int64_t bytes, void* user_data);

/* Options for creating a manager of background tasks. */
typedef struct ckpt_async_manager_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* number of worker threads that write and load, 1 .. 16; default 1. Each uses another thread for checksums. Saves of one
   * checkpoint manager wait for one another, so more than 1 speeds up only loads */
  int32_t workers;
  int64_t capacity; /* maximum number of tasks that have not ended, 1 .. 65536; default 10 */
  int64_t history;  /* number of ended tasks that can still be queried, 1 .. 1048576; default 100 */
  /* maximum bytes of memory for copies, >= 65536; default 1 GiB. Allocated on first use, then kept. A larger state is copied in
   * waves: the save returns when the last wave is copied */
  int64_t staging_bytes;
  /* bytes of memory for copies that are allocated and touched when the manager is created, so that the first saves are as fast as
   * later ones; 0 .. staging_bytes */
  int64_t prepare_bytes;
  int64_t bytes_per_second; /* limit of the write rate, in bytes per second; 0: none */
  /* time in nanoseconds for which the release of the manager waits for tasks; -1: forever; default 30 s */
  int64_t drain_timeout_ns;
  /* number of threads that copy, the calling one included, 1 .. 1024; 0 (the default): the threads that this process may use, at
   * most 4 */
  int32_t staging_threads;
  /* niceness of the manager's threads, above that of the process: 0 .. 19, where 19 is the least favourable */
  int32_t nice;
  const ckpt_checkpoint_task_callbacks* callbacks; /* functions that are notified of all tasks; copied; NULL: none */
  void* user_data;                                 /* passed to each call of the callbacks */
  ckpt_destroy_fn destroy; /* called once with user_data, after the last call of the callbacks; may be NULL */
  /* allocates the memory for copies; set together with staging_free; NULL: the library allocates */
  ckpt_staging_allocate_fn staging_allocate;
  ckpt_staging_free_fn staging_free; /* releases blocks of staging_allocate; set together with it */
  void* staging_user_data;           /* passed to each call of staging_allocate and staging_free */
  ckpt_destroy_fn staging_destroy;   /* called once with staging_user_data after the last call of staging_free; may be NULL */
  /* tracker that counts the memory for copies, as allocations of the layer "checkpoint staging" with the lifetime of the manager;
   * kept alive; NULL: none */
  ckpt_memory_tracker* tracker;
} ckpt_async_manager_options;

#define CKPT_ASYNC_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_async_manager_options), 1, 10, 100, 1073741824, 0, 0, 30000000000, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Creates a manager with its threads. options: NULL for the defaults. If this function fails, destroy does not run. OUT_OF_MEMORY
 * if the system cannot create a thread. */
CKPT_API ckpt_status ckpt_async_manager_create(ckpt_checkpoint_manager* checkpoints, const ckpt_async_manager_options* options,
                                               ckpt_async_manager** manager);

/* The treatment of unfinished tasks when a manager is closed. */
typedef int32_t ckpt_close_mode;

#define CKPT_CLOSE_MODE_DRAIN 0  /* queued tasks are completed first */
#define CKPT_CLOSE_MODE_CANCEL 1 /* queued and uncommitted tasks are cancelled */
/* queued tasks are completed first; a failure that the call returns does not count as reported, so the release of the manager
 * reports it again. For the end of a scope that cannot raise an error */
#define CKPT_CLOSE_MODE_DRAIN_UNREPORTED 2

/* Closes the manager: accepts no new tasks, ends the tasks as mode specifies, and stops the threads; all callbacks have returned by
 * then. timeout_ns: maximum time for draining (-1: forever); after that, remaining tasks are cancelled and the call returns
 * TIMEOUT. A failure that was not seen is reported here (see Failures at the top of async.h; its message also names the time-out),
 * and the manager is still closed. Closing again reports the next failure, and returns OK when there is none. INVALID_STATE inside
 * a callback: the manager stays open. */
CKPT_API ckpt_status ckpt_async_manager_close(ckpt_async_manager* manager, ckpt_close_mode mode, int64_t timeout_ns);

/* Releases the manager; an open manager is closed by draining for drain_timeout_ns. Failures that were neither seen nor reported,
 * and tasks that are cancelled here, are reported as described under Failures at the top of async.h. Threads that wait for tasks
 * may still be inside their call, which returns when their task ends. Inside a callback it returns at once: the manager's threads
 * complete the release, or, if a call of this manager runs the callback, that call does before it returns. NULL does nothing. */
CKPT_API void ckpt_async_manager_release(ckpt_async_manager* manager);

/* ---- Tasks --------------------------------------------------------------------------------------------------------------- */

/* How the bytes of a save are staged. */
typedef int32_t ckpt_staging_mode;

#define CKPT_STAGING_MODE_COPY \
  0 /* the tensors of a save are copied, by several threads, before the call returns: the save is then staged */
/* the tensors of a save are never copied as a whole: no caller may write to them until the save is staged, shortly before it ends.
 * If a write is detected, the save fails with CKPT_E_INVALID_STATE; in any case the checksums of a checkpoint match its bytes */
#define CKPT_STAGING_MODE_BORROW 1
/* the tensors of a save are copied in the background: no caller may write to them until the save is staged, after the copy */
#define CKPT_STAGING_MODE_DEFERRED 2

/* The treatment of a new task when the queue is full. */
typedef int32_t ckpt_when_full;

#define CKPT_WHEN_FULL_REFUSE 0 /* fails with CKPT_E_QUEUE_FULL at once */
/* waits for a place until the time-out expires, then fails with CKPT_E_QUEUE_FULL; waiting without a time-out opens all gates */
#define CKPT_WHEN_FULL_WAIT 1
/* drops the oldest task that no worker has started, which ends CKPT_CHECKPOINT_TASK_STATE_REJECTED; fails with CKPT_E_QUEUE_FULL if
 * there is none */
#define CKPT_WHEN_FULL_DROP_OLDEST 2

/* The order in which tasks start. */
typedef int32_t ckpt_priority;

#define CKPT_PRIORITY_LOW (-1) /* starts after all tasks of a higher priority */
#define CKPT_PRIORITY_NORMAL 0 /* starts after tasks of high priority and before tasks of low priority */
#define CKPT_PRIORITY_HIGH 1   /* starts before all tasks of a lower priority */

/* Copies bytes of a tensor into buffer, for memory that the library cannot read itself. data: the pointer that was passed to
 * ckpt_tensor_create_borrowed, which need not be an address in this process; group and name are valid during the call. Runs on the
 * saving thread or on others, and on several at once; reads each byte of a tensor at least once. Inside it, calls that would wait
 * for the manager or that use its checkpoint manager return INVALID_STATE. Returns 0, or another number for an error: the save then
 * fails with CALLBACK. */
typedef int32_t (*ckpt_checkpoint_task_source_fn)(const char* group, const char* name, const void* data, int64_t offset,
                                                  int64_t bytes, void* buffer, void* user_data);

/* Options of one background task. */
typedef struct ckpt_checkpoint_task_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* how the bytes of a save are staged: CKPT_STAGING_MODE_COPY, CKPT_STAGING_MODE_BORROW or CKPT_STAGING_MODE_DEFERRED; ignored by
   * loads; default CKPT_STAGING_MODE_COPY */
  ckpt_staging_mode mode;
  /* what happens when the queue is full: CKPT_WHEN_FULL_REFUSE, CKPT_WHEN_FULL_WAIT (the default) or
   * CKPT_WHEN_FULL_DROP_OLDEST */
  ckpt_when_full when_full;
  /* one of CKPT_PRIORITY_*: tasks of higher priority start first, of equal priority the older ones; default CKPT_PRIORITY_NORMAL */
  ckpt_priority priority;
  int64_t timeout_ns; /* how long CKPT_WHEN_FULL_WAIT waits for a place, in nanoseconds; -1: forever; default 60 s */
  /* the task starts only after ckpt_async_manager_end_step was called with this step or a later one. Read only when has_gate_step
   * is not 0. Waiting for the task, closing, a save that needs its memory, or a call that waits for a place without a time-out
   * opens the gate. A task at a closed gate does not block a worker: other tasks start before it */
  int64_t gate_step;
  ckpt_bool has_gate_step; /* whether gate_step is set: 0 no, then the task waits for no step; other values yes */
  uint32_t reserved;       /* not used: 0 */
  /* functions that are notified of this task, after those of the manager; copied; NULL: none */
  const ckpt_checkpoint_task_callbacks* callbacks;
  void* user_data;         /* passed to each call of the callbacks */
  ckpt_destroy_fn destroy; /* called once with user_data, after the last call of the callbacks; may be NULL */
  /* reads the tensors instead of the library; NULL: they are read from memory. Not allowed with CKPT_STAGING_MODE_BORROW */
  ckpt_checkpoint_task_source_fn source;
  void* source_user_data;         /* passed to each call of source */
  ckpt_destroy_fn source_destroy; /* called once with source_user_data, after the last call of source; may be NULL */
} ckpt_checkpoint_task_options;

#define CKPT_CHECKPOINT_TASK_OPTIONS_INIT                                                                                          \
  {                                                                                                                                \
    sizeof(ckpt_checkpoint_task_options), CKPT_STAGING_MODE_COPY, CKPT_WHEN_FULL_WAIT, CKPT_PRIORITY_NORMAL, 60000000000, 0, 0, 0, \
        0, 0, 0, 0, 0, 0                                                                                                           \
  }

/* Saves state in the background; *id receives the task's id, which is positive and never reused. With CKPT_STAGING_MODE_COPY it
 * returns when the tensors are copied, else at once; JSON values and the list of tensors are always copied, and the list callbacks
 * of stateful objects run inside this call. Refuses the same arguments as ckpt_checkpoint_manager_save. options and task: NULL for
 * the defaults. QUEUE_FULL as task->when_full specifies: the refused save is listed as REJECTED. If an earlier task failed and was
 * not seen, returns that failure and saves nothing. INVALID_STATE inside a callback; CLOSED. If this function fails, destroy
 * functions do not run. */
CKPT_API ckpt_status ckpt_async_manager_save(ckpt_async_manager* manager, const ckpt_state* state, const ckpt_save_options* options,
                                             const ckpt_checkpoint_task_options* task, int64_t* id);

/* Loads into state in the background, by the rules of ckpt_checkpoint_manager_load, restore callbacks of stateful objects included:
 * they run on the worker. Until the task has ended, all other calls with the state, on any thread, return INVALID_STATE, another
 * load or save included. A load in place can be cancelled until it reads its first tensor. Options and errors as
 * ckpt_async_manager_save. */
CKPT_API ckpt_status ckpt_async_manager_load(ckpt_async_manager* manager, ckpt_state* state, const ckpt_load_options* options,
                                             const ckpt_checkpoint_task_options* task, int64_t* id);

/* Asks a task to stop. *cancelled (may be NULL) receives 1 if the task ends CANCELLED because of this call, and leaves no files; 0
 * if the task had ended, was cancelled before, or can no longer be undone (the manifest of a save is being written; the tensors of
 * a load are being filled). A queued task ends, and releases its place, before this returns; a running one ends within its next 4
 * MiB. Another thread may still copy a block of the tensors: change or free them only after a wait for the task, or in its ended
 * callback. NOT_FOUND for an id that is unknown or no longer in the history. Not async-signal-safe. */
CKPT_API ckpt_status ckpt_async_manager_cancel(ckpt_async_manager* manager, int64_t id, ckpt_bool* cancelled);

#define CKPT_CHECKPOINT_TASK_ALL 0 /* task id that stands for all tasks that have not ended at the time of the call */

/* Waits until a save is staged or has ended: its tensors may be written. id: CKPT_CHECKPOINT_TASK_ALL waits for all saves.
 * timeout_ns: nanoseconds, -1 forever. TIMEOUT; NOT_FOUND as ckpt_async_manager_cancel; INVALID_STATE inside a callback. */
CKPT_API ckpt_status ckpt_async_manager_wait_staged(ckpt_async_manager* manager, int64_t id, int64_t timeout_ns);

/* Waits until the task has ended, in any final state, and its callbacks have returned (inside a callback: or will return). *result
 * receives the outcome, and a failure counts as seen; result may be NULL, and then a failure does not count as seen. id:
 * CKPT_CHECKPOINT_TASK_ALL waits for all tasks; result must be NULL then. Errors as ckpt_async_manager_wait_staged. */
CKPT_API ckpt_status ckpt_async_manager_wait(ckpt_async_manager* manager, int64_t id, int64_t timeout_ns,
                                             ckpt_checkpoint_task_result* result);

/* Fills *result as ckpt_checkpoint_manager_save does. INVALID_STATE unless the task is a save that has completed; NOT_FOUND. */
CKPT_API ckpt_status ckpt_async_manager_get_save_result(ckpt_async_manager* manager, int64_t id, ckpt_save_result* result);

/* Fills *result as ckpt_checkpoint_manager_load does. INVALID_STATE unless the task is a load that has completed; NOT_FOUND. */
CKPT_API ckpt_status ckpt_async_manager_get_load_result(ckpt_async_manager* manager, int64_t id, ckpt_load_result* result);

/* Reports that a step has ended: tasks with a gate_step up to this step may start. A lower step than before has no effect. */
CKPT_API ckpt_status ckpt_async_manager_end_step(ckpt_async_manager* manager, int64_t step);

/* ---- Queries ------------------------------------------------------------------------------------------------------------- */

/* Information about one background task. */
typedef struct ckpt_checkpoint_task_info {
  uint32_t struct_size;           /* size of this struct in bytes, in the caller's build */
  ckpt_checkpoint_task_kind kind; /* kind of task: CKPT_CHECKPOINT_TASK_KIND_SAVE or CKPT_CHECKPOINT_TASK_KIND_LOAD */
  /* state of the task: CKPT_CHECKPOINT_TASK_STATE_QUEUED, CKPT_CHECKPOINT_TASK_STATE_RUNNING or its final state */
  ckpt_checkpoint_task_state state;
  ckpt_bool staged;      /* 1 when the tensors of a save may be written, else 0 */
  int64_t id;            /* id of the task */
  int64_t step;          /* number of the step to be saved; 0 for a load */
  int64_t done_bytes;    /* bytes written (by a load: read) so far */
  int64_t total_bytes;   /* total bytes of tensors and headers to be written or read; 0 until a load has determined it */
  int64_t queued_at_ns;  /* when it was queued, in nanoseconds on the system's monotonic clock */
  int64_t started_at_ns; /* when a worker started it, in nanoseconds on the system's monotonic clock; 0 when none has */
  int64_t ended_at_ns;   /* when it ended, in nanoseconds on the system's monotonic clock; 0 when it has not ended */
  /* when it was queued, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; that clock may be set at any
   * time, so compute differences from the monotonic times */
  int64_t queued_utc_ns;
  /* when a worker started it, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; 0 when none has */
  int64_t started_utc_ns;
  /* when it ended, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock, for display; 0 when it has not ended */
  int64_t ended_utc_ns;
} ckpt_checkpoint_task_info;

#define CKPT_CHECKPOINT_TASK_INFO_INIT \
  { sizeof(ckpt_checkpoint_task_info), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *task with the current information about a task. NOT_FOUND as ckpt_async_manager_cancel. */
CKPT_API ckpt_status ckpt_async_manager_get_task(ckpt_async_manager* manager, int64_t id, ckpt_checkpoint_task_info* task);

/* A list of tasks. */
typedef int32_t ckpt_checkpoint_task_list;

#define CKPT_CHECKPOINT_TASK_LIST_LIVE 0 /* the tasks that have not ended, the oldest first */
/* the tasks that have ended and are in the history, in the order in which they ended */
#define CKPT_CHECKPOINT_TASK_LIST_ENDED 1

/* Lists ids of tasks. which: CKPT_CHECKPOINT_TASK_LIST_LIVE or CKPT_CHECKPOINT_TASK_LIST_ENDED. *count receives how many there are;
 * ids (may be NULL with capacity 0) the first capacity of them. */
CKPT_API ckpt_status ckpt_async_manager_list(ckpt_async_manager* manager, ckpt_checkpoint_task_list which, int64_t* ids,
                                             int64_t capacity, int64_t* count);

/* Counters and current state of a manager of background tasks. */
typedef struct ckpt_async_manager_stats {
  uint32_t struct_size;          /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;             /* not used: 0 */
  int64_t live_tasks;            /* number of tasks that have not ended */
  int64_t running_tasks;         /* number of tasks that a worker has started and that have not ended */
  int64_t completed_tasks;       /* number of tasks that completed since the manager was created */
  int64_t failed_tasks;          /* number of tasks that failed since the manager was created */
  int64_t cancelled_tasks;       /* number of tasks that were cancelled since the manager was created */
  int64_t rejected_tasks;        /* number of tasks that were rejected since the manager was created */
  int64_t in_flight_bytes;       /* bytes of saves that have not ended and are not written yet */
  int64_t written_bytes;         /* bytes written by all tasks */
  int64_t staging_bytes;         /* bytes of memory that was allocated for copies */
  int64_t stall_ns;              /* nanoseconds for which callers were blocked, in total */
  int64_t last_stall_ns;         /* nanoseconds for which the last staged save blocked its caller */
  int64_t unreported_failures;   /* number of failed tasks that no caller has seen and that were not reported */
  ckpt_status unreported_status; /* status of the oldest of the unreported failures; CKPT_OK when there are none */
  int32_t reserved2;             /* not used: 0 */
  /* the oldest of the unreported failures: one line of UTF-8, truncated at a character boundary; empty when there are none */
  char unreported_error[256];
} ckpt_async_manager_stats;

#define CKPT_ASYNC_MANAGER_STATS_INIT \
  { sizeof(ckpt_async_manager_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, "" }

/* Fills *stats with counters of the manager's tasks and bytes: a snapshot while tasks are active. */
CKPT_API ckpt_status ckpt_async_manager_get_stats(ckpt_async_manager* manager, ckpt_async_manager_stats* stats);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_ASYNC_H */
