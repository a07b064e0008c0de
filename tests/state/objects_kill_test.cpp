// A writer to an object store is killed, or its request fails, at every request in turn: previously acknowledged checkpoints
// remain, and the next writer continues.
#include <gtest/gtest.h>

#include "fixture.h"
#include "object_store.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

state::CheckpointOptions impatient_keeping(std::int64_t last) {
  state::CheckpointOptions options;
  options.keep_last = last;
  options.sleep = [](std::int64_t) {};
  return options;
}

struct Failure {
  Puts puts = Puts::conditional;
  bool is_done = false;   // the request was executed, but its answer was lost
  bool is_killed = true;  // no later request is executed
};

// Returns a client that fails at its request with this number, and at all later ones if it was killed.
std::shared_ptr<Requests> failing_at(std::int64_t number, const Failure& failure, bool& reached) {
  auto requests = std::make_shared<Requests>();
  requests->puts = failure.puts;
  const auto dead = std::make_shared<bool>(false);
  Requests* const self = requests.get();
  const auto is_hit = [self, number] { return std::ssize(self->log) == number + 1; };
  requests->before = [=, &reached](const std::string& line) {
    if (*dead) base::fail(Status::io, "killed before ", line);
    if (failure.is_done || !is_hit()) return;
    reached = true;
    *dead = failure.is_killed;
    base::fail(Status::timeout, "no answer to ", line);
  };
  requests->after = [=, &reached](const std::string& line) {
    if (!failure.is_done || !is_hit()) return;
    reached = true;
    *dead = failure.is_killed;
    base::fail(Status::timeout, "lost answer to ", line);
  };
  return requests;
}

// Saves steps 3 and 4 (and 5) with a writer that fails at its request with that number. Returns whether it reached that request.
bool fail_at_request(const Bucket& given, std::int64_t number, const Failure& failure) {
  Bucket source;
  source.objects = given.objects;
  const auto bucket = source.copy();
  bool reached = false;
  int acknowledged = 2;
  const auto requests = failing_at(number, failure, reached);
  std::unique_ptr<state::Checkpoint> writer;
  Warnings warnings;
  const auto save = [&](int step) {
    const Status status = status_of([&] {
      if (writer == nullptr)
        writer = std::make_unique<state::Checkpoint>(std::make_shared<BucketClient>(bucket, requests), impatient_keeping(2));
      save_step(*writer, step);
    });
    if (status == Status::ok) acknowledged = step;
    EXPECT_NE(status, Status::busy) << "there is no other writer";
  };
  save(3);
  save(4);
  const bool was_hit = reached;
  const std::string where = base::cat("request ", number, ": ", was_hit ? requests->log[static_cast<std::size_t>(number)] : "none");

  // The newest checkpoint is the acknowledged one, or one that was put after it and not acknowledged.
  const auto newest = [&] {
    state::Checkpoint reader(std::make_shared<BucketClient>(bucket), {.read_only = true});
    Model model(-1);
    const std::int64_t step = reader.load(model.state, {}).step;
    EXPECT_EQ(model.value(), static_cast<float>(step)) << where;
    return step;
  };
  EXPECT_GE(newest(), acknowledged) << where;
  if (failure.is_killed && requests->count("put_if_absent commits/") + requests->count("put commits/") == 0) {
    EXPECT_EQ(newest(), 2) << where;
  }
  if (!failure.is_killed && was_hit) {  // the same writer continues
    save(5);
    EXPECT_EQ(acknowledged, 5) << where;
    EXPECT_EQ(newest(), 5) << where;
  }

  const auto again = std::make_shared<Requests>();
  again->puts = failure.puts;
  state::Checkpoint next(std::make_shared<BucketClient>(bucket, again), impatient_keeping(2));
  save_step(next, 6);
  EXPECT_EQ(newest(), 6) << where;
  save_step(next, 7);
  save_step(next, 8);
  EXPECT_EQ(newest(), 8) << where;
  // Nothing remains of the interrupted save.
  EXPECT_EQ(bucket->objects.size(), 8U) << where << ": " << bucket->names();
  return was_hit;
}

void fail_everywhere(const Failure& failure) {
  Bucket bucket;
  {
    const auto shared = std::make_shared<Bucket>();
    const auto requests = std::make_shared<Requests>();
    requests->puts = failure.puts;
    state::Checkpoint writer(std::make_shared<BucketClient>(shared, requests), impatient_keeping(2));
    save_step(writer, 1);
    save_step(writer, 2);
    bucket.objects = shared->objects;
  }
  std::int64_t number = 0;
  while (fail_at_request(bucket, number, failure)) ++number;
  EXPECT_GT(number, 20);
}

TEST(ObjectsKill, BeforeEveryRequest) { fail_everywhere({Puts::conditional, false, true}); }
TEST(ObjectsKill, AfterEveryRequest) { fail_everywhere({Puts::conditional, true, true}); }
TEST(ObjectsKill, EveryRequestFailsOnce) { fail_everywhere({Puts::conditional, false, false}); }
TEST(ObjectsKill, EveryAnswerIsLostOnce) { fail_everywhere({Puts::conditional, true, false}); }
TEST(ObjectsKill, BeforeEveryRequestWithoutConditionalPuts) { fail_everywhere({Puts::unsupported, false, true}); }
TEST(ObjectsKill, AfterEveryRequestWithoutConditionalPuts) { fail_everywhere({Puts::unsupported, true, true}); }
TEST(ObjectsKill, EveryRequestFailsOnceIfConditionsAreIgnored) { fail_everywhere({Puts::ignore_condition, false, false}); }
TEST(ObjectsKill, EveryAnswerIsLostOnceIfConditionsAreIgnored) { fail_everywhere({Puts::ignore_condition, true, false}); }

}  // namespace
