/* Creates strategies for tests: from text, and with values that text cannot express. */
#ifndef CKPT_TESTS_STRATEGY_GIVEN_H
#define CKPT_TESTS_STRATEGY_GIVEN_H

#include <ckpt/strategy.h>

static inline ckpt_status create_of(const char* text, ckpt_strategy* const* children, int64_t count, ckpt_strategy** strategy) {
  ckpt_strategy_options options = CKPT_STRATEGY_OPTIONS_INIT;
  options.children = children;
  options.children_count = count;
  return ckpt_strategy_create_with_options(text, &options, strategy);
}

static inline ckpt_status create_memory_aware(const char* text, ckpt_memory_tracker* tracker, int64_t total_bytes,
                                              const ckpt_clock* clock, ckpt_strategy** strategy) {
  ckpt_strategy_options options = CKPT_STRATEGY_OPTIONS_INIT;
  options.tracker = tracker;
  options.total_bytes = total_bytes;
  options.clock = clock;
  return ckpt_strategy_create_with_options(text, &options, strategy);
}

#endif
