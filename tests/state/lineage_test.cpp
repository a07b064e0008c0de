// Generations of the saves of one manager, by the order in which the saves are accepted and committed.
#include <gtest/gtest.h>

#include "base/error.h"
#include "state/lineage.h"

using namespace ckpt;
using namespace ckpt::state;

namespace {

Found found_at(std::int64_t step, std::int64_t sequence) {
  Found found;
  found.name = base::cat("step ", step);
  found.step = step;
  found.parsed = true;
  found.commit_sequence = sequence;
  return found;
}

class LineageTest : public testing::Test {
 protected:
  std::shared_ptr<Lineage> up_to_600() {
    auto lineage = std::make_shared<Lineage>();
    lineage->note_found({found_at(600, 4), found_at(500, 3), found_at(400, 2), found_at(300, 1)}, 0);
    return lineage;
  }
};

TEST_F(LineageTest, AfterALoadTheFirstQueuedOrCommittedSaveDecides) {
  const auto lineage = up_to_600();
  lineage->note_load({"step 300", 300, 1}, nullptr);
  auto failed = lineage->accept(310);
  EXPECT_TRUE(failed->rolled_back());
  EXPECT_EQ(failed->generation(), 1);
  failed.reset();  // it has committed nothing
  auto next = lineage->accept(320);
  EXPECT_TRUE(next->rolled_back());
  EXPECT_EQ(next->generation(), 2);  // numbers are not reused
  EXPECT_EQ(next->line_at(5)->parent->step, 300);
  next->note_committed("step 320", 5);
  next.reset();
  EXPECT_FALSE(lineage->accept(310)->rolled_back());
  EXPECT_EQ(lineage->accept(310)->generation(), 2);
}

TEST_F(LineageTest, AfterAFailedCommitTheStorageMustBeReadAgain) {
  const auto lineage = up_to_600();
  auto failed = lineage->accept(610);
  failed->line_at(5);
  const std::int64_t unknown_count = lineage->unknown_count();
  failed.reset();
  EXPECT_EQ(lineage->accept(620), nullptr);
  EXPECT_EQ(lineage->accept(620, true), nullptr);          // step 610 may exist
  lineage->note_found({found_at(600, 4)}, unknown_count);  // read before the failure
  EXPECT_EQ(lineage->accept(620), nullptr);
  lineage->note_found({found_at(610, 5), found_at(600, 4)}, lineage->unknown_count());
  EXPECT_FALSE(lineage->accept(620)->rolled_back());
}

TEST_F(LineageTest, QueuedSavesCount) {
  const auto lineage = up_to_600();
  const auto queued = lineage->accept(700);
  EXPECT_FALSE(queued->rolled_back());
  lineage->note_load({"step 600", 600, 4}, nullptr);
  const auto next = lineage->accept(610);
  EXPECT_TRUE(next->rolled_back());  // step 700 is queued and will be committed
  // A save of the old generation that commits after the first one of the new generation still belongs to the old generation.
  next->line_at(5);
  next->note_committed("step 610", 5);
  ASSERT_NE(queued->line_at(6), nullptr);
  EXPECT_EQ(queued->line_at(6)->generation, 0);
}

TEST_F(LineageTest, WithoutARollBackNothingIsRecorded) {
  const auto lineage = up_to_600();
  lineage->note_load({"step 600", 600, 4}, nullptr);
  const auto save = lineage->accept(610);
  EXPECT_EQ(save->line_at(5), nullptr);
  EXPECT_EQ(save->warning(), "");
  EXPECT_EQ(save->mark(), LineMark());
}

TEST_F(LineageTest, AQueuedGenerationIsNotBegunTwice) {
  const auto lineage = up_to_600();
  lineage->note_load({"step 300", 300, 1}, nullptr);
  const auto first = lineage->accept(310);
  const auto second = lineage->accept(320);
  EXPECT_TRUE(first->rolled_back());
  EXPECT_FALSE(second->rolled_back());
  EXPECT_EQ(second->generation(), 1);
  EXPECT_EQ(second->line_at(5)->first_sequence, 5);  // it commits first
  EXPECT_EQ(first->line_at(6)->first_sequence, 5);
}

}  // namespace
