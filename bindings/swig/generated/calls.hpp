// Generated from include/ckpt by tools/api: do not edit.
// clang-format off
#pragma once

#include "../fetch.hpp"

namespace ckpt_swig {

struct MemoryLayerStatsList {
  std::vector<ckpt_memory_layer_stats> list;
};
struct MemoryAllocationList {
  std::vector<ckpt_memory_allocation> list;
};
struct FrontierPointList {
  std::vector<ckpt_frontier_point> list;
};
struct PipelineIntervalList {
  std::vector<ckpt_pipeline_interval> list;
};
struct CheckpointInfoList {
  std::vector<ckpt_checkpoint_info> list;
};
struct TaskObservationList {
  std::vector<ckpt_task_observation> list;
};
struct ProgramBufferList {
  std::vector<ckpt_program_buffer> list;
};
struct ProgramOperationList {
  std::vector<ckpt_program_operation> list;
};

inline MemoryLayerStatsList memory_tracker_get_snapshot(const ckpt_memory_tracker* tracker, ckpt_memory_order order,
                                                        ckpt_memory_stats* stats) {
  const ckpt_memory_layer_stats empty = CKPT_MEMORY_LAYER_STATS_INIT;
  return {list_of(empty, [&](ckpt_memory_layer_stats* layers, int64_t capacity, int64_t* count) {
    return ckpt_memory_tracker_get_snapshot(tracker, order, stats, layers, capacity, count);
  })};
}

inline MemoryAllocationList memory_tracker_list_allocations(const ckpt_memory_tracker* tracker) {
  const ckpt_memory_allocation empty = CKPT_MEMORY_ALLOCATION_INIT;
  return {list_of(empty, [&](ckpt_memory_allocation* allocations, int64_t capacity, int64_t* count) {
    return ckpt_memory_tracker_list_allocations(tracker, allocations, capacity, count);
  })};
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
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_strategy_get_known_kinds(buffer, capacity, needed);
  });
}

inline std::string strategy_get_name(const ckpt_strategy* strategy) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_strategy_get_name(strategy, buffer, capacity, needed);
  });
}

inline std::string strategy_get_text(const ckpt_strategy* strategy) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_strategy_get_text(strategy, buffer, capacity, needed);
  });
}

inline std::string profile_get_json(const ckpt_profile* profile) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_profile_get_json(profile, buffer, capacity, needed);
  });
}

inline std::string schedule_get_known_planners() {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_schedule_get_known_planners(buffer, capacity, needed);
  });
}

inline ByteString cursor_save(const ckpt_cursor* cursor) {
  return bytes_of([&](void* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_cursor_save(cursor, buffer, capacity, needed);
  });
}

inline FrontierPointList profile_get_frontier(const ckpt_profile* profile, const char* planner) {
  const ckpt_frontier_point empty = CKPT_FRONTIER_POINT_INIT;
  return {list_of(empty, [&](ckpt_frontier_point* points, int64_t capacity, int64_t* count) {
    return ckpt_profile_get_frontier(profile, planner, points, capacity, count);
  }, 8192)};
}

inline std::string blas_get_info() {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_blas_get_info(buffer, capacity, needed);
  });
}

inline std::string layer_get_known_kinds() {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_layer_get_known_kinds(buffer, capacity, needed);
  });
}

inline Integers activation_manager_list(const ckpt_activation_manager* manager) {
  return integers_of<int32_t>([&](int32_t* micro_batches, int64_t capacity, int64_t* count) {
    return ckpt_activation_manager_list(manager, micro_batches, capacity, count);
  });
}

inline Integers pipeline_split(const ckpt_profile* profile, const ckpt_pipeline_options* options) {
  return integers_of<int64_t>([&](int64_t* begins, int64_t capacity, int64_t* count) {
    return ckpt_pipeline_split(profile, options, begins, capacity, count);
  });
}

inline Integers pipeline_get_begins(const ckpt_pipeline* pipeline) {
  return integers_of<int64_t>([&](int64_t* begins, int64_t capacity, int64_t* count) {
    return ckpt_pipeline_get_begins(pipeline, begins, capacity, count);
  });
}

inline PipelineIntervalList pipeline_get_timeline(ckpt_pipeline* pipeline, int64_t* step_ns) {
  const ckpt_pipeline_interval empty = {};
  return {list_of(empty, [&](ckpt_pipeline_interval* intervals, int64_t capacity, int64_t* count) {
    return ckpt_pipeline_get_timeline(pipeline, intervals, capacity, count, step_ns);
  })};
}

