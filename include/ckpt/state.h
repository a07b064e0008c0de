/* state.h - durable checkpoints of training state: saved so that a crash at any moment loses none that was acknowledged, loaded
 * with every checksum verified, and readable by every tool that knows safetensors.
 *
 *   ckpt_state *state = NULL;                                  what is saved: named groups of named tensors, JSON values by key
 *   ckpt_state_create(&state);
 *   ckpt_state_add_tensor(state, "model", "weight", weight);
 *   ckpt_state_set_json(state, CKPT_STATE_DATA_POSITION, "{\"byte\":4096}");
 *
 *   ckpt_checkpoint_manager *manager = NULL;                        the checkpoints in one storage
 *   ckpt_checkpoint_manager_create(storage, NULL, &manager);
 *
 *   ckpt_load_result loaded = CKPT_LOAD_RESULT_INIT;           resume: NOT_FOUND means that there is nothing yet
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

/* What is saved and restored: groups of named tensors, and JSON values by key. Not synchronised: one thread at a time, and none
 * while a save or load uses it. */
typedef struct ckpt_state ckpt_state;

/* Keys of JSON values that have places of their own in the manifest, so that other tools find them. */
/* key of the JSON value that says how far the training data was read; the manifest has a place of its own for it */
#define CKPT_STATE_DATA_POSITION "data_position"
/* key of the JSON value that holds what a controller knows; the manifest has a place of its own for it */
#define CKPT_STATE_CONTROLLER "controller"

/* Creates an empty state. */
CKPT_API ckpt_status ckpt_state_create(ckpt_state** state);

/* Adds a tensor, which is shared and kept alive, not copied: a save reads and a load writes its memory.
 * group: each group becomes a file of its own ("model" -> model.safetensors); made when it is new. Not blank, at most 64 bytes.
 * name: not blank, not "__metadata__"; ALREADY_EXISTS when the group has it.
 * OUT_OF_RANGE for a shape whose lengths, multiplied from left to right, pass INT64_MAX before a 0 comes. */
CKPT_API ckpt_status ckpt_state_add_tensor(ckpt_state* state, const char* group, const char* name, ckpt_tensor* tensor);

/* Adds a tensor that is spread over the ranks of a run: each rank adds the same name, dtype and global shape, and then, by
 * ckpt_state_add_block, the blocks that it has: none, one or several. What ckpt_state_add_tensor adds is replicated: every rank has
 * it whole, and it is saved once.
 * group, name: as in ckpt_state_add_tensor. shape: ndim (0 .. 8) lengths, >= 0; NULL only when ndim is 0. Together the blocks of
 * all ranks cover the tensor; ranks may have the same block, else blocks do not overlap: a save fails with INVALID_ARGUMENT that
 * names what is missing or covered twice. */
CKPT_API ckpt_status ckpt_state_add_sharded_tensor(ckpt_state* state, const char* group, const char* name, ckpt_dtype dtype,
                                                   const int64_t* shape, int32_t ndim);

/* Adds one block of this rank to a tensor of ckpt_state_add_sharded_tensor: tensor, which is shared and kept alive, not copied; its
 * dtype is that tensor's, its shape the lengths of the block (a length may be 0). offsets: where it begins in each dimension, ndim
 * of them. NOT_FOUND without such a tensor; INVALID_ARGUMENT for another dtype or number of dimensions; OUT_OF_RANGE for a block
 * that passes the global shape; UNSUPPORTED for elements of less than a byte whose block does not begin and end on whole bytes in
 * its last dimension. */
CKPT_API ckpt_status ckpt_state_add_block(ckpt_state* state, const char* group, const char* name, const int64_t* offsets,
                                          int32_t ndim, ckpt_tensor* tensor);

/* Sets *tensor_count to the number of tensors in all groups. */
CKPT_API ckpt_status ckpt_state_get_tensor_count(const ckpt_state* state, int64_t* tensor_count);

/* Sets the value of a key, replacing the one it had.
 * key: not blank. json: one JSON value, copied. Integers must fit 64 bits, other numbers are IEEE doubles; no key twice in an
 * object; nested at most 48 deep. */
CKPT_API ckpt_status ckpt_state_set_json(ckpt_state* state, const char* key, const char* json);

/* Writes the value of a key as JSON without superfluous white space, by the (buffer, capacity, *needed) rule of ckpt.h. NOT_FOUND
 * when the key has none. */
CKPT_API ckpt_status ckpt_state_get_json(const ckpt_state* state, const char* key, char* buffer, int64_t capacity, int64_t* needed);

/* Sets *key_count to the number of keys that have a value. */
CKPT_API ckpt_status ckpt_state_get_key_count(const ckpt_state* state, int64_t* key_count);

/* Writes a key that has a value, number index (0 .. key_count-1) in the order of their bytes, by the (buffer, capacity, *needed)
 * rule of ckpt.h. OUT_OF_RANGE for another index. */
CKPT_API ckpt_status ckpt_state_get_key(const ckpt_state* state, int64_t index, char* buffer, int64_t capacity, int64_t* needed);

/* Declares that the tensors of a group seldom change (rarely other than 0) or takes that back (0, as without this call): a save
 * with ckpt_save_options.incremental does not write its file again while none of them has changed since the checkpoint before. The
 * group need not be there yet. */
CKPT_API ckpt_status ckpt_state_set_rarely_changes(ckpt_state* state, const char* group, ckpt_bool rarely);

/* Writes what the last successful load into this state found missing, unexpected and unusable, as JSON by the (buffer, capacity,
 * *needed) rule of ckpt.h:
 *   {"missing":[{"group":"model","name":"weight"}],"unexpected":[],
 *    "skipped":[{"name":"step-000000001300-5e6f7081","status":"CORRUPT","problem":"step-...: the file has ..."}],
 *    "by_rank":["data_position"]}
 * missing and unexpected are empty unless that load was partial. skipped: the newer checkpoints that it passed over, newest first,
 * with what was wrong, and a damaged commit record ("name" is its path) where only the manifest's digest in it shows that the
 * checkpoint was committed; ckpt_load_result.skipped is their number. by_rank: keys whose values differed between the ranks that
 * saved, and were not loaded because there are more or fewer ranks now (ckpt_checkpoint_manager_get_rank_values reads them); not
 * there when there are none. */
