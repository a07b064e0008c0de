// The controller: its decisions and their reasons, its reaction to events, its JSON form, and that refused calls change nothing.
#include <gtest/gtest.h>

#include <cmath>
#include <deque>
#include <limits>
#include <thread>

#include "adaptive/controller.h"
#include "adaptive/intervals.h"
#include "adaptive/trace.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

using base::Status;

ControllerOptions fixed(double interval) {
  ControllerOptions options;
  options.policy = Policy::fixed;
  options.interval_seconds = interval;
  return options;
}

void save(Controller& controller, double now, double cost) {
  controller.begin_save(now);
  controller.commit_save(now + cost, cost, cost);
}

// A background save may end after another one has begun, or when none is expected any more.
TEST(AdaptiveController, ADelayedEndOfABackgroundSaveHasNoEffect) {
  Controller controller({});
  controller.begin_run(0);
  const std::int64_t first = controller.begin_background_save(100);
  controller.end_background_save(first, std::nullopt);
  const std::int64_t second = controller.begin_background_save(200);
  controller.end_background_save(first, Controller::SaveCost{1, 1});
  EXPECT_TRUE(controller.info().save_in_flight);
  EXPECT_EQ(controller.info().saves, 0);
  controller.end_background_save(second, Controller::SaveCost{2, 5});
  EXPECT_EQ(controller.info().saves, 1);
  EXPECT_EQ(controller.info().cost_seconds, 2);
  EXPECT_EQ(controller.info().last_seen_seconds, 200);
  EXPECT_EQ(controller.decide(200).checkpoint, false);
  const std::int64_t third = controller.begin_background_save(300);
  controller.record_clean_exit(301);
  controller.end_background_save(third, Controller::SaveCost{2, 5});
  EXPECT_EQ(controller.info().saves, 1);
}

TEST(AdaptiveController, DecidesAtThePollNearestToTheTarget) {
  for (const auto& [interval, poll, wanted] : {std::tuple{100.0, 30.0, 90.0}, {104.0, 30.0, 90.0}, {106.0, 30.0, 120.0}}) {
    ControllerOptions options = fixed(interval);
    options.poll_seconds = poll;
    Controller controller(options);
    controller.begin_run(0);
    double now = poll;
    while (!controller.decide(now).checkpoint) now += poll;
    EXPECT_DOUBLE_EQ(now, wanted) << interval;
  }
  // Without poll_seconds the poll interval follows from the observed tasks.
  Controller controller(fixed(100));
  controller.begin_run(0);
  EXPECT_FALSE(controller.decide(90).checkpoint);
  controller.observe_task("step", 30);
  EXPECT_TRUE(controller.decide(90).checkpoint);
}

TEST(AdaptiveController, RequestsOneEarlySaveToMeasureTheCost) {
  Controller controller(ControllerOptions{});
  controller.begin_run(1000);
  EXPECT_EQ(controller.decide(1100).reason, Reason::not_due);
  const Decision first = controller.decide(1600);
  EXPECT_TRUE(first.checkpoint);
  EXPECT_EQ(first.reason, Reason::first_save);
  save(controller, 1600, 300);
  const Decision next = controller.decide(1900);
  EXPECT_FALSE(next.checkpoint);
  EXPECT_DOUBLE_EQ(next.cost_seconds, 300);
  EXPECT_GT(next.interval_seconds, 1000);
  EXPECT_DOUBLE_EQ(next.due_seconds, 1900 + next.interval_seconds);
  EXPECT_EQ(controller.decide(next.due_seconds).reason, Reason::due);
  EXPECT_GT(next.risk, 0);
  EXPECT_LT(next.risk, 1);
}

TEST(AdaptiveController, GivenFormulasUseTheMeasuredCost) {
  for (const Policy policy : {Policy::young, Policy::daly}) {
    ControllerOptions options;
    options.policy = policy;
    options.mtbf_seconds = 21600;
    Controller controller(options);
    controller.begin_run(0);
    save(controller, 10, 300);
    const double interval = policy == Policy::young ? young_interval(300, 21600) : daly_interval(300, 21600);
    EXPECT_DOUBLE_EQ(controller.decide(310).interval_seconds, interval);
  }
}

