// calls.hpp - C functions whose shape does not cross into other languages by itself: texts written into a buffer, arrays of
// structs, structs full of arrays. Functions bear the names of the C functions that they stand for.
#ifndef CKPT_SWIG_CALLS_HPP
#define CKPT_SWIG_CALLS_HPP

#include <ckpt/ckpt.h>

#include <string>
#include <vector>

#include "callbacks.hpp"

namespace ckpt_swig {

// A failed call, for functions that return what they fetched; its text is ckpt_last_error of the thread.
struct StatusError {
  ckpt_status status;
};

struct ByteString {
  std::string bytes;
};
struct Actions {
  std::vector<ckpt_schedule_action> list;
};
struct Integers {
  std::vector<int64_t> list;
};
struct Numbers {
  std::vector<double> list;
};
struct LayerStatsList {
  std::vector<ckpt_memory_layer_stats> list;
};
struct AllocationList {
  std::vector<ckpt_memory_allocation> list;
};
struct FrontierPointList {
  std::vector<ckpt_frontier_point> list;
};
struct ProgramBuffers {
  std::vector<ckpt_program_buffer> list;
};
struct ProgramOperations {
  std::vector<ckpt_program_operation> list;
};
struct CheckpointInfoList {
  std::vector<ckpt_checkpoint_info> list;
};
struct TaskObservationList {
  std::vector<ckpt_task_observation> list;
};

#ifndef SWIG
inline void check(ckpt_status status) {
  if (status != CKPT_OK) throw StatusError{status};
}

// The (buffer, capacity, *needed) rule of ckpt.h; the text may grow between the calls. expected: so many bytes have room at once,
// where to ask is expensive.
template <class Call>
std::string text_of(const Call& call, int64_t expected = 0) {
  int64_t needed = expected;
  if (expected == 0) check(call(nullptr, 0, &needed));
  for (;;) {
    std::string text(static_cast<std::size_t>(needed) + 1, '\0');
    const ckpt_status status = call(text.data(), needed + 1, &needed);
    if (status == CKPT_E_OUT_OF_RANGE && needed + 1 > static_cast<int64_t>(text.size())) continue;
    check(status);
    text.resize(static_cast<std::size_t>(needed));
    return text;
  }
}

// Arrays of which the function reports the number of elements. expected: so many have room at once, where to ask is expensive.
template <class Element, class Call>
std::vector<Element> list_of(const Element& empty, const Call& call, int64_t expected = 0) {
  int64_t count = expected;
  if (expected == 0) check(call(nullptr, 0, &count));
  for (;;) {
    std::vector<Element> list(static_cast<std::size_t>(count) + 8, empty);
    check(call(list.data(), static_cast<int64_t>(list.size()), &count));
    if (count > static_cast<int64_t>(list.size())) continue;
    list.resize(static_cast<std::size_t>(count));
    return list;
  }
}

// In an object store each question is requests: most answers have room at once.
constexpr int64_t usual_checkpoints = 64;
constexpr int64_t usual_manifest_bytes = 65536;
#endif

inline std::string blas_get_info() {
  return text_of([](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_blas_get_info(buffer, capacity, needed); });
}
inline std::string memory_tracker_get_json(const ckpt_memory_tracker* tracker, int64_t max_layers) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_memory_tracker_get_json(tracker, max_layers, buffer, capacity, needed);
  });
}
inline std::string memory_tracker_get_prometheus(const ckpt_memory_tracker* tracker, int64_t max_layers) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_memory_tracker_get_prometheus(tracker, max_layers, buffer, capacity, needed);
  });
}
inline std::string strategy_get_known_kinds() {
  return text_of(
      [](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_strategy_get_known_kinds(buffer, capacity, needed); });
}
inline std::string schedule_get_known_planners() {
  return text_of(
      [](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_schedule_get_known_planners(buffer, capacity, needed); });
}
inline std::string layer_get_known_kinds() {
  return text_of(
      [](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_layer_get_known_kinds(buffer, capacity, needed); });
}
inline std::string strategy_get_name(const ckpt_strategy* strategy) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_strategy_get_name(strategy, buffer, capacity, needed); });
}
inline std::string strategy_get_text(const ckpt_strategy* strategy) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_strategy_get_text(strategy, buffer, capacity, needed); });
}
inline std::string state_get_json(const ckpt_state* state, const char* key) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_state_get_json(state, key, buffer, capacity, needed); });
}
inline std::string state_get_key(const ckpt_state* state, int64_t index) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_state_get_key(state, index, buffer, capacity, needed); });
}
inline std::string state_get_load_report(const ckpt_state* state) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_state_get_load_report(state, buffer, capacity, needed); });
}
inline std::string checkpoint_manager_get_manifest(ckpt_checkpoint_manager* manager, const char* name) {
  return text_of([&](char* buffer, int64_t capacity,
                     int64_t* needed) { return ckpt_checkpoint_manager_get_manifest(manager, name, buffer, capacity, needed); },
                 usual_manifest_bytes);
}
inline std::string checkpoint_manager_get_rank_values(ckpt_checkpoint_manager* manager, const char* name, int64_t rank) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_checkpoint_manager_get_rank_values(manager, name, rank, buffer, capacity, needed);
  });
}