CKPT_API ckpt_status ckpt_state_get_load_report(const ckpt_state* state, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the state. NULL does nothing. */
CKPT_API void ckpt_state_release(ckpt_state* state);

/* Lists what is saved of an object, anew for every save and load: adds tensors and JSON values to into, an empty state, which is
 * valid during the call only. Runs on the thread that saves or loads. Returns 0, or another number for an error (text by
 * ckpt_callback_error): the save or load then fails with CALLBACK. Calls on the state and on the checkpoint that are saving or
 * loading return INVALID_STATE in it. */
typedef int32_t (*ckpt_stateful_list_fn)(ckpt_state* into, void* user_data);

/* Notifies an object that it was restored: its tensors have their new contents; loaded, valid during the call only, has the values
 * (ckpt_state_get_json). Runs on the thread that loads. Returns 0, or another number for an error (text by ckpt_callback_error):
 * the load then fails with CALLBACK. Calls on the state and on the checkpoint that are loading return INVALID_STATE in it. */
typedef int32_t (*ckpt_stateful_restore_fn)(const ckpt_state* loaded, void* user_data);

/* The functions of an object that lists what is saved of it anew for every save and load, and is notified when it was restored. */
typedef struct ckpt_stateful_callbacks {
  uint32_t struct_size;             /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;                /* not used: 0 */
  ckpt_stateful_list_fn list;       /* lists what is saved of the object; must not be NULL */
  ckpt_stateful_restore_fn restore; /* called when the object was restored; may be NULL */
} ckpt_stateful_callbacks;

#define CKPT_STATEFUL_CALLBACKS_INIT \
  { sizeof(ckpt_stateful_callbacks), 0, 0, 0 }

/* Adds an object to a state. name: not blank, at most 32 bytes, no '.'; ALREADY_EXISTS when an object of the state has it. What the
 * object lists as group "g" and key "k" are "name.g" and "name.k" in checkpoints; keys of the state that begin with "name." are the
 * object's after a load. callbacks are copied. destroy (may be NULL) runs once, when the last state that holds the object is gone;
 * when this fails, it has not run.
 * An error of list fails a save or load before it begins; one of restore comes when tensors and values are loaded already. */
CKPT_API ckpt_status ckpt_state_add_stateful(ckpt_state* state, const char* name, const ckpt_stateful_callbacks* callbacks,
                                             void* user_data, ckpt_destroy_fn destroy);

/* ---- Coordinators -------------------------------------------------------------------------------------------------------- */

/* How the processes of one run find one another: ranks, and the collective operations that a checkpoint of many processes needs.
 * As synchronised as its callbacks. */
typedef struct ckpt_coordinator ckpt_coordinator;

/* Returns 0 when every process has called it, CKPT_E_TIMEOUT when not all came within timeout_ns nanoseconds, or another number for
 * an error (text by ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_barrier_fn)(int64_t timeout_ns, void* user_data);

/* Sends root's bytes to all processes: data is read there and written elsewhere. Returns 0, CKPT_E_TIMEOUT when not all came within
 * timeout_ns nanoseconds, or another number for an error (text by ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_broadcast_fn)(void* data, int64_t bytes, int64_t root, int64_t timeout_ns, void* user_data);

/* Sends bytes of every process to all: received holds world_size times as many, in the order of ranks. Returns 0, CKPT_E_TIMEOUT
 * when not all came within timeout_ns nanoseconds, or another number for an error (text by ckpt_callback_error). */
typedef int32_t (*ckpt_coordinator_all_gather_fn)(const void* sent, int64_t bytes, int64_t timeout_ns, void* received,
                                                  void* user_data);

/* Sends bytes of every process to root: received holds world_size times as many there, in the order of ranks, and is NULL
 * elsewhere. Returns 0, CKPT_E_TIMEOUT when not all came within timeout_ns nanoseconds, or another number for an error (text by
 * ckpt_callback_error). A process that is not root may return before root has its bytes. */
typedef int32_t (*ckpt_coordinator_gather_fn)(const void* sent, int64_t bytes, int64_t root, int64_t timeout_ns, void* received,
                                              void* user_data);

/* The functions of a custom coordinator, and its process's place among all. */
typedef struct ckpt_coordinator_callbacks {
  uint32_t struct_size;                      /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;                         /* not used: 0 */
  int64_t rank;                              /* number of this process, 0 .. world_size - 1 */
  int64_t world_size;                        /* number of processes, >= 1; default 1 */
  ckpt_coordinator_barrier_fn barrier;       /* returns when every process has called it */
  ckpt_coordinator_broadcast_fn broadcast;   /* sends the bytes of one process to all */
  ckpt_coordinator_all_gather_fn all_gather; /* sends the bytes of every process to all */
  /* sends the bytes of every process to one; may be NULL: then all_gather does, and every process needs world_size times the
   * bytes of one in memory */
  ckpt_coordinator_gather_fn gather;
} ckpt_coordinator_callbacks;

#define CKPT_COORDINATOR_CALLBACKS_INIT \
  { sizeof(ckpt_coordinator_callbacks), 0, 0, 1, 0, 0, 0, 0 }

/* Creates the coordinator of a single process, rank 0 of 1: every operation returns at once. */
CKPT_API ckpt_status ckpt_coordinator_create_single(ckpt_coordinator** coordinator);

/* Creates a coordinator whose operations are functions of the caller; all must be there but gather. callbacks are copied. destroy
 * (may be NULL) runs once, when the last reference is released; when this fails, it has not run. */
CKPT_API ckpt_status ckpt_coordinator_create_custom(const ckpt_coordinator_callbacks* callbacks, void* user_data,
                                                    ckpt_destroy_fn destroy, ckpt_coordinator** coordinator);

/* Sets *rank to this process's rank, 0 .. world_size - 1. */
CKPT_API ckpt_status ckpt_coordinator_get_rank(const ckpt_coordinator* coordinator, int64_t* rank);

/* Sets *world_size to the number of processes. */
CKPT_API ckpt_status ckpt_coordinator_get_world_size(const ckpt_coordinator* coordinator, int64_t* world_size);

/* Returns when every process has called it. timeout_ns: >= 0; TIMEOUT after that. A custom one's: its status, else CALLBACK. Wrong
 * arguments of this function and of the next three are detected only by their process: the others wait for it until TIMEOUT. */
CKPT_API ckpt_status ckpt_coordinator_barrier(ckpt_coordinator* coordinator, int64_t timeout_ns);

/* Sends the root's bytes to all processes: data is read there and written elsewhere. bytes: >= 0, the same everywhere; data may be
 * NULL only when it is 0. root: 0 .. world_size - 1. Errors as ckpt_coordinator_barrier. */
CKPT_API ckpt_status ckpt_coordinator_broadcast(ckpt_coordinator* coordinator, void* data, int64_t bytes, int64_t root,
                                                int64_t timeout_ns);

/* Sends every process's bytes to all, in the order of ranks: received holds world_size * bytes and does not overlap sent. Errors as
 * ckpt_coordinator_barrier. */
CKPT_API ckpt_status ckpt_coordinator_all_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t timeout_ns,
                                                 void* received);