TEST(AdaptiveController, CostIsTheStallAndNoSaveIsRequestedBeforeTheLastOneIsDurable) {
  ControllerOptions options;
  options.policy = Policy::daly;
  options.mtbf_seconds = 10000;
  Controller controller(options);
  controller.begin_run(0);
  controller.begin_save(600);
  EXPECT_EQ(controller.decide(5000).reason, Reason::save_in_flight);
  EXPECT_FALSE(controller.decide(5000).checkpoint);
  controller.commit_save(5000, 5, 4400);
  // Work since 605 is at risk; a save costs its stall of 5 s.
  const Decision decision = controller.decide(5000);
  EXPECT_DOUBLE_EQ(decision.cost_seconds, 5);
  EXPECT_DOUBLE_EQ(decision.since_last_seconds, 5000 - 605);
  EXPECT_TRUE(decision.checkpoint);
  controller.begin_save(5001);
  controller.abort_save(5002);
  EXPECT_TRUE(controller.decide(5002).checkpoint);  // nothing was saved
  EXPECT_EQ(controller.info().saves, 1);
}

TEST(AdaptiveController, BoundsAndBudget) {
  ControllerOptions options = fixed(100);
  options.min_interval_seconds = 200;
  options.budget_saves = 2;
  options.budget_window_seconds = 1000;
  Controller controller(options);
  controller.begin_run(0);
  EXPECT_FALSE(controller.decide(199).checkpoint);
  EXPECT_TRUE(controller.decide(200).checkpoint);
  save(controller, 200, 1);
  save(controller, 401, 1);
  EXPECT_EQ(controller.decide(900).reason, Reason::budget_is_spent);
  EXPECT_TRUE(controller.decide(1000).checkpoint);  // the next window
  save(controller, 1000, 1);
  EXPECT_TRUE(controller.decide(1300).checkpoint);

  options = fixed(100);
  options.max_interval_seconds = 50;
  options.initial_cost_seconds = 30;
  options.max_overhead_share = 0.1;
  Controller capped(options);
  capped.begin_run(0);
  EXPECT_DOUBLE_EQ(capped.decide(0).interval_seconds, 270);  // 30 s in 300 s
  options.max_overhead_share = 1;
  Controller short_(options);
  short_.begin_run(0);
  EXPECT_DOUBLE_EQ(short_.decide(0).interval_seconds, 50);
}

TEST(AdaptiveController, ThresholdEvaluatesTheLastTaskAndCommitConsumesASlot) {
  ControllerOptions options;
  options.policy = Policy::threshold;
  options.threshold_options.budget = 2;
  Controller controller(options);
  controller.begin_run(0);
  EXPECT_EQ(controller.decide(1).reason, Reason::task_is_short);  // no task yet
  controller.observe_task("long", 100);
  EXPECT_EQ(controller.decide(1).reason, Reason::task_is_long);
  EXPECT_EQ(controller.decide(1).reason, Reason::task_is_long);  // a pure query
  EXPECT_EQ(controller.info().threshold_used, 0);
  controller.observe_task("short", 10);
  EXPECT_FALSE(controller.decide(2).checkpoint);
  controller.observe_task("long", 90);
  save(controller, 3, 1);
  EXPECT_EQ(controller.info().threshold_used, 1);
  EXPECT_TRUE(controller.tasks().at(2).checkpointed);
  save(controller, 5, 1);
  EXPECT_FALSE(controller.decide(7).checkpoint);  // no slot left
  controller.record_failure(8);
  EXPECT_TRUE(controller.tasks().at(2).failed);
  controller.record_recovery(9, 15, 1);
  EXPECT_NEAR(controller.info().threshold, 0.257, 5e-4);
  EXPECT_DOUBLE_EQ(controller.info().unjudged_overhead_seconds, 1);
  controller.record_clean_exit(10);  // 1 s of overhead, nothing saved: +0.05
  EXPECT_NEAR(controller.info().threshold, 0.257 + 0.05, 5e-4);
  EXPECT_DOUBLE_EQ(controller.info().unjudged_overhead_seconds, 0);
  EXPECT_EQ(controller.tasks().size(), 3U);
}

