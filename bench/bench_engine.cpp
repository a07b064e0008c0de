// Tiers: the cost of a step of the model of `ckpt train --model mlp` within 40% of store-all's memory, when inputs of layers move
// through a file that is written and read at twice the required rate. One run interleaves steps of all kinds; counters report the
// medians and their excess over store-all's:
// store_all keeps all inputs in memory; at_once copies them to other memory; unlimited moves them through a file without a rate
// limit, twice through one at twice the required rate, and twice_awaited_at_once does the same without computing during a copy. The
// executor has one thread less than there are cores, because copies use a core, too.
//
//   bench_engine [FOLDER]   folder of the tier's file; default /dev/shm, so that no disk is slower than the limit
#include <benchmark/benchmark.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

namespace {

using namespace ckpt;

std::string folder = "/dev/shm";

constexpr std::int64_t samples = 4096;
constexpr std::int64_t width = 256;
constexpr std::int64_t context = 16;

struct Demo {
  Chain chain;
  TensorSpec spec{DType::u8, {samples, context}};
  Tensor tokens{DType::u8, {samples, context}};
  Tensor targets{DType::u8, {samples}};
  Step step;

  Demo() {
    chain.add(Layer("embedding", "embedding", 256, context, width / context));
    for (int i = 0; i < 16; ++i) {
      const std::string block = "block." + std::to_string(i);
      chain.add(Layer(block + ".linear", "linear", width, width));
      chain.add(Layer(block + ".gelu", "gelu"));
      chain.add(Layer(block + ".dropout", "dropout", 0.1));
    }
    chain.add(Layer("head", "linear", width, 256));
    chain.add(Layer("loss", "softmax_cross_entropy"));
    chain.initialize(1);
    std::uint8_t next = 0;
    for (std::uint8_t& token : tokens.elements_as<std::uint8_t>()) token = next = static_cast<std::uint8_t>(5 * next + 17);
    for (std::uint8_t& target : targets.elements_as<std::uint8_t>()) target = next = static_cast<std::uint8_t>(5 * next + 3);
    step.input = tokens;
    step.targets = targets;
  }
};

// ---- Schedules that move inputs ----

ScheduleAction on_layer(ActionKind kind, std::int64_t layer) {
  ScheduleAction action;
  action.kind = kind;
  action.first = layer;
  action.last = layer + 1;
  return action;
}

ScheduleAction of_input(ActionKind kind, std::int64_t index, bool in_tier) {
  ScheduleAction action;
  action.kind = kind;
  action.first = index;
  action.item = Item::input;
  if (!in_tier) return action;
  action.tier = 1;
  action.slot = static_cast<std::int32_t>(index);
  action.transfer = index;
  return action;
}

bool reads_input(const Profile& profile, std::int64_t layer) {
  return (static_cast<std::uint32_t>(profile.layer(layer).flags) & CKPT_LAYER_FLAG_NEEDS_INPUT) != 0;
}

// Returns a schedule in which every layer records. The first `moved` inputs that a backward reads are stored on tier 1 and loaded
// back. Each copy begins as early and is awaited as late as possible with at most `under_way` + 1 inputs being copied at a time;
// with 0, nothing runs during a copy.
Schedule moving(const Profile& profile, std::int64_t moved, std::size_t under_way) {
  const std::int64_t n = profile.layer_count();
  std::vector<std::int64_t> inputs;
  for (std::int64_t i = 1; i < n && std::ssize(inputs) < moved; ++i) {
    if (reads_input(profile, i)) inputs.push_back(i);
  }
  const auto moves = [&](std::int64_t i) { return std::binary_search(inputs.begin(), inputs.end(), i); };
  std::vector<ScheduleAction> actions;
  std::size_t stored = 0;
  std::size_t awaited = 0;
  const auto await_store = [&] { actions.push_back(of_input(ActionKind::await, inputs[awaited++], true)); };
  for (std::int64_t i = 0; i < n; ++i) {
    if (moves(i)) {
      actions.push_back(of_input(ActionKind::store_begin, i, true));
      ++stored;
      if (stored - awaited > under_way) await_store();
    }
    actions.push_back(on_layer(ActionKind::forward_tape, i));
    if (moves(i) || !reads_input(profile, i)) actions.push_back(of_input(ActionKind::drop, i, false));
  }
  actions.push_back(on_layer(ActionKind::turn, 0));
  actions.push_back(of_input(ActionKind::drop, n, false));
  while (awaited < stored) await_store();
  std::size_t loaded = 0;
  std::size_t used = 0;
  const auto load_more = [&] {
    for (; loaded < inputs.size() && loaded - used <= under_way; ++loaded)
      actions.push_back(of_input(ActionKind::load_begin, inputs[inputs.size() - 1 - loaded], true));
  };
  for (std::int64_t i = n; i-- > 0;) {
    const bool may_begin = under_way == 0 ? moves(i) : inputs.empty() || i < inputs.back() + 3;
    if (may_begin) load_more();
    if (moves(i)) {
      actions.push_back(of_input(ActionKind::await, i, true));
      actions.push_back(of_input(ActionKind::drop, i, true));
    }
    actions.push_back(on_layer(ActionKind::backward, i));
    if (reads_input(profile, i)) actions.push_back(of_input(ActionKind::drop, i, false));
    if (moves(i)) ++used;
  }
  actions.push_back(on_layer(ActionKind::end, 0));
  return Schedule::list(n, actions);
}

// Returns the schedule that moves the fewest inputs among those that reserve at most budget_bytes.
Schedule moving_within(const Profile& profile, std::int64_t budget_bytes, std::size_t under_way) {
  for (std::int64_t moved = 1; moved < profile.layer_count(); ++moved) {
    Schedule schedule = moving(profile, moved, under_way);
    if (schedule.reserved_bytes(profile) <= budget_bytes) return schedule;
  }
  throw Error(Status::over_budget, "no schedule that moves inputs fits " + std::to_string(budget_bytes) + " bytes");
}

// ---- Interleaved steps ----

double run_ms(ScheduleExecutor& executor, const Step& step) {
  const auto begin = std::chrono::steady_clock::now();
  executor.run(step);
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
}

double median(std::vector<double> of) {
  std::nth_element(of.begin(), of.begin() + std::ssize(of) / 2, of.end());
  return of[of.size() / 2];
}

void tier_of_twice_the_rate(benchmark::State& state) {
  Demo demo;
  WorkerPool pool(std::max(1, static_cast<std::int32_t>(std::thread::hardware_concurrency()) - 1));
  Profile profile = demo.chain.profile(demo.spec, 5, pool);
  double forward_seconds = 0;
  double backward_seconds = 0;
  for (std::int64_t i = 0; i < profile.layer_count(); ++i) {
    forward_seconds += profile.option(i, 0).forward_seconds;
    backward_seconds += profile.option(i, 0).backward_seconds;
  }
  const Schedule store_all = Schedule::create(profile, "store-all");
  const std::int64_t all_bytes = store_all.reserved_bytes(profile);
  const Schedule moves = moving_within(profile, all_bytes * 2 / 5, 3);
  const Schedule waits = moving_within(profile, all_bytes * 2 / 5, 0);
  const PlanReport report = moves.verify(profile);
  // The required rate: high enough to write within the time of all layers' forwards, and to read within that of their backwards.
  const double needed = std::max(static_cast<double>(report.stored_bytes[1]) / forward_seconds,
                                 static_cast<double>(report.loaded_bytes[1]) / backward_seconds);
  FileSystemOptions limit;
  limit.bytes_per_second = static_cast<std::int64_t>(2 * needed);
  profile.set_tier(1, {0, 2 * needed, 2 * needed, 0});

  const auto options = [&](const Storage* storage) {
    ScheduleExecutorOptions given;
    given.pool = pool;
    if (storage != nullptr) given.tier1_storage = *storage;
    return given;
  };
  const Storage limited = Storage::file_system(folder, limit);
  const Storage unlimited = Storage::file_system(folder);
  ScheduleExecutor whole(demo.chain, store_all, demo.spec, options(nullptr));
  ScheduleExecutor at_once(demo.chain, moves, demo.spec, options(nullptr));
  ScheduleExecutor fast(demo.chain, moves, demo.spec, options(&unlimited));
  ScheduleExecutor slow(demo.chain, moves, demo.spec, options(&limited));
  ScheduleExecutor waiting(demo.chain, waits, demo.spec, options(&limited));
  const std::vector<std::pair<const char*, ScheduleExecutor*>> kinds = {
      {"store_all", &whole}, {"at_once", &at_once}, {"unlimited", &fast}, {"twice", &slow}, {"twice_awaited_at_once", &waiting}};
  std::vector<std::vector<double>> times(kinds.size());
  for (const auto& [name, executor] : kinds) executor->run(demo.step);
  const auto waited_before = slow.stats().transfer_wait;
  for (auto _ : state) {
    for (std::size_t i = 0; i < kinds.size(); ++i) times[i].push_back(run_ms(*kinds[i].second, demo.step));
  }
  const double base = median(times[0]);
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    state.counters[std::string(kinds[i].first) + "_ms"] = median(times[i]);
    if (i > 0) state.counters[std::string(kinds[i].first) + "_extra_%"] = 100 * (median(times[i]) / base - 1);
  }
  state.counters["waited_ms"] =
      1e-6 * static_cast<double>((slow.stats().transfer_wait - waited_before).count()) / static_cast<double>(times[0].size());
  state.counters["planned_extra_%"] = 100 * moves.verify(profile).wait_seconds / (forward_seconds + backward_seconds);
  state.counters["memory_%"] = 100 * static_cast<double>(moves.reserved_bytes(profile)) / static_cast<double>(all_bytes);
  state.counters["moved_MB"] = 1e-6 * static_cast<double>(report.stored_bytes[1]);
  state.counters["tier_MB/s"] = 2e-6 * needed;
}

}  // namespace

BENCHMARK(tier_of_twice_the_rate)->Unit(benchmark::kMillisecond)->Iterations(10);

int main(int count, char** arguments) {
  benchmark::Initialize(&count, arguments);
  if (count > 1) folder = arguments[1];
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}
