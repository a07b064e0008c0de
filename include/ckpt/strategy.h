/* strategy.h - strategies that decide for one layer at a time whether to checkpoint it: interval, selective, size-based,
 * memory-aware, smart, composites of these, and custom ones. Read the general rules at the top of ckpt.h first.
 *
 *   ckpt_strategy *strategy = NULL;
 *   ckpt_strategy_create("interval:2", &strategy);                            every second layer
 *   ckpt_schedule_create_from_strategy(profile, strategy, &schedule);         plan.h
 *   ckpt_strategy_release(strategy);
 *
 * A strategy answers yes or no for one layer at a time. ckpt_strategy_set_chosen sets the effect of a yes on the schedule
 * (CKPT_STRATEGY_CHOSEN_*); the functions of plan.h create the schedule. A beginner needs ckpt_strategy_create,
 * ckpt_schedule_create_from_strategy and ckpt_strategy_release. The kinds, and their strings with the defaults:
 *
 *   kind          answers yes for                                                string
 *   interval      every n-th layer, beginning with layer 0                       interval:2
 *   selective     layers that are named and not excluded                         selective:block.*.attn,!block.0.*
 *   size          activations of at least this size                              size:1MiB
 *   memory-aware  every n-th layer; n shrinks under memory pressure              memory-aware:0.8
 *   smart         large, rarely used and late layers, after a warm-up            smart:1.5,2,0.7
 *   any, all      layers for which any child, or all children, answer yes        any(size:1MiB,interval:8)
 *   not           layers for which the child answers no                          not(interval:2)
 *   first         layers for which the child of the first matching rule answers  first(block.*=size:1MiB,#0..3=interval:1,smart)
 *                 yes; the last child answers for layers that no rule matches
 *   custom        layers for which a callback of the caller answers yes          $0 (ckpt_strategy_options), or a registered kind
 *
 * Grammar: kind, kind:arguments or kind(arguments), separated by commas; inside parentheses, write kind(arguments) for a kind with
 * a list of values. Values may be given by name: smart:late_share=0.5, memory-aware:0.8,total_bytes=8GiB. Sizes are whole numbers
 * with B, KiB, MiB, GiB, TiB or PiB. Names after a ! are excluded: selective, size and smart. A name may be a glob: * matches any
 * string (dots included), ? one character, and \ escapes the next character. A name with a comma, parenthesis, quote, = or outer
 * blanks is quoted: "a,b"; inside quotes write \" for a quote. Rules of first are names, globs, or "#5", "#2..7" (both included),
 * "#8.." for layer indices. Every child of any, all and not is asked about every layer; first asks one child. Nesting deeper than
 * 64 is refused.
 *
 * Selective: a literal name that is both chosen and excluded is refused; if a glob causes the overlap, exclusion takes precedence.
 *
 * Memory-aware: n follows pressure = live bytes / total memory. n starts at 2. A follower and a pipeline adjust n before each step,
 * from the highest live bytes of the last step (before the first: from the prediction of the profile) and the predicted bytes of
 * other n. Above the share (in (0, 1]) n becomes the next smaller number with a step that fits the share; if there is none, the
 * next larger one; if there is none, the one with the smallest step. Below 0.8 times the share n grows by 1, up to 10, if the step
 * then fits the share and none of the last 3 steps exceeded it. Equal steps give equal answers; the clock is not used. Otherwise a
 * question adjusts n at most once in 10 s: above the share it shrinks by 1, down to 1; below 0.8 times the share it grows by 1, up
 * to 10, unless an adjustment within the last 30 s found high pressure.
 *
 * Smart: answers no until it was asked about 10 different layers, or a second time about the same index, whichever is first. Then
 * it answers yes for a layer with more than large_factor times the mean bytes of the known layers. It also answers yes for one
 * accessed fewer than rare_accesses times (the question included), and for an index above late_share times the number of known
 * layers. Excluded layers are counted, but answered with no. */
#ifndef CKPT_STRATEGY_H
#define CKPT_STRATEGY_H

#include <stddef.h>

#include <ckpt/base.h>
#include <ckpt/memory.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A strategy decides for one layer at a time whether to checkpoint it. Synchronized. Shared: ckpt_strategy_retain. In a forked
 * child it continues; if another thread of the parent was changing it at the fork, calls that need the data which that thread was
 * changing return FORKED. A memory-aware strategy with a custom clock returns INVALID_STATE when it is called from inside that
 * clock's function. */
typedef struct ckpt_strategy ckpt_strategy;

/* ---- Meaning of a yes ---------------------------------------------------------------------------------------------------- */

/* The meaning of a strategy's yes for the layer. */
typedef int32_t ckpt_strategy_chosen;

