// Background saves to an object store: they complete once durable, and a save fenced by another writer fails.
#include <gtest/gtest.h>

#include "fixture.h"
#include "state/object_store.h"

namespace {

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

TEST(AsyncObjects, SavesInTheBackgroundUntilAnotherWriterSaves) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  state::CheckpointOptions options;
  options.keep_last = 2;
  const auto checkpoint = std::make_shared<state::Checkpoint>(std::make_shared<BucketClient>(bucket, requests), options);
  auto manager = std::make_shared<async::AsyncManager>(checkpoint, Background::small());
  const auto save = [&](std::int64_t step) {
    state::SaveOptions save_options;
    save_options.step = step;
    return manager->wait(manager->save(Model(static_cast<float>(step)).state, save_options, {}), -1);
  };
  for (std::int64_t step = 1; step <= 4; ++step) {
    const async::TaskResult result = save(step);
    EXPECT_EQ(result.state, async::TaskState::completed);
    EXPECT_EQ(result.saved.commit_sequence, step);
  }
  EXPECT_EQ(std::ssize(checkpoint->list()), 2);
  EXPECT_EQ(bucket->count("commits/"), 2);

  // A save stopped before its commit leaves nothing.
  bool once = true;
  std::int64_t stopped = 0;
  requests->before = [&](const std::string& line) {
    if (line.starts_with("put step-") && std::exchange(once, false)) manager->cancel(stopped);
  };
  const std::size_t before = bucket->objects.size();
  {
    // The number is known before the worker makes its first request.
    stopped = 5;
    const async::TaskResult result = save(5);
    EXPECT_EQ(result.id, stopped);
    EXPECT_EQ(result.state, async::TaskState::cancelled);
  }
  requests->before = {};
  EXPECT_EQ(bucket->objects.size(), before);

  {
    state::Checkpoint other(std::make_shared<BucketClient>(bucket), {});
    save_step(other, 9);
  }
  const async::TaskResult fenced = save(6);
  EXPECT_EQ(fenced.state, async::TaskState::failed);
  EXPECT_EQ(fenced.status, Status::busy);
  EXPECT_NE(fenced.error.find("another writer"), std::string::npos) << fenced.error;
  // Later ones are refused at once.
  EXPECT_ERROR(save(7), Status::busy, "reopen the storage");
  Model model(-1);
  EXPECT_EQ(checkpoint->load(model.state, {}).step, 9);
  async::AsyncManager::release(std::move(manager));
}

}  // namespace
