/* memory.h - a tracker that counts the memory of checkpoints: live, peak and total bytes, per layer; scopes, limit, events, export.
 *
 *   ckpt_memory_tracker *tracker = NULL;
 *   ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
 *   int32_t layer_id = 0;
 *   uint64_t allocation = 0;
 *   ckpt_memory_tracker_create(NULL, &tracker);
 *   ckpt_memory_tracker_add_layer(tracker, "attention", &layer_id);
 *   ckpt_memory_tracker_record_allocation(tracker, layer_id, 4096, &allocation);
 *   ckpt_memory_tracker_record_deallocation(tracker, allocation);
 *   ckpt_memory_tracker_get_stats(tracker, &stats);                       peak_bytes is 4096, current_bytes is 0
 *   ckpt_memory_tracker_release(tracker);
 *
 * A tracker allocates no memory for its user: it only records allocations and frees. Each is recorded in one short critical
 * section, so the peak is the exact maximum of the live total, and in every snapshot, regardless of other threads,
 *
 *   sum of current_bytes over all layers == current_bytes <= peak_bytes <= total_allocated_bytes,   frees <= allocations.
 *
 * Trackers are synchronized. Layers have names (any UTF-8 that is not blank) and dense numbers: calls with a number take a few
 * nanoseconds. ckpt_memory_tracker_add_layer returns the number of a name; the other languages take names and cache the numbers.
 * Times are nanoseconds on the tracker's clock, by default with a resolution of some milliseconds; the sequence numbers give the
 * exact order of events. Fields that end in _utc_ns are nanoseconds since 1970-01-01T00:00:00Z by the system's clock. They are
 * computed when they are reported: the system's time then, minus the time that has passed on the tracker's clock. So they change
 * when the system's clock is set, and with a custom clock they are as far in the past as that clock reports.
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

/* Counts allocations of checkpoints. Synchronized. In a forked child it continues with the counts of the parent. If another thread
 * of the parent was inside one of its calls at the fork, calls that need the data which that thread was changing return FORKED.
 * Events that cannot be delivered then count as handler failures. No call waits for that thread. With a custom clock, calls of the
 * tracker from inside that clock's function return INVALID_STATE. */
typedef struct ckpt_memory_tracker ckpt_memory_tracker;

/* Options for creating a memory tracker. */
typedef struct ckpt_memory_tracker_options {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;    /* not used: 0 */
  /* clock for the times of allocations and frees; NULL: the system's coarse monotonic clock. The tracker keeps it alive */
  const ckpt_clock* clock;
  /* minimum increase, in bytes, of the peak over the last reported one for an event of a new peak, > 0; default 1 */
  int64_t peak_granularity_bytes;
} ckpt_memory_tracker_options;

#define CKPT_MEMORY_TRACKER_OPTIONS_INIT \
  { sizeof(ckpt_memory_tracker_options), 0, 0, 1 }

/* Creates a tracker with all counts 0. options: NULL for the defaults. */
CKPT_API ckpt_status ckpt_memory_tracker_create(const ckpt_memory_tracker_options* options, ckpt_memory_tracker** tracker);

/* Adds a reference; release it with ckpt_memory_tracker_release. NULL does nothing. */
CKPT_API void ckpt_memory_tracker_retain(ckpt_memory_tracker* tracker);

/* Releases one reference to the tracker; releasing the last one ends its subscriptions. Allowed inside an event handler: the call
 * that raised the event still finishes. NULL does nothing. */
CKPT_API void ckpt_memory_tracker_release(ckpt_memory_tracker* tracker);

/* ---- Layers -------------------------------------------------------------------------------------------------------------- */

/* Sets *layer_id to the number of the layer of this name: 0, 1, 2, ... in the order of the first use of names. A new name creates a
 * layer. */
CKPT_API ckpt_status ckpt_memory_tracker_add_layer(ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id);

