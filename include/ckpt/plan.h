/* plan.h - offline planning: chain profiles, schedules, cursors, the verifier, placement, and the selection of a schedule for a
 * budget.
 *
 *   ckpt_schedule *schedule = NULL;
 *   ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
 *   ckpt_schedule_create(profile, "auto:512MiB", &schedule);      profile: see ckpt_profile_create_from_chain (engine.h)
 *   ckpt_schedule_verify(schedule, profile, &report);             report.peak_bytes[0] is the exact peak
 *   ckpt_schedule_release(schedule);
 *
 * A chain has n layers, 0 .. n-1. Layer i turns x_i into x_{i+1}; backward it turns the gradient of x_{i+1} into the gradient of
 * x_i. A *schedule* is an immutable list of actions for one step of training: forward, keep, drop, recompute and backward. It is
 * read through a *cursor*. The *verifier* replays it against a *profile* of the chain and reports exact peak bytes and time before
 * anything runs. The executor of engine.h runs it; programs with adjoint code read the cursor themselves.
 *
 * A profile may also be a *graph*: value 0 is the input x_0, layer i computes value i+1, and reads any of the values 0 .. i
 * (ckpt_profile_set_inputs). INPUT(v) and GRAD(v) are value v and its gradient. The actions are those of chains, with these rules:
 * layers run forward in order the first time, and read all their INPUTs; BACKWARD reads those that the profile names. GRAD(v) is
 * created by the backward of the last layer that reads v; the others add to it, in descending order, so that the bits do not depend
 * on the schedule. It is complete, and may be read or copied, when all of them ran. FORWARD and ADVANCE run several layers only
 * where each value between them is read by the next layer alone, and ADVANCE only layers that read one value. Every layer runs
 * backward. Graphs can be planned, verified and placed, and their cursors read. The executor of engine.h and drivers (drive.h) run
 * them; programs (program.h) run chains.
 *
 * A beginner needs:
 *
 *   ckpt_profile_create_from_chain       (engine.h) or ckpt_profile_create and ckpt_profile_add_layer: resources of layers
 *   ckpt_schedule_create                 "auto:512MiB": the fastest known schedule within a budget
 *   ckpt_schedule_verify                 exact peak bytes and time, before anything runs
 *   ckpt_schedule_release, ckpt_profile_release
 */
#ifndef CKPT_PLAN_H
#define CKPT_PLAN_H

#include <ckpt/base.h>
#include <ckpt/strategy.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Actions ------------------------------------------------------------------------------------------------------------- */

/* The kind of an item in memory. INPUT(i) and GRAD(i) have the bytes of x_i, TAPE(i, option) the layer's tape bytes under that
 * option. */
typedef int32_t ckpt_item;

#define CKPT_ITEM_NONE 0 /* no item */
/* INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) exists when a step begins; INPUT(n) is the chain's output */
#define CKPT_ITEM_INPUT 1
/* TAPE(i, option): the values that layer i recorded for its backward; its bytes are the layer's tape bytes under that option */
#define CKPT_ITEM_TAPE 2
#define CKPT_ITEM_GRAD 3 /* GRAD(i): the gradient with respect to x_i; its bytes are those of x_i */

/* Kind of an action. Memory changes only at actions, as each kind documents; nothing else is kept or dropped. */
typedef int32_t ckpt_action_kind;

/* runs layers first .. last-1 without recording, under one option; needs INPUT(first), creates INPUT(last), keeps nothing
 * between */
#define CKPT_ACTION_KIND_FORWARD 1
/* runs layers first .. last-1 and records: needs INPUT(first), creates TAPE(i, option) and INPUT(i+1) of each layer i */
#define CKPT_ACTION_KIND_FORWARD_TAPE 2
/* runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) if the layer's flags
 * require it; creates GRAD(i); ends GRAD(i+1) and TAPE(i, option). Exactly once for each layer and micro-batch */
#define CKPT_ACTION_KIND_BACKWARD 3
/* begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the AWAIT */
#define CKPT_ACTION_KIND_STORE_BEGIN 4
/* begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT */
#define CKPT_ACTION_KIND_LOAD_BEGIN 5
#define CKPT_ACTION_KIND_AWAIT 6 /* waits for a transfer of STORE_BEGIN or LOAD_BEGIN */
#define CKPT_ACTION_KIND_DROP 7  /* ends an item (tier 0), or the item in a slot of another tier */
#define CKPT_ACTION_KIND_SEND 8  /* sends a copy of an item to a neighbour stage of a pipeline; the item is kept until its DROP */
/* receives an item from a neighbour stage. In the schedule of a pipeline's stage every micro-batch's INPUT arrives this way; the
 * schedule of a whole chain has no SEND and RECEIVE */
