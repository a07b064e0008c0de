// The C++17 API of the strategy part.
#include <ckpt/strategy.hpp>

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace {

using ckpt::Strategy;

std::string answers(Strategy& strategy, std::int64_t count) {
  std::string row;
  for (std::int64_t i = 0; i < count; ++i) row += strategy.should_checkpoint("layer", ckpt::DType::f32, {1024, 256}, i) ? '1' : '0';
  return row;
}

template <class Call>
std::string refusal(Call&& call) {
  try {
    call();
  } catch (const ckpt::Error& error) {
    return std::string(error.status_name()) + ": " + error.what();
  }
  return "nothing was thrown";
}

TEST(StrategyHpp, MakesEveryKind) {
  EXPECT_EQ(Strategy::interval().name(), "Interval(2)");
  EXPECT_EQ(Strategy::selective({"a"}, {"b"}).name(), "Selective");
  EXPECT_EQ(Strategy::size_based().name(), "SizeBased(1MB)");
  EXPECT_EQ(Strategy::memory_aware().name(), "MemoryAware(80%)");
  EXPECT_EQ(Strategy::smart({"x"}).name(), "Smart");
  EXPECT_EQ(Strategy::create("any(size:1MiB,interval:8)").name(), "Any(SizeBased(1MB), Interval(8))");
  EXPECT_EQ(refusal([] { Strategy::interval(0); }), "INVALID_ARGUMENT: strategy 'interval:0': interval is 0; expected at least 1");
}

TEST(StrategyHpp, Composes) {
  const auto two = Strategy::interval(2);
  const auto three = Strategy::interval(3);
  auto any = Strategy::any_of({&two, &three});
  EXPECT_EQ(answers(any, 7), "1011101");
  auto all = Strategy::all_of({&two, &three});
  EXPECT_EQ(answers(all, 7), "1000001");
  auto none = Strategy::not_of(two);
  EXPECT_EQ(answers(none, 4), "0101");
  auto first = Strategy::first_of({{"other", &two}, {"#2..3", &none}}, three);
  EXPECT_EQ(answers(first, 7), "1001001");
  EXPECT_EQ(first.name(), "First(other: Interval(2), #2..3: Not(Interval(2)), Interval(3))");
}

TEST(StrategyHpp, CountsAndResets) {
  auto strategy = Strategy::interval(1);
  answers(strategy, 3);
  EXPECT_EQ(strategy.counters().asked_layers, 3);
  EXPECT_EQ(strategy.counters().chosen_bytes, 3 << 20);
  strategy.reset();
  EXPECT_EQ(strategy.counters().asked_layers, 0);
  EXPECT_EQ(strategy.chosen(), ckpt::StrategyChosen::boundary);
  strategy.set_chosen(ckpt::StrategyChosen::recompute);
  EXPECT_EQ(strategy.chosen(), ckpt::StrategyChosen::recompute);
}

TEST(StrategyHpp, CustomStrategiesMayThrowExceptions) {
  const auto token = std::make_shared<int>(0);
  {
    ckpt::CustomStrategy functions;
    functions.decide = [token](const ckpt::StrategyQuestion& question) {
      if (question.layer_index == 2) throw std::runtime_error("layer 2 is odd");
      return question.bytes == 1 << 20;
    };
    functions.reset = [token] { ++*token; };
    functions.access = [token](std::string_view name) { *token += static_cast<int>(name.size()); };
    auto strategy = Strategy::custom("Mine", std::move(functions));
    EXPECT_EQ(strategy.name(), "Mine");
    EXPECT_EQ(answers(strategy, 2), "11");
    EXPECT_NE(refusal([&] { answers(strategy, 3); }).find("layer 2 is odd"), std::string::npos);
    strategy.reset();
    strategy.observe_access("four");
    EXPECT_EQ(*token, 5);
    EXPECT_EQ(token.use_count(), 4);
  }
  EXPECT_EQ(token.use_count(), 1);
  EXPECT_EQ(refusal([] { Strategy::custom("Mine", {}); }), "INVALID_ARGUMENT: callbacks->decide is NULL");
}

TEST(StrategyHpp, CustomStrategiesAreChildrenOfComposites) {
  ckpt::CustomStrategy functions;
  functions.decide = [](const ckpt::StrategyQuestion& question) { return question.layer_index % 2 == 1; };
  const auto odd = Strategy::custom("Odd", std::move(functions));
  const auto three = Strategy::interval(3);
  auto any = Strategy::any_of({&odd, &three});
  EXPECT_EQ(answers(any, 6), "110101");
  auto all = Strategy::all_of({&odd, &three});
  EXPECT_EQ(answers(all, 6), "000100");
  auto none = Strategy::not_of(odd);
  EXPECT_EQ(answers(none, 4), "1010");
  auto first = Strategy::first_of({{"#0..1", &odd}}, three);
  EXPECT_EQ(answers(first, 6), "010100");
  auto mixed = Strategy::create("any($1,all($0,not($1)),interval:4)", {&odd, &three});
  EXPECT_EQ(answers(mixed, 6), "110111");
  EXPECT_EQ(mixed.name(), "Any(Interval(3), All(Odd, Not(Interval(3))), Interval(4))");
}

TEST(StrategyHpp, NamesMayHoldAnyCharacter) {
  const std::vector<std::string> odd = {"a,b", "(c)", "say \\\"x\\\"", " blank ", "d=e", "!f", "$0"};
  auto strategy = Strategy::selective(odd, {"g,h"});
  EXPECT_EQ(strategy.patterns(ckpt::StrategyList::names), odd);
  EXPECT_EQ(strategy.patterns(ckpt::StrategyList::excluded), std::vector<std::string>{"g,h"});
  auto same = Strategy::create(strategy.text());
  EXPECT_EQ(same.patterns(ckpt::StrategyList::names), odd);
  for (const char* name : {"a,b", "(c)", "say \"x\"", " blank ", "d=e", "!f", "$0"}) {
    EXPECT_TRUE(same.should_checkpoint(name, ckpt::DType::u8, {1}, 0)) << name;
  }
}

TEST(StrategyHpp, KindsAreKnownWhileTheirObjectLives) {
  {
    const ckpt::StrategyKind every(
        "every", [](std::string_view arguments) { return Strategy::interval(std::stoi(std::string(arguments))); });
    EXPECT_EQ(Strategy::create("not(every:5)").name(), "Not(Interval(5))");
    EXPECT_NE(ckpt::known_strategy_kinds().find("every"), std::string::npos);
    EXPECT_NE(refusal([] { Strategy::create("every:x"); }).find("CALLBACK"), std::string::npos);
    EXPECT_NE(
        refusal([] { ckpt::StrategyKind("every", [](std::string_view) { return Strategy::interval(); }); }).find("ALREADY_EXISTS"),
        std::string::npos);
  }
  EXPECT_EQ(ckpt::known_strategy_kinds().find("every"), std::string::npos);
  EXPECT_NE(refusal([] { Strategy::create("every:5"); }).find("NOT_FOUND"), std::string::npos);
}

TEST(StrategyHpp, ReadsBackItsParameters) {
  const Strategy first = Strategy::create("first(block.*=selective(a,b*,!c),#2..7=size:2KiB,smart)");
  EXPECT_EQ(first.text(), "first(block.*=selective(a,b*,!c),#2..7=size(2KiB),smart)");
  EXPECT_EQ(first.info().kind, "first");
  EXPECT_EQ(first.patterns(ckpt::StrategyList::rules), (std::vector<std::string>{"block.*", "#2..7"}));
  const std::vector<Strategy> children = first.children();
  ASSERT_EQ(children.size(), 3U);
  EXPECT_EQ(children[0].patterns(ckpt::StrategyList::names), (std::vector<std::string>{"a", "b*"}));
  EXPECT_EQ(children[0].patterns(ckpt::StrategyList::excluded), std::vector<std::string>{"c"});
  EXPECT_EQ(children[1].info().threshold_bytes, 2048);
  EXPECT_EQ(children[2].info().late_share, 0.7);
  EXPECT_NE(refusal([&] { static_cast<void>(first.patterns(ckpt::StrategyList{3})); }).find("list is 3"), std::string::npos);
}

TEST(StrategyHpp, ASharedStrategyIsTheSame) {
  std::optional<Strategy> first(Strategy::interval(2));
  const Strategy second = first->share();
  EXPECT_EQ(second.handle(), first->handle());
  first.reset();
  EXPECT_EQ(second.name(), "Interval(2)");
}

}  // namespace
