// Made from include/ckpt by tools/api: do not edit.
// Structs as tuples: what the named tuples of made/values.py are made of.
#pragma once

namespace ckpt_python {

inline PyObject* tuple_of(const ckpt_memory_stats& v) {
  return Py_BuildValue("(iLLLLLLLLLLLLKL)", static_cast<int>(v.layer_count), static_cast<long long>(v.current_bytes),
                       static_cast<long long>(v.peak_bytes), static_cast<long long>(v.total_allocated_bytes),
                       static_cast<long long>(v.total_freed_bytes), static_cast<long long>(v.live_allocations),
                       static_cast<long long>(v.allocations), static_cast<long long>(v.frees),
                       static_cast<long long>(v.average_bytes), static_cast<long long>(v.not_found),
                       static_cast<long long>(v.refused), static_cast<long long>(v.handler_failures),
                       static_cast<long long>(v.taken_at_ns), static_cast<unsigned long long>(v.sequence),
                       static_cast<long long>(v.taken_utc_ns));
}

inline PyObject* tuple_of(const ckpt_memory_layer_stats& v) {
  return Py_BuildValue("(iNLLLLLLLLLLLLL)", static_cast<int>(v.layer_id), text_object(v.name),
                       static_cast<long long>(v.current_bytes), static_cast<long long>(v.peak_bytes),
                       static_cast<long long>(v.total_allocated_bytes), static_cast<long long>(v.total_freed_bytes),
                       static_cast<long long>(v.live_allocations), static_cast<long long>(v.allocations),
                       static_cast<long long>(v.frees), static_cast<long long>(v.largest_bytes),
                       static_cast<long long>(v.average_bytes), static_cast<long long>(v.last_allocated_at_ns),
                       static_cast<long long>(v.last_freed_at_ns), static_cast<long long>(v.last_allocated_utc_ns),
                       static_cast<long long>(v.last_freed_utc_ns));
}

inline PyObject* tuple_of(const ckpt_memory_allocation& v) {
  return Py_BuildValue("(iKLLK)", static_cast<int>(v.layer_id), static_cast<unsigned long long>(v.allocation),
                       static_cast<long long>(v.bytes), static_cast<long long>(v.age_ns),
                       static_cast<unsigned long long>(v.sequence));
}

inline PyObject* tuple_of(const ckpt_memory_scope_stats& v) {
  return Py_BuildValue("(iKLLLLLL)", static_cast<int>(v.depth), static_cast<unsigned long long>(v.scope),
                       static_cast<long long>(v.start_bytes), static_cast<long long>(v.peak_bytes),
                       static_cast<long long>(v.net_bytes), static_cast<long long>(v.total_allocated_bytes),
                       static_cast<long long>(v.pushed_at_ns), static_cast<long long>(v.pushed_utc_ns));
}

inline PyObject* tuple_of(const ckpt_memory_event& v) {
  return Py_BuildValue("(iKKLLLLLNNL)", static_cast<int>(v.kind), static_cast<unsigned long long>(v.sequence),
                       static_cast<unsigned long long>(v.allocation), static_cast<long long>(v.bytes),
                       static_cast<long long>(v.current_bytes), static_cast<long long>(v.peak_bytes),
                       static_cast<long long>(v.limit_bytes), static_cast<long long>(v.occurred_at_ns), text_object(v.layer_name),
                       v.has_layer ? Py_BuildValue("i", static_cast<int>(v.layer_id)) : Py_BuildValue(""),
                       static_cast<long long>(v.occurred_utc_ns));
}

inline PyObject* tuple_of(const ckpt_memory_system& v) {
  return Py_BuildValue("(LLLL)", static_cast<long long>(v.total_bytes), static_cast<long long>(v.available_bytes),
                       static_cast<long long>(v.machine_bytes), static_cast<long long>(v.limit_bytes));
}

inline PyObject* tuple_of(const ckpt_buffer_pool_stats& v) {
  return Py_BuildValue("(LLLLLLLL)", static_cast<long long>(v.live_bytes), static_cast<long long>(v.live_buffers),
                       static_cast<long long>(v.retained_bytes), static_cast<long long>(v.retained_buffers),
                       static_cast<long long>(v.reserved_bytes), static_cast<long long>(v.peak_reserved_bytes),
                       static_cast<long long>(v.taken), static_cast<long long>(v.reused));
}

inline PyObject* tuple_of(const ckpt_strategy_question& v) {
  return Py_BuildValue("(iNNLL)", static_cast<int>(v.dtype), text_object(v.layer_name), integer_tuple(v.shape, v.ndim),
                       static_cast<long long>(v.bytes), static_cast<long long>(v.layer_index));
}

inline PyObject* tuple_of(const ckpt_strategy_counters& v) {
  return Py_BuildValue("(LLL)", static_cast<long long>(v.asked_layers), static_cast<long long>(v.chosen_layers),
                       static_cast<long long>(v.chosen_bytes));
}

inline PyObject* tuple_of(const ckpt_strategy_info& v) {
  return Py_BuildValue("(NNLLdLdLdLLLLNN)", PyBool_FromLong(v.has_tracker), text_object(v.kind), static_cast<long long>(v.interval),
                       static_cast<long long>(v.threshold_bytes), static_cast<double>(v.max_share),
                       static_cast<long long>(v.total_bytes), static_cast<double>(v.large_factor),
                       static_cast<long long>(v.rare_accesses), static_cast<double>(v.late_share),
                       static_cast<long long>(v.names_count), static_cast<long long>(v.excluded_count),
                       static_cast<long long>(v.rules_count), static_cast<long long>(v.children_count),
                       PyBool_FromLong(v.has_clock), PyBool_FromLong(v.has_total));
}

inline PyObject* tuple_of(const ckpt_schedule_action& v) {
  return Py_BuildValue("(iiLLiiiiL)", static_cast<int>(v.kind), static_cast<int>(v.micro_batch), static_cast<long long>(v.first),
                       static_cast<long long>(v.last), static_cast<int>(v.option), static_cast<int>(v.item),
                       static_cast<int>(v.tier), static_cast<int>(v.slot), static_cast<long long>(v.transfer));
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
  return Py_BuildValue("(iLLiN)", static_cast<int>(v.flags), static_cast<long long>(v.output_bytes),
                       static_cast<long long>(v.ambient_bytes), static_cast<int>(v.dtype), integer_tuple(v.shape, v.ndim));
}

inline PyObject* tuple_of(const ckpt_option_profile& v) {
  return Py_BuildValue("(LLLdd)", static_cast<long long>(v.tape_bytes), static_cast<long long>(v.forward_workspace_bytes),
                       static_cast<long long>(v.backward_workspace_bytes), static_cast<double>(v.forward_seconds),
                       static_cast<double>(v.backward_seconds));
}

inline PyObject* tuple_of(const ckpt_plan_report& v) {
  return Py_BuildValue("(LLLddLN)", static_cast<long long>(v.actions), static_cast<long long>(v.forwards),
                       static_cast<long long>(v.recomputed_forwards), static_cast<double>(v.step_seconds),
                       static_cast<double>(v.recomputed_seconds), static_cast<long long>(v.peak_action), integer_tuple(v.peak_bytes,
                       4));
}

inline PyObject* tuple_of(const ckpt_layer_option& v) {
  return Py_BuildValue("(LLL)", static_cast<long long>(v.tape_bytes), static_cast<long long>(v.forward_workspace_bytes),
                       static_cast<long long>(v.backward_workspace_bytes));
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
  return Py_BuildValue("(iiNLLKLNN)", static_cast<int>(v.option), static_cast<int>(v.micro_batch), PyBool_FromLong(v.recomputation),
                       static_cast<long long>(v.layer), static_cast<long long>(v.step), static_cast<unsigned long long>(v.seed),
                       static_cast<long long>(v.first_sample), spec_object(*v.input), spec_object(*v.output));
}

inline PyObject* tuple_of(const ckpt_schedule_executor_stats& v) {
  return Py_BuildValue("(LLLLLLL)", static_cast<long long>(v.steps), static_cast<long long>(v.forwards),
                       static_cast<long long>(v.recomputed_forwards), static_cast<long long>(v.live_bytes),
                       static_cast<long long>(v.peak_live_bytes), static_cast<long long>(v.reserved_bytes),
                       static_cast<long long>(v.run_ns));
}

inline PyObject* tuple_of(const ckpt_activation_policy& v) {
  return Py_BuildValue("(iLLOL)", static_cast<int>(v.kind), static_cast<long long>(v.interval),
                       static_cast<long long>(v.threshold_bytes), Py_None, static_cast<long long>(v.memory_limit_bytes));
}

inline PyObject* tuple_of(const ckpt_activation_metadata& v) {
  return Py_BuildValue("(iiNLLLL)", static_cast<int>(v.micro_batch), static_cast<int>(v.dtype), integer_tuple(v.shape, v.ndim),
                       static_cast<long long>(v.bytes), static_cast<long long>(v.hits), static_cast<long long>(v.stored_at_ns),
                       static_cast<long long>(v.stored_utc_ns));
}

inline PyObject* tuple_of(const ckpt_pipeline_stats& v) {
  return Py_BuildValue("(iLLLLLLLLLLL)", static_cast<int>(v.in_flight), static_cast<long long>(v.first_layer),
                       static_cast<long long>(v.layers), static_cast<long long>(v.steps), static_cast<long long>(v.forwards),
                       static_cast<long long>(v.recomputed_forwards), static_cast<long long>(v.kept_micro_batches),
                       static_cast<long long>(v.recomputed_micro_batches), static_cast<long long>(v.peak_live_bytes),
                       static_cast<long long>(v.reserved_bytes), static_cast<long long>(v.queue_bytes),
                       static_cast<long long>(v.busy_ns));
}

inline PyObject* tuple_of(const ckpt_pipeline_interval& v) {
  return Py_BuildValue("(iiiiLL)", static_cast<int>(v.kind), static_cast<int>(v.stage), static_cast<int>(v.chunk),
                       static_cast<int>(v.micro_batch), static_cast<long long>(v.begin_at_ns), static_cast<long long>(v.end_at_ns));
}

inline PyObject* tuple_of(const ckpt_save_result& v) {
  return Py_BuildValue("(LLLLNL)", static_cast<long long>(v.files), static_cast<long long>(v.step),
                       static_cast<long long>(v.commit_sequence), static_cast<long long>(v.bytes), text_object(v.name),
                       static_cast<long long>(v.linked));
}

inline PyObject* tuple_of(const ckpt_load_result& v) {
  return Py_BuildValue("(NLLKLLNLL)", PyBool_FromLong(v.environment_differs), static_cast<long long>(v.step),
                       static_cast<long long>(v.commit_sequence), static_cast<unsigned long long>(v.seed),
                       static_cast<long long>(v.bytes), static_cast<long long>(v.skipped), text_object(v.name),
                       static_cast<long long>(v.missing), static_cast<long long>(v.unexpected));
}

inline PyObject* tuple_of(const ckpt_checkpoint_info& v) {
  return Py_BuildValue("(iLLLNN)", static_cast<int>(v.status), static_cast<long long>(v.step),
                       static_cast<long long>(v.commit_sequence), static_cast<long long>(v.bytes), text_object(v.name),
                       v.has_metric ? Py_BuildValue("d", static_cast<double>(v.metric)) : Py_BuildValue(""));
}

inline PyObject* tuple_of(const ckpt_verify_result& v) {
  return Py_BuildValue("(LLLN)", static_cast<long long>(v.files), static_cast<long long>(v.tensors),
                       static_cast<long long>(v.bytes), text_object(v.name));
}

inline PyObject* tuple_of(const ckpt_tensor_info& v) {
  return Py_BuildValue("(iNNLLN)", static_cast<int>(v.dtype), text_object(v.name), integer_tuple(v.shape, v.ndim),
                       static_cast<long long>(v.bytes), static_cast<long long>(v.offset), text_object(v.group));
}

inline PyObject* tuple_of(const ckpt_threshold_info& v) {
  return Py_BuildValue("(ddLLL)", static_cast<double>(v.threshold), static_cast<double>(v.longest_seconds),
                       static_cast<long long>(v.budget), static_cast<long long>(v.used), static_cast<long long>(v.tasks));
}

inline PyObject* tuple_of(const ckpt_task_observation& v) {
  return Py_BuildValue("(NdNN)", PyBool_FromLong(v.checkpointed), static_cast<double>(v.duration_seconds),
                       PyBool_FromLong(v.failed), text_object(v.name));
}

inline PyObject* tuple_of(const ckpt_decision& v) {
  return Py_BuildValue("(Niiddddd)", PyBool_FromLong(v.checkpoint), static_cast<int>(v.reason), static_cast<int>(v.policy),
                       static_cast<double>(v.interval_seconds), static_cast<double>(v.risk), static_cast<double>(v.cost_seconds),
                       static_cast<double>(v.since_last_seconds), static_cast<double>(v.due_seconds));
}

inline PyObject* tuple_of(const ckpt_controller_info& v) {
  return Py_BuildValue("(NNLLddddddLL)", PyBool_FromLong(v.running), PyBool_FromLong(v.save_in_flight),
                       static_cast<long long>(v.failures), static_cast<long long>(v.saves), static_cast<double>(v.cost_seconds),
                       static_cast<double>(v.durable_seconds), static_cast<double>(v.unjudged_overhead_seconds),
                       static_cast<double>(v.last_seen_seconds), static_cast<double>(v.mtbf_seconds),
                       static_cast<double>(v.threshold), static_cast<long long>(v.threshold_used), static_cast<long long>(v.tasks));
}

inline PyObject* tuple_of(const ckpt_checkpoint_task_result& v) {
  return Py_BuildValue("(iiiLLLLLLLNN)", static_cast<int>(v.state), static_cast<int>(v.status), static_cast<int>(v.kind),
                       static_cast<long long>(v.id), static_cast<long long>(v.step), static_cast<long long>(v.bytes),
                       static_cast<long long>(v.retries), static_cast<long long>(v.duration_ns), static_cast<long long>(v.stall_ns),
                       static_cast<long long>(v.durable_ns), text_object(v.name), text_object(v.error));
}

inline PyObject* tuple_of(const ckpt_checkpoint_task_info& v) {
  return Py_BuildValue("(iiNLLLLLLLLLL)", static_cast<int>(v.kind), static_cast<int>(v.state), PyBool_FromLong(v.staged),
                       static_cast<long long>(v.id), static_cast<long long>(v.step), static_cast<long long>(v.done_bytes),
                       static_cast<long long>(v.total_bytes), static_cast<long long>(v.queued_at_ns),
                       static_cast<long long>(v.started_at_ns), static_cast<long long>(v.ended_at_ns),
                       static_cast<long long>(v.queued_utc_ns), static_cast<long long>(v.started_utc_ns),
                       static_cast<long long>(v.ended_utc_ns));
}

inline PyObject* tuple_of(const ckpt_async_manager_stats& v) {
  return Py_BuildValue("(LLLLLLLLLLL)", static_cast<long long>(v.live_tasks), static_cast<long long>(v.running_tasks),
                       static_cast<long long>(v.completed_tasks), static_cast<long long>(v.failed_tasks),
                       static_cast<long long>(v.cancelled_tasks), static_cast<long long>(v.rejected_tasks),
                       static_cast<long long>(v.in_flight_bytes), static_cast<long long>(v.written_bytes),
                       static_cast<long long>(v.staging_bytes), static_cast<long long>(v.stall_ns),
                       static_cast<long long>(v.last_stall_ns));
}

}  // namespace ckpt_python
