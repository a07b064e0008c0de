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
#define CKPT_ACTIVATION_AUTOMATIC                                                                                            \
  6 /* picked when a step begins by pressure: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below \
       0.9 memory-based, else recompute-all. Pressure is the tracker's live bytes over its limit, where it has one; else the \
       process's resident bytes, a pipeline's own arenas left out, over memory_limit_bytes. Each pick is logged (INFO) */

typedef struct ckpt_activation_policy {
  uint32_t struct_size;
  int32_t kind;               /* CKPT_ACTIVATION_* */
  int64_t interval;           /* selective: >= 0; 0 stores all, like 1 */
  int64_t threshold_bytes;    /* memory-based: >= 0 */
  ckpt_strategy* strategy;    /* for CKPT_ACTIVATION_STRATEGY; kept; else ignored */
  int64_t memory_limit_bytes; /* automatic: >= 0; 0: what this process may use, which is physical memory or its cgroup's limit */
} ckpt_activation_policy;

#define CKPT_ACTIVATION_POLICY_INIT \
  { sizeof(ckpt_activation_policy), CKPT_ACTIVATION_STORE_ALL, 1, 1073741824, 0, 0 }

/* Sets *policy to CKPT_ACTIVATION_POLICY_INIT; NULL does nothing. */
CKPT_API void ckpt_activation_policy_init(ckpt_activation_policy* policy);

/* Computes a stage's activation for one micro-batch: *output receives a new reference, which the manager takes over. input is
 * borrowed: who gives it back as the output retains it first. Runs on the thread that asked the manager, with no lock held; may
 * block, may release the manager, and may call any function but those of this manager that give INVALID_STATE inside its callbacks.
 * Non-zero: the call ends with CKPT_E_CALLBACK. */
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

/* Stores the activations of a stage's micro-batches as a policy says. Synchronised.
 * Inside its forward function, its strategy and its clock, functions that ask or change it (set_policy, begin_step,
 * should_checkpoint, store, store_given_up, recompute, get_or_compute, clear) give INVALID_STATE; policy, get, has, memory_usage,
 * metadata and list work. In a forked child it works on; where another thread was inside it at the fork, every function gives
 * FORKED. A pipeline's own (ckpt_pipeline_manager) says while a step runs what its stage keeps: a micro-batch is there from the end
 * of its forward part to the end of its backward part, with the bytes that it holds beside its input, as U8 of shape (bytes); get
 * gives UNSUPPORTED for it. What changes it or runs the stage is BUSY then, or INVALID_STATE inside the pipeline's callbacks. After
 * the step it is empty, and can be used like any other until the next one begins. */
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

/* Exact bytes of what is stored, and how many activations that are, of the same moment. Either may be NULL, not both. */
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
  int64_t stored_at_utc_ns; /* the moment of stored_ns, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock */
} ckpt_activation_metadata;

#define CKPT_ACTIVATION_METADATA_INIT \
  { sizeof(ckpt_activation_metadata), 0, 0, 0, {0}, 0, 0, 0, 0, 0 }

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

/* ---- Pipelines ----------------------------------------------------------------------------------------------------------- */

/* In which order stages run the forward and backward parts of micro-batches. Gradients add up in the order of micro-batches under
 * each of them. */
#define CKPT_PIPELINE_GPIPE 1 /* all forwards, then all backwards. Source: Huang et al., "GPipe", arXiv:1811.06965 */
#define CKPT_PIPELINE_1F1B                                                                                                   \
  2 /* after a warm-up one forward, one backward, in turn: stage p of P holds at most P - p micro-batches. Source: Narayanan \
       et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503 */
#define CKPT_PIPELINE_INTERLEAVED                                                                                                \
  3 /* 1F1B over several chunks a stage; micro_batches is a multiple of stages. Source: Narayanan et al., "Efficient large-scale \
       language model training on GPU clusters using Megatron-LM", arXiv:2104.04473 */

