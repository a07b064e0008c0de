// Lookup of numbers by name.
#include "state/name_table.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace {

using ckpt::state::NameTable;

std::vector<std::size_t> numbers_of(const NameTable& table, const std::vector<std::string>& names, const std::string& wanted) {
  std::vector<std::size_t> found;
  table.any(wanted, [&](std::size_t number) {
    if (names[number] == wanted) found.push_back(number);
    return false;
  });
  return found;
}

// A table that grows from empty, and one that is created with its final capacity.
TEST(StateNameTable, FindsEveryNumberOfEveryName) {
  std::vector<std::string> names;
  for (int i = 0; i < 5000; ++i) names.push_back("layer." + std::to_string(i % 4000) + ".weight");
  for (NameTable table : {NameTable(), NameTable(names.size())}) {
    EXPECT_TRUE(numbers_of(table, names, names[0]).empty());
    for (std::size_t i = 0; i < names.size(); ++i) table.add(names[i], i);
    for (std::size_t i = 0; i < 4000; ++i) {
      auto found = numbers_of(table, names, names[i]);
      ASSERT_EQ(found.size(), i < 1000 ? 2U : 1U) << names[i];
      EXPECT_EQ(found[0], i);
      if (i < 1000) {
        EXPECT_EQ(found[1], i + 4000);
      }
    }
    EXPECT_TRUE(numbers_of(table, names, "layer.4000.weight").empty());
    EXPECT_TRUE(numbers_of(table, names, "").empty());
  }
}

TEST(StateNameTable, StopsAtTheFirstMatch) {
  NameTable table;
  for (std::size_t i = 0; i < 3; ++i) table.add("name", i);
  int asked = 0;
  EXPECT_TRUE(table.any("name", [&](std::size_t) { return ++asked == 2; }));
  EXPECT_EQ(asked, 2);
}

}  // namespace
