// The memory tracker compared with the obvious implementations. Baseline does the same job in the simplest way: one mutex,
// std::unordered_map<std::string, ...> for the layers, std::unordered_map<id, ...> for live allocations, no times. CountsOnly does
// less. An event is one allocation or one free; every row's time is per event. Rows with two threads run for a fixed time and also
// report the 99.9th percentile of one event and fairness: the slower thread's events over the faster one's.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <numeric>
#include <random>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

#include <ckpt/memory.h>
#include <ckpt/memory.hpp>

#include "memory/chunks.h"
#include "memory/spin_lock.h"
#include "memory/state.h"
#include "memory/tracker.h"

namespace {

using Steady = std::chrono::steady_clock;

std::vector<std::string> layer_names(std::int64_t count) {
  std::vector<std::string> names;
  for (std::int64_t i = 0; i < count; ++i) names.push_back("transformer.block." + std::to_string(i) + ".attention");
  return names;
}

// ---- The compared subjects: each has allocate(layer) -> id and free(layer, id) ----

struct Counts {
  std::int64_t current = 0;
  std::int64_t peak = 0;
  std::int64_t allocated = 0;
  std::int64_t allocations = 0;
  std::int64_t frees = 0;
  void add(std::int64_t bytes) {
    current += bytes;
    allocated += bytes;
    ++allocations;
    peak = std::max(peak, current);
  }
  void remove(std::int64_t bytes) {
    current -= bytes;
    ++frees;
  }
};

constexpr std::int64_t event_bytes = 4096;

// Fulfils the tracker's contract: an allocation has an id; a free passes only the id, which identifies layer and bytes; a free by
// name frees all allocations of the layer; live, peak and total bytes, counts and the largest allocation, in total and per layer.
class Baseline {
 public:
  explicit Baseline(std::int64_t layers) : names_(layer_names(layers)) {}
  std::uint64_t allocate(std::size_t layer) { return allocate(names_[layer], event_bytes); }
  void free(std::size_t, std::uint64_t id) { free(id); }

 protected:
  struct Layer {
    Counts counts;
    std::int64_t largest = 0;
    std::vector<std::uint64_t> live;
  };
  struct Live {
    Layer* layer;
    std::int64_t bytes;
  };

  std::uint64_t allocate(const std::string& name, std::int64_t bytes) {
    const std::lock_guard lock(mutex_);
    Layer& layer = layers_[name];
    const std::uint64_t id = ++last_id_;
    live_.emplace(id, Live{&layer, bytes});
    layer.live.push_back(id);
    layer.counts.add(bytes);
    layer.largest = std::max(layer.largest, bytes);
    total_.add(bytes);
    return id;
  }
  bool free(std::uint64_t id) {
    const std::lock_guard lock(mutex_);
    const auto found = live_.find(id);
    if (found == live_.end()) {
      ++not_found_;
      return false;
    }
    const auto [layer, bytes] = found->second;
    live_.erase(found);
    *std::find(layer->live.begin(), layer->live.end(), id) = layer->live.back();
    layer->live.pop_back();
    layer->counts.remove(bytes);
    total_.remove(bytes);
    return true;
  }
  bool free(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const auto named = layers_.find(name);
    if (named == layers_.end() || named->second.live.empty()) {
      ++not_found_;
      return false;
    }
    Layer& layer = named->second;
    for (const std::uint64_t id : layer.live) {
      const auto found = live_.find(id);
      layer.counts.remove(found->second.bytes);
      total_.remove(found->second.bytes);
      live_.erase(found);
    }
    layer.live.clear();
    return true;
  }

  std::vector<std::string> names_;

 private:
  std::mutex mutex_;
  std::unordered_map<std::string, Layer> layers_;
  std::unordered_map<std::uint64_t, Live> live_;
  Counts total_;
  std::uint64_t last_id_ = 0;
  std::int64_t not_found_ = 0;
};

class BaselineByName : public Baseline {
 public:
  using Baseline::Baseline;
  void free(std::size_t layer, std::uint64_t) { Baseline::free(names_[layer]); }
};

// Does less than the tracker: counts by name only. No ids, so the caller of free passes layer and bytes; no list of live
// allocations; no checks.
class CountsOnly {
 public:
  explicit CountsOnly(std::int64_t layers) : names_(layer_names(layers)) {
    for (const auto& name : names_) layers_[name];
  }
  std::uint64_t allocate(std::size_t layer) {
    const std::lock_guard lock(mutex_);
    layers_.find(names_[layer])->second.add(event_bytes);
    total_.add(event_bytes);
    return 0;
  }
  void free(std::size_t layer, std::uint64_t) {
    const std::lock_guard lock(mutex_);
    layers_.find(names_[layer])->second.remove(event_bytes);
    total_.remove(event_bytes);
  }

