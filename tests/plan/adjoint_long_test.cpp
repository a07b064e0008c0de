// The first 10^8 actions of Revolve at 10^9 steps, followed by a code that only tracks the state in each buffer.
#include <gtest/gtest.h>

#include <vector>

#include "adjoint.h"
#include "plan/planners.h"

namespace ckpt::plan::test {
namespace {

constexpr std::int64_t billion = 1'000'000'000;
constexpr std::int64_t none = -1;

class Buffers {
 public:
  explicit Buffers(std::int64_t slots) : states_(static_cast<std::size_t>(slots) + 1, none) { states_[0] = 0; }

  // Returns false if the code cannot execute the action.
  bool obey(const Action& action) {
    switch (action.kind) {
      case Kind::forward: {
        // The kept state is the last one before the new one's slot.
        std::int64_t& created = states_.at(at(action.slot));
        if (states_.at(at(action.slot) - 1) != action.first || created != none) return false;
        created = action.last;
        return true;
      }
      case Kind::advance: {
        std::int64_t& moved = states_.at(at(action.slot));
        if (moved != action.first || action.last > next_back_) return false;
        moved = action.last;
        return true;
      }
      case Kind::forward_tape:
      case Kind::record:
        if (action.first != next_back_ || !is_held(action.first) || recorded_) return false;
        recorded_ = true;
        return true;
      case Kind::turn: return recorded_ && next_back_ == billion - 1;
      case Kind::backward:
        if (action.first != next_back_ || !recorded_) return false;
        recorded_ = false;
        --next_back_;
        return true;
      case Kind::drop:
        if (action.first == billion) return true;  // the output
        for (std::int64_t& state : states_) {
          if (state != action.first) continue;
          state = none;
          return true;
        }
        return false;
      default: return false;
    }
  }

  std::int64_t reversed() const { return billion - 1 - next_back_; }

 private:
  static std::size_t at(std::int32_t slot) { return static_cast<std::size_t>(slot); }
  bool is_held(std::int64_t step) const { return std::find(states_.begin(), states_.end(), step) != states_.end(); }

  std::vector<std::int64_t> states_;
  std::int64_t next_back_ = billion - 1;
  bool recorded_ = false;
};

TEST(AdjointLong, RevolveOfABillionSteps) {
  for (const std::int64_t slots : {1, 2, 3, 10, 100}) {
    SCOPED_TRACE(std::to_string(slots) + " slots");
    Cursor cursor(make_by_text(time_steps(billion), base::cat("revolve:", slots)));
    Buffers buffers(slots);
    std::vector<Action> actions(1000);
    for (std::int64_t read = 0; read < 100'000'000; read += std::ssize(actions)) {
      ASSERT_EQ(cursor.next_many(actions), std::ssize(actions));
      for (const Action& action : actions) ASSERT_TRUE(buffers.obey(action)) << kind_name(action.kind) << " " << action.first;
    }
    EXPECT_GT(buffers.reversed(), 10'000'000);
    Cursor restored(make_by_text(time_steps(billion), base::cat("revolve:", slots)));
    restored.restore(cursor.save());
    EXPECT_EQ(restored.next(), cursor.next());
  }
}

}  // namespace
}  // namespace ckpt::plan::test
