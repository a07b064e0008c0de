/* pipeline.h - activation checkpoint managers, and pipelines of stages that work on several micro-batches at once.
 *
 * A step's batch is cut into M micro-batches, a chain into stages; each stage has a thread, a schedule and a manager of its own,
 * and hands activations and gradients to its neighbours through bounded lock-free queues. The contract: losses and gradients of any
 * number of stages under any of the micro-batch schedules equal those of one stage with the same micro-batches bit for bit.
 */
#ifndef CKPT_PIPELINE_H
#define CKPT_PIPELINE_H

#include <ckpt/base.h>
#include <ckpt/engine.h>
#include <ckpt/memory.h>
#include <ckpt/plan.h>
#include <ckpt/strategy.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Activation checkpoint manager --------------------------------------------------------------------------------------- */

/* Which micro-batches' activations stay from forward to backward. The others are computed again. */
#define CKPT_ACTIVATION_STORE_ALL 1     /* all: most memory, fastest backward */
#define CKPT_ACTIVATION_RECOMPUTE_ALL 2 /* none: least memory, slowest backward */
#define CKPT_ACTIVATION_SELECTIVE 3     /* every interval-th, and always the first and the last */
#define CKPT_ACTIVATION_MEMORY_BASED                                                                           \
  4 /* what fits threshold_bytes: when a store would pass it, the oldest go first; the first and the last stay \
       whatever they weigh, any other that does not fit beside them is not stored */
#define CKPT_ACTIVATION_STRATEGY 5 /* what the strategy answers yes to; it is asked with the stage's name and the micro-batch */
#define CKPT_ACTIVATION_AUTOMATIC                                                                                       \
  6 /* picked when a step begins by the tracker's pressure, which is live bytes over its limit (or over the memory that \
       this process may use): below 0.5 store-all, below 0.7 selective with an interval of at least 2, below 0.9        \
       memory-based, else recompute-all */

typedef struct ckpt_activation_policy {
  uint32_t struct_size;
  int32_t kind;            /* CKPT_ACTIVATION_* */
  int64_t interval;        /* selective: >= 0; 0 stores all, like 1 */
  int64_t threshold_bytes; /* memory-based: >= 0 */
  ckpt_strategy* strategy; /* for CKPT_ACTIVATION_STRATEGY; kept; else ignored */
} ckpt_activation_policy;

#define CKPT_ACTIVATION_POLICY_INIT \
  { sizeof(ckpt_activation_policy), CKPT_ACTIVATION_STORE_ALL, 1, 1073741824, 0 }

/* Sets *policy to CKPT_ACTIVATION_POLICY_INIT; NULL does nothing. */
CKPT_API void ckpt_activation_policy_init(ckpt_activation_policy* policy);

/* Computes a stage's activation for one micro-batch: *output receives a new reference, which the manager takes over. input is
 * borrowed. Runs on the thread that asked the manager, with no lock held; may block, and may call any function. Non-zero: the call
 * ends with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_stage_forward_fn)(ckpt_tensor* input, int64_t micro_batch, ckpt_tensor** output, void* user_data);

typedef struct ckpt_activation_manager_options {
  uint32_t struct_size;
  uint32_t reserved;
  const char* name;             /* the stage's: strategies are asked with it, the tracker counts under it; NULL: "stage" */
  ckpt_memory_tracker* tracker; /* kept; NULL: one of its own */
  ckpt_clock* clock;            /* kept; dates what is stored; NULL: the monotonic clock */
} ckpt_activation_manager_options;

#define CKPT_ACTIVATION_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_activation_manager_options), 0, 0, 0, 0 }

/* Sets *options to CKPT_ACTIVATION_MANAGER_OPTIONS_INIT; NULL does nothing. */
CKPT_API void ckpt_activation_manager_options_init(ckpt_activation_manager_options* options);

/* Stores the activations of a stage's micro-batches as a policy says. Synchronised. */
typedef struct ckpt_activation_manager ckpt_activation_manager;

/* policy NULL: store-all. options NULL: the defaults. forward (may be NULL: then nothing can be recomputed) with user_data and
 * destroy: the stage's forward. The last micro-batch is the newest one until ckpt_activation_manager_begin_step says how many there
 * are. */
CKPT_API ckpt_status ckpt_activation_manager_create(const ckpt_activation_policy* policy,
                                                    const ckpt_activation_manager_options* options, ckpt_stage_forward_fn forward,
                                                    void* user_data, ckpt_destroy_fn destroy, ckpt_activation_manager** manager);

/* Changes the policy of what is stored from now on; what is stored already stays. Meant for between steps. */
CKPT_API ckpt_status ckpt_activation_manager_set_policy(ckpt_activation_manager* manager, const ckpt_activation_policy* policy);

