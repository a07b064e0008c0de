/* memory.h - a tracker that counts what checkpoints hold: live, peak and total bytes, per layer; scopes, limit, events, export.
 *
 * A tracker owns no memory of its user: it records allocations and frees. Each is recorded in one short critical section, so the
 * peak is the true maximum of the live total and in every snapshot, whatever other threads do,
 *
 *   sum of current_bytes over all layers == current_bytes <= peak_bytes <= total_allocated_bytes,   frees <= allocations.
 *
 * Trackers are synchronised. Layers have names (any UTF-8 that is not blank) and dense numbers: calls that take the number cost a
 * few nanoseconds. ckpt_memory_tracker_add_layer returns the number of a name; the other languages take names and keep the numbers.
 * Times are nanoseconds on the tracker's clock as it was last seen, some milliseconds coarse by default; the exact order of things
 * is in the sequence numbers. Times that end in _utc_ns are nanoseconds since 1970-01-01T00:00:00Z by the system's clock, found
 * when they are reported: the system's time then, less what has passed on the tracker's clock. So they follow when the system's
 * clock is set; and with a clock of your own, whose hours may be of any length, they are as far in the past as that clock says.
 *
 * A beginner needs:
 *
 *   ckpt_memory_tracker_create           a tracker
 *   ckpt_memory_tracker_add_layer        the number of a layer
 *   ckpt_memory_tracker_record_allocation, _record_deallocation
 *   ckpt_memory_tracker_get_stats, _get_snapshot
 *   ckpt_memory_tracker_release
 */
#ifndef CKPT_MEMORY_H
#define CKPT_MEMORY_H

#include <ckpt/base.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Tracker ------------------------------------------------------------------------------------------------------------- */

/* Counts allocations of checkpoints. Synchronised. In a forked child it goes on with what the parent had counted; where another
 * thread of the parent was inside a call of it at the fork, calls that need what that thread was changing return FORKED, and events
 * that cannot be delivered count as handler failures. No call waits for that thread. With a custom clock, calls of the tracker from
 * inside that clock's function return INVALID_STATE. */
typedef struct ckpt_memory_tracker ckpt_memory_tracker;

/* How a memory tracker is made. */
typedef struct ckpt_memory_tracker_options {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;    /* not used: 0 */
  /* dates what is recorded; NULL: the system's monotonic clock in its coarse form. The tracker keeps it alive */
  const ckpt_clock* clock;
  /* bytes, above 0: an event of a new peak comes only when the peak is at least this far above the last one reported; default 1 */
  int64_t peak_granularity_bytes;
} ckpt_memory_tracker_options;

#define CKPT_MEMORY_TRACKER_OPTIONS_INIT \
  { sizeof(ckpt_memory_tracker_options), 0, 0, 1 }

/* Creates a tracker that has counted nothing. options: NULL for the defaults. */
CKPT_API ckpt_status ckpt_memory_tracker_create(const ckpt_memory_tracker_options* options, ckpt_memory_tracker** tracker);

/* Adds a reference, to be released with ckpt_memory_tracker_release. NULL does nothing. */
CKPT_API void ckpt_memory_tracker_retain(ckpt_memory_tracker* tracker);

/* Releases one reference to the tracker; with the last one its subscriptions end. Allowed inside an event handler: the call that
 * raised the event still finishes. NULL does nothing. */
CKPT_API void ckpt_memory_tracker_release(ckpt_memory_tracker* tracker);

/* ---- Layers -------------------------------------------------------------------------------------------------------------- */

/* Sets *layer_id to the number of the layer of this name: 0, 1, 2, ... in the order in which names are first used. A new name
 * becomes a new layer. */
CKPT_API ckpt_status ckpt_memory_tracker_add_layer(ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id);

/* Sets *layer_id to the number of the layer of this name. NOT_FOUND for a name that was never used. */
CKPT_API ckpt_status ckpt_memory_tracker_find_layer(const ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id);

/* Sets *name to the layer's name, which lives as long as the tracker. NOT_FOUND for a number that no layer has. */
CKPT_API ckpt_status ckpt_memory_tracker_get_layer_name(const ckpt_memory_tracker* tracker, int32_t layer_id, const char** name);

/* ---- Recording ----------------------------------------------------------------------------------------------------------- */

/* Records an allocation of bytes (> 0) by a layer. *allocation identifies it and is never 0. Errors: INVALID_ARGUMENT (bytes),
 * NOT_FOUND (layer; counted), OUT_OF_RANGE when the total of all allocations would pass INT64_MAX. Allocates memory only when more
 * allocations are live than ever before. Event handlers run before it returns. */