#define CKPT_ACTION_KIND_RECEIVE 9
/* ends the forward part: needs INPUT(n), passes it to the caller, creates GRAD(n); last stage only */
#define CKPT_ACTION_KIND_TURN 10
#define CKPT_ACTION_KIND_END 11 /* ends the step: only GRAD(0) may exist */
/* runs one layer and records, only for its backward: needs INPUT(first), creates TAPE(first, option), and INPUT(last) only if the
 * layer has the flag NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record); without one it runs forward, and an
 * output that is not an item counts as workspace while it runs */
#define CKPT_ACTION_KIND_RECORD 12
/* runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and creates INPUT(last) in the
 * same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN is copying.
 * slot names the buffer in schedules of adjoint codes, as for the result of their FORWARD; else it is 0 */
#define CKPT_ACTION_KIND_ADVANCE 13

/* One action of a schedule. Frozen: 64 bytes in every version. Fields that a kind does not use are 0. */
typedef struct ckpt_schedule_action {
  ckpt_action_kind kind; /* kind of action: one of CKPT_ACTION_KIND_* */
  int32_t micro_batch;   /* number of the micro-batch, from 0; 0 for a step of one batch */
  int64_t first;         /* first layer of the action; or the index i of the item */
  int64_t last;          /* one past the last layer of the action */
  int32_t option;        /* option of the layers; or of the item, for a TAPE */
  ckpt_item item;        /* kind of item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE: one of CKPT_ITEM_* */
  int32_t tier;          /* tier of the item: 0 memory; 1 .. CKPT_TIERS-1 slower places */
  int32_t slot; /* slot within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for code that runs the schedule */
  int64_t transfer;    /* id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT */
  int64_t reserved[2]; /* not used: 0 */
} ckpt_schedule_action;

#define CKPT_TIERS 4 /* number of tiers: memory and three slower places */

/* Returns the name of a kind of action: "FORWARD", "DROP", ...; "UNKNOWN" for a number that is not a kind. Static string. */
CKPT_API const char* ckpt_action_kind_name(ckpt_action_kind kind);

/* ---- Profile ------------------------------------------------------------------------------------------------------------- */

/* A profile of a chain for planning: bytes and seconds of every layer. Not synchronized while layers are added. */
typedef struct ckpt_profile ckpt_profile;

/* Properties of a layer's backward and recomputation for planning: a sum of flags. */
typedef uint32_t ckpt_layer_flag;

#define CKPT_LAYER_FLAG_NEEDS_INPUT 1U  /* backward reads the layer's input */
#define CKPT_LAYER_FLAG_NEEDS_OUTPUT 2U /* backward reads the layer's output */
/* recomputing forward produces the same bits; without this flag the layer is never recomputed */
#define CKPT_LAYER_FLAG_DETERMINISTIC 4U
/* backward computes no gradient of the input: only for layer 0 of a chain, and for layers of a graph that read only value 0, with
 * an input that has no gradient (tokens) */
#define CKPT_LAYER_FLAG_NO_INPUT_GRADIENT 8U
/* forward may write its output over its input, and backward the gradient of its input over that of its output: an element-wise
 * layer. After the first layer of a FORWARD, the layer writes its output into the buffer of its input, and its BACKWARD writes
 * GRAD(i) into the buffer of GRAD(i+1); while the layer runs that buffer counts the larger of the two */
#define CKPT_LAYER_FLAG_IN_PLACE 16U
/* backward can add to an existing gradient of its input; without this flag it writes a second buffer, which is then added. Used in
 * graphs, for a value that several layers read */
#define CKPT_LAYER_FLAG_ADDS_GRADIENT 32U

/* Properties of one layer for planning. */
typedef struct ckpt_layer_profile {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  /* sum of CKPT_LAYER_FLAG_*; default CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC */
  ckpt_layer_flag flags;
  int64_t output_bytes; /* bytes of the layer's output, and of its gradient, >= 0 */
  /* bytes of the ambient state that is saved before the first forward and restored before a recomputation, >= 0 */
  int64_t ambient_bytes;
  ckpt_dtype dtype; /* element type of the layer's output, for strategies; 0 when not known */
  int32_t ndim;     /* number of dimensions of the layer's output, for strategies, 0 .. 8 */
  int64_t shape[8]; /* lengths of the dimensions of the layer's output, for strategies */
} ckpt_layer_profile;

#define CKPT_LAYER_PROFILE_INIT                                                                                \
  {                                                                                                            \
    sizeof(ckpt_layer_profile), CKPT_LAYER_FLAG_NEEDS_INPUT | CKPT_LAYER_FLAG_DETERMINISTIC, 0, 0, 0, 0, { 0 } \
  }

