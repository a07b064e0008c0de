/* pipeline.h - activation checkpoint managers, and pipelines of stages that process several micro-batches at once.
 *
 *   ckpt_pipeline *pipeline = NULL;
 *   ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
 *   ckpt_step step = CKPT_STEP_INIT;
 *   options.stages = 2, options.micro_batches = 4;
 *   ckpt_pipeline_create(chain, &input, &options, &pipeline);      chain and input: see engine.h
 *   step.input = x, step.targets = classes;
 *   ckpt_pipeline_run(pipeline, &step, -1, &loss, NULL);           loss of the whole batch
 *   ckpt_pipeline_release(pipeline);
 *
 * The batch of a step is split into M micro-batches, a chain into stages; each stage has its own thread, schedule and manager, and
 * passes activations and gradients to its neighbours through bounded lock-free queues. The contract: losses and gradients of any
 * number of stages, under any of the micro-batch schedules, equal those of one stage bit for bit, with the same micro-batches.
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

/* The rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed. */
typedef int32_t ckpt_activation_policy_kind;

/* the activations of all micro-batches are kept from forward to backward: most memory, fastest backward */
#define CKPT_ACTIVATION_POLICY_KIND_STORE_ALL 1
/* no activations are kept, all are recomputed: least memory, slowest backward */
#define CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL 2
/* the activations of every interval-th micro-batch are kept, and always those of the first and the last */
#define CKPT_ACTIVATION_POLICY_KIND_SELECTIVE 3
/* activations of at most threshold_bytes in total are kept: if a store would exceed it, the oldest are dropped first; those of the
 * first and the last micro-batch are kept regardless of their size, and any other that does not fit in the rest is not stored */
#define CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED 4
/* activations with a yes from a strategy are kept; the question has the stage's name and the micro-batch. A memory-aware strategy,
 * or a composite that contains one, is INVALID_ARGUMENT, because under pressure it answers yes more often; not(memory-aware) is its
 * inverse and allowed, also inside composites */
#define CKPT_ACTIVATION_POLICY_KIND_STRATEGY 5
/* selected by memory pressure when a step begins: below 0.5 store-all, below 0.7 selective with an interval of at least 2, below
 * 0.9 memory-based among those that selective would store, else recompute-all. Pressure is the tracker's live bytes divided by its
 * limit, if it has one; else the process's resident bytes, without the arenas of a pipeline, divided by memory_limit_bytes. In each
 * case an activation is only stored if it fits in the remainder of the limit, which the stages of a pipeline share equally: higher
 * pressure never stores more. threshold_bytes of the policy in force is this bound. Each selection is logged (INFO) */
#define CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC 6

/* A rule that selects the micro-batches with activations that are kept from forward to backward. The others are recomputed. */
typedef struct ckpt_activation_policy {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* kind of policy: one of CKPT_ACTIVATION_POLICY_KIND_*; default CKPT_ACTIVATION_POLICY_KIND_STORE_ALL */
  ckpt_activation_policy_kind kind;
  int64_t interval; /* for selective: n, where every n-th micro-batch is stored, >= 0; 0 stores all, like 1; default 1 */
  /* for memory-based, also if automatic selects it: maximum bytes of stored activations, >= 0; default 1 GiB */
  int64_t threshold_bytes;
  ckpt_strategy*
      strategy; /* for CKPT_ACTIVATION_POLICY_KIND_STRATEGY: the strategy that is asked; kept alive; ignored by other kinds */
  /* for automatic: total memory in bytes, >= 0; 0: the memory that this process may use, which is physical memory or its control
   * group's limit */
  int64_t memory_limit_bytes;
} ckpt_activation_policy;

#define CKPT_ACTIVATION_POLICY_INIT \
  { sizeof(ckpt_activation_policy), CKPT_ACTIVATION_POLICY_KIND_STORE_ALL, 1, 1073741824, 0, 0 }

/* Computes a stage's activation for one micro-batch: *output receives a new reference, which the manager takes over. input is
 * borrowed: retain it before returning it as the output. Runs on the thread that called the manager, with no lock held; may block,
 * may release the manager, and may call any function except those of this manager that return INVALID_STATE inside its callbacks. A
 * non-zero return fails the call with CKPT_E_CALLBACK. */