 private:
  std::vector<std::string> names_;
  std::mutex mutex_;
  std::unordered_map<std::string, Counts> layers_;
  Counts total_;
};

class CppByHandle {
 public:
  explicit CppByHandle(std::int64_t layers) {
    for (const auto& name : layer_names(layers)) static_cast<void>(tracker_.layer(name));
  }
  std::uint64_t allocate(std::size_t layer) { return tracker_.allocate(static_cast<std::int32_t>(layer), event_bytes); }
  void free(std::size_t, std::uint64_t id) { tracker_.free(id); }
  ckpt::memory::Tracker& tracker() { return tracker_; }

 private:
  ckpt::memory::Tracker tracker_;
};

class CByHandle {
 public:
  explicit CByHandle(std::int64_t layers) : names_(layer_names(layers)) {
    ckpt_memory_tracker_create(nullptr, &tracker_);
    std::int32_t id = 0;
    for (const auto& name : names_) ckpt_memory_tracker_add_layer(tracker_, name.c_str(), &id);
  }
  ~CByHandle() { ckpt_memory_tracker_release(tracker_); }
  ckpt_memory_tracker* tracker() const { return tracker_; }
  std::uint64_t allocate(std::size_t layer) {
    std::uint64_t id = 0;
    ckpt_memory_tracker_record_allocation(tracker_, static_cast<std::int32_t>(layer), event_bytes, &id);
    return id;
  }
  void free(std::size_t, std::uint64_t id) { ckpt_memory_tracker_record_deallocation(tracker_, id); }

 protected:
  std::vector<std::string> names_;
  ckpt_memory_tracker* tracker_ = nullptr;
};

class CByName : public CByHandle {
 public:
  using CByHandle::CByHandle;
  std::uint64_t allocate(std::size_t layer) {
    std::uint64_t id = 0;
    int32_t number = 0;
    ckpt_memory_tracker_add_layer(tracker_, names_[layer].c_str(), &number);
    ckpt_memory_tracker_record_allocation(tracker_, number, event_bytes, &id);
    return id;
  }
  void free(std::size_t layer, std::uint64_t) {
    int32_t number = 0;
    ckpt_memory_tracker_find_layer(tracker_, names_[layer].c_str(), &number);
    ckpt_memory_tracker_record_deallocation_layer(tracker_, number, nullptr);
  }
};

// ---- One thread: a window of live allocations that moves over the layers ----

constexpr std::size_t window = 16;

template <class Subject, bool shuffled>
void walk(benchmark::State& state) {
  const auto layers = static_cast<std::size_t>(state.range(0));
  Subject subject(state.range(0));
  std::vector<std::size_t> order(layers);
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (shuffled) std::shuffle(order.begin(), order.end(), std::mt19937(7));
  std::array<std::uint64_t, window> live{};
  std::size_t next = 0;
  for (; next < window; ++next) live[next] = subject.allocate(order[next % layers]);
  for (auto _ : state) {
    const std::size_t oldest = (next + layers - window % layers) % layers;
    subject.free(order[oldest], live[next % window]);
    live[next % window] = subject.allocate(order[next % layers]);
    ++next;
    if (next == layers * window) next = 0;
  }
  state.SetItemsProcessed(state.iterations() * 2);
  state.counters["per_event"] =
      benchmark::Counter(static_cast<double>(state.iterations()) * 2, benchmark::Counter::kIsRate | benchmark::Counter::kInvert);
}

// In an order that no prefetcher can predict.
template <class Subject>
void one_thread(benchmark::State& state) {
  walk<Subject, true>(state);
}

// Layer after layer, as a model runs.
template <class Subject>
void one_thread_in_order(benchmark::State& state) {
  walk<Subject, false>(state);
}

// ---- Two threads ----

struct Side {
  std::int64_t events = 0;
  std::vector<std::int32_t> samples_ns;
};

// Times one pair in 32, so that reading the clock does not change what is measured.
template <class Subject>
void churn(Subject& subject, std::size_t layer, const std::atomic<bool>& stop, Side& side) {
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 31; ++i) subject.free(layer, subject.allocate(layer));
    const auto begin = Steady::now();
    const std::uint64_t id = subject.allocate(layer);
    const auto end = Steady::now();
    subject.free(layer, id);
    side.events += 64;
    if (side.samples_ns.size() < side.samples_ns.capacity()) {
      side.samples_ns.push_back(static_cast<std::int32_t>(
          std::min<std::int64_t>(INT32_MAX, std::chrono::duration_cast<std::chrono::nanoseconds>(end - begin).count())));
    }
  }
}

