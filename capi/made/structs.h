// The structs that begin with struct_size: how large the first version of each was, which callers may still have, and what its
// fields are unless they are set. Made from include/ckpt by tools/api: do not edit.
// clang-format off
#pragma once

#include <cstddef>

#include <ckpt/base.h>
#include <ckpt/memory.h>
#include <ckpt/tensor.h>
#include <ckpt/storage.h>
#include <ckpt/strategy.h>
#include <ckpt/plan.h>
#include <ckpt/engine.h>
#include <ckpt/pipeline.h>
#include <ckpt/state.h>
#include <ckpt/adaptive.h>
#include <ckpt/async.h>
#include <ckpt/tree.h>

namespace ckpt::capi {

template <class T>
struct StructOf;
template <class Struct, class Field>
constexpr std::size_t size_of(Field Struct::*) {
  return sizeof(Field);  // NOLINT(bugprone-sizeof-expression): of a pointer its own size is meant
}

#define CKPT_FIRST_SIZE(type, last) (offsetof(type, last) + size_of(&type::last))

template <>
struct StructOf<ckpt_memory_tracker_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_tracker_options, peak_granularity_bytes);
  static constexpr ckpt_memory_tracker_options defaults = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_tracker_options>::first_size == 24);

template <>
struct StructOf<ckpt_memory_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_stats, taken_utc_ns);
  static constexpr ckpt_memory_stats defaults = CKPT_MEMORY_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_stats>::first_size == 128);

template <>
struct StructOf<ckpt_memory_layer_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_layer_stats, last_freed_utc_ns);
  static constexpr ckpt_memory_layer_stats defaults = CKPT_MEMORY_LAYER_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_layer_stats>::first_size == 120);

template <>
struct StructOf<ckpt_memory_allocation> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_allocation, sequence);
  static constexpr ckpt_memory_allocation defaults = CKPT_MEMORY_ALLOCATION_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_allocation>::first_size == 40);

template <>
struct StructOf<ckpt_memory_scope_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_scope_stats, pushed_utc_ns);
  static constexpr ckpt_memory_scope_stats defaults = CKPT_MEMORY_SCOPE_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_scope_stats>::first_size == 64);

template <>
struct StructOf<ckpt_memory_event> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_event, occurred_utc_ns);
  static constexpr ckpt_memory_event defaults = CKPT_MEMORY_EVENT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_event>::first_size == 88);

template <>
struct StructOf<ckpt_memory_system> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_memory_system, limit_bytes);
  static constexpr ckpt_memory_system defaults = CKPT_MEMORY_SYSTEM_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_memory_system>::first_size == 40);

template <>
struct StructOf<ckpt_buffer_pool_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_buffer_pool_options, layer_name);
  static constexpr ckpt_buffer_pool_options defaults = CKPT_BUFFER_POOL_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_buffer_pool_options>::first_size == 24);

template <>
struct StructOf<ckpt_buffer_pool_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_buffer_pool_stats, reused);
  static constexpr ckpt_buffer_pool_stats defaults = CKPT_BUFFER_POOL_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_buffer_pool_stats>::first_size == 72);

template <>
struct StructOf<ckpt_file_system_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_file_system_options, bytes_per_second);
  static constexpr ckpt_file_system_options defaults = CKPT_FILE_SYSTEM_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_file_system_options>::first_size == 32);

template <>
struct StructOf<ckpt_storage_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_storage_callbacks, unlock);
  static constexpr ckpt_storage_callbacks defaults = CKPT_STORAGE_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_storage_callbacks>::first_size == 136);

template <>
struct StructOf<ckpt_fault_handler_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_fault_handler_options, decide_destroy);
  static constexpr ckpt_fault_handler_options defaults = CKPT_FAULT_HANDLER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_fault_handler_options>::first_size == 72);

template <>
struct StructOf<ckpt_smart_strategy_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_smart_strategy_options, late_share);
  static constexpr ckpt_smart_strategy_options defaults = CKPT_SMART_STRATEGY_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_smart_strategy_options>::first_size == 32);

template <>
struct StructOf<ckpt_strategy_question> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_strategy_question, layer_index);
  static constexpr ckpt_strategy_question defaults = CKPT_STRATEGY_QUESTION_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_strategy_question>::first_size == 48);

template <>
struct StructOf<ckpt_strategy_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_strategy_callbacks, access);
  static constexpr ckpt_strategy_callbacks defaults = CKPT_STRATEGY_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_strategy_callbacks>::first_size == 32);