TEST(AdaptiveController, PreemptionNotice) {
  Controller controller(ControllerOptions{});
  controller.begin_run(0);
  controller.preemption_notice(10, 120);
  EXPECT_EQ(controller.decide(10).reason, Reason::preemption);  // nothing measured: it may fit
  save(controller, 10, 40);
  EXPECT_EQ(controller.decide(50).reason, Reason::preemption_saved);
  EXPECT_FALSE(controller.decide(50).checkpoint);
  controller.preemption_notice(60, 30);
  EXPECT_EQ(controller.decide(60).reason, Reason::preemption_short);
  EXPECT_FALSE(controller.decide(60).checkpoint);
  controller.preemption_notice(61, 40);
  EXPECT_TRUE(controller.decide(61).checkpoint);
  EXPECT_FALSE(controller.decide(62).checkpoint);  // too late by now
}

TEST(AdaptiveController, LearnsFailuresAndCensorsCleanExits) {
  ControllerOptions options;
  options.policy = Policy::bayes;
  Controller controller(options);
  controller.begin_run(0);
  EXPECT_DOUBLE_EQ(controller.info().mtbf_seconds, 3600);
  controller.record_failure(1000);
  EXPECT_DOUBLE_EQ(controller.info().mtbf_seconds, 4600.0 / 2);
  controller.record_clean_exit(3000);
  EXPECT_FALSE(controller.info().running);
  controller.begin_run(5000);
  EXPECT_DOUBLE_EQ(controller.info().mtbf_seconds, 6600.0 / 2);
  EXPECT_EQ(controller.info().failures, 1);
}

TEST(AdaptiveController, ResumeCountsTheGapSinceTheLastEventAsAFailure) {
  ControllerOptions options;
  options.policy = Policy::bayes;
  options.initial_cost_seconds = 10;
  Controller crashed(options);
  crashed.begin_run(0);
  save(crashed, 5000, 10);
  crashed.begin_save(9000);
  const double half = crashed.decide(9000).interval_seconds / 2;
  Controller controller(options);
  controller.from_json(crashed.to_json());
  EXPECT_ERROR(controller.begin_run(20000), Status::invalid_state, "a run is active");
  controller.resume(20000);
  EXPECT_EQ(controller.info().failures, 1);
  EXPECT_DOUBLE_EQ(controller.info().mtbf_seconds, (3600 + 9000 + half) / 2);
  EXPECT_FALSE(controller.info().save_in_flight);

  Controller restarted(options);  // the clock restarted
  restarted.from_json(crashed.to_json());
  restarted.resume(3);
  EXPECT_EQ(restarted.info().failures, 1);
  EXPECT_DOUBLE_EQ(restarted.info().mtbf_seconds, (3600 + 9000) / 2.0);

  crashed.record_clean_exit(9500);
  Controller well(options);
  well.from_json(crashed.to_json());
  well.resume(20000);
  EXPECT_EQ(well.info().failures, 0);
}