/* Sets *layer_id to the number of the layer of this name. NOT_FOUND for a name that was never used. */
CKPT_API ckpt_status ckpt_memory_tracker_find_layer(const ckpt_memory_tracker* tracker, const char* name, int32_t* layer_id);

/* Sets *name to the layer's name; valid as long as the tracker. NOT_FOUND for a number without a layer. */
CKPT_API ckpt_status ckpt_memory_tracker_get_layer_name(const ckpt_memory_tracker* tracker, int32_t layer_id, const char** name);

/* ---- Recording ----------------------------------------------------------------------------------------------------------- */

/* Records an allocation of bytes (> 0) by a layer. *allocation identifies it and is never 0. Errors: INVALID_ARGUMENT (bytes),
 * NOT_FOUND (layer; counted), OUT_OF_RANGE when the total of all allocations would exceed INT64_MAX. Allocates memory only when the
 * number of live allocations reaches a new maximum. Event handlers run before it returns. */
CKPT_API ckpt_status ckpt_memory_tracker_record_allocation(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes,
                                                           uint64_t* allocation);

/* Records an allocation of bytes (> 0) by a layer as ckpt_memory_tracker_record_allocation, but OVER_BUDGET when the live total
 * would rise above the limit. A refused reservation is never counted as live, not even briefly; ckpt_memory_stats.refused counts
 * refusals. Without a limit no reservation is refused. */
CKPT_API ckpt_status ckpt_memory_tracker_try_reserve(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t bytes,
                                                     uint64_t* allocation);

/* Records the end of an allocation. NOT_FOUND for an id that is not live (unknown, or freed already): then only the count not_found
 * changes. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation(ckpt_memory_tracker* tracker, uint64_t allocation);

/* Records the end of all live allocations of a layer in one step; *freed (may be NULL) receives their number. NOT_FOUND, counted,
 * for an unknown layer and for a layer without live allocations. */
CKPT_API ckpt_status ckpt_memory_tracker_record_deallocation_layer(ckpt_memory_tracker* tracker, int32_t layer_id, int64_t* freed);

/* ---- Reading ------------------------------------------------------------------------------------------------------------- */

/* The totals of a memory tracker at one moment. */
typedef struct ckpt_memory_stats {
  uint32_t struct_size;          /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;             /* not used: 0 */
  int64_t layer_count;           /* number of layers */
  int64_t current_bytes;         /* bytes live now */
  int64_t peak_bytes;            /* highest live total, in bytes, since creation or reset of the statistics */
  int64_t total_allocated_bytes; /* bytes of all allocations since creation or reset of the statistics */
  /* bytes freed since creation or reset of the statistics: total_allocated_bytes - current_bytes */
  int64_t total_freed_bytes;
  int64_t live_allocations; /* number of allocations live now */
  int64_t allocations;      /* number of allocations since creation or reset of the statistics */
  int64_t frees;            /* allocations - live_allocations: a free by layer counts each allocation that it frees */
  int64_t average_bytes;    /* current_bytes / live_allocations, rounded down; 0 when none is live */
  int64_t not_found;        /* recording calls refused for an unknown layer or allocation, double frees included */
  int64_t refused;          /* reservations refused by the limit */
  int64_t handler_failures; /* event handlers that failed */
  int64_t taken_at_ns;      /* time of the snapshot, in nanoseconds on the tracker's clock */
  uint64_t sequence;        /* number of allocations and frees since the tracker was created; a reset does not change it */
  int64_t taken_utc_ns;     /* time of the snapshot, in nanoseconds since 1970-01-01T00:00:00Z */
} ckpt_memory_stats;

