/* state.h - durable checkpoints of training state: a crash at any moment loses no acknowledged checkpoint, loads verify every
 * checksum, and every tool that reads safetensors can read the files.
 *
 *   ckpt_state *state = NULL;                                  the data to save: named groups of named tensors, JSON values
 *   ckpt_state_create(&state);
 *   ckpt_state_add_tensor(state, "model", "weight", weight);
 *   ckpt_state_set_json(state, CKPT_STATE_DATA_POSITION, "{\"byte\":4096}");
 *
 *   ckpt_checkpoint_manager *manager = NULL;                        the checkpoints in one storage
 *   ckpt_checkpoint_manager_create(storage, NULL, &manager);
 *
 *   ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;           resume: NOT_FOUND if no checkpoint exists yet
 *   if (ckpt_checkpoint_manager_load(manager, state, NULL, &loaded) == CKPT_OK) first_step = loaded.step;
 *
 *   ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
 *   options.step = step;
 *   ckpt_checkpoint_manager_save(manager, state, &options, NULL);   durable when it returns
 *
 * docs/reference/file-format.md describes the bytes on disk. Read the general rules at the top of ckpt.h first.
 *
 * A beginner needs:
 *
 *   ckpt_state_create, ckpt_state_add_tensor, ckpt_state_set_json
 *   ckpt_checkpoint_manager_create       over a storage
 *   ckpt_checkpoint_manager_save, _load, _list
 *   ckpt_checkpoint_manager_release, ckpt_state_release
 */
#ifndef CKPT_STATE_H
#define CKPT_STATE_H

#include <ckpt/base.h>
#include <ckpt/storage.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State --------------------------------------------------------------------------------------------------------------- */

/* The data that is saved and restored: groups of named tensors, and JSON values by key. Not synchronized: one thread at a time, and
 * no other use during a save or load of it. */
typedef struct ckpt_state ckpt_state;

/* Keys of JSON values that have separate fields in the manifest, so that other tools find them. */
/* key of the JSON value for the position in the training data; the manifest has a separate field for it */
#define CKPT_STATE_DATA_POSITION "data_position"
/* key of the JSON value for the state of a controller; the manifest has a separate field for it */
#define CKPT_STATE_CONTROLLER "controller"

/* Creates an empty state. */
CKPT_API ckpt_status ckpt_state_create(ckpt_state** state);

/* Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory. group: created if it is
 * new; each group becomes one file ("model" -> model.safetensors). Not blank, at most 64 bytes.
 * name: not blank, not "__metadata__"; ALREADY_EXISTS if the group has it.
 * OUT_OF_RANGE if the product of the lengths, computed from left to right up to the first 0, exceeds INT64_MAX. */
CKPT_API ckpt_status ckpt_state_add_tensor(ckpt_state* state, const char* group, const char* name, ckpt_tensor* tensor);

/* Adds a tensor that is sharded over the ranks of a run: each rank adds the same name, dtype and global shape, and then adds its
 * blocks (zero or more) by ckpt_state_add_block. Tensors of ckpt_state_add_tensor are replicated: every rank has the whole tensor,
 * and it is saved once. group, name: as in ckpt_state_add_tensor. shape: ndim (0 .. 8) lengths, >= 0; NULL only when ndim is 0. The
 * blocks of all ranks must cover the tensor; several ranks may have the same block, otherwise blocks must not overlap. Else a save
 * fails with INVALID_ARGUMENT that names the missing or overlapping part. */
CKPT_API ckpt_status ckpt_state_add_sharded_tensor(ckpt_state* state, const char* group, const char* name, ckpt_dtype dtype,
                                                   const int64_t* shape, int32_t ndim);

/* Adds one block of this rank to a tensor of ckpt_state_add_sharded_tensor. tensor is shared and kept alive, not copied; it has the
 * dtype of the sharded tensor, and the lengths of the block as its shape (a length may be 0). offsets: first index of the block in
 * each dimension, ndim of them. NOT_FOUND without such a tensor; INVALID_ARGUMENT for another dtype or number of dimensions;
 * OUT_OF_RANGE for a block that exceeds the global shape; UNSUPPORTED for elements of less than a byte if the block does not begin
 * and end on whole bytes in its last dimension. */
CKPT_API ckpt_status ckpt_state_add_block(ckpt_state* state, const char* group, const char* name, const int64_t* offsets,
                                          int32_t ndim, ckpt_tensor* tensor);

/* Sets *tensor_count to the number of tensors in all groups. */
CKPT_API ckpt_status ckpt_state_get_tensor_count(const ckpt_state* state, int64_t* tensor_count);

/* Sets the value of a key, replacing an earlier value. key: not blank. json: one JSON value, copied. Integers must fit in 64 bits,
 * other numbers are IEEE doubles; no duplicate keys in an object; nesting depth at most 48. */
CKPT_API ckpt_status ckpt_state_set_json(ckpt_state* state, const char* key, const char* json);

/* Writes the value of a key as JSON without insignificant white space, by the (buffer, capacity, *needed) rule of ckpt.h. NOT_FOUND
 * when the key has none. */
CKPT_API ckpt_status ckpt_state_get_json(const ckpt_state* state, const char* key, char* buffer, int64_t capacity, int64_t* needed);

/* Sets *key_count to the number of keys that have a value. */
CKPT_API ckpt_status ckpt_state_get_key_count(const ckpt_state* state, int64_t* key_count);

/* Writes the key at index (0 .. key_count-1, else OUT_OF_RANGE) among the keys that have a value, in ascending order of their
 * bytes, by the (buffer, capacity, *needed) rule of ckpt.h. */
CKPT_API ckpt_status ckpt_state_get_key(const ckpt_state* state, int64_t index, char* buffer, int64_t capacity, int64_t* needed);

/* Declares that the tensors of a group rarely change (rarely other than 0) or revokes that (0, the initial state): a save with
 * ckpt_save_options.incremental does not write the group's file again if none of them has changed since the previous checkpoint.
 * The group need not exist yet. */
CKPT_API ckpt_status ckpt_state_set_rarely_changes(ckpt_state* state, const char* group, ckpt_bool rarely);

/* Writes a report of the last successful load into this state (missing, unexpected and skipped items), as JSON by the (buffer,
 * capacity, *needed) rule of ckpt.h:
 *   {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
 *    "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
 *    "by_rank":["data_position"]}
 * missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints that the load skipped, newest
 * first, each with its error. It includes a damaged commit record ("name" is its path) if only the manifest's digest in it shows
 * that the checkpoint was committed. ckpt_load_result.skipped is their number. by_rank: keys with values that differed between the
 * ranks that saved, and were not loaded because the number of ranks is different now; absent if there are none.
 * ckpt_checkpoint_manager_get_rank_values reads these values. */