/* The policy in force: under AUTOMATIC the one that was picked. policy->strategy is set to NULL: no reference is handed out. */
CKPT_API ckpt_status ckpt_activation_manager_policy(const ckpt_activation_manager* manager, ckpt_activation_policy* policy);

/* Clears, and says how many micro-batches (>= 0) the step has: which one is the last. -1: not known; then the newest counts as the
 * last until a newer comes, and one that was kept only for being the last goes then. */
CKPT_API ckpt_status ckpt_activation_manager_begin_step(ckpt_activation_manager* manager, int64_t micro_batches);

/* *answer receives 1 when a store of this many bytes (>= 0) would be kept now, else 0. micro_batch: 0 .. micro_batches-1; another
 * one: OUT_OF_RANGE. A strategy is asked, and counts the question. */
CKPT_API ckpt_status ckpt_activation_manager_should_checkpoint(ckpt_activation_manager* manager, int64_t micro_batch, int64_t bytes,
                                                               int32_t* answer);

/* Asks the policy, and keeps a copy of the activation if it says so: *kept (may be NULL) receives 1 or 0. An index that is stored
 * already is replaced, with its bytes; it goes when the new activation is not kept. */
CKPT_API ckpt_status ckpt_activation_manager_store(ckpt_activation_manager* manager, int64_t micro_batch,
                                                   const ckpt_tensor* activation, int32_t* kept);

/* The same without a copy: the caller gives the tensor up. When the call succeeds the manager has taken the caller's reference,
 * kept or not; nobody may write to the tensor any more. */
CKPT_API ckpt_status ckpt_activation_manager_store_given_up(ckpt_activation_manager* manager, int64_t micro_batch,
                                                            ckpt_tensor* activation, int32_t* kept);

/* *activation receives a new read-only reference to what is stored, or NULL when nothing is: that is no error. The memory lives as
 * long as the reference, also when the manager lets go of it. */
CKPT_API ckpt_status ckpt_activation_manager_get(ckpt_activation_manager* manager, int64_t micro_batch, ckpt_tensor** activation);

/* *has receives 1 when the activation is stored, else 0. */
CKPT_API ckpt_status ckpt_activation_manager_has(const ckpt_activation_manager* manager, int64_t micro_batch, int32_t* has);

/* Runs the stage's forward on input: *activation receives a new reference. Nothing is stored. INVALID_STATE when the manager has no
 * forward. */
CKPT_API ckpt_status ckpt_activation_manager_recompute(ckpt_activation_manager* manager, ckpt_tensor* input, int64_t micro_batch,
                                                       ckpt_tensor** activation);

/* What get gives, or else what recompute gives. input is only read in the second case, but must be there. */
CKPT_API ckpt_status ckpt_activation_manager_get_or_compute(ckpt_activation_manager* manager, ckpt_tensor* input,
                                                            int64_t micro_batch, ckpt_tensor** activation);

/* Lets go of all that is stored; the tracker's count of this manager is 0 then. */
CKPT_API ckpt_status ckpt_activation_manager_clear(ckpt_activation_manager* manager);

/* Exact bytes of what is stored, and how many activations that are. Either may be NULL, not both. */
CKPT_API ckpt_status ckpt_activation_manager_memory_usage(const ckpt_activation_manager* manager, int64_t* bytes, int64_t* count);

/* What is known of one stored activation. */
typedef struct ckpt_activation_metadata {
  uint32_t struct_size;
  int32_t ndim;
  int64_t micro_batch;
  int64_t bytes;
  int64_t shape[8];
  int64_t stored_ns; /* on the manager's clock */
  int64_t hits;      /* times it was read since it was stored */
  ckpt_dtype dtype;
  int32_t reserved;
} ckpt_activation_metadata;

#define CKPT_ACTIVATION_METADATA_INIT \
  { sizeof(ckpt_activation_metadata), 0, 0, 0, {0}, 0, 0, 0, 0 }

/* Sets *metadata to CKPT_ACTIVATION_METADATA_INIT; NULL does nothing. */
CKPT_API void ckpt_activation_metadata_init(ckpt_activation_metadata* metadata);

/* Fills *metadata for a stored activation; NOT_FOUND when it is not stored. */
CKPT_API ckpt_status ckpt_activation_manager_metadata(const ckpt_activation_manager* manager, int64_t micro_batch,
                                                      ckpt_activation_metadata* metadata);

/* The stored micro-batches, ascending: up to capacity (>= 0) of them; *count receives how many there are. micro_batches may be NULL
 * when capacity is 0. */
CKPT_API ckpt_status ckpt_activation_manager_list(const ckpt_activation_manager* manager, int64_t* micro_batches, int64_t capacity,
                                                  int64_t* count);

/* NULL does nothing. Returns every byte to the tracker. */
CKPT_API void ckpt_activation_manager_release(ckpt_activation_manager* manager);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PIPELINE_H */