#define CKPT_MEMORY_STATS_INIT \
  { sizeof(ckpt_memory_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* The counts of one layer in a memory tracker. */
typedef struct ckpt_memory_layer_stats {
  uint32_t struct_size;  /* size of this struct in bytes, in the caller's build */
  int32_t layer_id;      /* number of the layer, 0 or more */
  const char* name;      /* name of the layer; valid as long as the tracker */
  int64_t current_bytes; /* bytes of the layer that are live now */
  /* highest number of live bytes of this layer alone, since creation or reset of the statistics */
  int64_t peak_bytes;
  int64_t total_allocated_bytes; /* bytes of all allocations of the layer since creation or reset of the statistics */
  int64_t total_freed_bytes;     /* bytes of the layer freed since creation or reset of the statistics */
  int64_t live_allocations;      /* number of allocations of the layer that are live now */
  int64_t allocations;           /* number of allocations of the layer since creation or reset of the statistics */
  /* number of allocations of the layer freed since creation or reset of the statistics */
  int64_t frees;
  /* bytes of the layer's largest single allocation since creation or reset of the statistics */
  int64_t largest_bytes;
  int64_t average_bytes; /* total_allocated_bytes / allocations, rounded down; 0 when there was none */
  /* when the layer last allocated, in nanoseconds on the tracker's clock; 0 when allocations is 0, but a custom clock can also
   * return 0 */
  int64_t last_allocated_at_ns;
  /* when the layer last freed, in nanoseconds on the tracker's clock; 0 when frees is 0, but a custom clock can also return 0 */
  int64_t last_freed_at_ns;
  int64_t last_allocated_utc_ns; /* when the layer last allocated, in nanoseconds since 1970-01-01T00:00:00Z; 0: never */
  int64_t last_freed_utc_ns;     /* when the layer last freed, in nanoseconds since 1970-01-01T00:00:00Z; 0: never */
} ckpt_memory_layer_stats;

#define CKPT_MEMORY_LAYER_STATS_INIT \
  { sizeof(ckpt_memory_layer_stats), 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }

/* One live allocation of a memory tracker. */
typedef struct ckpt_memory_allocation {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  int32_t layer_id;     /* number of the layer of the allocation */
  uint64_t allocation;  /* id of the allocation, never 0 */
  int64_t bytes;        /* size of the allocation in bytes */
  int64_t age_ns;       /* nanoseconds since the allocation was recorded, with the resolution of the tracker's clock */
  uint64_t sequence;    /* position of its recording in the order of all allocations and frees: lower is older */
} ckpt_memory_allocation;

#define CKPT_MEMORY_ALLOCATION_INIT \
  { sizeof(ckpt_memory_allocation), 0, 0, 0, 0, 0 }

/* The order of layers in a snapshot. */
typedef int32_t ckpt_memory_order;

#define CKPT_MEMORY_ORDER_ID 0      /* layers in the order of their numbers, the lowest first */
#define CKPT_MEMORY_ORDER_CURRENT 1 /* layers in the order of their live bytes, the most first */
#define CKPT_MEMORY_ORDER_PEAK 2    /* layers in the order of their peaks, the highest first */

/* Fills *stats with the tracker's totals. */
CKPT_API ckpt_status ckpt_memory_tracker_get_stats(const ckpt_memory_tracker* tracker, ckpt_memory_stats* stats);

/* Fills *stats with a layer's numbers. NOT_FOUND for an unknown layer. */
CKPT_API ckpt_status ckpt_memory_tracker_get_layer_stats(const ckpt_memory_tracker* tracker, int32_t layer_id,
                                                         ckpt_memory_layer_stats* stats);

/* Reads the totals and the layers in one consistent snapshot. order: CKPT_MEMORY_ORDER_...; ties by number. stats (may be NULL)
 * receives the totals, layers the first min(capacity, *count) layers in that order, *count the number of layers. The size of every
 * element is layers[0].struct_size. layers may be NULL when capacity is 0. */
CKPT_API ckpt_status ckpt_memory_tracker_get_snapshot(const ckpt_memory_tracker* tracker, ckpt_memory_order order,
                                                      ckpt_memory_stats* stats, ckpt_memory_layer_stats* layers, int64_t capacity,
                                                      int64_t* count);

/* Lists the live allocations in one consistent snapshot, oldest first: *count receives how many there are, allocations the first
 * min(capacity, *count). The size of every element is allocations[0].struct_size. allocations may be NULL when capacity is 0.
 * Blocks recording while it copies 40 bytes per allocation, for the highest number of allocations that were ever live at the same
 * time. */
CKPT_API ckpt_status ckpt_memory_tracker_list_allocations(const ckpt_memory_tracker* tracker, ckpt_memory_allocation* allocations,
                                                          int64_t capacity, int64_t* count);

/* Computes the bytes saved compared with storing everything, which would take store_all_bytes (>= 0): *saved_bytes =
 * store_all_bytes - current_bytes, negative if more bytes are live; *fraction = *saved_bytes / store_all_bytes, 0 if
 * store_all_bytes is 0. One of them may be NULL. */
CKPT_API ckpt_status ckpt_memory_tracker_get_savings(const ckpt_memory_tracker* tracker, int64_t store_all_bytes,
                                                     int64_t* saved_bytes, double* fraction);

/* Resets the statistics as if the live allocations had just been recorded: total = peak = live bytes, allocations = live
 * allocations, frees = 0, the same per layer; not_found, refused and handler_failures = 0. Open scopes, the limit and sequence
 * numbers are unchanged. */
CKPT_API ckpt_status ckpt_memory_tracker_reset_stats(ckpt_memory_tracker* tracker);

/* ---- Scopes -------------------------------------------------------------------------------------------------------------- */

/* The counts of a scope of a memory tracker since it was pushed, for all layers and threads. */
typedef struct ckpt_memory_scope_stats {
  uint32_t struct_size; /* size of this struct in bytes, in the caller's build */
  int32_t depth;        /* number of open scopes around it */
  uint64_t scope;       /* id of the scope */
  int64_t start_bytes;  /* bytes that were live when the scope was pushed */
  /* highest live total in bytes since the scope was pushed; the increase within the scope is peak_bytes - start_bytes */
  int64_t peak_bytes;
  int64_t net_bytes; /* bytes live now - start_bytes; may be negative */
  /* bytes allocated since the scope was pushed, unaffected by resets of the statistics; at most INT64_MAX */
  int64_t total_allocated_bytes;
  int64_t pushed_at_ns;  /* when the scope was pushed, in nanoseconds on the tracker's clock */
  int64_t pushed_utc_ns; /* when the scope was pushed, in nanoseconds since 1970-01-01T00:00:00Z */
} ckpt_memory_scope_stats;

#define CKPT_MEMORY_SCOPE_STATS_INIT \
  { sizeof(ckpt_memory_scope_stats), 0, 0, 0, 0, 0, 0, 0, 0 }

/* Opens a scope inside the innermost open one. name: need not be unique. *scope receives its id. */
CKPT_API ckpt_status ckpt_memory_tracker_push_scope(ckpt_memory_tracker* tracker, const char* name, uint64_t* scope);

/* Closes the innermost scope; *stats (may be NULL) receives its counts. Its peak counts for the enclosing scope, too. NOT_FOUND for
 * a scope that is not open, INVALID_STATE when it is not the innermost. */
CKPT_API ckpt_status ckpt_memory_tracker_pop_scope(ckpt_memory_tracker* tracker, uint64_t scope, ckpt_memory_scope_stats* stats);

/* Fills *stats with the current counts of an open scope. NOT_FOUND for a scope that is not open. */
CKPT_API ckpt_status ckpt_memory_tracker_get_scope_stats(const ckpt_memory_tracker* tracker, uint64_t scope,
                                                         ckpt_memory_scope_stats* stats);

/* ---- Limit --------------------------------------------------------------------------------------------------------------- */

/* Sets the limit of the live total: limit_bytes > 0, 0 <= hysteresis_bytes < limit_bytes. Allocations above the limit are still
 * recorded. An event is raised when the live total rises above the limit, and again only after it was below limit_bytes -
 * hysteresis_bytes. If more than limit_bytes are live already, the event is raised at once. ckpt_memory_tracker_try_reserve refuses
 * allocations that would exceed the limit. */
CKPT_API ckpt_status ckpt_memory_tracker_set_limit(ckpt_memory_tracker* tracker, int64_t limit_bytes, int64_t hysteresis_bytes);

/* Removes the limit of the live total; a new tracker has none. */
CKPT_API ckpt_status ckpt_memory_tracker_clear_limit(ckpt_memory_tracker* tracker);

/* Sets *limit_bytes to the limit of the live total, 0 when there is none; *hysteresis_bytes (may be NULL) receives the hysteresis
 * that was set with it. */
CKPT_API ckpt_status ckpt_memory_tracker_get_limit(const ckpt_memory_tracker* tracker, int64_t* limit_bytes,
                                                   int64_t* hysteresis_bytes);

/* ---- Events -------------------------------------------------------------------------------------------------------------- */

/* Kind of an event of a memory tracker. A subscription is for a sum of kinds. */
typedef int32_t ckpt_memory_event_kind;

#define CKPT_MEMORY_EVENT_KIND_ALLOCATED 1      /* an allocation of a layer was recorded */
#define CKPT_MEMORY_EVENT_KIND_FREED 2          /* an allocation was freed */
#define CKPT_MEMORY_EVENT_KIND_NEW_PEAK 4       /* the live total reached a new peak */
#define CKPT_MEMORY_EVENT_KIND_LIMIT_EXCEEDED 8 /* the live total rose above the limit, or a limit was set below it */
#define CKPT_MEMORY_EVENT_KIND_ALL 15           /* the sum of all kinds of events */

/* One event of a memory tracker, with the values right after it. */
typedef struct ckpt_memory_event {
  uint32_t struct_size;        /* size of this struct in bytes, in the caller's build */
  ckpt_memory_event_kind kind; /* kind of the event */
  /* position in the order of all allocations and frees; events of the same allocation or free share it and are delivered in the
   * order of their kinds */
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

/* Receives one event, borrowed for the call. Runs on the thread that caused it, after its call has released every lock and before
 * the call returns. Runs on several threads at once, and events may then arrive out of order: compare their sequence. May call any
 * function of the tracker, unsubscribe itself and release the tracker; it is not called for events that it causes itself. A
 * non-zero return is counted in handler_failures and has no other effect. */
typedef int32_t (*ckpt_memory_event_fn)(const ckpt_memory_event* event, void* user_data);

/* Calls fn for every event of these kinds (a sum of CKPT_MEMORY_EVENT_KIND_ALLOCATED, ...) from now on. *subscription receives its
 * id. destroy (may be NULL) runs once, after the last call. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds,
                                                   ckpt_memory_event_fn fn, void* user_data, ckpt_destroy_fn destroy,
                                                   int64_t* subscription);

/* Collects events of these kinds (a sum of CKPT_MEMORY_EVENT_KIND_ALLOCATED, ...) in a queue of capacity (1 .. 2^24) events, for
 * polling. If it is full, new events are dropped and counted. *subscription receives its id. */
CKPT_API ckpt_status ckpt_memory_tracker_subscribe_queue(ckpt_memory_tracker* tracker, ckpt_memory_event_kind kinds,
                                                         int64_t capacity, int64_t* subscription);

/* Ends a subscription. Returns when no other thread is inside its handler; destroy has run by then. If called from inside that
 * handler, destroy runs as soon as the handler has returned. NOT_FOUND for an unknown id; INVALID_STATE, with nothing changed, if
 * threads inside handlers, of this tracker or of several, would wait for each other; FORKED, with nothing changed, if the thread
 * inside the handler exists only in the parent of this process. */
CKPT_API ckpt_status ckpt_memory_tracker_unsubscribe(ckpt_memory_tracker* tracker, int64_t subscription);

/* Removes the oldest event of a queue: *got is 1 and *event is filled, or *got is 0 and *event is unchanged if the queue is empty.
 * Never waits. NOT_FOUND for an unknown id, INVALID_STATE for a subscription with a handler. */
CKPT_API ckpt_status ckpt_memory_tracker_poll_event(ckpt_memory_tracker* tracker, int64_t subscription, ckpt_memory_event* event,
                                                    ckpt_bool* got);

/* Sets *dropped to the number of events that were dropped because the queue of this subscription was full. */
CKPT_API ckpt_status ckpt_memory_tracker_get_dropped_events(const ckpt_memory_tracker* tracker, int64_t subscription,
                                                            int64_t* dropped);

/* Disables (0) or enables (1) all events. They are enabled in a new tracker. Accounting continues while events are disabled; these
 * events are not reported later. */
CKPT_API ckpt_status ckpt_memory_tracker_enable_events(ckpt_memory_tracker* tracker, ckpt_bool enabled);

/* Sets the minimum increase, in bytes (> 0), of the peak over the last reported one for an event of a new peak; 1 reports every new
 * peak. */
CKPT_API ckpt_status ckpt_memory_tracker_set_peak_granularity(ckpt_memory_tracker* tracker, int64_t bytes);

/* ---- Export -------------------------------------------------------------------------------------------------------------- */

/* Writes a snapshot as one JSON object (docs/reference/memory.md names its members): totals, limit, open scopes, the max_layers
 * layers (0: all) that hold the most live bytes, and the sum of the others; by the (buffer, capacity, *needed) rule of ckpt.h. The
 * text may grow between asking for its length and fetching it: repeat on OUT_OF_RANGE. */
CKPT_API ckpt_status ckpt_memory_tracker_get_json(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                  int64_t capacity, int64_t* needed);

/* Writes a snapshot in the Prometheus text format 0.0.4, by the (buffer, capacity, *needed) rule of ckpt.h:
 * ckpt_memory_current_bytes, ckpt_memory_peak_bytes, ckpt_memory_allocated_bytes_total and so on, and ckpt_memory_layer_... with
 * the label layer for the first max_layers layers by number (0: all), so that the series of a layer never changes; the others are
 * summed under layer="other". Source: prometheus.io/docs/instrumenting/exposition_formats. */
CKPT_API ckpt_status ckpt_memory_tracker_get_prometheus(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                        int64_t capacity, int64_t* needed);

/* ---- System -------------------------------------------------------------------------------------------------------------- */

/* Physical memory available to this process. */
typedef struct ckpt_memory_system {
  uint32_t struct_size;    /* size of this struct in bytes, in the caller's build */
  uint32_t reserved;       /* not used: 0 */
  int64_t total_bytes;     /* physical memory of the machine in bytes, at most the limit of the process's control group */
  int64_t available_bytes; /* bytes that can be allocated now without swapping, also within the control group's limit */
  int64_t machine_bytes;   /* physical memory of the machine in bytes */
  int64_t limit_bytes;     /* smallest control group limit in bytes that applies to this process; 0: none */
} ckpt_memory_system;

#define CKPT_MEMORY_SYSTEM_INIT \
  { sizeof(ckpt_memory_system), 0, 0, 0, 0, 0 }

/* Fills *system with the values of the system, control groups v1 and v2 included: /proc/meminfo, /proc/self/cgroup and the group's
 * files, at each level up to the root. A group's page cache on the inactive list counts as available. UNSUPPORTED if the total is
 * not known. Sources: proc(5); the kernel's cgroup-v2.rst and cgroup-v1/memory.rst. */
CKPT_API ckpt_status ckpt_memory_probe(ckpt_memory_system* system);

#ifdef __cplusplus
}
#endif

#endif /* CKPT_MEMORY_H */
