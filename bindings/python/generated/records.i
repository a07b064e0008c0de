// Generated from include/ckpt by tools/api: do not edit.
CKPT_RECORD(ckpt_activation_metadata, metadata, CKPT_ACTIVATION_METADATA_INIT)
CKPT_RECORD(ckpt_activation_policy, policy, CKPT_ACTIVATION_POLICY_INIT)
CKPT_RECORD(ckpt_async_manager_stats, stats, CKPT_ASYNC_MANAGER_STATS_INIT)
CKPT_RECORD(ckpt_buffer_pool_stats, stats, CKPT_BUFFER_POOL_STATS_INIT)
CKPT_RECORD(ckpt_checkpoint_info, info, CKPT_CHECKPOINT_INFO_INIT)
CKPT_RECORD(ckpt_checkpoint_info, infos, CKPT_CHECKPOINT_INFO_INIT)
CKPT_RECORD(ckpt_checkpoint_task_info, task, CKPT_CHECKPOINT_TASK_INFO_INIT)
CKPT_RECORD(ckpt_checkpoint_task_result, result, CKPT_CHECKPOINT_TASK_RESULT_INIT)
CKPT_RECORD(ckpt_controller_info, info, CKPT_CONTROLLER_INFO_INIT)
CKPT_RECORD(ckpt_decision, decision, CKPT_DECISION_INIT)
CKPT_RECORD(ckpt_frontier_point, points, CKPT_FRONTIER_POINT_INIT)
CKPT_RECORD(ckpt_layer_profile, layer, CKPT_LAYER_PROFILE_INIT)
CKPT_RECORD(ckpt_layer_profile, out, CKPT_LAYER_PROFILE_INIT)
CKPT_RECORD(ckpt_load_result, result, CKPT_LOAD_RESULT_INIT)
CKPT_RECORD(ckpt_memory_allocation, allocations, CKPT_MEMORY_ALLOCATION_INIT)
CKPT_RECORD(ckpt_memory_event, event, CKPT_MEMORY_EVENT_INIT)
CKPT_RECORD(ckpt_memory_layer_stats, layers, CKPT_MEMORY_LAYER_STATS_INIT)
CKPT_RECORD(ckpt_memory_layer_stats, stats, CKPT_MEMORY_LAYER_STATS_INIT)
CKPT_RECORD(ckpt_memory_scope_stats, stats, CKPT_MEMORY_SCOPE_STATS_INIT)
CKPT_RECORD(ckpt_memory_stats, stats, CKPT_MEMORY_STATS_INIT)
CKPT_RECORD(ckpt_memory_system, system, CKPT_MEMORY_SYSTEM_INIT)
CKPT_RECORD(ckpt_option_profile, option, CKPT_OPTION_PROFILE_INIT)
CKPT_RECORD(ckpt_option_profile, out, CKPT_OPTION_PROFILE_INIT)
CKPT_RECORD(ckpt_pipeline_stats, stats, CKPT_PIPELINE_STATS_INIT)
CKPT_RECORD(ckpt_plan_report, report, CKPT_PLAN_REPORT_INIT)
CKPT_RECORD(ckpt_save_result, result, CKPT_SAVE_RESULT_INIT)
CKPT_RECORD(ckpt_schedule_executor_stats, stats, CKPT_SCHEDULE_EXECUTOR_STATS_INIT)
CKPT_RECORD(ckpt_strategy_counters, counters, CKPT_STRATEGY_COUNTERS_INIT)
CKPT_RECORD(ckpt_strategy_info, info, CKPT_STRATEGY_INFO_INIT)
CKPT_RECORD(ckpt_task_observation, tasks, CKPT_TASK_OBSERVATION_INIT)
CKPT_RECORD(ckpt_tensor_info, info, CKPT_TENSOR_INFO_INIT)
CKPT_RECORD(ckpt_threshold_info, info, CKPT_THRESHOLD_INFO_INIT)
CKPT_RECORD(ckpt_tier_profile, out, CKPT_TIER_PROFILE_INIT)
CKPT_RECORD(ckpt_tier_profile, tier_profile, CKPT_TIER_PROFILE_INIT)
CKPT_RECORD(ckpt_verify_result, result, CKPT_VERIFY_RESULT_INIT)
%ignore ckpt_activation_metadata;
%ignore ckpt_async_manager_stats;
%ignore ckpt_buffer_pool_stats;
%ignore ckpt_checkpoint_info;
%ignore ckpt_checkpoint_task_info;
%ignore ckpt_checkpoint_task_result;
%ignore ckpt_controller_info;
%ignore ckpt_decision;
%ignore ckpt_frontier_point;
%ignore ckpt_layer_context;
%ignore ckpt_load_result;
%ignore ckpt_memory_allocation;
%ignore ckpt_memory_event;
%ignore ckpt_memory_layer_stats;
%ignore ckpt_memory_scope_stats;
%ignore ckpt_memory_stats;
%ignore ckpt_memory_system;
%ignore ckpt_pipeline_stats;
%ignore ckpt_plan_report;
%ignore ckpt_save_result;
%ignore ckpt_schedule_executor_stats;
%ignore ckpt_strategy_counters;
%ignore ckpt_strategy_info;
%ignore ckpt_strategy_question;
%ignore ckpt_task_observation;
%ignore ckpt_tensor_info;
%ignore ckpt_threshold_info;
%ignore ckpt_verify_result;
