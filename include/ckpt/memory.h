/* memory.h - a tracker that counts what checkpoints hold: live, peak and total bytes, per layer; scopes, limit, events, export.
 *
 * A tracker owns no memory of its user: it is told of allocations and frees. Each is booked in one short critical section, so the
 * peak is the true maximum of the live total and in every snapshot, whatever other threads do,
 *
 *   sum of current_bytes over all layers == current_bytes <= peak_bytes <= total_allocated_bytes,   frees <= allocations.
 *
 * Trackers are synchronised. Layers have names (any UTF-8 that is not blank) and dense numbers: calls that take the number cost a
 * few nanoseconds, calls that end in _named look the name up first. Times are nanoseconds on the tracker's clock as it was last
 * seen, some milliseconds coarse by default; the exact order of things is told by sequence numbers. Times that end in _utc_ns are
 * nanoseconds since 1970-01-01T00:00:00Z by the system's clock, found when they are reported: the system's time then, less what
 * has passed on the tracker's clock. So they follow when the system's clock is set; and with a clock of your own, whose hours may
 * be of any length, they are as far in the past as that clock says.
 */
#ifndef CKPT_MEMORY_H
#define CKPT_MEMORY_H

#include <ckpt/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tracker ------------------------------------------------------------------------------------------------------------- */

/* Counts allocations of checkpoints. Synchronised. In a forked child it goes on with what the parent had counted; where another
 * thread of the parent was inside a call of it at the fork, calls that need what that thread was changing give FORKED, and events
 * that cannot be delivered count as handler failures. No call waits for that thread. With a clock that asks you, calls of the
 * tracker from inside that clock's function give INVALID_STATE. */
typedef struct ckpt_memory_tracker ckpt_memory_tracker;

/* How a tracker is made. */
typedef struct ckpt_memory_tracker_options {
  uint32_t struct_size;
  uint32_t reserved;              /* 0 */
  const ckpt_clock* clock;        /* dates what is recorded; NULL: the system's monotonic clock in its coarse form. Kept alive */
  int64_t peak_granularity_bytes; /* see ckpt_memory_tracker_set_peak_granularity; default 1 */
} ckpt_memory_tracker_options;

#define CKPT_MEMORY_TRACKER_OPTIONS_INIT \
  { sizeof(ckpt_memory_tracker_options), 0, 0, 1 }

/* Sets *options to CKPT_MEMORY_TRACKER_OPTIONS_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *options
 * (CKPT_INIT). NULL does nothing. */
CKPT_API void ckpt_memory_tracker_options_init(ckpt_memory_tracker_options* options, uint32_t size);

/* Makes a tracker that has counted nothing. options may be NULL. */
CKPT_API ckpt_status ckpt_memory_tracker_create(const ckpt_memory_tracker_options* options, ckpt_memory_tracker** tracker);

/* Adds a reference, to be given back with ckpt_memory_tracker_release. */
CKPT_API void ckpt_memory_tracker_retain(ckpt_memory_tracker* tracker);

/* Gives a reference back. With the last one the subscriptions end. Allowed inside an event handler: the call that raised the event
 * still finishes. */
CKPT_API void ckpt_memory_tracker_release(ckpt_memory_tracker* tracker);

/* ---- Layers -------------------------------------------------------------------------------------------------------------- */

/* *layer receives the number of the layer of this name: 0, 1, 2, ... in the order in which names are first given. */
CKPT_API ckpt_status ckpt_memory_tracker_layer(ckpt_memory_tracker* tracker, const char* name, int32_t* layer);

/* Like ckpt_memory_tracker_layer, but NOT_FOUND for a name that was never given. */
CKPT_API ckpt_status ckpt_memory_tracker_find_layer(const ckpt_memory_tracker* tracker, const char* name, int32_t* layer);

/* *name receives the layer's name, which lives as long as the tracker. NOT_FOUND for a number that was never given. */
CKPT_API ckpt_status ckpt_memory_tracker_layer_name(const ckpt_memory_tracker* tracker, int32_t layer, const char** name);

/* ---- Recording ----------------------------------------------------------------------------------------------------------- */

/* Books an allocation of bytes (> 0) by a layer. *allocation names it and is never 0. Errors: INVALID_ARGUMENT (bytes), NOT_FOUND
 * (layer; counted), OUT_OF_RANGE when the total of all allocations would pass INT64_MAX. Allocates memory only when more
 * allocations are live than ever before. Event handlers run before it returns. */
