/* api.h - the whole C API as a table of function pointers, for programs that load libckpt with dlopen:
 *
 *   const struct ckpt_api *(*get_api)(uint32_t) = (const struct ckpt_api *(*)(uint32_t))dlsym(library, "ckpt_get_api");
 *   const struct ckpt_api *api = get_api(CKPT_API_VERSION);
 *
 * Members are only ever appended; each has the name and meaning of the function it points to. A table whose size is smaller than a
 * member's end comes from an older library that lacks it. Made from include/ckpt by tools/api: do not edit. */
#ifndef CKPT_API_H
#define CKPT_API_H

#include <ckpt/adaptive.h>
#include <ckpt/async.h>
#include <ckpt/base.h>
#include <ckpt/engine.h>
#include <ckpt/memory.h>
#include <ckpt/pipeline.h>
#include <ckpt/plan.h>
#include <ckpt/state.h>
#include <ckpt/storage.h>
#include <ckpt/strategy.h>
#include <ckpt/tensor.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CKPT_API_VERSION 0U

typedef struct ckpt_api {
  uint64_t size; /* bytes of this table in the library that is loaded */
  const char* (*ckpt_status_name)(ckpt_status status);
  const char* (*ckpt_last_error)(void);
  void (*ckpt_callback_error)(const char* text);
  int32_t (*ckpt_version)(void);
  const char* (*ckpt_version_string)(void);
  const char* (*ckpt_build_info)(void);
  int32_t (*ckpt_feature)(const char* name);
  const struct ckpt_api* (*ckpt_get_api)(uint32_t version);
  ckpt_status (*ckpt_set_log)(int32_t min_level, ckpt_log_fn fn, void* user_data, ckpt_destroy_fn destroy);
  ckpt_status (*ckpt_add_thread_hooks)(ckpt_thread_hook_fn start, ckpt_thread_hook_fn stop, void* user_data,
                                       ckpt_destroy_fn destroy, int64_t* id);
  ckpt_status (*ckpt_remove_thread_hooks)(int64_t id);
  ckpt_status (*ckpt_clock_create_manual)(int64_t start_ns, ckpt_clock** clock);
  ckpt_status (*ckpt_clock_create_custom)(ckpt_clock_fn now, void* user_data, ckpt_destroy_fn destroy, ckpt_clock** clock);
  ckpt_status (*ckpt_clock_advance)(ckpt_clock* clock, int64_t ns);
  ckpt_status (*ckpt_clock_now)(const ckpt_clock* clock, int64_t* now_ns);
  void (*ckpt_clock_release)(ckpt_clock* clock);
  ckpt_status (*ckpt_random_philox)(const uint32_t counter[4], const uint32_t key[2], uint32_t out[4]);
  ckpt_status (*ckpt_queue_create)(int32_t kind, int64_t capacity, ckpt_queue** queue);
  ckpt_status (*ckpt_queue_push)(ckpt_queue* queue, uint64_t value, int64_t timeout_ns);
  ckpt_status (*ckpt_queue_pop)(ckpt_queue* queue, uint64_t* value, int64_t timeout_ns);
  ckpt_status (*ckpt_queue_close)(ckpt_queue* queue);
  ckpt_status (*ckpt_queue_size)(const ckpt_queue* queue, int64_t* size);
  void (*ckpt_queue_release)(ckpt_queue* queue);
  int32_t (*ckpt_available_threads)(void);
  ckpt_status (*ckpt_thread_pool_create)(int32_t threads, ckpt_thread_pool** pool);
  ckpt_status (*ckpt_thread_pool_run)(ckpt_thread_pool* pool, int64_t parts, ckpt_part_fn fn, void* user_data);
  int32_t (*ckpt_thread_pool_threads)(const ckpt_thread_pool* pool);
  void (*ckpt_thread_pool_release)(ckpt_thread_pool* pool);
  const char* (*ckpt_action_name)(int32_t kind);
  void (*ckpt_layer_profile_init)(ckpt_layer_profile* layer, uint32_t size);
  void (*ckpt_option_profile_init)(ckpt_option_profile* option, uint32_t size);
  ckpt_status (*ckpt_profile_create)(int64_t input_bytes, ckpt_profile** profile);
  ckpt_status (*ckpt_profile_add_layer)(ckpt_profile* profile, const char* name, const ckpt_layer_profile* layer);
  ckpt_status (*ckpt_profile_add_option)(ckpt_profile* profile, const ckpt_option_profile* option);
  ckpt_status (*ckpt_profile_layers)(const ckpt_profile* profile, int64_t* layers);
  ckpt_status (*ckpt_profile_input_bytes)(const ckpt_profile* profile, int64_t* bytes);
  ckpt_status (*ckpt_profile_layer)(const ckpt_profile* profile, int64_t layer, ckpt_layer_profile* out, const char** name,
                                    int32_t* options);
  ckpt_status (*ckpt_profile_option)(const ckpt_profile* profile, int64_t layer, int32_t option, ckpt_option_profile* out);
  void (*ckpt_profile_release)(ckpt_profile* profile);
  ckpt_status (*ckpt_schedule_create_store_all)(const ckpt_profile* profile, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_recompute_all)(const ckpt_profile* profile, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_periodic)(const ckpt_profile* profile, int64_t segments, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_segments)(const ckpt_profile* profile, const int64_t* begins, int64_t count,
                                               ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_from_strategy)(const ckpt_profile* profile, ckpt_strategy* strategy, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_open_ended)(int64_t period, uint32_t layer_flags, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_list)(int64_t layers, const ckpt_action* actions, int64_t count, ckpt_schedule** schedule);
  ckpt_status (*ckpt_schedule_create_for_budget)(const ckpt_profile* profile, int64_t budget_bytes, ckpt_schedule** schedule);
  const char* (*ckpt_schedule_name)(const ckpt_schedule* schedule);
  ckpt_status (*ckpt_schedule_layers)(const ckpt_schedule* schedule, int64_t* layers);
  void (*ckpt_schedule_retain)(ckpt_schedule* schedule);
  void (*ckpt_schedule_release)(ckpt_schedule* schedule);
  ckpt_status (*ckpt_cursor_create)(ckpt_schedule* schedule, ckpt_cursor** cursor);
  ckpt_status (*ckpt_cursor_next)(ckpt_cursor* cursor, ckpt_action* action);
  ckpt_status (*ckpt_cursor_next_many)(ckpt_cursor* cursor, ckpt_action* actions, int64_t capacity, int64_t* count);
  ckpt_status (*ckpt_cursor_finalize)(ckpt_cursor* cursor, int64_t n);
  ckpt_status (*ckpt_cursor_save)(const ckpt_cursor* cursor, void* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_cursor_restore)(ckpt_cursor* cursor, const void* bytes, int64_t count);
  void (*ckpt_cursor_release)(ckpt_cursor* cursor);
  void (*ckpt_plan_report_init)(ckpt_plan_report* report, uint32_t size);
  ckpt_status (*ckpt_schedule_verify)(const ckpt_schedule* schedule, const ckpt_profile* profile, ckpt_plan_report* report);
  ckpt_status (*ckpt_schedule_place)(const ckpt_schedule* schedule, const ckpt_profile* profile, int64_t* reserved_bytes);
  void (*ckpt_blas_init)(ckpt_blas* blas, uint32_t size);
  ckpt_status (*ckpt_blas_set)(const ckpt_blas* blas);
  ckpt_status (*ckpt_blas_info)(char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_layer_create_linear)(const char* name, int64_t inputs, int64_t outputs, ckpt_dtype dtype, ckpt_layer** layer);
  ckpt_status (*ckpt_layer_create_relu)(const char* name, ckpt_layer** layer);
  ckpt_status (*ckpt_layer_create_gelu)(const char* name, ckpt_layer** layer);
  ckpt_status (*ckpt_layer_create_embedding)(const char* name, int64_t vocabulary, int64_t context, int64_t width, ckpt_dtype dtype,
                                             ckpt_layer** layer);
  ckpt_status (*ckpt_layer_create_dropout)(const char* name, double probability, ckpt_layer** layer);
  ckpt_status (*ckpt_layer_create_softmax_cross_entropy)(const char* name, ckpt_layer** layer);
  void (*ckpt_layer_callbacks_init)(ckpt_layer_callbacks* callbacks, uint32_t size);
  ckpt_status (*ckpt_layer_create_custom)(const char* name, const ckpt_layer_callbacks* callbacks, void* user_data,
                                          ckpt_destroy_fn destroy, ckpt_layer** layer);
  void (*ckpt_layer_release)(ckpt_layer* layer);
  ckpt_status (*ckpt_chain_create)(int64_t first_layer, ckpt_chain** chain);
  ckpt_status (*ckpt_chain_add)(ckpt_chain* chain, ckpt_layer* layer);
  ckpt_status (*ckpt_chain_layers)(const ckpt_chain* chain, int64_t* layers);
  ckpt_status (*ckpt_chain_initialize)(ckpt_chain* chain, uint64_t seed);
  ckpt_status (*ckpt_chain_parameters)(const ckpt_chain* chain, int64_t* parameters);
  ckpt_status (*ckpt_chain_parameter)(const ckpt_chain* chain, int64_t parameter, const char** name, ckpt_tensor** value,
                                      ckpt_tensor** gradient);
  ckpt_status (*ckpt_chain_clip_gradients)(ckpt_chain* chain, double max_norm, double* norm);
  ckpt_status (*ckpt_chain_profile)(ckpt_chain* chain, const ckpt_tensor_spec* input, int32_t measured_steps,
                                    ckpt_thread_pool* pool, ckpt_profile** profile);
  void (*ckpt_chain_release)(ckpt_chain* chain);
  void (*ckpt_executor_options_init)(ckpt_executor_options* options, uint32_t size);
  ckpt_status (*ckpt_executor_create)(ckpt_chain* chain, ckpt_schedule* schedule, const ckpt_tensor_spec* input,
                                      const ckpt_executor_options* options, ckpt_executor** executor);
  void (*ckpt_step_init)(ckpt_step* step, uint32_t size);
  ckpt_status (*ckpt_executor_run)(ckpt_executor* executor, const ckpt_step* step, double* loss);
  void (*ckpt_executor_stats_init)(ckpt_executor_stats* stats, uint32_t size);
  ckpt_status (*ckpt_executor_get_stats)(const ckpt_executor* executor, ckpt_executor_stats* stats);
  void (*ckpt_executor_release)(ckpt_executor* executor);
  ckpt_status (*ckpt_optimizer_create_sgd)(ckpt_chain* chain, double learning_rate, double momentum, ckpt_optimizer** optimizer);
  void (*ckpt_adamw_options_init)(ckpt_adamw_options* options, uint32_t size);
  ckpt_status (*ckpt_optimizer_create_adamw)(ckpt_chain* chain, const ckpt_adamw_options* options, ckpt_optimizer** optimizer);
  ckpt_status (*ckpt_optimizer_step)(ckpt_optimizer* optimizer);
  ckpt_status (*ckpt_optimizer_steps)(const ckpt_optimizer* optimizer, int64_t* steps);
  ckpt_status (*ckpt_optimizer_set_steps)(ckpt_optimizer* optimizer, int64_t steps);
  ckpt_status (*ckpt_optimizer_tensors)(const ckpt_optimizer* optimizer, int64_t* tensors);
  ckpt_status (*ckpt_optimizer_tensor)(const ckpt_optimizer* optimizer, int64_t tensor, const char** name, ckpt_tensor** value);
  void (*ckpt_optimizer_release)(ckpt_optimizer* optimizer);
  void (*ckpt_memory_tracker_options_init)(ckpt_memory_tracker_options* options, uint32_t size);
  ckpt_status (*ckpt_memory_tracker_create)(const ckpt_memory_tracker_options* options, ckpt_memory_tracker** tracker);
  void (*ckpt_memory_tracker_retain)(ckpt_memory_tracker* tracker);
  void (*ckpt_memory_tracker_release)(ckpt_memory_tracker* tracker);
  ckpt_status (*ckpt_memory_tracker_layer)(ckpt_memory_tracker* tracker, const char* name, int32_t* layer);
  ckpt_status (*ckpt_memory_tracker_find_layer)(const ckpt_memory_tracker* tracker, const char* name, int32_t* layer);
  ckpt_status (*ckpt_memory_tracker_layer_name)(const ckpt_memory_tracker* tracker, int32_t layer, const char** name);
  ckpt_status (*ckpt_memory_tracker_record_allocation)(ckpt_memory_tracker* tracker, int32_t layer, int64_t bytes,
                                                       uint64_t* allocation);
  ckpt_status (*ckpt_memory_tracker_record_allocation_named)(ckpt_memory_tracker* tracker, const char* name, int64_t bytes,
                                                             uint64_t* allocation);
  ckpt_status (*ckpt_memory_tracker_try_reserve)(ckpt_memory_tracker* tracker, int32_t layer, int64_t bytes, uint64_t* allocation);
  ckpt_status (*ckpt_memory_tracker_try_reserve_named)(ckpt_memory_tracker* tracker, const char* name, int64_t bytes,
                                                       uint64_t* allocation);
  ckpt_status (*ckpt_memory_tracker_record_deallocation)(ckpt_memory_tracker* tracker, uint64_t allocation);
  ckpt_status (*ckpt_memory_tracker_record_deallocation_layer)(ckpt_memory_tracker* tracker, int32_t layer, int64_t* freed);
  ckpt_status (*ckpt_memory_tracker_record_deallocation_named)(ckpt_memory_tracker* tracker, const char* name, int64_t* freed);
  void (*ckpt_memory_stats_init)(ckpt_memory_stats* stats, uint32_t size);
  void (*ckpt_memory_layer_stats_init)(ckpt_memory_layer_stats* stats, uint32_t size);
  void (*ckpt_memory_allocation_init)(ckpt_memory_allocation* allocation, uint32_t size);
  ckpt_status (*ckpt_memory_tracker_stats)(const ckpt_memory_tracker* tracker, ckpt_memory_stats* stats);
  ckpt_status (*ckpt_memory_tracker_layer_stats)(const ckpt_memory_tracker* tracker, int32_t layer, ckpt_memory_layer_stats* stats);
  ckpt_status (*ckpt_memory_tracker_layer_stats_named)(const ckpt_memory_tracker* tracker, const char* name,
                                                       ckpt_memory_layer_stats* stats);
  ckpt_status (*ckpt_memory_tracker_snapshot)(const ckpt_memory_tracker* tracker, int32_t order, ckpt_memory_stats* stats,
                                              ckpt_memory_layer_stats* layers, int64_t capacity, int64_t* count);
  ckpt_status (*ckpt_memory_tracker_live_allocations)(const ckpt_memory_tracker* tracker, ckpt_memory_allocation* allocations,
                                                      int64_t capacity, int64_t* count);
  ckpt_status (*ckpt_memory_tracker_savings)(const ckpt_memory_tracker* tracker, int64_t store_all_bytes, int64_t* saved_bytes,
                                             double* fraction);
  ckpt_status (*ckpt_memory_tracker_reset_stats)(ckpt_memory_tracker* tracker);
  void (*ckpt_memory_scope_stats_init)(ckpt_memory_scope_stats* stats, uint32_t size);
  ckpt_status (*ckpt_memory_tracker_push_scope)(ckpt_memory_tracker* tracker, const char* name, uint64_t* scope);
  ckpt_status (*ckpt_memory_tracker_pop_scope)(ckpt_memory_tracker* tracker, uint64_t scope, ckpt_memory_scope_stats* stats);
  ckpt_status (*ckpt_memory_tracker_scope_stats)(const ckpt_memory_tracker* tracker, uint64_t scope,
                                                 ckpt_memory_scope_stats* stats);
  ckpt_status (*ckpt_memory_tracker_set_limit)(ckpt_memory_tracker* tracker, int64_t limit_bytes, int64_t hysteresis_bytes);
  ckpt_status (*ckpt_memory_tracker_clear_limit)(ckpt_memory_tracker* tracker);
  ckpt_status (*ckpt_memory_tracker_limit)(const ckpt_memory_tracker* tracker, int64_t* limit_bytes, int64_t* hysteresis_bytes);
  void (*ckpt_memory_event_init)(ckpt_memory_event* event, uint32_t size);
  ckpt_status (*ckpt_memory_tracker_subscribe)(ckpt_memory_tracker* tracker, uint32_t kinds, ckpt_memory_event_fn fn,
                                               void* user_data, ckpt_destroy_fn destroy, int64_t* subscription);
  ckpt_status (*ckpt_memory_tracker_subscribe_queue)(ckpt_memory_tracker* tracker, uint32_t kinds, int64_t capacity,
                                                     int64_t* subscription);
  ckpt_status (*ckpt_memory_tracker_unsubscribe)(ckpt_memory_tracker* tracker, int64_t subscription);
  ckpt_status (*ckpt_memory_tracker_poll_event)(ckpt_memory_tracker* tracker, int64_t subscription, ckpt_memory_event* event,
                                                int32_t* got);
  ckpt_status (*ckpt_memory_tracker_dropped_events)(const ckpt_memory_tracker* tracker, int64_t subscription, int64_t* dropped);
  ckpt_status (*ckpt_memory_tracker_enable_events)(ckpt_memory_tracker* tracker, int32_t enabled);
  ckpt_status (*ckpt_memory_tracker_set_peak_granularity)(ckpt_memory_tracker* tracker, int64_t bytes);
  ckpt_status (*ckpt_memory_tracker_json)(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer, int64_t capacity,
                                          int64_t* needed);
  ckpt_status (*ckpt_memory_tracker_prometheus)(const ckpt_memory_tracker* tracker, int64_t max_layers, char* buffer,
                                                int64_t capacity, int64_t* needed);
  void (*ckpt_memory_system_init)(ckpt_memory_system* system, uint32_t size);
  ckpt_status (*ckpt_memory_probe)(ckpt_memory_system* system);
  int64_t (*ckpt_dtype_bits)(ckpt_dtype dtype);
  const char* (*ckpt_dtype_name)(ckpt_dtype dtype);
  ckpt_status (*ckpt_dtype_from_name)(const char* name, ckpt_dtype* dtype);
  void (*ckpt_buffer_pool_options_init)(ckpt_buffer_pool_options* options, uint32_t size);
  void (*ckpt_buffer_pool_stats_init)(ckpt_buffer_pool_stats* stats, uint32_t size);
  ckpt_status (*ckpt_buffer_pool_create)(ckpt_memory_tracker* tracker, const ckpt_buffer_pool_options* options,
                                         ckpt_buffer_pool** pool);
  ckpt_status (*ckpt_buffer_pool_get_stats)(const ckpt_buffer_pool* pool, ckpt_buffer_pool_stats* stats);
  ckpt_status (*ckpt_buffer_pool_trim)(ckpt_buffer_pool* pool, int64_t keep_bytes);
  void (*ckpt_buffer_pool_release)(ckpt_buffer_pool* pool);
  ckpt_status (*ckpt_tensor_create)(ckpt_dtype dtype, const int64_t* shape, int64_t ndim, ckpt_buffer_pool* pool,
                                    ckpt_tensor** tensor);
  ckpt_status (*ckpt_tensor_borrow)(void* data, ckpt_dtype dtype, const int64_t* shape, int64_t ndim, ckpt_destroy_fn release,
                                    void* user_data, ckpt_tensor** tensor);
  void (*ckpt_tensor_retain)(ckpt_tensor* tensor);
  void (*ckpt_tensor_release)(ckpt_tensor* tensor);
  void* (*ckpt_tensor_data)(ckpt_tensor* tensor);
  const void* (*ckpt_tensor_const_data)(const ckpt_tensor* tensor);
  int64_t (*ckpt_tensor_bytes)(const ckpt_tensor* tensor);
  int64_t (*ckpt_tensor_elements)(const ckpt_tensor* tensor);
  ckpt_dtype (*ckpt_tensor_dtype)(const ckpt_tensor* tensor);
  int64_t (*ckpt_tensor_ndim)(const ckpt_tensor* tensor);
  const int64_t* (*ckpt_tensor_shape)(const ckpt_tensor* tensor);
  int32_t (*ckpt_tensor_is_read_only)(const ckpt_tensor* tensor);
  ckpt_status (*ckpt_tensor_fill)(ckpt_tensor* target, double value);
  ckpt_status (*ckpt_tensor_scale)(ckpt_tensor* target, double factor);
  ckpt_status (*ckpt_tensor_add_scaled)(ckpt_tensor* target, double factor, const ckpt_tensor* source);
  ckpt_status (*ckpt_tensor_sum)(const ckpt_tensor* tensor, double* sum);
  ckpt_status (*ckpt_tensor_dot)(const ckpt_tensor* a, const ckpt_tensor* b, double* dot);
  ckpt_status (*ckpt_tensor_copy)(ckpt_tensor* target, const ckpt_tensor* source);
  ckpt_status (*ckpt_tensor_bit_equal)(const ckpt_tensor* a, const ckpt_tensor* b, int32_t* equal);
  ckpt_status (*ckpt_tensor_from_dlpack)(struct DLManagedTensor* managed, ckpt_tensor** tensor);
  ckpt_status (*ckpt_tensor_from_dlpack_versioned)(struct DLManagedTensorVersioned* managed, ckpt_tensor** tensor);
  ckpt_status (*ckpt_tensor_to_dlpack)(ckpt_tensor* tensor, struct DLManagedTensor** managed);
  ckpt_status (*ckpt_tensor_to_dlpack_versioned)(ckpt_tensor* tensor, struct DLManagedTensorVersioned** managed);
  ckpt_status (*ckpt_strategy_create_interval)(int64_t interval, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_selective)(const char* const* names, int64_t name_count, const char* const* excluded,
                                                int64_t excluded_count, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_size_based)(int64_t threshold_bytes, const char* const* excluded, int64_t excluded_count,
                                                 ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_memory_aware)(double max_share, ckpt_memory_tracker* tracker, int64_t total_bytes,
                                                   ckpt_clock* clock, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_smart)(const char* const* excluded, int64_t excluded_count, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_any)(ckpt_strategy* const* children, int64_t count, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_all)(ckpt_strategy* const* children, int64_t count, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_not)(ckpt_strategy* child, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_first)(const char* const* rules, ckpt_strategy* const* children, int64_t count,
                                            ckpt_strategy* fallback, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_create_from_text)(const char* text, ckpt_strategy** strategy);
  void (*ckpt_strategy_question_init)(ckpt_strategy_question* question, uint32_t size);
  void (*ckpt_strategy_callbacks_init)(ckpt_strategy_callbacks* callbacks, uint32_t size);
  ckpt_status (*ckpt_strategy_create_custom)(const char* name, const ckpt_strategy_callbacks* callbacks, void* user_data,
                                             ckpt_destroy_fn destroy, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_register)(const char* name, ckpt_strategy_factory_fn factory, void* user_data,
                                        ckpt_destroy_fn destroy);
  ckpt_status (*ckpt_strategy_unregister)(const char* name);
  ckpt_status (*ckpt_strategy_known_kinds)(char* buffer, int64_t capacity, int64_t* needed);
  void (*ckpt_strategy_config_init)(ckpt_strategy_config* config, uint32_t size);
  ckpt_status (*ckpt_strategy_create)(const ckpt_strategy_config* config, ckpt_strategy** strategy);
  ckpt_status (*ckpt_strategy_should_checkpoint)(ckpt_strategy* strategy, const char* layer_name, const ckpt_tensor* activation,
                                                 int64_t layer_index, int32_t* answer);
  ckpt_status (*ckpt_strategy_should_checkpoint_shape)(ckpt_strategy* strategy, const char* layer_name, ckpt_dtype dtype,
                                                       const int64_t* shape, int64_t ndim, int64_t layer_index, int32_t* answer);
  ckpt_status (*ckpt_strategy_observe_access)(ckpt_strategy* strategy, const char* layer_name);
  ckpt_status (*ckpt_strategy_name)(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_strategy_reset)(ckpt_strategy* strategy);
  ckpt_status (*ckpt_strategy_get_chosen)(const ckpt_strategy* strategy, int32_t* chosen);
  ckpt_status (*ckpt_strategy_set_chosen)(ckpt_strategy* strategy, int32_t chosen);
  void (*ckpt_strategy_counters_init)(ckpt_strategy_counters* counters, uint32_t size);
  ckpt_status (*ckpt_strategy_get_counters)(const ckpt_strategy* strategy, ckpt_strategy_counters* counters);
  void (*ckpt_strategy_retain)(ckpt_strategy* strategy);
  void (*ckpt_strategy_release)(ckpt_strategy* strategy);
  void (*ckpt_file_system_options_init)(ckpt_file_system_options* options, uint32_t size);
  ckpt_status (*ckpt_storage_create_file_system)(const char* root, const ckpt_file_system_options* options, ckpt_storage** storage);
  ckpt_status (*ckpt_storage_create_memory)(ckpt_storage** storage);
  void (*ckpt_storage_release)(ckpt_storage* storage);
  ckpt_status (*ckpt_state_create)(ckpt_state** state);
  ckpt_status (*ckpt_state_add_tensor)(ckpt_state* state, const char* group, const char* name, ckpt_tensor* tensor);
  ckpt_status (*ckpt_state_tensor_count)(const ckpt_state* state, int64_t* count);
  ckpt_status (*ckpt_state_set_json)(ckpt_state* state, const char* key, const char* json);
  ckpt_status (*ckpt_state_json)(const ckpt_state* state, const char* key, char* buffer, int64_t capacity, int64_t* needed);
  void (*ckpt_state_release)(ckpt_state* state);
  void (*ckpt_checkpoint_options_init)(ckpt_checkpoint_options* options, uint32_t size);
  ckpt_status (*ckpt_checkpoint_create)(ckpt_storage* storage, const ckpt_checkpoint_options* options,
                                        ckpt_checkpoint** checkpoint);
  void (*ckpt_checkpoint_release)(ckpt_checkpoint* checkpoint);
  void (*ckpt_save_options_init)(ckpt_save_options* options, uint32_t size);
  void (*ckpt_save_result_init)(ckpt_save_result* result, uint32_t size);
  ckpt_status (*ckpt_checkpoint_save)(ckpt_checkpoint* checkpoint, const ckpt_state* state, const ckpt_save_options* options,
                                      ckpt_save_result* result);
  void (*ckpt_load_options_init)(ckpt_load_options* options, uint32_t size);
  void (*ckpt_load_result_init)(ckpt_load_result* result, uint32_t size);
  ckpt_status (*ckpt_checkpoint_load)(ckpt_checkpoint* checkpoint, ckpt_state* state, const ckpt_load_options* options,
                                      ckpt_load_result* result);
  void (*ckpt_checkpoint_info_init)(ckpt_checkpoint_info* info, uint32_t size);
  ckpt_status (*ckpt_checkpoint_count)(ckpt_checkpoint* checkpoint, int64_t* count);
  ckpt_status (*ckpt_checkpoint_at)(ckpt_checkpoint* checkpoint, int64_t index, ckpt_checkpoint_info* info);
  ckpt_status (*ckpt_checkpoint_manifest)(ckpt_checkpoint* checkpoint, const char* name, char* buffer, int64_t capacity,
                                          int64_t* needed);
  void (*ckpt_verify_result_init)(ckpt_verify_result* result, uint32_t size);
  ckpt_status (*ckpt_checkpoint_verify)(ckpt_checkpoint* checkpoint, const char* name, ckpt_verify_result* result);
  void (*ckpt_tensor_info_init)(ckpt_tensor_info* info, uint32_t size);
  ckpt_status (*ckpt_schedule_fingerprint)(const ckpt_schedule* schedule, uint64_t* fingerprint);
  void (*ckpt_storage_callbacks_init)(ckpt_storage_callbacks* callbacks, uint32_t size);
  ckpt_status (*ckpt_storage_create_custom)(const char* name, const ckpt_storage_callbacks* callbacks, void* user_data,
                                            ckpt_destroy_fn destroy, ckpt_storage** storage);
  void (*ckpt_fault_handler_options_init)(ckpt_fault_handler_options* options, uint32_t size);
  ckpt_status (*ckpt_fault_handler_create)(const ckpt_fault_handler_options* options, ckpt_sleep_fn sleep, void* user_data,
                                           ckpt_destroy_fn destroy, ckpt_fault_handler** handler);
  ckpt_status (*ckpt_fault_handler_retries)(const ckpt_fault_handler* handler, int64_t* retries);
  void (*ckpt_fault_handler_release)(ckpt_fault_handler* handler);
  ckpt_status (*ckpt_storage_create_retrying)(ckpt_storage* inner, ckpt_fault_handler* handler, ckpt_storage** storage);
  ckpt_status (*ckpt_state_set_rarely_changes)(ckpt_state* state, const char* group, int32_t rarely);
  ckpt_status (*ckpt_state_load_report)(const ckpt_state* state, char* buffer, int64_t capacity, int64_t* needed);
  void (*ckpt_stateful_callbacks_init)(ckpt_stateful_callbacks* callbacks, uint32_t size);
  ckpt_status (*ckpt_state_add_stateful)(ckpt_state* state, const char* name, const ckpt_stateful_callbacks* callbacks,
                                         void* user_data);
  void (*ckpt_coordinator_callbacks_init)(ckpt_coordinator_callbacks* callbacks, uint32_t size);
  ckpt_status (*ckpt_coordinator_create_single)(ckpt_coordinator** coordinator);
  ckpt_status (*ckpt_coordinator_create_custom)(const ckpt_coordinator_callbacks* callbacks, void* user_data,
                                                ckpt_coordinator** coordinator);
  ckpt_status (*ckpt_coordinator_rank)(const ckpt_coordinator* coordinator, int64_t* rank);
  ckpt_status (*ckpt_coordinator_world_size)(const ckpt_coordinator* coordinator, int64_t* world_size);
  ckpt_status (*ckpt_coordinator_barrier)(ckpt_coordinator* coordinator, int64_t timeout_ns);
  ckpt_status (*ckpt_coordinator_broadcast)(ckpt_coordinator* coordinator, void* data, int64_t bytes, int64_t root,
                                            int64_t timeout_ns);
  ckpt_status (*ckpt_coordinator_all_gather)(ckpt_coordinator* coordinator, const void* sent, int64_t bytes, void* received,
                                             int64_t timeout_ns);
  void (*ckpt_coordinator_release)(ckpt_coordinator* coordinator);
  ckpt_status (*ckpt_checkpoint_storage)(const ckpt_checkpoint* checkpoint, ckpt_storage** storage);
  ckpt_status (*ckpt_checkpoint_coordinator)(const ckpt_checkpoint* checkpoint, ckpt_coordinator** coordinator);
  ckpt_status (*ckpt_reader_open_checkpoint)(ckpt_checkpoint* checkpoint, const char* name, int32_t verify, ckpt_reader** reader);
  ckpt_status (*ckpt_reader_open)(const char* path, ckpt_reader** reader);
  ckpt_status (*ckpt_reader_count)(const ckpt_reader* reader, int64_t* count);
  ckpt_status (*ckpt_reader_tensor)(const ckpt_reader* reader, int64_t index, ckpt_tensor_info* info);
  ckpt_status (*ckpt_reader_find)(const ckpt_reader* reader, const char* group, const char* name, int64_t* index);
  ckpt_status (*ckpt_reader_metadata_count)(const ckpt_reader* reader, int64_t* count);
  ckpt_status (*ckpt_reader_metadata)(const ckpt_reader* reader, int64_t index, const char** key, const char** value);
  ckpt_status (*ckpt_reader_read)(ckpt_reader* reader, int64_t index, ckpt_tensor* tensor);
  ckpt_status (*ckpt_reader_read_new)(ckpt_reader* reader, int64_t index, ckpt_buffer_pool* pool, ckpt_tensor** tensor);
  ckpt_status (*ckpt_reader_read_slice)(ckpt_reader* reader, int64_t index, int64_t begin, int64_t length, ckpt_buffer_pool* pool,
                                        ckpt_tensor** tensor);
  ckpt_status (*ckpt_reader_map)(ckpt_reader* reader, int64_t index, ckpt_tensor** tensor);
  void (*ckpt_reader_release)(ckpt_reader* reader);
  ckpt_status (*ckpt_checkpoint_fault_handler)(const ckpt_checkpoint* checkpoint, ckpt_fault_handler** handler);
  ckpt_status (*ckpt_safetensors_write)(const char* path, const ckpt_state* state, const char* group, const char* metadata_json);
  ckpt_status (*ckpt_interval_young)(double cost_seconds, double mtbf_seconds, double* interval_seconds);
  ckpt_status (*ckpt_interval_daly)(double cost_seconds, double mtbf_seconds, double* interval_seconds);
  ckpt_status (*ckpt_interval_expected_value)(double cost_seconds, double mtbf_seconds, double* interval_seconds);
  ckpt_status (*ckpt_interval_weibull)(double cost_seconds, double shape, double scale_seconds, double age_seconds,
                                       double* interval_seconds);
  ckpt_status (*ckpt_weibull_fit)(const double* gap_seconds, const int32_t* failed, int64_t count, double* shape,
                                  double* scale_seconds);
  void (*ckpt_threshold_options_init)(ckpt_threshold_options* options, uint32_t size);
  ckpt_status (*ckpt_threshold_create)(const ckpt_threshold_options* options, ckpt_threshold** threshold);
  ckpt_status (*ckpt_threshold_observe_task)(ckpt_threshold* threshold, const char* name, double seconds);
  ckpt_status (*ckpt_threshold_should_checkpoint)(ckpt_threshold* threshold, const char* name, double cost_seconds, int32_t* yes);
  ckpt_status (*ckpt_threshold_adjust_policy)(ckpt_threshold* threshold, double recovery_seconds_saved,
                                              double checkpoint_overhead_seconds);
  ckpt_status (*ckpt_threshold_begin_run)(ckpt_threshold* threshold);
  void (*ckpt_threshold_info_init)(ckpt_threshold_info* info, uint32_t size);
  ckpt_status (*ckpt_threshold_get_info)(const ckpt_threshold* threshold, ckpt_threshold_info* info);
  void (*ckpt_task_init)(ckpt_task* task, uint32_t size);
  ckpt_status (*ckpt_threshold_task)(const ckpt_threshold* threshold, int64_t index, ckpt_task* task);
  void (*ckpt_threshold_release)(ckpt_threshold* threshold);
  void (*ckpt_controller_options_init)(ckpt_controller_options* options, uint32_t size);
  ckpt_status (*ckpt_controller_create)(const ckpt_controller_options* options, ckpt_controller** controller);
  ckpt_status (*ckpt_controller_now)(const ckpt_controller* controller, double* now_seconds);
  ckpt_status (*ckpt_controller_begin_run)(ckpt_controller* controller, double now_seconds);
  ckpt_status (*ckpt_controller_resume)(ckpt_controller* controller, double now_seconds);
  void (*ckpt_decision_init)(ckpt_decision* decision, uint32_t size);
  ckpt_status (*ckpt_controller_should_checkpoint)(const ckpt_controller* controller, double now_seconds, ckpt_decision* decision);
  ckpt_status (*ckpt_controller_decide_all)(const ckpt_controller* controller, ckpt_coordinator* coordinator, double now_seconds,
                                            int64_t timeout_ns, ckpt_decision* decision);
  ckpt_status (*ckpt_controller_begin)(ckpt_controller* controller, double now_seconds);
  ckpt_status (*ckpt_controller_commit)(ckpt_controller* controller, double now_seconds, double stall_seconds,
                                        double durable_seconds);
  ckpt_status (*ckpt_controller_abort)(ckpt_controller* controller, double now_seconds);
  ckpt_status (*ckpt_controller_observe_task)(ckpt_controller* controller, const char* name, double seconds);
  ckpt_status (*ckpt_controller_record_failure)(ckpt_controller* controller, double now_seconds);
  ckpt_status (*ckpt_controller_record_recovery)(ckpt_controller* controller, double now_seconds, double seconds_saved,
                                                 double overhead_seconds);
  ckpt_status (*ckpt_controller_record_clean_exit)(ckpt_controller* controller, double now_seconds);
  ckpt_status (*ckpt_controller_preemption_notice)(ckpt_controller* controller, double now_seconds, double seconds_left);
  void (*ckpt_controller_info_init)(ckpt_controller_info* info, uint32_t size);
  ckpt_status (*ckpt_controller_get_info)(const ckpt_controller* controller, ckpt_controller_info* info);
  ckpt_status (*ckpt_controller_task)(const ckpt_controller* controller, int64_t index, ckpt_task* task);
  ckpt_status (*ckpt_controller_json)(const ckpt_controller* controller, char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_controller_from_json)(ckpt_controller* controller, const char* json);
  void (*ckpt_controller_release)(ckpt_controller* controller);
  void (*ckpt_simulation_options_init)(ckpt_simulation_options* options, uint32_t size);
  ckpt_status (*ckpt_simulation_create)(const ckpt_simulation_options* options, ckpt_simulation** simulation);
  ckpt_status (*ckpt_simulation_json)(const ckpt_simulation* simulation, char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_simulation_report)(const ckpt_simulation* simulation, char* buffer, int64_t capacity, int64_t* needed);
  void (*ckpt_simulation_release)(ckpt_simulation* simulation);
  void (*ckpt_activation_policy_init)(ckpt_activation_policy* policy, uint32_t size);
  void (*ckpt_activation_manager_options_init)(ckpt_activation_manager_options* options, uint32_t size);
  ckpt_status (*ckpt_activation_manager_create)(const ckpt_activation_policy* policy,
                                                const ckpt_activation_manager_options* options, ckpt_stage_forward_fn forward,
                                                void* user_data, ckpt_destroy_fn destroy, ckpt_activation_manager** manager);
  ckpt_status (*ckpt_activation_manager_set_policy)(ckpt_activation_manager* manager, const ckpt_activation_policy* policy);
  ckpt_status (*ckpt_activation_manager_policy)(const ckpt_activation_manager* manager, ckpt_activation_policy* policy);
  ckpt_status (*ckpt_activation_manager_begin_step)(ckpt_activation_manager* manager, int64_t micro_batches);
  ckpt_status (*ckpt_activation_manager_should_checkpoint)(ckpt_activation_manager* manager, int64_t micro_batch, int64_t bytes,
                                                           int32_t* answer);
  ckpt_status (*ckpt_activation_manager_store)(ckpt_activation_manager* manager, int64_t micro_batch, const ckpt_tensor* activation,
                                               int32_t* kept);
  ckpt_status (*ckpt_activation_manager_store_given_up)(ckpt_activation_manager* manager, int64_t micro_batch,
                                                        ckpt_tensor* activation, int32_t* kept);
  ckpt_status (*ckpt_activation_manager_get)(ckpt_activation_manager* manager, int64_t micro_batch, ckpt_tensor** activation);
  ckpt_status (*ckpt_activation_manager_has)(const ckpt_activation_manager* manager, int64_t micro_batch, int32_t* has);
  ckpt_status (*ckpt_activation_manager_recompute)(ckpt_activation_manager* manager, ckpt_tensor* input, int64_t micro_batch,
                                                   ckpt_tensor** activation);
  ckpt_status (*ckpt_activation_manager_get_or_compute)(ckpt_activation_manager* manager, ckpt_tensor* input, int64_t micro_batch,
                                                        ckpt_tensor** activation);
  ckpt_status (*ckpt_activation_manager_clear)(ckpt_activation_manager* manager);
  ckpt_status (*ckpt_activation_manager_memory_usage)(const ckpt_activation_manager* manager, int64_t* bytes, int64_t* count);
  void (*ckpt_activation_metadata_init)(ckpt_activation_metadata* metadata, uint32_t size);
  ckpt_status (*ckpt_activation_manager_metadata)(const ckpt_activation_manager* manager, int64_t micro_batch,
                                                  ckpt_activation_metadata* metadata);
  ckpt_status (*ckpt_activation_manager_list)(const ckpt_activation_manager* manager, int64_t* micro_batches, int64_t capacity,
                                              int64_t* count);
  void (*ckpt_activation_manager_release)(ckpt_activation_manager* manager);
  void (*ckpt_pipeline_options_init)(ckpt_pipeline_options* options, uint32_t size);
  ckpt_status (*ckpt_pipeline_split)(const ckpt_profile* profile, const ckpt_pipeline_options* options, int64_t* begins,
                                     int64_t capacity, int64_t* count);
  ckpt_status (*ckpt_pipeline_in_flight)(const ckpt_pipeline_options* options, int32_t piece, int32_t* in_flight);
  ckpt_status (*ckpt_pipeline_create)(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                      ckpt_pipeline** pipeline);
  ckpt_status (*ckpt_pipeline_run)(ckpt_pipeline* pipeline, const ckpt_step* step, int64_t timeout_ns, double* loss,
                                   double* losses);
  ckpt_status (*ckpt_pipeline_cancel)(ckpt_pipeline* pipeline);
  ckpt_status (*ckpt_pipeline_begins)(const ckpt_pipeline* pipeline, int64_t* begins, int64_t capacity, int64_t* count);
  ckpt_status (*ckpt_pipeline_manager)(ckpt_pipeline* pipeline, int32_t stage, ckpt_activation_manager** manager);
  ckpt_status (*ckpt_pipeline_schedule)(ckpt_pipeline* pipeline, int32_t stage, ckpt_schedule** schedule);
  ckpt_status (*ckpt_pipeline_profile)(ckpt_pipeline* pipeline, int32_t stage, ckpt_profile** profile);
  void (*ckpt_pipeline_stats_init)(ckpt_pipeline_stats* stats, uint32_t size);
  ckpt_status (*ckpt_pipeline_get_stats)(ckpt_pipeline* pipeline, int32_t stage, ckpt_pipeline_stats* stats);
  ckpt_status (*ckpt_pipeline_timeline)(ckpt_pipeline* pipeline, ckpt_interval* intervals, int64_t capacity, int64_t* count,
                                        int64_t* step_ns);
  ckpt_status (*ckpt_pipeline_trace_json)(ckpt_pipeline* pipeline, char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_pipeline_picture)(ckpt_pipeline* pipeline, char* buffer, int64_t capacity, int64_t* needed);
  void (*ckpt_pipeline_release)(ckpt_pipeline* pipeline);
  void (*ckpt_async_result_init)(ckpt_async_result* result, uint32_t size);
  void (*ckpt_async_callbacks_init)(ckpt_async_callbacks* callbacks, uint32_t size);
  void (*ckpt_async_options_init)(ckpt_async_options* options, uint32_t size);
  ckpt_status (*ckpt_checkpoint_create_async)(ckpt_checkpoint* checkpoint, const ckpt_async_options* options, ckpt_async** async);
  ckpt_status (*ckpt_async_close)(ckpt_async* async, int32_t mode, int64_t timeout_ns);
  void (*ckpt_async_release)(ckpt_async* async);
  void (*ckpt_async_task_options_init)(ckpt_async_task_options* options, uint32_t size);
  ckpt_status (*ckpt_async_save)(ckpt_async* async, const ckpt_state* state, const ckpt_save_options* options,
                                 const ckpt_async_task_options* task, int64_t* id);
  ckpt_status (*ckpt_async_load)(ckpt_async* async, ckpt_state* state, const ckpt_load_options* options,
                                 const ckpt_async_task_options* task, int64_t* id);
  ckpt_status (*ckpt_async_cancel)(ckpt_async* async, int64_t id, int32_t* won);
  ckpt_status (*ckpt_async_wait_staged)(ckpt_async* async, int64_t id, int64_t timeout_ns);
  ckpt_status (*ckpt_async_wait)(ckpt_async* async, int64_t id, int64_t timeout_ns, ckpt_async_result* result);
  ckpt_status (*ckpt_async_saved)(ckpt_async* async, int64_t id, ckpt_save_result* result);
  ckpt_status (*ckpt_async_loaded)(ckpt_async* async, int64_t id, ckpt_load_result* result);
  ckpt_status (*ckpt_async_end_step)(ckpt_async* async, int64_t step);
  void (*ckpt_async_task_init)(ckpt_async_task* task, uint32_t size);
  ckpt_status (*ckpt_async_get_task)(ckpt_async* async, int64_t id, ckpt_async_task* task);
  ckpt_status (*ckpt_async_tasks)(ckpt_async* async, int32_t which, int64_t* ids, int64_t capacity, int64_t* count);
  void (*ckpt_async_stats_init)(ckpt_async_stats* stats, uint32_t size);
  ckpt_status (*ckpt_async_get_stats)(ckpt_async* async, ckpt_async_stats* stats);
  ckpt_status (*ckpt_controller_save_async)(ckpt_controller* controller, double now_seconds, ckpt_async* async, ckpt_state* state,
                                            const ckpt_save_options* options, const ckpt_async_task_options* task, int64_t* id);
  const char* (*ckpt_schedule_left_out)(const ckpt_schedule* schedule);
  void (*ckpt_strategy_info_init)(ckpt_strategy_info* info, uint32_t size);
  ckpt_status (*ckpt_strategy_get_info)(const ckpt_strategy* strategy, ckpt_strategy_info* info);
  ckpt_status (*ckpt_strategy_get_pattern)(const ckpt_strategy* strategy, int32_t list, int64_t index, const char** pattern);
  ckpt_status (*ckpt_strategy_get_child)(const ckpt_strategy* strategy, int64_t index, ckpt_strategy** child);
  ckpt_status (*ckpt_strategy_get_text)(const ckpt_strategy* strategy, char* buffer, int64_t capacity, int64_t* needed);
  ckpt_status (*ckpt_threshold_observe_failure)(ckpt_threshold* threshold, const char* name, double seconds);
} ckpt_api;

#ifdef __cplusplus
}
#endif

#endif /* CKPT_API_H */