/* The chain is cut into pieces = stages * chunks pieces of at least one layer; piece k is chunk k / stages of stage k % stages. */
typedef struct ckpt_pipeline_options {
  uint32_t struct_size;
  int32_t schedule;                     /* CKPT_PIPELINE_* */
  int32_t stages;                       /* 1 .. 1024 */
  int32_t micro_batches;                /* 1 .. 65536; divides the batch's samples */
  int32_t chunks;                       /* of each stage; 1 unless the schedule is INTERLEAVED */
  int32_t threads_per_stage;            /* of each stage's pool, its own thread included; 1 .. 1024 */
  int32_t measured_steps;               /* runs that time the layers, for the split and the budget; 0: bytes only */
  int32_t reserved;                     /* 0 */
  const int64_t* begins;                /* the pieces' first layers, ascending from 0; NULL: ckpt_pipeline_split's */
  int64_t begins_count;                 /* pieces, or 0 */
  int64_t queue_places;                 /* of each queue between neighbours; 0: as many as the schedule needs */
  int64_t budget_bytes;                 /* each stage takes the fastest plan with which its whole step reserves no more; 0: none */
  ckpt_strategy* strategy;              /* chooses each piece's plan, layer by layer; NULL: none. Kept */
  ckpt_schedule* const* schedules;      /* each piece's plan, for a chain of its own; NULL: none. Kept */
  int64_t schedules_count;              /* pieces, or 0 */
  const ckpt_activation_policy* policy; /* of every stage's manager; NULL: store-all */
  ckpt_memory_tracker* tracker;         /* kept; learns of every buffer, queues' included; NULL: one of its own */
} ckpt_pipeline_options;