/* Properties of one option (way to run a layer) for planning. Most layers have one. */
typedef struct ckpt_option_profile {
  uint32_t struct_size;             /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;                /* not used: 0 */
  int64_t tape_bytes;               /* bytes that the layer records for its backward, >= 0 */
  int64_t forward_workspace_bytes;  /* bytes needed while forward runs, with or without tape, >= 0 */
  int64_t backward_workspace_bytes; /* bytes needed while backward runs, >= 0 */
  double forward_seconds;           /* duration of one forward in seconds, >= 0 */
  double backward_seconds;          /* duration of one backward in seconds, >= 0 */
  int64_t record_workspace_bytes;   /* bytes needed while RECORD runs, >= 0; ignored without has_record */
  double record_seconds;            /* duration of one RECORD in seconds, >= 0; ignored without has_record */
  /* 1: the layer can record without computing its output, with record_workspace_bytes and record_seconds; 0: RECORD runs forward */
  ckpt_bool has_record;
  int32_t reserved2; /* not used: 0 */
  /* maximum bytes of a backward while it runs, without the layer's input: its tape, both gradients, the output if it is read, and
   * workspace, >= 0; 0: not known, their sum. For programs with a separate allocator: planners and the verifier use it; arena and
   * program use the sum */
  int64_t backward_peak_bytes;
} ckpt_option_profile;

#define CKPT_OPTION_PROFILE_INIT \
  { sizeof(ckpt_option_profile), 0, 0, 0, 0, 0.0, 0.0, 0, 0.0, 0, 0, 0 }

/* Creates an empty profile of a chain with an input x_0 of input_bytes (>= 0). */
CKPT_API ckpt_status ckpt_profile_create(int64_t input_bytes, ckpt_profile** profile);

/* Creates the profile of a chain of layer_count (>= 1) equal layers with one option: the steps of a time-stepping code. x_0 has the
 * layer's output_bytes, too, and every layer has the name "step". Needs the same small memory for any layer_count; no layers and
 * options can be added to it (INVALID_STATE). */
CKPT_API ckpt_status ckpt_profile_create_uniform(int64_t layer_count, const ckpt_layer_profile* layer,
                                                 const ckpt_option_profile* option, ckpt_profile** profile);

/* Appends a layer; name: UTF-8, not blank, copied. Add at least one option to it next. Bytes >= 0. */
CKPT_API ckpt_status ckpt_profile_add_layer(ckpt_profile* profile, const char* name, const ckpt_layer_profile* layer);

/* Appends an option to the layer that was added last. Bytes and seconds >= 0 and finite. INVALID_STATE before the first layer. */
CKPT_API ckpt_status ckpt_profile_add_option(ckpt_profile* profile, const ckpt_option_profile* option);

/* Makes the chain a graph: sets the values that a layer (0 .. layer_count-1) reads. inputs: inputs_count (>= 1) different values,
 * each 0 .. layer, that its forward reads, in any order; needed: needed_count (>= 0) of them that its backward reads, which sets or
 * clears the layer's flag NEEDS_INPUT. Layers without a call read as in a chain. OUT_OF_RANGE for another layer; INVALID_ARGUMENT
 * for other values, and duplicates; INVALID_STATE for a uniform chain. Planners check the whole graph. They fail with
 * INVALID_ARGUMENT if a value has no reader and is not an output, or if a layer with the flag NO_INPUT_GRADIENT reads another value
 * than 0. They also fail if a layer with the flag IN_PLACE reads a value with another reader. */
CKPT_API ckpt_status ckpt_profile_set_inputs(ckpt_profile* profile, int64_t layer, const int64_t* inputs, int64_t inputs_count,
                                             const int64_t* needed, int64_t needed_count);

/* Makes the chain a graph: sets the values (1 .. layer_count, different, values_count >= 1 of them) that TURN passes to the caller.
 * The caller provides their gradients. Initially only the value of the last layer. INVALID_ARGUMENT for other values, INVALID_STATE
 * for a uniform chain. */
CKPT_API ckpt_status ckpt_profile_set_outputs(ckpt_profile* profile, const int64_t* values, int64_t values_count);

/* Properties of a tier, a place that is slower than memory, for planning. */
typedef struct ckpt_tier_profile {
  uint32_t struct_size;          /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;             /* not used: 0 */
  int64_t capacity_bytes;        /* capacity of the tier in bytes, >= 0; 0: no limit */
  double write_bytes_per_second; /* rate of a STORE_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time */
  double read_bytes_per_second;  /* rate of a LOAD_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time */
  double latency_seconds;        /* duration of a copy of no bytes in seconds, >= 0 */
} ckpt_tier_profile;

#define CKPT_TIER_PROFILE_INIT \
  { sizeof(ckpt_tier_profile), 0, 0, 0.0, 0.0, 0.0 }

/* Sets the properties of a tier (1 .. CKPT_TIERS-1); the initial ones are those of CKPT_TIER_PROFILE_INIT. */
CKPT_API ckpt_status ckpt_profile_set_tier(ckpt_profile* profile, int32_t tier, const ckpt_tier_profile* tier_profile);

