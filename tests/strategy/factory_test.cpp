#include "strategy/factory.h"

#include <cmath>

#include "ask.h"
#include "strategy/custom.h"
#include "strategy/interval.h"
#include "strategy/selective.h"
#include "strategy/size_based.h"
#include "strategy/smart.h"

namespace ckpt::strategy {
namespace {

using base::Status;

// ---- kinds ----

TEST(Kinds, KeepTheirValues) {
  EXPECT_EQ(Interval(5).name(), "Interval(5)");
  const std::vector<std::string> names = {"a", "b*"};
  const std::vector<std::string> excluded = {"bad"};
  Selective selective(names, excluded);
  EXPECT_TRUE(ask(selective, "a"));
  EXPECT_TRUE(ask(selective, "bc"));
  EXPECT_FALSE(ask(selective, "bad"));
  SizeBased size(2048, excluded);
  EXPECT_EQ(size.name(), "SizeBased(2KB)");
  EXPECT_FALSE(ask(size, "bad", 0, 4096));
  Smart smart({100, 2, 1}, excluded);
  for (const char* name : {"a", "bad", "a"}) ask(smart, name);
  EXPECT_FALSE(ask(smart, "bad"));
  EXPECT_TRUE(ask(smart, "new"));
}

TEST(Kinds, HaveTheirDefaultMeaningOfChosen) {
  EXPECT_EQ(from_text("interval")->chosen(), Chosen::boundary);
  for (const char* text :
       {"selective", "size", "memory-aware", "smart", "any(smart)", "all(smart)", "not(smart)", "first(smart)"}) {
    EXPECT_EQ(from_text(text)->chosen(), Chosen::recompute) << text;
  }
  CustomHooks hooks;
  hooks.decide = [](auto, const auto&, auto) { return true; };
  EXPECT_EQ(Custom(hooks).chosen(), Chosen::recompute);
}

TEST(Kinds, RefuseBadValues) {
  EXPECT_EQ(refusal([] { Interval(0); }), "interval is 0; expected at least 1");
  EXPECT_EQ(refusal([] { Custom({}); }), "decide is NULL");
  EXPECT_EQ(refusal([] { from_text("not(interval:1,interval:2)"); }),
            "strategy 'not(interval:1,interval:2)': children are 2; 'not' expects one strategy");
  EXPECT_EQ(
      error_of(Status::not_found, [] { from_text("intervall"); }),
      "strategy 'intervall': unknown strategy kind 'intervall'; known: interval, selective, size, memory-aware, smart, any, all, "
      "not, first");
  EXPECT_EQ(
      error_of(Status::not_found, [] { from_text("custom"); }),
      "strategy 'custom': unknown strategy kind 'custom'; known: interval, selective, size, memory-aware, smart, any, all, not, "
      "first");
  EXPECT_NE(error_of(Status::not_found, [] { from_text(""); }), "");
}

// ---- text ----

std::string name_of(const char* text) { return from_text(text)->name(); }

TEST(Text, MakesEveryKind) {
  EXPECT_EQ(name_of("interval"), "Interval(2)");
  EXPECT_EQ(name_of("interval:4"), "Interval(4)");
  EXPECT_EQ(name_of("interval(4)"), "Interval(4)");
  EXPECT_EQ(name_of("interval()"), "Interval(2)");
  EXPECT_EQ(name_of("selective"), "Selective");
  EXPECT_EQ(name_of("size"), "SizeBased(1MB)");
  EXPECT_EQ(name_of("size:4MiB"), "SizeBased(4MB)");
  EXPECT_EQ(name_of("memory-aware"), "MemoryAware(80%)");
  EXPECT_EQ(name_of("memory-aware:0.5"), "MemoryAware(50%)");
  EXPECT_EQ(name_of("smart"), "Smart");
  EXPECT_EQ(name_of("any(size:1MiB,interval:8)"), "Any(SizeBased(1MB), Interval(8))");
  EXPECT_EQ(name_of("all(size,smart)"), "All(SizeBased(1MB), Smart)");
  EXPECT_EQ(name_of("not(interval:3)"), "Not(Interval(3))");
  EXPECT_EQ(name_of("not:interval:3"), "Not(Interval(3))");
  EXPECT_EQ(name_of("first(a.*=size:1KiB,#0..3=interval:1,smart)"), "First(a.*: SizeBased(1KB), #0..3: Interval(1), Smart)");
  EXPECT_EQ(name_of(" any ( interval : 3 , not( all( smart ) ) ) "), "Any(Interval(3), Not(All(Smart)))");
}

TEST(Text, ReadsSizes) {
  EXPECT_EQ(name_of("size:1"), "SizeBased(1B)");
  EXPECT_EQ(name_of("size:512B"), "SizeBased(512B)");
  EXPECT_EQ(name_of("size:3 KiB"), "SizeBased(3KB)");
  EXPECT_EQ(name_of("size:2GiB"), "SizeBased(2GB)");
  EXPECT_EQ(name_of("size:1TiB"), "SizeBased(1024GB)");
  EXPECT_EQ(name_of("size:9223372036854775807"), "SizeBased(8589934591GB)");
  EXPECT_EQ(error_of(Status::out_of_range, [] { from_text("size:8192PiB"); }),
            "strategy 'size:8192PiB': size is '8192PiB'; more than INT64_MAX bytes");
  for (const char* text : {"size:1MB", "size:x", "size:", "size:1.5MiB", "size:1mib", "size:99999999999999999999", "size:MiB"}) {
    EXPECT_NE(refusal([&] { from_text(text); }).find("a whole number of bytes, or one with B, KiB"), std::string::npos) << text;
  }
}

TEST(Text, ReadsNames) {
  const auto strategy = from_text("selective:block.*.attn,!block.0.*, head ,!tail");
  EXPECT_TRUE(ask(*strategy, "block.1.attn"));
  EXPECT_FALSE(ask(*strategy, "block.0.attn"));
  EXPECT_TRUE(ask(*strategy, "head"));
  EXPECT_FALSE(ask(*strategy, "tail"));
  const auto escaped = from_text("selective:a\\,b,c\\(d,\\!e,f\\*,g(h,i)");
  for (const char* name : {"a,b", "c(d", "!e", "f*", "g(h,i)"}) EXPECT_TRUE(ask(*escaped, name)) << name;
  EXPECT_FALSE(ask(*escaped, "fx"));
  const auto quoted = from_text("any(selective(\"a,b\", \"c(d\",\"say \\\"x\\\"\",\"e*)\",f\"g,!\"e,\"),interval:9)");
  for (const char* name : {"a,b", "c(d", "say \"x\"", "e,f)", "f\"g"}) EXPECT_TRUE(ask(*quoted, name, 1)) << name;
  EXPECT_FALSE(ask(*quoted, "a", 1));
  EXPECT_EQ(refusal([] { from_text("selective:a,b,!b,!a"); }),
            "strategy 'selective:a,b,!b,!a': layers cannot be both chosen and excluded: a, b");
  EXPECT_NE(refusal([] { from_text("selective:a,,b"); }).find("names[1] is blank"), std::string::npos);
}

TEST(Text, ReadsExcludedNames) {
  const auto size = from_text("size:1KiB,!norm.*");
  EXPECT_TRUE(ask(*size, "fc", 0, 1024));
  EXPECT_FALSE(ask(*size, "norm.1", 0, 1024));
  const auto smart = from_text("smart:!b");
  for (const char* name : {"a", "a"}) ask(*smart, name);
  EXPECT_TRUE(ask(*smart, "c"));
  EXPECT_FALSE(ask(*smart, "b"));
  // Inside a composite a name with ! belongs to the strategy before it.
  const auto any = from_text("any(size:1KiB,!norm.*,!head,selective:x)");
  EXPECT_EQ(any->name(), "Any(SizeBased(1KB), Selective)");
  EXPECT_FALSE(ask(*any, "head", 0, 1024));
  EXPECT_TRUE(ask(*any, "x"));
  EXPECT_EQ(name_of("any(selective(a,b,!c),interval)"), "Any(Selective, Interval(2))");
}

TEST(Text, ReadsRules) {
  const auto strategy = from_text("first(a\\=b=interval:1,\\#1=interval:1,#1=interval:1,not(interval:1))");
  EXPECT_TRUE(ask(*strategy, "a=b", 5));
  EXPECT_TRUE(ask(*strategy, "#1", 5));
  EXPECT_TRUE(ask(*strategy, "x", 1));
  EXPECT_FALSE(ask(*strategy, "x", 5));
  EXPECT_NE(refusal([] { from_text("first(a=smart)"); }).find("and then one fallback, not 0"), std::string::npos);
  EXPECT_NE(refusal([] { from_text("first(smart,a=smart)"); }).find("the fallback of 'first' is not the last"), std::string::npos);
  EXPECT_NE(refusal([] { from_text("first(a=smart,smart,smart)"); }).find("one fallback, not 2"), std::string::npos);
}

TEST(Text, RefusesInvalidText) {
  EXPECT_EQ(error_of(Status::not_found, [] { from_text("every:2"); }),
            "strategy 'every:2': unknown strategy kind 'every'; known: "
            "interval, selective, size, memory-aware, smart, any, all, not, first");
  const auto refused = [](const char* text) { return refusal([&] { from_text(text); }); };
  EXPECT_EQ(refused("interval:x"), "strategy 'interval:x': interval is 'x'; expected a whole number of at least 1");
  EXPECT_EQ(refused("interval:0"), "strategy 'interval:0': interval is 0; expected at least 1");
  EXPECT_EQ(refused("interval:1,2"), "strategy 'interval:1,2': the strategy is interval[:INTERVAL]; 2 values are given");
  EXPECT_EQ(refused("memory-aware:80%"), "strategy 'memory-aware:80%': share is '80%'; expected a number above 0 and at most 1");
  EXPECT_NE(refused("memory-aware:nan").find("more than 0 and at most 1"), std::string::npos);
  EXPECT_NE(refused("memory-aware:1.5").find("more than 0 and at most 1"), std::string::npos);
  EXPECT_EQ(refused("smart:x"), "strategy 'smart:x': large_factor is 'x'; expected a number");
  EXPECT_NE(refused("not:smart,smart").find("children are 2"), std::string::npos);
  EXPECT_NE(error_of(Status::not_found, [] { from_text("not:smart,"); }).find("unknown strategy kind ''"), std::string::npos);
  EXPECT_EQ(refused("any"), "strategy 'any': 'any' is empty; expected at least one strategy");
  EXPECT_EQ(refused("any()"), "strategy 'any()': 'any' is empty; expected at least one strategy");
  EXPECT_EQ(refused("not(smart,smart)"), "strategy 'not(smart,smart)': children are 2; 'not' expects one strategy");
  EXPECT_NE(refused("any(interval").find("is not closed"), std::string::npos);
  EXPECT_NE(refused("any(any(interval)").find("is not closed"), std::string::npos);
  EXPECT_NE(refused("any(interval))").find("text after the )"), std::string::npos);
  EXPECT_NE(refused("any(interval)x").find("text after the )"), std::string::npos);
  EXPECT_NE(refused("interval:)").find("unmatched )"), std::string::npos);
  EXPECT_NE(refused("size:\xFF").find("not valid UTF-8"), std::string::npos);
  EXPECT_NE(error_of(Status::not_found, [] { from_text(""); }), "");
  EXPECT_NE(error_of(Status::not_found, [] { from_text("any(smart,)"); }), "");
  EXPECT_NE(error_of(Status::not_found, [] { from_text("custom"); }), "");
}

TEST(Text, RefusesUnboundedNesting) {
  std::string text;
  for (int i = 0; i < 100000; ++i) text += "not(";
  EXPECT_NE(refusal([&] { from_text(text); }), "");
  std::string closed = "smart";
  for (int i = 0; i < 70; ++i) closed = "not(" + closed + ")";
  EXPECT_NE(refusal([&] { from_text(closed); }).find("nested deeper than 64"), std::string::npos);
}

// ---- registered kinds ----

// Registers a kind for the duration of a test.
struct Registered {
  Registered(const char* kind_, KindFactory factory) : kind(kind_) { register_kind(kind, std::move(factory)); }
  ~Registered() { unregister_kind(kind); }
  const char* kind;
};

TEST(Registry, MakesAKindUsableInText) {
  const Registered mine("mine", [](const std::string& arguments) { return from_text("interval:" + arguments); });
  EXPECT_EQ(name_of("mine:7"), "Interval(7)");
  EXPECT_EQ(name_of("any(mine(3),smart)"), "Any(Interval(3), Smart)");
  EXPECT_EQ(known_kinds(), "interval, selective, size, memory-aware, smart, any, all, not, first, mine");
  EXPECT_NE(refusal([] { from_text("mine:x"); }).find("interval is 'x'"), std::string::npos);
}

TEST(Registry, PassesArgumentsAsTheyStand) {
  std::string seen = "none";
  const Registered mine("mine", [&](const std::string& arguments) {
    seen = arguments;
    return make_interval(1);
  });
  from_text("mine");
  EXPECT_EQ(seen, "");
  from_text("mine: a,(b, c) ");
  EXPECT_EQ(seen, "a,(b, c)");
  from_text("any(mine(x,y),smart)");
  EXPECT_EQ(seen, "x,y");
}

TEST(Registry, RefusesTakenAndImpossibleNames) {
  const auto factory = [](const std::string&) { return make_interval(1); };
  const Registered mine("mine", factory);
  EXPECT_EQ(error_of(Status::already_exists, [&] { register_kind("mine", factory); }),
            "name is 'mine'; the strategy kind exists already");
  for (const char* kind : {"interval", "custom", "any"}) {
    EXPECT_NE(error_of(Status::already_exists, [&] { register_kind(kind, factory); }), "") << kind;
  }
  for (const char* kind : {"", "a b", "a:b", "a(", "\xC3\xA4"})
    EXPECT_NE(refusal([&] { register_kind(kind, factory); }), "") << kind;
  EXPECT_EQ(refusal([] { register_kind("other", nullptr); }), "factory is NULL");
}

TEST(Registry, UnregistersAKind) {
  register_kind("brief", [](const std::string&) { return make_interval(1); });
  const auto created = from_text("brief");
  unregister_kind("brief");
  EXPECT_TRUE(ask(*created, "x"));
  EXPECT_NE(error_of(Status::not_found, [] { from_text("brief"); }), "");
  EXPECT_EQ(error_of(Status::not_found, [] { unregister_kind("brief"); }), "name is 'brief'; unknown registered kind");
  EXPECT_NE(error_of(Status::not_found, [] { unregister_kind("interval"); }), "");
}

TEST(Registry, RefusesRecursiveKinds) {
  const Registered a("kind-a", [](const std::string&) { return from_text("any(smart,kind-b)"); });
  const Registered b("kind-b", [](const std::string&) { return from_text("not(kind-a)"); });
  const auto refused = [](const char* text) { return error_of(Status::invalid_state, [&] { from_text(text); }); };
  EXPECT_NE(refused("kind-a").find("strategy kind 'kind-a' is recursive: kind-a -> kind-b -> kind-a"), std::string::npos);
  EXPECT_NE(refused("kind-b").find("kind-b -> kind-a -> kind-b"), std::string::npos);
}

TEST(Registry, RefusesAFactoryThatReturnsNothing) {
  const Registered none("nothing", [](const std::string&) { return StrategyPtr(); });
  EXPECT_NE(refusal([] { from_text("nothing"); }).find("the factory of strategy kind 'nothing' returned no strategy"),
            std::string::npos);
}

}  // namespace
}  // namespace ckpt::strategy
