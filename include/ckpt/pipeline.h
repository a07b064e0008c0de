/* pipeline.h - activation checkpoint managers, and pipelines of stages that work on several micro-batches at once.
 *
 * A step's batch is cut into M micro-batches, a chain into stages; each stage has a thread, a schedule and a manager of its own,
 * and hands activations and gradients to its neighbours through bounded lock-free queues. The contract: losses and gradients of any
 * number of stages under any of the micro-batch schedules equal those of one stage with the same micro-batches bit for bit.
 *
 * A beginner needs:
 *
 *   ckpt_pipeline_create, ckpt_pipeline_run
 *   ckpt_pipeline_get_stats              bubbles, stage by stage
 *   ckpt_pipeline_release
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

/* How it is decided which micro-batches' activations stay from forward to backward. The others are computed again. */
typedef int32_t ckpt_activation_policy_kind;

/* the activations of all micro-batches stay from forward to backward: most memory, fastest backward */
#define CKPT_ACTIVATION_POLICY_KIND_STORE_ALL 1
/* no micro-batch's activations stay, all are computed again: least memory, slowest backward */
#define CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL 2
/* the activations of every interval-th micro-batch stay, and always those of the first and the last */
#define CKPT_ACTIVATION_POLICY_KIND_SELECTIVE 3
/* the activations that fit threshold_bytes stay: when a store would pass it, the oldest are dropped first; the first and
 * the last stay whatever their size, any other that does not fit beside them is not stored */
#define CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED 4
/* the activations stay that a strategy answers yes to; it is asked with the stage's name and the micro-batch. A memory-aware
 * strategy, or a composite that contains one, is INVALID_ARGUMENT: under pressure it answers yes more often; not(memory-aware) is
 * its inverse, also inside composites */
#define CKPT_ACTIVATION_POLICY_KIND_STRATEGY 5
/* picked when a step begins by pressure: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below 0.9
 * memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes over its limit, if
 * it has one; else the process's resident bytes, without a pipeline's own arenas, over memory_limit_bytes. Whatever is picked, an
 * activation is only stored if it fits what the limit leaves, of which each stage of a pipeline has an equal part: a higher
 * pressure never stores more. threshold_bytes of the policy in force is that bound. Each pick is logged (INFO) */
#define CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC 6

/* Which micro-batches' activations stay from forward to backward. The others are computed again. */
typedef struct ckpt_activation_policy {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  /* kind of policy: one of CKPT_ACTIVATION_POLICY_KIND_*; default CKPT_ACTIVATION_POLICY_KIND_STORE_ALL */
  ckpt_activation_policy_kind kind;
  int64_t interval; /* for selective: every so many-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1 */
  /* for memory-based, also where automatic picks it: bytes of activations that are stored at most, >= 0; default 1 GiB */
  int64_t threshold_bytes;
  ckpt_strategy*
      strategy; /* for CKPT_ACTIVATION_POLICY_KIND_STRATEGY: the strategy that is asked; kept alive; ignored by other kinds */
  /* for automatic: bytes that count as all memory, >= 0; 0: what this process may use, which is physical memory or its control
   * group's limit */
  int64_t memory_limit_bytes;
} ckpt_activation_policy;

#define CKPT_ACTIVATION_POLICY_INIT \
  { sizeof(ckpt_activation_policy), CKPT_ACTIVATION_POLICY_KIND_STORE_ALL, 1, 1073741824, 0, 0 }

/* Computes a stage's activation for one micro-batch: *output receives a new reference, which the manager takes over. input is
 * borrowed: retain it before returning it as the output. Runs on the thread that asked the manager, with no lock held; may block,
 * may release the manager, and may call any function but those of this manager that return INVALID_STATE inside its callbacks.
 * Non-zero: the call ends with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_stage_forward_fn)(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data);

/* How an activation manager is made. */
typedef struct ckpt_activation_manager_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;    /* not used: 0 */
  /* name of the stage: strategies are asked with it, the tracker counts under it; copied; NULL: "stage" */
  const char* name;
  ckpt_memory_tracker* tracker; /* counts what is stored; kept alive; NULL: one of its own */
  ckpt_clock* clock;            /* dates what is stored; kept alive; NULL: the monotonic clock */
} ckpt_activation_manager_options;

#define CKPT_ACTIVATION_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_activation_manager_options), 0, 0, 0, 0 }