/* Fills *out with the properties of a tier (1 .. CKPT_TIERS-1). */
CKPT_API ckpt_status ckpt_profile_get_tier(const ckpt_profile* profile, int32_t tier, ckpt_tier_profile* out);

/* Properties of a whole chain: a sum of flags. */
typedef uint32_t ckpt_profile_flag;

/* the caller keeps INPUT(0) for the whole step: its DROP frees no bytes */
#define CKPT_PROFILE_FLAG_KEEPS_INPUT 1U
/* the caller keeps INPUT(n) from its computation to the end of the step: its DROP frees no bytes */
#define CKPT_PROFILE_FLAG_KEEPS_OUTPUT 2U
/* memory comes from an allocator of the caller, not from one arena: budgets limit live bytes, not reserved ones */
#define CKPT_PROFILE_FLAG_OWN_ALLOCATOR 4U

/* Sets the properties of the whole chain: a sum of CKPT_PROFILE_FLAG_*; initially 0. Also for a uniform chain. */
CKPT_API ckpt_status ckpt_profile_set_flags(ckpt_profile* profile, ckpt_profile_flag flags);

/* Sets *flags to the flags of ckpt_profile_set_flags. */
CKPT_API ckpt_status ckpt_profile_get_flags(const ckpt_profile* profile, ckpt_profile_flag* flags);

/* Sets *layer_count to the number of layers. */
CKPT_API ckpt_status ckpt_profile_get_layer_count(const ckpt_profile* profile, int64_t* layer_count);

/* Sets *bytes to the size of the chain's input x_0 in bytes. */
CKPT_API ckpt_status ckpt_profile_get_input_bytes(const ckpt_profile* profile, int64_t* bytes);

/* Fills *out with the properties of a layer (0 .. layer_count-1); *name receives its name, *option_count the number of its options.
 * name and option_count may be NULL; *name is borrowed from the profile. */
CKPT_API ckpt_status ckpt_profile_get_layer(const ckpt_profile* profile, int64_t layer, ckpt_layer_profile* out, const char** name,
                                            int32_t* option_count);

/* Fills *out with the properties of an option (0 .. option_count-1) of a layer. */
CKPT_API ckpt_status ckpt_profile_get_option(const ckpt_profile* profile, int64_t layer, int32_t option, ckpt_option_profile* out);

/* Writes the profile as JSON, as docs/reference/plan.md describes it, by the (buffer, capacity, *needed) rule of ckpt.h. Seconds
 * are restored to the same bits. */
CKPT_API ckpt_status ckpt_profile_get_json(const ckpt_profile* profile, char* buffer, int64_t capacity, int64_t* needed);

/* Creates a profile from the JSON of ckpt_profile_get_json. CORRUPT for invalid JSON: the message names the error and its
 * position. */
CKPT_API ckpt_status ckpt_profile_create_from_json(const char* json, ckpt_profile** profile);

/* Releases the profile. NULL does nothing. */
CKPT_API void ckpt_profile_release(ckpt_profile* profile);

/* ---- Schedules ----------------------------------------------------------------------------------------------------------- */

/* An immutable list of actions for one step of training. Synchronized; shared by reference count. The profile or strategy from
 * which it was created is not needed afterwards. */
typedef struct ckpt_schedule ckpt_schedule;