template <>
struct StructOf<ckpt_strategy_counters> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_strategy_counters, chosen_bytes);
  static constexpr ckpt_strategy_counters defaults = CKPT_STRATEGY_COUNTERS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_strategy_counters>::first_size == 32);

template <>
struct StructOf<ckpt_strategy_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_strategy_info, has_total);
  static constexpr ckpt_strategy_info defaults = CKPT_STRATEGY_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_strategy_info>::first_size == 112);

template <>
struct StructOf<ckpt_layer_profile> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_layer_profile, shape);
  static constexpr ckpt_layer_profile defaults = CKPT_LAYER_PROFILE_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_layer_profile>::first_size == 96);

template <>
struct StructOf<ckpt_option_profile> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_option_profile, backward_seconds);
  static constexpr ckpt_option_profile defaults = CKPT_OPTION_PROFILE_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_option_profile>::first_size == 48);

template <>
struct StructOf<ckpt_plan_report> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_plan_report, peak_bytes);
  static constexpr ckpt_plan_report defaults = CKPT_PLAN_REPORT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_plan_report>::first_size == 88);

template <>
struct StructOf<ckpt_blas> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_blas, name);
  static constexpr ckpt_blas defaults = CKPT_BLAS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_blas>::first_size == 32);

template <>
struct StructOf<ckpt_layer_context> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_layer_context, output);
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_layer_context>::first_size == 64);

template <>
struct StructOf<ckpt_layer_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_layer_callbacks, restore_ambient);
  static constexpr ckpt_layer_callbacks defaults = CKPT_LAYER_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_layer_callbacks>::first_size == 72);

template <>
struct StructOf<ckpt_schedule_executor_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_schedule_executor_options, follower);
  static constexpr ckpt_schedule_executor_options defaults = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_schedule_executor_options>::first_size == 40);

template <>
struct StructOf<ckpt_step> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_step, reserved2);
  static constexpr ckpt_step defaults = CKPT_STEP_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_step>::first_size == 80);

template <>
struct StructOf<ckpt_schedule_executor_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_schedule_executor_stats, run_ns);
  static constexpr ckpt_schedule_executor_stats defaults = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_schedule_executor_stats>::first_size == 64);

template <>
struct StructOf<ckpt_adamw_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_adamw_options, weight_decay);
  static constexpr ckpt_adamw_options defaults = CKPT_ADAMW_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_adamw_options>::first_size == 48);

template <>
struct StructOf<ckpt_activation_policy> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_activation_policy, memory_limit_bytes);
  static constexpr ckpt_activation_policy defaults = CKPT_ACTIVATION_POLICY_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_activation_policy>::first_size == 40);

template <>
struct StructOf<ckpt_activation_manager_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_activation_manager_options, clock);
  static constexpr ckpt_activation_manager_options defaults = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_activation_manager_options>::first_size == 32);

template <>
struct StructOf<ckpt_activation_metadata> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_activation_metadata, stored_utc_ns);
  static constexpr ckpt_activation_metadata defaults = CKPT_ACTIVATION_METADATA_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_activation_metadata>::first_size == 112);

template <>
struct StructOf<ckpt_pipeline_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_pipeline_options, tracker);
  static constexpr ckpt_pipeline_options defaults = CKPT_PIPELINE_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_pipeline_options>::first_size == 104);

template <>
struct StructOf<ckpt_pipeline_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_pipeline_stats, busy_ns);
  static constexpr ckpt_pipeline_stats defaults = CKPT_PIPELINE_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_pipeline_stats>::first_size == 96);

template <>
struct StructOf<ckpt_stateful_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_stateful_callbacks, restore);
  static constexpr ckpt_stateful_callbacks defaults = CKPT_STATEFUL_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_stateful_callbacks>::first_size == 24);

template <>
struct StructOf<ckpt_coordinator_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_coordinator_callbacks, all_gather);
  static constexpr ckpt_coordinator_callbacks defaults = CKPT_COORDINATOR_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_coordinator_callbacks>::first_size == 48);

template <>
struct StructOf<ckpt_checkpoint_manager_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_manager_options, fault_handler);
  static constexpr ckpt_checkpoint_manager_options defaults = CKPT_CHECKPOINT_MANAGER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_manager_options>::first_size == 56);

template <>
struct StructOf<ckpt_save_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_save_options, incremental);
  static constexpr ckpt_save_options defaults = CKPT_SAVE_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_save_options>::first_size == 64);