inline std::string tree_get_text(const ckpt_tree* tree) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_tree_get_text(tree, buffer, capacity, needed); });
}

inline CheckpointInfoList checkpoint_manager_list(ckpt_checkpoint_manager* manager) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return CheckpointInfoList{list_of(
      empty,
      [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
        return ckpt_checkpoint_manager_list(manager, infos, capacity, count);
      },
      usual_checkpoints)};
}

inline CheckpointInfoList checkpoint_manager_prune(ckpt_checkpoint_manager* manager, const char* keep_rules, ckpt_bool dry_run) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return CheckpointInfoList{list_of(
      empty,
      [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
        return ckpt_checkpoint_manager_prune(manager, keep_rules, dry_run, infos, capacity, count);
      },
      usual_checkpoints)};
}

inline CheckpointInfoList checkpoint_manager_prune_abandoned(ckpt_checkpoint_manager* manager, ckpt_bool dry_run) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return CheckpointInfoList{list_of(
      empty,
      [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
        return ckpt_checkpoint_manager_prune_abandoned(manager, dry_run, infos, capacity, count);
      },
      usual_checkpoints)};
}

inline ByteString cursor_save(const ckpt_cursor* cursor) {
  int64_t needed = 0;
  check(ckpt_cursor_save(cursor, nullptr, 0, &needed));
  std::string bytes(static_cast<std::size_t>(needed), '\0');
  check(ckpt_cursor_save(cursor, bytes.data(), needed, &needed));
  return ByteString{bytes};
}

inline Actions cursor_next(ckpt_cursor* cursor) {
  ckpt_schedule_action action{};
  check(ckpt_cursor_next(cursor, &action));
  return Actions{{action}};
}

inline Actions cursor_next_many(ckpt_cursor* cursor, int64_t capacity) {
  if (capacity > 1048576) capacity = 1048576;
  Actions actions;
  actions.list.resize(static_cast<std::size_t>(capacity < 1 ? 1 : capacity));  // below 1: for the library to refuse
  int64_t count = 0;
  check(ckpt_cursor_next_many(cursor, actions.list.data(), capacity, &count));
  actions.list.resize(static_cast<std::size_t>(count));
  return actions;
}

inline LayerStatsList memory_tracker_get_snapshot(const ckpt_memory_tracker* tracker, ckpt_memory_order order,
                                                  ckpt_memory_stats* stats) {
  const ckpt_memory_layer_stats empty = CKPT_MEMORY_LAYER_STATS_INIT;
  return LayerStatsList{list_of(empty, [&](ckpt_memory_layer_stats* layers, int64_t capacity, int64_t* count) {
    return ckpt_memory_tracker_get_snapshot(tracker, order, stats, layers, capacity, count);
  })};
}

inline AllocationList memory_tracker_list_allocations(const ckpt_memory_tracker* tracker) {
  const ckpt_memory_allocation empty = CKPT_MEMORY_ALLOCATION_INIT;
  return AllocationList{list_of(empty, [&](ckpt_memory_allocation* allocations, int64_t capacity, int64_t* count) {
    return ckpt_memory_tracker_list_allocations(tracker, allocations, capacity, count);
  })};
}

