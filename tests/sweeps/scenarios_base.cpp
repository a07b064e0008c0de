// Threads, clocks, memory, tensors, strategies, and destroy callbacks.
#include "memory/named.h"
#include "scenarios.h"
#include "strategy/given.h"

#include <cstring>

namespace sweeps {
namespace {

void thread_hooks() {
  Objects in_use;
  Place start{"thread hook start", &in_use, {}};
  Place stop{"thread hook stop", &in_use, {}};
  struct Both {
    Place* start;
    Place* stop;
  } both = {&start, &stop};
  const auto on_start = [](const char*, void* user) { here(*static_cast<Both*>(user)->start); };
  const auto on_stop = [](const char*, void* user) { here(*static_cast<Both*>(user)->stop); };
  Place destroyed{"thread hooks destroy"};
  MUST(ckpt_add_thread_hooks(on_start, on_stop, &both, nullptr, &in_use.hooks));
  ckpt_worker_pool* pool = nullptr;
  MUST(ckpt_worker_pool_create(2, &pool));
  REQUIRE_PERMITTED(ckpt_worker_pool_run(
      pool, 8, [](std::int64_t, void*) { return 0; }, nullptr));
  ckpt_worker_pool_release(pool);
  REQUIRE_PERMITTED(ckpt_remove_thread_hooks(in_use.hooks));
  std::int64_t id = 0;
  MUST(ckpt_add_thread_hooks([](const char*, void*) {}, nullptr, &destroyed, &sweeping, &id));
  REQUIRE_PERMITTED(ckpt_remove_thread_hooks(id));
}

void started_thread() {
  Objects in_use;
  Place place{"thread function", &in_use};
  // Hooks are removed after the thread has ended.
  MUST(ckpt_add_thread_hooks([](const char*, void*) {}, nullptr, nullptr, nullptr, &in_use.hooks));
  MUST(ckpt_start_thread("sweep", &sweeping, &place, nullptr));
  REQUIRE_PERMITTED(ckpt_remove_thread_hooks(in_use.hooks));
}

void pool_part() {
  Objects in_use;
  Place place{"part of a thread pool", &in_use};
  MUST(ckpt_worker_pool_create(2, &in_use.of<ckpt_worker_pool>()));
  REQUIRE_PERMITTED(ckpt_worker_pool_run(in_use.of<ckpt_worker_pool>(), 4, &sweeping, &place));
  release_rest(in_use);
}

// A custom clock for each object that reads one.
void clocks() {
  Objects direct;
  Place asked{"clock asked", &direct};
  MUST(ckpt_clock_create_custom(&sweeping, &asked, nullptr, &direct.of<ckpt_clock>()));
  std::int64_t now = 0;
  REQUIRE_PERMITTED(ckpt_clock_get_now(direct.of<ckpt_clock>(), &now));
  release_rest(direct);

  Objects tracking;
  Place records{"clock of a tracker", &tracking};
  ckpt_memory_tracker_options tracker = CKPT_MEMORY_TRACKER_OPTIONS_INIT;
  MUST(ckpt_clock_create_custom(&sweeping, &records, nullptr, &tracking.of<ckpt_clock>()));
  tracker.clock = tracking.of<ckpt_clock>();
  MUST(ckpt_memory_tracker_create(&tracker, &tracking.of<ckpt_memory_tracker>()));
  ckpt_memory_stats stats = CKPT_MEMORY_STATS_INIT;
  REQUIRE_PERMITTED(record_named(tracking.of<ckpt_memory_tracker>(), "sweep", 64, &tracking.allocation));
  records.name = "clock of a tracker that is read";
  REQUIRE_PERMITTED(ckpt_memory_tracker_get_stats(tracking.of<ckpt_memory_tracker>(), &stats));
  release_rest(tracking);
}

void clocks_of_others() {
  Objects strategic;
  Place pressure{"clock of a strategy", &strategic};
  MUST(ckpt_clock_create_custom(&sweeping, &pressure, nullptr, &strategic.of<ckpt_clock>()));
  MUST(create_memory_aware("memory-aware:0.5", nullptr, 0, strategic.of<ckpt_clock>(), &strategic.of<ckpt_strategy>()));
  const std::int64_t shape[1] = {4};
  std::int32_t answer = 0;
  REQUIRE_PERMITTED(
      ckpt_strategy_should_checkpoint_shape(strategic.of<ckpt_strategy>(), "a", CKPT_DTYPE_F32, shape, 1, 0, &answer));
  release_rest(strategic);

  Objects managing;
  Place dates{"clock of an activation manager", &managing};
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  MUST(ckpt_clock_create_custom(&sweeping, &dates, nullptr, &managing.of<ckpt_clock>()));
  options.clock = managing.of<ckpt_clock>();
  MUST(ckpt_activation_manager_create(nullptr, &options, nullptr, nullptr, nullptr, &managing.of<ckpt_activation_manager>()));
  ckpt_tensor* tensor = make_small_tensor();
  REQUIRE_PERMITTED(ckpt_activation_manager_store(managing.of<ckpt_activation_manager>(), 0, tensor, nullptr));
  ckpt_tensor_release(tensor);
  release_rest(managing);

  Objects controlling;
  Place asked{"clock of a controller", &controlling};
  ckpt_controller_options controller = CKPT_CONTROLLER_OPTIONS_INIT;
  MUST(ckpt_clock_create_custom(&sweeping, &asked, nullptr, &controlling.of<ckpt_clock>()));
  controller.clock = controlling.of<ckpt_clock>();
  MUST(ckpt_controller_create(&controller, &controlling.of<ckpt_controller>()));
  double seconds = 0;
  REQUIRE_PERMITTED(ckpt_controller_get_now(controlling.of<ckpt_controller>(), &seconds));
  release_rest(controlling);
}

void memory_events() {
  Objects in_use;
  Place recorded{"memory event", &in_use};
  MUST(ckpt_memory_tracker_create(nullptr, &in_use.of<ckpt_memory_tracker>()));
  MUST(ckpt_memory_tracker_subscribe(in_use.of<ckpt_memory_tracker>(), CKPT_MEMORY_EVENT_KIND_ALL, &sweeping, &recorded, nullptr,
                                     &in_use.subscription));
  REQUIRE_PERMITTED(record_named(in_use.of<ckpt_memory_tracker>(), "sweep", 64, &in_use.allocation));
  release_rest(in_use);

  Objects pooled;
  Place taken{"memory event of a buffer", &pooled};
  MUST(ckpt_memory_tracker_create(nullptr, &pooled.of<ckpt_memory_tracker>()));
  MUST(ckpt_memory_tracker_subscribe(pooled.of<ckpt_memory_tracker>(), CKPT_MEMORY_EVENT_KIND_ALL, &sweeping, &taken, nullptr,
                                     &pooled.subscription));
  MUST(ckpt_buffer_pool_create(pooled.of<ckpt_memory_tracker>(), nullptr, &pooled.of<ckpt_buffer_pool>()));
  const std::int64_t shape[1] = {16};
  ckpt_tensor* tensor = nullptr;
  REQUIRE_PERMITTED(ckpt_tensor_create(CKPT_DTYPE_F32, shape, 1, pooled.of<ckpt_buffer_pool>(), &tensor));
  taken.name = "memory event of a buffer that returns";
  ckpt_tensor_release(tensor);

  taken.name = "memory event of an activation";
  ckpt_activation_manager_options options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT;
  options.tracker = pooled.of<ckpt_memory_tracker>();
  if (options.tracker != nullptr) {
    std::int64_t subscription = 0;  // the previous one may have been ended
    MUST(ckpt_memory_tracker_subscribe(options.tracker, CKPT_MEMORY_EVENT_KIND_ALL, &sweeping, &taken, nullptr, &subscription));
    MUST(ckpt_activation_manager_create(nullptr, &options, nullptr, nullptr, nullptr, &pooled.of<ckpt_activation_manager>()));
    tensor = make_small_tensor();
    REQUIRE_PERMITTED(ckpt_activation_manager_store(pooled.of<ckpt_activation_manager>(), 0, tensor, nullptr));
    ckpt_tensor_release(tensor);
  }
  release_rest(pooled);
}

const std::vector<const char*> asks_strategy = {"ckpt_strategy_should_checkpoint", "ckpt_strategy_should_checkpoint_shape",
                                                "ckpt_schedule_create_from_strategy", "ckpt_follower_next"};

struct StrategyPlaces {
  Place decide;
  Place reset;
  Place access;
};

ckpt_strategy* make_strategy(StrategyPlaces& places) {
  ckpt_strategy_callbacks callbacks = CKPT_STRATEGY_CALLBACKS_INIT;
  callbacks.decide = [](const ckpt_strategy_question*, std::int32_t* answer, void* user) -> std::int32_t {
    here(static_cast<StrategyPlaces*>(user)->decide);
    *answer = 1;
    return 0;
  };
  callbacks.reset = [](void* user) -> std::int32_t {
    here(static_cast<StrategyPlaces*>(user)->reset);
    return 0;
  };
  callbacks.access = [](const char*, void* user) -> std::int32_t {
    here(static_cast<StrategyPlaces*>(user)->access);
    return 0;
  };
  ckpt_strategy* strategy = nullptr;
  MUST(ckpt_strategy_create_custom(nullptr, &callbacks, &places, nullptr, &strategy));
  return strategy;
}

void strategies() {
  const std::int64_t shape[1] = {4};
  std::int32_t answer = 0;
  Objects in_use;
  StrategyPlaces places = {
      {"strategy decides", &in_use, asks_strategy}, {"strategy resets", &in_use}, {"strategy learns of an access", &in_use}};
  in_use.of<ckpt_strategy>() = make_strategy(places);
  REQUIRE_PERMITTED(ckpt_strategy_should_checkpoint_shape(in_use.of<ckpt_strategy>(), "a", CKPT_DTYPE_F32, shape, 1, 0, &answer));
  REQUIRE_PERMITTED(ckpt_strategy_reset(in_use.of<ckpt_strategy>()));
  REQUIRE_PERMITTED(ckpt_strategy_observe_access(in_use.of<ckpt_strategy>(), "a"));
  release_rest(in_use);

  Objects composed;
  StrategyPlaces children = {{"strategy of a composite decides", &composed},
                             {"strategy of a composite resets", &composed},
                             {"strategy of a composite learns", &composed}};
  ckpt_strategy* child = make_strategy(children);
  MUST(create_of("not($0)", &child, 1, &composed.of<ckpt_strategy>()));
  ckpt_strategy_release(child);
  REQUIRE_PERMITTED(ckpt_strategy_should_checkpoint_shape(composed.of<ckpt_strategy>(), "a", CKPT_DTYPE_F32, shape, 1, 0, &answer));
  REQUIRE_PERMITTED(ckpt_strategy_reset(composed.of<ckpt_strategy>()));
  REQUIRE_PERMITTED(ckpt_strategy_observe_access(composed.of<ckpt_strategy>(), "a"));
  release_rest(composed);
}

// Strategies called by other objects.
void strategies_of_others() {
  Objects in_use;
  StrategyPlaces places = {{"strategy asked for a schedule", &in_use, asks_strategy},
                           {"strategy reset for a schedule", &in_use},
                           {"strategy of an executor", &in_use}};
  ckpt_schedule_executor_options executor = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  ckpt_step step = CKPT_STEP_INIT;
  in_use.of<ckpt_strategy>() = make_strategy(places);
  in_use.of<ckpt_chain>() = make_custom_chain(nullptr);
  MUST(ckpt_profile_create_from_chain(in_use.of<ckpt_chain>(), &small_input, 0, nullptr, &in_use.of<ckpt_profile>()));
  REQUIRE_PERMITTED(
      ckpt_schedule_create_from_strategy(in_use.of<ckpt_profile>(), in_use.of<ckpt_strategy>(), &in_use.of<ckpt_schedule>()));
  REQUIRE_PERMITTED(ckpt_follower_create(in_use.of<ckpt_profile>(), in_use.of<ckpt_strategy>(), &in_use.of<ckpt_follower>()));
  ckpt_schedule_release(in_use.of<ckpt_schedule>());
  in_use.of<ckpt_schedule>() = nullptr;
  REQUIRE_PERMITTED(ckpt_follower_next(in_use.of<ckpt_follower>(), &in_use.of<ckpt_schedule>(), nullptr));
  executor.follower = in_use.of<ckpt_follower>();
  REQUIRE_PERMITTED(ckpt_schedule_executor_create(in_use.of<ckpt_chain>(), in_use.of<ckpt_schedule>(), &small_input, &executor,
                                                  &in_use.of<ckpt_schedule_executor>()));
  step.input = step.output_gradient = make_small_tensor();
  REQUIRE_PERMITTED(ckpt_schedule_executor_run(in_use.of<ckpt_schedule_executor>(), &step, nullptr));
  ckpt_tensor_release(step.input);
  release_rest(in_use);

  Objects managing;
  StrategyPlaces asked = {{"strategy of an activation manager", &managing, asks_strategy}, {}, {}};
  ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
  managing.of<ckpt_strategy>() = make_strategy(asked);
  policy.kind = CKPT_ACTIVATION_POLICY_KIND_STRATEGY;
  policy.strategy = managing.of<ckpt_strategy>();
  MUST(ckpt_activation_manager_create(&policy, nullptr, nullptr, nullptr, nullptr, &managing.of<ckpt_activation_manager>()));
  ckpt_tensor* tensor = make_small_tensor();
  REQUIRE_PERMITTED(ckpt_activation_manager_store(managing.of<ckpt_activation_manager>(), 0, tensor, nullptr));
  ckpt_tensor_release(tensor);
  release_rest(managing);
}

void strategy_factory() {
  Place makes{"strategy factory"};
  Place destroyed{"strategy factory destroy"};
  const auto factory = [](const char*, ckpt_strategy** strategy, void* user) -> std::int32_t {
    here(*static_cast<Place*>(user));
    return ckpt_strategy_create("interval:2", strategy);
  };
  MUST(ckpt_strategy_register("made-here", factory, &makes, nullptr));
  ckpt_strategy* strategy = nullptr;
  REQUIRE_PERMITTED(ckpt_strategy_create("made-here", &strategy));
  ckpt_strategy_release(strategy);
  REQUIRE_PERMITTED(ckpt_strategy_unregister("made-here"));
  MUST(ckpt_strategy_register("gone-here", factory, &destroyed, &sweeping));
  REQUIRE_PERMITTED(ckpt_strategy_unregister("gone-here"));
}

void storage_scheme() {
  Place makes{"scheme of storages"};
  Place destroyed{"scheme of storages destroy"};
  const auto make = [](const char*, ckpt_storage** storage, void* user) -> std::int32_t {
    here(*static_cast<Place*>(user));
    return ckpt_storage_create_memory(storage);
  };
  MUST(ckpt_storage_register_scheme("made-here", make, &makes, nullptr));
  ckpt_storage* storage = nullptr;
  REQUIRE_PERMITTED(ckpt_storage_create_from_uri("made-here:x", &storage));
  ckpt_storage_release(storage);
  REQUIRE_PERMITTED(ckpt_storage_unregister_scheme("made-here"));
  MUST(ckpt_storage_register_scheme("gone-here", make, &destroyed, &sweeping));
  REQUIRE_PERMITTED(ckpt_storage_unregister_scheme("gone-here"));
}

// ---- Destroy callbacks: the object is destroyed, everything else may be called ----

struct Managed {  // DLManagedTensor of dlpack.h
  void* data;
  std::int32_t device_type, device_id;
  std::int32_t ndim;
  std::uint8_t code, bits;
  std::uint16_t lanes;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
  void* context;
  void (*deleter)(Managed*);
};

void destroyed_tensors() {
  Place borrowed{"borrowed tensor's release"};
  Place exchanged{"DLPack deleter"};
  Place state_place{"borrowed tensor's release by a state"};
  alignas(64) static float data[4];
  std::int64_t shape[1] = {4};
  ckpt_tensor* tensor = nullptr;
  MUST(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, shape, 1, &borrowed, &sweeping, &tensor));
  ckpt_tensor_release(tensor);

