// Layers, BLAS, the forward of a stage, pipelines, and their log messages.
#include "scenarios.h"

#include <cstring>
#include <string>

namespace sweeps {

ckpt_chain* make_custom_chain(LayerPlaces* places) {
  static const auto sweep = [](const Place* place) -> std::int32_t {
    if (place != nullptr) here(*place);
    return 0;
  };
  ckpt_layer_callbacks callbacks = CKPT_LAYER_CALLBACKS_INIT;
  callbacks.ambient_bytes = 8;
  callbacks.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void* user) -> std::int32_t {
    *output = *input;
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->output);
  };
  callbacks.option = [](const ckpt_tensor_spec*, std::int32_t, ckpt_layer_option* option, void* user) -> std::int32_t {
    *option = {64, 64, 64};
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->option);
  };
  callbacks.forward = [](const ckpt_layer_context*, const void*, void*, void*, void*, void* user) -> std::int32_t {
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->forward);
  };
  callbacks.backward = [](const ckpt_layer_context*, const void*, const void*, const void*, const void*, void*, void*,
                          void* user) -> std::int32_t {
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->backward);
  };
  callbacks.save_ambient = [](void* state, void* user) -> std::int32_t {
    std::memset(state, 0, 8);
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->save_ambient);
  };
  callbacks.restore_ambient = [](const void*, void* user) -> std::int32_t {
    return user == nullptr ? 0 : sweep(static_cast<LayerPlaces*>(user)->restore_ambient);
  };
  ckpt_chain* chain = nullptr;
  ckpt_layer* layer = nullptr;
  MUST(ckpt_chain_create(0, &chain));
  MUST(ckpt_layer_create_custom("custom", &callbacks, places, nullptr, &layer));
  MUST(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  MUST(ckpt_layer_create("relu", "relu", &layer));
  MUST(ckpt_chain_add(chain, layer));
  ckpt_layer_release(layer);
  return chain;
}

namespace {

const std::vector<const char*> uses_chain = {"ckpt_schedule_executor_run",     "ckpt_schedule_executor_create",
                                             "ckpt_profile_create_from_chain", "ckpt_chain_add",
                                             "ckpt_pipeline_create",           "ckpt_chain_initialize",
                                             "ckpt_profile_create_measured",   "ckpt_schedule_executor_evaluate",
                                             "ckpt_chain_set_worker_pool"};

struct Layer {
  Objects in_use;
  Place output, option, forward, backward, save_ambient, restore_ambient;
  LayerPlaces places = {&output, &option, &forward, &backward, &save_ambient, &restore_ambient};

