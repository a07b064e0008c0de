#include <algorithm>
#include <cmath>
#include <limits>

#include "ask.h"
#include "strategy/interval.h"
#include "strategy/memory_aware.h"
#include "strategy/selective.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"

namespace ckpt::strategy {
namespace {

using tensor::Dtype;
using tensor::Shape;

// ---- interval ----

TEST(Interval, ChoosesEveryNthLayerFromZero) {
  Interval two(2);
  EXPECT_EQ(answers(two, 0, 7), "1010101");
  Interval three(3);
  EXPECT_EQ(answers(three, 0, 7), "1001001");
  Interval one(1);
  EXPECT_EQ(answers(one, 0, 4), "1111");
}

TEST(Interval, TakesEveryIndexAndInterval) {
  Interval two(2);
  EXPECT_FALSE(ask(two, "x", largest));  // odd
  EXPECT_TRUE(ask(two, "x", largest - 1));
  Interval seven(7);  // 2^63 - 1 is divisible by 7
  EXPECT_TRUE(ask(seven, "x", largest));
  Interval huge(largest);
  EXPECT_TRUE(ask(huge, "x", 0));
  EXPECT_FALSE(ask(huge, "x", 1));
  EXPECT_TRUE(ask(huge, "x", largest));
  Interval beyond_32_bits(std::int64_t{1} << 32);
  EXPECT_FALSE(ask(beyond_32_bits, "x", 1));
  EXPECT_TRUE(ask(beyond_32_bits, "x", std::int64_t{1} << 33));
}

TEST(Interval, RefusesNonPositive) {
  EXPECT_EQ(refusal([] { Interval(0); }), "interval is 0; expected at least 1");
  EXPECT_EQ(refusal([] { Interval(std::numeric_limits<std::int64_t>::min()); }),
            "interval is -9223372036854775808; expected at least 1");
}

TEST(Interval, NameCountersResetAndChosen) {
  Interval strategy(2);
  EXPECT_EQ(strategy.name(), "Interval(2)");
  answers(strategy, 0, 5, 100);
  EXPECT_EQ(strategy.counters().asked_layers, 5);
  EXPECT_EQ(strategy.counters().chosen_layers, 3);
  EXPECT_EQ(strategy.counters().chosen_bytes, 300);
  EXPECT_EQ(strategy.chosen(), Chosen::boundary);
  strategy.set_chosen(Chosen::recompute);
  strategy.reset();
  EXPECT_EQ(strategy.counters().asked_layers, 0);
  EXPECT_EQ(strategy.counters().chosen_layers, 0);
  EXPECT_EQ(strategy.counters().chosen_bytes, 0);
  EXPECT_EQ(strategy.chosen(), Chosen::recompute);
  EXPECT_EQ(answers(strategy, 0, 4), "1010");
  EXPECT_EQ(strategy.counters().asked_layers, 4);
}

TEST(Strategy, RefusesNamelessLayersAndNegativeIndices) {
  Interval strategy(1);
  EXPECT_EQ(refusal([&] { ask(strategy, ""); }), "layer_name is empty");
  EXPECT_EQ(refusal([&] { ask(strategy, "x", -1); }), "layer_index is -1; expected at least 0");
  EXPECT_EQ(strategy.counters().asked_layers, 0);
}

// ---- selective ----

TEST(Selective, ChoosesNamedLayersOnly) {
  Selective strategy(Names{"a", "b.c", "d"}, Names{"e"});
  EXPECT_TRUE(ask(strategy, "a"));
  EXPECT_TRUE(ask(strategy, "b.c"));
  EXPECT_FALSE(ask(strategy, "b"));
  EXPECT_FALSE(ask(strategy, "b.c.d"));
  EXPECT_FALSE(ask(strategy, "e"));
  EXPECT_EQ(strategy.name(), "Selective");
  EXPECT_EQ(strategy.chosen(), Chosen::recompute);
}

TEST(Selective, MatchesGlobs) {
  Selective strategy(Names{"block.*.attn", "h?ad", "*.bias", "a\\*b", "*x*y*"}, Names{});
  EXPECT_TRUE(ask(strategy, "block.0.attn"));
  EXPECT_TRUE(ask(strategy, "block.1.2.attn"));
  EXPECT_FALSE(ask(strategy, "block.attn"));
  EXPECT_FALSE(ask(strategy, "block.0.attn2"));
  EXPECT_TRUE(ask(strategy, "head"));
  EXPECT_TRUE(ask(strategy,
                  "h\xC3\xA4"
                  "ad"));  // one two-byte character
  EXPECT_FALSE(ask(strategy, "had"));
  EXPECT_TRUE(ask(strategy, ".bias"));
  EXPECT_TRUE(ask(strategy, "a*b"));
  EXPECT_FALSE(ask(strategy, "aab"));
  EXPECT_TRUE(ask(strategy, "..x..x..y."));
  EXPECT_FALSE(ask(strategy, "..y..x."));
}

TEST(Selective, ExcludeTakesPrecedenceOverAGlob) {
  Selective by_glob(Names{"block.0.attn", "block.1.attn"}, Names{"block.0.*"});
  EXPECT_FALSE(ask(by_glob, "block.0.attn"));
  EXPECT_TRUE(ask(by_glob, "block.1.attn"));
  Selective by_name(Names{"block.*"}, Names{"block.0"});
  EXPECT_FALSE(ask(by_name, "block.0"));
  EXPECT_TRUE(ask(by_name, "block.1"));
  Selective same_glob(Names{"a*"}, Names{"a*"});
  EXPECT_FALSE(ask(same_glob, "ab"));
}

TEST(Selective, RefusesOverlapAndListsEveryName) {
  const std::string message = refusal([] { Selective(Names{"a", "b", "c", "d", "a"}, Names{"d", "x", "a", "c"}); });
  EXPECT_EQ(message, "layers cannot be both chosen and excluded: a, c, d");
}

TEST(Selective, EmptyListsChooseNothing) {
  Selective strategy(Names{}, Names{});
  EXPECT_FALSE(ask(strategy, "a"));
  EXPECT_FALSE(ask(strategy, "*"));
}

TEST(Selective, RefusesInvalidPatterns) {
  EXPECT_EQ(refusal([] { Selective(Names{"a", ""}, Names{}); }), "names[1] is blank: ''");
  EXPECT_EQ(refusal([] { Selective(Names{}, Names{" "}); }), "excluded[0] is blank: ' '");
  EXPECT_NE(refusal([] { Selective(Names{"a\xFF"}, Names{}); }).find("names[0] is not valid UTF-8"), std::string::npos);
  EXPECT_EQ(refusal([] { Selective(Names{"a\\"}, Names{}); }), "names[0] ends with a single \\: 'a\\'");
}

TEST(Selective, HoldsManyNames) {
  Names names;
  for (int i = 0; i < 5000; ++i) names.push_back(base::cat("model.layers.", i, ".mlp"));
  Selective strategy(names, Names{});
  for (const auto& name : names) ASSERT_TRUE(ask(strategy, name)) << name;
  for (int i = 5000; i < 10000; ++i) ASSERT_FALSE(ask(strategy, base::cat("model.layers.", i, ".mlp")));
  for (int length = 1; length < 40; ++length) ASSERT_FALSE(ask(strategy, std::string(static_cast<std::size_t>(length), 'm')));
}

// ---- size-based ----

TEST(SizeBased, ChoosesFromTheThresholdOn) {
  SizeBased strategy(mebibyte, Names{"big*"});
  EXPECT_TRUE(ask(strategy, "x", 0, mebibyte));
  EXPECT_FALSE(ask(strategy, "x", 0, mebibyte - 1));
  EXPECT_FALSE(ask(strategy, "x", 0, 1));
  EXPECT_FALSE(ask(strategy, "x", 0, 0));
  EXPECT_TRUE(ask(strategy, "x", 0, std::int64_t{1} << 50));
  EXPECT_TRUE(ask(strategy, "x", 0, largest));
  EXPECT_FALSE(ask(strategy, "big.one", 0, largest));
}

TEST(SizeBased, CountsTheRealSizeOfTheElementType) {
  SizeBased strategy(1024, Names{});
  EXPECT_TRUE(strategy.should_checkpoint("x", Activation(Dtype::f32, Shape{16, 16}), 0));
  EXPECT_FALSE(strategy.should_checkpoint("x", Activation(Dtype::bf16, Shape{16, 16}), 0));
  EXPECT_TRUE(strategy.should_checkpoint("x", Activation(Dtype::f64, Shape{128}), 0));
  EXPECT_FALSE(strategy.should_checkpoint("x", Activation(Dtype::f64, Shape{127}), 0));
  EXPECT_TRUE(strategy.should_checkpoint("x", Activation(Dtype::f4, Shape{2048}), 0));
  EXPECT_FALSE(strategy.should_checkpoint("x", Activation(Dtype::f4, Shape{2046}), 0));
  const auto tensor = tensor::Tensor::create(Dtype::f32, Shape{256});
  EXPECT_TRUE(strategy.should_checkpoint("x", Activation(*tensor), 0));
}

TEST(SizeBased, RefusesNonPositiveThresholds) {
  EXPECT_EQ(refusal([] { SizeBased(0, Names{}); }), "threshold_bytes is 0; expected at least 1");
  EXPECT_EQ(refusal([] { SizeBased(-5, Names{}); }), "threshold_bytes is -5; expected at least 1");
}

TEST(SizeBased, NamesAsInTheReference) {
  const auto name = [](std::int64_t bytes) { return SizeBased(bytes, Names{}).name(); };
  EXPECT_EQ(name(1), "SizeBased(1B)");
  EXPECT_EQ(name(1023), "SizeBased(1023B)");
  EXPECT_EQ(name(1024), "SizeBased(1KB)");
  EXPECT_EQ(name(mebibyte - 1), "SizeBased(1023KB)");
  EXPECT_EQ(name(mebibyte), "SizeBased(1MB)");
  EXPECT_EQ(name(3 * mebibyte / 2), "SizeBased(1MB)");
  EXPECT_EQ(name(std::int64_t{1} << 30), "SizeBased(1GB)");
  EXPECT_EQ(name(std::int64_t{1} << 50), "SizeBased(1048576GB)");
}

TEST(SizeBased, CountedBytesStopAtTheLimit) {
  SizeBased strategy(1, Names{});
  for (int i = 0; i < 3; ++i) ask(strategy, "x", 0, largest);
  EXPECT_EQ(strategy.counters().chosen_layers, 3);
  EXPECT_EQ(strategy.counters().chosen_bytes, largest);
  strategy.reset();
  ask(strategy, "x", 0, std::int64_t{1} << 50);
  EXPECT_EQ(strategy.counters().chosen_bytes, std::int64_t{1} << 50);
}

// ---- memory-aware ----

// A strategy over 1000 bytes; the test sets live bytes and time.
class MemoryAwareTest : public testing::Test {
 protected:
  static constexpr std::int64_t second = 1'000'000'000;

