/* plan.h - offline choice: chain profiles, schedules, cursors, the verifier, placement, and the choice of a schedule for a budget.
 *
 * A chain has n layers, 0 .. n-1. Layer i turns x_i into x_{i+1}; backward it turns the gradient of x_{i+1} into the gradient of
 * x_i. A *schedule* is an immutable recipe of actions for one step of training: what runs forward, what is kept, what is dropped,
 * what is recomputed, what runs backward. It is read through a *cursor*. The *verifier* replays it against a *profile* of the chain
 * and reports exact peak bytes and time before anything runs; the executor of engine.h runs it; users with adjoint code of their
 * own drive the cursor themselves.
 *
 * A beginner needs:
 *
 *   ckpt_profile_create_from_chain       (engine.h) or ckpt_profile_create and ckpt_profile_add_layer: what layers need
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

/* What memory holds. Bytes of INPUT(i) and GRAD(i): those of x_i; of TAPE(i, option): the layer's tape bytes under that option. */
typedef int32_t ckpt_item;

#define CKPT_ITEM_NONE 0 /* no item */
/* INPUT(i): x_i, i = 0 .. n; its bytes are those of x_i. INPUT(0) is there when a step begins; INPUT(n) is the chain's output */
#define CKPT_ITEM_INPUT 1
/* TAPE(i, option): what layer i recorded for its backward; its bytes are the layer's tape bytes under that option */
#define CKPT_ITEM_TAPE 2
#define CKPT_ITEM_GRAD 3 /* GRAD(i): the gradient with respect to x_i; its bytes are those of x_i */

/* Kind of an action. Memory changes only at actions, as each kind says; nothing else is kept or dropped. */
typedef int32_t ckpt_action_kind;

/* runs layers first .. last-1 without recording, under one option; needs INPUT(first), makes INPUT(last), keeps nothing between */
#define CKPT_ACTION_KIND_FORWARD 1
/* runs layers first .. last-1 and records: needs INPUT(first), makes TAPE(i, option) and INPUT(i+1) of each layer i */
#define CKPT_ACTION_KIND_FORWARD_TAPE 2
/* runs layers last-1 down to first backward: needs GRAD(i+1), TAPE(i, option), and INPUT(i) or INPUT(i+1) where the layer's flags
 * say so; makes GRAD(i); ends GRAD(i+1) and TAPE(i, option). Once for each layer and micro-batch */
#define CKPT_ACTION_KIND_BACKWARD 3
/* begins to copy an item into (tier, slot), tier >= 1; the item may be dropped at once, but its bytes count until the AWAIT */
#define CKPT_ACTION_KIND_STORE_BEGIN 4
/* begins to copy the item in (tier, slot) back to memory; its bytes count from here, it is usable after the AWAIT */
#define CKPT_ACTION_KIND_LOAD_BEGIN 5
#define CKPT_ACTION_KIND_AWAIT 6 /* waits for a transfer that STORE_BEGIN or LOAD_BEGIN began */
#define CKPT_ACTION_KIND_DROP 7  /* ends an item (tier 0), or what a slot of another tier holds */
#define CKPT_ACTION_KIND_SEND 8  /* sends a copy of an item to a neighbour stage of a pipeline; the item stays until its DROP */
/* receives an item from a neighbour stage. In a stage's schedule of a pipeline every micro-batch's INPUT arrives this way; a
 * schedule of a chain of its own has no SEND and RECEIVE */
#define CKPT_ACTION_KIND_RECEIVE 9
/* ends the forward part: needs INPUT(n), shows it to the caller, makes GRAD(n); last stage only */
#define CKPT_ACTION_KIND_TURN 10
#define CKPT_ACTION_KIND_END 11 /* ends the step: only GRAD(0) may be left */
/* runs one layer and records, for a backward that nothing else waits for: needs INPUT(first), makes TAPE(first, option), and
 * INPUT(last) only where the layer's flags say NEEDS_OUTPUT. last is first + 1. Runs the option's record (has_record); without one
 * it runs forward, and an output that it does not make counts as workspace meanwhile */
#define CKPT_ACTION_KIND_RECORD 12
/* runs layers first .. last-1 without recording, each in place: needs INPUT(first), which it ends, and makes INPUT(last) in the
 * same buffer. While layer k runs, the buffer counts the larger of x_k and x_{k+1}. Not for an INPUT that a STORE_BEGIN is copying.
 * slot names the buffer in schedules of adjoint codes, as it does for the result of their FORWARD; else it is 0 */