/* Stores the activations of a stage's micro-batches as a policy says. Synchronised.
 * Inside its forward function, its strategy and its clock, functions that ask or change it (set_policy, begin_step,
 * should_checkpoint, store, store_moved, recompute, get_or_compute, clear) return INVALID_STATE; the functions whose
 * names go on with get_ or has_, and list, work. In a forked child it works on; where another thread was inside it at the fork,
 * every function returns FORKED. A pipeline's own (ckpt_pipeline_get_manager) reports while a step runs what its stage keeps: a
 * micro-batch is there from the end of its forward part to the end of its backward part, with the bytes that it holds beside its
 * input, as U8 of shape (bytes); get_activation returns UNSUPPORTED for it. What changes it or runs the stage is BUSY then, or
 * INVALID_STATE inside the pipeline's callbacks. After the step it is empty, and can be used like any other until the next one
 * begins. */
typedef struct ckpt_activation_manager ckpt_activation_manager;

/* Creates a manager. policy NULL: store-all. options NULL: the defaults. forward (may be NULL: then nothing can be recomputed) with
 * user_data and destroy: the stage's forward. The last micro-batch is the newest one until ckpt_activation_manager_begin_step says
 * how many there are. */
CKPT_API ckpt_status ckpt_activation_manager_create(const ckpt_activation_policy* policy,
                                                    const ckpt_activation_manager_options* options, ckpt_stage_forward_fn forward,
                                                    void* user_data, ckpt_destroy_fn destroy, ckpt_activation_manager** manager);

/* Changes the policy of what is stored from now on; what is stored already stays. Meant for between steps. */
CKPT_API ckpt_status ckpt_activation_manager_set_policy(ckpt_activation_manager* manager, const ckpt_activation_policy* policy);

/* Sets *policy to the policy in force: under AUTOMATIC the one that was picked. policy->strategy is set to NULL: no reference is
 * returned. */
CKPT_API ckpt_status ckpt_activation_manager_get_policy(const ckpt_activation_manager* manager, ckpt_activation_policy* policy);

/* Clears the manager, and says how many micro-batches (>= 0) the step has: which one is the last. 0: not known; then the newest
 * counts as the last until a newer comes, and one that was kept only for being the last is dropped then. */
CKPT_API ckpt_status ckpt_activation_manager_begin_step(ckpt_activation_manager* manager, int32_t micro_batches);

/* Sets *answer to 1 when a store of this many bytes (>= 0) would be kept now, else 0. micro_batch: 0 .. micro_batches-1; another
 * one: OUT_OF_RANGE. A strategy is asked, and counts the question. */
CKPT_API ckpt_status ckpt_activation_manager_should_checkpoint(ckpt_activation_manager* manager, int32_t micro_batch, int64_t bytes,
                                                               ckpt_bool* answer);

/* Asks the policy, and keeps a copy of the activation if it says so: *kept (may be NULL) receives 1 or 0. An index that is stored
 * already is replaced, with its bytes; it is dropped when the new activation is not kept. */
CKPT_API ckpt_status ckpt_activation_manager_store(ckpt_activation_manager* manager, int32_t micro_batch,
                                                   const ckpt_tensor* activation, ckpt_bool* kept);

/* Stores an activation as ckpt_activation_manager_store, without a copy: the caller hands its reference over. When the call
 * succeeds the manager owns that reference, kept or not; no caller may write to the tensor any more. */
CKPT_API ckpt_status ckpt_activation_manager_store_moved(ckpt_activation_manager* manager, int32_t micro_batch,
                                                         ckpt_tensor* activation, ckpt_bool* kept);

/* Sets *activation to a new read-only reference to what is stored, or NULL when nothing is: that is no error. The memory lives as
 * long as the reference, also when the manager drops it. */
CKPT_API ckpt_status ckpt_activation_manager_get_activation(ckpt_activation_manager* manager, int32_t micro_batch,
                                                            ckpt_tensor** activation);

/* Sets *has to 1 when the activation is stored, else 0. */
CKPT_API ckpt_status ckpt_activation_manager_has_activation(const ckpt_activation_manager* manager, int32_t micro_batch,
                                                            ckpt_bool* has);

/* Runs the stage's forward on input: *activation receives a new reference. Nothing is stored. INVALID_STATE when the manager has no
 * forward. */
CKPT_API ckpt_status ckpt_activation_manager_recompute(ckpt_activation_manager* manager, ckpt_tensor* input, int32_t micro_batch,
                                                       ckpt_tensor** activation);

/* Sets *activation to what ckpt_activation_manager_get_activation returns, or else what ckpt_activation_manager_recompute returns.
 * input is only read in the second case, but must be there. */
CKPT_API ckpt_status ckpt_activation_manager_get_or_compute(ckpt_activation_manager* manager, ckpt_tensor* input,
                                                            int32_t micro_batch, ckpt_tensor** activation);