inline std::string pipeline_get_trace_json(ckpt_pipeline* pipeline) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_pipeline_get_trace_json(pipeline, buffer, capacity, needed);
  });
}

inline std::string state_get_json(const ckpt_state* state, const char* key) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_state_get_json(state, key, buffer, capacity, needed);
  });
}

inline std::string state_get_key(const ckpt_state* state, int64_t index) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_state_get_key(state, index, buffer, capacity, needed);
  });
}

inline std::string state_get_load_report(const ckpt_state* state) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_state_get_load_report(state, buffer, capacity, needed);
  });
}

inline CheckpointInfoList checkpoint_manager_list(ckpt_checkpoint_manager* manager) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return {list_of(empty, [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
    return ckpt_checkpoint_manager_list(manager, infos, capacity, count);
  }, 64)};
}

inline CheckpointInfoList checkpoint_manager_prune(ckpt_checkpoint_manager* manager, const char* keep_rules, ckpt_bool dry_run) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return {list_of(empty, [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
    return ckpt_checkpoint_manager_prune(manager, keep_rules, dry_run, infos, capacity, count);
  }, 64)};
}

inline CheckpointInfoList checkpoint_manager_prune_abandoned(ckpt_checkpoint_manager* manager, ckpt_bool dry_run) {
  const ckpt_checkpoint_info empty = CKPT_CHECKPOINT_INFO_INIT;
  return {list_of(empty, [&](ckpt_checkpoint_info* infos, int64_t capacity, int64_t* count) {
    return ckpt_checkpoint_manager_prune_abandoned(manager, dry_run, infos, capacity, count);
  }, 64)};
}

inline std::string checkpoint_manager_get_manifest(ckpt_checkpoint_manager* manager, const char* name) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_checkpoint_manager_get_manifest(manager, name, buffer, capacity, needed);
  }, 65536);
}

inline std::string checkpoint_manager_get_rank_values(ckpt_checkpoint_manager* manager, const char* name, int64_t rank) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_checkpoint_manager_get_rank_values(manager, name, rank, buffer, capacity, needed);
  }, 65536);
}

inline TaskObservationList threshold_list_tasks(const ckpt_threshold* threshold) {
  const ckpt_task_observation empty = CKPT_TASK_OBSERVATION_INIT;
  return {list_of(empty, [&](ckpt_task_observation* tasks, int64_t capacity, int64_t* count) {
    return ckpt_threshold_list_tasks(threshold, tasks, capacity, count);
  })};
}

inline TaskObservationList controller_list_tasks(const ckpt_controller* controller) {
  const ckpt_task_observation empty = CKPT_TASK_OBSERVATION_INIT;
  return {list_of(empty, [&](ckpt_task_observation* tasks, int64_t capacity, int64_t* count) {
    return ckpt_controller_list_tasks(controller, tasks, capacity, count);
  })};
}

inline std::string controller_get_json(const ckpt_controller* controller) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_controller_get_json(controller, buffer, capacity, needed);
  });
}

inline std::string simulation_get_json(const ckpt_simulation* simulation) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_simulation_get_json(simulation, buffer, capacity, needed);
  });
}

inline Integers async_manager_list(ckpt_async_manager* manager, ckpt_checkpoint_task_list which) {
  return integers_of<int64_t>([&](int64_t* ids, int64_t capacity, int64_t* count) {
    return ckpt_async_manager_list(manager, which, ids, capacity, count);
  });
}

inline std::string tree_get_text(const ckpt_tree* tree) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_tree_get_text(tree, buffer, capacity, needed);
  });
}

inline ProgramBufferList program_get_buffers(const ckpt_program* program) {
  const ckpt_program_buffer empty = {};
  return {list_of(empty, [&](ckpt_program_buffer* buffers, int64_t capacity, int64_t* count) {
    return ckpt_program_get_buffers(program, buffers, capacity, count);
  })};
}

inline ProgramOperationList program_get_operations(const ckpt_program* program) {
  const ckpt_program_operation empty = {};
  return {list_of(empty, [&](ckpt_program_operation* operations, int64_t capacity, int64_t* count) {
    return ckpt_program_get_operations(program, operations, capacity, count);
  })};
}

inline std::string program_get_json(const ckpt_program* program) {
  return text_of([&](char* buffer, int64_t capacity, int64_t* needed) {
    return ckpt_program_get_json(program, buffer, capacity, needed);
  });
}

}  // namespace ckpt_swig
