// calls.hpp - replacements of C functions that cannot be called directly from other languages: they take arrays in structs,
// functions, or structs that languages have as arrays. The replacements have the names of the C functions.
#ifndef CKPT_SWIG_CALLS_HPP
#define CKPT_SWIG_CALLS_HPP

#include <ckpt/ckpt.h>

#include <vector>

#include "generated/calls.hpp"

namespace ckpt_swig {

struct Actions {
  std::vector<ckpt_schedule_action> list;
};

inline Actions cursor_next(ckpt_cursor* cursor) {
  ckpt_schedule_action action{};
  check(ckpt_cursor_next(cursor, &action));
  return Actions{{action}};
}

inline Actions cursor_next_many(ckpt_cursor* cursor, int64_t capacity) {
  if (capacity > 1048576) capacity = 1048576;
  Actions actions;
  actions.list.resize(static_cast<std::size_t>(capacity < 1 ? 1 : capacity));  // the library refuses less than 1
  int64_t count = 0;
  check(ckpt_cursor_next_many(cursor, actions.list.data(), capacity, &count));
  actions.list.resize(static_cast<std::size_t>(count));
  return actions;
}

// Functions of a BLAS by their addresses, which stay valid until the process ends.
inline ckpt_status blas_set(int64_t sgemm, int64_t dgemm, ckpt_bool concurrent, const char* name) {
  ckpt_blas blas = CKPT_BLAS_INIT;
  blas.sgemm = reinterpret_cast<ckpt_sgemm_fn>(static_cast<intptr_t>(sgemm));
  blas.dgemm = reinterpret_cast<ckpt_dgemm_fn>(static_cast<intptr_t>(dgemm));
  blas.concurrent = concurrent;
  blas.name = name;
  return ckpt_blas_set(&blas);
}

#ifndef SWIG
// Sets received to NULL, which the library refuses, unless it has room for the bytes of all ranks.
inline ckpt_status check_room(ckpt_coordinator* coordinator, int64_t bytes, int64_t received_bytes, void** received) {
  int64_t world_size = 0;
  const ckpt_status status = ckpt_coordinator_get_world_size(coordinator, &world_size);
  if (status == CKPT_OK && bytes != 0 && (received_bytes % bytes != 0 || received_bytes / bytes != world_size)) *received = nullptr;
  return status;
}
#endif

inline ckpt_status coordinator_all_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t timeout_ns,
                                          void* received, int64_t received_bytes) {
  const ckpt_status status = check_room(coordinator, bytes, received_bytes, &received);
  return status == CKPT_OK ? ckpt_coordinator_all_gather(coordinator, sent, bytes, timeout_ns, received) : status;
}

// Requires room at the root only.
inline ckpt_status coordinator_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t root,
                                      int64_t timeout_ns, void* received, int64_t received_bytes) {
  const ckpt_status status = check_room(coordinator, bytes, received_bytes, &received);
  return status == CKPT_OK ? ckpt_coordinator_gather(coordinator, sent, bytes, root, timeout_ns, received) : status;
}

// children: the member of the options, which other languages pass as an argument.
inline ckpt_status strategy_create_with_options(const char* text, const ckpt_strategy_options* options,
                                                ckpt_strategy* const* children, int64_t children_count, ckpt_strategy** strategy) {
  ckpt_strategy_options given = CKPT_STRATEGY_OPTIONS_INIT;
  if (options != nullptr) given = *options;
  given.children = children;
  given.children_count = children_count;
  return ckpt_strategy_create_with_options(text, &given, strategy);
}

// failed: none (all gaps ended in a failure), or one per gap; the library refuses another number.
inline ckpt_status weibull_fit(const double* gap_seconds, int64_t gap_count, const ckpt_bool* failed, int64_t failed_count,
                               double* weibull_shape, double* scale_seconds) {
  const bool fits = failed_count == 0 || failed_count == gap_count;
  return ckpt_weibull_fit(gap_seconds, failed_count == 0 ? nullptr : failed, fits ? gap_count : -1, weibull_shape, scale_seconds);
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_CALLS_HPP