/* Drops all that is stored; the tracker's count of this manager is 0 then. */
CKPT_API ckpt_status ckpt_activation_manager_clear(ckpt_activation_manager* manager);

/* Sets *bytes to the exact bytes of what is stored, *count how many activations that are, of the same moment. Either may be NULL,
 * not both. */
CKPT_API ckpt_status ckpt_activation_manager_get_memory_usage(const ckpt_activation_manager* manager, int64_t* bytes,
                                                              int64_t* count);

/* What is known of one stored activation. */
typedef struct ckpt_activation_metadata {
  uint32_t struct_size;  /* size of this struct in bytes, as the caller was compiled */
  int32_t micro_batch;   /* number of the micro-batch, from 0 */
  ckpt_dtype dtype;      /* element type of the activation */
  int32_t ndim;          /* number of the activation's dimensions, 0 .. 8 */
  int64_t shape[8];      /* lengths of the activation's dimensions */
  int64_t bytes;         /* size of the activation in bytes */
  int64_t hits;          /* number of times that it was read since it was stored */
  int64_t stored_at_ns;  /* when it was stored, in nanoseconds on the manager's clock */
  int64_t stored_utc_ns; /* when it was stored, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock */
} ckpt_activation_metadata;

#define CKPT_ACTIVATION_METADATA_INIT \
  { sizeof(ckpt_activation_metadata), 0, 0, 0, {0}, 0, 0, 0, 0 }

/* Fills *metadata for a stored activation; NOT_FOUND when it is not stored. */
CKPT_API ckpt_status ckpt_activation_manager_get_metadata(const ckpt_activation_manager* manager, int32_t micro_batch,
                                                          ckpt_activation_metadata* metadata);

/* Lists the stored micro-batches, ascending: micro_batches receives up to capacity (>= 0) of them, *count how many there are.
 * micro_batches may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_activation_manager_list(const ckpt_activation_manager* manager, int32_t* micro_batches, int64_t capacity,
                                                  int64_t* count);

/* Releases the manager, which returns every byte to the tracker. NULL does nothing. */
CKPT_API void ckpt_activation_manager_release(ckpt_activation_manager* manager);

/* ---- Pipelines ----------------------------------------------------------------------------------------------------------- */

/* In which order stages run the forward and backward parts of micro-batches. Gradients add up in the order of micro-batches under
 * each of them. */
typedef int32_t ckpt_pipeline_order;

/* all forwards, then all backwards.
 * Source: Huang et al., "GPipe", arXiv:1811.06965 */
#define CKPT_PIPELINE_ORDER_GPIPE 1
/* after a warm-up one forward, one backward, in turn: stage p of P holds at most P - p micro-batches.
 * Source: Narayanan et al., "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503 */
#define CKPT_PIPELINE_ORDER_1F1B 2
/* 1F1B over several chunks a stage; micro_batches is a multiple of stages.
 * Source: Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473 */
#define CKPT_PIPELINE_ORDER_INTERLEAVED 3

/* How a pipeline is made. The chain is cut into pieces = stages * chunks pieces of at least one layer; piece k is chunk k / stages
 * of stage k % stages. */
typedef struct ckpt_pipeline_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  /* order in which stages run the forward and backward parts of micro-batches: one of CKPT_PIPELINE_ORDER_*; default
   * CKPT_PIPELINE_ORDER_1F1B */
  ckpt_pipeline_order order;
  int32_t stages;        /* number of stages, 1 .. 1024; default 1 */
  int32_t micro_batches; /* number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1 */
  int32_t chunks;        /* number of pieces of each stage; 1 (the default) unless the order is CKPT_PIPELINE_ORDER_INTERLEAVED */
  int32_t threads_per_stage; /* threads of each stage's pool, its own thread included; 1 .. 1024; default 1 */
  int32_t measured_steps;    /* number of runs that time the layers, for the split and the budget; 0: bytes only; default 3 */
  int32_t reserved;          /* not used: 0 */
  const int64_t* begins;     /* first layers of the pieces, ascending from 0; NULL: a split into pieces of equal time */
  int64_t begins_count;      /* number of first layers: the number of pieces, or 0 */
  int64_t queue_places;      /* places of each queue between neighbours; 0: as many as the schedule needs */
  /* each stage takes the fastest plan found with which its whole step, with what it keeps of every micro-batch in flight, reserves
   * no more bytes than this; 0: no budget */
  int64_t budget_bytes;
  /* chooses each piece's plan, layer by layer; asked again before each step; kept alive; NULL: no strategy */
  ckpt_strategy* strategy;
  ckpt_schedule* const* schedules;      /* plan of each piece, for a chain of its own; kept alive; NULL: no plans are set */
  int64_t schedules_count;              /* number of plans: the number of pieces, or 0 */
  const ckpt_activation_policy* policy; /* policy of every stage's activation manager; NULL: store-all */
  ckpt_memory_tracker* tracker;         /* counts every buffer, those of queues included; kept alive; NULL: one of its own */
  /* what is checked where a layer runs forward again: one of CKPT_RECOMPUTE_CHECK_*; default CKPT_RECOMPUTE_CHECK_NONE */
  ckpt_recompute_check recompute_check;
  ckpt_bool check_writes; /* 1: looks whether layers write where they may not; 0: does not look */
  /* 1: a layer's output of F32 or F64 that is not finite ends the step with OUT_OF_RANGE, whose message names the layer, the
   * element and the micro-batch: the first such layer of the stage that came upon one first; 0: only the losses are looked at */
  ckpt_bool check_finite;
  int32_t reserved2; /* not used: 0 */
} ckpt_pipeline_options;

