// One decision for several ranks, each a thread here: rank 0 decides, and the cost of a save is the longest stall of all ranks.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <cstring>
#include <functional>
#include <limits>
#include <memory>
#include <thread>
#include <vector>

#include "adaptive/controller.h"
#include "adaptive/intervals.h"
#include "expect_error.h"

namespace ckpt::adaptive {
namespace {

using base::Status;
using state::Coordinator;

// The collectives of the ranks, and counts of them.
struct Collectives {
  explicit Collectives(std::int64_t count) : ranks(count), barrier(count), sent(static_cast<std::size_t>(count)) {}

  const std::int64_t ranks;
  std::barrier<> barrier;
  std::vector<std::span<const std::byte>> sent;
  std::span<std::byte> broadcast;
  std::atomic<int> broadcasts = 0;  // counted on rank 0
  std::atomic<int> all_gathers = 0;
  std::atomic<int> gathers = 0;
  std::function<void(std::span<std::byte>)> spoil;  // changes the bytes that rank 0 gathers
};

class Rank : public Coordinator {
 public:
  Rank(Collectives& collectives, std::int64_t rank) : collectives_(collectives), rank_(rank) {}
  std::int64_t rank() const noexcept override { return rank_; }
  std::int64_t world_size() const noexcept override { return collectives_.ranks; }
  void barrier(Timeout) override { collectives_.barrier.arrive_and_wait(); }
  void broadcast(std::span<std::byte> bytes, std::int64_t root, Timeout) override {
    if (rank_ == 0) ++collectives_.broadcasts;
    if (rank_ == root) collectives_.broadcast = bytes;
    collectives_.barrier.arrive_and_wait();
    if (rank_ != root) std::ranges::copy(collectives_.broadcast, bytes.begin());
    collectives_.barrier.arrive_and_wait();
  }
  void all_gather(std::span<const std::byte> sent, std::span<std::byte> received, Timeout) override {
    if (rank_ == 0) ++collectives_.all_gathers;
    collectives_.sent[static_cast<std::size_t>(rank_)] = sent;
    collectives_.barrier.arrive_and_wait();
    for (const auto& of_rank : collectives_.sent) received = received.subspan(copied(of_rank, received));
    collectives_.barrier.arrive_and_wait();
  }

 protected:
  static std::size_t copied(std::span<const std::byte> from, std::span<std::byte> to) {
    std::memcpy(to.data(), from.data(), from.size());
    return from.size();
  }
  Collectives& collectives_;
  const std::int64_t rank_;
};

class GatheringRank final : public Rank {
 public:
  using Rank::Rank;
  void gather(std::span<const std::byte> sent, std::span<std::byte> received, std::int64_t root, Timeout) override {
    EXPECT_EQ(received.size(), rank_ == root ? sent.size() * collectives_.sent.size() : 0);
    if (rank_ == 0) ++collectives_.gathers;
    collectives_.sent[static_cast<std::size_t>(rank_)] = sent;
    collectives_.barrier.arrive_and_wait();
    if (rank_ == root) {
      std::span<std::byte> rest = received;
      for (const auto& of_rank : collectives_.sent) rest = rest.subspan(copied(of_rank, rest));
      if (collectives_.spoil) collectives_.spoil(received);
    }
    collectives_.barrier.arrive_and_wait();
  }
};

template <class Kind, class Body>
void run_ranks(Collectives& collectives, Body&& body) {
  std::vector<std::thread> threads;
  for (std::int64_t rank = 0; rank < collectives.ranks; ++rank) {
    threads.emplace_back([&, rank] {
      Kind coordinator(collectives, rank);
      body(rank, coordinator);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

constexpr std::chrono::seconds minute{60};
constexpr double mtbf = 86400;

ControllerOptions young() {
  ControllerOptions options;
  options.policy = Policy::young;
  options.mtbf_seconds = mtbf;
  return options;
}

void save(Controller& controller, double now, double stall) {
  controller.begin_save(now);
  controller.commit_save(now + stall, stall, stall);
}

template <class Kind>
void expect_longest_stall() {
  constexpr std::array stalls{10.0, 40.0, 20.0};
  Collectives collectives(3);
  run_ranks<Kind>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    const double own = stalls[static_cast<std::size_t>(rank)];
    Controller controller(young());
    controller.begin_run(0);
    save(controller, 100, own);
    const Decision decision = controller.decide_all(coordinator, 200, minute);
    EXPECT_EQ(decision.cost_seconds, 40) << rank;
    EXPECT_EQ(decision.interval_seconds, young_interval(40, mtbf)) << rank;
    EXPECT_EQ(controller.info().cost_seconds, rank == 0 ? 40 : own);
    EXPECT_EQ(controller.info().unjudged_overhead_seconds, rank == 0 ? 40 : own);
    Controller next(young());
    next.from_json(controller.to_json());
    EXPECT_EQ(next.info().cost_seconds, rank == 0 ? 40 : own);
  });
  EXPECT_EQ(collectives.gathers + collectives.all_gathers, 2);
}

TEST(AdaptiveRanks, ASaveCostsTheLongestStall) { expect_longest_stall<GatheringRank>(); }

TEST(AdaptiveRanks, ASaveCostsTheLongestStallWithAllGather) { expect_longest_stall<Rank>(); }

TEST(AdaptiveRanks, EachSaveHasItsOwnLongestStall) {
  Collectives collectives(2);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    Controller controller(young());
    controller.begin_run(0);
    save(controller, 100, rank == 0 ? 10 : 30);
    save(controller, 200, rank == 0 ? 20 : 5);
    EXPECT_EQ(controller.decide_all(coordinator, 300, minute).cost_seconds, 25) << rank;
    save(controller, 400, rank == 0 ? 40 : 70);
    EXPECT_EQ(controller.decide_all(coordinator, 500, minute).cost_seconds, 40) << rank;
  });
}

TEST(AdaptiveRanks, OnlyTheFirstCallAfterASaveGathers) {
  Collectives collectives(2);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    Controller controller(young());
    controller.begin_run(0);
    const auto expect_calls = [&](int broadcasts, int gathers) {
      controller.decide_all(coordinator, 5000, minute);
      if (rank == 0) {
        EXPECT_EQ(collectives.all_gathers.exchange(0), 1);
        EXPECT_EQ(collectives.broadcasts.exchange(0), broadcasts);
        EXPECT_EQ(collectives.gathers.exchange(0), gathers);
      }
      coordinator.barrier(minute);
    };
    expect_calls(0, 0);
    save(controller, 1000, 10);
    expect_calls(1, 1);
    expect_calls(0, 0);
    controller.begin_save(2000);
    controller.abort_save(2001);
    expect_calls(0, 0);
  });
}