CKPT_API ckpt_status ckpt_state_get_load_report(const ckpt_state* state, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the state. NULL does nothing. */
CKPT_API void ckpt_state_release(ckpt_state* state);

/* Lists the contents of an object, for every save and load: adds tensors and JSON values to into, an empty state that is valid
 * during the call only. Runs on the thread that saves or loads. Returns 0, or another number for an error (reason by
 * ckpt_callback_error): the save or load then fails with CALLBACK. Inside it, calls on the state and the manager of the save or
 * load return INVALID_STATE. */
typedef int32_t (*ckpt_stateful_list_fn)(ckpt_state* into, void* user_data);

/* Notifies an object that it was restored: its tensors have their new contents; loaded, valid during the call only, holds the
 * values (ckpt_state_get_json). Runs on the thread that loads. Returns 0, or another number for an error (reason by
 * ckpt_callback_error): the load then fails with CALLBACK. Inside it, calls on the state and the manager of the load return
 * INVALID_STATE. */
typedef int32_t (*ckpt_stateful_restore_fn)(const ckpt_state* loaded, void* user_data);

/* The functions of a stateful object: it lists its contents for every save and load, and is notified when it was restored. */
typedef struct ckpt_stateful_callbacks {
  uint32_t struct_size;             /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                /* not used: 0 */
  ckpt_stateful_list_fn list;       /* lists the contents of the object; must not be NULL */
  ckpt_stateful_restore_fn restore; /* called after the object was restored; may be NULL */
} ckpt_stateful_callbacks;

#define CKPT_STATEFUL_CALLBACKS_INIT \
  { sizeof(ckpt_stateful_callbacks), 0, 0, 0 }

/* Adds an object to a state. name: not blank, at most 32 bytes, no '.'; ALREADY_EXISTS if an object of the state has it. Group "g"
 * and key "k" of the object are "name.g" and "name.k" in checkpoints; after a load, keys of the state that begin with "name."
 * belong to the object. callbacks are copied. destroy (may be NULL) runs once, when the last state that holds the object is
 * released; if this function fails, it does not run.
 * An error of list fails a save or load before it begins; an error of restore fails a load after tensors and values were loaded. */
CKPT_API ckpt_status ckpt_state_add_stateful(ckpt_state* state, const char* name, const ckpt_stateful_callbacks* callbacks,
                                             void* user_data, ckpt_destroy_fn destroy);

/* ---- Coordinators -------------------------------------------------------------------------------------------------------- */

/* The ranks of the processes of one run, and the collective operations for a checkpoint of many processes. Synchronized if its
 * callbacks are. */
typedef struct ckpt_coordinator ckpt_coordinator;

/* Waits until every process has called it. Returns 0, CKPT_E_TIMEOUT if not all have called it within timeout_ns nanoseconds, or
 * another number for an error (reason by ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_barrier_fn)(int64_t timeout_ns, void* user_data);

/* Sends root's bytes to all processes: data is read on root and written on the others. Returns 0, CKPT_E_TIMEOUT if not all have
 * called it within timeout_ns nanoseconds, or another number for an error (reason by ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_broadcast_fn)(void* data, int64_t bytes, int64_t root, int64_t timeout_ns, void* user_data);

/* Sends the bytes of every process to all: received holds world_size * bytes bytes, in the order of ranks. Returns 0,
 * CKPT_E_TIMEOUT if not all have called it within timeout_ns nanoseconds, or another number for an error (reason by
 * ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_all_gather_fn)(const void* sent, int64_t bytes, int64_t timeout_ns, void* received,
                                                  void* user_data);

/* Sends the bytes of every process to root: received holds world_size * bytes bytes on root, in the order of ranks, and is NULL on
 * the others. Returns 0, CKPT_E_TIMEOUT if not all have called it within timeout_ns nanoseconds, or another number for an error
 * (reason by ckpt_callback_error). A process other than root may return before root has its bytes. */
typedef int32_t (*ckpt_coordinator_gather_fn)(const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns, void* received,
                                              void* user_data);

/* The functions of a custom coordinator, and the rank of its process. */
typedef struct ckpt_coordinator_callbacks {
  uint32_t struct_size;                      /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                         /* not used: 0 */
  int64_t rank;                              /* number of this process, 0 .. world_size - 1 */
  int64_t world_size;                        /* number of processes, >= 1; default 1 */
  ckpt_coordinator_barrier_fn barrier;       /* returns when every process has called it */
  ckpt_coordinator_broadcast_fn broadcast;   /* sends the bytes of one process to all */
  ckpt_coordinator_all_gather_fn all_gather; /* sends the bytes of every process to all */
  /* sends the bytes of every process to one; may be NULL: then all_gather is used, and every process needs memory for the bytes of
   * all */
  ckpt_coordinator_gather_fn gather;
} ckpt_coordinator_callbacks;

#define CKPT_COORDINATOR_CALLBACKS_INIT \
  { sizeof(ckpt_coordinator_callbacks), 0, 0, 1, 0, 0, 0, 0 }

/* Creates the coordinator of a single process, rank 0 of 1: every operation returns at once. */
CKPT_API ckpt_status ckpt_coordinator_create_single(ckpt_coordinator** coordinator);

/* Creates a coordinator from callbacks of the caller; all except gather are required. callbacks are copied. destroy (may be NULL)
 * runs once, when the last reference is released; if this function fails, it does not run. */
CKPT_API ckpt_status ckpt_coordinator_create_custom(const ckpt_coordinator_callbacks* callbacks, void* user_data,
                                                    ckpt_destroy_fn destroy, ckpt_coordinator** coordinator);

/* Sets *rank to this process's rank, 0 .. world_size - 1. */
CKPT_API ckpt_status ckpt_coordinator_get_rank(const ckpt_coordinator* coordinator, int64_t* rank);

/* Sets *world_size to the number of processes. */
CKPT_API ckpt_status ckpt_coordinator_get_world_size(const ckpt_coordinator* coordinator, int64_t* world_size);

/* Waits until every process has called it. timeout_ns: >= 0; TIMEOUT after that. A custom coordinator's error is returned if it is
 * a status, else as CALLBACK. Invalid arguments of this function, ckpt_coordinator_broadcast, ckpt_coordinator_all_gather and
 * ckpt_coordinator_gather are detected only by their process: the others wait for it until TIMEOUT. */
CKPT_API ckpt_status ckpt_coordinator_barrier(ckpt_coordinator* coordinator, int64_t timeout_ns);

/* Sends the root's bytes to all processes: data is read on root and written on the others. bytes: >= 0, the same on every process;
 * data may be NULL only when it is 0. root: 0 .. world_size - 1. Errors as ckpt_coordinator_barrier. */
CKPT_API ckpt_status ckpt_coordinator_broadcast(ckpt_coordinator* coordinator, void* data, int64_t bytes, int64_t root,
                                                int64_t timeout_ns);

/* Sends every process's bytes to all, in the order of ranks: received has room for world_size * bytes bytes and must not overlap
 * sent. Errors as ckpt_coordinator_barrier. */
CKPT_API ckpt_status ckpt_coordinator_all_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t timeout_ns,
                                                 void* received);

