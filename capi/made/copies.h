// clang-format off
// By struct of C: its fields that are plain values, copied to and from a struct of the core whose fields have the same names.
// Made from include/ckpt by tools/api: do not edit.
#pragma once

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

#include "../copy.h"

namespace ckpt::capi {

template <>
struct Fields<ckpt_memory_tracker_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(peak_granularity_bytes));
  }
};
template <>
struct Fields<ckpt_memory_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(layer_count));
    field(CKPT_FIELD(current_bytes));
    field(CKPT_FIELD(peak_bytes));
    field(CKPT_FIELD(total_allocated_bytes));
    field(CKPT_FIELD(total_freed_bytes));
    field(CKPT_FIELD(live_allocations));
    field(CKPT_FIELD(allocations));
    field(CKPT_FIELD(frees));
    field(CKPT_FIELD(average_bytes));
    field(CKPT_FIELD(not_found));
    field(CKPT_FIELD(refused));
    field(CKPT_FIELD(handler_failures));
    field(CKPT_FIELD(taken_at_ns));
    field(CKPT_FIELD(sequence));
    field(CKPT_FIELD(taken_utc_ns));
  }
};
template <>
struct Fields<ckpt_memory_layer_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(layer_id));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(current_bytes));
    field(CKPT_FIELD(peak_bytes));
    field(CKPT_FIELD(total_allocated_bytes));
    field(CKPT_FIELD(total_freed_bytes));
    field(CKPT_FIELD(live_allocations));
    field(CKPT_FIELD(allocations));
    field(CKPT_FIELD(frees));
    field(CKPT_FIELD(largest_bytes));
    field(CKPT_FIELD(average_bytes));
    field(CKPT_FIELD(last_allocated_at_ns));
    field(CKPT_FIELD(last_freed_at_ns));
    field(CKPT_FIELD(last_allocated_utc_ns));
    field(CKPT_FIELD(last_freed_utc_ns));
  }
};
template <>
struct Fields<ckpt_memory_allocation> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(layer_id));
    field(CKPT_FIELD(allocation));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(age_ns));
    field(CKPT_FIELD(sequence));
  }
};
template <>
struct Fields<ckpt_memory_scope_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(depth));
    field(CKPT_FIELD(scope));
    field(CKPT_FIELD(start_bytes));
    field(CKPT_FIELD(peak_bytes));
    field(CKPT_FIELD(net_bytes));
    field(CKPT_FIELD(total_allocated_bytes));
    field(CKPT_FIELD(pushed_at_ns));
    field(CKPT_FIELD(pushed_utc_ns));
  }
};
template <>
struct Fields<ckpt_memory_event> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(sequence));
    field(CKPT_FIELD(allocation));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(current_bytes));
    field(CKPT_FIELD(peak_bytes));
    field(CKPT_FIELD(limit_bytes));
    field(CKPT_FIELD(occurred_at_ns));
    field(CKPT_FIELD(layer_name));
    field(CKPT_FIELD(layer_id));
    field(CKPT_FIELD(has_layer));
    field(CKPT_FIELD(occurred_utc_ns));
  }
};
template <>
struct Fields<ckpt_memory_system> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(total_bytes));
    field(CKPT_FIELD(available_bytes));
    field(CKPT_FIELD(machine_bytes));
    field(CKPT_FIELD(limit_bytes));
  }
};
template <>
struct Fields<ckpt_buffer_pool_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(has_retain_limit));
    field(CKPT_FIELD(retain_limit_bytes));
    field(CKPT_FIELD(layer_name));
  }
};
template <>
struct Fields<ckpt_buffer_pool_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(live_bytes));
    field(CKPT_FIELD(live_buffers));
    field(CKPT_FIELD(retained_bytes));
    field(CKPT_FIELD(retained_buffers));
    field(CKPT_FIELD(reserved_bytes));
    field(CKPT_FIELD(peak_reserved_bytes));
    field(CKPT_FIELD(taken));
    field(CKPT_FIELD(reused));
  }
};
template <>
struct Fields<ckpt_file_system_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(must_exist));
    field(CKPT_FIELD(write_path));
    field(CKPT_FIELD(large_from_bytes));
    field(CKPT_FIELD(bytes_per_second));
  }
};
template <>
struct Fields<ckpt_fault_handler_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(max_attempts));
    field(CKPT_FIELD(first_delay_ns));
    field(CKPT_FIELD(max_delay_ns));
    field(CKPT_FIELD(factor));
    field(CKPT_FIELD(jitter));
    field(CKPT_FIELD(seed));
  }
};
template <>
struct Fields<ckpt_smart_strategy_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(large_factor));
    field(CKPT_FIELD(rare_accesses));
    field(CKPT_FIELD(late_share));
  }
};
template <>
struct Fields<ckpt_strategy_question> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(dtype));
    field(CKPT_FIELD(layer_name));
    field(CKPT_FIELD(ndim));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(layer_index));
  }
};
template <>
struct Fields<ckpt_strategy_counters> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(asked_layers));
    field(CKPT_FIELD(chosen_layers));
    field(CKPT_FIELD(chosen_bytes));
  }
};
template <>
struct Fields<ckpt_strategy_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(has_tracker));
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(interval));
    field(CKPT_FIELD(threshold_bytes));
    field(CKPT_FIELD(max_share));
    field(CKPT_FIELD(total_bytes));
    field(CKPT_FIELD(large_factor));
    field(CKPT_FIELD(rare_accesses));
    field(CKPT_FIELD(late_share));
    field(CKPT_FIELD(names_count));
    field(CKPT_FIELD(excluded_count));
    field(CKPT_FIELD(rules_count));
    field(CKPT_FIELD(children_count));
    field(CKPT_FIELD(has_clock));
    field(CKPT_FIELD(has_total));
  }
};
template <>
struct Fields<ckpt_schedule_action> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(micro_batch));
    field(CKPT_FIELD(first));
    field(CKPT_FIELD(last));
    field(CKPT_FIELD(option));
    field(CKPT_FIELD(item));
    field(CKPT_FIELD(tier));
    field(CKPT_FIELD(slot));
    field(CKPT_FIELD(transfer));
  }
};
template <>
struct Fields<ckpt_layer_profile> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(flags));
    field(CKPT_FIELD(output_bytes));
    field(CKPT_FIELD(ambient_bytes));
    field(CKPT_FIELD(dtype));
    field(CKPT_FIELD(ndim));
  }
};
template <>
struct Fields<ckpt_option_profile> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(tape_bytes));
    field(CKPT_FIELD(forward_workspace_bytes));
    field(CKPT_FIELD(backward_workspace_bytes));
    field(CKPT_FIELD(forward_seconds));
    field(CKPT_FIELD(backward_seconds));
  }
};
template <>
struct Fields<ckpt_plan_report> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(actions));
    field(CKPT_FIELD(forwards));
    field(CKPT_FIELD(recomputed_forwards));
    field(CKPT_FIELD(step_seconds));
    field(CKPT_FIELD(recomputed_seconds));
    field(CKPT_FIELD(peak_action));
  }
};
template <>
struct Fields<ckpt_blas> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(concurrent));
    field(CKPT_FIELD(name));
  }
};
template <>
struct Fields<ckpt_tensor_spec> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(dtype));
    field(CKPT_FIELD(ndim));
  }
};
template <>
struct Fields<ckpt_layer_option> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(tape_bytes));
    field(CKPT_FIELD(forward_workspace_bytes));
    field(CKPT_FIELD(backward_workspace_bytes));
  }
};
template <>
struct Fields<ckpt_layer_context> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(option));
    field(CKPT_FIELD(micro_batch));
    field(CKPT_FIELD(recomputation));
    field(CKPT_FIELD(layer));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(seed));
    field(CKPT_FIELD(first_sample));
  }
};
template <>
struct Fields<ckpt_schedule_executor_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(budget_bytes));
  }
};
template <>
struct Fields<ckpt_step> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(seed));
    field(CKPT_FIELD(first_sample));
    field(CKPT_FIELD(accumulate));
  }
};
template <>
struct Fields<ckpt_schedule_executor_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(steps));
    field(CKPT_FIELD(forwards));
    field(CKPT_FIELD(recomputed_forwards));
    field(CKPT_FIELD(live_bytes));
    field(CKPT_FIELD(peak_live_bytes));
    field(CKPT_FIELD(reserved_bytes));
    field(CKPT_FIELD(run_ns));
  }
};
template <>
struct Fields<ckpt_adamw_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(learning_rate));
    field(CKPT_FIELD(beta1));
    field(CKPT_FIELD(beta2));
    field(CKPT_FIELD(epsilon));
    field(CKPT_FIELD(weight_decay));
  }
};
template <>
struct Fields<ckpt_activation_policy> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(interval));
    field(CKPT_FIELD(threshold_bytes));
    field(CKPT_FIELD(memory_limit_bytes));
  }
};
template <>
struct Fields<ckpt_activation_manager_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(name));
  }
};
template <>
struct Fields<ckpt_activation_metadata> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(micro_batch));
    field(CKPT_FIELD(dtype));
    field(CKPT_FIELD(ndim));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(hits));
    field(CKPT_FIELD(stored_at_ns));
    field(CKPT_FIELD(stored_utc_ns));
  }
};
template <>
struct Fields<ckpt_pipeline_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(order));
    field(CKPT_FIELD(stages));
    field(CKPT_FIELD(micro_batches));
    field(CKPT_FIELD(chunks));
    field(CKPT_FIELD(threads_per_stage));
    field(CKPT_FIELD(measured_steps));
    field(CKPT_FIELD(begins_count));
    field(CKPT_FIELD(queue_places));
    field(CKPT_FIELD(budget_bytes));
    field(CKPT_FIELD(schedules_count));
  }
};
template <>
struct Fields<ckpt_pipeline_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(in_flight));
    field(CKPT_FIELD(first_layer));
    field(CKPT_FIELD(layers));
    field(CKPT_FIELD(steps));
    field(CKPT_FIELD(forwards));
    field(CKPT_FIELD(recomputed_forwards));
    field(CKPT_FIELD(kept_micro_batches));
    field(CKPT_FIELD(recomputed_micro_batches));
    field(CKPT_FIELD(peak_live_bytes));
    field(CKPT_FIELD(reserved_bytes));
    field(CKPT_FIELD(queue_bytes));
    field(CKPT_FIELD(busy_ns));
  }
};
template <>
struct Fields<ckpt_pipeline_interval> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(stage));
    field(CKPT_FIELD(chunk));
    field(CKPT_FIELD(micro_batch));
    field(CKPT_FIELD(begin_at_ns));
    field(CKPT_FIELD(end_at_ns));
  }
};
template <>
struct Fields<ckpt_checkpoint_manager_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(read_only));
    field(CKPT_FIELD(keep_last));
    field(CKPT_FIELD(keep_every));
    field(CKPT_FIELD(keep_best));
    field(CKPT_FIELD(best_metric));
  }
};
template <>
struct Fields<ckpt_save_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(seed));
    field(CKPT_FIELD(metadata_json));
    field(CKPT_FIELD(environment_json));
    field(CKPT_FIELD(prefix));
    field(CKPT_FIELD(metric));
    field(CKPT_FIELD(has_metric));
    field(CKPT_FIELD(incremental));
  }
};
template <>
struct Fields<ckpt_save_result> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(files));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(commit_sequence));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(linked));
  }
};
template <>
struct Fields<ckpt_load_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(verify));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(environment_json));
    field(CKPT_FIELD(partial));
    field(CKPT_FIELD(in_place));
    field(CKPT_FIELD(has_step));
    field(CKPT_FIELD(strip_prefix));
    field(CKPT_FIELD(add_prefix));
    field(CKPT_FIELD(convert));
  }
};
template <>
struct Fields<ckpt_load_result> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(environment_differs));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(commit_sequence));
    field(CKPT_FIELD(seed));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(skipped));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(missing));
    field(CKPT_FIELD(unexpected));
    field(CKPT_FIELD(partly_filled));
  }
};
template <>
struct Fields<ckpt_checkpoint_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(status));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(commit_sequence));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(metric));
    field(CKPT_FIELD(has_metric));
  }
};
template <>
struct Fields<ckpt_verify_result> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(files));
    field(CKPT_FIELD(tensors));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(name));
  }
};
template <>
struct Fields<ckpt_tensor_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(dtype));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(ndim));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(offset));
    field(CKPT_FIELD(group));
  }
};
template <>
struct Fields<ckpt_threshold_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(threshold));
    field(CKPT_FIELD(learning_rate));
    field(CKPT_FIELD(budget));
  }
};
template <>
struct Fields<ckpt_threshold_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(threshold));
    field(CKPT_FIELD(longest_seconds));
    field(CKPT_FIELD(budget));
    field(CKPT_FIELD(used));
    field(CKPT_FIELD(tasks));
  }
};
template <>
struct Fields<ckpt_task_observation> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(checkpointed));
    field(CKPT_FIELD(duration_seconds));
    field(CKPT_FIELD(failed));
    field(CKPT_FIELD(name));
  }
};
template <>
struct Fields<ckpt_controller_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(policy));
    field(CKPT_FIELD(mtbf_seconds));
    field(CKPT_FIELD(interval_seconds));
    field(CKPT_FIELD(keep));
    field(CKPT_FIELD(initial_cost_seconds));
    field(CKPT_FIELD(first_seconds));
    field(CKPT_FIELD(poll_seconds));
    field(CKPT_FIELD(min_interval_seconds));
    field(CKPT_FIELD(max_interval_seconds));
    field(CKPT_FIELD(max_overhead_share));
    field(CKPT_FIELD(budget_saves));
    field(CKPT_FIELD(budget_window_seconds));
    field(CKPT_FIELD(threshold));
    field(CKPT_FIELD(threshold_learning_rate));
    field(CKPT_FIELD(threshold_budget));
  }
};
template <>
struct Fields<ckpt_decision> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(checkpoint));
    field(CKPT_FIELD(reason));
    field(CKPT_FIELD(policy));
    field(CKPT_FIELD(interval_seconds));
    field(CKPT_FIELD(risk));
    field(CKPT_FIELD(cost_seconds));
    field(CKPT_FIELD(since_last_seconds));
    field(CKPT_FIELD(due_seconds));
  }
};
template <>
struct Fields<ckpt_controller_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(running));
    field(CKPT_FIELD(save_in_flight));
    field(CKPT_FIELD(failures));
    field(CKPT_FIELD(saves));
    field(CKPT_FIELD(cost_seconds));
    field(CKPT_FIELD(durable_seconds));
    field(CKPT_FIELD(unjudged_overhead_seconds));
    field(CKPT_FIELD(last_seen_seconds));
    field(CKPT_FIELD(mtbf_seconds));
    field(CKPT_FIELD(threshold));
    field(CKPT_FIELD(threshold_used));
    field(CKPT_FIELD(tasks));
  }
};
template <>
struct Fields<ckpt_simulation_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(trace));
    field(CKPT_FIELD(law));
    field(CKPT_FIELD(policies));
    field(CKPT_FIELD(nodes));
    field(CKPT_FIELD(failures));
    field(CKPT_FIELD(replicas));
    field(CKPT_FIELD(seed));
    field(CKPT_FIELD(cost_seconds));
    field(CKPT_FIELD(restart_seconds));
    field(CKPT_FIELD(poll_seconds));
    field(CKPT_FIELD(remote_every));
    field(CKPT_FIELD(local_cost_seconds));
    field(CKPT_FIELD(remote_share));
  }
};
template <>
struct Fields<ckpt_checkpoint_task_result> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(state));
    field(CKPT_FIELD(status));
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(id));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(bytes));
    field(CKPT_FIELD(retries));
    field(CKPT_FIELD(duration_ns));
    field(CKPT_FIELD(stall_ns));
    field(CKPT_FIELD(durable_ns));
    field(CKPT_FIELD(name));
    field(CKPT_FIELD(error));
  }
};
template <>
struct Fields<ckpt_async_manager_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(workers));
    field(CKPT_FIELD(capacity));
    field(CKPT_FIELD(history));
    field(CKPT_FIELD(staging_bytes));
    field(CKPT_FIELD(prepare_bytes));
    field(CKPT_FIELD(bytes_per_second));
    field(CKPT_FIELD(drain_timeout_ns));
    field(CKPT_FIELD(staging_threads));
    field(CKPT_FIELD(nice));
  }
};
template <>
struct Fields<ckpt_checkpoint_task_options> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(mode));
    field(CKPT_FIELD(when_full));
    field(CKPT_FIELD(priority));
    field(CKPT_FIELD(timeout_ns));
    field(CKPT_FIELD(gate_step));
    field(CKPT_FIELD(has_gate_step));
  }
};
template <>
struct Fields<ckpt_checkpoint_task_info> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(kind));
    field(CKPT_FIELD(state));
    field(CKPT_FIELD(staged));
    field(CKPT_FIELD(id));
    field(CKPT_FIELD(step));
    field(CKPT_FIELD(done_bytes));
    field(CKPT_FIELD(total_bytes));
    field(CKPT_FIELD(queued_at_ns));
    field(CKPT_FIELD(started_at_ns));
    field(CKPT_FIELD(ended_at_ns));
    field(CKPT_FIELD(queued_utc_ns));
    field(CKPT_FIELD(started_utc_ns));
    field(CKPT_FIELD(ended_utc_ns));
  }
};
template <>
struct Fields<ckpt_async_manager_stats> {
  template <class Each>
  static constexpr void each(Each&& field) {
    field(CKPT_FIELD(live_tasks));
    field(CKPT_FIELD(running_tasks));
    field(CKPT_FIELD(completed_tasks));
    field(CKPT_FIELD(failed_tasks));
    field(CKPT_FIELD(cancelled_tasks));
    field(CKPT_FIELD(rejected_tasks));
    field(CKPT_FIELD(in_flight_bytes));
    field(CKPT_FIELD(written_bytes));
    field(CKPT_FIELD(staging_bytes));
    field(CKPT_FIELD(stall_ns));
    field(CKPT_FIELD(last_stall_ns));
  }
};

}  // namespace ckpt::capi