#define CKPT_ACTION_KIND_ADVANCE 13

/* One action of a schedule. Frozen: 64 bytes in every version. Fields that a kind does not use are 0. */
typedef struct ckpt_schedule_action {
  ckpt_action_kind kind; /* kind of action: one of CKPT_ACTION_KIND_* */
  int32_t micro_batch;   /* number of the micro-batch, from 0; 0 for a step of one batch */
  int64_t first;         /* first layer of the action; or the index i of the item */
  int64_t last;          /* one past the last layer of the action */
  int32_t option;        /* option of the layers; or of the item, for a TAPE */
  ckpt_item item;        /* kind of item of STORE_BEGIN, LOAD_BEGIN, DROP, SEND, RECEIVE: one of CKPT_ITEM_* */
  int32_t tier;          /* where the item is: 0 memory; 1 .. CKPT_TIERS-1 slower places */
  int32_t slot;        /* place within the tier, >= 0; of FORWARD and ADVANCE: the buffer of the result, for the user's own code */
  int64_t transfer;    /* id of a transfer from its STORE_BEGIN or LOAD_BEGIN to its AWAIT */
  int64_t reserved[2]; /* not used: 0 */
} ckpt_schedule_action;

#define CKPT_TIERS 4 /* number of tiers: memory and three slower places */

/* Name of a kind of action: "FORWARD", "DROP", ...; "UNKNOWN" for a number that is no kind. Static string. */
CKPT_API const char* ckpt_action_kind_name(ckpt_action_kind kind);

/* ---- Profile ------------------------------------------------------------------------------------------------------------- */

/* What planning must know of a chain: bytes and seconds of every layer. Not synchronised while layers are added. */
typedef struct ckpt_profile ckpt_profile;

/* What planning must know of a layer's backward and of running it again: a sum of flags. */
typedef uint32_t ckpt_layer_flag;

#define CKPT_LAYER_FLAG_NEEDS_INPUT 1U  /* backward reads the layer's input */
#define CKPT_LAYER_FLAG_NEEDS_OUTPUT 2U /* backward reads the layer's output */
/* running forward again produces the same bits; without it the layer is never recomputed */
#define CKPT_LAYER_FLAG_DETERMINISTIC 4U
/* backward makes no gradient of the input: only for layer 0, whose input has no gradient (tokens) */
#define CKPT_LAYER_FLAG_NO_INPUT_GRADIENT 8U
/* forward may write its output over its input, and backward the gradient of its input over that of its output: an element-wise
 * layer. Behind the first layer of a FORWARD, the layer's output is made in the buffer of its input, and its BACKWARD makes GRAD(i)
 * in the buffer of GRAD(i+1); meanwhile that buffer counts the larger of the two */
#define CKPT_LAYER_FLAG_IN_PLACE 16U