typedef int32_t (*ckpt_stage_forward_fn)(ckpt_tensor* input, int32_t micro_batch, ckpt_tensor** output, void* user_data);

/* Options for creating an activation manager. */
typedef struct ckpt_activation_manager_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  /* name of the stage for strategies and the tracker; copied; NULL: "stage" */
  const char* name;
  ckpt_memory_tracker* tracker; /* tracker that counts stored activations; kept alive; NULL: a new one */
  ckpt_clock* clock;            /* clock for the times of stored activations; kept alive; NULL: the monotonic clock */
} ckpt_activation_manager_options;

#define CKPT_ACTIVATION_MANAGER_OPTIONS_INIT \
  { sizeof(ckpt_activation_manager_options), 0, 0, 0, 0 }

/* Stores the activations of a stage's micro-batches by a policy. Synchronized. Inside its forward function, its strategy and its
 * clock, functions that use the policy or change the manager return INVALID_STATE: set_policy, begin_step, should_checkpoint,
 * store, store_moved, recompute, get_or_compute and clear. The functions get_..., has_... and list work. In a forked child it keeps
 * working; if another thread was inside it at the fork, every function returns FORKED. A manager of a pipeline
 * (ckpt_pipeline_get_manager) reports what its stage keeps while a step runs. A micro-batch is listed from the end of its forward
 * part to the end of its backward part, as U8 of shape (bytes): the bytes that it holds in addition to its input. get_activation
 * returns UNSUPPORTED for it. Functions that change the manager or run the stage return BUSY then, or INVALID_STATE inside the
 * pipeline's callbacks. After the step it is empty, and can be used like any other until the next step begins. */
typedef struct ckpt_activation_manager ckpt_activation_manager;

/* Creates a manager. policy NULL: store-all. options NULL: the defaults. forward (may be NULL: then recomputation is not possible)
 * with user_data and destroy: the stage's forward. The newest micro-batch counts as the last one until
 * ckpt_activation_manager_begin_step sets their number. */
CKPT_API ckpt_status ckpt_activation_manager_create(const ckpt_activation_policy* policy,
                                                    const ckpt_activation_manager_options* options, ckpt_stage_forward_fn forward,
                                                    void* user_data, ckpt_destroy_fn destroy, ckpt_activation_manager** manager);

/* Changes the policy for later stores; stored activations are kept. Intended for use between steps. */
CKPT_API ckpt_status ckpt_activation_manager_set_policy(ckpt_activation_manager* manager, const ckpt_activation_policy* policy);

/* Sets *policy to the policy in force: under AUTOMATIC the selected one. policy->strategy is set to NULL: no reference is
 * returned. */
CKPT_API ckpt_status ckpt_activation_manager_get_policy(const ckpt_activation_manager* manager, ckpt_activation_policy* policy);

/* Clears the manager and sets the number of micro-batches (>= 0) of the step, which determines the last one. 0: not known; then the
 * newest counts as the last until a newer one is stored, and an activation that was kept only as the last is dropped then. */
CKPT_API ckpt_status ckpt_activation_manager_begin_step(ckpt_activation_manager* manager, int32_t micro_batches);

/* Sets *answer to 1 when a store of this many bytes (>= 0) would be kept now, else 0. micro_batch: 0 .. micro_batches-1; another
 * one: OUT_OF_RANGE. Asks the strategy, if there is one, which counts the question. */
CKPT_API ckpt_status ckpt_activation_manager_should_checkpoint(ckpt_activation_manager* manager, int32_t micro_batch, int64_t bytes,
                                                               ckpt_bool* answer);

/* Applies the policy, and stores a copy of the activation if it is to be kept: *kept (may be NULL) receives 1 or 0. An activation
 * that is stored already for this micro-batch is replaced; it is dropped if the new one is not kept. */
CKPT_API ckpt_status ckpt_activation_manager_store(ckpt_activation_manager* manager, int32_t micro_batch,
                                                   const ckpt_tensor* activation, ckpt_bool* kept);

