// Orders of tasks, the schedule of a stage's complete step and its verification, splits, and timelines.
#include "pipeline/stage_schedule.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/error.h"
#include "pipeline/link.h"
#include "pipeline/pipeline.h"
#include "pipeline/split.h"
#include "plan/verifier.h"

namespace ckpt::pipeline::test {
namespace {

using plan::Action;
using plan::ChainProfile;
using plan::Item;
using plan::Kind;

std::string text_of(const std::vector<Task>& tasks) {
  std::string text;
  for (const Task& task : tasks)
    text += base::cat(text.empty() ? "" : " ", task.forward ? 'F' : 'B', task.micro_batch,
                      task.chunk > 0 ? std::string(static_cast<std::size_t>(task.chunk), '\'') : "");
  return text;
}

TEST(Order, TasksOfEachSchedule) {
  EXPECT_EQ(text_of(tasks_of({Order::gpipe, 2, 1, 3}, 0)), "F0 F1 F2 B0 B1 B2");
  EXPECT_EQ(text_of(tasks_of({Order::one_f_one_b, 3, 1, 4}, 0)), "F0 F1 F2 B0 F3 B1 B2 B3");
  EXPECT_EQ(text_of(tasks_of({Order::one_f_one_b, 3, 1, 4}, 2)), "F0 B0 F1 B1 F2 B2 F3 B3");
  EXPECT_EQ(text_of(tasks_of({Order::one_f_one_b, 4, 1, 2}, 0)), "F0 F1 B0 B1");
  EXPECT_EQ(text_of(tasks_of({Order::interleaved, 2, 2, 2}, 1)), "F0 F1 F0' B0' F1' B1' B0 B1");
}

TEST(Order, InFlightIsStagesLessStageUnder1F1BAndAllUnderGPipe) {
  for (std::int32_t stage = 0; stage < 4; ++stage) {
    EXPECT_EQ(in_flight({Order::one_f_one_b, 4, 1, 8}, stage), 4 - stage);
    EXPECT_EQ(in_flight({Order::one_f_one_b, 4, 1, 2}, stage), std::min(2, 4 - stage));
    EXPECT_EQ(in_flight({Order::gpipe, 4, 1, 8}, stage), 8);
  }
}

TEST(Order, EveryOrderCompletesAndKeepsGradientsInOrder) {
  for (std::int32_t stages = 1; stages <= 6; ++stages) {
    for (std::int32_t micro_batches = 1; micro_batches <= 12; ++micro_batches) {
      for (std::int32_t chunks = 1; chunks <= 4; ++chunks) {
        for (const Order order : {Order::gpipe, Order::one_f_one_b, Order::interleaved}) {
          const Layout layout{order, stages, chunks, micro_batches};
          if (order != Order::interleaved && chunks > 1) continue;
          if (order == Order::interleaved && micro_batches % stages != 0) continue;
          EXPECT_TRUE(is_deadlock_free(layout, enough_queue_places(layout)));
          for (std::int32_t stage = 0; stage < stages; ++stage) {
            std::vector<std::int32_t> next_forward(static_cast<std::size_t>(chunks), 0);
            std::vector<std::int32_t> next_backward(static_cast<std::size_t>(chunks), 0);
            for (const Task& task : tasks_of(layout, stage)) {
              auto& next = task.forward ? next_forward : next_backward;
              EXPECT_EQ(task.micro_batch, next[static_cast<std::size_t>(task.chunk)]++);
            }
            for (const std::int32_t count : next_backward) EXPECT_EQ(count, micro_batches);
          }
        }
      }
    }
  }
}

TEST(Order, TooFewQueueEntriesAreDetectedInAdvance) {
  EXPECT_FALSE(is_deadlock_free({Order::interleaved, 4, 3, 8}, 0));
  EXPECT_TRUE(is_deadlock_free({Order::one_f_one_b, 4, 1, 8}, 4));
}

// n layers: outputs of 1000 bytes, tapes of 100, workspaces of 50 forward and 70 backward.
ChainProfile uniform(std::int64_t layers, double seconds = 1) {
  ChainProfile profile(1000);
  for (std::int64_t i = 0; i < layers; ++i) {
    plan::LayerProfile layer;
    layer.name = base::cat("layer", i);
    layer.output_bytes = 1000;
    layer.output = strategy::Activation(std::int64_t{1000});
    layer.options.push_back({100, 50, 70, seconds, 2 * seconds});
    profile.add_layer(layer);
  }
  return profile;
}

ChunkPlan store_all_chunk(std::int64_t layers) {
  const auto profile = std::make_shared<ChainProfile>(uniform(layers));
  return {profile, plan::make_store_all(*profile)};
}

std::vector<Decision> all_kept(std::int32_t micro_batches) {
  return std::vector<Decision>(static_cast<std::size_t>(micro_batches));
}

std::vector<Action> actions_of(const plan::Schedule& schedule) {
  plan::Cursor cursor(std::shared_ptr<const plan::Schedule>(std::shared_ptr<void>(), &schedule));
  std::vector<Action> actions;
  do {
    actions.push_back(cursor.next());
  } while (actions.back().kind != Kind::end);
  return actions;
}

// Peak of the stage = bytes kept by k-1 micro-batches after their forward + the peak of one.
TEST(StageSchedule, ThePeakIsTheKeptBytesOfTheOthersPlusThePeakOfOne) {
  for (const Order order : {Order::gpipe, Order::one_f_one_b}) {
    for (std::int32_t stage = 0; stage < 3; ++stage) {
      const Layout layout{order, 4, 1, 8};
      const std::vector<ChunkPlan> chunks = {store_all_chunk(5)};
      const auto peak_of = [&](std::int32_t micro_batches) {
        const Layout shorter{order, 4, 1, micro_batches};
        return plan::verify(*make_stage_schedule(shorter, stage, chunks, all_kept(micro_batches)), *chunks[0].profile)
            .peak_bytes[0];
      };
      const std::int64_t kept = held_bytes(chunks) + 1000;  // tapes and outputs between, and the input
      EXPECT_EQ(held_bytes(chunks), 5 * 100 + 4 * 1000);
      EXPECT_EQ(peak_of(8), (in_flight(layout, stage) - 1) * kept + peak_of(1)) << "stage " << stage;
    }
  }
}

TEST(StageSchedule, OneMicroBatchThroughAMiddleStage) {
  const std::vector<ChunkPlan> chunks = {store_all_chunk(1)};
  const Layout layout{Order::one_f_one_b, 3, 1, 1};
  std::string text;
  for (const Action& action : actions_of(*make_stage_schedule(layout, 1, chunks, all_kept(1)))) {
    text += base::cat(plan::kind_name(action.kind), action.item == Item::none ? "" : plan::item_text(action.item, action.first, 0),
                      " ");
  }
  EXPECT_EQ(
      text,
      "RECEIVEINPUT(0) FORWARD_TAPE SENDINPUT(1) DROPINPUT(1) RECEIVEGRAD(1) BACKWARD DROPINPUT(0) SENDGRAD(0) DROPGRAD(0) END ");
}

TEST(StageSchedule, DroppedActivationsAreRecomputedFromTheInput) {
  const std::vector<ChunkPlan> chunks = {store_all_chunk(3)};
  const Layout layout{Order::gpipe, 2, 1, 4};
  std::vector<Decision> decisions = all_kept(4);
  decisions[1].kept = decisions[2].kept = false;
  const auto schedule = make_stage_schedule(layout, 0, chunks, decisions);
  const plan::PlanReport report = plan::verify(*schedule, *chunks[0].profile);
  EXPECT_EQ(report.recomputed_forwards, 2 * 3);
  EXPECT_LT(report.peak_bytes[0],
            plan::verify(*make_stage_schedule(layout, 0, chunks, all_kept(4)), *chunks[0].profile).peak_bytes[0]);
}

// The last stage need not run forward twice, since no stage waits for its output.
TEST(StageSchedule, TheLastStageRecomputesNothing) {
  const std::vector<ChunkPlan> chunks = {store_all_chunk(3)};
  for (const Order order : {Order::gpipe, Order::one_f_one_b}) {
    std::vector<Decision> decisions = all_kept(4);
    for (Decision& decision : decisions) decision.kept = false;
    const auto schedule = make_stage_schedule({order, 2, 1, 4}, 1, chunks, decisions);
    EXPECT_EQ(plan::verify(*schedule, *chunks[0].profile).recomputed_forwards, 0);
  }
}

TEST(StageSchedule, AMemoryBasedPolicyDropsTapesOnTheWay) {
  const std::vector<ChunkPlan> chunks = {store_all_chunk(3)};
  const Layout layout{Order::gpipe, 2, 1, 6};
  Ledger ledger({.kind = Policy::Kind::memory_based, .threshold_bytes = 3 * held_bytes(chunks)});
  ledger.begin_step(6);
  const auto decisions = decide(layout, 0, held_bytes(chunks), ledger, [](std::int64_t) { return false; });
  for (const Decision& decision : decisions) EXPECT_TRUE(decision.kept);
  EXPECT_EQ(decisions[3].dropped, std::vector<std::int64_t>{1});
  EXPECT_EQ(decisions[5].dropped, std::vector<std::int64_t>{3});
  const plan::PlanReport report = plan::verify(*make_stage_schedule(layout, 0, chunks, decisions), *chunks[0].profile);
  EXPECT_EQ(report.recomputed_forwards, 3 * 3) << "1, 2 and 3 went for 3, 4 and 5";
}

// Plans with slower tiers get separate slots and transfers for every micro-batch.
TEST(StageSchedule, SlowerTiersOfSeveralMicroBatchesAreSeparate) {
  const auto profile = std::make_shared<ChainProfile>(uniform(2));
  const auto moved = [](Kind kind) {
    return Action{.kind = kind, .first = 1, .item = Item::input, .tier = 1, .slot = 0, .transfer = 5};
  };
  const Action await{.kind = Kind::await, .transfer = 5};
  const std::vector<Action> actions = {plan::forward_tape(0),
                                       plan::forward_tape(1),
                                       moved(Kind::store_begin),
                                       plan::drop_input(1),
                                       await,
                                       plan::turn(),
                                       plan::drop_input(2),
                                       moved(Kind::load_begin),
                                       await,
                                       {.kind = Kind::drop, .tier = 1},
                                       plan::backward(1),
                                       plan::drop_input(1),
                                       plan::backward(0),
                                       plan::drop_input(0),
                                       plan::end()};
  const std::vector<ChunkPlan> chunks = {{profile, plan::make_list(2, actions)}};
  const Layout layout{Order::gpipe, 2, 1, 4};
  std::vector<Decision> decisions = all_kept(4);
  decisions[2].dropped = {1};
  for (const std::int32_t stage : {0, 1}) {
    const plan::PlanReport report = plan::verify(*make_stage_schedule(layout, stage, chunks, decisions), *profile);
    EXPECT_EQ(report.peak_bytes[1], 3000);
  }
}

TEST(StageSchedule, TheWalkRefusesInvalidSteps) {
  const std::vector<ChunkPlan> chunks = {store_all_chunk(1), store_all_chunk(1)};
  const ChainProfile profile = joined_profile(chunks);
  const Layout layout{Order::interleaved, 2, 2, 2};
  const auto schedule = make_stage_schedule(layout, 0, chunks, all_kept(2));
  EXPECT_NO_THROW(plan::verify(*schedule, profile));
  const std::vector<Action> good = actions_of(*schedule);
  const auto complaint = [&](const std::vector<Action>& actions) -> std::string {
    try {
      plan::verify(*plan::make_stage_list("test", profile.layers(), actions, schedule->role()), profile);
    } catch (const base::Error& error) {
      EXPECT_EQ(error.status(), base::Status::invalid_schedule);
      return error.message();
    }
    return "";
  };
  for (std::size_t i = 0; i + 1 < good.size(); ++i) {
    std::vector<Action> without = good;
    without.erase(without.begin() + static_cast<std::ptrdiff_t>(i));
    const bool may_stay = good[i].kind == Kind::drop && good[i].item == Item::grad && good[i].first == 0;
    if (may_stay) continue;  // GRAD(0) may remain at the end of a step
    EXPECT_NE(complaint(without), "") << "without action " << i;
    std::vector<Action> twice = good;
    twice.insert(twice.begin() + static_cast<std::ptrdiff_t>(i), good[i]);
    EXPECT_NE(complaint(twice), "") << "with action " << i << " twice";
  }
  const Action receive{.kind = Kind::receive, .item = Item::input};
  Action other = receive;
  other.micro_batch = 2;
  EXPECT_EQ(complaint({other, plan::end()}), "action 0 (RECEIVE): micro_batch is 2; expected less than 2");
  EXPECT_EQ(complaint({plan::forward(0, 1), plan::end()}), "action 0 (FORWARD): micro-batch 0 was not received");
  EXPECT_EQ(complaint({receive, plan::forward(0, 2), plan::end()}),
            "action 1 (FORWARD): layers [0, 2) are not within one chunk of the stage");
  other = {.kind = Kind::send, .first = 0, .item = Item::grad};
  EXPECT_EQ(complaint({receive, other, plan::end()}),
            "action 1 (SEND): GRAD(0) is at the end of the pipeline: no stage is adjacent there");
  other = {.kind = Kind::send, .first = 2, .item = Item::grad};
  EXPECT_EQ(complaint({receive, other, plan::end()}), "action 1 (SEND): GRAD(2) does not exist");
  EXPECT_EQ(complaint({receive, plan::turn(), plan::end()}), "action 1 (TURN): only the last stage may turn");
}

// ---- Split ----

TEST(Split, BalancesTime) {
  ChainProfile profile(10);
  for (const double seconds : {1.0, 1.0, 1.0, 1.0, 4.0, 2.0, 2.0}) {
    plan::LayerProfile layer;
    layer.name = base::cat("layer", profile.layers());
    layer.output_bytes = 10;
    layer.options.push_back({0, 0, 0, seconds / 2, seconds / 2});
    profile.add_layer(layer);
  }
  EXPECT_EQ(split(profile, {1, 1, 1}), (std::vector<std::int64_t>{0, 4, 5}));
  EXPECT_EQ(split(profile, {1}), std::vector<std::int64_t>{0});
  EXPECT_EQ(split(profile, {1, 1, 1, 1, 1, 1, 1}), (std::vector<std::int64_t>{0, 1, 2, 3, 4, 5, 6}));
}

TEST(Split, WithoutSecondsMemoryTimesInFlightIsBalanced) {
  EXPECT_EQ(split(uniform(12, 0), {1, 1}), (std::vector<std::int64_t>{0, 6}));
  EXPECT_EQ(split(uniform(12, 0), {2, 1}), (std::vector<std::int64_t>{0, 4}));
  EXPECT_EQ(split(uniform(11, 0), {4, 3, 2, 1}).back(), 6) << "the last stage holds one micro-batch and takes most layers";
}

TEST(Split, MemoryDecidesAmongEqualTimes) {
  ChainProfile profile(10);
  for (const std::int64_t bytes : {10, 10, 1000, 10, 10}) {
    plan::LayerProfile layer;
    layer.name = base::cat("layer", profile.layers());
    layer.output_bytes = bytes;
    layer.options.push_back({0, 0, 0, bytes == 1000 ? 0.001 : 1.0, 0});
    profile.add_layer(layer);
  }
  EXPECT_EQ(split(profile, {2, 1}), (std::vector<std::int64_t>{0, 2})) << "the large layer goes where one micro-batch is in flight";
  EXPECT_EQ(split(profile, {1, 2}), (std::vector<std::int64_t>{0, 3}));
}

TEST(Split, RefusesMorePiecesThanLayers) { EXPECT_THROW(split(uniform(2), {1, 1, 1}), base::Error); }

// ---- Links ----

TEST(Link, HandsOverInOrderAndCountsItemsInFlight) {
  const auto tracker = std::make_shared<memory::Tracker>();
  const std::atomic<bool> stop{false};
  Link link(3, sizeof(int), tracker, tracker->layer("queue"));
  constexpr int count = 2000;
  std::thread sender([&] {
    for (int i = 0; i < count; ++i) link.send(i, &i, stop);
  });
  for (int i = 0; i < count; ++i) {
    int got = -1;
    link.receive(i, &got, stop);
    ASSERT_EQ(got, i);
  }
  sender.join();
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  EXPECT_LE(tracker->stats().peak_bytes, 12);
}

TEST(Link, StopWakesBothEndsAndDrainingEmpties) {
  const auto tracker = std::make_shared<memory::Tracker>();
  std::atomic<bool> stop{false};
  Link link(1, sizeof(int), tracker, tracker->layer("queue"));
  Link other(1, sizeof(int), tracker, tracker->layer("queue"));
  int value = 3;
  link.send(0, &value, stop);
  std::thread sender([&] { EXPECT_THROW(link.send(1, &value, stop), Stopped); });
  std::thread receiver([&] {
    int got = 0;
    EXPECT_THROW(other.receive(0, &got, stop), Stopped);
  });
  stop = true;
  link.wake();
  other.wake();
  sender.join();
  receiver.join();
  EXPECT_EQ(tracker->stats().current_bytes, 4);
  link.drain();
  EXPECT_EQ(tracker->stats().current_bytes, 0);
  stop = false;
  link.send(5, &value, stop);
  int got = 0;
  EXPECT_THROW(link.receive(6, &got, stop), base::Error) << "another micro-batch is due";
}

// ---- Timelines ----

TEST(Timeline, IsTraceEvents) {
  const Timeline timeline{2,
                          4000000,
                          {{Interval::Kind::forward, 0, 0, 3, 0, 1000500},
                           {Interval::Kind::wait, 1, 0, 3, 0, 2000000},
                           {Interval::Kind::backward, 1, 1, 3, 2000000, 4000000}}};
  EXPECT_DOUBLE_EQ(timeline.bubble_fraction(), 1 - 3000500.0 / 8000000.0);
  const nlohmann::json trace = nlohmann::json::parse(trace_json(timeline));
  const nlohmann::json& events = trace.at("traceEvents");
  ASSERT_EQ(events.size(), 2U + 3U + 1U);
  EXPECT_EQ(events[2].at("name"), "F3");
  EXPECT_EQ(events[2].at("ph"), "X");
  EXPECT_DOUBLE_EQ(events[2].at("dur").get<double>(), 1000.5);
  EXPECT_EQ(events[4].at("args").at("chunk"), 1);
}

}  // namespace
}  // namespace ckpt::pipeline::test