/* Sends every process's bytes to root, in the order of ranks: received holds world_size * bytes there and does not overlap sent;
 * elsewhere it is not used and may be NULL. bytes: >= 0, the same everywhere. root: 0 .. world_size - 1. A process that is not root
 * may return before the others have come. A custom coordinator without gather uses its all_gather, in memory of world_size * bytes
 * on every process. Errors as ckpt_coordinator_barrier; OUT_OF_MEMORY without that memory. */
CKPT_API ckpt_status ckpt_coordinator_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t root,
                                             int64_t timeout_ns, void* received);

/* Releases the coordinator. Checkpoints made with it keep it alive. NULL does nothing. */
CKPT_API void ckpt_coordinator_release(ckpt_coordinator* coordinator);

/* ---- Checkpoints --------------------------------------------------------------------------------------------------------- */

/* The checkpoints in one storage. Synchronised: saves wait for one another; loads and looks wait for nothing, and go on beside a
 * save. Owns no threads. In a forked child everything but saving works. Inside a callback of one of its own calls (of the storage,
 * of a stateful object, ...) its calls return INVALID_STATE; a log callback may make them.
 *
 * Many ranks. With a coordinator of several processes each of them has a manager of the same storage.
 * ckpt_checkpoint_manager_create, _save and _load, and the same of async.h, are collective then: every rank calls them, in the same
 * order, on one thread at a time and not inside a log callback (INVALID_STATE); they return the same status on every rank, and the
 * message names the rank where an error began. This includes errors in one rank's arguments: no rank waits for it, and managers can
 * be used afterwards. A rank returns alone only if it has no coordinator to report by: with NULL or another handle instead of the
 * manager (or of the coordinator, in ckpt_checkpoint_manager_create), with options of an invalid struct_size, in a forked process,
 * and inside a callback. If a rank does not call, the others return TIMEOUT after timeout_ns of the options, and the message names
 * that rank. For this each rank that has waited writes a small file to the storage, and looks for those of the others in the last
 * fifth of timeout_ns. Read-only managers write nothing and cannot name the rank. Only rank 0 holds the lock, cleans up, and
 * removes what its options do not keep. All other calls are for any rank alone; those that change the storage (remove, pin, prune)
 * are for rank 0: INVALID_STATE elsewhere. docs/explanation/scale.md counts messages, bytes and requests. */
typedef struct ckpt_checkpoint_manager ckpt_checkpoint_manager;

/* Lines. The caller chooses the step numbers. When a run goes back to step 300 of a storage that holds step 600, its saves are
 * newer although their steps are lower. The first such save is a roll-back and begins a new generation. This is decided when a save
 * is accepted (a background save: before it is staged), with several ranks by rank 0. A generation begins if the save is the first
 * since the manager was created or last loaded a checkpoint into a state, and
 *   - its step is lower than the newest step that is committed or queued, or
 *   - the checkpoint that was loaded is not the newest one, and the step of the save does not exceed the newest step.
 * Loads by a read-only manager, readers, lists and verifications do not count. Saving the newest step again begins no generation,
 * and neither does a save above the newest step after an older checkpoint was loaded. The checkpoint that was loaded is the parent
 * of the generation; without one a new run begins. The current line is the highest generation and, of each lower one, the
 * checkpoints up to the step at which the line left it. All others are abandoned. Loads without a name,
 * ckpt_checkpoint_manager_get_latest and ckpt_checkpoint_manager_get_best no longer take them, even if the line is damaged. Loads
 * by step take them if the line does not have the step; loads by name take any. Retention counts them last, so it removes them
 * first; ckpt_checkpoint_manager_prune_abandoned removes all of them. A warning is logged once when a generation begins. */

/* Bytes that hold the name of any checkpoint made here, with its NUL. */
#define CKPT_CHECKPOINT_NAME_BYTES 64 /* bytes that hold the name of any checkpoint made here, its NUL included */

/* Given as a checkpoint's name: the storage's root is itself the directory of one checkpoint. */
#define CKPT_CHECKPOINT_SELF "." /* used as a checkpoint's name: the storage's root is itself the directory of one checkpoint */

/* Which metric is the best. */
typedef int32_t ckpt_best_metric;

#define CKPT_BEST_METRIC_SMALLEST 0 /* the best metric is the smallest */
#define CKPT_BEST_METRIC_LARGEST 1  /* the best metric is the largest */

/* What is known of one checkpoint without reading its files. */
typedef struct ckpt_checkpoint_info {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  /* CKPT_OK: manifest and file sizes are right (checksums of files not looked at); CKPT_E_NOT_FOUND: no manifest, so being written
   * or cut off; CKPT_E_CORRUPT: damaged; others: why it could not be read */
  ckpt_status status;
  int64_t step;                          /* number of the step that was saved */
  int64_t commit_sequence;               /* number of the save among those in its storage; 0 unless status is CKPT_OK */
  int64_t bytes;                         /* bytes of the files, the manifest not counted; 0 unless status is CKPT_OK */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage */
  double metric;                         /* metric that the save was made with; 0 when has_metric is 0 */
  ckpt_bool has_metric;                  /* 1 when the save was made with a metric and status is CKPT_OK, else 0 */
  uint32_t reserved;                     /* not used: 0 */
  /* when the save was made, in nanoseconds since 1970; 0 when an earlier version made it, or status is not CKPT_OK */
  int64_t saved_utc_ns;
  ckpt_bool pinned;   /* 1 when retention does not remove the checkpoint (ckpt_checkpoint_manager_pin), else 0 */
  int32_t reserved2;  /* not used: 0 */
  int64_t world_size; /* number of ranks that saved it; 0 unless status is CKPT_OK */
  /* generation of its line, which grows with each roll-back; 0 in a storage that never had one */
  int64_t generation;
  /* 1 when a later run went back to an earlier step: only loads by name or step take the checkpoint, and retention removes it
   * first, else 0 */
  ckpt_bool abandoned;
  int32_t reserved3; /* not used: 0 */
} ckpt_checkpoint_info;