  Managed managed = {data, 1,     0,       1, 2,          32,
                     1,    shape, nullptr, 0, &exchanged, [](Managed* self) { here(*static_cast<Place*>(self->context)); }};
  MUST(ckpt_tensor_create_from_dlpack(reinterpret_cast<DLManagedTensor*>(&managed), &tensor));
  ckpt_tensor_release(tensor);

  ckpt_state* state = nullptr;
  MUST(ckpt_state_create(&state));
  MUST(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, shape, 1, &state_place, &sweeping, &tensor));
  MUST(ckpt_state_add_tensor(state, "model", "weight", tensor));
  ckpt_tensor_release(tensor);
  ckpt_state_release(state);
}

// An activation in memory of the program, which is freed when the manager releases it.
void destroyed_activations() {
  Objects in_use;
  Place replaced{"release of an activation", &in_use};
  alignas(64) static float data[8];
  const std::int64_t shape[1] = {8};
  MUST(ckpt_activation_manager_create(nullptr, nullptr, nullptr, nullptr, nullptr, &in_use.of<ckpt_activation_manager>()));
  ckpt_activation_manager* manager = in_use.of<ckpt_activation_manager>();
  for (const char* name : {"release of an activation that is replaced", "release of an activation that is cleared"}) {
    ckpt_tensor* tensor = nullptr;
    MUST(ckpt_tensor_create_borrowed(data, CKPT_DTYPE_F32, shape, 1, &replaced, &sweeping, &tensor));
    MUST(ckpt_activation_manager_store_moved(manager, 0, tensor, nullptr));
    replaced.name = name;
    ckpt_tensor* other = make_small_tensor();
    if (std::strstr(name, "replaced") != nullptr) REQUIRE_PERMITTED(ckpt_activation_manager_store(manager, 0, other, nullptr));
    if (std::strstr(name, "cleared") != nullptr) REQUIRE_PERMITTED(ckpt_activation_manager_clear(manager));
    ckpt_tensor_release(other);
    if (in_use.of<ckpt_activation_manager>() == nullptr) break;
  }
  release_rest(in_use);
}