CKPT_API ckpt_status ckpt_memory_tracker_record_allocation(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes,
                                                           uint64_t* allocation);

/* Records an allocation of bytes (> 0) by a layer as ckpt_memory_tracker_record_allocation, but OVER_BUDGET when the live total
 * would rise above the limit. What is refused is never counted as live, not even for a moment; ckpt_memory_stats.refused counts
 * refusals. Without a limit everything fits. */
CKPT_API ckpt_status ckpt_memory_tracker_try_reserve(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes,
                                                     uint64_t* allocation);

/* Records the end of an allocation. NOT_FOUND for an id that is not live (unknown, or freed already): nothing changes but the count
 * not_found. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation(ckpt_memory_tracker* tracker, uint64_t allocation);

/* Records the end of all live allocations of a layer in one step; *freed (may be NULL) receives how many. NOT_FOUND, counted, for
 * an unknown layer and for one that has nothing live. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation_layer(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t* freed);

/* ---- Reading ------------------------------------------------------------------------------------------------------------- */

/* The totals of a memory tracker at one moment. */
typedef struct ckpt_memory_stats {
  uint32_t struct_size;          /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;             /* not used: 0 */
  int64_t layer_count;           /* number of layers that were ever named */
  int64_t current_bytes;         /* bytes live now */
  int64_t peak_bytes;            /* highest live total in bytes since the tracker was made or its statistics were reset */
  int64_t total_allocated_bytes; /* bytes of all allocations since the tracker was made or its statistics were reset */
  /* bytes freed since the tracker was made or its statistics were reset: total_allocated_bytes - current_bytes */
  int64_t total_freed_bytes;
  int64_t live_allocations; /* number of allocations live now */
  int64_t allocations;      /* number of allocations since the tracker was made or its statistics were reset */
  int64_t frees;            /* allocations - live_allocations: a free by layer counts each allocation that it frees */
  int64_t average_bytes;    /* current_bytes / live_allocations, rounded down; 0 when none is live */
  int64_t not_found;        /* recording calls refused for an unknown layer or allocation, double frees included */
  int64_t refused;          /* reservations refused by the limit */
  int64_t handler_failures; /* event handlers that failed */
  int64_t taken_at_ns;      /* when this was true, in nanoseconds on the tracker's clock */
  uint64_t sequence;        /* number of allocations and frees since the tracker was made; a reset leaves it alone */
  int64_t taken_utc_ns;     /* when this was true, in nanoseconds since 1970-01-01T00:00:00Z */
} ckpt_memory_stats;