#define CKPT_PIPELINE_OPTIONS_INIT                                                                        \
  {                                                                                                       \
    sizeof(ckpt_pipeline_options), CKPT_PIPELINE_ORDER_1F1B, 1, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        CKPT_RECOMPUTE_CHECK_NONE, 0, 0, 0                                                                \
  }

/* Cuts a chain so that pieces take equal time, and among the cuts within 5% of the best time so that what store-all keeps, times
 * the micro-batches in flight, is most even. profile: of one micro-batch. Of options only order, stages, chunks and
 * micro_batches are read. begins receives up to capacity (>= 0) first layers, *count how many there are. begins may be NULL when
 * capacity is 0. */
CKPT_API ckpt_status ckpt_pipeline_split(const ckpt_profile* profile, const ckpt_pipeline_options* options, int64_t* begins,
                                         int64_t capacity, int64_t* count);

/* Sets *in_flight to the most micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of their
 * backward. Reads the same options as ckpt_pipeline_split. */
CKPT_API ckpt_status ckpt_pipeline_get_in_flight(const ckpt_pipeline_options* options, int32_t piece, int32_t* in_flight);

/* Stages that run a chain's steps, each on a thread of its own; custom layers of different stages run at the same time.
 * Synchronised: while a step runs, calls but ckpt_pipeline_cancel, _get_begins, _get_manager and _release return BUSY; inside a
 * callback of the pipeline (a layer's, a strategy's, a memory event's of its step) INVALID_STATE. In a forked child what needs the
 * stages returns FORKED. What it decides is logged at INFO: the split, each stage's plan, the budget, what each policy keeps. */
typedef struct ckpt_pipeline ckpt_pipeline;

/* Creates a pipeline. chain: kept alive; no other caller runs it while a step runs. Its parameters stay where they are, so
 * optimizers and checkpoints of the chain go on. input: dtype and shape of the whole batch. Verifies every stage's whole step with
 * all its micro-batches in flight, places its buffers and reserves its arena. OVER_BUDGET when no plan fits; INVALID_SCHEDULE when
 * a plan does not fit its piece, or would recompute a layer that is not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_create(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                          ckpt_pipeline** pipeline);

/* Runs one step of the whole batch; step's tensors have its size (targets: first dimension), first_sample is its first sample's
 * number. GRAD(n) of each micro-batch is 1 / micro_batches where the output is one number: gradients are those of the mean loss.
 * *loss (may be NULL) receives that mean, losses (NULL, or micro_batches places) each micro-batch's, where the output is one
 * number, else NaN. Waits at most timeout_ns (-1: for ever), then for each stage to finish the layer that it is in.
 * Errors: that of the stage that failed first; TIMEOUT; CANCELLED. All stages have stopped then, every buffer is released, and the
 * next step works; gradients are undefined until a step with accumulate 0. */
CKPT_API ckpt_status ckpt_pipeline_run(ckpt_pipeline* pipeline, const ckpt_step* step, int64_t timeout_ns, double* loss,
                                       double* losses);

/* Asks the step that is running to end with CANCELLED; does not wait. Without one it does nothing. Any thread, also a layer's. */
CKPT_API ckpt_status ckpt_pipeline_cancel(ckpt_pipeline* pipeline);

