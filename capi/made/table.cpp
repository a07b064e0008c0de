// Made from include/ckpt by tools/api: do not edit.
#include <cstddef>

#include <ckpt/api.h>

static_assert(offsetof(ckpt_api, ckpt_status_name) == 8 + 0 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_last_error) == 8 + 1 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_callback_error) == 8 + 2 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_version) == 8 + 3 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_version_string) == 8 + 4 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_build_info) == 8 + 5 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_feature) == 8 + 6 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_get_api) == 8 + 7 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_set_log) == 8 + 8 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_add_thread_hooks) == 8 + 9 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_remove_thread_hooks) == 8 + 10 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_clock_create_manual) == 8 + 11 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_clock_create_custom) == 8 + 12 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_clock_advance) == 8 + 13 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_clock_get_now) == 8 + 14 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_clock_release) == 8 + 15 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_random_philox) == 8 + 16 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_create) == 8 + 17 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_push) == 8 + 18 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_pop) == 8 + 19 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_close) == 8 + 20 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_get_word_count) == 8 + 21 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_word_queue_release) == 8 + 22 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_available_threads) == 8 + 23 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_worker_pool_create) == 8 + 24 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_worker_pool_run) == 8 + 25 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_worker_pool_get_thread_count) == 8 + 26 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_worker_pool_release) == 8 + 27 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_options_init) == 8 + 28 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_create) == 8 + 29 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_retain) == 8 + 30 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_release) == 8 + 31 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_add_layer) == 8 + 32 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_find_layer) == 8 + 33 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_layer_name) == 8 + 34 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_record_allocation) == 8 + 35 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_record_allocation_named) == 8 + 36 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_try_reserve) == 8 + 37 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_try_reserve_named) == 8 + 38 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_record_deallocation) == 8 + 39 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_record_deallocation_layer) == 8 + 40 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_record_deallocation_named) == 8 + 41 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_stats_init) == 8 + 42 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_layer_stats_init) == 8 + 43 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_allocation_init) == 8 + 44 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_stats) == 8 + 45 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_layer_stats) == 8 + 46 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_layer_stats_named) == 8 + 47 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_snapshot) == 8 + 48 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_list_allocations) == 8 + 49 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_savings) == 8 + 50 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_reset_stats) == 8 + 51 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_scope_stats_init) == 8 + 52 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_push_scope) == 8 + 53 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_pop_scope) == 8 + 54 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_scope_stats) == 8 + 55 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_set_limit) == 8 + 56 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_clear_limit) == 8 + 57 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_limit) == 8 + 58 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_event_init) == 8 + 59 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_subscribe) == 8 + 60 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_subscribe_queue) == 8 + 61 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_unsubscribe) == 8 + 62 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_poll_event) == 8 + 63 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_dropped_events) == 8 + 64 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_enable_events) == 8 + 65 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_set_peak_granularity) == 8 + 66 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_json) == 8 + 67 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_tracker_get_prometheus) == 8 + 68 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_system_init) == 8 + 69 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_memory_probe) == 8 + 70 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_dtype_bits) == 8 + 71 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_dtype_name) == 8 + 72 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_dtype_find) == 8 + 73 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_options_init) == 8 + 74 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_stats_init) == 8 + 75 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_create) == 8 + 76 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_get_stats) == 8 + 77 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_trim) == 8 + 78 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_buffer_pool_release) == 8 + 79 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_create) == 8 + 80 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_create_borrowed) == 8 + 81 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_retain) == 8 + 82 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_release) == 8 + 83 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_data) == 8 + 84 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_const_data) == 8 + 85 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_bytes) == 8 + 86 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_element_count) == 8 + 87 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_dtype) == 8 + 88 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_ndim) == 8 + 89 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_get_shape) == 8 + 90 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_is_read_only) == 8 + 91 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_fill) == 8 + 92 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_scale) == 8 + 93 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_add_scaled) == 8 + 94 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_sum) == 8 + 95 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_dot) == 8 + 96 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_copy) == 8 + 97 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_is_bit_equal) == 8 + 98 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_create_from_dlpack) == 8 + 99 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_create_from_dlpack_versioned) == 8 + 100 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_export_dlpack) == 8 + 101 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_export_dlpack_versioned) == 8 + 102 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_file_system_options_init) == 8 + 103 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_create_file_system) == 8 + 104 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_create_memory) == 8 + 105 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_callbacks_init) == 8 + 106 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_create_custom) == 8 + 107 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_fault_handler_options_init) == 8 + 108 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_fault_handler_create) == 8 + 109 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_fault_handler_get_retry_count) == 8 + 110 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_fault_handler_release) == 8 + 111 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_create_retrying) == 8 + 112 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_storage_release) == 8 + 113 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_interval) == 8 + 114 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_selective) == 8 + 115 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_size_based) == 8 + 116 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_memory_aware) == 8 + 117 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_smart_strategy_options_init) == 8 + 118 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_smart) == 8 + 119 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_any) == 8 + 120 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_all) == 8 + 121 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_not) == 8 + 122 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_first) == 8 + 123 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create) == 8 + 124 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_question_init) == 8 + 125 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_callbacks_init) == 8 + 126 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_create_custom) == 8 + 127 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_register) == 8 + 128 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_unregister) == 8 + 129 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_known_kinds) == 8 + 130 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_should_checkpoint) == 8 + 131 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_should_checkpoint_shape) == 8 + 132 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_observe_access) == 8 + 133 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_name) == 8 + 134 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_reset) == 8 + 135 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_chosen) == 8 + 136 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_set_chosen) == 8 + 137 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_counters_init) == 8 + 138 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_counters) == 8 + 139 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_info_init) == 8 + 140 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_info) == 8 + 141 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_pattern) == 8 + 142 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_child) == 8 + 143 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_get_text) == 8 + 144 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_retain) == 8 + 145 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_strategy_release) == 8 + 146 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_action_kind_name) == 8 + 147 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_profile_init) == 8 + 148 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_option_profile_init) == 8 + 149 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_create) == 8 + 150 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_add_layer) == 8 + 151 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_add_option) == 8 + 152 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_get_layer_count) == 8 + 153 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_get_input_bytes) == 8 + 154 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_get_layer) == 8 + 155 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_get_option) == 8 + 156 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_release) == 8 + 157 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_create) == 8 + 158 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_get_known_planners) == 8 + 159 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_create_segments) == 8 + 160 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_create_from_strategy) == 8 + 161 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_create_open_ended) == 8 + 162 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_create_list) == 8 + 163 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_get_name) == 8 + 164 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_get_left_out) == 8 + 165 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_get_fingerprint) == 8 + 166 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_get_layer_count) == 8 + 167 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_retain) == 8 + 168 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_release) == 8 + 169 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_follower_create) == 8 + 170 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_follower_next) == 8 + 171 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_follower_release) == 8 + 172 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_create) == 8 + 173 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_next) == 8 + 174 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_next_many) == 8 + 175 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_finalize) == 8 + 176 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_save) == 8 + 177 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_restore) == 8 + 178 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_cursor_release) == 8 + 179 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_plan_report_init) == 8 + 180 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_verify) == 8 + 181 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_place) == 8 + 182 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_blas_init) == 8 + 183 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_blas_set) == 8 + 184 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_blas_get_info) == 8 + 185 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_callbacks_init) == 8 + 186 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_create_custom) == 8 + 187 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_release) == 8 + 188 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_create) == 8 + 189 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_add) == 8 + 190 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_get_layer_count) == 8 + 191 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_initialize) == 8 + 192 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_get_parameter_count) == 8 + 193 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_get_parameter) == 8 + 194 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_clip_gradients) == 8 + 195 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_profile_create_from_chain) == 8 + 196 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_chain_release) == 8 + 197 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_options_init) == 8 + 198 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_create) == 8 + 199 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_step_init) == 8 + 200 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_run) == 8 + 201 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_stats_init) == 8 + 202 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_get_stats) == 8 + 203 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_schedule_executor_release) == 8 + 204 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_create_sgd) == 8 + 205 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_adamw_options_init) == 8 + 206 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_create_adamw) == 8 + 207 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_step) == 8 + 208 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_get_step_count) == 8 + 209 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_set_step_count) == 8 + 210 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_get_tensor_count) == 8 + 211 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_get_tensor) == 8 + 212 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_optimizer_release) == 8 + 213 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_policy_init) == 8 + 214 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_options_init) == 8 + 215 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_create) == 8 + 216 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_set_policy) == 8 + 217 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_get_policy) == 8 + 218 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_begin_step) == 8 + 219 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_should_checkpoint) == 8 + 220 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_store) == 8 + 221 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_store_moved) == 8 + 222 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_get_activation) == 8 + 223 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_has_activation) == 8 + 224 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_recompute) == 8 + 225 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_get_or_compute) == 8 + 226 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_clear) == 8 + 227 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_get_memory_usage) == 8 + 228 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_metadata_init) == 8 + 229 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_get_metadata) == 8 + 230 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_list) == 8 + 231 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_activation_manager_release) == 8 + 232 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_options_init) == 8 + 233 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_split) == 8 + 234 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_in_flight) == 8 + 235 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_create) == 8 + 236 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_run) == 8 + 237 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_cancel) == 8 + 238 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_begins) == 8 + 239 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_manager) == 8 + 240 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_schedule) == 8 + 241 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_profile) == 8 + 242 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_stats_init) == 8 + 243 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_stats) == 8 + 244 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_timeline) == 8 + 245 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_get_trace_json) == 8 + 246 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_pipeline_release) == 8 + 247 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_create) == 8 + 248 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_add_tensor) == 8 + 249 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_get_tensor_count) == 8 + 250 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_set_json) == 8 + 251 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_get_json) == 8 + 252 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_set_rarely_changes) == 8 + 253 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_get_load_report) == 8 + 254 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_release) == 8 + 255 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_stateful_callbacks_init) == 8 + 256 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_add_stateful) == 8 + 257 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_callbacks_init) == 8 + 258 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_create_single) == 8 + 259 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_create_custom) == 8 + 260 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_get_rank) == 8 + 261 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_get_world_size) == 8 + 262 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_barrier) == 8 + 263 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_broadcast) == 8 + 264 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_all_gather) == 8 + 265 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_coordinator_release) == 8 + 266 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_options_init) == 8 + 267 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_create) == 8 + 268 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_storage) == 8 + 269 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_coordinator) == 8 + 270 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_fault_handler) == 8 + 271 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_release) == 8 + 272 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_save_options_init) == 8 + 273 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_save_result_init) == 8 + 274 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_save) == 8 + 275 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_load_options_init) == 8 + 276 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_load_result_init) == 8 + 277 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_load) == 8 + 278 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_info_init) == 8 + 279 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_list) == 8 + 280 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_latest) == 8 + 281 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_best) == 8 + 282 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_find_step) == 8 + 283 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_remove) == 8 + 284 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_get_manifest) == 8 + 285 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_verify_result_init) == 8 + 286 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_manager_verify) == 8 + 287 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tensor_info_init) == 8 + 288 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_create_from_checkpoint) == 8 + 289 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_create) == 8 + 290 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_get_tensor_count) == 8 + 291 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_get_tensor) == 8 + 292 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_find) == 8 + 293 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_get_metadata_count) == 8 + 294 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_get_metadata) == 8 + 295 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_read) == 8 + 296 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_read_new) == 8 + 297 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_read_slice) == 8 + 298 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_map) == 8 + 299 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_reader_release) == 8 + 300 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_safetensors_write) == 8 + 301 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_interval_young) == 8 + 302 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_interval_daly) == 8 + 303 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_interval_expected_value) == 8 + 304 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_interval_weibull) == 8 + 305 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_weibull_fit) == 8 + 306 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_options_init) == 8 + 307 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_create) == 8 + 308 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_observe_task) == 8 + 309 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_observe_failure) == 8 + 310 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_should_checkpoint) == 8 + 311 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_adjust_policy) == 8 + 312 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_begin_run) == 8 + 313 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_info_init) == 8 + 314 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_get_info) == 8 + 315 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_task_observation_init) == 8 + 316 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_list_tasks) == 8 + 317 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_threshold_release) == 8 + 318 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_options_init) == 8 + 319 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_create) == 8 + 320 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_get_now) == 8 + 321 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_begin_run) == 8 + 322 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_resume) == 8 + 323 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_decision_init) == 8 + 324 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_should_checkpoint) == 8 + 325 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_decide_all) == 8 + 326 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_begin) == 8 + 327 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_commit) == 8 + 328 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_abort) == 8 + 329 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_save_async) == 8 + 330 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_observe_task) == 8 + 331 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_record_failure) == 8 + 332 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_record_recovery) == 8 + 333 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_record_clean_exit) == 8 + 334 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_notify_preemption) == 8 + 335 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_info_init) == 8 + 336 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_get_info) == 8 + 337 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_list_tasks) == 8 + 338 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_get_json) == 8 + 339 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_restore) == 8 + 340 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_controller_release) == 8 + 341 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_simulation_options_init) == 8 + 342 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_simulation_create) == 8 + 343 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_simulation_get_json) == 8 + 344 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_simulation_release) == 8 + 345 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_task_result_init) == 8 + 346 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_task_callbacks_init) == 8 + 347 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_options_init) == 8 + 348 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_create) == 8 + 349 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_close) == 8 + 350 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_release) == 8 + 351 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_task_options_init) == 8 + 352 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_save) == 8 + 353 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_load) == 8 + 354 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_cancel) == 8 + 355 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_wait_staged) == 8 + 356 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_wait) == 8 + 357 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_get_save_result) == 8 + 358 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_get_load_result) == 8 + 359 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_end_step) == 8 + 360 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_checkpoint_task_info_init) == 8 + 361 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_get_task) == 8 + 362 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_list) == 8 + 363 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_stats_init) == 8 + 364 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_async_manager_get_stats) == 8 + 365 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_create) == 8 + 366 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_layer_get_known_kinds) == 8 + 367 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_create) == 8 + 368 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_null) == 8 + 369 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_boolean) == 8 + 370 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_integer) == 8 + 371 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_number) == 8 + 372 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_complex) == 8 + 373 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_bytes) == 8 + 374 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_container) == 8 + 375 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_add_tensor) == 8 + 376 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_state_set_tree) == 8 + 377 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_text) == 8 + 378 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_create_from_text) == 8 + 379 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_create_from_state) == 8 + 380 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_create_from_reader) == 8 + 381 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_node) == 8 + 382 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_find) == 8 + 383 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_integer) == 8 + 384 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_number) == 8 + 385 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_bytes) == 8 + 386 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_form) == 8 + 387 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_get_tensor) == 8 + 388 * sizeof(void (*)()));
static_assert(offsetof(ckpt_api, ckpt_tree_release) == 8 + 389 * sizeof(void (*)()));