template <>
struct StructOf<ckpt_save_result> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_save_result, linked);
  static constexpr ckpt_save_result defaults = CKPT_SAVE_RESULT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_save_result>::first_size == 112);

template <>
struct StructOf<ckpt_load_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_load_options, reserved);
  static constexpr ckpt_load_options defaults = CKPT_LOAD_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_load_options>::first_size == 48);

template <>
struct StructOf<ckpt_load_result> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_load_result, unexpected);
  static constexpr ckpt_load_result defaults = CKPT_LOAD_RESULT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_load_result>::first_size == 128);

template <>
struct StructOf<ckpt_checkpoint_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_info, reserved);
  static constexpr ckpt_checkpoint_info defaults = CKPT_CHECKPOINT_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_info>::first_size == 112);

template <>
struct StructOf<ckpt_verify_result> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_verify_result, name);
  static constexpr ckpt_verify_result defaults = CKPT_VERIFY_RESULT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_verify_result>::first_size == 96);

template <>
struct StructOf<ckpt_tensor_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_tensor_info, group);
  static constexpr ckpt_tensor_info defaults = CKPT_TENSOR_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_tensor_info>::first_size == 56);

template <>
struct StructOf<ckpt_threshold_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_threshold_options, budget);
  static constexpr ckpt_threshold_options defaults = CKPT_THRESHOLD_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_threshold_options>::first_size == 32);

template <>
struct StructOf<ckpt_threshold_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_threshold_info, tasks);
  static constexpr ckpt_threshold_info defaults = CKPT_THRESHOLD_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_threshold_info>::first_size == 48);

template <>
struct StructOf<ckpt_task_observation> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_task_observation, name);
  static constexpr ckpt_task_observation defaults = CKPT_TASK_OBSERVATION_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_task_observation>::first_size == 120);

template <>
struct StructOf<ckpt_controller_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_controller_options, clock);
  static constexpr ckpt_controller_options defaults = CKPT_CONTROLLER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_controller_options>::first_size == 128);

template <>
struct StructOf<ckpt_decision> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_decision, due_seconds);
  static constexpr ckpt_decision defaults = CKPT_DECISION_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_decision>::first_size == 56);

template <>
struct StructOf<ckpt_controller_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_controller_info, tasks);
  static constexpr ckpt_controller_info defaults = CKPT_CONTROLLER_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_controller_info>::first_size == 96);

template <>
struct StructOf<ckpt_simulation_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_simulation_options, remote_share);
  static constexpr ckpt_simulation_options defaults = CKPT_SIMULATION_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_simulation_options>::first_size == 112);

template <>
struct StructOf<ckpt_checkpoint_task_result> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_task_result, error);
  static constexpr ckpt_checkpoint_task_result defaults = CKPT_CHECKPOINT_TASK_RESULT_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_task_result>::first_size == 392);

template <>
struct StructOf<ckpt_checkpoint_task_callbacks> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_task_callbacks, ended);
  static constexpr ckpt_checkpoint_task_callbacks defaults = CKPT_CHECKPOINT_TASK_CALLBACKS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_task_callbacks>::first_size == 32);

template <>
struct StructOf<ckpt_async_manager_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_async_manager_options, destroy);
  static constexpr ckpt_async_manager_options defaults = CKPT_ASYNC_MANAGER_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_async_manager_options>::first_size == 88);

template <>
struct StructOf<ckpt_checkpoint_task_options> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_task_options, source_destroy);
  static constexpr ckpt_checkpoint_task_options defaults = CKPT_CHECKPOINT_TASK_OPTIONS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_task_options>::first_size == 88);

template <>
struct StructOf<ckpt_checkpoint_task_info> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_checkpoint_task_info, ended_utc_ns);
  static constexpr ckpt_checkpoint_task_info defaults = CKPT_CHECKPOINT_TASK_INFO_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_checkpoint_task_info>::first_size == 96);

template <>
struct StructOf<ckpt_async_manager_stats> {
  static constexpr std::size_t first_size = CKPT_FIRST_SIZE(ckpt_async_manager_stats, last_stall_ns);
  static constexpr ckpt_async_manager_stats defaults = CKPT_ASYNC_MANAGER_STATS_INIT;
};
static_assert(sizeof(void*) != 8 || StructOf<ckpt_async_manager_stats>::first_size == 96);
#undef CKPT_FIRST_SIZE

}  // namespace ckpt::capi