/* What planning must know of one layer. */
typedef struct ckpt_layer_profile {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
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

/* What planning must know of one way to run a layer. Most layers have one. */
typedef struct ckpt_option_profile {
  uint32_t struct_size;             /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;                /* not used: 0 */
  int64_t tape_bytes;               /* bytes that the layer records for its backward, >= 0 */
  int64_t forward_workspace_bytes;  /* bytes needed while forward runs, with or without tape, >= 0 */
  int64_t backward_workspace_bytes; /* bytes needed while backward runs, >= 0 */
  double forward_seconds;           /* duration of one forward in seconds, >= 0 */
  double backward_seconds;          /* duration of one backward in seconds, >= 0 */
  int64_t record_workspace_bytes;   /* bytes needed while RECORD runs, >= 0; not looked at without has_record */
  double record_seconds;            /* duration of one RECORD in seconds, >= 0; not looked at without has_record */
  /* 1: the layer can record without making its output, as the two fields above say; 0: RECORD runs forward */
  ckpt_bool has_record;
  int32_t reserved2; /* not used: 0 */
  /* most bytes at once while the backward runs of all that it reads, makes and needs for itself, but for the layer's input: its
   * tape, both gradients, the output where it is read, and workspace, >= 0; 0: not known, their sum. For those whose memory comes
   * from an allocator of their own: planners and the verifier count it; arena and program keep the sum */
  int64_t backward_peak_bytes;
} ckpt_option_profile;

#define CKPT_OPTION_PROFILE_INIT \
  { sizeof(ckpt_option_profile), 0, 0, 0, 0, 0.0, 0.0, 0, 0.0, 0, 0, 0 }

/* Creates an empty profile of a chain whose input x_0 has input_bytes (>= 0). */
CKPT_API ckpt_status ckpt_profile_create(int64_t input_bytes, ckpt_profile** profile);

/* Creates the profile of a chain of layer_count (>= 1) like layers with one option: the steps of a time-stepping code. x_0 has the
 * layer's output_bytes too, and every layer is called "step". Takes the same little memory for any layer_count; what was created
 * so takes no further layers and options (INVALID_STATE). */
CKPT_API ckpt_status ckpt_profile_create_uniform(int64_t layer_count, const ckpt_layer_profile* layer,
                                                 const ckpt_option_profile* option, ckpt_profile** profile);

/* Appends a layer; name: UTF-8, not blank, copied. Add at least one option to it next. Bytes >= 0. */
CKPT_API ckpt_status ckpt_profile_add_layer(ckpt_profile* profile, const char* name, const ckpt_layer_profile* layer);

/* Appends an option to the layer that was added last. Bytes and seconds >= 0 and finite. INVALID_STATE before the first layer. */
CKPT_API ckpt_status ckpt_profile_add_option(ckpt_profile* profile, const ckpt_option_profile* option);

/* What planning must know of a tier, a place that is slower than memory. */
typedef struct ckpt_tier_profile {
  uint32_t struct_size;          /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;             /* not used: 0 */
  int64_t capacity_bytes;        /* bytes that the tier can hold, >= 0; 0: no limit */
  double write_bytes_per_second; /* rate of a STORE_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time */
  double read_bytes_per_second;  /* rate of a LOAD_BEGIN's copy in bytes per second, >= 0; 0: no limit, it takes no time */
  double latency_seconds;        /* duration of a copy of no bytes in seconds, >= 0 */
} ckpt_tier_profile;

#define CKPT_TIER_PROFILE_INIT \
  { sizeof(ckpt_tier_profile), 0, 0, 0.0, 0.0, 0.0 }

/* Says what a tier (1 .. CKPT_TIERS-1) can do; until then it is as CKPT_TIER_PROFILE_INIT says. */
CKPT_API ckpt_status ckpt_profile_set_tier(ckpt_profile* profile, int32_t tier, const ckpt_tier_profile* tier_profile);

/* Fills *out with what is known of a tier (1 .. CKPT_TIERS-1). */
CKPT_API ckpt_status ckpt_profile_get_tier(const ckpt_profile* profile, int32_t tier, ckpt_tier_profile* out);

/* What holds for a whole chain: a sum of flags. */
typedef uint32_t ckpt_profile_flag;

/* INPUT(0) stays with the caller, who holds it through the whole step: its DROP frees no bytes */
#define CKPT_PROFILE_FLAG_KEEPS_INPUT 1U
/* INPUT(n) stays with the caller from the moment it is made to the end of the step: its DROP frees no bytes */
#define CKPT_PROFILE_FLAG_KEEPS_OUTPUT 2U
/* memory comes from an allocator of the caller's, not from one arena: budgets bind live bytes, not reserved ones */
#define CKPT_PROFILE_FLAG_OWN_ALLOCATOR 4U

/* Sets what holds for the whole chain: a sum of CKPT_PROFILE_FLAG_*; 0 until then. Also for a uniform chain. */
CKPT_API ckpt_status ckpt_profile_set_flags(ckpt_profile* profile, ckpt_profile_flag flags);

/* Sets *flags to what ckpt_profile_set_flags set. */
CKPT_API ckpt_status ckpt_profile_get_flags(const ckpt_profile* profile, ckpt_profile_flag* flags);

/* Sets *layer_count to the number of layers. */
CKPT_API ckpt_status ckpt_profile_get_layer_count(const ckpt_profile* profile, int64_t* layer_count);

/* Sets *bytes to the bytes of the chain's input x_0. */
CKPT_API ckpt_status ckpt_profile_get_input_bytes(const ckpt_profile* profile, int64_t* bytes);

/* Fills *out with what was added as layer (0 .. layer_count-1); *name receives its name, *option_count the number of its options.
 * name and option_count may be NULL; *name lives as long as the profile. */
CKPT_API ckpt_status ckpt_profile_get_layer(const ckpt_profile* profile, int64_t layer, ckpt_layer_profile* out, const char** name,
                                            int32_t* option_count);

/* Fills *out with what was added as option (0 .. option_count-1) of layer. */
CKPT_API ckpt_status ckpt_profile_get_option(const ckpt_profile* profile, int64_t layer, int32_t option, ckpt_option_profile* out);

/* Writes the profile as JSON, as docs/reference/plan.md describes it, by the (buffer, capacity, *needed) rule of ckpt.h: seconds
 * read back to the same bits. */
CKPT_API ckpt_status ckpt_profile_get_json(const ckpt_profile* profile, char* buffer, int64_t capacity, int64_t* needed);

/* Creates the profile that ckpt_profile_get_json wrote. CORRUPT for a text that is none: the message says what is wrong, and
 * where. */
CKPT_API ckpt_status ckpt_profile_create_from_json(const char* json, ckpt_profile** profile);

/* Releases the profile. NULL does nothing. */
CKPT_API void ckpt_profile_release(ckpt_profile* profile);

/* ---- Schedules ----------------------------------------------------------------------------------------------------------- */

/* An immutable recipe for one step of training. Synchronised; shared by reference count. The profile or strategy it was made from
 * is not needed any more. */
typedef struct ckpt_schedule ckpt_schedule;

/* Creates a schedule by one of the planners, given as text: its name, and behind a colon its values, separated by commas.
 *
 *   store-all          every layer records in the forward part; nothing is recomputed: least time, most memory
 *   recompute-all      keeps the chain's input only and recomputes from it for every layer: least memory of the schedules here,
 *                      n(n-1)/2 recomputed forwards
 *   periodic:SEGMENTS  cuts the chain into SEGMENTS (1 .. n) segments of n / SEGMENTS layers, the last takes the rest; keeps each
 *                      segment's input, and recomputes each segment once before its backward, but for the last, which records at
 *                      once. Source: Chen, Xu, Zhang, Guestrin, "Training deep nets with sublinear memory cost", arXiv:1604.06174
 *   sqrt               periodic with the square root of the number of layers, rounded, as SEGMENTS
 *   auto:BYTES[,SECONDS[,TABLE_BYTES]]  the fastest schedule that planners here make in memory alone whose *reserved* bytes (see
 *                      ckpt_schedule_place) fit BYTES, a whole number, also with B, KiB, MiB, GiB, TiB or PiB. Looks at store-all,
 *                      periodic and recompute-all, at revolve for like steps, at chain, and at tapes, and leaves out what would
 *                      take longer to plan than SECONDS (>= 0; default 2) or larger tables than TABLE_BYTES (default 300,000,000).
 *                      Seconds are those of a common core, counted in work: the same schedule whatever else the machine does.
 *                      Past 2^21 layers only revolve is looked at. What recomputes a layer that is not deterministic is never
 *                      taken. ckpt_schedule_get_left_out says what was not looked at. OVER_BUDGET when none fits; the message gives
 *                      the smallest budget that works, and what was left out
 *   budget:BYTES       auto:BYTES by its former name
 *   chain:BYTES        the fastest schedule whose reserved bytes fit BYTES, of all that keep what a layer recorded, and the input
 *                      that its backward reads, until that backward: which inputs are kept, which layers record when, and under
 *                      which option each runs. OVER_BUDGET as auto. Source: Beaumont, Eyraud-Dubois, Herrmann, Joly, Shilova,
 *                      "Optimal checkpointing for heterogeneous chains", arXiv:1911.13214, with the exact bytes of these items.
 *                      Beyond 128 layers seconds are weighed on a grid of 500 units of bytes, beyond 512 in groups of layers,
 *                      beyond 4096 UNSUPPORTED; ckpt_schedule_get_left_out says so. What fits is known to the byte in any case
 *   tapes:BYTES        as chain, also with layers that recorded and whose input is made again before their backward, and with a
 *                      local search from there. Never slower than chain within the same budget; takes longer to plan. Beyond
 *                      128 layers it is chain
 *   revolve:SLOTS[,INITIAL]  of like steps, SLOTS (>= 1) states are kept at once, x_0 counted (INITIAL free: not counted): the
 *                      fewest forwards. Beside them are the state that is worked on and, once, x_n: peak_inputs[0] is the lesser of
 *                      SLOTS + 2 and n + 1. Of a uniform profile (ckpt_profile_create_uniform), FORWARD and ADVANCE name buffers
 *                      0 .. SLOTS; the schedules of other profiles, for executors, have no ADVANCE. OUT_OF_RANGE when the forwards
 *                      pass INT64_MAX. Source: Griewank, Walther, "Algorithm 799: revolve", ACM TOMS 26, 2000
 *   mixed:SLOTS        of like steps, SLOTS (>= 1) states or tapes are kept at once: the fewest forwards, recorded ones counted.
 *                      INVALID_ARGUMENT when a layer's backward reads its input or output, OUT_OF_RANGE when the chain is too long
 *                      for tables. Source: Maddison, Journal of Computational Science 82, 2024
 *   two-level:MEMORY_SLOTS[,DISK_SLOTS]  of like steps, MEMORY_SLOTS (>= 1) states are kept in memory, counted as for revolve, and
 *                      DISK_SLOTS on tier 1 (0, or none given: as many as it holds): the least time when nothing runs beside copies
 *                      and no slower tier is faster to write or read. Counts the mean of the layers' seconds. INVALID_ARGUMENT for
 *                      unlike bytes or flags, OUT_OF_RANGE for too many. Source: Herrmann, Pallez, "H-Revolve", ACM TOMS 46, 2020
 *   three-level:MEMORY_SLOTS,TIER1_SLOTS[,TIER2_SLOTS]  the same with tier 2
 *   four-level:MEMORY_SLOTS,TIER1_SLOTS,TIER2_SLOTS[,TIER3_SLOTS]  the same with tiers 2 and 3
 *
 * NOT_FOUND for another name: the message lists the known ones. INVALID_ARGUMENT says which value is wrong, INVALID_STATE that the
 * profile has no layers, or one without an option. */
CKPT_API ckpt_status ckpt_schedule_create(const ckpt_profile* profile, const char* planner, ckpt_schedule** schedule);

/* Writes the planners, one a line: its form, what it makes, and the range of each value, as in
 * "periodic:SEGMENTS - ...; SEGMENTS: 1 .. layers". (buffer, capacity, *needed) as in ckpt.h. Synchronised. */
CKPT_API ckpt_status ckpt_schedule_get_known_planners(char* buffer, int64_t capacity, int64_t* needed);

/* Creates a schedule as periodic:SEGMENTS does, with segments that begin at the given layers: begins_count of them, strictly
 * ascending, the first is 0. */
CKPT_API ckpt_status ckpt_schedule_create_segments(const ckpt_profile* profile, const int64_t* begins, int64_t begins_count,
                                                   ckpt_schedule** schedule);

/* Creates a schedule from a strategy: asks it once per layer, in order, about each layer's output, and freezes its answers.
 * Meanwhile its callbacks can add nothing to the profile (INVALID_STATE). A chosen layer begins a segment (boundary) or is
 * recomputed alone while all others record (recompute), as the strategy says. The schedule knows nothing of the strategy
 * afterwards: ckpt_follower_next asks again. CALLBACK when a custom one fails. */
CKPT_API ckpt_status ckpt_schedule_create_from_strategy(const ckpt_profile* profile, ckpt_strategy* strategy,
                                                        ckpt_schedule** schedule);

/* Creates a schedule for a number of steps that is not known when the forward part begins: keeps the input of every period-th step
 * (period >= 1), or records every step (period 0). All layers have the given CKPT_LAYER_FLAG_* flags. Its cursors go on forward
 * until ckpt_cursor_finalize. */
CKPT_API ckpt_status ckpt_schedule_create_open_ended(int64_t period, ckpt_layer_flag flags, ckpt_schedule** schedule);

/* Creates a schedule from the caller's own actions (actions_count >= 1, the last is END and no other) for a chain of layer_count
 * layers. Copied. Only the kinds are checked here: ask ckpt_schedule_verify. */
CKPT_API ckpt_status ckpt_schedule_create_list(int64_t layer_count, const ckpt_schedule_action* actions, int64_t actions_count,
                                               ckpt_schedule** schedule);

/* Sets *name to the schedule's name for logs and tables: "store-all", "periodic(4)", ...; it lives as long as the schedule. */
CKPT_API ckpt_status ckpt_schedule_get_name(const ckpt_schedule* schedule, const char** name);

/* Sets *left_out to what the planner auto, chain or tapes did not look at when it chose this schedule, and why, in one line; ""
 * when nothing was left out, and when the schedule was made otherwise. It lives as long as the schedule. */
CKPT_API ckpt_status ckpt_schedule_get_left_out(const ckpt_schedule* schedule, const char** left_out);

/* Sets *fingerprint to a number that equal recipes of the same name share and different ones practically never. The same on
 * machines of the same byte order. */
CKPT_API ckpt_status ckpt_schedule_get_fingerprint(const ckpt_schedule* schedule, uint64_t* fingerprint);

/* Sets *layer_count to the number of layers of the chain that the schedule is for; 0 when open-ended. */
CKPT_API ckpt_status ckpt_schedule_get_layer_count(const ckpt_schedule* schedule, int64_t* layer_count);

/* Adds a reference to the schedule. NULL does nothing. */
CKPT_API void ckpt_schedule_retain(ckpt_schedule* schedule);
/* Releases one reference to the schedule. NULL does nothing. */
CKPT_API void ckpt_schedule_release(ckpt_schedule* schedule);

/* ---- Followers ----------------------------------------------------------------------------------------------------------- */

/* Follows a strategy whose answers change: asks it again between steps. Executors that are given the follower
 * (ckpt_schedule_executor_options) report each use of a layer's activation to its strategy, and their live bytes to the follower,
 * which passes the highest of a step on to the strategy before the next one. Synchronised. */
typedef struct ckpt_follower ckpt_follower;

/* Creates a follower of a strategy, which it keeps alive; the profile is copied. Once it has been asked for a schedule, only its
 * steps adjust a memory-aware strategy, until it is released. INVALID_STATE for a profile without layers, or with a layer that has
 * no option. */
CKPT_API ckpt_status ckpt_follower_create(const ckpt_profile* profile, ckpt_strategy* strategy, ckpt_follower** follower);

/* Creates the schedule of the next step, as ckpt_schedule_create_from_strategy does; call it once before each step. A memory-aware
 * strategy is adjusted first, and may be asked several times to predict what a step would take. *changed (may be NULL) receives 1
 * when it differs from the last one, as the first always does, else 0: then the executor can be used again. CALLBACK when a custom
 * strategy fails, INVALID_STATE in a callback of the strategy that is being asked: nothing has changed. */
CKPT_API ckpt_status ckpt_follower_next(ckpt_follower* follower, ckpt_schedule** schedule, ckpt_bool* changed);

/* Releases the follower. NULL does nothing. */
CKPT_API void ckpt_follower_release(ckpt_follower* follower);

/* ---- Cursors ------------------------------------------------------------------------------------------------------------- */

/* A place in a schedule. Takes little memory whatever the schedule's length. Not synchronised. */
typedef struct ckpt_cursor ckpt_cursor;

/* Creates a cursor at the schedule's first action. Keeps the schedule alive. */
CKPT_API ckpt_status ckpt_cursor_create(ckpt_schedule* schedule, ckpt_cursor** cursor);

/* Sets *action to the next action. After END it is END again. */
CKPT_API ckpt_status ckpt_cursor_next(ckpt_cursor* cursor, ckpt_schedule_action* action);

/* actions receives up to capacity (>= 1) next actions; *count receives how many. Less than capacity only where END was reached,
 * which is the last one written; behind END, *count is 0. */
CKPT_API ckpt_status ckpt_cursor_next_many(ckpt_cursor* cursor, ckpt_schedule_action* actions, int64_t capacity, int64_t* count);

/* Sets the number of steps of an open-ended schedule to n (n >= the steps that were already returned, n >= 1). Once. INVALID_STATE
 * when the number is known already. */
CKPT_API ckpt_status ckpt_cursor_finalize(ckpt_cursor* cursor, int64_t layer_count);

/* Writes the cursor's place as bytes, for ckpt_cursor_restore in this or another process: (buffer, capacity, *needed) rule of
 * ckpt.h. */
CKPT_API ckpt_status ckpt_cursor_save(const ckpt_cursor* cursor, void* buffer, int64_t capacity, int64_t* needed);

/* Moves a cursor of an equal schedule to a saved place. CORRUPT for bytes that are none; INVALID_ARGUMENT when they are of another
 * schedule. */
CKPT_API ckpt_status ckpt_cursor_restore(ckpt_cursor* cursor, const void* data, int64_t bytes);

/* Releases the cursor. NULL does nothing. */
CKPT_API void ckpt_cursor_release(ckpt_cursor* cursor);

/* ---- Verifier ------------------------------------------------------------------------------------------------------------ */

/* What a schedule costs on a chain, exactly. */
typedef struct ckpt_plan_report {
  uint32_t struct_size;        /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;           /* not used: 0 */
  int64_t actions;             /* number of actions, END included */
  int64_t forwards;            /* number of layer forwards (each RECORD is one), recomputed ones included */
  int64_t recomputed_forwards; /* number of layer forwards beyond the first of each layer */
  /* duration of the step in seconds: of the forwards, records and backwards, one after another, and of what the AWAITs wait for */
  double step_seconds;
  double recomputed_seconds; /* duration of the recomputed forwards in seconds, as they ran: forward_seconds or record_seconds */
  int64_t peak_action;       /* index of the action during which tier 0 was fullest (the first such) */
  /* live bytes at the fullest moment of each tier; tier 0 counts items, workspace and ambient state */
  int64_t peak_bytes[CKPT_TIERS];
  double wait_seconds;              /* duration of what the AWAITs wait for, in seconds; counted in step_seconds */
  int64_t peak_items[CKPT_TIERS];   /* most items (INPUT, TAPE, GRAD) at once in each tier; with x_0 */
  int64_t peak_inputs[CKPT_TIERS];  /* most INPUTs at once in each tier; with x_0: the states that an adjoint code keeps */
  int64_t stored_bytes[CKPT_TIERS]; /* bytes that were copied into each tier; 0 for tier 0 */
  int64_t loaded_bytes[CKPT_TIERS]; /* bytes that were copied back from each tier; 0 for tier 0 */
} ckpt_plan_report;

#define CKPT_PLAN_REPORT_INIT                                                         \
  {                                                                                   \
    sizeof(ckpt_plan_report), 0, 0, 0, 0, 0.0, 0.0, 0, {0}, 0.0, {0}, {0}, {0}, { 0 } \
  }

/* Replays the schedule against the profile without running anything, and fills *report.
 *
 * Bytes of tier 0. x_0 is there at the start. A layer that runs forward first makes its output (INPUT or not), then its tape, then
 * what it needs of ambient state, then its workspace, and runs; then the workspace goes, and what it ends. So inside FORWARD
 * [first, last) layer k > first still has x_k, which is no item, and ends it; FORWARD_TAPE ends nothing. A layer that runs backward
 * first makes GRAD(i), then its workspace; then the workspace, the tape and GRAD(i+1) go. Ambient state is made at a layer's first
 * forward and goes behind its backward; a second one is there while the layer runs forward again. A buffer that is overwritten in
 * place (ADVANCE, CKPT_LAYER_FLAG_IN_PLACE) counts the larger of both for the layer, with its workspace, and then the new one; a
 * backward that makes no gradient of its input overwrites nothing. An item that is dropped, or that BACKWARD ends, while a
 * STORE_BEGIN copies it counts until the AWAIT, and once more where it is made again meanwhile. A tier above 0 counts an item from
 * its STORE_BEGIN to the DROP.
 *
 * Items. An item is there from what makes it (of a copy into a tier or back: its STORE_BEGIN or LOAD_BEGIN) to what ends it; one
 * that is overwritten in place is not there any more when the other one is.
 *
 * Time. Layers run one after another, for forward_seconds, record_seconds (RECORD, with has_record) or backward_seconds. Each tier
 * has one queue of writes and one of reads: a copy begins when its STORE_BEGIN or LOAD_BEGIN is met and those before it in its
 * queue have ended, and takes latency_seconds + bytes / rate; an AWAIT waits for its end.
 *
 * INVALID_SCHEDULE, and the message names the action's index, for an action (fields that its kind does not use are not looked at;
 * micro_batch is, in every kind; a DROP of a tier above 0 uses tier and slot alone) that
 * - names layers beyond the chain or none, an option that a layer does not have, an item, tier or slot (< 0) that cannot be; has
 *   another micro_batch than 0 (but for a stage); runs more than one layer by RECORD;
 * - needs or drops an item that is not there or is still being loaded; makes one (LOAD_BEGIN does, too) that is there;
 * - ends in place (ADVANCE, or BACKWARD of an in-place layer) an item that is being copied;
 * - runs a layer forward again that is not deterministic; runs one backward a second time; runs one with ambient state forward
 *   behind its backward; turns a second time; sends or receives (but for a stage);
 * - begins a transfer under an id that is under way, or awaits one that is not; stores into a slot that is taken, or loads from or
 *   drops one that is empty; loads from a slot another item than it holds, or before its store was awaited; drops one in transfer;
 *   holds more in a tier than its capacity;
 * - ends the step before layer 0 ran backward, with a transfer under way, a slot taken, or any other item than GRAD(0) left.
 *
 * OUT_OF_RANGE when live bytes, or those copied into a tier or back from it, pass INT64_MAX. Streams: takes memory for what is
 * live, not for the schedule's length. Open-ended schedules are replayed with the profile's length. */
CKPT_API ckpt_status ckpt_schedule_verify(const ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_plan_report* report);

/* Assigns every buffer of the schedule an offset in one arena; *reserved_bytes receives the arena's size: the *reserved* bytes that
 * a machine must have, at least the peak live bytes (offsets are multiples of 64; gaps between live buffers count). Streams like
 * the verifier: past some thousands of buffers they are placed in the order of time alone, which may need more room than looking at
 * whole lives. INVALID_SCHEDULE as ckpt_schedule_verify, OUT_OF_RANGE when the arena would pass INT64_MAX. */
CKPT_API ckpt_status ckpt_schedule_place(const ckpt_schedule* schedule, const ckpt_profile* profile, int64_t* reserved_bytes);

/* Sets *reserved_bytes to what a tier (1 .. CKPT_TIERS-1) must have: each of the tier's slots is as long as the longest item that
 * it ever holds, rounded up to 64. INVALID_SCHEDULE as ckpt_schedule_verify, OUT_OF_RANGE when the sum would pass INT64_MAX. */
CKPT_API ckpt_status ckpt_schedule_place_tier(const ckpt_schedule* schedule, const ckpt_profile* profile, int32_t tier,
                                              int64_t* reserved_bytes);

/* ---- Frontiers ----------------------------------------------------------------------------------------------------------- */

/* What one schedule of a planner's frontier costs: no other of the planner's takes less time within its live bytes. */
typedef struct ckpt_frontier_point {
  uint32_t struct_size;        /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;           /* not used: 0 */
  int64_t live_bytes;          /* live bytes of tier 0 at the fullest moment */
  int64_t reserved_bytes;      /* bytes that a machine must have: the size of the arena that holds all buffers */
  int64_t recomputed_forwards; /* number of layer forwards beyond the first of each layer */
  double step_seconds;         /* duration of the step in seconds */
  double recomputed_seconds;   /* duration of the recomputed forwards in seconds */
  double lost_seconds; /* duration in seconds by which the planner's best may be shorter, where its tables had no room for it */
} ckpt_frontier_point;

#define CKPT_FRONTIER_POINT_INIT \
  { sizeof(ckpt_frontier_point), 0, 0, 0, 0, 0.0, 0.0, 0.0 }

/* Makes the whole frontier of a planner in one run: points receives what its schedules cost, by rising live bytes and falling step
 * seconds (where the profile has no seconds at all, falling recomputed forwards), up to capacity (>= 0) of them; *count receives
 * how many there are. planner: "chain" or "tapes"; NOT_FOUND for another name. A budget takes the fastest point whose reserved
 * bytes fit, a budget of tapes also one of chain's, and the smallest budget that works is the least of them. Every call computes
 * anew; the points are placed, one after another, as far as they are asked for. Beyond 128 layers there are some points of the
 * frontier, all placed by each call, and a budget may find better ones between them. */
CKPT_API ckpt_status ckpt_profile_get_frontier(const ckpt_profile* profile, const char* planner, ckpt_frontier_point* points,
                                               int64_t capacity, int64_t* count);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_PLAN_H */