/* Sends every process's bytes to root, in the order of ranks: on root, received has room for world_size * bytes bytes and must not
 * overlap sent; on the others it is not used and may be NULL. bytes: >= 0, the same on every process. root: 0 .. world_size - 1. A
 * process other than root may return before the others have called it. A custom coordinator without gather uses its all_gather,
 * with a buffer of world_size * bytes bytes on every process. Errors as ckpt_coordinator_barrier; OUT_OF_MEMORY if that buffer
 * cannot be allocated. */
CKPT_API ckpt_status ckpt_coordinator_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t root,
                                             int64_t timeout_ns, void* received);

/* Releases the coordinator. Checkpoint managers created with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_coordinator_release(ckpt_coordinator* coordinator);

/* ---- Checkpoints --------------------------------------------------------------------------------------------------------- */

/* The checkpoints in one storage. Synchronized: saves wait for one another; loads and queries do not wait, and run concurrently
 * with a save. Owns no threads. In a forked child everything except saving works. Inside a callback of one of its calls (of the
 * storage, of a stateful object, ...) its calls return INVALID_STATE; a log callback may make them.
 *
 * Many ranks. With a coordinator of several processes, each process has a manager of the same storage.
 * ckpt_checkpoint_manager_create, _save and _load, and the corresponding functions of async.h, are then collective: every rank
 * calls them, in the same order, on one thread at a time and not inside a log callback (INVALID_STATE). They return the same status
 * on every rank, and the message names the rank on which the error occurred. This includes errors in one rank's arguments: no rank
 * waits for that rank, and the managers can be used afterwards. A rank fails alone only if it cannot report the error through a
 * coordinator. The cases are NULL or another handle instead of the manager (or of the coordinator, in
 * ckpt_checkpoint_manager_create), options of an invalid struct_size, a forked process, and a call inside a callback. If a rank
 * does not make the call, the others return TIMEOUT after timeout_ns of the options, and the message names that rank. To detect it,
 * each waiting rank writes a small marker file to the storage, and reads those of the others in the last fifth of timeout_ns.
 * Read-only managers write nothing and cannot name the rank. Only rank 0 holds the lock, cleans up, and removes the checkpoints
 * that its options do not keep. Any rank may make all other calls alone, except those that change the storage (remove, pin, prune):
 * they are for rank 0, and INVALID_STATE on other ranks. docs/explanation/scale.md counts messages, bytes and requests. */
typedef struct ckpt_checkpoint_manager ckpt_checkpoint_manager;

/* Lines. The caller chooses the step numbers. If a run goes back to step 300 in a storage that holds step 600, its saves are newer
 * although their steps are lower. The first such save is a roll-back and begins a new generation. The decision is made when a save
 * is accepted (a background save: before it is staged), with several ranks by rank 0. A generation begins if the save is the first
 * since the manager was created or last loaded a checkpoint into a state, and
 *   - its step is lower than the newest step that is committed or queued, or
 *   - the checkpoint that was loaded is not the newest one, and the step of the save does not exceed the newest step.
 * Loads by a read-only manager, readers, lists and verifications do not count. Saving the newest step again begins no generation,
 * and neither does a save above the newest step after an older checkpoint was loaded. The checkpoint that was loaded is the parent
 * of the generation; without one a new run begins. The current line consists of the highest generation and, for each lower one, the
 * checkpoints up to the step at which the line left it. All others are abandoned. Loads without a name,
 * ckpt_checkpoint_manager_get_latest and ckpt_checkpoint_manager_get_best no longer select them, even if the line is damaged. Loads
 * by step select them if the line does not have the step; loads by name select any checkpoint. Retention counts them last, so it
 * removes them first; ckpt_checkpoint_manager_prune_abandoned removes all of them. A warning is logged once when a generation
 * begins. */

/* Size of a buffer for the name of any checkpoint, with its NUL. */
/* size of a buffer for the name of any checkpoint that this library writes, its NUL included */
#define CKPT_CHECKPOINT_NAME_BYTES 64

/* Name of a checkpoint in the root of the storage, which is then itself the directory of one checkpoint. */
/* name of a checkpoint in the root of the storage: the root is itself the directory of one checkpoint */
#define CKPT_CHECKPOINT_SELF "."

/* Which metric is the best. */
typedef int32_t ckpt_best_metric;

#define CKPT_BEST_METRIC_SMALLEST 0 /* the best metric is the smallest */
#define CKPT_BEST_METRIC_LARGEST 1  /* the best metric is the largest */

/* Information about one checkpoint, without reading its files. */
typedef struct ckpt_checkpoint_info {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* CKPT_OK: manifest and file sizes are valid (checksums of files are not checked); CKPT_E_NOT_FOUND: no manifest, so the save is
   * in progress or was interrupted; CKPT_E_CORRUPT: damaged; others: the error that prevented reading it */
  ckpt_status status;
  int64_t step;                          /* number of the step that was saved */
  int64_t commit_sequence;               /* sequence number of the save in its storage; 0 unless status is CKPT_OK */
  int64_t bytes;                         /* bytes of the files, the manifest not counted; 0 unless status is CKPT_OK */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage */
  double metric;                         /* metric of the save; 0 when has_metric is 0 */
  ckpt_bool has_metric;                  /* 1 when the save had a metric and status is CKPT_OK, else 0 */
  uint32_t reserved;                     /* not used: 0 */
  /* time of the save, in nanoseconds since 1970-01-01T00:00:00Z; 0 when an earlier version wrote it, or status is not CKPT_OK */
  int64_t saved_utc_ns;
  ckpt_bool pinned;   /* 1 when retention does not remove the checkpoint (ckpt_checkpoint_manager_pin), else 0 */
  int32_t reserved2;  /* not used: 0 */
  int64_t world_size; /* number of ranks that saved it; 0 unless status is CKPT_OK */
  /* generation of its line, which increases with each roll-back; 0 in a storage without roll-backs */
  int64_t generation;
  /* 1 when a later run went back to an earlier step: only loads by name or step select the checkpoint, and retention removes it
   * first, else 0 */
  ckpt_bool abandoned;
  /* 1 when, on an object store, its commit record is damaged, and only the digest in the record shows that it belongs to this
   * checkpoint, else 0. Loads use the checkpoint and count the record in skipped */
  ckpt_bool record_damaged;
} ckpt_checkpoint_info;