#define CKPT_MEMORY_STATS_INIT \
  { sizeof(ckpt_memory_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* What a memory tracker counted for one layer. */
typedef struct ckpt_memory_layer_stats {
  uint32_t struct_size;  /* size of this struct in bytes, as the caller was compiled */
  int32_t layer_id;      /* number of the layer, 0 or more */
  const char* name;      /* name of the layer; valid as long as the tracker */
  int64_t current_bytes; /* bytes of the layer that are live now */
  /* highest number of live bytes of this layer alone, since the tracker was made or its statistics were reset */
  int64_t peak_bytes;
  int64_t total_allocated_bytes; /* bytes of all allocations of the layer since the tracker was made or its statistics were reset */
  int64_t total_freed_bytes;     /* bytes of the layer freed since the tracker was made or its statistics were reset */
  int64_t live_allocations;      /* number of allocations of the layer that are live now */
  int64_t allocations;           /* number of allocations of the layer since the tracker was made or its statistics were reset */
  /* number of allocations of the layer freed since the tracker was made or its statistics were reset */
  int64_t frees;
  /* bytes of the layer's largest single allocation since the tracker was made or its statistics were reset */
  int64_t largest_bytes;
  int64_t average_bytes; /* total_allocated_bytes / allocations, rounded down; 0 when there was none */
  /* when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but also a time that a custom
   * clock can return */
  int64_t last_allocated_at_ns;
  /* when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but also a time that a custom clock can
   * return */
  int64_t last_freed_at_ns;
  int64_t last_allocated_utc_ns; /* when the layer last allocated, in nanoseconds since 1970-01-01T00:00:00Z; 0: never */
  int64_t last_freed_utc_ns;     /* when the layer last freed, in nanoseconds since 1970-01-01T00:00:00Z; 0: never */
} ckpt_memory_layer_stats;

#define CKPT_MEMORY_LAYER_STATS_INIT \
  { sizeof(ckpt_memory_layer_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* One live allocation of a memory tracker. */
typedef struct ckpt_memory_allocation {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  int32_t layer_id;     /* number of the layer that made the allocation */
  uint64_t allocation;  /* id of the allocation, never 0 */
  int64_t bytes;        /* size of the allocation in bytes */
  int64_t age_ns;       /* nanoseconds since the allocation was recorded, as coarse as the tracker's clock */
  uint64_t sequence;    /* place of its recording in the order of all allocations and frees: lower is older */
} ckpt_memory_allocation;

#define CKPT_MEMORY_ALLOCATION_INIT \
  { sizeof(ckpt_memory_allocation), 0, 0, 0, 0, 0 }

/* In which order layers come. */
typedef int32_t ckpt_memory_order;

#define CKPT_MEMORY_ORDER_ID 0      /* layers in the order of their numbers, the lowest first */
#define CKPT_MEMORY_ORDER_CURRENT 1 /* layers in the order of their live bytes, the most first */
#define CKPT_MEMORY_ORDER_PEAK 2    /* layers in the order of their peaks, the highest first */

/* Fills *stats with the tracker's totals. */
CKPT_API ckpt_status ckpt_memory_tracker_get_stats(const ckpt_memory_tracker* tracker, ckpt_memory_stats* stats);

/* Fills *stats with a layer's numbers. NOT_FOUND for an unknown layer. */
CKPT_API ckpt_status ckpt_memory_tracker_get_layer_stats(const ckpt_memory_tracker* tracker, int32_t layer_id,
                                                         ckpt_memory_layer_stats* stats);

/* Totals and layers of the same moment. order: CKPT_MEMORY_ORDER_...; equals by number. stats (may be NULL) receives the totals,
 * layers the first min(capacity, *count) layers in that order, *count how many layers there are. Every element is as large as
 * layers[0].struct_size says. layers may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_memory_tracker_get_snapshot(const ckpt_memory_tracker* tracker, ckpt_memory_order order,
                                                      ckpt_memory_stats* stats, ckpt_memory_layer_stats* layers, int64_t capacity,
                                                      int64_t* count);

/* The live allocations of one moment, oldest first: *count receives how many there are, allocations the first min(capacity,
 * *count). Every element is as large as allocations[0].struct_size says. allocations may be NULL when capacity is 0. Holds
 * recording up for as long as copying 40 bytes for each allocation that was ever live at the same time takes. */
CKPT_API ckpt_status ckpt_memory_tracker_list_allocations(const ckpt_memory_tracker* tracker, ckpt_memory_allocation* allocations,
                                                          int64_t capacity, int64_t* count);

/* What is saved against storing everything, which would take store_all_bytes (>= 0): *saved_bytes = store_all_bytes -
 * current_bytes, negative when more is live; *fraction = *saved_bytes / store_all_bytes, 0 when that is 0. Either may be NULL, not
 * both. */
CKPT_API ckpt_status ckpt_memory_tracker_get_savings(const ckpt_memory_tracker* tracker, int64_t store_all_bytes,
                                                     int64_t* saved_bytes, double* fraction);

/* Restarts the statistics as if the live allocations had just been made: total = peak = live bytes, allocations = live allocations,
 * frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence numbers go on. */
CKPT_API ckpt_status ckpt_memory_tracker_reset_stats(ckpt_memory_tracker* tracker);

/* ---- Scopes -------------------------------------------------------------------------------------------------------------- */

/* What happened in a scope of a memory tracker since it was pushed, in all layers and threads. */
typedef struct ckpt_memory_scope_stats {
  uint32_t struct_size; /* size of this struct in bytes, as the caller was compiled */
  int32_t depth;        /* number of open scopes around it */
  uint64_t scope;       /* id of the scope */
  int64_t start_bytes;  /* bytes that were live when the scope was pushed */
  /* highest live total in bytes since the scope was pushed; its own rise is peak_bytes - start_bytes */
  int64_t peak_bytes;
  int64_t net_bytes; /* bytes live now - start_bytes; may be negative */
  /* bytes allocated since the scope was pushed, resets of the statistics notwithstanding; at most INT64_MAX */
  int64_t total_allocated_bytes;
  int64_t pushed_at_ns;  /* when the scope was pushed, in nanoseconds on the tracker's clock */
  int64_t pushed_utc_ns; /* when the scope was pushed, in nanoseconds since 1970-01-01T00:00:00Z */
} ckpt_memory_scope_stats;

#define CKPT_MEMORY_SCOPE_STATS_INIT \
  { sizeof(ckpt_memory_scope_stats), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Opens a scope inside the innermost open one. name: need not be unique. *scope receives its id. */
CKPT_API ckpt_status ckpt_memory_tracker_push_scope(ckpt_memory_tracker* tracker, const char* name, uint64_t* scope);

/* Closes the innermost scope; *stats (may be NULL) receives what happened in it. Its peak counts for the scope around it. NOT_FOUND
 * for a scope that is not open, INVALID_STATE when it is not the innermost. */
CKPT_API ckpt_status ckpt_memory_tracker_pop_scope(ckpt_memory_tracker* tracker, uint64_t scope, ckpt_memory_scope_stats* stats);

/* Fills *stats with what has happened in an open scope up to now. NOT_FOUND for a scope that is not open. */
CKPT_API ckpt_status ckpt_memory_tracker_get_scope_stats(const ckpt_memory_tracker* tracker, uint64_t scope,
                                                         ckpt_memory_scope_stats* stats);

/* ---- Limit --------------------------------------------------------------------------------------------------------------- */

/* Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Recording goes on above it, with an event
 * when the live total rises above it; the next one only after it was below limit_bytes - hysteresis_bytes. With more than
 * limit_bytes live the event comes at once. ckpt_memory_tracker_try_reserve refuses what would pass it. */
CKPT_API ckpt_status ckpt_memory_tracker_set_limit(ckpt_memory_tracker* tracker, int64_t limit_bytes, int64_t hysteresis_bytes);

/* Removes the limit of the live total; a new tracker has none. */
CKPT_API ckpt_status ckpt_memory_tracker_clear_limit(ckpt_memory_tracker* tracker);

/* Sets *limit_bytes to the limit of the live total, 0 when there is none; *hysteresis_bytes (may be NULL) the hysteresis that was
 * set with it. */
CKPT_API ckpt_status ckpt_memory_tracker_get_limit(const ckpt_memory_tracker* tracker, int64_t* limit_bytes,
                                                   int64_t* hysteresis_bytes);

/* ---- Events -------------------------------------------------------------------------------------------------------------- */

/* Kind of an event of a memory tracker. A subscription names a sum of them. */
typedef int32_t ckpt_memory_event_kind;

#define CKPT_MEMORY_EVENT_KIND_ALLOCATED 1      /* a layer made an allocation */
#define CKPT_MEMORY_EVENT_KIND_FREED 2          /* an allocation was freed */
#define CKPT_MEMORY_EVENT_KIND_NEW_PEAK 4       /* the live total reached a new peak */
#define CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED 8 /* the live total rose above the limit, or a limit was set below it */
#define CKPT_MEMORY_EVENT_KIND_ALL 15           /* the sum of all kinds of events */

/* One event of a memory tracker, with the values that held right after it. */
typedef struct ckpt_memory_event {
  uint32_t struct_size;        /* size of this struct in bytes, as the caller was compiled */
  ckpt_memory_event_kind kind; /* what happened */
  /* place in the order of all allocations and frees; events of one share it and come in the order of their kinds */
  uint64_t sequence;
  uint64_t allocation;     /* id of the allocation; 0 when a limit was set below the live total */
  int64_t bytes;           /* size of the allocation in bytes */
  int64_t current_bytes;   /* bytes live right after the event */
  int64_t peak_bytes;      /* highest live total in bytes right after the event */
  int64_t limit_bytes;     /* limit of the live total in bytes; 0: no limit */
  int64_t occurred_at_ns;  /* when it happened, in nanoseconds on the tracker's clock */
  const char* layer_name;  /* name of the layer; valid as long as the tracker; empty when a limit was set below the live total */
  int32_t layer_id;        /* id of the layer; 0 where has_layer is no */
  ckpt_bool has_layer;     /* whether a layer caused it: no when a limit was set below the live total */
  int64_t occurred_utc_ns; /* when it was delivered to the subscriptions, in nanoseconds since 1970-01-01T00:00:00Z */
} ckpt_memory_event;

#define CKPT_MEMORY_EVENT_INIT \
  { sizeof(ckpt_memory_event), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* Receives one event, borrowed for the call. Runs on the thread whose call caused it, after that call has released every lock and
 * before it returns; several threads may be inside at once, and then events may come out of order: their sequence shows it. May
 * call any function of the tracker, unsubscribe itself and release the tracker; it is not called for what it does itself. A
 * non-zero return is counted in handler_failures and has no other effect. */
typedef int32_t (*ckpt_memory_event_fn)(const ckpt_memory_event* event, void* user_data);

/* Calls fn for every event of these kinds (a sum of CKPT_MEMORY_EVENT_KIND_ALLOCATED, ...) from now on. *subscription receives its
 * id. destroy (may be NULL) runs once, after the last call. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds,
                                                   ckpt_memory_event_fn fn, void* user_data, ckpt_destroy_fn destroy,
                                                   int64_t* subscription);

/* Collects events of these kinds (a sum of CKPT_MEMORY_EVENT_KIND_ALLOCATED, ...) in a queue of capacity (1 .. 2^24) events, to be
 * polled. When it is full, new events are dropped and counted. *subscription receives its id. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe_queue(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds,
                                                         int64_t capacity, int64_t* subscription);

/* Ends a subscription. Returns when no other thread is still inside its handler; destroy has run then. Called from inside that
 * handler, destroy runs as soon as the handler has returned. NOT_FOUND for an unknown id; INVALID_STATE, and nothing changed, when
 * threads inside handlers, of this tracker or of several, would wait for each other; FORKED, and nothing changed, when the thread
 * inside stayed in the parent of this process. */
CKPT_API ckpt_status ckpt_memory_tracker_unsubscribe(ckpt_memory_tracker* tracker, int64_t subscription);

/* Takes the oldest event of a queue: *got is 1 and *event filled, or *got is 0 and *event left alone when the queue is empty. Never
 * waits. NOT_FOUND for an unknown id, INVALID_STATE for a subscription with a handler. */
CKPT_API ckpt_status ckpt_memory_tracker_poll_event(ckpt_memory_tracker* tracker, int64_t subscription, ckpt_memory_event* event,
                                                    ckpt_bool* got);

/* Sets *dropped to how many events were dropped because the queue of this subscription was full. */
CKPT_API ckpt_status ckpt_memory_tracker_get_dropped_events(const ckpt_memory_tracker* tracker, int64_t subscription,
                                                            int64_t* dropped);

/* Switches all events off (0) or on again (1). A new tracker has them on. Accounting goes on; what happened meanwhile is not
 * reported later. */
CKPT_API ckpt_status ckpt_memory_tracker_enable_events(ckpt_memory_tracker* tracker, ckpt_bool enabled);

/* Reports a new peak only when it is at least bytes (> 0) above the last one reported; 1 reports every new peak. */
CKPT_API ckpt_status ckpt_memory_tracker_set_peak_granularity(ckpt_memory_tracker* tracker, int64_t bytes);

/* ---- Export -------------------------------------------------------------------------------------------------------------- */

/* Writes a snapshot as one JSON object (docs/reference/memory.md names its members): totals, limit, open scopes, the max_layers
 * layers (0: all) that hold the most live bytes, and the sum of the others; by the (buffer, capacity, *needed) rule of ckpt.h. The
 * text may grow between asking for its length and fetching it: repeat on OUT_OF_RANGE. */
CKPT_API ckpt_status ckpt_memory_tracker_get_json(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                  int64_t capacity, int64_t* needed);

/* Writes a snapshot in the Prometheus text format 0.0.4, by the (buffer, capacity, *needed) rule of ckpt.h:
 * ckpt_memory_current_bytes, ckpt_memory_peak_bytes, ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with
 * the label layer for the first max_layers layers by number (0: all), so that a layer's series never moves; the others are summed
 * under layer="other".
 * Source: prometheus.io/docs/instrumenting/exposition_formats. */
CKPT_API ckpt_status ckpt_memory_tracker_get_prometheus(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                        int64_t capacity, int64_t* needed);

/* ---- System -------------------------------------------------------------------------------------------------------------- */

/* Physical memory that this process can have. */
typedef struct ckpt_memory_system {
  uint32_t struct_size;    /* size of this struct in bytes, as the caller was compiled */
  uint32_t reserved;       /* not used: 0 */
  int64_t total_bytes;     /* physical memory of the machine in bytes, at most the limit of the process's control group */
  int64_t available_bytes; /* bytes that can be allocated now without swapping, also within the control group's limit */
  int64_t machine_bytes;   /* physical memory of the machine in bytes */
  int64_t limit_bytes;     /* smallest control group limit in bytes that holds for this process; 0: none */
} ckpt_memory_system;

#define CKPT_MEMORY_SYSTEM_INIT \
  { sizeof(ckpt_memory_system), 0, 0, 0, 0, 0 }

/* Fills *system with what the system reports, control groups v1 and v2 included: /proc/meminfo, /proc/self/cgroup and the group's
 * files, at each level up to the root. A group's page cache on the inactive list counts as available. UNSUPPORTED when not even the
 * total is known.
 * Sources: proc(5); the kernel's cgroup-v2.rst and cgroup-v1/memory.rst. */
CKPT_API ckpt_status ckpt_memory_probe(ckpt_memory_system* system);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_MEMORY_H */