CKPT_API ckpt_status ckpt_memory_tracker_record_allocation(ckpt_memory_tracker* tracker, int32_t layer, int64_t bytes,
                                                           uint64_t* allocation);

/* The same by the layer's name, which need not have been given before. */
CKPT_API ckpt_status ckpt_memory_tracker_record_allocation_named(ckpt_memory_tracker* tracker, const char* name, int64_t bytes,
                                                                 uint64_t* allocation);

/* Like ckpt_memory_tracker_record_allocation, but OVER_BUDGET when the live total would rise above the limit. What is refused is
 * never counted as live, not even for a moment; Stats.refused counts refusals. Without a limit everything fits. */
CKPT_API ckpt_status ckpt_memory_tracker_try_reserve(ckpt_memory_tracker* tracker, int32_t layer, int64_t bytes,
                                                     uint64_t* allocation);

/* The same by name. A name that is new and refused stays unknown. */
CKPT_API ckpt_status ckpt_memory_tracker_try_reserve_named(ckpt_memory_tracker* tracker, const char* name, int64_t bytes,
                                                           uint64_t* allocation);

/* Books the end of an allocation. NOT_FOUND for an id that is not live (never given, or freed already): nothing changes but the
 * count not_found. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation(ckpt_memory_tracker* tracker, uint64_t allocation);

/* Frees all live allocations of a layer in one step; *freed (may be NULL) receives how many. NOT_FOUND, counted, for an unknown
 * layer and for one that has nothing live. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation_layer(ckpt_memory_tracker* tracker, int32_t layer, int64_t* freed);

/* The same by name. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation_named(ckpt_memory_tracker* tracker, const char* name, int64_t* freed);

/* ---- Reading ------------------------------------------------------------------------------------------------------------- */

/* The totals at one moment. */
typedef struct ckpt_memory_stats {
  uint32_t struct_size;
  int32_t layer_count;           /* layers that were ever named */
  int64_t current_bytes;         /* live now */
  int64_t peak_bytes;            /* highest current_bytes since the start or the last reset */
  int64_t total_allocated_bytes; /* of all allocations since then */
  int64_t total_freed_bytes;     /* total_allocated_bytes - current_bytes */
  int64_t live_allocations;
  int64_t allocations;      /* made since then */
  int64_t frees;            /* allocations - live_allocations: a free by name counts each allocation that it frees */
  int64_t average_bytes;    /* current_bytes / live_allocations, rounded down; 0 when none is live */
  int64_t not_found;        /* recording calls refused for an unknown layer or allocation, double frees included */
  int64_t refused;          /* reservations refused by the limit */
  int64_t handler_failures; /* event handlers that returned non-zero */
  int64_t time_ns;          /* when this was true */
  uint64_t sequence;        /* transitions since the tracker was made; not reset */
  int64_t time_utc_ns;      /* time_ns as UTC */
} ckpt_memory_stats;

