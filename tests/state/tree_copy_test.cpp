// A copy of a value of ckpt.hpp that runs out of memory throws std::bad_alloc.
#include <ckpt/ckpt.hpp>

#include <gtest/gtest.h>

#include <optional>

#include "../failing_new.h"

namespace {

TEST(TreeValue, CopiesFailWithBadAlloc) {
  const ckpt::Value value = ckpt::Value::dict({{"name", "a string that is longer than any small buffer"},
                                               {"parts", ckpt::Value::list({1, 2.5, true, nullptr, ckpt::Value::list({-1})})}});
  std::optional<ckpt::Value> copy;
  EXPECT_GE(fail_each_allocation([&] { copy = ckpt::Value(value); }), 4);
  EXPECT_EQ(*copy, value);
  ckpt::Value assigned = 1;
  EXPECT_GE(fail_each_allocation([&] { assigned = value; }), 4);
  EXPECT_EQ(assigned, value);
}

}  // namespace