#define CKPT_CHECKPOINT_INFO_INIT \
  { sizeof(ckpt_checkpoint_info), 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Decides whether one checkpoint stays after a newer save: asked about each good one that no rule keeps. info: valid during the
 * call only. *keep is 0; set to another number, the checkpoint stays. Runs on the thread that saves or prunes; may block. Calls on
 * the manager return INVALID_STATE in it. Returns 0, or another number for an error (text by ckpt_callback_error): then nothing is
 * removed; a save warns in the log, ckpt_checkpoint_manager_prune fails with CALLBACK. */
typedef int32_t (*ckpt_keep_fn)(const ckpt_checkpoint_info* info, ckpt_bool* keep, void* user_data);

/* How the checkpoints of a storage are opened, and which of them stay. */
typedef struct ckpt_checkpoint_manager_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  /* 0 locks the storage for writing; other values: no lock, nothing is ever changed, and saving fails. The same on all ranks */
  ckpt_bool read_only;
  /* after every save older checkpoints are removed, except this many (the saved one included); 0 (the default): all stay. Manifests
   * are read for that, files are not: one whose manifest does not parse neither counts nor is removed. One that a load or
   * verification of this process found damaged does not count, and is removed once it is older than all that stay; the newest other
   * one is never removed. Directories that cut-off saves have left are removed, too, once the saved one is of the same or a later
   * step */
  int64_t keep_last;
  /* checkpoints whose step is a multiple of this stay too (of equal steps the last committed); 0: none. Needs keep_last >= 1 */
  int64_t keep_every;
  /* this many checkpoints with the best metric stay too, of equal ones the newest; 0: none. Needs keep_last >= 1 */
  int64_t keep_best;
  /* which metric is the best: CKPT_BEST_METRIC_SMALLEST (the default) or CKPT_BEST_METRIC_LARGEST */
  ckpt_best_metric best_metric;
  uint32_t reserved; /* not used: 0 */
  /* coordinator of the processes of the run; kept alive; NULL: a single process */
  ckpt_coordinator* coordinator;
  /* says which of the storage's errors are tried again; kept alive; NULL: one with its usual settings. Set one with max_attempts 1
   * for no attempts but the first, also before a storage that tries again by itself: the attempts would multiply */
  ckpt_fault_handler* fault_handler;
  /* rules, with commas between them; after every save older checkpoints are removed, except those that a rule, keep or the fields
   * above keep, those that are pinned, and the newest good one. "last:COUNT": the newest ones; "every:STEPS": those whose step is a
   * multiple; "best:COUNT" (as best_metric says), "best:COUNT:min" and "best:COUNT:max": those with the best metric; "newer:AGE":
   * those that were saved less than this ago, in seconds, or with s, m, h, d or w behind the number, or at a time that is not
   * known. For example "last:3, every:100, best:2:max, newer:24h". NULL or empty: no rules. What is said of keep_last holds */
  const char* keep_rules;
  ckpt_keep_fn keep;            /* function that is asked about those that no rule keeps; NULL: they do not stay */
  void* keep_user_data;         /* passed to each call of keep */
  ckpt_destroy_fn keep_destroy; /* called once with keep_user_data after the last call of keep; may be NULL */
  /* nanoseconds for which one call, or the writing of one save in the background, waits for the other ranks of a coordinator of
   * several processes; 0 (the default): ten minutes */
  int64_t timeout_ns;
} ckpt_checkpoint_manager_options;

#define CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_checkpoint_manager_options), 0, 0, 0, 0, CKPT_BEST_METRIC_SMALLEST, 0, 0, 0, NULL, NULL, NULL, NULL, 0 }

/* Opens the checkpoints of a storage, which is kept alive. options: NULL for the defaults.
 * A writer holds the lock ".lock" until it is released; BUSY, with the holder's process id in the message, when another one has it,
 * in this process or elsewhere; ckpt_file_system_options.lock_kind chooses another kind of lock. It renames directories without a
 * manifest, which cut-off saves have left, to "torn-..." and logs a warning for each; a directory that holds a manifest keeps its
 * name, whatever is wrong with it. An object store has no lock: there a save that another writer has overtaken fails with BUSY, and
 * so do all later calls of that manager which write.
 * With several ranks this is collective, also when read-only; an error of one rank, including errors in its arguments, is returned
 * on all. Ranks with different storages get INVALID_ARGUMENT, as rank 0 writes a file that all must find. Read-only managers skip
 * this check: a load detects the difference then. */
CKPT_API ckpt_status ckpt_checkpoint_manager_create(ckpt_storage* storage, const ckpt_checkpoint_manager_options* options,
                                                    ckpt_checkpoint_manager** manager);

/* Sets *storage to a new reference to the storage that the checkpoint was made with. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_storage(const ckpt_checkpoint_manager* manager, ckpt_storage** storage);

/* Sets *coordinator to a new reference to the coordinator that the checkpoint was made with, or to one of a single process when
 * there was none. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_coordinator(const ckpt_checkpoint_manager* manager,
                                                             ckpt_coordinator** coordinator);

/* Sets *handler to a new reference to the fault handler that the checkpoint uses; its count of retries is the checkpoint's when
 * nothing else uses it. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_fault_handler(const ckpt_checkpoint_manager* manager,
                                                               ckpt_fault_handler** handler);

/* Releases the handle. The lock of the storage is released with it, or with the last object that keeps the checkpoint alive, also
 * while forked children of the process live; in such a child the lock stays the parent's. NULL does nothing. */
CKPT_API void ckpt_checkpoint_manager_release(ckpt_checkpoint_manager* manager);

/* ---- Save ---------------------------------------------------------------------------------------------------------------- */

