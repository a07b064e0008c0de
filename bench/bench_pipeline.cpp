// Pipelines: the time of a hand-over between two running threads, compared with a queue of one mutex and one condition variable;
// and steps of the model of `ckpt train --model mlp` split into 8 micro-batches, with one BLAS thread per stage; one stage is the
// baseline. Rows of steps also report the peak of activation bytes (queues included) and the idle share of the stages' time.
//
// Threads that are measured together are each pinned to a core: a scheduler without an idle core puts two threads that wake each
// other on the same core, and then nothing overlaps.
#include <benchmark/benchmark.h>
#include <pthread.h>
#include <sched.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "base/queue.h"
#include "pipeline/link.h"

namespace {

using Steady = std::chrono::steady_clock;

void pin_to(unsigned core) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(core % std::max(1U, std::thread::hardware_concurrency()), &set);
  pthread_setaffinity_np(pthread_self(), sizeof set, &set);
}

class Unpinned {
 public:
  Unpinned() { pthread_getaffinity_np(pthread_self(), sizeof set_, &set_); }
  ~Unpinned() { pthread_setaffinity_np(pthread_self(), sizeof set_, &set_); }
  Unpinned(const Unpinned&) = delete;
  Unpinned& operator=(const Unpinned&) = delete;

 private:
  cpu_set_t set_;
};

// ---- Hand-over: ping-pong; half of a round trip is one hand-over ----

struct MutexQueue {
  void send(std::int64_t value) {
    {
      const std::lock_guard lock(mutex);
      values.push_back(value);
    }
    came.notify_one();
  }
  std::int64_t receive() {
    std::unique_lock lock(mutex);
    came.wait(lock, [&] { return !values.empty(); });
    const std::int64_t value = values.front();
    values.pop_front();
    return value;
  }
  std::mutex mutex;
  std::condition_variable came;
  std::deque<std::int64_t> values;
};

struct LockFreeQueue {
  void send(std::int64_t value) { queue.push(value, -1); }
  std::int64_t receive() {
    std::int64_t value = 0;
    queue.pop(value, -1);
    return value;
  }
  ckpt::base::BlockingQueue<ckpt::base::SpscQueue<std::int64_t>, std::int64_t> queue{4};
};

// The hand-over of real stages: a copy into a buffer, an update of the tracker, two lock-free queues.
struct StageLink {
  void send(std::int64_t value) { link.send(0, &value, stop); }
  std::int64_t receive() {
    std::int64_t value = 0;
    link.receive(0, &value, stop);
    return value;
  }
  std::shared_ptr<ckpt::memory::Tracker> tracker = std::make_shared<ckpt::memory::Tracker>();
  std::atomic<bool> stop{false};
  ckpt::pipeline::Link link{4, sizeof(std::int64_t), tracker, tracker->layer("queue")};
};

template <class Queue>
void hand_over(benchmark::State& state) {
  Queue there;
  Queue back;
  const Unpinned unpinned;
  pin_to(0);
  std::thread other([&] {
    pin_to(1);
    while (there.receive() != 0) back.send(1);
  });
  std::vector<std::int64_t> nanoseconds;
  nanoseconds.reserve(1U << 22);
  for (auto _ : state) {
    const auto begin = Steady::now();
    there.send(1);
    benchmark::DoNotOptimize(back.receive());
    const auto round = std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - begin).count();
    if (nanoseconds.size() < nanoseconds.capacity()) nanoseconds.push_back(round / 2);
  }
  there.send(0);
  other.join();
  const auto middle = nanoseconds.begin() + static_cast<std::ptrdiff_t>(nanoseconds.size() / 2);
  std::nth_element(nanoseconds.begin(), middle, nanoseconds.end());
  state.counters["median_ns"] = static_cast<double>(*middle);
}
BENCHMARK(hand_over<MutexQueue>)->UseRealTime();
BENCHMARK(hand_over<LockFreeQueue>)->UseRealTime();
BENCHMARK(hand_over<StageLink>)->UseRealTime();

// ---- Steps of that model ----

constexpr std::int64_t batch = 256;