inline std::string profile_get_json(const ckpt_profile* profile) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_profile_get_json(profile, buffer, capacity, needed); });
}
inline FrontierPointList profile_get_frontier(const ckpt_profile* profile, const char* planner) {
  const ckpt_frontier_point empty = CKPT_FRONTIER_POINT_INIT;
  const int64_t expected = 8192;  // so that it is not computed twice
  const auto call = [&](ckpt_frontier_point* points, int64_t capacity, int64_t* count) {
    return ckpt_profile_get_frontier(profile, planner, points, capacity, count);
  };
  return FrontierPointList{list_of(empty, call, expected)};
}

inline std::string program_get_json(const ckpt_program* program) {
  return text_of(
      [&](char* buffer, int64_t capacity, int64_t* needed) { return ckpt_program_get_json(program, buffer, capacity, needed); });
}
inline ProgramBuffers program_get_buffers(const ckpt_program* program) {
  ProgramBuffers buffers;
  int64_t count = 0;
  check(ckpt_program_get_buffers(program, nullptr, 0, &count));
  buffers.list.resize(static_cast<std::size_t>(count));
  check(ckpt_program_get_buffers(program, buffers.list.data(), count, &count));
  return buffers;
}
inline ProgramOperations program_get_operations(const ckpt_program* program) {
  ProgramOperations operations;
  int64_t count = 0;
  check(ckpt_program_get_operations(program, nullptr, 0, &count));
  operations.list.resize(static_cast<std::size_t>(count));
  check(ckpt_program_get_operations(program, operations.list.data(), count, &count));
  return operations;
}

// Functions of a BLAS by their addresses, which stay valid for the process's life.
inline ckpt_status blas_set(int64_t sgemm, int64_t dgemm, ckpt_bool concurrent, const char* name) {
  ckpt_blas blas = CKPT_BLAS_INIT;
  blas.sgemm = reinterpret_cast<ckpt_sgemm_fn>(static_cast<intptr_t>(sgemm));
  blas.dgemm = reinterpret_cast<ckpt_dgemm_fn>(static_cast<intptr_t>(dgemm));
  blas.concurrent = concurrent;
  blas.name = name;
  return ckpt_blas_set(&blas);
}

inline ckpt_status coordinator_all_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t timeout_ns,
                                          void* received, int64_t received_bytes) {
  int64_t world_size = 0;
  const ckpt_status status = ckpt_coordinator_get_world_size(coordinator, &world_size);
  if (status != CKPT_OK) return status;
  if (bytes != 0 && (received_bytes % bytes != 0 || received_bytes / bytes != world_size)) received = nullptr;
  return ckpt_coordinator_all_gather(coordinator, sent, bytes, timeout_ns, received);
}

// As much room as the root needs; elsewhere none is needed.
inline ckpt_status coordinator_gather(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, int64_t root,
                                      int64_t timeout_ns, void* received, int64_t received_bytes) {
  int64_t world_size = 0;
  const ckpt_status status = ckpt_coordinator_get_world_size(coordinator, &world_size);
  if (status != CKPT_OK) return status;
  if (bytes != 0 && (received_bytes % bytes != 0 || received_bytes / bytes != world_size)) received = nullptr;
  return ckpt_coordinator_gather(coordinator, sent, bytes, root, timeout_ns, received);
}

// children: those of the options, which other languages pass as an argument.
inline ckpt_status strategy_create_with_options(const char* text, const ckpt_strategy_options* options,
                                                ckpt_strategy* const* children, int64_t children_count, ckpt_strategy** strategy) {
  ckpt_strategy_options given = CKPT_STRATEGY_OPTIONS_INIT;
  if (options != nullptr) given = *options;
  given.children = children;
  given.children_count = children_count;
  return ckpt_strategy_create_with_options(text, &given, strategy);
}

inline ckpt_status profile_create_from_chain(ckpt_chain* chain, const Spec& input, int32_t measured_steps, ckpt_worker_pool* pool,
                                             ckpt_profile** profile) {
  return ckpt_profile_create_from_chain(chain, &input.value, measured_steps, pool, profile);
}

inline ckpt_status schedule_executor_create(ckpt_chain* chain, ckpt_schedule* schedule, const Spec& input,
                                            const ckpt_schedule_executor_options* options, ckpt_schedule_executor** executor) {
  return ckpt_schedule_executor_create(chain, schedule, &input.value, options, executor);
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_CALLS_HPP