#define CKPT_CHECKPOINT_INFO_INIT \
  { sizeof(ckpt_checkpoint_info), 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Decides whether retention keeps one checkpoint: called for each valid checkpoint that no rule keeps. info: valid during the call
 * only. *keep is 0 on entry; another number keeps the checkpoint. Runs on the thread that saves or prunes; may block. Inside it,
 * calls on the manager return INVALID_STATE. Returns 0, or another number for an error (reason by ckpt_callback_error): then
 * nothing is removed; a save logs a warning, ckpt_checkpoint_manager_prune fails with CALLBACK. */
typedef int32_t (*ckpt_keep_fn)(const ckpt_checkpoint_info* info, ckpt_bool* keep, void* user_data);

/* Options for opening the checkpoints of a storage, and rules for retention. */
typedef struct ckpt_checkpoint_manager_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* 0 locks the storage for writing; other values: no lock, nothing is changed, and saving fails. The same on all ranks */
  ckpt_bool read_only;
  /* number of checkpoints to keep after each save, the saved one included; older ones are removed; 0 (the default): all are kept.
   * Retention reads manifests, not files: a checkpoint with an unreadable manifest neither counts nor is removed. A checkpoint that
   * a load or verification of this process found damaged does not count, and is removed once it is older than all kept ones; the
   * newest undamaged one is never removed. Directories left by interrupted saves are removed, too, once a checkpoint of the same or
   * a later step is saved */
  int64_t keep_last;
  /* checkpoints with a step that is a multiple of this are kept, too (of equal steps the last committed); 0: none. Requires
   * keep_last >= 1 */
  int64_t keep_every;
  /* number of checkpoints with the best metric that are kept, too, of equal ones the newest; 0: none. Requires keep_last >= 1 */
  int64_t keep_best;
  /* which metric is the best: CKPT_BEST_METRIC_SMALLEST (the default) or CKPT_BEST_METRIC_LARGEST */
  ckpt_best_metric best_metric;
  uint32_t reserved; /* not used: 0 */
  /* coordinator of the processes of the run; kept alive; NULL: a single process */
  ckpt_coordinator* coordinator;
  /* decides which errors of the storage are retried; kept alive; NULL: a handler with default options. Set one with max_attempts 1
   * to disable retries, also for a storage that retries by itself: the attempts would multiply */
  ckpt_fault_handler* fault_handler;
  /* retention rules, separated by commas. After every save older checkpoints are removed, except those that a rule, keep,
   * keep_last, keep_every or keep_best keeps, those that are pinned, and the newest valid one. "last:COUNT": the newest ones;
   * "every:STEPS": those with a step that is a multiple; "best:COUNT" (as best_metric specifies), "best:COUNT:min" and
   * "best:COUNT:max": those with the best metric; "newer:AGE": those with an age below this, in seconds, or with s, m, h, d or w
   * after the number, and those of unknown age. For example "last:3, every:100, best:2:max, newer:24h". NULL or empty: no rules.
   * Damaged and unreadable checkpoints are treated as for keep_last */
  const char* keep_rules;
  ckpt_keep_fn keep;            /* decides about checkpoints that no rule keeps; NULL: they are removed */
  void* keep_user_data;         /* passed to each call of keep */
  ckpt_destroy_fn keep_destroy; /* called once with keep_user_data after the last call of keep; may be NULL */
  /* maximum time in nanoseconds for which one call, or the writing of one background save, waits for the other ranks of a
   * coordinator of several processes; 0 (the default): ten minutes */
  int64_t timeout_ns;
} ckpt_checkpoint_manager_options;

#define CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_checkpoint_manager_options), 0, 0, 0, 0, CKPT_BEST_METRIC_SMALLEST, 0, 0, 0, NULL, NULL, NULL, NULL, 0 }

/* Opens the checkpoints of a storage, which is kept alive. options: NULL for the defaults. A writer holds the lock ".lock" until it
 * is released; BUSY, with the holder's process id in the message, if another writer holds it, in this process or elsewhere;
 * ckpt_file_system_options.lock_kind selects another kind of lock. A writer renames directories without a manifest, which
 * interrupted saves have left, to "torn-..." and logs a warning for each; a directory with a manifest keeps its name, even if the
 * manifest or files are damaged. An object store has no lock: a save fails with BUSY if another writer has committed, and so do all
 * later calls of that manager that write. With several ranks this call is collective, also when read-only; an error of one rank,
 * including errors in its arguments, is returned on all. INVALID_ARGUMENT if the ranks have different storages: rank 0 writes a
 * marker file that all ranks must find. Read-only managers skip this check; a load detects the difference. */
CKPT_API ckpt_status ckpt_checkpoint_manager_create(ckpt_storage* storage, const ckpt_checkpoint_manager_options* options,
                                                    ckpt_checkpoint_manager** manager);

/* Sets *storage to a new reference to the storage of the manager. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_storage(const ckpt_checkpoint_manager* manager, ckpt_storage** storage);

/* Sets *coordinator to a new reference to the coordinator of the manager, or to one of a single process if it has none. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_coordinator(const ckpt_checkpoint_manager* manager,
                                                             ckpt_coordinator** coordinator);

/* Sets *handler to a new reference to the fault handler of the manager; its count of retries is the manager's if nothing else uses
 * it. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_fault_handler(const ckpt_checkpoint_manager* manager,
                                                               ckpt_fault_handler** handler);

/* Releases the handle. Releases the lock of the storage, too, unless another object keeps the manager alive; forked children of the
 * process do not delay this, and in a forked child the lock remains with the parent. NULL does nothing. */
CKPT_API void ckpt_checkpoint_manager_release(ckpt_checkpoint_manager* manager);

