#include "strategy/composite.h"

#include "ask.h"
#include "strategy/custom.h"
#include "strategy/memory_aware.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"

namespace ckpt::strategy {
namespace {

StrategyPtr interval(std::int64_t n) { return make_interval(n); }
StrategyPtr sized(std::int64_t bytes) { return std::make_shared<SizeBased>(bytes, Names{}); }
using Children = std::vector<StrategyPtr>;

TEST(Composite, AnyAllNot) {
  AnyOf any(Children{interval(2), interval(3)});
  EXPECT_EQ(answers(any, 0, 7), "1011101");
  AllOf all(Children{interval(2), interval(3)});
  EXPECT_EQ(answers(all, 0, 7), "1000001");
  Not none(interval(2));
  EXPECT_EQ(answers(none, 0, 4), "0101");
  AnyOf single(Children{interval(2)});
  EXPECT_EQ(answers(single, 0, 4), "1010");
}

TEST(Composite, AsksEveryChildAboutEveryLayer) {
  const Children children{interval(1), interval(2), interval(3)};
  AnyOf any(children);
  AllOf all(children);
  answers(any, 0, 6);
  answers(all, 0, 6);
  for (const auto& child : children) EXPECT_EQ(child->counters().asked_layers, 12);
  EXPECT_EQ(any.counters().asked_layers, 6);
  EXPECT_EQ(any.counters().chosen_layers, 6);
  EXPECT_EQ(all.counters().chosen_layers, 1);
}

TEST(Composite, FirstMatchAsksOneChild) {
  const Children children{sized(1000), interval(1), interval(2), interval(3)};
  FirstMatch first(Names{"block.*", "#1..2", "#7.."}, children);
  EXPECT_TRUE(ask(first, "block.1", 1, 1000));
  EXPECT_FALSE(ask(first, "block.1", 1, 999));
  EXPECT_TRUE(ask(first, "x", 1));
  EXPECT_TRUE(ask(first, "x", 2));
  EXPECT_TRUE(ask(first, "x", 3));  // the fallback
  EXPECT_FALSE(ask(first, "x", 4));
  EXPECT_FALSE(ask(first, "x", 7));
  EXPECT_TRUE(ask(first, "x", 8));
  EXPECT_FALSE(ask(first, "x", largest));
  EXPECT_EQ(children[0]->counters().asked_layers, 2);
  EXPECT_EQ(children[1]->counters().asked_layers, 2);
  EXPECT_EQ(children[2]->counters().asked_layers, 3);
  EXPECT_EQ(children[3]->counters().asked_layers, 2);
}

TEST(Composite, FirstMatchWithoutRulesIsItsFallback) {
  FirstMatch first(Names{}, Children{interval(2)});
  EXPECT_EQ(answers(first, 0, 4), "1010");
}

TEST(Composite, FirstMatchRefusesUselessRules) {
  const auto with = [](const std::string& rule) {
    return refusal([&] { FirstMatch(Names{rule}, Children{interval(1), interval(1)}); });
  };
  EXPECT_EQ(with("#"), "rules[0] is '#'; expected '#5', '#2..7' or '#8..'");
  for (const char* rule : {"#x", "#-1", "#3..2", "#1..x", "#..3", "#..", "#1.2", "#99999999999999999999", "#1...3"}) {
    EXPECT_NE(with(rule).find("'#5', '#2..7' or '#8..'"), std::string::npos) << rule;
  }
  EXPECT_EQ(with(""), "rules[0] is blank: ''");
  EXPECT_EQ(refusal([] { FirstMatch(Names{"a"}, Children{interval(1)}); }),
            "children are 1 for 1 rules; expected one for each rule and a last one as fallback");
}

TEST(Composite, Names) {
  EXPECT_EQ(AnyOf(Children{sized(mebibyte), interval(8)}).name(), "Any(SizeBased(1MB), Interval(8))");
  EXPECT_EQ(AllOf(Children{interval(8)}).name(), "All(Interval(8))");
  EXPECT_EQ(Not(std::make_shared<AnyOf>(Children{interval(1)})).name(), "Not(Any(Interval(1)))");
  EXPECT_EQ(FirstMatch(Names{"a*", "#0..3"}, Children{interval(1), interval(2), interval(3)}).name(),
            "First(a*: Interval(1), #0..3: Interval(2), Interval(3))");
}

TEST(Composite, RefusesNoChildren) {
  EXPECT_EQ(refusal([] { AnyOf(Children{}); }), "children is empty; expected at least one strategy");
  EXPECT_NE(refusal([] { AllOf(Children{}); }), "");
  EXPECT_NE(refusal([] { FirstMatch(Names{}, Children{}); }), "");
  EXPECT_EQ(refusal([] { AnyOf(Children{interval(1), nullptr}); }), "children[1] is NULL");
  EXPECT_EQ(refusal([] { Not(nullptr); }), "children[0] is NULL");
}

TEST(Composite, RefusesUnboundedNesting) {
  StrategyPtr strategy = interval(2);
  for (int i = 1; i < deepest_nesting; ++i) strategy = std::make_shared<Not>(strategy);
  EXPECT_EQ(answers(*strategy, 0, 2), "01");
  EXPECT_EQ(refusal([&] { Not{strategy}; }), "children are nested 65 deep; expected at most 64");
}

TEST(Composite, ResetReachesEveryChild) {
  const auto child = interval(1);
  AnyOf any(Children{std::make_shared<Not>(child)});
  answers(any, 0, 3);
  EXPECT_EQ(child->counters().asked_layers, 3);
  any.reset();
  EXPECT_EQ(child->counters().asked_layers, 0);
}

TEST(Composite, ForwardsAccessesAndSteps) {
  const auto smart = std::make_shared<Smart>(SmartOptions{100, 3, 1}, Names{});
  const auto clock = std::make_shared<base::ManualClock>(0);
  const auto aware = std::make_shared<MemoryAware>(MemoryAwareOptions{0.8, nullptr, 1000, clock});
  AnyOf any(Children{std::make_shared<Not>(smart), aware});
  ask(*smart, "a", 0);
  any.observe_access("a");
  EXPECT_FALSE(ask(*smart, "a", 0));  // the third access
  any.begin_step({900, 0, [&] { return std::int64_t{450} * aware->interval(); }, clock});
  EXPECT_EQ(aware->interval(), 1);
}

TEST(Composite, DefaultsToRecompute) {
  EXPECT_EQ(AnyOf(Children{interval(1)}).chosen(), Chosen::recompute);
  EXPECT_EQ(Not(interval(1)).chosen(), Chosen::recompute);
}

// ---- custom ----

TEST(Custom, AsksItsFunctions) {
  std::string seen;
  int resets = 0;
  CustomHooks hooks;
  hooks.name = "OddLayers";
  hooks.decide = [&](std::string_view name, const Activation& activation, std::int64_t index) {
    seen += base::cat(name, ":", activation.bytes, " ");
    return index % 2 == 1;
  };
  hooks.reset = [&] { ++resets; };
  hooks.access = [&](std::string_view name) { seen += base::cat("access ", name); };
  Custom custom(hooks);
  EXPECT_EQ(answers(custom, 0, 3, 7), "010");
  custom.observe_access("z");
  EXPECT_EQ(seen, "layer0:7 layer1:7 layer2:7 access z");
  custom.reset();
  EXPECT_EQ(resets, 1);
  EXPECT_EQ(custom.counters().asked_layers, 0);
  EXPECT_EQ(custom.name(), "OddLayers");
  EXPECT_EQ(custom.chosen(), Chosen::recompute);
}

TEST(Custom, RefusesMissingFunctionsAndBlankNames) {
  EXPECT_EQ(refusal([] { Custom(CustomHooks{}); }), "decide is NULL");
  CustomHooks hooks;
  hooks.decide = [](auto, const auto&, auto) { return true; };
  hooks.name = " ";
  EXPECT_EQ(refusal([&] { Custom{hooks}; }), "name is blank: ' '");
}

TEST(Custom, DoesNotCountFailedQueries) {
  CustomHooks hooks;
  hooks.decide = [](auto, const auto&, auto) -> bool { base::fail(base::Status::callback, "no"); };
  Custom custom(hooks);
  EXPECT_EQ(error_of(base::Status::callback, [&] { ask(custom, "x"); }), "no");
  EXPECT_EQ(custom.counters().asked_layers, 0);
}

TEST(Custom, RefusesCyclicQueries) {
  Strategy* self = nullptr;
  CustomHooks hooks;
  hooks.decide = [&](std::string_view name, const Activation& activation, std::int64_t index) {
    return self->should_checkpoint(name, activation, index);
  };
  AnyOf any(Children{std::make_shared<Custom>(hooks)});
  self = &any;
  const std::string text = "the strategy is in use by the operation that runs this callback";
  EXPECT_EQ(error_of(base::Status::invalid_state, [&] { ask(any, "x"); }), text);
  EXPECT_EQ(error_of(base::Status::invalid_state, [&] { ask(any, "x"); }), text);
  EXPECT_EQ(any.counters().asked_layers, 0);
}

}  // namespace
}  // namespace ckpt::strategy