// Random sequences: a loaded controller decides like the saved one, at any time.
TEST(AdaptiveController, DecisionsAreEqualAfterSaveAndLoad) {
  for (std::int32_t policy = 0; policy <= static_cast<std::int32_t>(Policy::fixed); ++policy) {
    ControllerOptions options = fixed(500);
    options.policy = static_cast<Policy>(policy);
    options.mtbf_seconds = 4000;
    options.keep = 0.9;
    options.threshold_options.budget = 100;
    Controller controller(options);
    double now = 0;
    controller.begin_run(now);
    const auto random = [&](std::uint64_t index) { return uniform(4, 0, static_cast<std::uint64_t>(policy), index); };
    for (std::uint64_t i = 0; i < 700; ++i) {
      now += 1000 * random(3 * i);
      controller.observe_task(base::cat("task ", i), 100 * random(3 * i + 1));
      const double kind = random(3 * i + 2);
      if (kind < 0.5) {
        save(controller, now, 40 * kind);
        now += 40 * kind;
      } else if (kind < 0.9) {
        controller.record_failure(now);
        controller.record_recovery(now += 60, 50, 20);
      } else {
        controller.record_clean_exit(now);
        controller.begin_run(now += 10);
      }
      if (i % 50 != 49) continue;
      const std::string json = controller.to_json();
      Controller loaded(options);
      loaded.from_json(json);
      ASSERT_EQ(loaded.to_json(), json);
      ASSERT_LT(json.size(), 64U * 1024);
      for (const double later : {0.0, 10.0, 300.0, 1000.0, 1e5}) {
        const Decision a = controller.decide(now + later);
        const Decision b = loaded.decide(now + later);
        ASSERT_EQ(a.checkpoint, b.checkpoint);
        ASSERT_EQ(a.reason, b.reason);
        ASSERT_EQ(a.interval_seconds, b.interval_seconds);
        ASSERT_EQ(a.risk, b.risk);
        ASSERT_EQ(a.due_seconds, b.due_seconds);
      }
    }
  }
}

TEST(AdaptiveController, RefusedCallsChangeNothing) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  const double infinity = std::numeric_limits<double>::infinity();
  Controller controller(ControllerOptions{});
  EXPECT_ERROR(controller.decide(0), Status::invalid_state, "no run is active");
  EXPECT_ERROR(controller.begin_save(0), Status::invalid_state, "no run is active");
  controller.begin_run(100);
  const std::string before = controller.to_json();
  for (const double now : {nan, infinity, -infinity, -1.0, 99.0}) {
    EXPECT_ERROR(controller.decide(now), Status::invalid_argument, "now_seconds is");
    EXPECT_ERROR(controller.begin_save(now), Status::invalid_argument, "now_seconds is");
    EXPECT_ERROR(controller.record_failure(now), Status::invalid_argument, "now_seconds is");
    EXPECT_ERROR(controller.record_recovery(now, 1, 1), Status::invalid_argument, "now_seconds is");
    EXPECT_ERROR(controller.record_clean_exit(now), Status::invalid_argument, "now_seconds is");
    EXPECT_ERROR(controller.preemption_notice(now, 1), Status::invalid_argument, "now_seconds is");
  }
  EXPECT_ERROR(controller.commit_save(101, 1, 1), Status::invalid_state, "commit without begin");
  EXPECT_ERROR(controller.abort_save(101), Status::invalid_state, "abort without begin");
  EXPECT_ERROR(controller.record_recovery(101, nan, 1), Status::invalid_argument, "saved_seconds is nan");
  EXPECT_ERROR(controller.record_recovery(101, 1, -1), Status::invalid_argument, "overhead_seconds is -1");
  EXPECT_ERROR(controller.observe_task("a", infinity), Status::invalid_argument, "duration_seconds is inf");
  EXPECT_ERROR(controller.preemption_notice(101, -1), Status::invalid_argument, "left_seconds is -1");
  EXPECT_EQ(controller.to_json(), before);
  controller.begin_save(200);
  const std::string in_flight = controller.to_json();
  EXPECT_ERROR(controller.begin_save(201), Status::invalid_state, "a save is in flight");
  EXPECT_ERROR(controller.commit_save(201, nan, 1), Status::invalid_argument, "stall_seconds is nan");
  EXPECT_ERROR(controller.commit_save(201, 1, -2), Status::invalid_argument, "durable_seconds is -2");
  EXPECT_EQ(controller.to_json(), in_flight);
}

