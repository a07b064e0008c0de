#include <cstdio>
#include <cstdlib>

#include "adaptive/events.h"
#include "cells.h"
#include "memory/named.h"

namespace sweeps {
namespace {

template <class Handle>
void overlay(Handle*& place, Handle* other) {
  if (place == nullptr) place = other;
}

void make_chain(Objects& objects) {
  const char* const names[] = {"a", "b"};
  MUST(ckpt_chain_create(0, &objects.of<ckpt_chain>()));
  for (const char* name : names) {
    ckpt_layer* layer = nullptr;
    MUST(ckpt_layer_create(name, "relu", &layer));
    MUST(ckpt_chain_add(objects.of<ckpt_chain>(), layer));
    ckpt_layer_release(layer);
  }
  MUST(ckpt_layer_create("spare", "token_embedding:4,2,2", &objects.of<ckpt_layer>()));  // a head can be tied to it
}

void make_engine(Objects& objects) {
  const ckpt_tensor_spec input = {CKPT_DTYPE_F32, 2, {4, 2}};
  ckpt_schedule_executor_options executor = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_pipeline_options pipeline = CKPT_PIPELINE_OPTIONS_INIT;
  executor.pool = objects.of<ckpt_worker_pool>();
  pipeline.stages = 2;
  pipeline.micro_batches = 2;
  pipeline.measured_steps = 0;
  ckpt_chain* chain = objects.of<ckpt_chain>();
  MUST(ckpt_profile_create_from_chain(chain, &input, 0, objects.of<ckpt_worker_pool>(), &objects.of<ckpt_profile>()));
  MUST(ckpt_schedule_create(objects.of<ckpt_profile>(), "store-all", &objects.of<ckpt_schedule>()));
  MUST(ckpt_cursor_create(objects.of<ckpt_schedule>(), &objects.of<ckpt_cursor>()));
  MUST(ckpt_program_create(objects.of<ckpt_schedule>(), objects.of<ckpt_profile>(), &objects.of<ckpt_program>()));
  ckpt_driver_callbacks framework = CKPT_DRIVER_CALLBACKS_INIT;
  framework.drop = [](const ckpt_drive_call*, void*, void*) {};
  MUST(ckpt_driver_create(objects.of<ckpt_schedule>(), &framework, nullptr, nullptr, &objects.of<ckpt_driver>()));
  MUST(ckpt_follower_create(objects.of<ckpt_profile>(), objects.of<ckpt_strategy>(), &objects.of<ckpt_follower>()));
  MUST(ckpt_schedule_executor_create(chain, objects.of<ckpt_schedule>(), &input, &executor, &objects.of<ckpt_schedule_executor>()));
  MUST(ckpt_optimizer_create_sgd(chain, 0.1, 0.9, &objects.of<ckpt_optimizer>()));
  MUST(ckpt_pipeline_create(chain, &input, &pipeline, &objects.of<ckpt_pipeline>()));
  MUST(ckpt_activation_manager_create(nullptr, nullptr, nullptr, nullptr, nullptr, &objects.of<ckpt_activation_manager>()));
}

void make_memory(Objects& objects) {
  const std::int64_t shape[2] = {4, 2};
  ckpt_memory_tracker* tracker = nullptr;
  MUST(ckpt_memory_tracker_create(nullptr, &tracker));
  objects.of<ckpt_memory_tracker>() = tracker;
  MUST(record_named(tracker, "sweep", 64, &objects.allocation));
  MUST(ckpt_memory_tracker_push_scope(tracker, "sweep", &objects.scope));
  MUST(ckpt_memory_tracker_subscribe_queue(tracker, CKPT_MEMORY_EVENT_KIND_ALL, 16, &objects.subscription));
  MUST(ckpt_buffer_pool_create(nullptr, nullptr, &objects.of<ckpt_buffer_pool>()));
  MUST(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 2, objects.of<ckpt_buffer_pool>(), &objects.of<ckpt_tensor>()));
  MUST(ckpt_tensor_fill(objects.of<ckpt_tensor>(), 1));
}

void make_state(Objects& objects) {
  ckpt_save_options options = CKPT_SAVE_OPTIONS_INIT;
  ckpt_save_result saved = CKPT_SAVE_RESULT_INIT;
  options.has_metric = 1;
  MUST(ckpt_storage_create_memory(&objects.of<ckpt_storage>()));
  MUST(ckpt_fault_handler_create(nullptr, nullptr, nullptr, nullptr, &objects.of<ckpt_fault_handler>()));
  MUST(ckpt_coordinator_create_single(&objects.of<ckpt_coordinator>()));
  MUST(ckpt_state_create(&objects.of<ckpt_state>()));
  MUST(ckpt_state_add_tensor(objects.of<ckpt_state>(), "model", "weight", objects.of<ckpt_tensor>()));
  MUST(ckpt_state_set_json(objects.of<ckpt_state>(), "kept", "[1]"));
  MUST(ckpt_checkpoint_manager_create(objects.of<ckpt_storage>(), nullptr, &objects.of<ckpt_checkpoint_manager>()));
  MUST(ckpt_checkpoint_manager_save(objects.of<ckpt_checkpoint_manager>(), objects.of<ckpt_state>(), &options, &saved));
  objects.checkpoint_name = saved.name;
  MUST(ckpt_safetensors_write((folder() + "/model.safetensors").c_str(), objects.of<ckpt_state>(), "model", nullptr));
  MUST(ckpt_reader_create_from_checkpoint(objects.of<ckpt_checkpoint_manager>(), nullptr, CKPT_VERIFY_FULL,
                                          &objects.of<ckpt_reader>()));
  MUST(ckpt_tree_create(&objects.of<ckpt_tree>()));
  ckpt_tree_node node = CKPT_TREE_NODE_INIT;
  node.kind = CKPT_TREE_KIND_TENSOR;
  node.form = CKPT_TREE_FORM_TENSOR;
  node.tensor = objects.of<ckpt_tensor>();
  MUST(ckpt_tree_add(objects.of<ckpt_tree>(), &node));
  MUST(ckpt_async_manager_create(objects.of<ckpt_checkpoint_manager>(), nullptr, &objects.of<ckpt_async_manager>()));
  MUST(ckpt_async_manager_save(objects.of<ckpt_async_manager>(), objects.of<ckpt_state>(), nullptr, nullptr, &objects.task));
  MUST(ckpt_async_manager_wait(objects.of<ckpt_async_manager>(), objects.task, -1, nullptr));
}

void make_adaptive(Objects& objects) {
  ckpt_simulation_options simulation = CKPT_SIMULATION_OPTIONS_INIT;
  simulation.law = "exponential:3600";
  simulation.policies = "young";
  simulation.failures = 2;
  simulation.replicas = 1;
  MUST(ckpt_threshold_create(nullptr, &objects.of<ckpt_threshold>()));
  MUST(ckpt_controller_create(nullptr, &objects.of<ckpt_controller>()));
  MUST(record_begin_run(objects.of<ckpt_controller>(), 0));
  MUST(ckpt_simulation_create(&simulation, &objects.of<ckpt_simulation>()));
}

}  // namespace

