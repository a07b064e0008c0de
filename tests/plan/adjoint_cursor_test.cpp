// Cursors of the planners for adjoint codes: their state is more than a position, but a position is enough to restore it.
#include <gtest/gtest.h>

#include <set>

#include "adjoint.h"
#include "base/error.h"
#include "plan/planners.h"

namespace ckpt::plan::test {
namespace {

std::vector<std::shared_ptr<const Schedule>> adjoint_schedules(std::int64_t steps) {
  ChainProfile profile = time_steps(steps, deterministic);
  profile.set_tier(1, {.write_bytes_per_second = 5, .read_bytes_per_second = 5});
  profile.set_tier(2, {.write_bytes_per_second = 2, .read_bytes_per_second = 3});
  std::vector<std::shared_ptr<const Schedule>> all;
  for (const char* planner :
       {"revolve:1", "revolve:2", "revolve:3,free", "revolve:100", "mixed:1", "mixed:2", "mixed:5", "two-level:1", "two-level:1,1",
        "two-level:2,3", "three-level:1,2,2", "three-level:1,1", "four-level:1,1,1,1"}) {
    all.push_back(make_by_text(profile, planner));
  }
  return all;
}

TEST(AdjointCursor, ContinuesIdenticallyFromAnySavedPosition) {
  for (std::int64_t steps = 1; steps <= 12; ++steps) {
    for (const auto& schedule : adjoint_schedules(steps)) {
      SCOPED_TRACE(schedule->name() + ", " + std::to_string(steps) + " steps");
      const std::vector<Action> expected = actions_of(schedule);
      Cursor walking(schedule);
      for (std::size_t place = 0; place <= expected.size(); ++place) {
        Cursor restored(schedule);
        restored.restore(walking.save());
        EXPECT_EQ(restored.save(), walking.save());
        for (std::size_t i = place; i < expected.size(); ++i)
          ASSERT_EQ(restored.next(), expected[i]) << "action " << i << " from " << place;
        EXPECT_EQ(restored.next().kind, Kind::end);
        walking.next();
      }
    }
  }
}

TEST(AdjointCursor, NextManyEqualsNext) {
  for (const auto& schedule : adjoint_schedules(40)) {
    const std::vector<Action> expected = actions_of(schedule);
    for (const std::size_t capacity : {1U, 3U, 7U, 5000U}) {
      Cursor cursor(schedule);
      std::vector<Action> got;
      std::vector<Action> chunk(capacity);
      for (std::int64_t count = cursor.next_many(chunk); count > 0; count = cursor.next_many(chunk)) {
        got.insert(got.end(), chunk.begin(), chunk.begin() + count);
      }
      EXPECT_EQ(got, expected) << schedule->name() << ", capacity " << capacity;
    }
  }
}

TEST(AdjointCursor, OnlyPositionsOfTheScheduleAreFound) {
  constexpr std::int64_t steps = 9;
  for (const auto& schedule : adjoint_schedules(steps)) {
    SCOPED_TRACE(schedule->name());
    std::set<Position> visited;
    const auto stream = schedule->source().open(steps);
    for (ActionGroup group; group.size() == 0 || group[group.size() - 1].kind != Kind::end;) {
      visited.insert(stream->position());
      group.clear();
      stream->next(group);
    }
    std::size_t found = 0;
    for (std::int64_t a = -1; a <= steps + 2; ++a) {
      for (std::int64_t b = -1; b <= steps + 2; ++b) {
        for (std::int64_t c = -1; c <= steps; ++c) {
          for (std::int64_t d = -1; d <= steps + 1; ++d) {
            const Position position{a, b, c, d};
            const auto other = schedule->source().open(steps);
            const bool is_place = other->seek(position);
            EXPECT_EQ(is_place, visited.contains(position)) << a << " " << b << " " << c << " " << d;
            found += is_place ? 1 : 0;
          }
        }
      }
    }
    EXPECT_EQ(found, visited.size());
  }
}

TEST(AdjointCursor, DistantPositionsOfLongChainsAreFoundQuickly) {
  constexpr std::int64_t billion = 1'000'000'000;
  for (const char* planner : {"revolve:1", "revolve:2", "revolve:3", "revolve:10", "revolve:100"}) {
    const auto schedule = make_by_text(time_steps(billion), planner);
    Cursor cursor(schedule);
    std::vector<Action> actions(100'000);
    cursor.next_many(actions);
    Cursor restored(schedule);
    restored.restore(cursor.save());
    EXPECT_EQ(restored.save().size(), 72U);
    for (int i = 0; i < 1000; ++i) ASSERT_EQ(restored.next(), cursor.next()) << planner;
  }
}

TEST(AdjointCursor, PositionsOfOtherPlannersAreRefused) {
  const auto schedules = adjoint_schedules(9);
  for (const auto& one : schedules) {
    for (const auto& other : schedules) {
      if (one == other) continue;
      Cursor cursor(other);
      EXPECT_THROW(cursor.restore(Cursor(one).save()), base::Error) << one->name() << " and " << other->name();
    }
  }
}

}  // namespace
}  // namespace ckpt::plan::test
