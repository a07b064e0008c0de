// A copy of a JSON tree that runs out of memory throws std::bad_alloc.
#include <gtest/gtest.h>

#include <optional>

#include "base/json_tree.h"
#include "failing_new.h"

namespace ckpt::base::test {
namespace {

TEST(JsonTree, CopiesFailWithBadAlloc) {
  const Json tree = json_tree(R"({"name":"a string that is longer than any small buffer","list":[1,2.5,true,null,{"x":[-1]}]})");
  std::optional<Json> copy;
  EXPECT_GE(fail_each_allocation([&] { copy = Json(tree); }), 4);
  EXPECT_EQ(copy->text(), tree.text());
  Json assigned = json_tree("[1]");
  EXPECT_GE(fail_each_allocation([&] { assigned = tree; }), 4);
  EXPECT_EQ(assigned.text(), tree.text());
}

}  // namespace
}  // namespace ckpt::base::test