struct Demo {
  Demo() {
    chain.add(ckpt::Layer("embedding", "embedding:256,16,16"));
    for (int i = 0; i < 16; ++i) {
      const std::string block = "block." + std::to_string(i);
      chain.add(ckpt::Layer(block + ".linear", "linear:256,256"));
      chain.add(ckpt::Layer(block + ".gelu", "gelu"));
      chain.add(ckpt::Layer(block + ".dropout", "dropout:0.1"));
    }
    chain.add(ckpt::Layer("head", "linear:256,256"));
    chain.add(ckpt::Layer("loss", "softmax_cross_entropy"));
    chain.initialize(1);
    for (std::int64_t i = 0; i < batch * 16; ++i) tokens.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i * 37 % 251);
    for (std::int64_t i = 0; i < batch; ++i) targets.data_as<std::uint8_t>()[i] = static_cast<std::uint8_t>(i % 256);
    step.input = tokens;
    step.targets = targets;
  }
  ckpt::Chain chain;
  ckpt::Tensor tokens{ckpt::DType::u8, {batch, 16}};
  ckpt::Tensor targets{ckpt::DType::u8, {batch}};
  ckpt::Step step;
};

struct Setup {
  ckpt::PipelineOrder order;
  std::int32_t stages;
  std::int32_t chunks;
  bool recompute;  // within stages: every micro-batch keeps only the stage's input
};

void steps(benchmark::State& state, const Setup& setup) {
  const ckpt::ThreadHooks pinned(
      [](std::string_view name) {
        constexpr std::string_view stage = "ckpt-stage-";
        if (name.substr(0, stage.size()) == stage) pin_to(static_cast<unsigned>(name.back() - '0'));
      },
      {});
  Demo demo;
  ckpt::MemoryTracker tracker;
  const ckpt::ActivationPolicy policy{setup.recompute ? ckpt::ActivationPolicyKind::recompute_all
                                                      : ckpt::ActivationPolicyKind::store_all};
  ckpt::PipelineOptions options;
  options.order = setup.order;
  options.stages = setup.stages;
  options.chunks = setup.chunks;
  options.micro_batches = 8;
  options.measured_steps = 20;
  options.tracker = tracker;
  ckpt::Pipeline pipeline(demo.chain, {ckpt::DType::u8, {batch, 16}}, options, policy);
  pipeline.run(demo.step);
  for (auto _ : state) {
    ++demo.step.step;
    benchmark::DoNotOptimize(pipeline.run(demo.step));
  }
  auto begin = std::chrono::nanoseconds::max();
  std::chrono::nanoseconds end{0};
  std::chrono::nanoseconds busy{0};
  for (const ckpt::PipelineInterval& each : pipeline.timeline()) {
    begin = std::min(begin, each.begin_at);
    end = std::max(end, each.end_at);
    if (each.kind != ckpt::IntervalKind::wait) busy += each.end_at - each.begin_at;
  }
  state.counters["peak_bytes"] = static_cast<double>(tracker.stats().peak_bytes);
  state.counters["bubble"] = 1 - static_cast<double>(busy.count()) / static_cast<double>(((end - begin) * setup.stages).count());
  state.counters["samples_per_second"] =
      benchmark::Counter(static_cast<double>(state.iterations() * batch), benchmark::Counter::kIsRate);
}

#define STEPS(name, ...) BENCHMARK_CAPTURE(steps, name, Setup{__VA_ARGS__})->UseRealTime()->Unit(benchmark::kMillisecond)
STEPS(one_stage, ckpt::PipelineOrder::one_f_one_b, 1, 1, false);
STEPS(gpipe_2_stages_store_all, ckpt::PipelineOrder::gpipe, 2, 1, false);
STEPS(f1b1_2_stages_store_all, ckpt::PipelineOrder::one_f_one_b, 2, 1, false);
STEPS(f1b1_2_stages_recompute, ckpt::PipelineOrder::one_f_one_b, 2, 1, true);
STEPS(interleaved_2_stages_2_chunks_store_all, ckpt::PipelineOrder::interleaved, 2, 2, false);

}  // namespace

BENCHMARK_MAIN();