/* the default of the kind of strategy: CKPT_STRATEGY_CHOSEN_BOUNDARY for interval, CKPT_STRATEGY_CHOSEN_RECOMPUTE for all others */
#define CKPT_STRATEGY_CHOSEN_DEFAULT 0
/* a chosen layer keeps only its input and runs again in backward; all others are stored */
#define CKPT_STRATEGY_CHOSEN_RECOMPUTE 1
/* inputs of chosen layers are kept, and the layers between them are recomputed as one segment */
#define CKPT_STRATEGY_CHOSEN_BOUNDARY 2

/* ---- Creating ------------------------------------------------------------------------------------------------------------ */

/* Objects and values that a text refers to. Every one that is set must be used by the text. */
typedef struct ckpt_strategy_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  /* for memory-aware: tracker of the live bytes, in a step in addition to those of the executors; kept alive. NULL: live bytes of
   * the executors, or outside of steps the resident bytes of the process */
  ckpt_memory_tracker* tracker;
  const ckpt_clock* clock; /* for memory-aware: clock for its adjustments; kept alive; NULL: the monotonic clock */
  /* for memory-aware: total memory in bytes, >= 0, if the text does not specify it; 0: the memory that the process may use */
  int64_t total_bytes;
  ckpt_strategy* const* children; /* the strategies that the text names $0, $1, ...; kept alive */
  int64_t children_count;         /* number of children, >= 0 */
} ckpt_strategy_options;

#define CKPT_STRATEGY_OPTIONS_INIT \
  { sizeof(ckpt_strategy_options), 0, NULL, NULL, 0, NULL, 0 }

/* Creates a strategy from a string in the grammar at the top of strategy.h. The message of INVALID_ARGUMENT names the invalid part,
 * that of NOT_FOUND lists the known kinds. */
CKPT_API ckpt_status ckpt_strategy_create(const char* text, ckpt_strategy** strategy);

/* Creates a strategy as ckpt_strategy_create, with objects and values that the text refers to. INVALID_ARGUMENT also for an option
 * that the text does not use. options: NULL for none. */
CKPT_API ckpt_status ckpt_strategy_create_with_options(const char* text, const ckpt_strategy_options* options,
                                                       ckpt_strategy** strategy);

/* ---- Custom strategies --------------------------------------------------------------------------------------------------- */

/* A question to a strategy about one layer. Borrowed for the call. */
typedef struct ckpt_strategy_question {
  uint32_t struct_size;   /* size of this struct in bytes, in the caller's build */
  ckpt_dtype dtype;       /* element type of the layer's activation */
  const char* layer_name; /* name of the layer: UTF-8, not empty */
  const int64_t* shape;   /* lengths of the activation's dimensions */
  int32_t ndim;           /* number of the activation's dimensions, 0 .. 8 */
  int32_t reserved;       /* not used: 0 */
  int64_t bytes;          /* size of the activation in bytes */
  int64_t layer_index;    /* index of the layer in its chain, from 0 */
} ckpt_strategy_question;

#define CKPT_STRATEGY_QUESTION_INIT \
  { sizeof(ckpt_strategy_question), 0, NULL, NULL, 0, 0, 0, 0 }

/* Answers for one layer. Sets *answer (0 when called) to 1 for yes or 0 for no. A non-zero return stops the operation. Runs on the
 * thread that asks, and on several threads at once; may block; may call any function, but calls of this strategy, or of a composite
 * that contains it and is being asked, return INVALID_STATE at once. */
typedef int32_t (*ckpt_strategy_decide_fn)(const ckpt_strategy_question* question, ckpt_bool* answer, void* user_data);

/* Notifies that the strategy is reset. Runs on the thread that resets, and on several threads at once; a non-zero return fails the
 * reset. May block; may call any function, but calls of this strategy, or of a composite that contains it, return INVALID_STATE at
 * once. */
typedef int32_t (*ckpt_strategy_reset_fn)(void* user_data);

/* Notifies that the activation of a layer was used. layer_name is borrowed for the call. A non-zero return fails the reporting
 * call. May run on several threads at once; may block; may call any function, but calls of this strategy, or of a composite that
 * contains it, return INVALID_STATE at once. */
typedef int32_t (*ckpt_strategy_access_fn)(const char* layer_name, void* user_data);

/* The functions of a custom strategy; all receive the same user_data. */
typedef struct ckpt_strategy_callbacks {
  uint32_t struct_size;           /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;              /* not used: 0 */
  ckpt_strategy_decide_fn decide; /* answers for one layer whether to checkpoint it; must not be NULL */
  ckpt_strategy_reset_fn reset;   /* called when the strategy is reset; may be NULL */
  ckpt_strategy_access_fn access; /* called when the activation of a layer was used; may be NULL */
} ckpt_strategy_callbacks;