/* What one save writes, and how. */
typedef struct ckpt_save_options {
  uint32_t struct_size;      /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;         /* not used: 0 */
  int64_t step;              /* number of the step, >= 0; a load takes the highest one of the current line */
  uint64_t seed;             /* seed of the run's random numbers, kept for the load */
  const char* metadata_json; /* JSON text of anything, for people and tools; NULL: the JSON value null */
  /* JSON text of what else the results' last bits depend on (hardware, other libraries); NULL: nothing. The library adds its
   * version and the BLAS that this process uses by then, and loads none for that */
  const char* environment_json;
  /* begins the checkpoint's name, for people: 1 .. 24 of a-z, 0-9 and '_', not "step" or "torn"; loads and retention do not look at
   * it. NULL or empty: no prefix */
  const char* prefix;
  /* metric of the state, compared to find the best checkpoints. Read only when has_metric is not 0. If it is not finite, the state
   * is saved without a metric, a warning is logged, and metric_ignored is set in the result */
  double metric;
  ckpt_bool has_metric; /* whether metric is set: 0 no, other values yes */
  /* 1 (the default): an unchanged file of a group that rarely changes is linked to, or copied, not written from memory; 0: all are
   * written */
  ckpt_bool incremental;
  /* other than 0 compares checksums of the replicated tensors of all ranks, where there are several, before the save, and of the
   * blocks of ranks that have the same ones of all sharded tensors; one that differs fails it with INVALID_ARGUMENT that names the
   * tensor and the ranks. Reads every byte of these tensors */
  ckpt_bool check_replicas;
  uint32_t reserved2; /* not used: 0 */
} ckpt_save_options;

#define CKPT_SAVE_OPTIONS_INIT \
  { sizeof(ckpt_save_options), 0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0 }

/* What one save wrote. */
typedef struct ckpt_save_result {
  uint32_t struct_size;                  /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;                     /* not used: 0 */
  int64_t files;                         /* number of files of the checkpoint, the manifest not counted */
  int64_t step;                          /* number of the step that was saved */
  int64_t commit_sequence;               /* number of the save, which grows with every save in this storage */
  int64_t bytes;                         /* bytes of the files, the manifest not counted */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage */
  int64_t linked;                        /* number of files that were linked or copied because nothing in them had changed */
  int64_t rank_bytes;                    /* bytes of those of the files that this rank made; of one process alone: bytes */
  /* generation of the checkpoint's line, which grows with each roll-back; 0 in a storage that never had one */
  int64_t generation;
  /* 1 when the generation begins with this save: the run went back to an earlier step, or a new run began in an old storage, and
   * the checkpoints that are not on its line are abandoned, else 0 */
  ckpt_bool rolled_back;
  ckpt_bool metric_ignored; /* 1 when the metric was not finite, so that the checkpoint has none, else 0 */
  /* number of background tasks of this storage that failed in this process and whose managers were released before a caller
   * received the failure (see async.h). Set by the first save of the storage that completes afterwards; else 0 */
  int64_t unreported_failures;
  ckpt_status unreported_status; /* status of the oldest of the unreported failures; CKPT_OK when there are none */
  int32_t reserved2;             /* not used: 0 */
  /* the oldest of the unreported failures: one line of UTF-8, cut off at a character; empty when there are none */
  char unreported_error[256];
} ckpt_save_result;

#define CKPT_SAVE_RESULT_INIT \
  { sizeof(ckpt_save_result), 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0, 0, 0, 0, "" }

/* Writes state as a new checkpoint and returns when it is durable: a load finds it, or a newer one, after a crash at any later
 * moment. The tensors should not change meanwhile; if they do, the checkpoint holds some mixture, with checksums of what was
 * written. With several ranks all save the same names, dtypes, global shapes, step and prefix (INVALID_ARGUMENT names what differs,
 * and where); other options and the JSON values are rank 0's, and values that differ elsewhere are saved by rank. options: NULL for
 * the defaults (step 0). result: NULL when it is not wanted. INVALID_STATE when read-only, FORKED in a
 * forked child, NO_SPACE, PERMISSION and IO from the system: then what was written is removed as far as that is possible, and older
 * checkpoints are what they were. NO_SPACE with both figures, before anything is made, when a file system has fewer bytes free than
 * the files need; what is linked needs none, and what is removed after the save is not counted. */
CKPT_API ckpt_status ckpt_checkpoint_manager_save(ckpt_checkpoint_manager* manager, const ckpt_state* state,
                                                  const ckpt_save_options* options, ckpt_save_result* result);

/* ---- Load ---------------------------------------------------------------------------------------------------------------- */

/* What is checked of the bytes that are read. */
typedef int32_t ckpt_verify;

#define CKPT_VERIFY_NONE 0 /* trust the bytes; sizes, headers and manifest are checked all the same */
#define CKPT_VERIFY_FULL 1 /* check the checksum of every byte that is loaded */
#define CKPT_VERIFY_LAZY 2 /* only for readers: check the checksum of a tensor when it is first touched */

/* Which element types a load converts. */
typedef int32_t ckpt_conversion;

#define CKPT_CONVERSION_NONE 0 /* nothing is converted: the state's tensors must have the element types of the checkpoint */
/* elements are converted to types that hold every value of theirs: F16 and BF16 to F32 and F64, F32 to F64, integers to wider ones
 * of the same or a larger range, and to F32 and F64 where these hold all of them */
#define CKPT_CONVERSION_LOSSLESS 1
/* any integers and floating-point numbers of 16 to 64 bits (and integers of 8) are converted to any others of these: rounded to the
 * nearest, ties to even; integers only from whole numbers. A value that the other type has no place for is an error */
#define CKPT_CONVERSION_LOSSY 2

/* Says under which name a load looks for a tensor of the checkpoint in the state. group, name (borrowed for the call): those of the
 * tensor in the checkpoint, the name after strip_prefix and add_prefix. buffer has room for capacity bytes (at least 256) and holds
 * the name, *needed is its length: left so, the name stays as it is. Else it writes the state's name into buffer, as UTF-8, and
 * sets *needed to its length without a NUL, as snprintf returns it; when that is capacity or more, the function is called once
 * again with room for it. An answer that is blank, no UTF-8 or longer than 65536 bytes, and two names of a group that become one,
 * fail the load with INVALID_ARGUMENT. Runs on the thread that loads, for each tensor of each checkpoint that is tried, but not for
 * the text of a tree, nor for groups that are trees here and there; may block. Calls on the state and on the manager that are
 * loading return INVALID_STATE in it. Returns 0, or another number for an error (text by ckpt_callback_error): the load then fails
 * with CALLBACK, and no other checkpoint is tried. */
typedef int32_t (*ckpt_rename_fn)(const char* group, const char* name, char* buffer, int64_t capacity, int64_t* needed,
                                  void* user_data);