/* Stores an activation as ckpt_activation_manager_store, without a copy: the manager takes over the caller's reference. If the call
 * succeeds the manager owns that reference, kept or not; no caller may write to the tensor any more. */
CKPT_API ckpt_status ckpt_activation_manager_store_moved(ckpt_activation_manager* manager, int32_t micro_batch,
                                                         ckpt_tensor* activation, ckpt_bool* kept);

/* Sets *activation to a new read-only reference to the stored activation, or NULL when it is not stored; this is not an error. The
 * memory is kept until the reference is released, also if the manager drops the activation. */
CKPT_API ckpt_status ckpt_activation_manager_get_activation(ckpt_activation_manager* manager, int32_t micro_batch,
                                                            ckpt_tensor** activation);

/* Sets *has to 1 when the activation is stored, else 0. */
CKPT_API ckpt_status ckpt_activation_manager_has_activation(const ckpt_activation_manager* manager, int32_t micro_batch,
                                                            ckpt_bool* has);

/* Runs the stage's forward on input: *activation receives a new reference. Nothing is stored. INVALID_STATE when the manager has no
 * forward. */
CKPT_API ckpt_status ckpt_activation_manager_recompute(ckpt_activation_manager* manager, ckpt_tensor* input, int32_t micro_batch,
                                                       ckpt_tensor** activation);

/* Sets *activation to the result of ckpt_activation_manager_get_activation, or, if nothing is stored, of
 * ckpt_activation_manager_recompute. input is only read in the second case, but must not be NULL. */
CKPT_API ckpt_status ckpt_activation_manager_get_or_compute(ckpt_activation_manager* manager, ckpt_tensor* input,
                                                            int32_t micro_batch, ckpt_tensor** activation);

/* Drops all stored activations; the tracker's count of this manager is 0 then. */
CKPT_API ckpt_status ckpt_activation_manager_clear(ckpt_activation_manager* manager);

/* Sets *bytes to the exact size of all stored activations, and *count to their number, in one consistent snapshot. One of them may
 * be NULL. */
CKPT_API ckpt_status ckpt_activation_manager_get_memory_usage(const ckpt_activation_manager* manager, int64_t* bytes,
                                                              int64_t* count);

/* Information about one stored activation. */
typedef struct ckpt_activation_metadata {
  uint32_t struct_size;  /* size of this struct in bytes, in the caller's build */
  int32_t micro_batch;   /* number of the micro-batch, from 0 */
  ckpt_dtype dtype;      /* element type of the activation */
  int32_t ndim;          /* number of the activation's dimensions, 0 .. 8 */
  int64_t shape[8];      /* lengths of the activation's dimensions */
  int64_t bytes;         /* size of the activation in bytes */
  int64_t hits;          /* number of reads since it was stored */
  int64_t stored_at_ns;  /* when it was stored, in nanoseconds on the manager's clock */
  int64_t stored_utc_ns; /* when it was stored, in nanoseconds since 1970-01-01T00:00:00Z by the system's clock */
} ckpt_activation_metadata;

#define CKPT_ACTIVATION_METADATA_INIT \
  { sizeof(ckpt_activation_metadata), 0, 0, 0, {0}, 0, 0, 0, 0 }

/* Fills *metadata with information about a stored activation; NOT_FOUND when it is not stored. */
CKPT_API ckpt_status ckpt_activation_manager_get_metadata(const ckpt_activation_manager* manager, int32_t micro_batch,
                                                          ckpt_activation_metadata* metadata);

/* Lists the stored micro-batches, ascending: micro_batches receives up to capacity (>= 0) of them, *count how many there are.
 * micro_batches may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_activation_manager_list(const ckpt_activation_manager* manager, int32_t* micro_batches, int64_t capacity,
                                                  int64_t* count);

/* Releases the manager, which returns every byte to the tracker. NULL does nothing. */
CKPT_API void ckpt_activation_manager_release(ckpt_activation_manager* manager);

/* ---- Pipelines ----------------------------------------------------------------------------------------------------------- */