/* begins receives the first layers of the pieces: up to capacity (>= 0) of them; *count receives how many there are. begins may be
 * NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_pipeline_get_begins(const ckpt_pipeline* pipeline, int64_t* begins, int64_t capacity, int64_t* count);

/* Sets *manager to a stage's manager, as a new reference: its policy is asked when a step begins which micro-batches' tapes stay.
 * Its recompute runs the stage's forward with the last step's keys; UNSUPPORTED for stages of several chunks, and for layers that
 * need targets, have ambient state or are not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_get_manager(ckpt_pipeline* pipeline, int32_t stage, ckpt_activation_manager** manager);

/* Sets *schedule to the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the
 * pipeline can run it. */
CKPT_API ckpt_status ckpt_pipeline_get_schedule(ckpt_pipeline* pipeline, int32_t stage, ckpt_schedule** schedule);

/* Sets *profile to the profile that the schedule of ckpt_pipeline_get_schedule is verified against: the stage's layers for one
 * micro-batch; between two chunks one layer that never runs. A new reference. */
CKPT_API ckpt_status ckpt_pipeline_get_profile(ckpt_pipeline* pipeline, int32_t stage, ckpt_profile** profile);

/* What a stage of a pipeline measured since the pipeline was made. */
typedef struct ckpt_pipeline_stats {
  uint32_t struct_size;             /* size of this struct in bytes, as the caller was compiled */
  int32_t in_flight;                /* micro-batches between forward and backward at most (of chunk 0) */
  int64_t first_layer;              /* global number of the stage's first layer (of chunk 0) */
  int64_t layers;                   /* number of layers of all chunks of the stage */
  int64_t steps;                    /* number of steps that ended well */
  int64_t forwards;                 /* number of layer forwards, recomputed ones included */
  int64_t recomputed_forwards;      /* number of layer forwards beyond the first of each layer and micro-batch in a step */
  int64_t kept_micro_batches;       /* number of micro-batches whose tapes stayed from forward to backward */
  int64_t recomputed_micro_batches; /* number of micro-batches whose tapes did not stay from forward to backward */
  /* the most bytes that were alive at once: equals the verifier's peak of the whole step to the byte */
  int64_t peak_live_bytes;
  int64_t reserved_bytes; /* bytes of the stage's arena */
  int64_t queue_bytes;    /* bytes reserved by the queues to and from the next stage, beside the arena */
  int64_t busy_ns;        /* nanoseconds of the last step in which the stage computed and did not wait */
} ckpt_pipeline_stats;

#define CKPT_PIPELINE_STATS_INIT \
  { sizeof(ckpt_pipeline_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *stats with what a stage measured since the pipeline was made. */
CKPT_API ckpt_status ckpt_pipeline_get_stats(ckpt_pipeline* pipeline, int32_t stage, ckpt_pipeline_stats* stats);

/* What a stage does in an interval of a step. */
typedef int32_t ckpt_interval_kind;

#define CKPT_INTERVAL_KIND_FORWARD 1   /* the stage runs a forward part */
#define CKPT_INTERVAL_KIND_RECOMPUTE 2 /* the stage runs a forward part again */
#define CKPT_INTERVAL_KIND_BACKWARD 3  /* the stage runs a backward part */
#define CKPT_INTERVAL_KIND_WAIT 4      /* the stage sends, or waits for a neighbour */

/* What a stage of a pipeline does in one interval of a step. Frozen: 32 bytes in every version. */
typedef struct ckpt_pipeline_interval {
  ckpt_interval_kind kind; /* what the stage does: one of CKPT_INTERVAL_KIND_* */
  int32_t stage;           /* number of the stage, from 0 */
  int32_t chunk;           /* number of the chunk of the stage, from 0 */
  int32_t micro_batch;     /* number of the micro-batch, from 0 */
  int64_t begin_at_ns;     /* begin of the interval, in nanoseconds since the step began */
  int64_t end_at_ns;       /* end of the interval, in nanoseconds since the step began */
} ckpt_pipeline_interval;

/* intervals receives what the stages did in the last step that ended well, by stage, then by time: up to capacity (>= 0) intervals;
 * *count receives how many there are, *step_ns (may be NULL) how long the step took. */
CKPT_API ckpt_status ckpt_pipeline_get_timeline(ckpt_pipeline* pipeline, ckpt_pipeline_interval* intervals, int64_t capacity,
                                                int64_t* count, int64_t* step_ns);

/* Writes the timeline of the last step that ended well as Chrome's trace events (JSON; chrome://tracing and Perfetto show it):
 * (buffer, capacity, *needed) rule of ckpt.h.
 * Source: "Trace Event Format". */
CKPT_API ckpt_status ckpt_pipeline_get_trace_json(ckpt_pipeline* pipeline, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the pipeline: stops and joins the stages' threads. NULL does nothing. */
CKPT_API void ckpt_pipeline_release(ckpt_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PIPELINE_H */