void must(ckpt_status status, const char* call) {
  if (status == CKPT_OK) return;
  std::fprintf(stderr, "%s: %s: %s\n", call, ckpt_status_name(status), ckpt_last_error());
  std::_Exit(1);
}

Objects make_objects() {
  Objects objects;
  objects.hooks = std::int64_t{1} << 40;  // not the id of a set of hooks
  MUST(ckpt_clock_create_manual(0, &objects.of<ckpt_clock>()));
  MUST(ckpt_worker_pool_create(2, &objects.of<ckpt_worker_pool>()));
  MUST(ckpt_strategy_create("smart", &objects.of<ckpt_strategy>()));
  make_memory(objects);
  make_chain(objects);
  make_engine(objects);
  make_state(objects);
  make_adaptive(objects);
  return objects;
}

void release_objects(Objects& objects) {
#define HANDLE(type, release)  \
  release(objects.of<type>()); \
  objects.of<type>() = nullptr;
#include "api_cells.inc"
}

Objects overlaid(const Objects& objects, const Objects& others) {
  Objects both = objects;
#define HANDLE(type, release) overlay(both.of<type>(), others.of<type>());
#include "api_cells.inc"
  if (both.subscription == 0) both.subscription = others.subscription;
  if (both.allocation == 0) both.allocation = others.allocation;
  if (both.scope == 0) both.scope = others.scope;
  if (both.task == 0) both.task = others.task;
  if (both.hooks == 0) both.hooks = others.hooks;
  if (both.checkpoint_name.empty()) both.checkpoint_name = others.checkpoint_name;
  return both;
}

}  // namespace sweeps