/* ---- Save ---------------------------------------------------------------------------------------------------------------- */

/* Options of one save. */
typedef struct ckpt_save_options {
  uint32_t struct_size;      /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;         /* not used: 0 */
  int64_t step;              /* number of the step, >= 0; a load takes the highest one of the current line */
  uint64_t seed;             /* seed of the run's random numbers, stored for the load */
  const char* metadata_json; /* arbitrary JSON for users and tools; NULL: the JSON value null */
  /* JSON that describes the environment on which the results' last bits depend (hardware, other libraries); NULL: nothing. The
   * library adds its version and the BLAS that this process uses, if one is loaded already */
  const char* environment_json;
  /* prefix of the checkpoint's name, for users: 1 .. 24 characters of a-z, 0-9 and '_', not "step" or "torn"; loads and retention
   * ignore it. NULL or empty: no prefix */
  const char* prefix;
  /* metric of the state, for the selection of the best checkpoints. Read only when has_metric is not 0. If it is not finite, the
   * state is saved without a metric, a warning is logged, and metric_ignored is set in the result */
  double metric;
  ckpt_bool has_metric; /* whether metric is set: 0 no, other values yes */
  /* 1 (the default): an unchanged file of a group that rarely changes is linked or copied instead of written from memory; 0: all
   * files are written */
  ckpt_bool incremental;
  /* other than 0: with several ranks, compares the checksums of replicated tensors, and of blocks that several ranks have, before
   * the save; a difference fails the save with INVALID_ARGUMENT that names the tensor and the ranks. Reads every byte of these
   * tensors */
  ckpt_bool check_replicas;
  uint32_t reserved2; /* not used: 0 */
} ckpt_save_options;

#define CKPT_SAVE_OPTIONS_INIT \
  { sizeof(ckpt_save_options), 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 }

/* Result of one save. */
typedef struct ckpt_save_result {
  uint32_t struct_size;                  /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                     /* not used: 0 */
  int64_t files;                         /* number of files of the checkpoint, the manifest not counted */
  int64_t step;                          /* number of the step that was saved */
  int64_t commit_sequence;               /* sequence number of the save, which increases with every save in this storage */
  int64_t bytes;                         /* bytes of the files, the manifest not counted */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage */
  int64_t linked;                        /* number of files that were linked or copied because they had not changed */
  int64_t rank_bytes;                    /* bytes of the files that this rank wrote; equal to bytes for a single process */
  /* generation of the checkpoint's line, which increases with each roll-back; 0 in a storage without roll-backs */
  int64_t generation;
  /* 1 when the generation begins with this save: the run went back to an earlier step, or a new run began in an existing storage,
   * and the checkpoints that are not on its line are abandoned, else 0 */
  ckpt_bool rolled_back;
  ckpt_bool metric_ignored; /* 1 when the metric was not finite, so that the checkpoint has none, else 0 */
  /* number of background tasks of this storage that failed in this process with a failure that no caller received before the
   * release of their manager (see async.h). Set by the first save of the storage that completes afterwards; else 0 */
  int64_t unreported_failures;
  ckpt_status unreported_status; /* status of the oldest of the unreported failures; CKPT_OK when there are none */
  int32_t reserved2;             /* not used: 0 */
  /* the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none */
  char unreported_error[256];
} ckpt_save_result;

#define CKPT_SAVE_RESULT_INIT \
  { sizeof(ckpt_save_result), 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, "" }

/* Writes state as a new checkpoint and returns when it is durable: after a crash at any later moment, a load finds it or a newer
 * one. The tensors should not change during the call; if they do, the checkpoint holds a mixture of old and new values, with
 * checksums of the written bytes. With several ranks, all ranks must save the same names, dtypes, global shapes, step and prefix
 * (INVALID_ARGUMENT names the difference and the ranks); other options and the JSON values are taken from rank 0, and JSON values
 * that differ on other ranks are saved by rank. options: NULL for the defaults (step 0). result: NULL when it is not wanted.
 * INVALID_STATE when read-only, FORKED in a forked child, NO_SPACE, PERMISSION and IO from the system: then the written files are
 * removed if possible, and older checkpoints are unchanged. NO_SPACE, with both figures and before any file is created, if the file
 * system has fewer free bytes than the files need; linked files need none, and space that retention would free after the save is
 * not counted. */
CKPT_API ckpt_status ckpt_checkpoint_manager_save(ckpt_checkpoint_manager* manager, const ckpt_state* state,
                                                  const ckpt_save_options* options, ckpt_save_result* result);

/* ---- Load ---------------------------------------------------------------------------------------------------------------- */

/* The level of checks on the bytes that are read. */
typedef int32_t ckpt_verify;

#define CKPT_VERIFY_NONE 0 /* no checksums are checked; sizes, headers and manifest are still checked */
#define CKPT_VERIFY_FULL 1 /* checks the checksum of every byte that is loaded */
#define CKPT_VERIFY_LAZY 2 /* only for readers: checks the checksum of a tensor at the first access */

/* Which element types a load converts. */
typedef int32_t ckpt_conversion;

#define CKPT_CONVERSION_NONE 0 /* no conversion: the state's tensors must have the element types of the checkpoint */
/* elements are converted only to types that represent all their values: F16 and BF16 to F32 and F64, F32 to F64, integers to wider
 * integers that include their range, and to F32 and F64 where these represent all of them */
#define CKPT_CONVERSION_LOSSLESS 1
/* any integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits are converted to any others of these: rounded to the
 * nearest, ties to even; to integers only from whole numbers. A value outside the range of the other type is an error */
#define CKPT_CONVERSION_LOSSY 2

/* Maps the name of a tensor in the checkpoint to the name that a load looks for in the state. group, name (borrowed for the call):
 * group and name of the tensor in the checkpoint, the name after strip_prefix and add_prefix. buffer has room for capacity bytes
 * (at least 256). On entry it holds name and *needed is its length: if both are left unchanged, the name is not changed. To change
 * it, write the new name as UTF-8 into buffer, and set *needed to its length without a NUL, as snprintf returns it; if that is
 * capacity or more, the function is called once more with enough room. A name that is blank, not UTF-8 or longer than 65536 bytes,
 * and two equal names in a group, fail the load with INVALID_ARGUMENT. Runs on the thread that loads, for each tensor of each
 * checkpoint that is tried, but not for the text of a tree, nor for groups that are trees in both the state and the checkpoint; may
 * block. Inside it, calls on the state and the manager of the load return INVALID_STATE. Returns 0, or another number for an error
 * (reason by ckpt_callback_error): the load then fails with CALLBACK, and no other checkpoint is tried. */