/* What one load takes, and how. */
typedef struct ckpt_load_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  ckpt_verify verify;   /* what is checked: CKPT_VERIFY_FULL (the default) or CKPT_VERIFY_NONE */
  const char* name;     /* name of one checkpoint, which is loaded without falling back; NULL: the newest valid one */
  int64_t step; /* the checkpoint of this step is loaded, of several the newest valid one. Read only when has_step is not 0 */
  /* JSON text of what this run's results depend on, compared with what the save wrote; NULL: not compared. The library's version
   * and the BLAS are compared in any case, as far as both sides have them */
  const char* environment_json;
  /* 0: the state and the checkpoint must have the same names; other values: tensors that only one side has are counted and listed
   * in the load report, those of the state and keys that the checkpoint lacks keep what they hold */
  ckpt_bool partial;
  /* 0: a load that fails leaves the state's tensors as they were. Files of the file system are read twice for that, to check them
   * and to copy them, and checked again in the copy; of other storages' files it needs as much memory again as the tensors have.
   * Other values: bytes are read straight into the tensors and checked there, which is faster and needs no memory, and after a load
   * that fails what the tensors hold is undefined */
  ckpt_bool in_place;
  ckpt_bool has_step; /* whether step is set: 0 no, other values yes; not together with name */
  uint32_t reserved;  /* not used: 0 */
  /* what is taken off the beginning of the checkpoint's tensor names that begin with it, before they are looked for in the state
   * ("module."); NULL or empty: nothing. Two names that become one, or a name of which nothing is left, are an error */
  const char* strip_prefix;
  /* what is put before each of the checkpoint's tensor names, after strip_prefix was taken off, before they are looked for in the
   * state; NULL or empty: nothing */
  const char* add_prefix;
  /* which element types are converted to those of the state's tensors: CKPT_CONVERSION_NONE (the default), CKPT_CONVERSION_LOSSLESS
   * or CKPT_CONVERSION_LOSSY */
  ckpt_conversion convert;
  int32_t reserved2; /* not used: 0 */
  /* function that is asked for the state's name of each tensor of the checkpoint; NULL: strip_prefix and add_prefix say all */
  ckpt_rename_fn rename;
  void* rename_user_data; /* passed to each call of rename */
  /* called once with rename_user_data after the last call of rename in this load; may be NULL */
  ckpt_destroy_fn rename_destroy;
} ckpt_load_options;

#define CKPT_LOAD_OPTIONS_INIT \
  { sizeof(ckpt_load_options), CKPT_VERIFY_FULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, CKPT_CONVERSION_NONE, 0, NULL, NULL, NULL }

/* What one load found. */
typedef struct ckpt_load_result {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  /* 1 when environment_json was set and is not the checkpoint's, or the library's version or the BLAS in use is another one. The
   * log says which; results may differ in their last bits. Where no BLAS is in use yet, its first use warns in the log */
  ckpt_bool environment_differs;
  int64_t step;            /* number of the step that was loaded */
  int64_t commit_sequence; /* number of the save among those in its storage */
  uint64_t seed;           /* seed of the run's random numbers, as saved */
  int64_t bytes;           /* bytes of the files, the manifest not counted */
  /* number of newer checkpoints that could not be used, and, on an object store, 1 for a damaged commit record of the checkpoint
   * that was loaded; the load report names them. A directory without a manifest is not a checkpoint and does not count */
  int64_t skipped;
  /* name of the checkpoint: its directory in the storage; cut off when it is longer (only if the load was asked for it by name) */
  char name[CKPT_CHECKPOINT_NAME_BYTES];
  /* number of tensors of the state that the checkpoint lacks; 0 unless the load was partial */
  int64_t missing;
  /* number of tensors of the checkpoint that the state lacks; 0 unless the load was partial */
  int64_t unexpected;
  /* 1 after a load that failed when it had begun to write the tensors, some of which hold parts of the checkpoint by then: a load
   * in place, or one whose file changed between its check and its copy. 0 after one that succeeded */
  ckpt_bool partly_filled;
  uint32_t reserved;  /* not used: 0 */
  int64_t world_size; /* number of ranks that saved the checkpoint */
} ckpt_load_result;

#define CKPT_LOAD_RESULT_INIT \
  { sizeof(ckpt_load_result), 0, 0, 0, 0, 0, 0, "", 0, 0, 0, 0, 0 }

/* Fills the state's tensors and replaces its JSON values by those of a checkpoint. Takes the first usable checkpoint of the current
 * line (see "Lines" above): that of the highest generation, in it of the highest step, of equal ones the last that was committed. A
 * checkpoint is usable if its manifest parses, its files exist with their sizes, and its checksums match. If none of the line is
 * usable, the message names the newest abandoned one. One that fails is skipped with a warning that names it, counted in the result
 * and named in the load report; nothing in the storage is changed. A writer may be at work meanwhile, here or in another process:
 * what its retention removes does not count as damaged; the search starts again (BUSY after a thousand times). The state must
 * have exactly the checkpoint's groups and tensors unless the load is partial: INVALID_ARGUMENT names the first that one of them
 * lacks or whose dtype or shape differ; no other checkpoint is tried then. A group that is a tree (tree.h) here and there is loaded
 * whole: with the same tensors also in a partial load, and with the checkpoint's text in a tensor of its own. All or nothing unless
 * it is in place: everything is verified before the first tensor is touched. Only a file that changes after that, while it is
 * copied, gives CORRUPT (or IO) with tensors that are partly filled; no other checkpoint is tried then. Large files are read by up
 * to four threads, which are gone when this returns.
 * A checkpoint of N ranks is loaded by any number M of ranks, also by one: each rank's blocks may be cut in any other way. All
 * ranks load the same checkpoint, or all fail. JSON values that the N ranks had alike are loaded everywhere; those that differed
 * are loaded by rank when M is N, and not at all when it is not (the load report names them: by_rank). options: NULL for the
 * defaults. result: NULL when it is not wanted; after a failure that left tensors partly filled only its partly_filled is set,
 * otherwise it is unchanged. When this fails, rename_destroy has not run. NOT_FOUND only when there is no checkpoint (of that name
 * or step); CORRUPT (or IO, PERMISSION, UNSUPPORTED) when there are some but none is usable. */
CKPT_API ckpt_status ckpt_checkpoint_manager_load(ckpt_checkpoint_manager* manager, ckpt_state* state,
                                                  const ckpt_load_options* options, ckpt_load_result* result);

/* ---- Look and verify ----------------------------------------------------------------------------------------------------- */

