// Measures driving per action of the schedule: a framework that does nothing, through the C API. Read "action".
#include <benchmark/benchmark.h>

#include <ckpt/ckpt.h>

#include <cstdint>
#include <string>

namespace {

// Handles are numbers that are never dereferenced.
struct Numbers {
  std::uintptr_t next = 16;
  void* fresh() { return reinterpret_cast<void*>(next += 16); }
};

std::int32_t forward(const ckpt_drive_call*, void*, void** output, void* user) {
  *output = static_cast<Numbers*>(user)->fresh();
  return 0;
}
std::int32_t record(const ckpt_drive_call* call, void*, void** output, void** tape, void* user) {
  if ((call->flags & CKPT_DRIVE_FLAG_NO_OUTPUT) == 0) *output = static_cast<Numbers*>(user)->fresh();
  *tape = static_cast<Numbers*>(user)->fresh();
  return 0;
}
std::int32_t backward(const ckpt_drive_call*, void*, void*, void*, void*, void** grad_input, void* user) {
  *grad_input = static_cast<Numbers*>(user)->fresh();
  return 0;
}
std::int32_t turn(const ckpt_drive_call*, void*, void** grad_output, void* user) {
  *grad_output = static_cast<Numbers*>(user)->fresh();
  return 0;
}
std::int32_t store(const ckpt_drive_call*, void*, void*) { return 0; }
std::int32_t load(const ckpt_drive_call*, void** item, void* user) {
  *item = static_cast<Numbers*>(user)->fresh();
  return 0;
}
std::int32_t await(const ckpt_drive_call*, void*) { return 0; }
void drop(const ckpt_drive_call*, void*, void*) {}

void drive(benchmark::State& state, const std::string& planner) {
  ckpt_layer_profile layer = CKPT_LAYER_PROFILE_INIT;
  ckpt_option_profile option = CKPT_OPTION_PROFILE_INIT;
  layer.flags = CKPT_LAYER_FLAG_DETERMINISTIC;
  layer.output_bytes = 1000;
  option.tape_bytes = 3000;
  option.forward_seconds = 1;
  option.backward_seconds = 2;
  option.has_record = 1;
  ckpt_profile* profile = nullptr;
  ckpt_schedule* schedule = nullptr;
  ckpt_plan_report report = CKPT_PLAN_REPORT_INIT;
  ckpt_driver_callbacks callbacks = CKPT_DRIVER_CALLBACKS_INIT;
  callbacks.forward = forward;
  callbacks.record = record;
  callbacks.backward = backward;
  callbacks.turn = turn;
  callbacks.store = store;
  callbacks.load = load;
  callbacks.await = await;
  callbacks.drop = drop;
  Numbers numbers;
  ckpt_driver* driver = nullptr;
  if (ckpt_profile_create_uniform(state.range(0), &layer, &option, &profile) != CKPT_OK ||
      ckpt_schedule_create(profile, planner.c_str(), &schedule) != CKPT_OK ||
      ckpt_schedule_verify(schedule, profile, &report) != CKPT_OK ||
      ckpt_driver_create(schedule, &callbacks, &numbers, nullptr, &driver) != CKPT_OK) {
    state.SkipWithError(ckpt_last_error());
    return;
  }
  for (auto _ : state) {
    if (ckpt_driver_run(driver, numbers.fresh(), nullptr) != CKPT_OK) state.SkipWithError(ckpt_last_error());
  }
  const double actions = static_cast<double>(report.actions) * static_cast<double>(state.iterations());
  state.counters["action"] = benchmark::Counter(actions, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
  ckpt_driver_release(driver);
  ckpt_schedule_release(schedule);
  ckpt_profile_release(profile);
}
BENCHMARK_CAPTURE(drive, store_all, "store-all")->Arg(24)->Arg(1000);
BENCHMARK_CAPTURE(drive, sqrt, "sqrt")->Arg(1000);
BENCHMARK_CAPTURE(drive, revolve, "revolve:10")->Arg(1000)->Arg(100'000);
BENCHMARK_CAPTURE(drive, two_level, "two-level:5,50")->Arg(1000);

}  // namespace
