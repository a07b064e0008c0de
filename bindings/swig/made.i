// Made from include/ckpt by tools/api: do not edit.
CKPT_STRUCT(ckpt_memory_tracker_options)
%ignore ckpt_memory_tracker_options::reserved;
CKPT_STRUCT(ckpt_memory_stats)
%ignore ckpt_memory_stats::reserved;
CKPT_STRUCT(ckpt_memory_layer_stats)
CKPT_STRUCT(ckpt_memory_allocation)
CKPT_STRUCT(ckpt_memory_scope_stats)
CKPT_STRUCT(ckpt_memory_event)
CKPT_STRUCT(ckpt_memory_system)
%ignore ckpt_memory_system::reserved;
CKPT_STRUCT(ckpt_buffer_pool_options)
CKPT_STRUCT(ckpt_buffer_pool_stats)
%ignore ckpt_buffer_pool_stats::reserved;
CKPT_STRUCT(ckpt_file_system_options)
%ignore ckpt_file_system_options::reserved;
%ignore ckpt_file_system_options::reserved2;
%ignore ckpt_storage_callbacks;
%ignore ckpt_storage_callbacks_init;
CKPT_STRUCT(ckpt_fault_handler_options)
CKPT_STRUCT(ckpt_smart_strategy_options)
%ignore ckpt_smart_strategy_options::reserved;
%ignore ckpt_strategy_question;
%ignore ckpt_strategy_question_init;
%ignore ckpt_strategy_callbacks;
%ignore ckpt_strategy_callbacks_init;
CKPT_STRUCT(ckpt_strategy_counters)
%ignore ckpt_strategy_counters::reserved;
CKPT_STRUCT(ckpt_strategy_info)
CKPT_STRUCT(ckpt_layer_profile)
CKPT_STRUCT(ckpt_option_profile)
%ignore ckpt_option_profile::reserved;
%ignore ckpt_option_profile::reserved2;
CKPT_STRUCT(ckpt_tier_profile)
%ignore ckpt_tier_profile::reserved;
CKPT_STRUCT(ckpt_plan_report)
%ignore ckpt_plan_report::reserved;
CKPT_STRUCT(ckpt_frontier_point)
%ignore ckpt_frontier_point::reserved;
%ignore ckpt_blas;
%ignore ckpt_blas_init;
%ignore ckpt_layer_context;
%ignore ckpt_layer_context_init;
%ignore ckpt_layer_callbacks;
%ignore ckpt_layer_callbacks_init;
CKPT_STRUCT(ckpt_schedule_executor_options)
%ignore ckpt_schedule_executor_options::reserved;
%ignore ckpt_schedule_executor_options::reserved2;
CKPT_STRUCT(ckpt_step)
%ignore ckpt_step::reserved;
%ignore ckpt_step::reserved2;
CKPT_STRUCT(ckpt_schedule_executor_stats)
%ignore ckpt_schedule_executor_stats::reserved;
CKPT_STRUCT(ckpt_adamw_options)
%ignore ckpt_adamw_options::reserved;
%ignore ckpt_adamw_options::reserved2;
CKPT_STRUCT(ckpt_learning_rate_schedule)
CKPT_STRUCT(ckpt_activation_policy)
CKPT_STRUCT(ckpt_activation_manager_options)
%ignore ckpt_activation_manager_options::reserved;
CKPT_STRUCT(ckpt_activation_metadata)
CKPT_STRUCT(ckpt_pipeline_options)
%ignore ckpt_pipeline_options::reserved;
%ignore ckpt_pipeline_options::reserved2;
CKPT_STRUCT(ckpt_pipeline_stats)
%ignore ckpt_stateful_callbacks;
%ignore ckpt_stateful_callbacks_init;
%ignore ckpt_coordinator_callbacks;
%ignore ckpt_coordinator_callbacks_init;
CKPT_STRUCT(ckpt_checkpoint_info)
%ignore ckpt_checkpoint_info::reserved;
%ignore ckpt_checkpoint_info::reserved2;
%ignore ckpt_checkpoint_info::reserved3;
CKPT_STRUCT(ckpt_checkpoint_manager_options)
%ignore ckpt_checkpoint_manager_options::reserved;
CKPT_STRUCT(ckpt_save_options)
%ignore ckpt_save_options::reserved;
%ignore ckpt_save_options::reserved2;
CKPT_STRUCT(ckpt_save_result)
%ignore ckpt_save_result::reserved;
%ignore ckpt_save_result::reserved2;
CKPT_STRUCT(ckpt_load_options)
%ignore ckpt_load_options::reserved;
%ignore ckpt_load_options::reserved2;
CKPT_STRUCT(ckpt_load_result)
%ignore ckpt_load_result::reserved;
CKPT_STRUCT(ckpt_verify_result)
%ignore ckpt_verify_result::reserved;
CKPT_STRUCT(ckpt_tensor_info)
%ignore ckpt_tensor_info::reserved;
CKPT_STRUCT(ckpt_threshold_options)
%ignore ckpt_threshold_options::reserved;
CKPT_STRUCT(ckpt_threshold_info)
%ignore ckpt_threshold_info::reserved;
CKPT_STRUCT(ckpt_task_observation)
%ignore ckpt_task_observation::reserved;
CKPT_STRUCT(ckpt_controller_options)
CKPT_STRUCT(ckpt_decision)
CKPT_STRUCT(ckpt_controller_info)
%ignore ckpt_controller_info::reserved;
CKPT_STRUCT(ckpt_simulation_options)
%ignore ckpt_simulation_options::reserved;
CKPT_STRUCT(ckpt_checkpoint_task_result)
%ignore ckpt_checkpoint_task_result::reserved;
%ignore ckpt_checkpoint_task_callbacks;
%ignore ckpt_checkpoint_task_callbacks_init;
CKPT_STRUCT(ckpt_async_manager_options)
CKPT_STRUCT(ckpt_checkpoint_task_options)
%ignore ckpt_checkpoint_task_options::reserved;
CKPT_STRUCT(ckpt_checkpoint_task_info)
CKPT_STRUCT(ckpt_async_manager_stats)
%ignore ckpt_async_manager_stats::reserved;
%ignore ckpt_async_manager_stats::reserved2;
%ignore ckpt_driver_callbacks;
%ignore ckpt_driver_callbacks_init;