/* The order in which stages run the forward and backward parts of micro-batches. In each of them gradients are added in the order
 * of micro-batches. */
typedef int32_t ckpt_pipeline_order;

/* all forwards, then all backwards.
 * Source: Huang et al., "GPipe", arXiv:1811.06965 */
#define CKPT_PIPELINE_ORDER_GPIPE 1
/* after a warm-up alternately one forward, one backward: stage p of P holds at most P - p micro-batches. Source: Narayanan et al.,
 * "Memory-efficient pipeline-parallel DNN training" (PipeDream-flush), arXiv:2006.09503 */
#define CKPT_PIPELINE_ORDER_1F1B 2
/* 1F1B over several chunks per stage; micro_batches is a multiple of stages.
 * Source: Narayanan et al., "Efficient large-scale language model training on GPU clusters using Megatron-LM", arXiv:2104.04473 */
#define CKPT_PIPELINE_ORDER_INTERLEAVED 3

/* Options for creating a pipeline. The chain is split into pieces = stages * chunks pieces of at least one layer; piece k is chunk
 * k / stages of stage k % stages. */
typedef struct ckpt_pipeline_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* order in which stages run the forward and backward parts of micro-batches: one of CKPT_PIPELINE_ORDER_*; default
   * CKPT_PIPELINE_ORDER_1F1B */
  ckpt_pipeline_order order;
  int32_t stages;        /* number of stages, 1 .. 1024; default 1 */
  int32_t micro_batches; /* number of micro-batches of a step, 1 .. 65536; divides the batch's samples; default 1 */
  int32_t chunks;        /* number of pieces of each stage; 1 (the default) unless the order is CKPT_PIPELINE_ORDER_INTERLEAVED */
  int32_t threads_per_stage; /* number of threads of each stage's pool, the stage's thread included; 1 .. 1024; default 1 */
  /* number of runs for measuring the layers' times, for the split and the budget; 0: only bytes are used; default 3 */
  int32_t measured_steps;
  int32_t reserved;      /* not used: 0 */
  const int64_t* begins; /* first layers of the pieces, ascending from 0; NULL: a split into pieces of equal time */
  int64_t begins_count;  /* number of first layers: the number of pieces, or 0 */
  int64_t queue_places;  /* capacity of each queue between neighbours; 0: as much as the schedule needs */
  /* limit of the reserved bytes of each stage's whole step, with the kept values of all micro-batches in flight; each stage uses
   * the fastest plan found within it; 0: no budget */
  int64_t budget_bytes;
  /* strategy that determines each piece's plan, layer by layer; asked again before each step; kept alive; NULL: no strategy */
  ckpt_strategy* strategy;
  ckpt_schedule* const* schedules;      /* plan of each piece, as for a separate chain; kept alive; NULL: no plans are set */
  int64_t schedules_count;              /* number of plans: the number of pieces, or 0 */
  const ckpt_activation_policy* policy; /* policy of every stage's activation manager; NULL: store-all */
  ckpt_memory_tracker* tracker; /* tracker that counts every buffer, those of queues included; kept alive; NULL: a new one */
  /* check of each recomputed forward: one of CKPT_RECOMPUTE_CHECK_*; default CKPT_RECOMPUTE_CHECK_NONE */
  ckpt_recompute_check recompute_check;
  ckpt_bool check_writes; /* 1: detects writes of layers outside of their buffers; 0: no check */
  /* 1: a layer's output of F32 or F64 that is not finite fails the step with OUT_OF_RANGE; the message names the layer, the element
   * and the micro-batch: the first such layer of the stage that detected one first; 0: only the losses are checked */
  ckpt_bool check_finite;
  int32_t reserved2; /* not used: 0 */
} ckpt_pipeline_options;

#define CKPT_PIPELINE_OPTIONS_INIT                                                                        \
  {                                                                                                       \
    sizeof(ckpt_pipeline_options), CKPT_PIPELINE_ORDER_1F1B, 1, 1, 1, 1, 3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, \
        CKPT_RECOMPUTE_CHECK_NONE, 0, 0, 0                                                                \
  }