#define CKPT_STRATEGY_CALLBACKS_INIT \
  { sizeof(ckpt_strategy_callbacks), 0, NULL, NULL, NULL }

/* Creates a strategy from callbacks of the caller. name: name that ckpt_strategy_get_name returns; NULL for "Custom". callbacks is
 * copied. destroy (may be NULL) runs once, after the last call. A custom strategy that asks itself, directly or through others,
 * fails with INVALID_STATE. */
CKPT_API ckpt_status ckpt_strategy_create_custom(const char* name, const ckpt_strategy_callbacks* callbacks, void* user_data,
                                                 ckpt_destroy_fn destroy, ckpt_strategy** strategy);

/* Creates a strategy of a registered kind. arguments: the text after the kind's name ("" when there is none), borrowed for the
 * call. Passes one reference to the library through *strategy (NULL when called). A non-zero return fails the creation. Runs on the
 * creating thread, and on several at once; may call any function; a kind that creates itself, directly or through others, fails
 * with INVALID_STATE. */
typedef int32_t (*ckpt_strategy_factory_fn)(const char* arguments, ckpt_strategy** strategy, void* user_data);

/* Registers a kind that text can use by name: letters, digits, '-', '_' and '.'. ALREADY_EXISTS for a known kind. destroy runs
 * after ckpt_strategy_unregister. Synchronized. */
CKPT_API ckpt_status ckpt_strategy_register(const char* name, ckpt_strategy_factory_fn factory, void* user_data,
                                            ckpt_destroy_fn destroy);

/* Unregisters a kind; strategies created with it stay valid. NOT_FOUND for any other name. Synchronized. */
CKPT_API ckpt_status ckpt_strategy_unregister(const char* name);

/* Writes the kinds that text can use, separated by ", ": (buffer, capacity, *needed) as in ckpt.h. Synchronized. */
CKPT_API ckpt_status ckpt_strategy_get_known_kinds(char* buffer, int64_t capacity, int64_t* needed);

/* ---- Using --------------------------------------------------------------------------------------------------------------- */

/* Decides whether to checkpoint one layer: *answer receives 1 or 0. layer_name: not blank. activation: only its type and shape are
 * read. layer_index >= 0. Allocates nothing unless a smart strategy is asked about a new layer. CALLBACK if a custom strategy
 * failed. */
CKPT_API ckpt_status ckpt_strategy_should_checkpoint(ckpt_strategy* strategy, const char* layer_name, const ckpt_tensor* activation,
                                                     int64_t layer_index, ckpt_bool* answer);

/* Decides whether to checkpoint one layer as ckpt_strategy_should_checkpoint, without a tensor, from its element type
 * (CKPT_DTYPE_*) and its shape of ndim (0 .. 8) dimensions. */
CKPT_API ckpt_status ckpt_strategy_should_checkpoint_shape(ckpt_strategy* strategy, const char* layer_name, ckpt_dtype dtype,
                                                           const int64_t* shape, int32_t ndim, int64_t layer_index,
                                                           ckpt_bool* answer);

/* Reports that the layer's activation was used. Smart counts it for known layers; composites notify their children. Executors call
 * this; call it if the program runs layers without an executor. */
CKPT_API ckpt_status ckpt_strategy_observe_access(ckpt_strategy* strategy, const char* layer_name);

/* Writes the strategy's name, for example "Interval(2)", "SizeBased(1MB)" or "Any(Smart, Interval(8))": (buffer, capacity, *needed)
 * as in ckpt.h. */
CKPT_API ckpt_status ckpt_strategy_get_name(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed);

/* Resets the strategy to its state after creation, counters included; for a composite its children, too. The meaning of a yes stays
 * as set. */
CKPT_API ckpt_status ckpt_strategy_reset(ckpt_strategy* strategy);

/* Sets *chosen to the meaning of a yes: CKPT_STRATEGY_CHOSEN_RECOMPUTE or CKPT_STRATEGY_CHOSEN_BOUNDARY. */
CKPT_API ckpt_status ckpt_strategy_get_chosen(const ckpt_strategy* strategy, ckpt_strategy_chosen* chosen);

/* Sets the meaning of a yes: CKPT_STRATEGY_CHOSEN_RECOMPUTE, CKPT_STRATEGY_CHOSEN_BOUNDARY, or CKPT_STRATEGY_CHOSEN_DEFAULT for the
 * default of the kind. Existing schedules do not change. */
CKPT_API ckpt_status ckpt_strategy_set_chosen(ckpt_strategy* strategy, ckpt_strategy_chosen chosen);