/* Lists the checkpoints of the storage, good or not (those set aside as "torn-..." do not count), in the order in which a load
 * tries them, abandoned ones last: infos receives the first capacity (>= 0) of them, *count how many there are. Every element is as
 * large as infos[0].struct_size says. infos may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_checkpoint_manager_list(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* infos, int64_t capacity,
                                                  int64_t* count);

/* Fills *info with the checkpoint that a load tries first: the one of the highest step of the current line whose status is CKPT_OK,
 * of equal ones the last that was committed. NOT_FOUND when there is none; the message then names the newest abandoned one. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_latest(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* info);

/* Fills *info with the checkpoint that has the best metric, as best_metric of the manager's options says, of equal ones the newest,
 * among those of the current line whose status is CKPT_OK. NOT_FOUND when none has a metric. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_best(ckpt_checkpoint_manager* manager, ckpt_checkpoint_info* info);

/* Fills *info with the newest checkpoint of this step (>= 0) whose status is CKPT_OK; one of the current line takes precedence over
 * abandoned ones. NOT_FOUND when there is none. */
CKPT_API ckpt_status ckpt_checkpoint_manager_find_step(ckpt_checkpoint_manager* manager, int64_t step, ckpt_checkpoint_info* info);

/* Removes one checkpoint for ever, durably: after a crash it is there whole, or gone for every load. name: as in
 * ckpt_checkpoint_info, good or damaged. NOT_FOUND without a directory of that name; INVALID_STATE when it is pinned or the manager
 * read-only, FORKED in a forked child. Waits for a save that is under way. */
CKPT_API ckpt_status ckpt_checkpoint_manager_remove(ckpt_checkpoint_manager* manager, const char* name);

/* Pins the newest checkpoint of this step (>= 0) whose status is CKPT_OK, durably: retention of this and later processes does not
 * remove it. Earlier versions of the library do not know pins. NOT_FOUND when there is none; else as
 * ckpt_checkpoint_manager_remove.
 */
CKPT_API ckpt_status ckpt_checkpoint_manager_pin(ckpt_checkpoint_manager* manager, int64_t step);

/* Takes the pins of all checkpoints of this step (>= 0) back, durably: the next save may remove them. NOT_FOUND when the step has
 * no checkpoint; else as ckpt_checkpoint_manager_remove. */
CKPT_API ckpt_status ckpt_checkpoint_manager_unpin(ckpt_checkpoint_manager* manager, int64_t step);

/* Removes the checkpoints that a save would now remove, durably. keep_rules: as in ckpt_checkpoint_manager_options, in the place of
 * all that these say; NULL or empty: what they say. infos receives the first capacity (>= 0) of those that go, newest first, *count
 * how many there are. They are removed only when infos has room for all of them: else, and when dry_run is not 0, nothing is
 * changed. The one that was committed last stays, too. INVALID_ARGUMENT for rules that cannot be read; without a dry run as
 * ckpt_checkpoint_manager_remove, and IO when some could not be removed completely. */
CKPT_API ckpt_status ckpt_checkpoint_manager_prune(ckpt_checkpoint_manager* manager, const char* keep_rules, ckpt_bool dry_run,
                                                   ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count);

/* Durably removes the abandoned checkpoints that are not pinned, and no others, whatever the manager's rules keep. Those with a
 * manifest that cannot be read stay. infos, capacity, *count, dry_run and errors as in ckpt_checkpoint_manager_prune. */
CKPT_API ckpt_status ckpt_checkpoint_manager_prune_abandoned(ckpt_checkpoint_manager* manager, ckpt_bool dry_run,
                                                             ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count);

/* Writes the manifest of one checkpoint: a JSON text with its step, groups, files, tensors, values and metadata
 * (docs/reference/file-format.md), by the (buffer, capacity, *needed) rule of ckpt.h. name: as in ckpt_checkpoint_info, or
 * CKPT_CHECKPOINT_SELF. NOT_FOUND without a manifest, CORRUPT when it is damaged. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_manifest(ckpt_checkpoint_manager* manager, const char* name, char* buffer,
                                                          int64_t capacity, int64_t* needed);

/* Writes the JSON values that one rank saved, as an object, by the (buffer, capacity, *needed) rule of ckpt.h. name: as in
 * ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF. rank: 0 .. world_size - 1 of the checkpoint, else OUT_OF_RANGE. For runs that go
 * on with another number of ranks and have to share out anew what was each rank's own. Errors as
 * ckpt_checkpoint_manager_get_manifest. */
CKPT_API ckpt_status ckpt_checkpoint_manager_get_rank_values(ckpt_checkpoint_manager* manager, const char* name, int64_t rank,
                                                             char* buffer, int64_t capacity, int64_t* needed);

/* What a verification checked. */
typedef struct ckpt_verify_result {
  uint32_t struct_size;                  /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;                     /* not used: 0 */
  int64_t files;                         /* number of files whose every byte was checked, the manifest not counted */
  int64_t tensors;                       /* number of tensors in the files that were checked */
  int64_t bytes;                         /* bytes of the files that were checked */
  char name[CKPT_CHECKPOINT_NAME_BYTES]; /* name of the checkpoint: its directory in the storage, cut off when it is longer */
} ckpt_verify_result;

#define CKPT_VERIFY_RESULT_INIT \
  { sizeof(ckpt_verify_result), 0, 0, 0, 0, "" }

/* Reads a whole checkpoint and checks everything. name: as in ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF; NULL: the newest that
 * has a manifest, another one when a writer removes that meanwhile. result: NULL when it is not wanted. CORRUPT with a message that
 * names the first bad file and, where it is known, the tensor. NOT_FOUND when there is no such checkpoint (any more). */
CKPT_API ckpt_status ckpt_checkpoint_manager_verify(ckpt_checkpoint_manager* manager, const char* name, ckpt_verify_result* result);

/* ---- Readers ------------------------------------------------------------------------------------------------------------- */

/* The tensors of one checkpoint, of any safetensors file, or of a folder with an index, one by one: read, read in part, or mapped.
 * One thread at a time; the tensors that it makes are independent of it. */
typedef struct ckpt_reader ckpt_reader;