// Absurd times must leave the controller able to decide.
TEST(AdaptiveController, SurvivesAbsurdTimes) {
  for (std::int32_t policy = 0; policy <= static_cast<std::int32_t>(Policy::fixed); ++policy) {
    ControllerOptions options = fixed(500);
    options.policy = static_cast<Policy>(policy);
    options.mtbf_seconds = 1e300;
    Controller controller(options);
    controller.begin_run(0);
    double now = 0;
    for (const double gap : {1e-300, 1.0, 1e6, 1e18, 1e300, 1e307, 1e308}) {
      controller.begin_save(now);
      controller.commit_save(now, gap, gap);
      now += std::min(gap, 1e308 - now);
      controller.record_failure(now);
      controller.record_recovery(now, gap, gap);
      controller.observe_task("task", gap);
      const Decision decision = controller.decide(now);
      EXPECT_FALSE(std::isnan(decision.interval_seconds)) << policy << ", " << gap;
      EXPECT_FALSE(std::isnan(decision.risk)) << policy << ", " << gap;
    }
    double sum = 0;
    for (const double weight : controller.info().weights) sum += weight;
    EXPECT_NEAR(sum, 1, 1e-9);
  }
}

TEST(AdaptiveController, RefusesForeignAndDamagedJson) {
  Controller controller(ControllerOptions{});
  controller.begin_run(0);
  controller.observe_task("a", 1);
  save(controller, 600, 20);
  controller.record_failure(9000);
  const std::string good = controller.to_json();
  EXPECT_ERROR(controller.from_json(""), Status::corrupt, "not JSON");
  EXPECT_ERROR(controller.from_json("{\"format\":\"other\"}"), Status::corrupt, "format");
  EXPECT_ERROR(controller.from_json("[]"), Status::corrupt, "format");
  EXPECT_ERROR(controller.from_json("{}"), Status::corrupt, "format");
  std::string later = good;
  later.replace(later.find("\"version\":1"), 11, "\"version\":2");
  EXPECT_ERROR(controller.from_json(later), Status::unsupported, "version 2");
  // An expert with weight 0 could never regain weight, and all of the others' weights may vanish.
  std::string one_expert = good;
  const std::size_t weights = good.find("\"weights\":[") + 10;
  one_expert.replace(weights, good.find(']', weights) + 1 - weights, "[1,0,0,0,0,0,0,0]");
  EXPECT_ERROR(controller.from_json(one_expert), Status::corrupt, "a weight is 0");
  // Truncated at any point, or with any one number replaced, the JSON is refused or read without harm.
  for (std::size_t i = 0; i < good.size(); i += 7) {
    EXPECT_ERROR(controller.from_json(good.substr(0, i)), Status::corrupt, "");
  }
  int refused = 0;
  for (std::size_t i = 0; i < good.size(); ++i) {
    if (good[i] != ':' && good[i] != ',' && good[i] != '[') continue;
    for (const char* value : {"null", "-1", "\"x\"", "1e999", "{}", "0", "1e308", "5e-324", "9223372036854775807"}) {
      const std::size_t end = good.find_first_of(",]}", i + 1);
      std::string damaged = good;
      damaged.replace(i + 1, end - i - 1, value);
      Controller other(ControllerOptions{});
      try {
        other.from_json(damaged);
        other.resume(10000);
        EXPECT_TRUE(std::isfinite(other.decide(10000).interval_seconds));
        other.record_failure(1e9);
        EXPECT_TRUE(std::isfinite(other.decide(1e9).due_seconds));
        EXPECT_TRUE(std::isfinite(other.info().mtbf_seconds));
        EXPECT_NO_THROW(Controller(ControllerOptions{}).from_json(other.to_json())) << damaged;  // its state is consistent
      } catch (const base::Error& error) {
        EXPECT_EQ(error.status(), Status::corrupt) << error.what();
        ++refused;
      }
    }
  }
  EXPECT_GT(refused, 200);
  EXPECT_EQ(controller.to_json(), good);
}

