/* Calls of a memory tracker by layer names, for tests. */
#ifndef CKPT_TESTS_MEMORY_NAMED_H
#define CKPT_TESTS_MEMORY_NAMED_H

#include <ckpt/memory.h>

static inline ckpt_status record_named(ckpt_memory_tracker* tracker, const char* name, int64_t bytes, uint64_t* allocation) {
  int32_t layer = 0;
  const ckpt_status status = ckpt_memory_tracker_add_layer(tracker, name, &layer);
  return status != CKPT_OK ? status : ckpt_memory_tracker_record_allocation(tracker, layer, bytes, allocation);
}

static inline ckpt_status reserve_named(ckpt_memory_tracker* tracker, const char* name, int64_t bytes, uint64_t* allocation) {
  int32_t layer = 0;
  const ckpt_status status = ckpt_memory_tracker_add_layer(tracker, name, &layer);
  return status != CKPT_OK ? status : ckpt_memory_tracker_try_reserve(tracker, layer, bytes, allocation);
}

static inline ckpt_status free_named(ckpt_memory_tracker* tracker, const char* name, int64_t* freed) {
  int32_t layer = 0;
  const ckpt_status status = ckpt_memory_tracker_find_layer(tracker, name, &layer);
  return status != CKPT_OK ? status : ckpt_memory_tracker_record_deallocation_layer(tracker, layer, freed);
}

static inline ckpt_status stats_named(const ckpt_memory_tracker* tracker, const char* name, ckpt_memory_layer_stats* stats) {
  int32_t layer = 0;
  const ckpt_status status = ckpt_memory_tracker_find_layer(tracker, name, &layer);
  return status != CKPT_OK ? status : ckpt_memory_tracker_get_layer_stats(tracker, layer, stats);
}

#endif
