// Every crash of every scenario: the library's open and load find the newest acknowledged checkpoint or a newer complete one, and
// never return a byte that was not saved.
#include <gtest/gtest.h>

#include <cstdio>

#include "base/log.h"
#include "scenario.h"

namespace {

using namespace ckpt::tests;

class CrashEnumeration : public testing::Test {
 protected:
  CrashEnumeration() {
    ckpt::base::set_log(ckpt::base::LogLevel::warning, [](ckpt::base::LogLevel, const char*, const char*) {});
  }
  ~CrashEnumeration() override { ckpt::base::set_log(ckpt::base::LogLevel::warning, {}); }
};

#ifdef CKPT_SANITIZED
constexpr std::uint64_t max_images = 8;  // same search; sanitizers make it about ten times slower
constexpr std::int64_t min_distinct = 2'000;
#elif defined(CKPT_TEST_LONG)
constexpr std::uint64_t max_images = all_images;
constexpr std::int64_t min_distinct = 100'000;
#else
constexpr std::uint64_t max_images = share_of_images;
constexpr std::int64_t min_distinct = 25'000;
#endif

Count enumerate(const std::vector<Scenario>& scenarios) {
  Enumeration options;
  options.max_images = max_images;
  Enumerator enumerator(options);
  for (const Scenario& scenario : scenarios) enumerator.run(scenario);
  const Count& count = enumerator.count();
  std::printf("crash: the share %llu of %llu images of a moment ran (all: -DCKPT_TEST_LONG=ON)\n",
              static_cast<unsigned long long>(max_images), static_cast<unsigned long long>(all_images));
  std::printf("crash: %zu scenarios, %lld images, %lld distinct disks, %lld examined, %lld with a checkpoint, %lld violations\n",
              scenarios.size(), static_cast<long long>(count.images), static_cast<long long>(count.distinct),
              static_cast<long long>(count.examined), static_cast<long long>(count.loaded), static_cast<long long>(count.bad()));
  EXPECT_EQ(count.bad(), 0) << count.first;
  EXPECT_GT(count.loaded, count.examined / 4);  // most disks have a checkpoint to load
  return count;
}

TEST_F(CrashEnumeration, AcknowledgedSavesAreNeverLost) { EXPECT_GE(enumerate(all_scenarios()).distinct, min_distinct); }

TEST_F(CrashEnumeration, AcknowledgedBackgroundSavesAreNeverLost) {
  EXPECT_GE(enumerate(background_scenarios()).distinct, min_distinct / 4);
}

// Without a power cut the disk equals the storage: the model itself loses nothing.
TEST_F(CrashEnumeration, TheModelAgreesWithTheStorage) {
  for (const Scenario& scenario : short_scenarios()) {
    DiskModel model(scenario.base);
    for (const Operation& operation : scenario.log) model.apply(operation);
    NumberedState state(scenario.contents);
    ckpt::state::Checkpoint checkpoint(disk_of(model.now()), {true, 0});
    EXPECT_EQ(checkpoint.load(state.state, {}).skipped, 0) << scenario.name;
    EXPECT_EQ(state.save(), static_cast<int>(scenario.steps.size())) << scenario.name;
    EXPECT_EQ(std::ssize(checkpoint.list()), scenario.name == "keep one" || scenario.name == "linked" ? 1
                                             : scenario.name == "keep two" || scenario.name == "pinned" || scenario.name == "pruned"
                                                 ? 2
                                                 : state.save());
  }
}

}  // namespace