/* Creates a schedule by one of the planners, given as text: its name and, after a colon, its values, separated by commas.
 *
 *   store-all          every layer records in the forward part; nothing is recomputed: least time, most memory
 *   recompute-all      keeps only the chain's input and recomputes from it for every layer: least memory of the schedules here,
 *                      n(n-1)/2 recomputed forwards
 *   periodic:SEGMENTS  splits the chain into SEGMENTS (1 .. n) segments of n / SEGMENTS layers, the last takes the rest; keeps each
 *                      segment's input, and recomputes each segment once before its backward, except the last, which records at
 *                      once. Source: Chen, Xu, Zhang, Guestrin, "Training deep nets with sublinear memory cost", arXiv:1604.06174
 *   sqrt               periodic with the square root of the number of layers, rounded, as SEGMENTS
 *   auto:BYTES[,SECONDS[,TABLE_BYTES]]  the fastest schedule of the planners that use only memory, with *reserved* bytes (see
 *                      ckpt_schedule_place) of at most BYTES, a whole number, also with B, KiB, MiB, GiB, TiB or PiB. Considers
 *                      store-all, periodic and recompute-all, revolve for equal steps, chain, and tapes, and leaves out candidates
 *                      that would take longer to plan than SECONDS (>= 0; default 2) or larger tables than TABLE_BYTES (default
 *                      300,000,000). Where their exact frontiers would take longer, uses a grid for chain, and a local search from
 *                      its schedules for tapes. SECONDS are estimated from the amount of work on a typical core: the schedule does
 *                      not depend on the load of the machine. Above 2^21 layers only revolve is considered. Schedules that
 *                      recompute a layer that is not deterministic are excluded. ckpt_schedule_get_left_out reports the candidates
 *                      that were left out. OVER_BUDGET if none fits; the message gives the smallest sufficient budget, and the
 *                      candidates that were left out
 *   budget:BYTES       former name of auto:BYTES
 *   chain:BYTES        the fastest schedule with reserved bytes of at most BYTES among all that keep each tape, and the input that
 *                      its backward reads, until that backward. Selects the inputs to keep, the layers that record in each pass,
 *                      and the option of each layer. OVER_BUDGET as auto. Source: Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova,
 *                      "Optimal checkpointing for heterogeneous chains", arXiv:1911.13214, with the exact bytes of these items.
 *                      Above 128 layers seconds are compared on a grid of 500 units of bytes, above 512 in groups of layers, above
 *                      4096 UNSUPPORTED; ckpt_schedule_get_left_out reports this. The check against BYTES is always exact
 *   tapes:BYTES        as chain, and may also recompute the input of a layer that has recorded before its backward; improved by a
 *                      local search. Never slower than chain within the same budget; takes longer to plan. Above 128 layers the
 *                      schedule of chain, up to 512 layers improved by the local search
 *   graph:BYTES        for graphs, and for chains: the fastest schedule that a local search over recomputations finds, with
 *                      reserved bytes of at most BYTES; each layer under its first option. Up to 40 layers one search finds the
 *                      schedules for all budgets: a larger budget never takes longer, and the smallest budget in the message of
 *                      OVER_BUDGET is exact for this planner. UNSUPPORTED above 16384 layers. For a graph auto is graph, with the
 *                      same BYTES (SECONDS and TABLE_BYTES are ignored), and store-all is possible; all other planners fail with
 *                      UNSUPPORTED. Source of the order in stages: Jain and others, "Checkmate: breaking the memory wall with
 *                      optimal tensor rematerialization", arXiv:1910.02653
 *   revolve:SLOTS[,INITIAL]  for equal steps, keeps at most SLOTS (>= 1) states, x_0 included (INITIAL free: not counted), with the
 *                      fewest forwards. In addition there are the current state and, once, x_n: peak_inputs[0] is the smaller of
 *                      SLOTS + 2 and n + 1. For a uniform profile (ckpt_profile_create_uniform), FORWARD and ADVANCE name buffers 0
 *                      .. SLOTS; the schedules of other profiles, for executors, have no ADVANCE. OUT_OF_RANGE if the number of
 *                      forwards exceeds INT64_MAX. Source: Griewank, Walther, "Algorithm 799: revolve", ACM TOMS 26, 2000
 *   mixed:SLOTS        for equal steps, keeps at most SLOTS (>= 1) states or tapes, with the fewest forwards, recorded ones
 *                      included. INVALID_ARGUMENT if a layer's backward reads its input or output, OUT_OF_RANGE if the chain is too
 *                      long for tables. Source: Maddison, Journal of Computational Science 82, 2024
 *   two-level:MEMORY_SLOTS[,DISK_SLOTS]  for equal steps, keeps at most MEMORY_SLOTS (>= 1) states in memory, counted as for
 *                      revolve, and DISK_SLOTS on tier 1 (0, or omitted: as many as it can hold), with the least time if copies do
 *                      not overlap with computation and no slower tier is faster to write or read. Uses the mean of the layers'
 *                      seconds. INVALID_ARGUMENT for different bytes or flags, OUT_OF_RANGE for too many steps or slots. Source:
 *                      Herrmann, Pallez, "H-Revolve", ACM TOMS 46, 2020
 *   three-level:MEMORY_SLOTS,TIER1_SLOTS[,TIER2_SLOTS]  the same with tier 2
 *   four-level:MEMORY_SLOTS,TIER1_SLOTS,TIER2_SLOTS[,TIER3_SLOTS]  the same with tiers 2 and 3
 *
 * NOT_FOUND for another name: the message lists the known ones. INVALID_ARGUMENT for an invalid value, which the message names;
 * INVALID_STATE if the profile has no layers, or a layer without an option. OUT_OF_RANGE if the sum of the profile's bytes exceeds
 * INT64_MAX, or that of its seconds, with each layer forward once for each layer after it, exceeds the range of a double. */
CKPT_API ckpt_status ckpt_schedule_create(const ckpt_profile* profile, const char* planner, ckpt_schedule** schedule);

/* Writes the planners, one per line: syntax, description, and the range of each value, as in "periodic:SEGMENTS - ...; SEGMENTS: 1
 * .. layers". (buffer, capacity, *needed) as in ckpt.h. Synchronized. */
