// Records allocations and frees under many names in a memory tracker that a pipeline uses at the same time, and takes snapshots.
#include <numeric>
#include <random>

#include "soak.h"

namespace soak {
namespace {

constexpr std::size_t names = 2000;
constexpr std::size_t max_live = 5000;

struct Live {
  ckpt::AllocationId id = 0;
  std::size_t name = 0;
  std::int64_t bytes = 0;
};

class Recorder {
 public:
  Recorder(Soak& soak, ckpt::MemoryTracker tracker) : soak_(soak), tracker_(std::move(tracker)), bytes_(names) {
    for (std::size_t i = 0; i < names; ++i) names_.push_back("record/layer " + std::to_string(i));
  }

  void run() {
    const ckpt::MemorySubscription events = tracker_.subscribe(ckpt::MemoryEventKind::new_peak, [&](const ckpt::MemoryEvent&) {
      if (soak_.has(Fault::log)) throw std::runtime_error("a deliberate failure");
    });
    for (std::int64_t round = 0; !soak_.stopping(); ++round) {
      const auto began = Clock::now();
      for (int i = 0; i < 1000; ++i) record();
      compare(round);
      soak_.pause(Clock::now() - began);
    }
    while (!live_.empty()) free_one();
    for (const std::string& name : names_) {
      if (!tracker_.find_layer(name)) continue;
      soak_.require(tracker_.layer_stats(name).current_bytes == 0, name + " has live bytes at the end");
    }
  }

 private:
  void record() {
    if (live_.size() >= max_live || (!live_.empty() && random_() % 2 == 0)) return free_one();
    Live live{0, random_() % names, static_cast<std::int64_t>(1 + random_() % 100000)};
    live.id = tracker_.record_allocation(names_[live.name], live.bytes);
    bytes_[live.name] += live.bytes;
    live_.push_back(live);
    soak_.count(Count::allocations);
  }
  void free_one() {
    std::swap(live_[random_() % live_.size()], live_.back());
    tracker_.record_deallocation(live_.back().id);
    bytes_[live_.back().name] -= live_.back().bytes;
    live_.pop_back();
  }

  // Layers that only this thread uses must have exactly its bytes, and all layers of a snapshot must add up to its total.
  void compare(std::int64_t round) {
    const ckpt::MemorySnapshot snapshot = tracker_.snapshot();
    std::int64_t sum = 0;
    std::int64_t recorded = 0;
    for (const ckpt::MemoryLayerStats& layer : snapshot.layers) {
      sum += layer.current_bytes;
      if (layer.name.rfind("record/", 0) == 0) recorded += layer.current_bytes;
    }
    soak_.require(sum == snapshot.totals.current_bytes, "the layers of a snapshot do not add up to its total");
    soak_.require(recorded == std::accumulate(bytes_.begin(), bytes_.end(), std::int64_t{0}),
                  "a snapshot has other bytes than were recorded");
    const std::size_t one = random_() % names;
    if (tracker_.find_layer(names_[one])) {
      soak_.require(tracker_.layer_stats(names_[one]).current_bytes == bytes_[one], names_[one] + " has other bytes than recorded");
    }
    if (round % 10 == 0) soak_.require(!tracker_.json(20).empty() && !tracker_.prometheus(20).empty(), "an export is empty");
    soak_.count(Count::snapshots);
  }

  Soak& soak_;
  ckpt::MemoryTracker tracker_;
  std::mt19937_64 random_{3};
  std::vector<std::string> names_;
  std::vector<std::int64_t> bytes_;  // live, by name
  std::vector<Live> live_;
};

}  // namespace

void record_memory(Soak& soak, ckpt::MemoryTracker tracker) { Recorder(soak, std::move(tracker)).run(); }

}  // namespace soak