TEST(AdaptiveRanks, ARankStillInTheSaveIsQueriedAgain) {
  Collectives collectives(3);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    Controller controller(young());
    controller.begin_run(0);
    const std::int64_t number = controller.begin_background_save(100);
    const auto end = [&](double stall) { controller.end_background_save(number, Controller::SaveCost{stall, 90}); };
    if (rank == 1) end(50);
    EXPECT_EQ(controller.decide_all(coordinator, 101, minute).reason, Reason::save_in_flight) << rank;
    if (rank == 0) end(20);
    EXPECT_EQ(controller.decide_all(coordinator, 102, minute).cost_seconds, 50) << rank;
    if (rank == 2) end(80);
    EXPECT_EQ(controller.decide_all(coordinator, 103, minute).cost_seconds, 80) << rank;
    controller.decide_all(coordinator, 104, minute);
    EXPECT_EQ(controller.info().saves, 1);
  });
  EXPECT_EQ(collectives.gathers, 2);  // none while rank 0 was in the save, none after all had left it
}

TEST(AdaptiveRanks, AControllerCreatedLaterCountsLikeRankZero) {
  Collectives collectives(2);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    auto controller = std::make_unique<Controller>(young());
    controller->begin_run(0);
    for (const double now : {100.0, 200.0}) {
      save(*controller, now, 10);
      EXPECT_EQ(controller->decide_all(coordinator, now + 50, minute).cost_seconds, 10) << rank;
    }
    if (rank == 1) {
      controller = std::make_unique<Controller>(young());
      controller->begin_run(250);
      save(*controller, 260, 500);  // rank 0 did not take part in this one
    }
    EXPECT_EQ(controller->decide_all(coordinator, 1000, minute).cost_seconds, 10) << rank;
    save(*controller, 1000, rank == 0 ? 10 : 40);
    EXPECT_EQ(controller->decide_all(coordinator, 1050, minute).cost_seconds, 20) << rank;
  });
}

TEST(AdaptiveRanks, RanksThatRecordNoSavesChangeNothing) {
  Collectives collectives(2);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    Controller controller(young());
    if (rank == 0) {
      controller.begin_run(0);
      save(controller, 100, 30);
    }
    EXPECT_EQ(controller.decide_all(coordinator, 200, minute).cost_seconds, 30) << rank;
    EXPECT_EQ(controller.decide_all(coordinator, 200, minute).cost_seconds, 30) << rank;
  });
  EXPECT_EQ(collectives.gathers, 1);
}

TEST(AdaptiveRanks, NoRankWaitsIfRankZeroFails) {
  Collectives collectives(2);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t, Coordinator& coordinator) {
    Controller controller(young());
    controller.begin_run(0);
    save(controller, 100, 30);
    EXPECT_ERROR(controller.decide_all(coordinator, 5, minute), Status::invalid_argument, "rank 0: ");
    EXPECT_ERROR(controller.decide_all(coordinator, 5, minute), Status::invalid_argument, "the previous time");
  });
  EXPECT_EQ(collectives.gathers, 0);
}

TEST(AdaptiveRanks, WrongArgumentsOfOneRankFailAll) {
  Collectives collectives(3);
  run_ranks<GatheringRank>(collectives, [&](std::int64_t rank, Coordinator& coordinator) {
    Controller controller(young());
    controller.begin_run(0);
    EXPECT_ERROR(Controller::decide_all(coordinator, minute,
                                        [&] {
                                          if (rank == 2) base::fail(Status::unsupported, "decision.struct_size is 7");
                                          return Controller::DecideArguments{&controller, 100};
                                        }),
                 Status::unsupported, "rank 2: decision.struct_size is 7");
    EXPECT_TRUE(controller.decide_all(coordinator, 100, minute).due_seconds > 0);
  });
  EXPECT_EQ(collectives.gathers, 0);
}

TEST(AdaptiveRanks, InvalidStallsAreRefusedOnAllRanks) {
  for (const double stall : {-1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    Collectives collectives(2);
    collectives.spoil = [&](std::span<std::byte> received) {
      std::memcpy(received.data() + received.size() - sizeof stall, &stall, sizeof stall);
    };
    run_ranks<GatheringRank>(collectives, [&](std::int64_t, Coordinator& coordinator) {
      Controller controller(young());
      controller.begin_run(0);
      save(controller, 100, 30);
      EXPECT_ERROR(controller.decide_all(coordinator, 200, minute), Status::corrupt, "rank 0: gathered data: expected stalls");
      EXPECT_EQ(controller.info().cost_seconds, 30);
    });
  }
}

}  // namespace
}  // namespace ckpt::adaptive