TEST(AdaptiveController, RefusesBadOptions) {
  const auto refuses = [](const char* text, auto change) {
    ControllerOptions options;
    change(options);
    EXPECT_ERROR(Controller(options).info(), Status::invalid_argument, text);
  };
  refuses("policy is 8", [](auto& o) { o.policy = static_cast<Policy>(8); });
  refuses("mtbf_seconds is 0", [](auto& o) { o.policy = Policy::daly; });
  refuses("interval_seconds is 0", [](auto& o) { o.policy = Policy::fixed; });
  refuses("keep is 0", [](auto& o) { o.keep = 0; });
  refuses("keep is nan", [](auto& o) { o.keep = std::nan(""); });
  refuses("poll_seconds is -1", [](auto& o) { o.poll_seconds = -1; });
  refuses("initial_cost_seconds is inf", [](auto& o) { o.initial_cost_seconds = unlimited; });
  refuses("min_interval_seconds is 5", [](auto& o) {
    o.min_interval_seconds = 5;
    o.max_interval_seconds = 4;
  });
  refuses("max_overhead_share is 0", [](auto& o) { o.max_overhead_share = 0; });
  refuses("budget_saves is -1", [](auto& o) { o.budget_saves = -1; });
  refuses("budget_window_seconds is 0", [](auto& o) { o.budget_window_seconds = 0; });
  refuses("learning_rate is 2", [](auto& o) { o.threshold_options.learning_rate = 2; });
}

// Rank 0's decision reaches the other ranks; their own clocks and runs do not count.
class OneOfTwo final : public state::Coordinator {
 public:
  using Wire = std::deque<std::vector<std::byte>>;  // messages that rank 0 has sent and rank 1 has not received
  OneOfTwo(std::int64_t rank, Wire& wire) : rank_(rank), wire_(wire) {}
  std::int64_t rank() const noexcept override { return rank_; }
  std::int64_t world_size() const noexcept override { return 2; }
  void barrier(Timeout) override {}
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout) override {
    ASSERT_EQ(root, 0);
    if (rank_ == 0) {
      wire_.emplace_back(bytes.begin(), bytes.end());
    } else {
      receive(bytes);
    }
  }
  // Rank 0 receives zeros from rank 1, which has not called yet.
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout) override {
    ASSERT_EQ(received.size(), 2 * sent.size());
    std::ranges::fill(received, std::byte{0});
    if (rank_ == 0) {
      wire_.emplace_back(sent.begin(), sent.end());
      std::ranges::copy(sent, received.begin());
    } else {
      receive(received.first(sent.size()));
    }
  }

 private:
  void receive(std::span<std::byte> bytes) {
    ASSERT_FALSE(wire_.empty());
    ASSERT_EQ(wire_.front().size(), bytes.size());
    std::ranges::copy(wire_.front(), bytes.begin());
    wire_.pop_front();
  }

  std::int64_t rank_;
  Wire& wire_;
};

TEST(AdaptiveController, RankZeroDecidesForAll) {
  OneOfTwo::Wire wire;
  OneOfTwo zero(0, wire);
  OneOfTwo one(1, wire);
  Controller first(ControllerOptions{});
  Controller second(ControllerOptions{});
  first.begin_run(0);
  const Decision decision = first.decide_all(zero, 700, std::chrono::seconds(1));
  EXPECT_TRUE(decision.checkpoint);
  const Decision same = second.decide_all(one, 3, std::chrono::seconds(1));
  EXPECT_TRUE(same.checkpoint);
  EXPECT_EQ(same.reason, decision.reason);
  EXPECT_EQ(same.due_seconds, decision.due_seconds);
  EXPECT_ERROR(first.decide_all(zero, -1, std::chrono::seconds(1)), Status::invalid_argument, "rank 0: now_seconds is -1");
}

TEST(AdaptiveController, QueriesAndEventsMayComeFromSeveralThreads) {
  Controller controller(ControllerOptions{});
  controller.begin_run(0);
  std::thread saver([&] {
    for (int i = 0; i < 200; ++i) {
      controller.begin_save(1);
      controller.commit_save(1, 30, 30);
    }
  });
  int answers = 0;
  for (int i = 0; i < 2000; ++i) answers += controller.decide(1).interval_seconds > 0 ? 1 : 0;
  saver.join();
  EXPECT_EQ(answers, 2000);
  EXPECT_EQ(controller.info().saves, 200);
}

}  // namespace
}  // namespace ckpt::adaptive