template <class Subject>
void two_threads(benchmark::State& state) {
  Subject subject(state.range(0));
  std::array<Side, 2> sides;
  for (auto _ : state) {
    std::atomic<bool> stop{false};
    for (Side& side : sides) {
      side = {};
      side.samples_ns.reserve(4000000);
    }
    const auto begin = Steady::now();
    std::thread first([&] { churn(subject, 0, stop, sides[0]); });
    std::thread second([&] { churn(subject, 1, stop, sides[1]); });
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    stop.store(true);
    first.join();
    second.join();
    const double seconds = std::chrono::duration<double>(Steady::now() - begin).count();
    const std::int64_t events = sides[0].events + sides[1].events;
    state.SetIterationTime(seconds / static_cast<double>(events));
    std::vector<std::int32_t> samples = sides[0].samples_ns;
    samples.insert(samples.end(), sides[1].samples_ns.begin(), sides[1].samples_ns.end());
    std::sort(samples.begin(), samples.end());
    state.counters["p50_ns"] = samples[samples.size() / 2];
    state.counters["p99.9_ns"] = samples[samples.size() * 999 / 1000];
    state.counters["fairness"] = static_cast<double>(std::min(sides[0].events, sides[1].events)) /
                                 static_cast<double>(std::max(sides[0].events, sides[1].events));
    state.counters["Mevents_per_s"] = static_cast<double>(events) / seconds / 1e6;
  }
}

// ---- Other costs ----

// The time of one snapshot without a concurrent writer.
void snapshot(benchmark::State& state) {
  CppByHandle subject(state.range(0));
  for (auto _ : state) benchmark::DoNotOptimize(subject.tracker().snapshot());
}

void show(benchmark::State& state, const std::string& what, std::vector<std::int64_t>& samples_ns) {
  std::sort(samples_ns.begin(), samples_ns.end());
  const auto at = [&](double part) {
    return samples_ns.empty()
               ? 0.0
               : static_cast<double>(samples_ns[static_cast<std::size_t>(static_cast<double>(samples_ns.size() - 1) * part)]);
  };
  state.counters[what + "s"] = static_cast<double>(samples_ns.size());
  state.counters[what + "_p50_ns"] = at(0.5);
  state.counters[what + "_p99_ns"] = at(0.99);
  state.counters[what + "_max_ns"] = at(1);
  state.counters[what + "s_over_100us"] =
      static_cast<double>(std::count_if(samples_ns.begin(), samples_ns.end(), [](std::int64_t ns) { return ns > 100000; }));
}

// The time that the lock is held for a snapshot of 10,000 layers, while another thread changes layers in random order.
void snapshot_hold(benchmark::State& state) {
  constexpr std::int64_t layers = 10000;
  ckpt::memory::SpinLock lock;
  ckpt::memory::Chunks<ckpt::memory::LayerState> live;
  while (live.capacity() < layers) live.add(live.prepare());
  for (std::uint32_t i = 0; i < layers; ++i) live[i] = {};
  std::vector<ckpt::memory::LayerState> copy(layers);
  std::vector<std::int64_t> holds;
  for (auto _ : state) {
    std::atomic<bool> stop{false};
    std::thread writer([&] {
      std::uint32_t next = 0;
      while (!stop.load(std::memory_order_relaxed)) {
        const std::lock_guard guard(lock);
        ++live[next].current_bytes;
        next = (next + 7919) % layers;
      }
    });
    const auto end = Steady::now() + std::chrono::seconds(2);
    while (Steady::now() < end) {
      std::fill(copy.begin(), copy.end(), ckpt::memory::LayerState{});
      const std::lock_guard guard(lock);
      const auto begin = Steady::now();
      live.copy_to(copy.data(), layers);
      benchmark::DoNotOptimize(copy.data());
      benchmark::ClobberMemory();
      holds.push_back(std::chrono::duration_cast<std::chrono::nanoseconds>(Steady::now() - begin).count());
    }
    stop.store(true);
    writer.join();
  }
  show(state, "hold", holds);
}