  MemoryAware make(double share = 0.8) { return MemoryAware({share, tracker, 1000, clock}); }
  void set_live(std::int64_t bytes) {
    if (allocation != 0) tracker->free(allocation);
    allocation = bytes == 0 ? 0 : tracker->allocate("x", bytes);
  }
  // Queries after that many seconds, and returns the interval.
  std::int64_t after(MemoryAware& strategy, std::int64_t seconds) {
    clock->advance(seconds * second);
    ask(strategy, "x");
    return strategy.interval();
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>(0);
  std::shared_ptr<memory::Tracker> tracker = std::make_shared<memory::Tracker>();
  memory::AllocationId allocation = tracker->allocate("x", 700);  // neither high nor low pressure
};

TEST_F(MemoryAwareTest, ShrinksWhilePressureIsHigh) {
  auto strategy = make();
  EXPECT_EQ(answers(strategy, 0, 4), "1010");
  set_live(801);
  EXPECT_EQ(after(strategy, 10), 1);
  EXPECT_EQ(answers(strategy, 0, 4), "1111");
  EXPECT_EQ(after(strategy, 10), 1);  // not below 1
}

TEST_F(MemoryAwareTest, GrowsToTenWhilePressureIsLow) {
  auto strategy = make();
  set_live(639);
  for (std::int64_t expected = 3; expected <= 10; ++expected) EXPECT_EQ(after(strategy, 10), expected);
  EXPECT_EQ(after(strategy, 10), 10);
  EXPECT_EQ(answers(strategy, 0, 11), "10000000001");
}

TEST_F(MemoryAwareTest, TheLimitsAreNeitherHighNorLow) {
  auto strategy = make();
  set_live(800);
  EXPECT_EQ(after(strategy, 10), 2);
  set_live(640);
  EXPECT_EQ(after(strategy, 10), 2);
}

TEST_F(MemoryAwareTest, AdjustsAtMostOnceInTenSeconds) {
  auto strategy = make();
  set_live(100);
  EXPECT_EQ(after(strategy, 9), 2);  // nor within 10 s of its creation
  EXPECT_EQ(after(strategy, 1), 3);
  for (int i = 0; i < 9; ++i) EXPECT_EQ(after(strategy, 1), 3);
  EXPECT_EQ(after(strategy, 1), 4);
  EXPECT_EQ(after(strategy, 1000), 5);  // one step, however long since the last query
  EXPECT_EQ(after(strategy, 0), 5);
}

TEST_F(MemoryAwareTest, DoesNotGrowWithinThirtySecondsOfHighPressure) {
  auto strategy = make();
  set_live(900);
  EXPECT_EQ(after(strategy, 10), 1);
  set_live(100);
  EXPECT_EQ(after(strategy, 10), 1);
  EXPECT_EQ(after(strategy, 10), 1);
  EXPECT_EQ(after(strategy, 10), 1);
  EXPECT_EQ(after(strategy, 10), 2);
  EXPECT_EQ(after(strategy, 10), 3);
}

TEST_F(MemoryAwareTest, RespectsTheShare) {
  auto strategy = make(0.5);
  set_live(501);
  EXPECT_EQ(after(strategy, 10), 1);
  auto whole = make(1.0);
  set_live(1000);
  EXPECT_EQ(after(whole, 10), 2);
  set_live(1001);
  EXPECT_EQ(after(whole, 10), 1);
}

TEST_F(MemoryAwareTest, FallsBackOnResidentBytes) {
  MemoryAware strategy({0.8, nullptr, 1000, clock});  // this process has more than 1000 bytes
  EXPECT_EQ(after(strategy, 10), 1);
  MemoryAware roomy({0.8, nullptr, std::int64_t{1} << 60, clock});
  EXPECT_EQ(after(roomy, 10), 3);
}

TEST_F(MemoryAwareTest, ResetStartsAgain) {
  auto strategy = make();
  set_live(900);
  after(strategy, 10);
  strategy.reset();
  EXPECT_EQ(strategy.interval(), 2);
  set_live(100);
  EXPECT_EQ(after(strategy, 9), 2);
  EXPECT_EQ(after(strategy, 1), 3);  // high pressure before the reset is discarded
}

TEST_F(MemoryAwareTest, RefusesSharesOutsideTheRange) {
  EXPECT_EQ(refusal([&] { make(0); }), "max_share is 0; more than 0 and at most 1");
  EXPECT_NE(refusal([&] { make(-0.1); }), "");
  EXPECT_NE(refusal([&] { make(1.0001); }), "");
  EXPECT_NE(refusal([&] { make(std::nan("")); }), "");
  EXPECT_NE(refusal([&] { make(INFINITY); }), "");
  EXPECT_EQ(refusal([&] {
              MemoryAware({0.8, nullptr, -1, clock});
            }),
            "total_bytes is -1; expected at least 1, or 0 for the memory available to the process");
}

TEST_F(MemoryAwareTest, NameAndTotal) {
  EXPECT_EQ(make().name(), "MemoryAware(80%)");
  EXPECT_EQ(make(1).name(), "MemoryAware(100%)");
  EXPECT_EQ(make(0.855).name(), "MemoryAware(86%)");
  EXPECT_GT(MemoryAware({}).total_bytes(), mebibyte);
}

// With equal layers more pressure never means more kept activations: with Chosen::recompute the kept ones are the layers not
// chosen.
TEST_F(MemoryAwareTest, RisingPressureNeverKeepsMore) {
  auto strategy = make();
  set_live(100);
  for (int i = 0; i < 8; ++i) after(strategy, 10);
  ASSERT_EQ(strategy.interval(), 10);
  std::int64_t kept = largest;
  for (std::int64_t live = 700; live <= 1000; live += 25) {
    set_live(live);
    after(strategy, 10);
    const std::string row = answers(strategy, 0, 40);
    const auto kept_now = std::count(row.begin(), row.end(), '0');
    EXPECT_LE(kept_now, kept) << live;
    kept = kept_now;
  }
  EXPECT_EQ(kept, 20);
}

// ---- memory-aware, in a follower's steps ----

// A chain of equal layers, each of which takes 10 bytes unless it is chosen: 10 layers with interval n keep 10 - ceil(10 / n).
class MemoryAwareStep : public testing::Test {
 protected:
  MemoryAwareStep() : strategy({0.8, tracker, 100, clock}) {}
  // Runs a step that takes `other` bytes in addition to the layers', and returns its interval.
  std::int64_t step(std::int64_t other = 0) {
    strategy.begin_step({peak, unpredicted, [this] { return predicted(); }, follower});
    peak = predicted() + other;
    unpredicted = other;
    return strategy.interval();
  }
  std::int64_t predicted() {
    ++predictions;
    const std::string row = answers(strategy, 0, 10);
    return 10 * std::count(row.begin(), row.end(), '0');
  }