CKPT_API ckpt_status ckpt_schedule_get_known_planners(char* buffer, int64_t capacity, int64_t* needed);

/* Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: begins_count of them, strictly
 * ascending, the first is 0. */
CKPT_API ckpt_status ckpt_schedule_create_segments(const ckpt_profile* profile, const int64_t* begins, int64_t begins_count,
                                                   ckpt_schedule** schedule);

/* Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and stores its answers. During
 * this, its callbacks cannot add to the profile (INVALID_STATE). A chosen layer begins a segment (boundary) or is recomputed
 * separately while all others record (recompute), as the strategy specifies. The schedule is independent of the strategy
 * afterwards: ckpt_follower_next asks again. CALLBACK if a custom strategy fails. */
CKPT_API ckpt_status ckpt_schedule_create_from_strategy(const ckpt_profile* profile, ckpt_strategy* strategy,
                                                        ckpt_schedule** schedule);

/* Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th step
 * (period >= 1), or records every step (period 0). All layers have the given CKPT_LAYER_FLAG_* flags. Its cursors continue the
 * forward part until ckpt_cursor_finalize. */
CKPT_API ckpt_status ckpt_schedule_create_open_ended(int64_t period, ckpt_layer_flag flags, ckpt_schedule** schedule);

/* Creates a schedule from actions of the caller (actions_count >= 1; only the last is END) for a chain of layer_count layers.
 * Copied. Only the kinds are checked here: ckpt_schedule_verify checks all rules. */
CKPT_API ckpt_status ckpt_schedule_create_list(int64_t layer_count, const ckpt_schedule_action* actions, int64_t actions_count,
                                               ckpt_schedule** schedule);

/* Sets *name to the schedule's name for logs and tables, for example "store-all" or "periodic(4)"; valid as long as the
 * schedule. */
CKPT_API ckpt_status ckpt_schedule_get_name(const ckpt_schedule* schedule, const char** name);

/* Sets *left_out to the alternatives that the planner auto, chain or tapes did not consider for this schedule, with the reason, in
 * one line; "" when nothing was left out, and for schedules of other planners; valid as long as the schedule. */
CKPT_API ckpt_status ckpt_schedule_get_left_out(const ckpt_schedule* schedule, const char** left_out);

/* Sets *fingerprint to a hash of the schedule's name and actions: equal schedules have the same number, different ones almost
 * certainly not. The same on machines of the same byte order. */
CKPT_API ckpt_status ckpt_schedule_get_fingerprint(const ckpt_schedule* schedule, uint64_t* fingerprint);

/* Sets *layer_count to the number of layers of the chain that the schedule is for; 0 when open-ended. */
CKPT_API ckpt_status ckpt_schedule_get_layer_count(const ckpt_schedule* schedule, int64_t* layer_count);

/* Adds a reference to the schedule. NULL does nothing. */
CKPT_API void ckpt_schedule_retain(ckpt_schedule* schedule);
/* Releases one reference to the schedule. NULL does nothing. */
CKPT_API void ckpt_schedule_release(ckpt_schedule* schedule);

/* ---- Followers ----------------------------------------------------------------------------------------------------------- */

/* Asks a strategy with changing answers again between steps. Executors with the follower (ckpt_schedule_executor_options) report
 * each use of a layer's activation to its strategy, and their live bytes to the follower. Before the next step, it reports the
 * highest value of a step to the strategy. Synchronized. */
typedef struct ckpt_follower ckpt_follower;

/* Creates a follower of a strategy, which it keeps alive; the profile is copied. After its first schedule, only its steps adjust a
 * memory-aware strategy, until it is released. INVALID_STATE for a profile without layers, or with a layer without an option. */
CKPT_API ckpt_status ckpt_follower_create(const ckpt_profile* profile, ckpt_strategy* strategy, ckpt_follower** follower);

/* Creates the schedule of the next step, as ckpt_schedule_create_from_strategy does; call it once before each step. A memory-aware
 * strategy is adjusted first, and may be asked several times to predict the memory of a step. *changed (may be NULL) receives 1
 * when the schedule differs from the last one, or is the first, else 0: then the executor can be reused. CALLBACK if a custom
 * strategy fails, INVALID_STATE in a callback of the strategy that is being asked; these errors change nothing. */
CKPT_API ckpt_status ckpt_follower_next(ckpt_follower* follower, ckpt_schedule** schedule, ckpt_bool* changed);

/* Releases the follower. NULL does nothing. */
CKPT_API void ckpt_follower_release(ckpt_follower* follower);

/* ---- Cursors ------------------------------------------------------------------------------------------------------------- */

/* A position in a schedule. Needs little memory for any length of the schedule. Not synchronized. */
typedef struct ckpt_cursor ckpt_cursor;