typedef int32_t (*ckpt_rename_fn)(const char* group, const char* name, char* buffer, int64_t capacity, int64_t* needed,
                                  void* user_data);

/* Options of one load. */
typedef struct ckpt_load_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  ckpt_verify verify;   /* level of checks: CKPT_VERIFY_FULL (the default) or CKPT_VERIFY_NONE */
  const char* name;     /* name of the checkpoint to load, without fallback to another one; NULL: the newest valid one */
  int64_t step;         /* step of the checkpoint to load, of several the newest valid one. Read only when has_step is not 0 */
  /* JSON that describes the environment of this run, compared with the environment of the save; NULL: not compared. The library's
   * version and the BLAS are always compared, if both sides have them */
  const char* environment_json;
  /* 0: the state and the checkpoint must have the same names; other values: tensors that only one of them has are counted and
   * listed in the load report; tensors and keys of the state that the checkpoint lacks keep their values */
  ckpt_bool partial;
  /* 0: a load that fails leaves the state's tensors unchanged. For that, files of the file system are read twice, to check them and
   * to copy them, and the copy is checked again; files of other storages need additional memory of the size of the tensors. Other
   * values: bytes are read directly into the tensors and checked there, which is faster and needs no additional memory; after a
   * load that fails the contents of the tensors are undefined */
  ckpt_bool in_place;
  ckpt_bool has_step; /* whether step is set: 0 no, other values yes; not together with name */
  uint32_t reserved;  /* not used: 0 */
  /* prefix that is removed from the checkpoint's tensor names that begin with it, before they are looked up in the state
   * ("module."); NULL or empty: no prefix is removed. Two names that become equal, or a name that becomes empty, are an error */
  const char* strip_prefix;
  /* prefix that is added to each of the checkpoint's tensor names, after strip_prefix was removed, before they are looked up in the
   * state; NULL or empty: no prefix is added */
  const char* add_prefix;
  /* which element types are converted to those of the state's tensors: CKPT_CONVERSION_NONE (the default), CKPT_CONVERSION_LOSSLESS
   * or CKPT_CONVERSION_LOSSY */
  ckpt_conversion convert;
  int32_t reserved2; /* not used: 0 */
  /* maps the name of each tensor of the checkpoint to its name in the state; NULL: only strip_prefix and add_prefix change names */
  ckpt_rename_fn rename;
  void* rename_user_data; /* passed to each call of rename */
  /* called once with rename_user_data after the last call of rename in this load; may be NULL */
  ckpt_destroy_fn rename_destroy;
} ckpt_load_options;

#define CKPT_LOAD_OPTIONS_INIT \
  { sizeof(ckpt_load_options), CKPT_VERIFY_FULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, CKPT_CONVERSION_NONE, 0, NULL, NULL, NULL }

/* Result of one load. */
typedef struct ckpt_load_result {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* 1 when environment_json was set and differs from the checkpoint's, or the library's version or the BLAS in use differs. The log
   * names the difference; results may differ in their last bits. If no BLAS is in use yet, its first use logs a warning */
  ckpt_bool environment_differs;
  int64_t step;            /* number of the step that was loaded */
  int64_t commit_sequence; /* sequence number of the save in its storage */
  uint64_t seed;           /* seed of the run's random numbers, as saved */
  int64_t bytes;           /* bytes of the files, the manifest not counted */
  /* number of newer checkpoints that could not be used, plus, on an object store, 1 for a damaged commit record of the checkpoint
   * that was loaded; the load report lists them. A directory without a manifest is not a checkpoint and does not count */
  int64_t skipped;
  /* name of the checkpoint: its directory in the storage; truncated if it is longer (possible only for a load by name) */
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  /* number of tensors of the state that the checkpoint lacks; 0 unless the load was partial */
  int64_t missing;
  /* number of tensors of the checkpoint that the state lacks; 0 unless the load was partial */
  int64_t unexpected;
  /* 1 after a load that failed after it had begun to write the tensors, so that some of them hold parts of the checkpoint: a load
   * in place, or a load with a file that changed between its check and its copy. 0 after a successful load */
  ckpt_bool partly_filled;
  uint32_t reserved;  /* not used: 0 */
  int64_t world_size; /* number of ranks that saved the checkpoint */
} ckpt_load_result;

#define CKPT_LOAD_RESULT_INIT \
  { sizeof(ckpt_load_result), 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0 }

/* Fills the state's tensors and replaces its JSON values by those of a checkpoint. Selects the first usable checkpoint of the
 * current line (see "Lines" above): the one with the highest generation, then the highest step, then the last commit. A checkpoint
 * is usable if its manifest parses, its files exist with the recorded sizes, and its checksums match. An unusable one is skipped
 * with a warning that names it, counted in the result and listed in the load report; nothing in the storage is changed. If the line
 * has no usable checkpoint, the message names the newest abandoned one. A writer may be active during the load, in this or another
 * process: checkpoints that its retention removes do not count as damaged; the search starts again (BUSY after a thousand times).
 * The state must have exactly the checkpoint's groups and tensors unless the load is partial: INVALID_ARGUMENT names the first one
 * that is missing in one of them or has another dtype or shape; no other checkpoint is tried then. A group that is a tree (tree.h)
 * in both is loaded as a whole: its tensors must match also in a partial load, and its text is loaded into a separate tensor. The
 * load is atomic unless it is in place: everything is verified before the first tensor is written. Only a file that changes after
 * that, during the copy, gives CORRUPT (or IO) with partly filled tensors; no other checkpoint is tried then. Large files are read
 * by up to four threads, which end before this returns.
 * A checkpoint of N ranks can be loaded by any number M of ranks, and the blocks of the ranks may be different. All ranks load the
 * same checkpoint, or all fail. JSON values that were equal on the N ranks are loaded on every rank; those that differed are loaded
 * by rank if M is N, else not at all (the load report lists them: by_rank).
 * options: NULL for the defaults. result: NULL when it is not wanted; after a failure that left tensors partly filled only its
 * partly_filled is set, otherwise it is unchanged. If this function fails, rename_destroy has not run. NOT_FOUND only if no
 * checkpoint exists (of that name or step); CORRUPT (or IO, PERMISSION, UNSUPPORTED) if there are some but none is usable. */
CKPT_API ckpt_status ckpt_checkpoint_manager_load(ckpt_checkpoint_manager* manager, ckpt_state* state,
                                                  const ckpt_load_options* options, ckpt_load_result* result);