// The effect on a writer that changes layers in random order: its longest wait in each millisecond, with snapshots in a loop and
// without any (the machine's own jitter).
void writer_during_snapshots(benchmark::State& state) {
  constexpr std::size_t layers = 10000;
  CppByHandle subject(layers);
  const bool with = state.range(0) != 0;
  std::int64_t snapshots = 0;
  std::vector<std::int64_t> waits;
  for (auto _ : state) {
    std::atomic<bool> stop{false};
    std::thread reader([&] {
      while (with && !stop.load()) {
        benchmark::DoNotOptimize(subject.tracker().snapshot());
        ++snapshots;
      }
    });
    std::size_t layer = 0;
    auto then = Steady::now();
    const auto end = then + std::chrono::seconds(2);
    while (then < end) {
      std::int64_t longest = 0;
      for (const auto next = then + std::chrono::milliseconds(1); then < next;) {
        subject.free(layer, subject.allocate(layer));
        layer = (layer + 7919) % layers;
        const auto now = Steady::now();
        longest = std::max<std::int64_t>(longest, std::chrono::duration_cast<std::chrono::nanoseconds>(now - then).count());
        then = now;
      }
      waits.push_back(longest);
    }
    stop.store(true);
    reader.join();
  }
  state.counters["snapshots"] = static_cast<double>(snapshots);
  show(state, "longest_wait", waits);
}

void with_queue(benchmark::State& state) {
  CppByHandle subject(64);
  const auto id = subject.tracker().events().subscribe_queue(ckpt::memory::all_event_kinds, 1024);
  ckpt::memory::Event event;
  for (auto _ : state) {
    subject.free(1, subject.allocate(1));
    while (subject.tracker().events().poll(id, event)) {
    }
  }
}

// ---- Events: a C callback, and a C++ callback that receives them as values ----

void with_handler_of_c(benchmark::State& state) {
  CByHandle subject(64);
  std::int64_t sum = 0;
  std::int64_t id = 0;
  const ckpt_memory_event_fn add = [](const ckpt_memory_event* event, void* user_data) {
    *static_cast<std::int64_t*>(user_data) += event->bytes;
    return 0;
  };
  ckpt_memory_tracker_subscribe(subject.tracker(), CKPT_MEMORY_EVENT_KIND_ALL, add, &sum, nullptr, &id);
  for (auto _ : state) subject.free(1, subject.allocate(1));
  benchmark::DoNotOptimize(sum);
  ckpt_memory_tracker_unsubscribe(subject.tracker(), id);
}

void with_handler_of_cpp(benchmark::State& state) {
  CByHandle subject(64);
  std::int64_t sum = 0;
  ckpt::MemoryTracker tracker(subject.tracker());
  const auto subscription =
      tracker.subscribe(ckpt::MemoryEventKind::all, [&](const ckpt::MemoryEvent& event) { sum += event.bytes; });
  for (auto _ : state) subject.free(1, subject.allocate(1));
  benchmark::DoNotOptimize(sum);
}

}  // namespace

BENCHMARK(one_thread<Baseline>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread<BaselineByName>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread<CountsOnly>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread<CppByHandle>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread<CByHandle>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread<CByName>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread_in_order<BaselineByName>)->Arg(64)->Arg(10000);
BENCHMARK(one_thread_in_order<CByName>)->Arg(64)->Arg(10000);
BENCHMARK(two_threads<Baseline>)->Arg(64)->UseManualTime()->Iterations(3);
BENCHMARK(two_threads<BaselineByName>)->Arg(64)->UseManualTime()->Iterations(3);
BENCHMARK(two_threads<CountsOnly>)->Arg(64)->UseManualTime()->Iterations(3);
BENCHMARK(two_threads<CByHandle>)->Arg(64)->UseManualTime()->Iterations(3);
BENCHMARK(two_threads<CByName>)->Arg(64)->UseManualTime()->Iterations(3);
BENCHMARK(snapshot)->Arg(64)->Arg(10000);
BENCHMARK(snapshot_hold)->Iterations(1);
BENCHMARK(writer_during_snapshots)->Arg(0)->Arg(1)->Iterations(1);
BENCHMARK(with_queue);
BENCHMARK(with_handler_of_c);
BENCHMARK(with_handler_of_cpp);

BENCHMARK_MAIN();