  void step(const std::string& name) {
    const auto place = [&](const char* callback) {
      return Place{std::string("layer ") + callback + " in " + name, &in_use, uses_chain};
    };
    output = place("output");
    option = place("option");
    forward = place("forward");
    backward = place("backward");
    save_ambient = place("save_ambient");
    restore_ambient = place("restore_ambient");
  }
};

void layers() {
  static Layer layer;
  Objects& in_use = layer.in_use;
  ckpt_step step = CKPT_STEP_INIT;
  layer.step("profiling");
  in_use.of<ckpt_chain>() = make_custom_chain(&layer.places);
  REQUIRE_PERMITTED(ckpt_profile_create_from_chain(in_use.of<ckpt_chain>(), &small_input, 1, nullptr, &in_use.of<ckpt_profile>()));
  if (in_use.of<ckpt_profile>() != nullptr) {
    REQUIRE_PERMITTED(ckpt_schedule_create(in_use.of<ckpt_profile>(), "recompute-all", &in_use.of<ckpt_schedule>()));
  }
  layer.step("making an executor");
  REQUIRE_PERMITTED(ckpt_schedule_executor_create(in_use.of<ckpt_chain>(), in_use.of<ckpt_schedule>(), &small_input, nullptr,
                                                  &in_use.of<ckpt_schedule_executor>()));
  layer.step("a step");
  step.input = step.output_gradient = in_use.of<ckpt_tensor>() = make_small_tensor();
  REQUIRE_PERMITTED(ckpt_schedule_executor_run(in_use.of<ckpt_schedule_executor>(), &step, nullptr));
  release_rest(in_use);
}

void pipeline_layers() {
  static Layer layer;
  Objects& in_use = layer.in_use;
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  options.stages = 2;
  options.micro_batches = 2;
  options.measured_steps = 0;
  layer.step("making a pipeline");
  in_use.of<ckpt_chain>() = make_custom_chain(&layer.places);
  REQUIRE_PERMITTED(ckpt_pipeline_create(in_use.of<ckpt_chain>(), &small_input, &options, &in_use.of<ckpt_pipeline>()));
  layer.step("a pipeline's step");
  for (Place* place : {&layer.forward, &layer.backward, &layer.save_ambient, &layer.restore_ambient}) {
    place->refused.push_back("ckpt_pipeline_run");
  }
  ckpt_tensor* tensor = make_small_tensor();
  step.input = step.output_gradient = tensor;
  REQUIRE_PERMITTED(ckpt_pipeline_run(in_use.of<ckpt_pipeline>(), &step, -1, nullptr, nullptr));
  ckpt_tensor_release(tensor);
  release_rest(in_use);
}

void stage_forward() {
  static Objects in_use;
  static Place place{"forward of an activation manager", &in_use};
  const auto forward = [](ckpt_tensor* input, std::int32_t, ckpt_tensor** output, void*) -> std::int32_t {
    here(place);
    ckpt_tensor_retain(input);
    *output = input;
    return 0;
  };
  ckpt_tensor* input = make_small_tensor();
  ckpt_tensor* output = nullptr;
  MUST(ckpt_activation_manager_create(nullptr, nullptr, forward, nullptr, nullptr, &in_use.of<ckpt_activation_manager>()));
  REQUIRE_PERMITTED(ckpt_activation_manager_recompute(in_use.of<ckpt_activation_manager>(), input, 0, &output));
  ckpt_tensor_release(output);
  ckpt_tensor_release(input);
  release_rest(in_use);
}

void* fresh_handle() {
  static std::uintptr_t last = 0;
  return reinterpret_cast<void*>(last += 16);
}

// A framework with numbers as items.
void driver() {
  static Objects in_use;
  static const auto place = [](const char* callback) {
    here({std::string(callback) + " of a driver",
          &in_use,
          {"ckpt_driver_forward", "ckpt_driver_backward", "ckpt_driver_run", "ckpt_driver_get_failure"}});
  };
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  callbacks.forward = [](const ckpt_drive_call*, void*, void** output, void*) -> std::int32_t {
    place("forward");
    *output = fresh_handle();
    return 0;
  };
  callbacks.record = [](const ckpt_drive_call* call, void*, void** output, void** tape, void*) -> std::int32_t {
    place("record");
    if ((call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0) *output = fresh_handle();
    *tape = fresh_handle();
    return 0;
  };
  callbacks.backward = [](const ckpt_drive_call*, void*, void*, void*, void*, void** grad_input, void*) -> std::int32_t {
    place("backward");
    *grad_input = fresh_handle();
    return 0;
  };
  callbacks.turn = [](const ckpt_drive_call*, void*, void** grad_output, void*) -> std::int32_t {
    place("turn");
    *grad_output = fresh_handle();
    return 0;
  };
  callbacks.store = [](const ckpt_drive_call*, void*, void*) -> std::int32_t {
    place("store");
    return 0;
  };
  callbacks.load = [](const ckpt_drive_call*, void** item, void*) -> std::int32_t {
    place("load");
    *item = fresh_handle();
    return 0;
  };
  callbacks.await = [](const ckpt_drive_call*, void*) -> std::int32_t {
    place("await");
    return 0;
  };
  callbacks.drop = [](const ckpt_drive_call*, void*, void*) { place("drop"); };
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  option.forward_seconds = 1;
  MUST(ckpt_profile_create_uniform(9, &layer, &option, &in_use.of<ckpt_profile>()));
  MUST(ckpt_schedule_create(in_use.of<ckpt_profile>(), "two-level:1,3", &in_use.of<ckpt_schedule>()));
  MUST(ckpt_driver_create(in_use.of<ckpt_schedule>(), &callbacks, nullptr, nullptr, &in_use.of<ckpt_driver>()));
  REQUIRE_PERMITTED(ckpt_driver_run(in_use.of<ckpt_driver>(), fresh_handle(), nullptr));
  release_rest(in_use);
}

// The functions for the layers of a graph: value 1 skips layer 1.
void graph_driver() {
  static Objects in_use;
  static const auto place = [](const char* name) {
    here({name, &in_use, {"ckpt_driver_forward", "ckpt_driver_backward", "ckpt_driver_run", "ckpt_driver_get_failure"}});
  };
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  callbacks.forward_n = [](const ckpt_drive_call*, void* const*, std::int64_t, const ckpt_drive_flag*, void** output,
                           void*) -> std::int32_t {
    place("forward_n");
    *output = fresh_handle();
    return 0;
  };
  callbacks.record_n = [](const ckpt_drive_call* call, void* const*, std::int64_t, const ckpt_drive_flag*, void** output,
                          void** tape, void*) -> std::int32_t {
    place("record_n");
    if ((call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0) *output = fresh_handle();
    *tape = fresh_handle();
    return 0;
  };
  callbacks.backward_n = [](const ckpt_drive_call*, void* const*, std::int64_t count, const ckpt_drive_flag*, void*, void*, void*,
                            void** grad_inputs, void*) -> std::int32_t {
    place("backward_n");
    for (std::int64_t i = 0; i < count; ++i) grad_inputs[i] = fresh_handle();
    return 0;
  };
  callbacks.turn = [](const ckpt_drive_call*, void*, void** grad_output, void*) -> std::int32_t {
    *grad_output = fresh_handle();
    return 0;
  };
  callbacks.drop = [](const ckpt_drive_call*, void*, void*) {};
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  layer.output_bytes = 64;
  option.tape_bytes = 640;
  option.forward_seconds = 1;
  MUST(ckpt_profile_create(64, &in_use.of<ckpt_profile>()));
  for (int i = 0; i < 4; ++i) {
    MUST(ckpt_profile_add_layer(in_use.of<ckpt_profile>(), "layer", &layer));
    MUST(ckpt_profile_add_option(in_use.of<ckpt_profile>(), &option));
  }
  const std::int64_t inputs[] = {2, 1};
  MUST(ckpt_profile_set_inputs(in_use.of<ckpt_profile>(), 2, inputs, 2, inputs, 2));
  MUST(ckpt_schedule_create(in_use.of<ckpt_profile>(), "graph:2240", &in_use.of<ckpt_schedule>()));
  MUST(ckpt_driver_create(in_use.of<ckpt_schedule>(), &callbacks, nullptr, nullptr, &in_use.of<ckpt_driver>()));
  REQUIRE_PERMITTED(ckpt_driver_run(in_use.of<ckpt_driver>(), fresh_handle(), nullptr));
  release_rest(in_use);
}

// A BLAS provided by the program.
Place* blas_place = nullptr;

void set_blas(std::int32_t concurrent) {
  ckpt_blas given = CKPT_BLAS_INIT;
  given.concurrent = concurrent;
  given.sgemm = [](int, int, int, int, int, int, float, const float*, int, const float*, int, float, float*, int) {
    if (blas_place != nullptr) here(*blas_place);
  };
  given.dgemm = [](int, int, int, int, int, int, double, const double*, int, const double*, int, double, double*, int) {
    if (blas_place != nullptr) here(*blas_place);
  };
  MUST(ckpt_blas_set(&given));
}

void blas() {
  static Objects in_use;
  static Place place{"BLAS", &in_use, uses_chain};
  for (const ckpt_dtype dtype : {CKPT_DTYPE_F32, CKPT_DTYPE_F64}) {
    const std::int64_t shape[2] = {4, 2};
    const ckpt_tensor_spec input = {dtype, 2, {4, 2}};
    ckpt_layer* layer = nullptr;
    ckpt_tensor* tensor = nullptr;
    ckpt_step step = CKPT_STEP_INIT;
    place.name = dtype == CKPT_DTYPE_F32 ? "sgemm" : "dgemm";
    MUST(ckpt_chain_create(0, &in_use.of<ckpt_chain>()));
    MUST(ckpt_layer_create("linear", dtype == CKPT_DTYPE_F32 ? "linear:2,2" : "linear:2,2,F64", &layer));
    MUST(ckpt_chain_add(in_use.of<ckpt_chain>(), layer));
    ckpt_layer_release(layer);
    MUST(ckpt_profile_create_from_chain(in_use.of<ckpt_chain>(), &input, 0, nullptr, &in_use.of<ckpt_profile>()));
    MUST(ckpt_schedule_create(in_use.of<ckpt_profile>(), "store-all", &in_use.of<ckpt_schedule>()));
    MUST(ckpt_schedule_executor_create(in_use.of<ckpt_chain>(), in_use.of<ckpt_schedule>(), &input, nullptr,
                                       &in_use.of<ckpt_schedule_executor>()));
    MUST(ckpt_tensor_create(dtype, shape, 2, nullptr, &tensor));
    MUST(ckpt_tensor_fill(tensor, 1));
    step.input = step.output_gradient = tensor;
    blas_place = &place;
    REQUIRE_PERMITTED(ckpt_schedule_executor_run(in_use.of<ckpt_schedule_executor>(), &step, nullptr));
    blas_place = nullptr;
    ckpt_tensor_release(tensor);
    release_rest(in_use);
  }
}

void log_of_engine() {
  struct Log {
    Objects in_use;
    std::string step;
  };
  static Log log;
  Objects& in_use = log.in_use;
  const auto on_log = [](std::int32_t, const char* component, const char*, void*) {
    here({std::string("log of ") + component + " in " + log.step, &log.in_use, {}, {"ckpt_set_log", "ckpt_set_fallback_log"}});
  };
  ckpt_step step = CKPT_STEP_INIT;
  ckpt_pipeline_options options = CKPT_PIPELINE_OPTIONS_INIT;
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC;
  options.stages = 2;
  options.micro_batches = 2;
  options.measured_steps = 0;
  options.policy = &policy;
  MUST(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, on_log, nullptr, nullptr));
  in_use.of<ckpt_chain>() = make_custom_chain(nullptr);
  log.step = "profiling";
  REQUIRE_PERMITTED(ckpt_profile_create_from_chain(in_use.of<ckpt_chain>(), &small_input, 0, nullptr, &in_use.of<ckpt_profile>()));
  log.step = "planning";
  REQUIRE_PERMITTED(ckpt_schedule_create(in_use.of<ckpt_profile>(), "auto:1MiB", &in_use.of<ckpt_schedule>()));
  log.step = "making an executor";
  REQUIRE_PERMITTED(ckpt_schedule_executor_create(in_use.of<ckpt_chain>(), in_use.of<ckpt_schedule>(), &small_input, nullptr,
                                                  &in_use.of<ckpt_schedule_executor>()));
  ckpt_tensor* tensor = make_small_tensor();
  step.input = step.output_gradient = tensor;
  log.step = "a step";
  REQUIRE_PERMITTED(ckpt_schedule_executor_run(in_use.of<ckpt_schedule_executor>(), &step, nullptr));
  ckpt_schedule_executor_release(in_use.of<ckpt_schedule_executor>());
  in_use.of<ckpt_schedule_executor>() = nullptr;
  log.step = "making a pipeline";
  REQUIRE_PERMITTED(ckpt_pipeline_create(in_use.of<ckpt_chain>(), &small_input, &options, &in_use.of<ckpt_pipeline>()));
  log.step = "a pipeline's step";
  REQUIRE_PERMITTED(ckpt_pipeline_run(in_use.of<ckpt_pipeline>(), &step, -1, nullptr, nullptr));
  ckpt_tensor_release(tensor);
  release_rest(in_use);
  REQUIRE_PERMITTED(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, nullptr, nullptr, nullptr));
}

}  // namespace