/* ---- Queries and verification -------------------------------------------------------------------------------------------- */

/* Lists the checkpoints of the storage, valid or not (except those renamed to "torn-..."), in the order in which a load tries them,
 * abandoned ones last: infos receives the first capacity (>= 0) of them, *count how many there are. The size of every element is
 * infos[0].struct_size. infos may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_checkpoint_manager_list(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* infos, int64_t capacity,
                                                  int64_t* count);

/* Fills *info with the checkpoint that a load tries first: among those of the current line with status CKPT_OK, the one with the
 * highest step, then the last commit. NOT_FOUND when there is none; a warning in the log then names the newest abandoned one. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_latest(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* info);

/* Fills *info with the checkpoint that has the best metric, as best_metric of the manager's options specifies; of equal ones, with
 * the newest. Only those of the current line with status CKPT_OK count. NOT_FOUND when none has a metric; a warning in the log then
 * names the newest abandoned one that has. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_best(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* info);

/* Fills *info with the newest checkpoint of this step (>= 0) with status CKPT_OK; one of the current line takes precedence over
 * abandoned ones. NOT_FOUND when there is none. */
CKPT_API ckpt_status ckpt_checkpoint_manager_find_step(ckpt_checkpoint_manager* manager, int64_t step, ckpt_checkpoint_info* info);

/* Removes one checkpoint permanently, durably and atomically: after a crash it is either complete or invisible to every load. name:
 * as in ckpt_checkpoint_info, of a valid or damaged checkpoint. NOT_FOUND without a directory of that name; INVALID_STATE when it
 * is pinned or the manager is read-only, FORKED in a forked child. If files remain, the storage's first error, with its message;
 * later saves try again. Waits for a save in progress. */
CKPT_API ckpt_status ckpt_checkpoint_manager_remove(ckpt_checkpoint_manager* manager, const char* name);

/* Pins the newest checkpoint of this step (>= 0) with status CKPT_OK, durably: retention of this and later processes does not
 * remove it. Earlier versions of the library ignore pins. NOT_FOUND when there is none; else as ckpt_checkpoint_manager_remove. */
CKPT_API ckpt_status ckpt_checkpoint_manager_pin(ckpt_checkpoint_manager* manager, int64_t step);

/* Removes the pins of all checkpoints of this step (>= 0), durably: the next save may remove them. NOT_FOUND when the step has no
 * checkpoint; else as ckpt_checkpoint_manager_remove. */
CKPT_API ckpt_status ckpt_checkpoint_manager_unpin(ckpt_checkpoint_manager* manager, int64_t step);

/* Removes the checkpoints that a save would now remove, durably. keep_rules: as in ckpt_checkpoint_manager_options, instead of all
 * retention rules of these options; NULL or empty: the rules of these options. infos receives the first capacity (>= 0) of the
 * removed ones, newest first, *count how many there are. They are removed only when infos has room for all of them: else, and when
 * dry_run is not 0, nothing is changed. The last committed one is always kept. INVALID_ARGUMENT for rules that cannot be parsed;
 * without a dry run errors as ckpt_checkpoint_manager_remove. */
CKPT_API ckpt_status ckpt_checkpoint_manager_prune(ckpt_checkpoint_manager* manager, const char* keep_rules, ckpt_bool dry_run,
                                                   ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count);

/* Removes the abandoned checkpoints that are not pinned, and no others, durably and regardless of the manager's rules. Those with
 * an unreadable manifest are kept. Reads and verifies the newest checkpoint of the line first, while saves wait; if none of the
 * line is valid, the newest valid abandoned one is kept, too. infos, capacity, *count, dry_run and errors as in
 * ckpt_checkpoint_manager_prune. */
CKPT_API ckpt_status ckpt_checkpoint_manager_prune_abandoned(ckpt_checkpoint_manager* manager, ckpt_bool dry_run,
                                                             ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count);

/* Writes the manifest of one checkpoint: a JSON object with its step, groups, files, tensors, values and metadata
 * (docs/reference/file-format.md), by the (buffer, capacity, *needed) rule of ckpt.h. name: as in ckpt_checkpoint_info, or
 * CKPT_CHECKPOINT_SELF. NOT_FOUND without a manifest, CORRUPT when it is damaged. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_manifest(ckpt_checkpoint_manager* manager, const char* name, char* buffer,
                                                          int64_t capacity, int64_t* needed);

/* Writes the JSON values that one rank saved, as an object, by the (buffer, capacity, *needed) rule of ckpt.h. name: as in
 * ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF. rank: 0 .. world_size - 1 of the checkpoint, else OUT_OF_RANGE. For runs that
 * resume with another number of ranks and redistribute the values of each rank. Errors as ckpt_checkpoint_manager_get_manifest. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_rank_values(ckpt_checkpoint_manager* manager, const char* name, int64_t rank,
                                                             char* buffer, int64_t capacity, int64_t* needed);

/* Result of a verification. */
typedef struct ckpt_verify_result {
  uint32_t struct_size;                  /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                     /* not used: 0 */
  int64_t files;                         /* number of files that were checked completely, the manifest not counted */
  int64_t tensors;                       /* number of tensors in the files that were checked */
  int64_t bytes;                         /* bytes of the files that were checked */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage, truncated if it is longer */
} ckpt_verify_result;

#define CKPT_VERIFY_RESULT_INIT \
  { sizeof(ckpt_verify_result), 0, 0, 0, 0, "" }

/* Reads a whole checkpoint and verifies every checksum, size and header. name: as in ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF;
 * NULL: the newest one with a manifest, or another one if a writer removes that during the call. result: NULL when it is not
 * wanted. CORRUPT with a message that names the first damaged file and, if known, the tensor. NOT_FOUND if the checkpoint does not
 * exist (any more). */
CKPT_API ckpt_status ckpt_checkpoint_manager_verify(ckpt_checkpoint_manager* manager, const char* name, ckpt_verify_result* result);

/* ---- Readers ------------------------------------------------------------------------------------------------------------- */

/* A reader of the tensors of one checkpoint, of any safetensors file, or of a directory with an index, one by one: read, read in
 * part, or mapped. One thread at a time; the tensors that it creates are independent of it. */
typedef struct ckpt_reader ckpt_reader;