/* Creates a cursor at the schedule's first action. Keeps the schedule alive. */
CKPT_API ckpt_status ckpt_cursor_create(ckpt_schedule* schedule, ckpt_cursor** cursor);

/* Sets *action to the next action. After END it is END again. */
CKPT_API ckpt_status ckpt_cursor_next(ckpt_cursor* cursor, ckpt_schedule_action* action);

/* Reads the next actions: actions receives up to capacity (>= 1) of them; *count receives how many. Less than capacity only if END
 * was reached, which is the last one written; after END, *count is 0. */
CKPT_API ckpt_status ckpt_cursor_next_many(ckpt_cursor* cursor, ckpt_schedule_action* actions, int64_t capacity, int64_t* count);

/* Sets the number of steps of an open-ended schedule to layer_count (>= 1, and at least the number of steps that were already
 * returned). INVALID_STATE when the number is known already. */
CKPT_API ckpt_status ckpt_cursor_finalize(ckpt_cursor* cursor, int64_t layer_count);

/* Writes the cursor's position as bytes, for ckpt_cursor_restore in this or another process: (buffer, capacity, *needed) rule of
 * ckpt.h. */
CKPT_API ckpt_status ckpt_cursor_save(const ckpt_cursor* cursor, void* buffer, int64_t capacity, int64_t* needed);

/* Moves a cursor of an equal schedule to a saved position. CORRUPT for bytes that are not a position; INVALID_ARGUMENT for a
 * position in another schedule. */
CKPT_API ckpt_status ckpt_cursor_restore(ckpt_cursor* cursor, const void* data, int64_t bytes);

/* Releases the cursor. NULL does nothing. */
CKPT_API void ckpt_cursor_release(ckpt_cursor* cursor);

/* ---- Verifier ------------------------------------------------------------------------------------------------------------ */

/* The exact memory and time of a schedule on a chain. */
typedef struct ckpt_plan_report {
  uint32_t struct_size;        /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;           /* not used: 0 */
  int64_t actions;             /* number of actions, END included */
  int64_t forwards;            /* number of layer forwards (each RECORD is one), recomputed ones included */
  int64_t recomputed_forwards; /* number of layer forwards beyond the first of each layer */
  /* duration of the step in seconds: the sum of forwards, records, backwards and waits of AWAITs */
  double step_seconds;
  double recomputed_seconds; /* duration of the recomputed forwards in seconds, from forward_seconds or record_seconds */
  int64_t peak_action;       /* index of the first action with the peak of tier 0 */
  /* peak live bytes of each tier; tier 0 counts items, workspace and ambient state */
  int64_t peak_bytes[CKPT_TIERS];
  double wait_seconds;              /* duration of the waits of AWAITs in seconds; included in step_seconds */
  int64_t peak_items[CKPT_TIERS];   /* maximum number of items (INPUT, TAPE, GRAD) in each tier, x_0 included */
  int64_t peak_inputs[CKPT_TIERS];  /* maximum number of INPUTs in each tier, x_0 included: the states that an adjoint code keeps */
  int64_t stored_bytes[CKPT_TIERS]; /* bytes that were copied into each tier; 0 for tier 0 */
  int64_t loaded_bytes[CKPT_TIERS]; /* bytes that were copied back from each tier; 0 for tier 0 */
} ckpt_plan_report;

#define CKPT_PLAN_REPORT_INIT                                                         \
  {                                                                                   \
    sizeof(ckpt_plan_report), 0, 0, 0, 0, 0.0, 0.0, 0, {0}, 0.0, {0}, {0}, {0}, { 0 } \
  }