/* Counters of a strategy since it was created or reset. Failed questions are not counted. */
typedef struct ckpt_strategy_counters {
  uint32_t struct_size;  /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;     /* not used: 0 */
  int64_t asked_layers;  /* number of layers about which it was asked */
  int64_t chosen_layers; /* number of layers that were answered with yes */
  int64_t chosen_bytes;  /* bytes of the activations of these layers; at most INT64_MAX */
} ckpt_strategy_counters;

#define CKPT_STRATEGY_COUNTERS_INIT \
  { sizeof(ckpt_strategy_counters), 0, 0, 0, 0 }

/* Fills *counters with the strategy's counters: a snapshot while other threads ask. */
CKPT_API ckpt_status ckpt_strategy_get_counters(const ckpt_strategy* strategy, ckpt_strategy_counters* counters);

/* ---- Reading the configuration ------------------------------------------------------------------------------------------- */

/* The configuration of a strategy. Numbers that do not apply to its kind are 0. */
typedef struct ckpt_strategy_info {
  uint32_t struct_size;  /* size of this struct in bytes, in the caller's build */
  ckpt_bool has_tracker; /* for memory-aware: 1 when it was created with a tracker, else 0 */
  /* kind of strategy: "interval", "selective", ..., "custom"; static string. A strategy of a registered kind has the kind of the
   * strategy that its factory created */
  const char* kind;
  int64_t interval;        /* for interval: n, where every n-th layer is chosen; for memory-aware: the current n */
  int64_t threshold_bytes; /* for size: activations of at least this many bytes are chosen */
  double max_share;        /* for memory-aware: share of total memory above which more layers are chosen */
  int64_t total_bytes;     /* for memory-aware: total memory in bytes, as set, or the memory that the process may use */
  double large_factor;     /* for smart: a layer with more than this many times the mean bytes is chosen */
  int64_t rare_accesses;   /* for smart: a layer accessed fewer times than this is chosen */
  double late_share;       /* for smart: a layer with an index above this share of the number of known layers is chosen */
  int64_t names_count;     /* for selective: number of names and globs of chosen layers */
  int64_t excluded_count;  /* for selective, size and smart: number of names and globs of excluded layers */
  int64_t rules_count;     /* for first: number of rules */
  int64_t children_count;  /* for any, all, not and first: number of children */
  ckpt_bool has_clock;     /* for memory-aware: 1 when it was created with a clock, else 0 */
  ckpt_bool has_total;     /* for memory-aware: 1 when total_bytes was set, 0 when it was determined from the system */
} ckpt_strategy_info;

#define CKPT_STRATEGY_INFO_INIT \
  { sizeof(ckpt_strategy_info), 0, NULL, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Fills *info with the strategy's configuration. */
CKPT_API ckpt_status ckpt_strategy_get_info(const ckpt_strategy* strategy, ckpt_strategy_info* info);

/* A list of names, globs or rules of a strategy. */
typedef int32_t ckpt_strategy_list;

#define CKPT_STRATEGY_LIST_NAMES 0    /* the names and globs of chosen layers */
#define CKPT_STRATEGY_LIST_EXCLUDED 1 /* the names and globs of excluded layers */
#define CKPT_STRATEGY_LIST_RULES 2    /* the rules of first */

/* Sets *pattern to the name, glob or rule at index (0 .. count - 1 of that list in ckpt_strategy_info; else OUT_OF_RANGE) as it was
 * set; valid as long as the strategy. list: CKPT_STRATEGY_LIST_NAMES, CKPT_STRATEGY_LIST_EXCLUDED or
 * CKPT_STRATEGY_LIST_RULES. */
CKPT_API ckpt_status ckpt_strategy_get_pattern(const ckpt_strategy* strategy, ckpt_strategy_list list, int64_t index,
                                               const char** pattern);

/* Sets *child to a new reference to the child at index (0 .. children_count - 1, else OUT_OF_RANGE), to be released; the last child
 * of first is the fallback. */
CKPT_API ckpt_status ckpt_strategy_get_child(const ckpt_strategy* strategy, int64_t index, ckpt_strategy** child);

/* Writes the text from which ckpt_strategy_create creates an equal strategy: (buffer, capacity, *needed) as in ckpt.h. The text
 * does not contain the meaning of a yes. UNSUPPORTED for objects that text cannot express, which the message names: custom
 * strategies, a tracker and a clock. OUT_OF_RANGE above 16 MiB, which is possible with shared children. */
CKPT_API ckpt_status ckpt_strategy_get_text(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed);

/* Adds a reference to the same strategy. NULL does nothing. */
CKPT_API void ckpt_strategy_retain(ckpt_strategy* strategy);

/* Releases one reference. Allowed inside the strategy's own callbacks. NULL does nothing. */
CKPT_API void ckpt_strategy_release(ckpt_strategy* strategy);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_STRATEGY_H */