/* Splits a chain into pieces of equal time. Among the splits within 5% of the best time, selects the one with the most even memory:
 * the bytes that store-all keeps, times the micro-batches in flight. profile: of one micro-batch. Reads only order, stages, chunks
 * and micro_batches of options. begins receives up to capacity (>= 0) first layers, *count how many there are. begins may be NULL
 * when capacity is 0. */
CKPT_API ckpt_status ckpt_pipeline_split(const ckpt_profile* profile, const ckpt_pipeline_options* options, int64_t* begins,
                                         int64_t capacity, int64_t* count);

/* Sets *in_flight to the maximum number of micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of
 * their backward. Reads the same options as ckpt_pipeline_split. */
CKPT_API ckpt_status ckpt_pipeline_get_in_flight(const ckpt_pipeline_options* options, int32_t piece, int32_t* in_flight);

/* Stages that run a chain's steps, each on a separate thread; custom layers of different stages run at the same time. Synchronized:
 * while a step runs, all calls except ckpt_pipeline_cancel, _get_begins, _get_manager and _release return BUSY; inside a callback
 * of the pipeline (a layer's, a strategy's, a memory event's of its step) INVALID_STATE. In a forked child, functions that need the
 * stages return FORKED. Its decisions are logged at INFO: the split, each stage's plan, the budget, the micro-batches that each
 * policy keeps. */
typedef struct ckpt_pipeline ckpt_pipeline;

/* Creates a pipeline. chain: kept alive; no other caller may run it while a step runs. Its parameters keep their memory, so
 * optimizers and checkpoints of the chain stay valid. input: dtype and shape of the whole batch. Verifies every stage's whole step
 * with all its micro-batches in flight, places its buffers and reserves its arena. OVER_BUDGET if no plan fits; INVALID_SCHEDULE if
 * a plan does not match its piece, or would recompute a layer that is not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_create(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                          ckpt_pipeline** pipeline);

/* Runs one step of the whole batch; the tensors of step have the size of the batch (targets: first dimension), first_sample is the
 * number of its first sample. GRAD(n) of each micro-batch is 1 / micro_batches if the output is one number: gradients are those of
 * the mean loss. *loss (may be NULL) receives that mean, losses (NULL, or micro_batches elements) the loss of each micro-batch, if
 * the output is one number, else NaN. Waits at most timeout_ns (-1: forever), then for each stage to finish its current layer.
 * Errors: the error of the stage that failed first; TIMEOUT; CANCELLED. After an error all stages have stopped, every buffer is
 * released, and the next step works; gradients are undefined until a step with accumulate 0. */
CKPT_API ckpt_status ckpt_pipeline_run(ckpt_pipeline* pipeline, const ckpt_step* step, int64_t timeout_ns, double* loss,
                                       double* losses);

/* Requests that the running step fails with CANCELLED; does not wait. Without a running step it does nothing. May be called on any
 * thread, also inside a layer. Not async-signal-safe: in a signal handler set a flag that another thread reads. */
CKPT_API ckpt_status ckpt_pipeline_cancel(ckpt_pipeline* pipeline);

/* Lists the first layers of the pieces: begins receives up to capacity (>= 0) of them; *count receives how many there are. begins
 * may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_pipeline_get_begins(const ckpt_pipeline* pipeline, int64_t* begins, int64_t capacity, int64_t* count);

/* Sets *manager to a stage's manager, as a new reference: its policy determines at the begin of a step the micro-batches with tapes
 * that are kept. Its recompute runs the stage's forward with the last step's keys; UNSUPPORTED for stages of several chunks, and
 * for layers that need targets, have ambient state or are not deterministic. */
CKPT_API ckpt_status ckpt_pipeline_get_manager(ckpt_pipeline* pipeline, int32_t stage, ckpt_activation_manager** manager);

/* Sets *schedule to the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the
 * pipeline can run it. */
CKPT_API ckpt_status ckpt_pipeline_get_schedule(ckpt_pipeline* pipeline, int32_t stage, ckpt_schedule** schedule);

