// From a strategy's choice to a run: the schedule follows the choice layer by layer, and every choice gives the same bits.
#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/clock.h"
#include "models.h"
#include "plan/follower.h"
#include "strategy/factory.h"
#include "strategy/memory_aware.h"

namespace ckpt::engine::test {
namespace {

const std::vector<std::string> texts = {"interval:1",
                                        "interval:4",
                                        "selective:block*.gelu,head",
                                        "selective:block*,!block1*",
                                        "size:1KiB",
                                        "size:1GiB",
                                        "memory-aware:0.8",
                                        "smart",
                                        "any(size:1MiB,interval:8)",
                                        "all(interval:2,not(selective:loss))",
                                        "not(interval:3)",
                                        "first(block*=interval:2,interval:5)"};

// Returns the names of the layers with a second forward.
std::set<std::string> recomputed_layers(const plan::Program& program, const plan::ChainProfile& profile) {
  std::set<std::string> names;
  for (const plan::Operation& operation : program.operations) {
    if (operation.kind == plan::Operation::Kind::forward && operation.recomputation)
      names.insert(profile.layer(operation.layer).name);
  }
  return names;
}

TEST(StrategyRun, EveryStrategyGivesTheBitsOfStoreAllAndTheVerifiersPeak) {
  const Model model = byte_model(Dtype::f32, 32, 32, 4, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto store_all = plan::make_store_all(profile);
  const double loss = executor_for(model, *store_all, 2)->run(step_of(model));
  const std::vector<std::byte> gradients = gradients_of(*model.chain);
  std::set<std::int64_t> peaks;
  for (const std::string& text : texts) {
    for (const strategy::Chosen chosen : {strategy::Chosen::recompute, strategy::Chosen::boundary}) {
      SCOPED_TRACE(text + (chosen == strategy::Chosen::recompute ? ", recompute" : ", boundary"));
      const auto choice = strategy::from_text(text);
      choice->set_chosen(chosen);
      // Twice: smart watches the first time.
      for (int round = 0; round < 2; ++round) {
        const auto schedule = plan::make_from_strategy(profile, choice);
        const auto tracker = std::make_shared<memory::Tracker>();
        const auto executor = executor_for(model, *schedule, 2, tracker);
        EXPECT_EQ(executor->run(step_of(model)), loss);
        EXPECT_TRUE(gradients_of(*model.chain) == gradients);
        EXPECT_EQ(tracker->stats().peak_bytes, plan::verify(*schedule, profile).peak_bytes[0]);
        peaks.insert(tracker->stats().peak_bytes);
      }
    }
  }
  EXPECT_GT(peaks.size(), 5U);  // different choices, different peaks
}

TEST(StrategyRun, ExactlyTheChosenLayersAreRecomputed) {
  const Model model = byte_model(Dtype::f32, 16, 32, 4, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const std::int64_t last = profile.layers() - 1;
  std::mt19937 random(7);
  for (int round = 0; round < 40; ++round) {
    std::set<std::string> chosen;
    for (std::int64_t i = 0; i <= last; ++i) {
      if (random() % 2 == 0) chosen.insert(profile.layer(i).name);
    }
    std::string text = "selective:";
    for (const std::string& name : chosen) text += name + ",";
    if (chosen.empty()) continue;
    text.pop_back();
    const auto choice = strategy::from_text(text);
    ASSERT_EQ(choice->chosen(), strategy::Chosen::recompute);
    std::set<std::string> expected = chosen;
    expected.erase(profile.layer(last).name);  // recomputing the last layer right after its forward would be useless
    EXPECT_EQ(recomputed_layers(plan::make_program(*plan::make_from_strategy(profile, choice), profile), profile), expected);

    // As boundaries: all layers before the last boundary are recomputed, each once.
    choice->set_chosen(strategy::Chosen::boundary);
    std::int64_t last_boundary = 0;
    for (std::int64_t i = 1; i <= last; ++i) {
      if (chosen.contains(profile.layer(i).name)) last_boundary = i;
    }
    const auto boundaries = plan::make_from_strategy(profile, choice);
    EXPECT_EQ(plan::verify(*boundaries, profile).recomputed_forwards, last_boundary);
  }
}

TEST(StrategyRun, NothingChosenEqualsStoreAll) {
  const Model model = byte_model(Dtype::f32, 16, 32, 2, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto actions = [](const std::shared_ptr<const plan::Schedule>& schedule) {
    plan::Cursor cursor(schedule);
    std::vector<plan::Action> all;
    do {
      all.push_back(cursor.next());
    } while (all.back().kind != plan::Kind::end);
    return all;
  };
  EXPECT_EQ(actions(plan::make_from_strategy(profile, strategy::from_text("selective:nobody"))),
            actions(plan::make_store_all(profile)));
}

// With equal layers, rising pressure shortens memory-aware's interval: more layers are recomputed, and the kept bytes never
// increase.
TEST(StrategyRun, RisingPressureNeverKeepsMore) {
  plan::ChainProfile profile(1000);
  for (int i = 0; i < 24; ++i) {
    profile.add_layer({"layer" + std::to_string(i),
                       plan::needs_input | plan::deterministic,
                       1000,
                       0,
                       strategy::Activation(1000),
                       {{1000, 0, 0, 1, 2}}});
  }
  const auto tracker = std::make_shared<memory::Tracker>();
  const auto clock = std::make_shared<base::ManualClock>(0);
  const auto choice = std::make_shared<strategy::MemoryAware>(
      strategy::MemoryAwareOptions{.max_share = 0.5, .tracker = tracker, .total_bytes = 1000000, .clock = clock});
  const memory::LayerId layer = tracker->layer("load");
  const auto peak_at = [&](std::int64_t live) {
    const memory::AllocationId id = tracker->allocate(layer, live);
    clock->advance(std::int64_t{11} * 1000000000);
    const std::int64_t peak = plan::verify(*plan::make_from_strategy(profile, choice), profile).peak_bytes[0];
    tracker->free(id);
    return peak;
  };
  std::int64_t before = INT64_MAX;
  for (int i = 0; i < 6; ++i) peak_at(1000);  // relaxed: the interval grows
  for (const std::int64_t live : {450000, 510000, 600000, 700000, 800000, 900000, 950000, 990000, 995000}) {
    const std::int64_t peak = peak_at(live);
    EXPECT_LE(peak, before) << live << " live bytes";
    before = peak;
  }
}

// Counts the executor's reports, and holds the follower's data before the last step.
class Watcher final : public strategy::Strategy {
 public:
  std::string name() const override { return "Watcher"; }
  strategy::Parameters parameters() const override { return {}; }
  void observe_access(std::string_view) override { ++accesses; }
  void begin_step(const strategy::StepMemory& memory) override {
    last = memory;
    predicted = memory.predict();
  }
  int accesses = 0;
  strategy::StepMemory last;
  std::int64_t predicted = 0;

 private:
  bool decide(std::string_view, const strategy::Activation&, std::int64_t layer_index) override { return layer_index % 3 == 0; }
};

std::unique_ptr<Executor> observed_executor(const Model& model, const plan::Schedule& schedule,
                                            const std::shared_ptr<plan::RunObserver>& observer) {
  return std::make_unique<Executor>(model.chain, schedule, model.input, 0, std::make_shared<base::ThreadPool>(1),
                                    std::make_shared<memory::Tracker>(), observer);
}

TEST(StrategyRun, AFollowerReportsAccessesAndTheHighestLiveBytesOfTheLastStep) {
  const Model model = byte_model(Dtype::f32, 16, 32, 2, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  const auto watcher = std::make_shared<Watcher>();
  {
    plan::Follower follower(profile, watcher);
    const auto schedule = follower.next().schedule;
    EXPECT_FALSE(watcher->last.peak_bytes);  // nothing has run
    EXPECT_EQ(watcher->predicted, plan::verify(*schedule, profile).peak_bytes[0]);
    const auto executor = observed_executor(model, *schedule, follower.observer());
    executor->run(step_of(model));
    EXPECT_EQ(watcher->accesses, plan::verify(*schedule, profile).forwards + profile.layers());
    for (int calls = 0; calls < 2; ++calls) {  // a second call without a step finds the same
      EXPECT_EQ(follower.next().schedule, schedule);
      EXPECT_EQ(watcher->last.peak_bytes, executor->stats().peak_live_bytes);
      EXPECT_EQ(watcher->last.unpredicted_bytes, 0);
      EXPECT_FALSE(watcher->last.follower.expired());
    }
    follower.observer()->live_bytes_changed(1000);  // from another run
    executor->run(step_of(model));
    follower.next();
    EXPECT_EQ(watcher->last.peak_bytes, executor->stats().peak_live_bytes + 1000);
    EXPECT_EQ(watcher->last.unpredicted_bytes, 1000);
  }
  EXPECT_TRUE(watcher->last.follower.expired());
}

// The peaks of runs are added, whether or not they overlapped.
TEST(StrategyRun, AStepPeakIsTheSumOfItsObservers) {
  plan::StepPeak peak;
  const auto first = peak.add_observer(nullptr);
  const auto second = peak.add_observer(nullptr);
  EXPECT_FALSE(peak.take());
  first->live_bytes_changed(100);
  first->live_bytes_changed(-100);
  second->live_bytes_changed(30);
  second->live_bytes_changed(-10);
  EXPECT_EQ(peak.take(), 130);
  EXPECT_EQ(peak.take(), 20);  // still live
}

// Runs steps under memory-aware with that much memory, and returns each one's highest live bytes.
std::vector<std::int64_t> peaks_under(std::int64_t total_bytes, strategy::Chosen chosen, int steps) {
  const Model model = byte_model(Dtype::f32, 32, 32, 4, 0.2);
  const auto choice = std::make_shared<strategy::MemoryAware>(strategy::MemoryAwareOptions{0.8, nullptr, total_bytes, nullptr});
  choice->set_chosen(chosen);
  plan::Follower follower(model.chain->profile(model.input), choice);
  std::unique_ptr<Executor> executor;
  std::vector<std::int64_t> peaks;
  for (int i = 0; i < steps; ++i) {
    const auto [schedule, changed] = follower.next();
    if (changed) executor = observed_executor(model, *schedule, follower.observer());
    executor->run(step_of(model));
    peaks.push_back(executor->stats().peak_live_bytes);
  }
  return peaks;
}

// If some interval fits the memory, it is found in the first step, and never replaced by one that does not fit.
TEST(StrategyRun, MemoryAwareStaysWithinItsShareIfAnyIntervalDoes) {
  const Model model = byte_model(Dtype::f32, 32, 32, 4, 0.2);
  const plan::ChainProfile profile = model.chain->profile(model.input);
  for (const strategy::Chosen chosen : {strategy::Chosen::recompute, strategy::Chosen::boundary}) {
    std::int64_t min = INT64_MAX;
    std::int64_t max = 0;
    for (std::int64_t n = 1; n <= 10; ++n) {
      const auto interval = strategy::make_interval(n);
      interval->set_chosen(chosen);
      const std::int64_t peak = plan::verify(*plan::make_from_strategy(profile, interval), profile).peak_bytes[0];
      min = std::min(min, peak);
      max = std::max(max, peak);
    }
    ASSERT_LT(min, max);
    for (const std::int64_t share : {min, (min + max) / 2, max, 4 * max}) {
      const std::int64_t total = share * 5 / 4 + 4;  // the share is 0.8 of it
      SCOPED_TRACE(base::cat("share ", share, " of ", min, " .. ", max));
      const auto peaks = peaks_under(total, chosen, 12);
      EXPECT_LE(*std::ranges::max_element(peaks), share + 4);
      EXPECT_EQ(peaks_under(total, chosen, 12), peaks);                // equal inputs, equal decisions
      EXPECT_TRUE(share != 4 * max || peaks.front() != peaks.back());  // it grows if memory is available
    }
  }
}

TEST(StrategyRun, AScheduleIsIndependentOfItsStrategy) {
  const Model model = byte_model(Dtype::f32, 16, 32, 2, 0.2);
  const auto watcher = std::make_shared<Watcher>();
  const auto schedule = plan::make_from_strategy(model.chain->profile(model.input), watcher);
  EXPECT_EQ(watcher.use_count(), 1);
  executor_for(model, *schedule)->run(step_of(model));
  EXPECT_EQ(watcher->accesses, 0);
}

}  // namespace
}  // namespace ckpt::engine::test