/* Information about one tensor in a file. */
typedef struct ckpt_tensor_info {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  ckpt_dtype dtype;     /* element type: one of CKPT_DTYPE_* */
  const char* name;     /* name of the tensor: UTF-8; may be empty. Valid as long as the reader */
  const int64_t* shape; /* lengths of the dimensions; NULL for 0 dimensions. Valid as long as the reader */
  int32_t ndim;         /* number of dimensions; may be more than a tensor in memory can have */
  int32_t reserved;     /* not used: 0 */
  int64_t bytes;        /* size of the tensor in bytes */
  int64_t offset;       /* offset of its first byte in the file, in bytes; 0 if it consists of blocks in several files */
  /* group of the checkpoint that the tensor is in; empty for files without groups. Valid as long as the reader */
  const char* group;
} ckpt_tensor_info;

#define CKPT_TENSOR_INFO_INIT \
  { sizeof(ckpt_tensor_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Opens one checkpoint. name: as in ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF; NULL: the newest one with a manifest (no
 * fallback if it is damaged, only if a writer removes it during the call). verify: CKPT_VERIFY_FULL reads and checks every byte
 * now. Each later call checks the bytes that it returns, and reads whole chunks of 64 MiB for this. CKPT_VERIFY_LAZY checks bytes
 * at the first access, in chunks of 64 MiB; CKPT_VERIFY_NONE checks sizes, headers and manifest only. NOT_FOUND, CORRUPT, and
 * errors of the system. If a writer's retention removes the checkpoint later, the reader can still read it. */
CKPT_API ckpt_status ckpt_reader_create_from_checkpoint(ckpt_checkpoint_manager* manager, const char* name, ckpt_verify verify,
                                                        ckpt_reader** reader);

/* Opens a safetensors file (version 0.8 of https://github.com/huggingface/safetensors), or a directory with
 * model.safetensors.index.json and the files it names (Hugging Face's layout), or one with model.safetensors. Links are followed.
 * Such files have no checksums: only headers are checked. NOT_FOUND, CORRUPT (also if a file lacks a tensor of the index),
 * PERMISSION, IO. */
CKPT_API ckpt_status ckpt_reader_create(const char* path, ckpt_reader** reader);

/* Sets *count to the number of tensors. */
CKPT_API ckpt_status ckpt_reader_get_tensor_count(const ckpt_reader* reader, int64_t* count);

/* Fills *info with information about the tensor at index (0 .. count-1, else OUT_OF_RANGE): group after group, file after file, in
 * the order of the data. */
CKPT_API ckpt_status ckpt_reader_get_tensor(const ckpt_reader* reader, int64_t index, ckpt_tensor_info* info);

/* Sets *index to the index of a tensor. group: NULL for any group; INVALID_ARGUMENT then if several groups have the name. NOT_FOUND
 * if no tensor matches. */
CKPT_API ckpt_status ckpt_reader_find(const ckpt_reader* reader, const char* group, const char* name, int64_t* index);

/* Sets *count to the number of entries in the metadata of the files: strings by key. Files of checkpoints have none: use
 * ckpt_checkpoint_manager_get_manifest. */
CKPT_API ckpt_status ckpt_reader_get_metadata_count(const ckpt_reader* reader, int64_t* count);

/* Reads one entry of the metadata, 0 .. count-1: file after file, in their order; else OUT_OF_RANGE. Borrowed: valid as long as the
 * reader. A value is truncated at its first NUL. */
CKPT_API ckpt_status ckpt_reader_get_metadata(const ckpt_reader* reader, int64_t index, const char** key, const char** value);

/* Reads a tensor's bytes into tensor, which must have its dtype and shape (INVALID_ARGUMENT). After CORRUPT (a checksum does not
 * match, or the file has shrunk) or IO the tensor's contents are undefined. */
CKPT_API ckpt_status ckpt_reader_read(ckpt_reader* reader, int64_t index, ckpt_tensor* tensor);

/* Reads a tensor's bytes as ckpt_reader_read, into a new tensor with memory of pool (NULL: the process's default pool). */
CKPT_API ckpt_status ckpt_reader_read_new(ckpt_reader* reader, int64_t index, ckpt_buffer_pool* pool, ckpt_tensor** tensor);

/* Reads rows begin .. begin+length-1 along the first dimension into a new tensor with length as its first dimension and memory of
 * pool (NULL: the process's default pool). OUT_OF_RANGE for rows that do not exist; INVALID_ARGUMENT for a scalar; UNSUPPORTED if
 * elements have less than a byte and the rows do not begin and end at whole bytes. */
CKPT_API ckpt_status ckpt_reader_read_slice(ckpt_reader* reader, int64_t index, int64_t begin, int64_t length,
                                            ckpt_buffer_pool* pool, ckpt_tensor** tensor);

/* Sets *tensor to a new read-only tensor over the file itself (mmap): no byte is copied, and pages are read on access. It keeps the
 * mapping alive, also after the release of the reader and the manager. UNSUPPORTED if the storage does not support mappings, or if
 * the tensor's bytes are not aligned for its dtype (files of other programs) or are blocks in several files: read the tensor
 * instead. CORRUPT if the file is now shorter than when it was opened. If another program truncates the file later, access to the
 * missing part kills the process (SIGBUS). So does access to pages that cannot be read from the disk. Only ckpt_reader_read returns
 * errors for these. libckpt never changes a committed file. */
CKPT_API ckpt_status ckpt_reader_map(ckpt_reader* reader, int64_t index, ckpt_tensor** tensor);

/* Releases the reader. NULL does nothing. */
CKPT_API void ckpt_reader_release(ckpt_reader* reader);

/* ---- Files for other programs -------------------------------------------------------------------------------------------- */

/* Writes the tensors of one group of a state as a plain safetensors file, which any program can read. The file is written under a
 * unique temporary name next to path (path with ".tmp-" and 8 random digits appended), synced, and renamed to path; it replaces an
 * existing file and takes over its permission bits. Symbolic links are followed: their target is replaced or created, and the links
 * are kept. Durable when it returns. Several writers of one path, in any processes, do not interfere: the last one's complete file
 * remains. A process that is killed during the call leaves its temporary file.
 * path: as for open(2). group: NOT_FOUND if the state has no group of that name. metadata_json: an object with string values, for
 * the file's metadata; NULL: none. INVALID_ARGUMENT if path exists and is not a regular file (a directory, a device, a FIFO, a
 * socket); PERMISSION, NO_SPACE and IO from the system: the file at path is unchanged then. */
CKPT_API ckpt_status ckpt_safetensors_write(const char* path, const ckpt_state* state, const char* group,
                                            const char* metadata_json);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STATE_H */