void destroyed_objects() {
  Place clock_place{"clock destroy"};
  Place event_place{"memory event destroy by unsubscribe"};
  Place tracker_place{"memory event destroy by the tracker"};
  Place strategy_place{"strategy destroy"};
  Place handler_place{"fault handler destroy"};
  Place manager_place{"activation manager destroy"};
  Place layer_place{"layer destroy"};
  Place log_place{"log destroy", nullptr};
  Objects in_use;

  MUST(ckpt_clock_create_custom([](void*) -> std::int64_t { return 0; }, &clock_place, &sweeping, &in_use.of<ckpt_clock>()));
  MUST(ckpt_fault_handler_create(
      nullptr, [](std::int64_t, void*) {}, &handler_place, &sweeping, &in_use.of<ckpt_fault_handler>()));
  release_rest(in_use);

  const auto quiet = [](const ckpt_memory_event*, void*) -> std::int32_t { return 0; };
  MUST(ckpt_memory_tracker_create(nullptr, &in_use.of<ckpt_memory_tracker>()));
  MUST(ckpt_memory_tracker_subscribe(in_use.of<ckpt_memory_tracker>(), 1, quiet, &event_place, &sweeping, &in_use.subscription));
  REQUIRE_PERMITTED(ckpt_memory_tracker_unsubscribe(in_use.of<ckpt_memory_tracker>(), in_use.subscription));
  MUST(ckpt_memory_tracker_subscribe(in_use.of<ckpt_memory_tracker>(), 1, quiet, &tracker_place, &sweeping, &in_use.subscription));
  release_rest(in_use);

  ckpt_strategy_callbacks strategy = CKPT_STRATEGY_CALLBACKS_INIT;
  strategy.decide = [](const ckpt_strategy_question*, std::int32_t*, void*) -> std::int32_t { return 0; };
  MUST(ckpt_strategy_create_custom(nullptr, &strategy, &strategy_place, &sweeping, &in_use.of<ckpt_strategy>()));
  MUST(ckpt_activation_manager_create(
      nullptr, nullptr, [](ckpt_tensor*, std::int32_t, ckpt_tensor**, void*) -> std::int32_t { return 1; }, &manager_place,
      &sweeping, &in_use.of<ckpt_activation_manager>()));
  ckpt_layer_callbacks layer = CKPT_LAYER_CALLBACKS_INIT;
  layer.output = [](const ckpt_tensor_spec* input, ckpt_tensor_spec* output, void*) -> std::int32_t { return *output = *input, 0; };
  layer.forward = [](const ckpt_layer_context*, const void*, void*, void*, void*, void*) -> std::int32_t { return 0; };
  layer.backward = [](const ckpt_layer_context*, const void*, const void*, const void*, const void*, void*, void*,
                      void*) -> std::int32_t { return 0; };
  MUST(ckpt_layer_create_custom("sweep", &layer, &layer_place, &sweeping, &in_use.of<ckpt_layer>()));
  release_rest(in_use);

  MUST(ckpt_set_log(
      CKPT_LOG_LEVEL_DEBUG, [](std::int32_t, const char*, const char*, void*) {}, &log_place, &sweeping));
  REQUIRE_PERMITTED(ckpt_set_log(CKPT_LOG_LEVEL_DEBUG, nullptr, nullptr, nullptr));
}

}  // namespace

const std::vector<Scenario> base_scenarios = {
    {"thread_hooks", {"ckpt_thread_hook_fn"}, 3, thread_hooks},
    {"started_thread", {"ckpt_thread_fn"}, 1, started_thread},
    {"pool_part", {"ckpt_part_fn"}, 1, pool_part},
    {"clocks", {"ckpt_clock_fn"}, 3, clocks},
    {"clocks_of_others", {}, 3, clocks_of_others},
    {"memory_events", {"ckpt_memory_event_fn"}, 4, memory_events},
    {"strategies", {"ckpt_strategy_decide_fn", "ckpt_strategy_reset_fn", "ckpt_strategy_access_fn"}, 6, strategies},
    {"strategies_of_others", {}, 3, strategies_of_others},
    {"strategy_factory", {"ckpt_strategy_factory_fn"}, 2, strategy_factory},
    {"storage_scheme", {"ckpt_storage_scheme_fn"}, 2, storage_scheme},
    {"destroyed_tensors", {"ckpt_destroy_fn"}, 3, destroyed_tensors},
    {"destroyed_activations", {}, 2, destroyed_activations},
    {"destroyed_objects", {}, 8, destroyed_objects},
};

}  // namespace sweeps