#define CKPT_MEMORY_STATS_INIT \
  { sizeof(ckpt_memory_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *stats to CKPT_MEMORY_STATS_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *stats (CKPT_INIT). NULL
 * does nothing. */
CKPT_API void ckpt_memory_stats_init(ckpt_memory_stats* stats, uint32_t size);

/* What one layer holds. */
typedef struct ckpt_memory_layer_stats {
  uint32_t struct_size;
  int32_t layer;
  const char* name; /* lives as long as the tracker */
  int64_t current_bytes;
  int64_t peak_bytes; /* of this layer alone */
  int64_t total_allocated_bytes;
  int64_t total_freed_bytes;
  int64_t live_allocations; /* > 0: allocated now */
  int64_t allocations;
  int64_t frees;
  int64_t largest_bytes;         /* largest single allocation */
  int64_t average_bytes;         /* total_allocated_bytes / allocations, rounded down; 0 when there was none */
  int64_t last_allocated_ns;     /* 0: never */
  int64_t last_freed_ns;         /* 0: never */
  int64_t last_allocated_utc_ns; /* 0: never */
  int64_t last_freed_utc_ns;     /* 0: never */
} ckpt_memory_layer_stats;

#define CKPT_MEMORY_LAYER_STATS_INIT \
  { sizeof(ckpt_memory_layer_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *stats to CKPT_MEMORY_LAYER_STATS_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *stats (CKPT_INIT).
 * NULL does nothing. */
CKPT_API void ckpt_memory_layer_stats_init(ckpt_memory_layer_stats* stats, uint32_t size);

/* One live allocation. */
typedef struct ckpt_memory_allocation {
  uint32_t struct_size;
  int32_t layer;
  uint64_t allocation;
  int64_t bytes;
  int64_t age_ns;    /* since it was recorded, as coarse as the clock */
  uint64_t sequence; /* of its recording: lower is older */
} ckpt_memory_allocation;

#define CKPT_MEMORY_ALLOCATION_INIT \
  { sizeof(ckpt_memory_allocation), 0, 0, 0, 0, 0 }

/* Sets *allocation to CKPT_MEMORY_ALLOCATION_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *allocation
 * (CKPT_INIT). NULL does nothing. */
CKPT_API void ckpt_memory_allocation_init(ckpt_memory_allocation* allocation, uint32_t size);

#define CKPT_MEMORY_ORDER_ID 0      /* lowest number first */
#define CKPT_MEMORY_ORDER_CURRENT 1 /* most live bytes first */
#define CKPT_MEMORY_ORDER_PEAK 2    /* highest peak first */

/* Fills *stats with the totals. */
CKPT_API ckpt_status ckpt_memory_tracker_stats(const ckpt_memory_tracker* tracker, ckpt_memory_stats* stats);

/* Fills *stats with a layer's numbers. NOT_FOUND for an unknown layer. */
CKPT_API ckpt_status ckpt_memory_tracker_layer_stats(const ckpt_memory_tracker* tracker, int32_t layer,
                                                     ckpt_memory_layer_stats* stats);

/* The same by name. */
CKPT_API ckpt_status ckpt_memory_tracker_layer_stats_named(const ckpt_memory_tracker* tracker, const char* name,
                                                           ckpt_memory_layer_stats* stats);

/* Totals and layers of the same moment. order: CKPT_MEMORY_ORDER_...; equals by number. stats (may be NULL) receives the totals,
 * layers the first min(capacity, *count) layers in that order, *count how many layers there are. Every element is as large as
 * layers[0].struct_size says. layers may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_memory_tracker_snapshot(const ckpt_memory_tracker* tracker, int32_t order, ckpt_memory_stats* stats,
                                                  ckpt_memory_layer_stats* layers, int64_t capacity, int64_t* count);

/* The live allocations of one moment, oldest first: *count receives how many there are, allocations the first min(capacity,
 * *count). Every element is as large as allocations[0].struct_size says. allocations may be NULL when capacity is 0. Holds
 * recording up for as long as copying 40 bytes for each allocation that was ever live at the same time takes. */
CKPT_API ckpt_status ckpt_memory_tracker_live_allocations(const ckpt_memory_tracker* tracker, ckpt_memory_allocation* allocations,
                                                          int64_t capacity, int64_t* count);

/* What is saved against storing everything, which would take store_all_bytes (>= 0): *saved_bytes = store_all_bytes -
 * current_bytes, negative when more is live; *fraction = *saved_bytes / store_all_bytes, 0 when that is 0. Either may be NULL, not
 * both. */
CKPT_API ckpt_status ckpt_memory_tracker_savings(const ckpt_memory_tracker* tracker, int64_t store_all_bytes, int64_t* saved_bytes,
                                                 double* fraction);

/* Counts from now on as if the live allocations had just been made: total = peak = live bytes, allocations = live allocations,
 * frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence numbers go on. */
CKPT_API ckpt_status ckpt_memory_tracker_reset_stats(ckpt_memory_tracker* tracker);

/* ---- Scopes -------------------------------------------------------------------------------------------------------------- */

/* What happened in a scope: of the whole tracker and all threads, since it was pushed. */
typedef struct ckpt_memory_scope_stats {
  uint32_t struct_size;
  int32_t depth; /* open scopes around it */
  uint64_t scope;
  int64_t start_bytes;           /* live when it was pushed */
  int64_t peak_bytes;            /* highest live total since then; its own rise is peak_bytes - start_bytes */
  int64_t net_bytes;             /* live now - start_bytes; may be negative */
  int64_t total_allocated_bytes; /* allocated since then, a reset notwithstanding; stops at INT64_MAX */
  int64_t pushed_ns;             /* when it was pushed */
  int64_t pushed_utc_ns;         /* the same as UTC */
} ckpt_memory_scope_stats;

#define CKPT_MEMORY_SCOPE_STATS_INIT \
  { sizeof(ckpt_memory_scope_stats), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *stats to CKPT_MEMORY_SCOPE_STATS_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *stats (CKPT_INIT).
 * NULL does nothing. */
CKPT_API void ckpt_memory_scope_stats_init(ckpt_memory_scope_stats* stats, uint32_t size);

/* Opens a scope inside the innermost open one. Names need not be unique. *scope is its id. */
CKPT_API ckpt_status ckpt_memory_tracker_push_scope(ckpt_memory_tracker* tracker, const char* name, uint64_t* scope);

/* Closes the innermost scope; *stats (may be NULL) receives what happened in it. Its peak counts for the scope around it. NOT_FOUND
 * for a scope that is not open, INVALID_STATE when it is not the innermost. */
CKPT_API ckpt_status ckpt_memory_tracker_pop_scope(ckpt_memory_tracker* tracker, uint64_t scope, ckpt_memory_scope_stats* stats);

/* What has happened in an open scope up to now. */
CKPT_API ckpt_status ckpt_memory_tracker_scope_stats(const ckpt_memory_tracker* tracker, uint64_t scope,
                                                     ckpt_memory_scope_stats* stats);

/* ---- Limit --------------------------------------------------------------------------------------------------------------- */

/* Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Recording goes on above it, with an event
 * when the live total rises above it; the next one only after it was below limit_bytes - hysteresis_bytes. With more than
 * limit_bytes live the event comes at once. ckpt_memory_tracker_try_reserve refuses what would pass it. */
CKPT_API ckpt_status ckpt_memory_tracker_set_limit(ckpt_memory_tracker* tracker, int64_t limit_bytes, int64_t hysteresis_bytes);

/* Back to no limit, the default. */
CKPT_API ckpt_status ckpt_memory_tracker_clear_limit(ckpt_memory_tracker* tracker);

/* *limit_bytes receives the limit, 0 when there is none; *hysteresis_bytes (may be NULL) what was set with it. */
CKPT_API ckpt_status ckpt_memory_tracker_limit(const ckpt_memory_tracker* tracker, int64_t* limit_bytes, int64_t* hysteresis_bytes);

/* ---- Events -------------------------------------------------------------------------------------------------------------- */

/* Kinds; a subscription names a sum of them. */
#define CKPT_MEMORY_ALLOCATED 1
#define CKPT_MEMORY_FREED 2
#define CKPT_MEMORY_NEW_PEAK 4
#define CKPT_MEMORY_LIMIT_EXCEEDED 8
#define CKPT_MEMORY_ALL_EVENTS 15

/* One transition, with the values that held right after it. */
typedef struct ckpt_memory_event {
  uint32_t struct_size;
  int32_t kind;        /* one of CKPT_MEMORY_ALLOCATED ... */
  uint64_t sequence;   /* order of transitions; events of one transition share it and come in the order of their kinds */
  uint64_t allocation; /* 0 when a limit was set below the live total */
  int64_t bytes;       /* of the allocation */
  int64_t current_bytes;
  int64_t peak_bytes;
  int64_t limit_bytes; /* 0: no limit */
  int64_t time_ns;
  const char* layer_name; /* lives as long as the tracker; "" when a limit was set below the live total */
  int32_t layer;          /* -1 in that case */
  int32_t reserved;       /* 0 */
  int64_t time_utc_ns;    /* when it was handed to the subscriptions, as UTC */
} ckpt_memory_event;

#define CKPT_MEMORY_EVENT_INIT \
  { sizeof(ckpt_memory_event), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Sets *event to CKPT_MEMORY_EVENT_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *event (CKPT_INIT). NULL
 * does nothing. */
CKPT_API void ckpt_memory_event_init(ckpt_memory_event* event, uint32_t size);

/* Receives one event, borrowed for the call. Runs on the thread whose call caused it, after that call has released every lock and
 * before it returns; several threads may be inside at once, and then events may come out of order: sequence tells. May call any
 * function of the tracker, unsubscribe itself and release the tracker; it is not called for what it does itself. A non-zero return
 * is counted in handler_failures and reaches nobody else. */
typedef int32_t (*ckpt_memory_event_fn)(const ckpt_memory_event* event, void* user_data);

/* Calls fn for every event of these kinds (a sum of CKPT_MEMORY_...) from now on. *subscription is its id. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe(ckpt_memory_tracker* tracker, uint32_t kinds, ckpt_memory_event_fn fn,
                                                   void* user_data, ckpt_destroy_fn destroy, int64_t* subscription);

/* Collects events of these kinds in a queue of capacity (1 .. 2^24) events, to be polled. When it is full, new events are dropped
 * and counted. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe_queue(ckpt_memory_tracker* tracker, uint32_t kinds, int64_t capacity,
                                                         int64_t* subscription);

/* Ends a subscription. Returns when no other thread is still inside its handler; destroy has run then. Called from inside that
 * handler, destroy runs as soon as the handler has returned. NOT_FOUND for an unknown id; INVALID_STATE, and nothing changed, when
 * threads inside handlers, of this tracker or of several, would wait for each other; FORKED, and nothing changed, when the thread
 * inside stayed in the parent of this process. */
CKPT_API ckpt_status ckpt_memory_tracker_unsubscribe(ckpt_memory_tracker* tracker, int64_t subscription);

/* Takes the oldest event of a queue: *got is 1 and *event filled, or *got is 0 and *event left alone when the queue is empty. Never
 * waits. NOT_FOUND for an unknown id, INVALID_STATE for a subscription with a handler. */
CKPT_API ckpt_status ckpt_memory_tracker_poll_event(ckpt_memory_tracker* tracker, int64_t subscription, ckpt_memory_event* event,
                                                    int32_t* got);

/* *dropped receives how many events found this queue full. */
CKPT_API ckpt_status ckpt_memory_tracker_dropped_events(const ckpt_memory_tracker* tracker, int64_t subscription, int64_t* dropped);

/* Switches all events off (0) or on again (1, the default). Accounting goes on; what happened meanwhile is not told later. */
CKPT_API ckpt_status ckpt_memory_tracker_enable_events(ckpt_memory_tracker* tracker, int32_t enabled);

/* Tells of a new peak only when it is at least bytes (> 0) above the last one told; 1, the default, tells every new peak. */
CKPT_API ckpt_status ckpt_memory_tracker_set_peak_granularity(ckpt_memory_tracker* tracker, int64_t bytes);

/* ---- Export -------------------------------------------------------------------------------------------------------------- */

/* A snapshot as one JSON object (docs/memory.md names its members): totals, limit, open scopes, the max_layers layers (-1: all)
 * that hold the most live bytes, and the sum of the others. The text may grow between asking for its length and fetching it: repeat
 * on OUT_OF_RANGE. */
CKPT_API ckpt_status ckpt_memory_tracker_json(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                              int64_t capacity, int64_t* needed);

/* A snapshot in the Prometheus text format 0.0.4: ckpt_memory_current_bytes, ckpt_memory_peak_bytes,
 * ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with the label layer for the first max_layers layers by
 * number (-1: all), so that a layer's series never moves; the others are summed under layer="other".
 * Source: prometheus.io/docs/instrumenting/exposition_formats. */
CKPT_API ckpt_status ckpt_memory_tracker_prometheus(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                    int64_t capacity, int64_t* needed);

/* ---- System -------------------------------------------------------------------------------------------------------------- */

/* Physical memory that this process can have. */
typedef struct ckpt_memory_system {
  uint32_t struct_size;
  uint32_t reserved;       /* 0 */
  int64_t total_bytes;     /* of the machine, at most the cgroup's limit */
  int64_t available_bytes; /* can be had now without swapping, also within the cgroup's limit */
  int64_t machine_bytes;   /* of the machine */
  int64_t limit_bytes;     /* smallest cgroup limit that holds for this process; 0: none */
} ckpt_memory_system;

#define CKPT_MEMORY_SYSTEM_INIT \
  { sizeof(ckpt_memory_system), 0, 0, 0, 0, 0 }

/* Sets *system to CKPT_MEMORY_SYSTEM_INIT, and what is behind it, up to size bytes, to zero. size: sizeof *system (CKPT_INIT). NULL
 * does nothing. */
CKPT_API void ckpt_memory_system_init(ckpt_memory_system* system, uint32_t size);

/* Asks the system, control groups v1 and v2 included: /proc/meminfo, /proc/self/cgroup and the group's files, at each level up to
 * the root. A group's page cache on the inactive list counts as available. UNSUPPORTED when not even the total is known.
 * Sources: proc(5); the kernel's cgroup-v2.rst and cgroup-v1/memory.rst. */
CKPT_API ckpt_status ckpt_memory_probe(ckpt_memory_system* system);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_MEMORY_H */