/* Sets *profile to the profile that the schedule of ckpt_pipeline_get_schedule is verified against: the stage's layers for one
 * micro-batch; between two chunks one layer that is not run. A new reference. */
CKPT_API ckpt_status ckpt_pipeline_get_profile(ckpt_pipeline* pipeline, int32_t stage, ckpt_profile** profile);

/* Measurements of a stage of a pipeline since the pipeline was created. */
typedef struct ckpt_pipeline_stats {
  uint32_t struct_size;             /* size of this struct in bytes, in the caller's build */
  int32_t in_flight;                /* maximum number of micro-batches between forward and backward (of chunk 0) */
  int64_t first_layer;              /* global number of the stage's first layer (of chunk 0) */
  int64_t layers;                   /* number of layers of all chunks of the stage */
  int64_t steps;                    /* number of successful steps */
  int64_t forwards;                 /* number of layer forwards, recomputed ones included */
  int64_t recomputed_forwards;      /* number of layer forwards beyond the first of each layer and micro-batch in a step */
  int64_t kept_micro_batches;       /* number of micro-batches with tapes that were kept from forward to backward */
  int64_t recomputed_micro_batches; /* number of micro-batches with tapes that were recomputed */
  /* maximum number of live bytes: equals the verifier's peak of the whole step to the byte */
  int64_t peak_live_bytes;
  int64_t reserved_bytes; /* bytes of the stage's arena */
  int64_t queue_bytes;    /* bytes reserved by the queues to and from the next stage, in addition to the arena */
  int64_t busy_ns;        /* nanoseconds for which the stage computed, without waits, in the last step */
} ckpt_pipeline_stats;

#define CKPT_PIPELINE_STATS_INIT \
  { sizeof(ckpt_pipeline_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *stats with the measurements of a stage since the pipeline was created. */
CKPT_API ckpt_status ckpt_pipeline_get_stats(ckpt_pipeline* pipeline, int32_t stage, ckpt_pipeline_stats* stats);

/* The activity of a stage in an interval of a step. */
typedef int32_t ckpt_interval_kind;

#define CKPT_INTERVAL_KIND_FORWARD 1   /* the stage runs a forward part */
#define CKPT_INTERVAL_KIND_RECOMPUTE 2 /* the stage runs a forward part again */
#define CKPT_INTERVAL_KIND_BACKWARD 3  /* the stage runs a backward part */
#define CKPT_INTERVAL_KIND_WAIT 4      /* the stage sends, or waits for a neighbour */

/* The activity of a stage of a pipeline in one interval of a step. Frozen: 32 bytes in every version. */
typedef struct ckpt_pipeline_interval {
  ckpt_interval_kind kind; /* activity of the stage: one of CKPT_INTERVAL_KIND_* */
  int32_t stage;           /* number of the stage, from 0 */
  int32_t chunk;           /* number of the chunk of the stage, from 0 */
  int32_t micro_batch;     /* number of the micro-batch, from 0 */
  int64_t begin_at_ns;     /* begin of the interval, in nanoseconds since the step began */
  int64_t end_at_ns;       /* end of the interval, in nanoseconds since the step began */
} ckpt_pipeline_interval;

/* Lists the activities of the stages in the last successful step, by stage, then by time: intervals receives up to capacity (>= 0)
 * of them; *count receives how many there are, *step_ns (may be NULL) the duration of the step. */
CKPT_API ckpt_status ckpt_pipeline_get_timeline(ckpt_pipeline* pipeline, ckpt_pipeline_interval* intervals, int64_t capacity,
                                                int64_t* count, int64_t* step_ns);

/* Writes the timeline of the last successful step as Chrome's trace events (JSON; chrome://tracing and Perfetto show it): (buffer,
 * capacity, *needed) rule of ckpt.h. Source: "Trace Event Format". */
CKPT_API ckpt_status ckpt_pipeline_get_trace_json(ckpt_pipeline* pipeline, char* buffer, int64_t capacity, int64_t* needed);

/* Releases the pipeline: stops and joins the stages' threads. NULL does nothing. */
CKPT_API void ckpt_pipeline_release(ckpt_pipeline* pipeline);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PIPELINE_H */
