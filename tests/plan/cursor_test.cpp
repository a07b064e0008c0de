#include <gtest/gtest.h>

#include <bit>

#include "base/error.h"
#include "chains.h"

namespace ckpt::plan::test {
namespace {

TEST(Cursor, EndRepeats) {
  Cursor cursor(make_store_all(uniform_chain(1)));
  Action action = cursor.next();
  while (action.kind != Kind::end) action = cursor.next();
  EXPECT_EQ(cursor.next().kind, Kind::end);
  EXPECT_EQ(cursor.next().kind, Kind::end);
}

TEST(Cursor, NextManyEqualsNext) {
  const auto schedule = make_periodic(uniform_chain(9), 3);
  const std::vector<Action> expected = actions_of(schedule);
  for (const std::size_t capacity : {1U, 2U, 5U, 1000U}) {
    Cursor cursor(schedule);
    std::vector<Action> got;
    std::vector<Action> chunk(capacity);
    for (std::int64_t count = cursor.next_many(chunk); count > 0; count = cursor.next_many(chunk)) {
      got.insert(got.end(), chunk.begin(), chunk.begin() + count);
    }
    EXPECT_EQ(got, expected) << "capacity " << capacity;
  }
}

TEST(Cursor, ContinuesIdenticallyFromAnySavedPosition) {
  const ChainProfile profile = uniform_chain(7);
  for (const auto& schedule : schedules_of(profile)) {
    const std::vector<Action> expected = actions_of(schedule);
    for (std::size_t place = 0; place <= expected.size(); ++place) {
      Cursor first(schedule);
      for (std::size_t i = 0; i < place; ++i) first.next();
      Cursor second(schedule);
      second.restore(first.save());
      for (std::size_t i = place; i < expected.size(); ++i)
        EXPECT_EQ(second.next(), expected[i]) << schedule->name() << " at " << i;
      EXPECT_EQ(second.next().kind, Kind::end);
    }
  }
}

TEST(Cursor, OpenEndedIsSavedBeforeAndAfterFinalize) {
  const auto schedule = make_open_ended(3, needs_input | deterministic);
  Cursor cursor(schedule);
  std::vector<Action> actions;
  for (int i = 0; i < 4; ++i) actions.push_back(cursor.next());
  Cursor other(schedule);
  other.restore(cursor.save());
  cursor.finalize(8);
  other.finalize(8);
  Cursor third(schedule);
  third.restore(cursor.save());
  for (;;) {
    const Action action = cursor.next();
    EXPECT_EQ(other.next(), action);
    EXPECT_EQ(third.next(), action);
    if (action.kind == Kind::end) break;
  }
}

TEST(Cursor, FinalizeNeedsARemainingStepAndWorksOnce) {
  Cursor open(make_open_ended(1, needs_input | deterministic));
  for (int i = 0; i < 5; ++i) open.next();
  EXPECT_THROW(open.finalize(4), base::Error);
  EXPECT_THROW(open.finalize(0), base::Error);
  open.finalize(5);
  EXPECT_EQ(open.next().kind, Kind::turn);
  EXPECT_THROW(open.finalize(6), base::Error);
  Cursor fixed(make_store_all(uniform_chain(2)));
  EXPECT_THROW(fixed.finalize(2), base::Error);
}

TEST(Cursor, FinalizeCountsAPartiallyReturnedStep) {
  // Period 2: step 1 is FORWARD and DROP; only its FORWARD has been returned.
  Cursor cursor(make_open_ended(2, needs_input | deterministic));
  cursor.next();
  EXPECT_EQ(cursor.next(), forward(1, 2));
  EXPECT_THROW(cursor.finalize(1), base::Error);
  cursor.finalize(2);
  EXPECT_EQ(cursor.next(), drop_input(1));
  EXPECT_EQ(cursor.next().kind, Kind::turn);
}

TEST(Cursor, BillionsOfStepsTakeNoMemory) {
  Cursor cursor(make_open_ended(1000, needs_input | deterministic));
  cursor.finalize(std::int64_t{1} << 40);
  EXPECT_EQ(cursor.next(), forward(0, 1));
  EXPECT_EQ(cursor.save().size(), 72U);
}

// The bytes that version 0.2.0 saved, on a little-endian machine, after the given number of actions.
TEST(Cursor, PositionsSavedByAnEarlierVersionAreRestored) {
  if constexpr (std::endian::native != std::endian::little) GTEST_SKIP() << "SKIP: the saved bytes are little-endian";
  const auto bytes_of = [](const std::string& hex) {
    std::vector<std::byte> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
      bytes.push_back(static_cast<std::byte>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    return bytes;
  };
  const auto expect_at = [&](Cursor& cursor, const Cursor& saved, std::size_t place, const std::string& hex) {
    EXPECT_EQ(saved.save(), bytes_of(hex));
    cursor.restore(bytes_of(hex));
    EXPECT_EQ(cursor.save(), bytes_of(hex)) << "place " << place;
  };
  struct Saved {
    std::shared_ptr<const Schedule> schedule;
    std::size_t place;
    const char* hex;
  };
  const ChainProfile profile = uniform_chain(6);
  for (const Saved& saved : {
           Saved{make_periodic(profile, 2), 9,
                 "636b637572737231287861f2367668e4060000000000000003000000000000000100000000000000"
                 "0400000000000000000000000000000001000000000000004fa5b05275e991aa"},
           Saved{make_recompute_all(profile), 12,
                 "636b637572737231d1ce7f95e770c29e060000000000000000000000000000000300000000000000"
                 "00000000000000000000000000000000010000000000000079b66a1ae598c6ad"},
           Saved{make_store_all(profile), 20,
                 "636b637572737231075261d6d72e9812060000000000000003000000000000000000000000000000"
                 "000000000000000000000000000000000200000000000000"
                 "8bc3dacb227fa9c8"},
       }) {
    const std::vector<Action> expected = actions_of(saved.schedule);
    Cursor walked(saved.schedule);
    for (std::size_t i = 0; i < saved.place; ++i) walked.next();
    Cursor cursor(saved.schedule);
    expect_at(cursor, walked, saved.place, saved.hex);
    for (std::size_t i = saved.place; i < expected.size(); ++i) EXPECT_EQ(cursor.next(), expected[i]) << saved.schedule->name();
  }
  const auto open = make_open_ended(3, needs_input | deterministic);
  Cursor walked(open);
  for (int i = 0; i < 4; ++i) walked.next();
  Cursor cursor(open);
  expect_at(cursor, walked, 4,
            "636b6375727372312d252d8f7bb4c9feffffffffffffffff00000000000000000000000000000000"
            "02000000000000000000000000000000010000000000000074cbaf9d1be7178b");
  for (int i = 4; i < 9; ++i) walked.next();
  walked.finalize(7);
  expect_at(cursor, walked, 9,
            "636b6375727372312d252d8f7bb4c9fe070000000000000000000000000000000000000000000000"
            "05000000000000000000000000000000"
            "01000000000000005c1b999b4c3d0485");
}

TEST(Cursor, RestoreRefusesForeignAndDamagedBytes) {
  const auto schedule = make_periodic(uniform_chain(6), 2);
  Cursor cursor(schedule);
  cursor.next();
  const std::vector<std::byte> good = cursor.save();
  Cursor target(schedule);
  for (std::size_t bit = 0; bit < good.size() * 8; ++bit) {
    std::vector<std::byte> bad = good;
    bad[bit / 8] ^= std::byte{1} << (bit % 8);
    EXPECT_THROW(target.restore(bad), base::Error) << "bit " << bit;
  }
  for (std::size_t length = 0; length < good.size(); ++length) {
    EXPECT_THROW(target.restore(std::span(good).first(length)), base::Error) << "length " << length;
  }
  EXPECT_EQ(target.next(), forward(0, 3));  // nothing changed

  const std::int64_t begins[] = {0, 2};
  const std::int64_t others[] = {0, 3};
  Cursor one(make_segments(uniform_chain(6), begins));
  Cursor other(make_segments(uniform_chain(6), others));
  EXPECT_THROW(other.restore(one.save()), base::Error);
}

}  // namespace
}  // namespace ckpt::plan::test