  std::shared_ptr<base::ManualClock> clock = std::make_shared<base::ManualClock>(0);
  std::shared_ptr<memory::Tracker> tracker = std::make_shared<memory::Tracker>();
  std::shared_ptr<const void> follower = std::make_shared<char>();
  MemoryAware strategy;
  std::optional<std::int64_t> peak;
  std::int64_t unpredicted = 0;
  int predictions = 0;
};

TEST_F(MemoryAwareStep, GrowsAtOnceWithoutAClockAndNeverExceedsTheShare) {
  EXPECT_EQ(step(), 3);  // 50 bytes, then 60: below 64
  EXPECT_EQ(step(), 4);  // 70: neither low nor high
  for (int i = 0; i < 20; ++i) EXPECT_EQ(step(), 4);
}

TEST_F(MemoryAwareStep, TheFirstStepUsesThePrediction) {
  strategy.begin_step({std::nullopt, 0, [this] { return predicted() + 31; }, follower});
  EXPECT_EQ(strategy.interval(), 1);  // 81 bytes with 2
}

TEST_F(MemoryAwareStep, HighPressureShrinksItForTheNextStepAndGrowthWaits) {
  EXPECT_EQ(step(60), 3);
  EXPECT_EQ(step(60), 1);  // 120 bytes with 3, 110 with 2, 60 with 1
  for (int i = 0; i < 3; ++i) EXPECT_EQ(step(0), 1);
  EXPECT_EQ(step(0), 2);  // the fourth after it
}

TEST_F(MemoryAwareStep, AnIntervalThatDoesNotFitIsNotTriedAgain) {
  for (int i = 0; i < 10; ++i) step(28);
  EXPECT_EQ(step(28), 2);  // 78 bytes; 88 with 3
  const int before = predictions;
  for (int i = 0; i < 10; ++i) EXPECT_EQ(step(28), 2);
  EXPECT_EQ(predictions - before, 10);  // the test's own
}

// Two followers with equal inputs of their first steps, but different profiles.
TEST_F(MemoryAwareStep, AnotherFollowerUsesItsOwnPrediction) {
  const auto first_step = [&](const std::shared_ptr<const void>& of, std::int64_t other_bytes) {
    strategy.begin_step({std::nullopt, 0, [&] { return predicted() + other_bytes; }, of});
    return strategy.interval();
  };
  const auto other = std::make_shared<char>();
  EXPECT_EQ(first_step(follower, 20), 2);  // 70 bytes: neither low nor high
  EXPECT_EQ(first_step(other, 31), 1);     // 81 bytes with 2
}

TEST_F(MemoryAwareStep, ItsTrackerCountsInAddition) {
  EXPECT_EQ(step(), 3);
  const memory::AllocationId id = tracker->allocate("parameters", 30);
  EXPECT_EQ(step(), 2);  // 90 bytes with 3, 80 with 2
  tracker->free(id);
}

TEST_F(MemoryAwareStep, IfNothingFitsItUsesTheLeastMemory) {
  step(1000);
  EXPECT_EQ(step(1000), 1);
  EXPECT_EQ(step(1000), 1);
}

TEST_F(MemoryAwareStep, AQueryBetweenStepsAdjustsNothing) {
  EXPECT_EQ(step(), 3);
  clock->advance(60'000'000'000);
  ask(strategy, "x");  // the tracker has 0 live bytes
  EXPECT_EQ(strategy.interval(), 3);
  follower.reset();
  clock->advance(10'000'000'000);
  ask(strategy, "x");
  EXPECT_EQ(strategy.interval(), 4);
}

TEST_F(MemoryAwareStep, AFailingPredictionChangesNothing) {
  EXPECT_EQ(step(), 3);
  const auto fail = [] { return base::fail(base::Status::callback, "no answer"), std::int64_t{0}; };
  EXPECT_THROW(strategy.begin_step({1000, 0, fail, follower}), base::Error);
  EXPECT_EQ(strategy.interval(), 3);
}

TEST_F(MemoryAwareStep, HugeTrackedBytesDoNotOverflow) {
  tracker->allocate("huge", largest);
  EXPECT_EQ(step(), 1);  // still the one with the least memory
}

TEST_F(MemoryAwareStep, ResetBeginsAgain) {
  step(1000);
  step(1000);
  ASSERT_EQ(strategy.interval(), 1);
  strategy.reset();
  peak.reset();
  unpredicted = 0;
  EXPECT_EQ(step(), 3);
}

// ---- smart ----

TEST(Smart, WatchesTheFirstTenLayers) {
  Smart strategy({}, Names{});
  EXPECT_EQ(answers(strategy, 0, 10), "0000000000");
  EXPECT_TRUE(ask(strategy, "layer10", 10));  // new: accessed once
}

TEST(Smart, WatchesUntilAnIndexRepeats) {
  Smart strategy({100, 2, 1}, Names{});
  EXPECT_EQ(answers(strategy, 0, 3), "000");
  strategy.observe_access("layer0");
  EXPECT_TRUE(ask(strategy, "other", 0));    // a repeated index ends the watching, and this layer is new
  EXPECT_FALSE(ask(strategy, "layer1", 1));  // its second access
}

TEST(Smart, ChoosesLargeLayers) {
  Smart strategy({1.5, 0, 1}, Names{});  // disables the rules for rare and late layers
  const auto pass = [&] {
    std::string row;
    for (int i = 0; i < 10; ++i) row += ask(strategy, base::cat("layer", i), i, i == 4 ? 160 : i == 5 ? 159 : 100) ? '1' : '0';
    return row;
  };
  EXPECT_EQ(pass(), "0000000000");
  // The mean is 111.9: sizes above 167.85 are large.
  EXPECT_EQ(pass(), "0000000000");
  EXPECT_TRUE(ask(strategy, "layer4", 4, 1000));  // the mean is 195.9 with the new size
  EXPECT_FALSE(ask(strategy, "layer5", 5, 159));
  EXPECT_FALSE(ask(strategy, "layer4", 4, 160));  // the latest size counts
}

TEST(Smart, SizeAtTheLimitIsNotLarge) {
  Smart strategy({1.5, 0, 1}, Names{});
  ask(strategy, "a", 0, 100);
  ask(strategy, "b", 1, 300);  // the mean is 200
  EXPECT_FALSE(ask(strategy, "b", 1, 300));
  EXPECT_TRUE(ask(strategy, "b", 1, 301));
}

TEST(Smart, ChoosesRarelyAccessedLayers) {
  Smart strategy({100, 3, 1}, Names{});
  EXPECT_EQ(answers(strategy, 0, 4), "0000");
  EXPECT_EQ(answers(strategy, 0, 4), "1111");  // the second access of each
  EXPECT_EQ(answers(strategy, 0, 4), "0000");
  strategy.reset();
  EXPECT_EQ(answers(strategy, 0, 4), "0000");
  strategy.observe_access("layer2");
  strategy.observe_access("unknown");
  EXPECT_EQ(answers(strategy, 0, 4), "1101");
}

TEST(Smart, ChoosesLateLayers) {
  Smart strategy({100, 0, 0.7}, Names{});
  answers(strategy, 0, 10);
  EXPECT_EQ(answers(strategy, 0, 10), "0000000011");  // index > 7
  EXPECT_TRUE(ask(strategy, "layer0", largest));
}

TEST(Smart, DefaultsChooseByAllThreeRules) {
  Smart strategy({}, Names{});
  answers(strategy, 0, 10, 100);
  EXPECT_EQ(answers(strategy, 0, 10, 100), "0000000011");
  EXPECT_TRUE(ask(strategy, "layer0", 0, 1000));
}

TEST(Smart, WatchesExcludedLayersAndRefusesThem) {
  Smart strategy({1.5, 0, 1}, Names{"huge*"});
  ask(strategy, "huge1", 0, 1000);
  ask(strategy, "a", 1, 100);
  EXPECT_FALSE(ask(strategy, "huge1", 0, 1000));
  EXPECT_FALSE(ask(strategy, "a", 1, 700));  // the mean counts the excluded one: 850
}

TEST(Smart, ResetDiscardsEverything) {
  Smart strategy({}, Names{});
  answers(strategy, 0, 12);
  strategy.reset();
  EXPECT_EQ(answers(strategy, 0, 10), "0000000000");
  EXPECT_EQ(strategy.name(), "Smart");
}

TEST(Smart, TakesHugeActivations) {
  Smart strategy({1.5, 0, 1}, Names{});
  for (int i = 0; i < 10; ++i) ask(strategy, base::cat("layer", i), i, largest);
  EXPECT_FALSE(ask(strategy, "layer0", 0, largest));
  EXPECT_FALSE(ask(strategy, "layer1", 1, 1));
  EXPECT_FALSE(ask(strategy, "layer1", 1, 0));
}

TEST(Smart, KeepsLearningUnderOneName) {
  Smart strategy({100, 2, 1}, Names{});
  for (std::int64_t i = 0; i < 10000; ++i) ASSERT_FALSE(ask(strategy, "x", i)) << i;
}

TEST(Smart, RefusesConstantsOutOfRange) {
  EXPECT_EQ(refusal([] { Smart({0, 2, 0.7}, Names{}); }), "large_factor is 0; expected a finite number above 0");
  EXPECT_NE(refusal([] { Smart({INFINITY, 2, 0.7}, Names{}); }), "");
  EXPECT_NE(refusal([] { Smart({std::nan(""), 2, 0.7}, Names{}); }), "");
  EXPECT_EQ(refusal([] { Smart({1.5, -1, 0.7}, Names{}); }), "rare_accesses is -1; expected at least 0");
  EXPECT_EQ(refusal([] { Smart({1.5, 2, 1.5}, Names{}); }), "late_share is 1.5; expected 0 .. 1");
  EXPECT_NE(refusal([] { Smart({1.5, 2, std::nan("")}, Names{}); }), "");
}

}  // namespace
}  // namespace ckpt::strategy
