// Every kind of strategy, queried by eight threads at once: no query is lost, and there are no races (with ThreadSanitizer).
#include <barrier>
#include <thread>

#include "ask.h"
#include "strategy/factory.h"
#include "strategy/memory_aware.h"

namespace ckpt::strategy {
namespace {

constexpr int thread_count = 8;

// Runs work(thread) on count threads that start together.
template <class Work>
void run_threads(int count, Work&& work) {
  std::barrier<> start(count);
  std::vector<std::thread> threads;
  for (int t = 0; t < count; ++t) {
    threads.emplace_back([&, t] {
      start.arrive_and_wait();
      work(t);
    });
  }
  for (auto& thread : threads) thread.join();
}

void ask_layers(Strategy& strategy, int times) {
  char name[] = "layer00";
  for (int i = 0; i < times; ++i) {
    name[5] = static_cast<char>('0' + i / 10 % 10);
    name[6] = static_cast<char>('0' + i % 10);
    strategy.should_checkpoint(name, Activation(std::int64_t{i % 7}), i % 100);
    if (i % 16 == 0) strategy.observe_access(name);
  }
}

class EveryKind : public testing::TestWithParam<const char*> {};

TEST_P(EveryKind, CountsEveryQueryOfEightThreads) {
  const auto strategy = from_text(GetParam());
  constexpr int times = 5000;
  run_threads(thread_count, [&](int) { ask_layers(*strategy, times); });
  EXPECT_EQ(strategy->counters().asked_layers, thread_count * times);
  EXPECT_LE(strategy->counters().chosen_layers, strategy->counters().asked_layers);
}

TEST_P(EveryKind, CanBeReadResetAndFollowedConcurrently) {
  const auto strategy = from_text(GetParam());
  const std::shared_ptr<const void> nothing;
  run_threads(thread_count, [&](int t) {
    if (t > 0) return ask_layers(*strategy, 2000);
    for (int i = 0; i < 200; ++i) {
      strategy->reset();
      strategy->begin_step({i, 0, [&] { return strategy->counters().chosen_layers % 1000; }, nothing});
      strategy->set_chosen(i % 2 == 0 ? Chosen::boundary : Chosen::recompute);
      const Counters counters = strategy->counters();
      EXPECT_LE(counters.asked_layers, thread_count * 2000);
      EXPECT_FALSE(strategy->name().empty());
    }
  });
  strategy->reset();
  EXPECT_EQ(strategy->counters().asked_layers, 0);
}

INSTANTIATE_TEST_SUITE_P(Strategy, EveryKind,
                         testing::Values("interval:3", "selective:layer*1,layer02,!layer11", "size:4,!layer2?", "memory-aware:0.8",
                                         "smart:!layer00", "any(smart,interval:8)", "all(size:1,memory-aware)",
                                         "first(layer0*=smart,#50..=interval:2,not(size:3))"));

TEST(Threads, AnswersOfStatelessStrategiesDoNotDependOnThreads) {
  const auto strategy = from_text("any(interval:3,size:6)");
  constexpr int times = 7000;  // a multiple of 7 sizes and 100 indices
  run_threads(thread_count, [&](int) { ask_layers(*strategy, times); });
  const auto alone = from_text("any(interval:3,size:6)");
  ask_layers(*alone, times);
  EXPECT_EQ(strategy->counters().chosen_layers, thread_count * alone->counters().chosen_layers);
  EXPECT_EQ(strategy->counters().chosen_bytes, thread_count * alone->counters().chosen_bytes);
}

// More threads than stripes: some threads share one.
TEST(Threads, CountWithMoreThreadsThanStripes) {
  const auto strategy = make_interval(1);
  constexpr int many = stripe_count + 16;
  for (int round = 1; round <= 2; ++round) {  // threads of the second round reuse stripes
    run_threads(many, [&](int) { ask_layers(*strategy, 100); });
    EXPECT_EQ(strategy->counters().asked_layers, round * many * 100);
    EXPECT_EQ(strategy->counters().chosen_layers, round * many * 100);
  }
}

TEST(Threads, ThreadsOfOneStripeAddUp) {
  const auto strategy = make_interval(1);
  for (int i = 0; i < 200; ++i) std::thread([&] { ask(*strategy, "x", 0, 10); }).join();
  EXPECT_EQ(strategy->counters().asked_layers, 200);
  EXPECT_EQ(strategy->counters().chosen_bytes, 2000);
}

TEST(Threads, RegistryCanBeUsedByAllThreads) {
  run_threads(thread_count, [&](int t) {
    const std::string kind = base::cat("kind", t);
    for (int i = 0; i < 50; ++i) {
      register_kind(kind, [](const std::string& arguments) { return from_text("interval:" + arguments); });
      EXPECT_EQ(from_text(kind + ":3")->name(), "Interval(3)");
      EXPECT_NE(known_kinds().find(kind), std::string::npos);
      unregister_kind(kind);
    }
  });
}

// The memory-aware interval moves by one step per due adjustment, however many threads find it due.
TEST(Threads, MemoryAwareAdjustsOnce) {
  const auto clock = std::make_shared<base::ManualClock>(0);
  MemoryAware strategy({0.8, std::make_shared<memory::Tracker>(), 1000, clock});
  for (std::int64_t expected = 3; expected <= 10; ++expected) {
    clock->advance(10'000'000'000);
    run_threads(thread_count, [&](int) { ask_layers(strategy, 20); });
    EXPECT_EQ(strategy.interval(), expected);
  }
}

}  // namespace
}  // namespace ckpt::strategy