#define CKPT_PIPELINE_OPTIONS_INIT \
  { sizeof(ckpt_pipeline_options), CKPT_PIPELINE_1F1B, 1, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *options to CKPT_PIPELINE_OPTIONS_INIT; NULL does nothing. */
CKPT_API void ckpt_pipeline_options_init(ckpt_pipeline_options* options);

/* Cuts a chain so that pieces take equal time, and among the cuts within 5% of the best time so that what store-all keeps, times
 * the micro-batches in flight, is most even. profile: of one micro-batch. Of options only schedule, stages, chunks and
 * micro_batches are read. begins receives up to capacity (>= 0) first layers, *count how many there are; begins may be NULL when
 * capacity is 0. */
CKPT_API ckpt_status ckpt_pipeline_split(const ckpt_profile* profile, const ckpt_pipeline_options* options, int64_t* begins,
                                         int64_t capacity, int64_t* count);

/* The most micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of their backward. Reads the same
 * options as ckpt_pipeline_split. */
CKPT_API ckpt_status ckpt_pipeline_in_flight(const ckpt_pipeline_options* options, int32_t piece, int32_t* in_flight);

/* Stages that run a chain's steps, each on a thread of its own; custom layers of different stages run at the same time.
 * Synchronised: while a step runs, calls but ckpt_pipeline_cancel, _begins, _manager and _release give BUSY; inside a callback of
 * the pipeline (a layer's, a strategy's, a memory event's of its step) INVALID_STATE. In a forked child what needs the stages gives
 * FORKED. What it decides is logged at INFO: the split, each stage's plan, the budget, what each policy keeps. */
typedef struct ckpt_pipeline ckpt_pipeline;

/* chain: kept; nobody else runs it while a step runs. Its parameters stay where they are, so optimizers and checkpoints of the
 * chain go on. input: dtype and shape of the whole batch. Verifies every stage's whole step with all its micro-batches in flight,
 * places its buffers and reserves its arena. OVER_BUDGET when no plan fits; INVALID_SCHEDULE when a plan does not fit its piece, or
 * would recompute a layer that is not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_create(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                          ckpt_pipeline** pipeline);

/* One step of the whole batch; step's tensors have its size (targets: first dimension), first_sample is its first sample's number.
 * GRAD(n) of each micro-batch is 1 / micro_batches where the output is one number: gradients are those of the mean loss. *loss (may
 * be NULL) receives that mean, losses (NULL, or micro_batches places) each micro-batch's, where the output is one number, else NaN.
 * Waits at most timeout_ns (-1: for ever), then for each stage to finish the layer that it is in.
 * Errors: that of the stage that failed first; TIMEOUT; CANCELLED. All stages have stopped then, every buffer is back, and the next
 * step works; gradients are undefined until a step with accumulate 0. */
CKPT_API ckpt_status ckpt_pipeline_run(ckpt_pipeline* pipeline, const ckpt_step* step, int64_t timeout_ns, double* loss,
                                       double* losses);

/* Asks the step that is running to end with CANCELLED; does not wait. Without one it does nothing. Any thread, also a layer's. */
CKPT_API ckpt_status ckpt_pipeline_cancel(ckpt_pipeline* pipeline);

/* First layers of the pieces: up to capacity (>= 0) of them; *count receives how many there are. */
CKPT_API ckpt_status ckpt_pipeline_begins(const ckpt_pipeline* pipeline, int64_t* begins, int64_t capacity, int64_t* count);

/* A stage's manager, as a new reference: its policy is asked when a step begins which micro-batches' tapes stay. Its recompute runs
 * the stage's forward with the last step's keys; UNSUPPORTED for stages of several chunks, and for layers that need targets, have
 * ambient state or are not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_manager(ckpt_pipeline* pipeline, int32_t stage, ckpt_activation_manager** manager);

/* The schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline can run it. */
CKPT_API ckpt_status ckpt_pipeline_schedule(ckpt_pipeline* pipeline, int32_t stage, ckpt_schedule** schedule);

/* The profile that this schedule is verified against: the stage's layers for one micro-batch; between two chunks one layer that
 * never runs. */
CKPT_API ckpt_status ckpt_pipeline_profile(ckpt_pipeline* pipeline, int32_t stage, ckpt_profile** profile);

/* What a stage measured since the pipeline was made. */
typedef struct ckpt_pipeline_stats {
  uint32_t struct_size;
  int32_t in_flight;   /* micro-batches between forward and backward at most (of chunk 0) */
  int64_t first_layer; /* global number (of chunk 0) */
  int64_t layers;      /* of all chunks */
  int64_t steps;       /* that ended well */
  int64_t forwards;    /* layer forwards, recomputed ones included */
  int64_t recomputed_forwards;
  int64_t kept;            /* micro-batches whose tapes stayed from forward to backward */
  int64_t recomputed;      /* micro-batches whose tapes did not */
  int64_t peak_live_bytes; /* equals the verifier's peak of the whole step to the byte */
  int64_t reserved_bytes;  /* the arena */
  int64_t queue_bytes;     /* reserved by the queues to and from the next stage, beside the arena */
  int64_t busy_ns;         /* of the last step: computing, not waiting */
} ckpt_pipeline_stats;

#define CKPT_PIPELINE_STATS_INIT \
  { sizeof(ckpt_pipeline_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *stats to CKPT_PIPELINE_STATS_INIT; NULL does nothing. */
CKPT_API void ckpt_pipeline_stats_init(ckpt_pipeline_stats* stats);

/* Fills *stats for a stage. */
CKPT_API ckpt_status ckpt_pipeline_get_stats(ckpt_pipeline* pipeline, int32_t stage, ckpt_pipeline_stats* stats);

/* What a stage does in an interval of a step. */
#define CKPT_INTERVAL_FORWARD 1
#define CKPT_INTERVAL_RECOMPUTE 2
#define CKPT_INTERVAL_BACKWARD 3
#define CKPT_INTERVAL_WAIT 4 /* sends, or waits for a neighbour */

/* One interval. Frozen: 32 bytes in every version. */
typedef struct ckpt_interval {
  int32_t kind; /* CKPT_INTERVAL_* */
  int32_t stage;
  int32_t chunk;
  int32_t micro_batch;
  int64_t begin_ns; /* since the step began */
  int64_t end_ns;
} ckpt_interval;

/* The last step that ended well, by stage, then by time: up to capacity (>= 0) intervals; *count receives how many there are,
 * *step_ns (may be NULL) how long the step took. */
CKPT_API ckpt_status ckpt_pipeline_timeline(ckpt_pipeline* pipeline, ckpt_interval* intervals, int64_t capacity, int64_t* count,
                                            int64_t* step_ns);

/* The same as Chrome's trace events (JSON; chrome://tracing and Perfetto show it): (buffer, capacity, *needed) rule.
 * Source: "Trace Event Format". */
CKPT_API ckpt_status ckpt_pipeline_trace_json(ckpt_pipeline* pipeline, char* buffer, int64_t capacity, int64_t* needed);

/* NULL does nothing. Stops and joins the stages' threads. */
CKPT_API void ckpt_pipeline_release(ckpt_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PIPELINE_H */