/* What is known of one tensor in a file. */
typedef struct ckpt_tensor_info {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  ckpt_dtype dtype;     /* element type: one of CKPT_DTYPE_* */
  const char* name;     /* name of the tensor: UTF-8; may be empty. Valid as long as the reader */
  const int64_t* shape; /* lengths of the dimensions; NULL when there are no dimensions. Valid as long as the reader */
  int32_t ndim;         /* number of dimensions; may be more than a tensor in memory can have */
  int32_t reserved;     /* not used: 0 */
  int64_t bytes;        /* size of the tensor in bytes */
  int64_t offset; /* place of its first byte, from the start of the file, in bytes; 0 where it is in blocks of several files */
  /* group of the checkpoint that the tensor is in; empty for files without groups. Valid as long as the reader */
  const char* group;
} ckpt_tensor_info;

#define CKPT_TENSOR_INFO_INIT \
  { sizeof(ckpt_tensor_info), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Opens one checkpoint. name: as in ckpt_checkpoint_info, or CKPT_CHECKPOINT_SELF; NULL: the newest that has a manifest (no falling
 * back past damage, but past what a writer removes meanwhile). verify: CKPT_VERIFY_FULL reads and checks every byte now,
 * and each later call checks the bytes that it returns, for which it reads whole chunks of 64 MiB;
 * CKPT_VERIFY_LAZY checks what a call touches when it is first touched, in chunks of 64 MiB; CKPT_VERIFY_NONE checks sizes, headers
 * and manifest only. NOT_FOUND, CORRUPT, and what the system says. A writer's retention may remove the checkpoint meanwhile: what
 * is open can be read on. */
CKPT_API ckpt_status ckpt_reader_create_from_checkpoint(ckpt_checkpoint_manager* manager, const char* name, ckpt_verify verify,
                                                        ckpt_reader** reader);

/* Opens a safetensors file (version 0.8 of https://github.com/huggingface/safetensors), or a directory with
 * model.safetensors.index.json and the files it names (Hugging Face's layout), or one with model.safetensors. Links are followed.
 * Such files have no checksums: headers are checked, bytes cannot be. NOT_FOUND, CORRUPT (also for a tensor of the index that its
 * file lacks), PERMISSION, IO. */
CKPT_API ckpt_status ckpt_reader_create(const char* path, ckpt_reader** reader);

/* Sets *count to the number of tensors. */
CKPT_API ckpt_status ckpt_reader_get_tensor_count(const ckpt_reader* reader, int64_t* count);

/* Fills *info for the tensor at index, 0 .. count-1: group after group, file after file, in the order of the data; else
 * OUT_OF_RANGE. */
CKPT_API ckpt_status ckpt_reader_get_tensor(const ckpt_reader* reader, int64_t index, ckpt_tensor_info* info);

/* Sets *index to the index of a tensor. group: NULL when it does not matter; INVALID_ARGUMENT when several groups have the name
 * then. NOT_FOUND when there is no such tensor. */
CKPT_API ckpt_status ckpt_reader_find(const ckpt_reader* reader, const char* group, const char* name, int64_t* index);

/* Sets *count to the number of entries in the metadata of the files, which is texts by key. Checkpoints' files have none:
 * ckpt_checkpoint_manager_get_manifest. */
CKPT_API ckpt_status ckpt_reader_get_metadata_count(const ckpt_reader* reader, int64_t* count);

/* Reads one entry of the metadata, 0 .. count-1: file after file, in their order; else OUT_OF_RANGE. Borrowed: valid as long as the
 * reader. A NUL inside a value ends it. */
CKPT_API ckpt_status ckpt_reader_get_metadata(const ckpt_reader* reader, int64_t index, const char** key, const char** value);

/* Reads a tensor's bytes into tensor, which must have its dtype and shape (INVALID_ARGUMENT). After CORRUPT (a checksum does not
 * hold, or the file has shrunk) or IO the tensor's contents are undefined. */
CKPT_API ckpt_status ckpt_reader_read(ckpt_reader* reader, int64_t index, ckpt_tensor* tensor);

/* Reads a tensor's bytes as ckpt_reader_read, into a new tensor with memory of pool (NULL: the process's default pool). */
CKPT_API ckpt_status ckpt_reader_read_new(ckpt_reader* reader, int64_t index, ckpt_buffer_pool* pool, ckpt_tensor** tensor);

/* Reads length rows from row begin on, along the first dimension, into a new tensor with that first dimension and memory of pool
 * (NULL: the process's default pool). OUT_OF_RANGE for rows that are not there; INVALID_ARGUMENT for a scalar; UNSUPPORTED when
 * rows of less than a byte per element do not end at a byte. */
CKPT_API ckpt_status ckpt_reader_read_slice(ckpt_reader* reader, int64_t index, int64_t begin, int64_t length,
                                            ckpt_buffer_pool* pool, ckpt_tensor** tensor);

/* Sets *tensor to a new read-only tensor over the file itself (mmap): no byte is copied, pages are read when they are touched. It
 * keeps the mapping alive, also after the reader and the checkpoint are gone. UNSUPPORTED where the storage has no mappings or when
 * the tensor's bytes are not aligned for its dtype (files of other programs), or are in blocks of several files: read it then.
 * CORRUPT when the file is shorter by now than it was when it was opened. If another program shortens the file later, touching what
 * is gone kills the process (SIGBUS), and pages that cannot be read from the disk do too: only ckpt_reader_read returns errors for
 * these. libckpt never changes a committed file. */
CKPT_API ckpt_status ckpt_reader_map(ckpt_reader* reader, int64_t index, ckpt_tensor** tensor);

/* Releases the reader. NULL does nothing. */
CKPT_API void ckpt_reader_release(ckpt_reader* reader);

/* ---- Files for other programs -------------------------------------------------------------------------------------------- */

/* Writes the tensors of one group of a state as a plain safetensors file, which any program can read: under a temporary name of its
 * own next to it (path with ".tmp-" and 8 random digits after it), synced, and renamed to path, where it replaces a file that was
 * there and gets its permission bits. Symbolic links are followed: the file that they lead to is replaced or made, and they stay.
 * Durable when it returns. Several writers of one path, in any processes, do not meet: the last one's whole file stays. A process
 * that is killed meanwhile leaves its temporary file.
 * path: as for open(2). group: NOT_FOUND when the state has none of that name. metadata_json: an object whose values are texts, for
 * the file's metadata; NULL: none. INVALID_ARGUMENT when path is neither a regular file nor free (a directory, a device, a FIFO, a
 * socket); PERMISSION, NO_SPACE and IO from the system: the file at path is unchanged then. */
CKPT_API ckpt_status ckpt_safetensors_write(const char* path, const ckpt_state* state, const char* group,
                                            const char* metadata_json);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STATE_H */
