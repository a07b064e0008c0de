// Tests the coordinator used by the tests of many ranks.
#include "thread_ranks.h"

#include <gtest/gtest.h>

#include <array>

namespace {

using ckpt::base::Status;
using namespace ckpt::tests;
using std::chrono::hours;
using std::chrono::milliseconds;

std::span<std::byte> bytes_of(std::int32_t& number) { return std::as_writable_bytes(std::span(&number, 1)); }

TEST(StateThreadRanks, SupportEveryOperation) {
  const auto all = std::make_shared<ThreadRanks>(3);
  expect_no_errors(all->run([&](std::int64_t rank) {
    const auto coordinator = all->coordinator(rank);
    EXPECT_EQ(coordinator->rank(), rank);
    EXPECT_EQ(coordinator->world_size(), 3);
    std::int32_t number = static_cast<std::int32_t>(rank) + 5;
    std::array<std::int32_t, 3> together{};
    coordinator->all_gather(bytes_of(number), std::as_writable_bytes(std::span(together)), hours(1));
    EXPECT_EQ(together, (std::array<std::int32_t, 3>{5, 6, 7}));
    together = {};
    coordinator->gather(bytes_of(number), rank == 1 ? std::as_writable_bytes(std::span(together)) : std::span<std::byte>(), 1,
                        hours(1));
    EXPECT_EQ(together, rank == 1 ? (std::array<std::int32_t, 3>{5, 6, 7}) : (std::array<std::int32_t, 3>{}));
    coordinator->broadcast(bytes_of(number), 2, hours(1));
    EXPECT_EQ(number, 7);
    coordinator->barrier(hours(1));
  }));
  EXPECT_EQ(all->operations(), 4);
  EXPECT_EQ(all->broadcast_bytes(), 4);
}

TEST(StateThreadRanks, TheOthersTimeOutOnAnAbsentRank) {
  const auto all = std::make_shared<ThreadRanks>(3);
  const auto errors = all->run([&](std::int64_t rank) { all->coordinator(rank)->barrier(milliseconds(20)); }, {1});
  EXPECT_FALSE(errors[1].has_value());
  EXPECT_EQ(errors[0].value().status(), Status::timeout);
  EXPECT_EQ(errors[2].value().status(), Status::timeout);
}

}  // namespace