const std::vector<Scenario> engine_scenarios = {
    {"layers",
     {"ckpt_layer_output_fn", "ckpt_layer_option_fn", "ckpt_layer_forward_fn", "ckpt_layer_backward_fn",
      "ckpt_layer_save_ambient_fn", "ckpt_layer_restore_ambient_fn"},
     12,
     layers},
    {"pipeline_layers", {}, 5, pipeline_layers},
    {"stage_forward", {"ckpt_stage_forward_fn"}, 1, stage_forward},
    {"driver",
     {"ckpt_drive_forward_fn", "ckpt_drive_record_fn", "ckpt_drive_backward_fn", "ckpt_drive_turn_fn", "ckpt_drive_store_fn",
      "ckpt_drive_load_fn", "ckpt_drive_await_fn", "ckpt_drive_drop_fn"},
     8,
     driver},
    {"graph_driver", {"ckpt_drive_forward_n_fn", "ckpt_drive_record_n_fn", "ckpt_drive_backward_n_fn"}, 3, graph_driver},
    {"blas_serial", {"ckpt_sgemm_fn", "ckpt_dgemm_fn"}, 2, blas, [] { set_blas(0); }},
    {"blas_concurrent", {}, 2, blas, [] { set_blas(1); }},
    {"log_of_engine", {}, 1, log_of_engine},
};

}  // namespace sweeps