/* Replays the schedule against the profile without running anything, and fills *report.
 *
 * Bytes of tier 0. x_0 exists at the start. A layer that runs forward first allocates its output (an INPUT or not), then its tape,
 * then its ambient state, then its workspace, and runs; afterwards the workspace and the items that it ends are freed. So inside
 * FORWARD [first, last) layer k > first still holds x_k, which is not an item, and ends it; FORWARD_TAPE ends no item. A layer that
 * runs backward first allocates GRAD(i), then its workspace; afterwards the workspace, the tape and GRAD(i+1) are freed. Ambient
 * state is allocated at a layer's first forward and freed after its backward; a second one exists while the layer runs forward
 * again. A buffer that is overwritten in place (ADVANCE, CKPT_LAYER_FLAG_IN_PLACE) counts the larger of both for the layer, with
 * its workspace, and then the new one; a backward without a gradient of its input overwrites no buffer. An item may be dropped, or
 * ended by BACKWARD, while a STORE_BEGIN copies it. It then counts until the AWAIT, and once more if it is created again before
 * that. A tier above 0 counts an item from its STORE_BEGIN to the DROP.
 *
 * Items. An item exists from the action that creates it (for a copy into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to the
 * action that ends it; an item that is overwritten in place ends when the other one begins.
 *
 * Time. Layers run one after another, for forward_seconds, record_seconds (RECORD, with has_record) or backward_seconds. Each tier
 * has one queue of writes and one of reads: a copy begins when its STORE_BEGIN or LOAD_BEGIN is reached and earlier copies in its
 * queue have ended, and takes latency_seconds + bytes / rate; an AWAIT waits for its end.
 *
 * INVALID_SCHEDULE, with a message that names the action's index, for an action (fields that its kind does not use are ignored,
 * except micro_batch, which is checked in every kind; a DROP of a tier above 0 uses only tier and slot) that
 * - names layers beyond the chain or none, an option that a layer does not have, or an invalid item, tier or slot (< 0); has a
 *   micro_batch other than 0 (except in a pipeline's stage); runs more than one layer by RECORD;
 * - needs or drops an item that does not exist or is still being loaded; creates one (LOAD_BEGIN does, too) that exists;
 * - ends in place (ADVANCE, or BACKWARD of an in-place layer) an item that is being copied;
 * - runs a layer forward again that is not deterministic; runs one backward a second time; runs one with ambient state forward
 *   after its backward; has a second TURN; sends or receives (except in a pipeline's stage);
 * - begins a transfer with an id that is in use, or awaits one that is not; stores into an occupied slot, or loads from or drops an
 *   empty one; loads another item from a slot than it holds, or before its store was awaited; drops a slot during a transfer;
 *   exceeds the capacity of a tier;
 * - ends the step before layer 0 ran backward, with a transfer in progress, an occupied slot, or any item other than GRAD(0).
 *
 * OUT_OF_RANGE if live bytes, or those copied into a tier or back from it, exceed INT64_MAX, or the seconds of the step the range
 * of a double. Streaming: memory use depends on the number of live items, not on the schedule's length. Open-ended schedules are
 * replayed with the profile's length. */
CKPT_API ckpt_status ckpt_schedule_verify(const ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_plan_report* report);

/* Sets *reserved_bytes to the bytes to reserve in a tier (0 .. CKPT_TIERS-1). Tier 0, memory: assigns every buffer of the schedule
 * an offset in one arena, a multiple of 64, and returns the arena's size. It is at least the peak live bytes; gaps between live
 * buffers count. Streaming like the verifier: above some thousands of buffers they are placed in the order of time only, which may
 * need more space than a placement by whole lifetimes. Higher tiers: each slot has the size of the longest item that it ever holds,
 * rounded up to a multiple of 64. INVALID_SCHEDULE as ckpt_schedule_verify, OUT_OF_RANGE if the arena or the sum would exceed
 * INT64_MAX. */
CKPT_API ckpt_status ckpt_schedule_place(const ckpt_schedule* schedule, const ckpt_profile* profile, int32_t tier,
                                         int64_t* reserved_bytes);

/* ---- Frontiers ----------------------------------------------------------------------------------------------------------- */

/* Memory and time of one schedule of a planner's frontier: no other schedule of the planner takes less time within its live
 * bytes. */
typedef struct ckpt_frontier_point {
  uint32_t struct_size;        /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;           /* not used: 0 */
  int64_t live_bytes;          /* peak live bytes of tier 0 */
  int64_t reserved_bytes;      /* size of the arena that holds all buffers, in bytes */
  int64_t recomputed_forwards; /* number of layer forwards beyond the first of each layer */
  double step_seconds;         /* duration of the step in seconds */
  double recomputed_seconds;   /* duration of the recomputed forwards in seconds */
  double lost_seconds; /* upper bound, in seconds, by which the optimum may be shorter, if it did not fit in the planner's tables */
} ckpt_frontier_point;

#define CKPT_FRONTIER_POINT_INIT \
  { sizeof(ckpt_frontier_point), 0, 0, 0, 0, 0.0, 0.0, 0.0 }

/* Computes the whole frontier of a planner in one run: points receives the costs of its schedules, by increasing live bytes and
 * decreasing step seconds (if the profile has no seconds, decreasing recomputed forwards), up to capacity (>= 0) of them; *count
 * receives how many there are. planner: "chain", "tapes" or "graph"; NOT_FOUND for another name. A budget selects the fastest point
 * with reserved bytes within it (for tapes: also points of chain). The smallest sufficient budget is the minimum of their reserved
 * bytes. Every call computes the frontier again; only the requested points are placed, one after another. Above 128 layers (of a
 * graph: 40) the result has some points of the frontier, all placed by each call, and a budget may find better schedules between
 * them. */
CKPT_API ckpt_status ckpt_profile_get_frontier(const ckpt_profile* profile, const char* planner, ckpt_frontier_point* points,
                                               int64_t capacity, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PLAN_H */
