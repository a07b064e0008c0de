// Checkpoints in a directory mounted by two machines, each of which sees the other's changes with a delay: acknowledged checkpoints
// remain, and a reader never sees a state older than the delay.
#include <gtest/gtest.h>

#include <functional>

#include "base/log.h"
#include "faulty_storage.h"
#include "fixture.h"
#include "nfs_cache_storage.h"
#include "storage/memory.h"

namespace {

using namespace ckpt::tests;
namespace state = ckpt::state;
namespace storage = ckpt::storage;
using ckpt::base::Status;

constexpr std::int64_t no_checkpoint = -1;

// Two machines with one server, and the server's actual contents.
struct Site {
  std::shared_ptr<LateClock> clock = std::make_shared<LateClock>();
  std::shared_ptr<storage::Storage> server = storage::make_memory_storage();
  std::shared_ptr<storage::Storage> here = std::make_shared<LateStorage>(server, clock);
  std::shared_ptr<storage::Storage> there = std::make_shared<LateStorage>(server, clock);
  std::shared_ptr<Faults> of_here = std::make_shared<Faults>();

  // A test is notified before each of its operations.
  std::unique_ptr<state::Checkpoint> writer_here(std::int64_t keep_last) {
    return writer(std::make_shared<FaultyStorage>(here, of_here), keep_last);
  }
  static std::unique_ptr<state::Checkpoint> writer(std::shared_ptr<storage::Storage> on, std::int64_t keep_last) {
    state::CheckpointOptions options;
    options.keep_last = keep_last;
    return std::make_unique<state::Checkpoint>(std::move(on), options);
  }
  static std::unique_ptr<state::Checkpoint> reader(std::shared_ptr<storage::Storage> on) {
    state::CheckpointOptions options;
    options.read_only = true;
    return std::make_unique<state::Checkpoint>(std::move(on), options);
  }
  static std::int64_t newest(const std::shared_ptr<storage::Storage>& on) {
    try {
      return reader(on)->latest().step;
    } catch (const ckpt::base::Error& error) {
      EXPECT_EQ(error.status(), Status::not_found) << error.message();
      return no_checkpoint;
    }
  }
  static float loaded(const std::shared_ptr<storage::Storage>& on) {
    Model model(0);
    reader(on)->load(model.state, {});
    return model.value();
  }
};

// The other machine reads at some moment of a save, so that it has the half-written directory cached; then the writer ends, and the
// next one starts on that machine before any delay has passed.
TEST(StateLateDirectory, TheNextWriterLosesNothing) {
  std::int64_t moments = 1;
  for (std::int64_t moment = 0; moment < moments; ++moment) {
    Site site;
    {
      const auto writer = site.writer_here(0);
      save_step(*writer, 1);
      std::int64_t number = 0;
      site.of_here->before = [&](const std::string&) {
        if (number++ != moment) return;
        const std::int64_t newest = Site::newest(site.there);  // 2 once the manifest is renamed
        EXPECT_GE(newest, 1) << moment;
        EXPECT_EQ(Site::loaded(site.there), static_cast<float>(newest)) << moment;
      };
      save_step(*writer, 2);
      moments = number;
      site.of_here->before = {};
    }
    const auto writer = Site::writer(site.there, 0);
    EXPECT_EQ(writer->latest().step, 2) << moment;
    EXPECT_EQ(Site::loaded(site.there), 2) << moment;
    EXPECT_EQ(Site::loaded(site.server), 2) << moment;
    EXPECT_EQ(names_in(*site.server, "").find("torn-"), std::string::npos) << moment;
    EXPECT_EQ(save_step(*writer, 2).commit_sequence, 3) << moment;  // the newer of two checkpoints of one step
    EXPECT_EQ(writer->list().size(), 3U) << moment;
  }
  EXPECT_GT(moments, 15);
}

// The same, but the first writer is killed: its unacknowledged save is set aside, and nothing else.
TEST(StateLateDirectory, OnlyInterruptedSavesAreSetAside) {
  std::int64_t moments = 1;
  std::int64_t set_aside = 0;
  for (std::int64_t moment = 0; moment < moments; ++moment) {
    Site site;
    bool is_acknowledged = false;
    {
      const auto writer = site.writer_here(0);
      save_step(*writer, 1);
      site.of_here->log.clear();
      site.of_here->fail_at = site.of_here->counted + moment;
      site.of_here->and_all_later = true;
      site.of_here->before = [&](const std::string&) { static_cast<void>(Site::newest(site.there)); };
      try {
        save_step(*writer, 2);
        is_acknowledged = true;
      } catch (const ckpt::base::Error& error) {
        EXPECT_NE(error.message().find("injected"), std::string::npos) << error.message();
        ++moments;
      }
      site.of_here->before = {};
    }
    const auto writer = Site::writer(site.there, 0);
    const std::int64_t step = writer->latest().step;
    EXPECT_EQ(Site::loaded(site.there), static_cast<float>(step)) << moment;
    EXPECT_EQ(step, Site::newest(site.server)) << moment;
    if (is_acknowledged) {
      EXPECT_EQ(step, 2);
    }
    set_aside += names_in(*site.server, "").find("torn-") != std::string::npos ? 1 : 0;
  }
  EXPECT_GT(set_aside, 5);
}

// A reader that reads at every moment of many saves that take some time each.
TEST(StateLateDirectory, TheNewestIsAtMostOneDelayOld) {
  for (const std::int64_t ticks : {1, 7, 40}) {  // time between two operations of the writer
    Site site;
    const auto writer = site.writer_here(0);
    std::vector<std::pair<std::int64_t, std::int64_t>> acknowledged;  // time and step
    std::int64_t seen = no_checkpoint;
    site.of_here->before = [&](const std::string&) {
      site.clock->now += ticks;
      const std::int64_t newest = Site::newest(site.there);
      EXPECT_GE(newest, seen) << "at " << site.clock->now;  // never decreases
      seen = newest;
      for (const auto& [when, step] : acknowledged) {
        if (when + site.clock->delay <= site.clock->now) {
          EXPECT_GE(newest, step) << "at " << site.clock->now;
        }
      }
      if (newest != no_checkpoint) {
        EXPECT_EQ(Site::loaded(site.there), static_cast<float>(newest));
      }
    };
    for (int step = 1; step <= 12; ++step) {
      save_step(*writer, step);
      acknowledged.emplace_back(site.clock->now, step);
    }
    site.of_here->before = {};
    site.clock->now += site.clock->delay;
    EXPECT_EQ(Site::newest(site.there), 12);
    EXPECT_EQ(Site::loaded(site.there), 12);
  }
}

// A writer that keeps one checkpoint saves again before the reader can see it: the reader reports that the cached checkpoint no
// longer exists, and finds the newest after the delay.
TEST(StateLateDirectory, ARemovedCheckpointIsReported) {
  Site site;
  const auto writer = site.writer_here(1);
  save_step(*writer, 1);
  EXPECT_EQ(Site::loaded(site.there), 1);
  save_step(*writer, 2);
  Model model(0);
  try {
    Site::reader(site.there)->load(model.state, {});
    ADD_FAILURE() << "step 1 no longer exists, and step 2 is not visible yet";
  } catch (const ckpt::base::Error& error) {
    EXPECT_EQ(error.status(), Status::not_found);
    EXPECT_NE(error.message().find("contains no checkpoint"), std::string::npos) << error.message();
    EXPECT_NE(error.message().find("unfinished: 1"), std::string::npos) << error.message();
  }
  EXPECT_EQ(model.value(), 0);
  site.clock->now += site.clock->delay;
  EXPECT_EQ(Site::loaded(site.there), 2);
}

// A pin set on the other machine just after this one looked for it.
TEST(StateLateDirectory, CheckpointsPinnedElsewhereRemain) {
  Site site;
  {
    const auto writer = site.writer_here(0);
    save_step(*writer, 1);
    EXPECT_EQ(Site::reader(site.there)->list().size(), 1U);
    writer->pin(1);
  }
  const auto writer = Site::writer(site.there, 1);
  save_step(*writer, 2);
  EXPECT_EQ(writer->list().size(), 2U);
  EXPECT_TRUE(writer->prune("last:1", false, 100).empty());
  EXPECT_EQ(Site::reader(site.server)->list().size(), 2U);
}

}  // namespace