const ckpt_api* ckpt_get_api(uint32_t version) {
  static const ckpt_api table = {
      sizeof(ckpt_api),
      ckpt_status_name,
      ckpt_last_error,
      ckpt_callback_error,
      ckpt_version,
      ckpt_version_string,
      ckpt_build_info,
      ckpt_feature,
      ckpt_get_api,
      ckpt_set_log,
      ckpt_add_thread_hooks,
      ckpt_remove_thread_hooks,
      ckpt_clock_create_manual,
      ckpt_clock_create_custom,
      ckpt_clock_advance,
      ckpt_clock_get_now,
      ckpt_clock_release,
      ckpt_random_philox,
      ckpt_word_queue_create,
      ckpt_word_queue_push,
      ckpt_word_queue_pop,
      ckpt_word_queue_close,
      ckpt_word_queue_get_word_count,
      ckpt_word_queue_release,
      ckpt_available_threads,
      ckpt_worker_pool_create,
      ckpt_worker_pool_run,
      ckpt_worker_pool_get_thread_count,
      ckpt_worker_pool_release,
      ckpt_memory_tracker_options_init,
      ckpt_memory_tracker_create,
      ckpt_memory_tracker_retain,
      ckpt_memory_tracker_release,
      ckpt_memory_tracker_add_layer,
      ckpt_memory_tracker_find_layer,
      ckpt_memory_tracker_get_layer_name,
      ckpt_memory_tracker_record_allocation,
      ckpt_memory_tracker_record_allocation_named,
      ckpt_memory_tracker_try_reserve,
      ckpt_memory_tracker_try_reserve_named,
      ckpt_memory_tracker_record_deallocation,
      ckpt_memory_tracker_record_deallocation_layer,
      ckpt_memory_tracker_record_deallocation_named,
      ckpt_memory_stats_init,
      ckpt_memory_layer_stats_init,
      ckpt_memory_allocation_init,
      ckpt_memory_tracker_get_stats,
      ckpt_memory_tracker_get_layer_stats,
      ckpt_memory_tracker_get_layer_stats_named,
      ckpt_memory_tracker_get_snapshot,
      ckpt_memory_tracker_list_allocations,
      ckpt_memory_tracker_get_savings,
      ckpt_memory_tracker_reset_stats,
      ckpt_memory_scope_stats_init,
      ckpt_memory_tracker_push_scope,
      ckpt_memory_tracker_pop_scope,
      ckpt_memory_tracker_get_scope_stats,
      ckpt_memory_tracker_set_limit,
      ckpt_memory_tracker_clear_limit,
      ckpt_memory_tracker_get_limit,
      ckpt_memory_event_init,
      ckpt_memory_tracker_subscribe,
      ckpt_memory_tracker_subscribe_queue,
      ckpt_memory_tracker_unsubscribe,
      ckpt_memory_tracker_poll_event,
      ckpt_memory_tracker_get_dropped_events,
      ckpt_memory_tracker_enable_events,
      ckpt_memory_tracker_set_peak_granularity,
      ckpt_memory_tracker_get_json,
      ckpt_memory_tracker_get_prometheus,
      ckpt_memory_system_init,
      ckpt_memory_probe,
      ckpt_dtype_bits,
      ckpt_dtype_name,
      ckpt_dtype_find,
      ckpt_buffer_pool_options_init,
      ckpt_buffer_pool_stats_init,
      ckpt_buffer_pool_create,
      ckpt_buffer_pool_get_stats,
      ckpt_buffer_pool_trim,
      ckpt_buffer_pool_release,
      ckpt_tensor_create,
      ckpt_tensor_create_borrowed,
      ckpt_tensor_retain,
      ckpt_tensor_release,
      ckpt_tensor_get_data,
      ckpt_tensor_get_const_data,
      ckpt_tensor_get_bytes,
      ckpt_tensor_get_element_count,
      ckpt_tensor_get_dtype,
      ckpt_tensor_get_ndim,
      ckpt_tensor_get_shape,
      ckpt_tensor_is_read_only,
      ckpt_tensor_fill,
      ckpt_tensor_scale,
      ckpt_tensor_add_scaled,
      ckpt_tensor_sum,
      ckpt_tensor_dot,
      ckpt_tensor_copy,
      ckpt_tensor_is_bit_equal,
      ckpt_tensor_create_from_dlpack,
      ckpt_tensor_create_from_dlpack_versioned,
      ckpt_tensor_export_dlpack,
      ckpt_tensor_export_dlpack_versioned,
      ckpt_file_system_options_init,
      ckpt_storage_create_file_system,
      ckpt_storage_create_memory,
      ckpt_storage_callbacks_init,
      ckpt_storage_create_custom,
      ckpt_fault_handler_options_init,
      ckpt_fault_handler_create,
      ckpt_fault_handler_get_retry_count,
      ckpt_fault_handler_release,
      ckpt_storage_create_retrying,
      ckpt_storage_release,
      ckpt_strategy_create_interval,
      ckpt_strategy_create_selective,
      ckpt_strategy_create_size_based,
      ckpt_strategy_create_memory_aware,
      ckpt_smart_strategy_options_init,
      ckpt_strategy_create_smart,
      ckpt_strategy_create_any,
      ckpt_strategy_create_all,
      ckpt_strategy_create_not,
      ckpt_strategy_create_first,
      ckpt_strategy_create,
      ckpt_strategy_question_init,
      ckpt_strategy_callbacks_init,
      ckpt_strategy_create_custom,
      ckpt_strategy_register,
      ckpt_strategy_unregister,
      ckpt_strategy_get_known_kinds,
      ckpt_strategy_should_checkpoint,
      ckpt_strategy_should_checkpoint_shape,
      ckpt_strategy_observe_access,
      ckpt_strategy_get_name,
      ckpt_strategy_reset,
      ckpt_strategy_get_chosen,
      ckpt_strategy_set_chosen,
      ckpt_strategy_counters_init,
      ckpt_strategy_get_counters,
      ckpt_strategy_info_init,
      ckpt_strategy_get_info,
      ckpt_strategy_get_pattern,
      ckpt_strategy_get_child,
      ckpt_strategy_get_text,
      ckpt_strategy_retain,
      ckpt_strategy_release,
      ckpt_action_kind_name,
      ckpt_layer_profile_init,
      ckpt_option_profile_init,
      ckpt_profile_create,
      ckpt_profile_add_layer,
      ckpt_profile_add_option,
      ckpt_profile_get_layer_count,
      ckpt_profile_get_input_bytes,
      ckpt_profile_get_layer,
      ckpt_profile_get_option,
      ckpt_profile_release,
      ckpt_schedule_create,
      ckpt_schedule_get_known_planners,
      ckpt_schedule_create_segments,
      ckpt_schedule_create_from_strategy,
      ckpt_schedule_create_open_ended,
      ckpt_schedule_create_list,
      ckpt_schedule_get_name,
      ckpt_schedule_get_left_out,
      ckpt_schedule_get_fingerprint,
      ckpt_schedule_get_layer_count,
      ckpt_schedule_retain,
      ckpt_schedule_release,
      ckpt_follower_create,
      ckpt_follower_next,
      ckpt_follower_release,
      ckpt_cursor_create,
      ckpt_cursor_next,
      ckpt_cursor_next_many,
      ckpt_cursor_finalize,
      ckpt_cursor_save,
      ckpt_cursor_restore,
      ckpt_cursor_release,
      ckpt_plan_report_init,
      ckpt_schedule_verify,
      ckpt_schedule_place,
      ckpt_blas_init,
      ckpt_blas_set,
      ckpt_blas_get_info,
      ckpt_layer_callbacks_init,
      ckpt_layer_create_custom,
      ckpt_layer_release,
      ckpt_chain_create,
      ckpt_chain_add,
      ckpt_chain_get_layer_count,
      ckpt_chain_initialize,
      ckpt_chain_get_parameter_count,
      ckpt_chain_get_parameter,
      ckpt_chain_clip_gradients,
      ckpt_profile_create_from_chain,
      ckpt_chain_release,
      ckpt_schedule_executor_options_init,
      ckpt_schedule_executor_create,
      ckpt_step_init,
      ckpt_schedule_executor_run,
      ckpt_schedule_executor_stats_init,
      ckpt_schedule_executor_get_stats,
      ckpt_schedule_executor_release,
      ckpt_optimizer_create_sgd,
      ckpt_adamw_options_init,
      ckpt_optimizer_create_adamw,
      ckpt_optimizer_step,
      ckpt_optimizer_get_step_count,
      ckpt_optimizer_set_step_count,
      ckpt_optimizer_get_tensor_count,
      ckpt_optimizer_get_tensor,
      ckpt_optimizer_release,
      ckpt_activation_policy_init,
      ckpt_activation_manager_options_init,
      ckpt_activation_manager_create,
      ckpt_activation_manager_set_policy,
      ckpt_activation_manager_get_policy,
      ckpt_activation_manager_begin_step,
      ckpt_activation_manager_should_checkpoint,
      ckpt_activation_manager_store,
      ckpt_activation_manager_store_moved,
      ckpt_activation_manager_get_activation,
      ckpt_activation_manager_has_activation,
      ckpt_activation_manager_recompute,
      ckpt_activation_manager_get_or_compute,
      ckpt_activation_manager_clear,
      ckpt_activation_manager_get_memory_usage,
      ckpt_activation_metadata_init,
      ckpt_activation_manager_get_metadata,
      ckpt_activation_manager_list,
      ckpt_activation_manager_release,
      ckpt_pipeline_options_init,
      ckpt_pipeline_split,
      ckpt_pipeline_get_in_flight,
      ckpt_pipeline_create,
      ckpt_pipeline_run,
      ckpt_pipeline_cancel,
      ckpt_pipeline_get_begins,
      ckpt_pipeline_get_manager,
      ckpt_pipeline_get_schedule,
      ckpt_pipeline_get_profile,
      ckpt_pipeline_stats_init,
      ckpt_pipeline_get_stats,
      ckpt_pipeline_get_timeline,
      ckpt_pipeline_get_trace_json,
      ckpt_pipeline_release,
      ckpt_state_create,
      ckpt_state_add_tensor,
      ckpt_state_get_tensor_count,
      ckpt_state_set_json,
      ckpt_state_get_json,
      ckpt_state_set_rarely_changes,
      ckpt_state_get_load_report,
      ckpt_state_release,
      ckpt_stateful_callbacks_init,
      ckpt_state_add_stateful,
      ckpt_coordinator_callbacks_init,
      ckpt_coordinator_create_single,
      ckpt_coordinator_create_custom,
      ckpt_coordinator_get_rank,
      ckpt_coordinator_get_world_size,
      ckpt_coordinator_barrier,
      ckpt_coordinator_broadcast,
      ckpt_coordinator_all_gather,
      ckpt_coordinator_release,
      ckpt_checkpoint_manager_options_init,
      ckpt_checkpoint_manager_create,
      ckpt_checkpoint_manager_get_storage,
      ckpt_checkpoint_manager_get_coordinator,
      ckpt_checkpoint_manager_get_fault_handler,
      ckpt_checkpoint_manager_release,
      ckpt_save_options_init,
      ckpt_save_result_init,
      ckpt_checkpoint_manager_save,
      ckpt_load_options_init,
      ckpt_load_result_init,
      ckpt_checkpoint_manager_load,
      ckpt_checkpoint_info_init,
      ckpt_checkpoint_manager_list,
      ckpt_checkpoint_manager_get_latest,
      ckpt_checkpoint_manager_get_best,
      ckpt_checkpoint_manager_find_step,
      ckpt_checkpoint_manager_remove,
      ckpt_checkpoint_manager_get_manifest,
      ckpt_verify_result_init,
      ckpt_checkpoint_manager_verify,
      ckpt_tensor_info_init,
      ckpt_reader_create_from_checkpoint,
      ckpt_reader_create,
      ckpt_reader_get_tensor_count,
      ckpt_reader_get_tensor,
      ckpt_reader_find,
      ckpt_reader_get_metadata_count,
      ckpt_reader_get_metadata,
      ckpt_reader_read,
      ckpt_reader_read_new,
      ckpt_reader_read_slice,
      ckpt_reader_map,
      ckpt_reader_release,
      ckpt_safetensors_write,
      ckpt_interval_young,
      ckpt_interval_daly,
      ckpt_interval_expected_value,
      ckpt_interval_weibull,
      ckpt_weibull_fit,
      ckpt_threshold_options_init,
      ckpt_threshold_create,
      ckpt_threshold_observe_task,
      ckpt_threshold_observe_failure,
      ckpt_threshold_should_checkpoint,
      ckpt_threshold_adjust_policy,
      ckpt_threshold_begin_run,
      ckpt_threshold_info_init,
      ckpt_threshold_get_info,
      ckpt_task_observation_init,
      ckpt_threshold_list_tasks,
      ckpt_threshold_release,
      ckpt_controller_options_init,
      ckpt_controller_create,
      ckpt_controller_get_now,
      ckpt_controller_begin_run,
      ckpt_controller_resume,
      ckpt_decision_init,
      ckpt_controller_should_checkpoint,
      ckpt_controller_decide_all,
      ckpt_controller_begin,
      ckpt_controller_commit,
      ckpt_controller_abort,
      ckpt_controller_save_async,
      ckpt_controller_observe_task,
      ckpt_controller_record_failure,
      ckpt_controller_record_recovery,
      ckpt_controller_record_clean_exit,
      ckpt_controller_notify_preemption,
      ckpt_controller_info_init,
      ckpt_controller_get_info,
      ckpt_controller_list_tasks,
      ckpt_controller_get_json,
      ckpt_controller_restore,
      ckpt_controller_release,
      ckpt_simulation_options_init,
      ckpt_simulation_create,
      ckpt_simulation_get_json,
      ckpt_simulation_release,
      ckpt_checkpoint_task_result_init,
      ckpt_checkpoint_task_callbacks_init,
      ckpt_async_manager_options_init,
      ckpt_async_manager_create,
      ckpt_async_manager_close,
      ckpt_async_manager_release,
      ckpt_checkpoint_task_options_init,
      ckpt_async_manager_save,
      ckpt_async_manager_load,
      ckpt_async_manager_cancel,
      ckpt_async_manager_wait_staged,
      ckpt_async_manager_wait,
      ckpt_async_manager_get_save_result,
      ckpt_async_manager_get_load_result,
      ckpt_async_manager_end_step,
      ckpt_checkpoint_task_info_init,
      ckpt_async_manager_get_task,
      ckpt_async_manager_list,
      ckpt_async_manager_stats_init,
      ckpt_async_manager_get_stats,
      ckpt_layer_create,
      ckpt_layer_get_known_kinds,
      ckpt_tree_create,
      ckpt_tree_add_null,
      ckpt_tree_add_boolean,
      ckpt_tree_add_integer,
      ckpt_tree_add_number,
      ckpt_tree_add_complex,
      ckpt_tree_add_bytes,
      ckpt_tree_add_container,
      ckpt_tree_add_tensor,
      ckpt_state_set_tree,
      ckpt_tree_get_text,
      ckpt_tree_create_from_text,
      ckpt_tree_create_from_state,
      ckpt_tree_create_from_reader,
      ckpt_tree_get_node,
      ckpt_tree_find,
      ckpt_tree_get_integer,
      ckpt_tree_get_number,
      ckpt_tree_get_bytes,
      ckpt_tree_get_form,
      ckpt_tree_get_tensor,
      ckpt_tree_release,
  };
  return version == CKPT_API_VERSION ? &table : nullptr;
}
