// Generated from include/ckpt by tools/api: do not edit.
// clang-format off
#pragma once

namespace ckpt_python {

inline PyObject* tuple_of(const ckpt_memory_stats& v) {
  return packed({object_of(v.layer_count), object_of(v.current_bytes), object_of(v.peak_bytes), object_of(v.total_allocated_bytes),
                 object_of(v.total_freed_bytes), object_of(v.live_allocations), object_of(v.allocations), object_of(v.frees),
                 object_of(v.average_bytes), object_of(v.not_found), object_of(v.refused), object_of(v.handler_failures),
                 object_of(v.taken_at_ns), object_of(v.sequence), object_of(v.taken_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_memory_layer_stats& v) {
  return packed({object_of(v.layer_id), text_object(v.name), object_of(v.current_bytes), object_of(v.peak_bytes),
                 object_of(v.total_allocated_bytes), object_of(v.total_freed_bytes), object_of(v.live_allocations),
                 object_of(v.allocations), object_of(v.frees), object_of(v.largest_bytes), object_of(v.average_bytes),
                 object_of(v.last_allocated_at_ns), object_of(v.last_freed_at_ns), object_of(v.last_allocated_utc_ns),
                 object_of(v.last_freed_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_memory_allocation& v) {
  return packed({object_of(v.layer_id), object_of(v.allocation), object_of(v.bytes), object_of(v.age_ns), object_of(v.sequence)});
}

inline PyObject* tuple_of(const ckpt_memory_scope_stats& v) {
  return packed({object_of(v.depth), object_of(v.scope), object_of(v.start_bytes), object_of(v.peak_bytes), object_of(v.net_bytes),
                 object_of(v.total_allocated_bytes), object_of(v.pushed_at_ns), object_of(v.pushed_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_memory_event& v) {
  return packed({object_of(v.kind), object_of(v.sequence), object_of(v.allocation), object_of(v.bytes), object_of(v.current_bytes),
                 object_of(v.peak_bytes), object_of(v.limit_bytes), object_of(v.occurred_at_ns), text_object(v.layer_name),
                 v.has_layer ? object_of(v.layer_id) : none(), object_of(v.occurred_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_memory_system& v) {
  return packed({object_of(v.total_bytes), object_of(v.available_bytes), object_of(v.machine_bytes), object_of(v.limit_bytes)});
}

inline PyObject* tuple_of(const ckpt_buffer_pool_stats& v) {
  return packed({object_of(v.live_bytes), object_of(v.live_buffers), object_of(v.retained_bytes), object_of(v.retained_buffers),
                 object_of(v.reserved_bytes), object_of(v.peak_reserved_bytes), object_of(v.taken), object_of(v.reused)});
}

inline PyObject* tuple_of(const ckpt_storage_range& v) {
  return packed({object_of(v.offset), object_of(v.bytes)});
}

inline PyObject* tuple_of(const ckpt_strategy_question& v) {
  return packed({object_of(v.dtype), text_object(v.layer_name), integer_tuple(v.shape, v.ndim), object_of(v.bytes),
                 object_of(v.layer_index)});
}

inline PyObject* tuple_of(const ckpt_strategy_counters& v) {
  return packed({object_of(v.asked_layers), object_of(v.chosen_layers), object_of(v.chosen_bytes)});
}

inline PyObject* tuple_of(const ckpt_strategy_info& v) {
  return packed({PyBool_FromLong(v.has_tracker), text_object(v.kind), object_of(v.interval), object_of(v.threshold_bytes),
                 object_of(v.max_share), object_of(v.total_bytes), object_of(v.large_factor), object_of(v.rare_accesses),
                 object_of(v.late_share), object_of(v.names_count), object_of(v.excluded_count), object_of(v.rules_count),
                 object_of(v.children_count), PyBool_FromLong(v.has_clock), PyBool_FromLong(v.has_total)});
}

inline PyObject* tuple_of(const ckpt_schedule_action& v) {
  return packed({object_of(v.kind), object_of(v.micro_batch), object_of(v.first), object_of(v.last), object_of(v.option),
                 object_of(v.item), object_of(v.tier), object_of(v.slot), object_of(v.transfer)});
}

inline bool struct_of(PyObject* object, ckpt_schedule_action* out) {
  std::int64_t list[9] = {};
  if (!integers(object, list, 9)) return false;
  out->kind = static_cast<ckpt_action_kind>(list[0]);
  out->micro_batch = static_cast<int32_t>(list[1]);
  out->first = static_cast<int64_t>(list[2]);
  out->last = static_cast<int64_t>(list[3]);
  out->option = static_cast<int32_t>(list[4]);
  out->item = static_cast<ckpt_item>(list[5]);
  out->tier = static_cast<int32_t>(list[6]);
  out->slot = static_cast<int32_t>(list[7]);
  out->transfer = static_cast<int64_t>(list[8]);
  return true;
}

inline PyObject* tuple_of(const ckpt_layer_profile& v) {
  return packed({object_of(v.flags), object_of(v.output_bytes), object_of(v.ambient_bytes), object_of(v.dtype),
                 integer_tuple(v.shape, v.ndim)});
}

inline PyObject* tuple_of(const ckpt_option_profile& v) {
  return packed({object_of(v.tape_bytes), object_of(v.forward_workspace_bytes), object_of(v.backward_workspace_bytes),
                 object_of(v.forward_seconds), object_of(v.backward_seconds), object_of(v.record_workspace_bytes),
                 object_of(v.record_seconds), PyBool_FromLong(v.has_record), object_of(v.backward_peak_bytes)});
}

inline PyObject* tuple_of(const ckpt_tier_profile& v) {
  return packed({object_of(v.capacity_bytes), object_of(v.write_bytes_per_second), object_of(v.read_bytes_per_second),
                 object_of(v.latency_seconds)});
}

inline PyObject* tuple_of(const ckpt_plan_report& v) {
  return packed({object_of(v.actions), object_of(v.forwards), object_of(v.recomputed_forwards), object_of(v.step_seconds),
                 object_of(v.recomputed_seconds), object_of(v.peak_action), integer_tuple(v.peak_bytes, 4), object_of(v.wait_seconds),
                 integer_tuple(v.peak_items, 4), integer_tuple(v.peak_inputs, 4), integer_tuple(v.stored_bytes, 4),
                 integer_tuple(v.loaded_bytes, 4)});
}

inline PyObject* tuple_of(const ckpt_frontier_point& v) {
  return packed({object_of(v.live_bytes), object_of(v.reserved_bytes), object_of(v.recomputed_forwards), object_of(v.step_seconds),
                 object_of(v.recomputed_seconds), object_of(v.lost_seconds)});
}

inline PyObject* tuple_of(const ckpt_layer_option& v) {
  return packed({object_of(v.tape_bytes), object_of(v.forward_workspace_bytes), object_of(v.backward_workspace_bytes)});
}

inline bool struct_of(PyObject* object, ckpt_layer_option* out) {
  std::int64_t list[3] = {};
  if (!integers(object, list, 3)) return false;
  out->tape_bytes = static_cast<int64_t>(list[0]);
  out->forward_workspace_bytes = static_cast<int64_t>(list[1]);
  out->backward_workspace_bytes = static_cast<int64_t>(list[2]);
  return true;
}

inline PyObject* tuple_of(const ckpt_layer_context& v) {
  return packed({object_of(v.option), object_of(v.micro_batch), PyBool_FromLong(v.recomputation), object_of(v.layer),
                 object_of(v.step), object_of(v.seed), object_of(v.first_sample), spec_object(*v.input), spec_object(*v.output),
                 lent(v.targets), lent(v.pool), PyBool_FromLong(v.evaluation)});
}

inline PyObject* tuple_of(const ckpt_schedule_executor_stats& v) {
  return packed({object_of(v.steps), object_of(v.forwards), object_of(v.recomputed_forwards), object_of(v.live_bytes),
                 object_of(v.peak_live_bytes), object_of(v.reserved_bytes), object_of(v.run_ns), object_of(v.transfer_wait_ns),
                 integer_tuple(v.stored_bytes, 4), integer_tuple(v.loaded_bytes, 4)});
}

inline PyObject* tuple_of(const ckpt_activation_policy& v) {
  return packed({object_of(v.kind), object_of(v.interval), object_of(v.threshold_bytes), none(), object_of(v.memory_limit_bytes)});
}

inline PyObject* tuple_of(const ckpt_activation_metadata& v) {
  return packed({object_of(v.micro_batch), object_of(v.dtype), integer_tuple(v.shape, v.ndim), object_of(v.bytes), object_of(v.hits),
                 object_of(v.stored_at_ns), object_of(v.stored_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_pipeline_stats& v) {
  return packed({object_of(v.in_flight), object_of(v.first_layer), object_of(v.layers), object_of(v.steps), object_of(v.forwards),
                 object_of(v.recomputed_forwards), object_of(v.kept_micro_batches), object_of(v.recomputed_micro_batches),
                 object_of(v.peak_live_bytes), object_of(v.reserved_bytes), object_of(v.queue_bytes), object_of(v.busy_ns)});
}

inline PyObject* tuple_of(const ckpt_pipeline_interval& v) {
  return packed({object_of(v.kind), object_of(v.stage), object_of(v.chunk), object_of(v.micro_batch), object_of(v.begin_at_ns),
                 object_of(v.end_at_ns)});
}

inline PyObject* tuple_of(const ckpt_checkpoint_info& v) {
  return packed({object_of(v.status), object_of(v.step), object_of(v.commit_sequence), object_of(v.bytes), text_object(v.name),
                 v.has_metric ? object_of(v.metric) : none(), object_of(v.saved_utc_ns), PyBool_FromLong(v.pinned),
                 object_of(v.world_size), object_of(v.generation), PyBool_FromLong(v.abandoned), PyBool_FromLong(v.record_damaged)});
}

inline PyObject* tuple_of(const ckpt_save_result& v) {
  return packed({object_of(v.files), object_of(v.step), object_of(v.commit_sequence), object_of(v.bytes), text_object(v.name),
                 object_of(v.linked), object_of(v.rank_bytes), object_of(v.generation), PyBool_FromLong(v.rolled_back),
                 PyBool_FromLong(v.metric_ignored), object_of(v.unreported_failures), object_of(v.unreported_status),
                 text_object(v.unreported_error)});
}

inline PyObject* tuple_of(const ckpt_load_result& v) {
  return packed({PyBool_FromLong(v.environment_differs), object_of(v.step), object_of(v.commit_sequence), object_of(v.seed),
                 object_of(v.bytes), object_of(v.skipped), text_object(v.name), object_of(v.missing), object_of(v.unexpected),
                 PyBool_FromLong(v.partly_filled), object_of(v.world_size)});
}

inline PyObject* tuple_of(const ckpt_verify_result& v) {
  return packed({object_of(v.files), object_of(v.tensors), object_of(v.bytes), text_object(v.name)});
}

inline PyObject* tuple_of(const ckpt_tensor_info& v) {
  return packed({object_of(v.dtype), text_object(v.name), integer_tuple(v.shape, v.ndim), object_of(v.bytes), object_of(v.offset),
                 text_object(v.group)});
}

inline PyObject* tuple_of(const ckpt_threshold_info& v) {
  return packed({object_of(v.threshold), object_of(v.longest_seconds), object_of(v.budget), object_of(v.used), object_of(v.tasks)});
}

inline PyObject* tuple_of(const ckpt_task_observation& v) {
  return packed({PyBool_FromLong(v.checkpointed), object_of(v.duration_seconds), PyBool_FromLong(v.failed), text_object(v.name)});
}

inline PyObject* tuple_of(const ckpt_controller_event& v) {
  return packed({object_of(v.kind), object_of(v.now_seconds), text_object(v.name), object_of(v.duration_seconds),
                 object_of(v.stall_seconds), object_of(v.durable_seconds), object_of(v.saved_seconds), object_of(v.overhead_seconds),
                 object_of(v.left_seconds)});
}

inline PyObject* tuple_of(const ckpt_decision& v) {
  return packed({PyBool_FromLong(v.checkpoint), object_of(v.reason), object_of(v.policy), object_of(v.interval_seconds),
                 object_of(v.risk), object_of(v.cost_seconds), object_of(v.since_last_seconds), object_of(v.due_seconds)});
}

inline PyObject* tuple_of(const ckpt_controller_info& v) {
  return packed({PyBool_FromLong(v.running), PyBool_FromLong(v.save_in_flight), object_of(v.failures), object_of(v.saves),
                 object_of(v.cost_seconds), object_of(v.durable_seconds), object_of(v.unjudged_overhead_seconds),
                 object_of(v.last_seen_seconds), object_of(v.mtbf_seconds), object_of(v.threshold), object_of(v.threshold_used),
                 object_of(v.tasks)});
}

inline PyObject* tuple_of(const ckpt_checkpoint_task_result& v) {
  return packed({object_of(v.state), object_of(v.status), object_of(v.kind), object_of(v.id), object_of(v.step), object_of(v.bytes),
                 object_of(v.retries), object_of(v.duration_ns), object_of(v.stall_ns), object_of(v.durable_ns), text_object(v.name),
                 text_object(v.error), object_of(v.generation), PyBool_FromLong(v.rolled_back), PyBool_FromLong(v.metric_ignored),
                 object_of(v.unreported_failures), object_of(v.unreported_status), text_object(v.unreported_error)});
}

inline PyObject* tuple_of(const ckpt_checkpoint_task_info& v) {
  return packed({object_of(v.kind), object_of(v.state), PyBool_FromLong(v.staged), object_of(v.id), object_of(v.step),
                 object_of(v.done_bytes), object_of(v.total_bytes), object_of(v.queued_at_ns), object_of(v.started_at_ns),
                 object_of(v.ended_at_ns), object_of(v.queued_utc_ns), object_of(v.started_utc_ns), object_of(v.ended_utc_ns)});
}

inline PyObject* tuple_of(const ckpt_async_manager_stats& v) {
  return packed({object_of(v.live_tasks), object_of(v.running_tasks), object_of(v.completed_tasks), object_of(v.failed_tasks),
                 object_of(v.cancelled_tasks), object_of(v.rejected_tasks), object_of(v.in_flight_bytes), object_of(v.written_bytes),
                 object_of(v.staging_bytes), object_of(v.stall_ns), object_of(v.last_stall_ns), object_of(v.unreported_failures),
                 object_of(v.unreported_status), text_object(v.unreported_error)});
}

inline PyObject* tuple_of(const ckpt_drive_call& v) {
  return packed({object_of(v.kind), object_of(v.flags), object_of(v.first), object_of(v.last), object_of(v.option),
                 object_of(v.micro_batch), object_of(v.item), object_of(v.tier), object_of(v.slot), object_of(v.transfer),
                 object_of(v.action), object_of(v.layers)});
}

inline PyObject* tuple_of(const ckpt_program_buffer& v) {
  return packed({object_of(v.bytes), object_of(v.offset), object_of(v.first), object_of(v.last), object_of(v.index),
                 object_of(v.item), object_of(v.tier), object_of(v.option), object_of(v.micro_batch), object_of(v.slot)});
}

inline PyObject* tuple_of(const ckpt_program_operation& v) {
  return packed({object_of(v.kind), object_of(v.flags), object_of(v.layer), object_of(v.option), object_of(v.micro_batch),
                 object_of(v.stream), object_of(v.transfer), object_of(v.input), object_of(v.output), object_of(v.tape),
                 object_of(v.workspace), object_of(v.grad_output), object_of(v.grad_input), object_of(v.ambient),
                 object_of(v.present_ambient), object_of(v.action)});
}

}  // namespace ckpt_python
