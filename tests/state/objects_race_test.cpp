// Two concurrent writers to one object store, in every order of their requests: never are both acknowledged for one sequence, and
// every acknowledged checkpoint exists afterwards.
#include <gtest/gtest.h>

#include <array>
#include <condition_variable>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <thread>

#include "fixture.h"
#include "object_store.h"

using namespace ckpt;
using namespace ckpt::tests;
using base::Status;

namespace {

// Lets one of two threads run at a time, each up to its next request.
class Turns {
 public:
  void arrive(std::size_t who) {
    std::unique_lock lock(mutex_);
    waits_[who] = true;
    changed_.notify_all();
    changed_.wait(lock, [&] { return turn_ == static_cast<int>(who); });
    waits_[who] = false;
    turn_ = -1;
  }
  void finish(std::size_t who) {
    const std::lock_guard lock(mutex_);
    done_[who] = true;
    changed_.notify_all();
  }
  // Runs until both are done. path: the choices of this run; it is extended where both could run: randomly, or with the first of
  // both.
  void run(std::vector<int>& path, std::mt19937* chance) {
    std::size_t depth = 0;
    std::unique_lock lock(mutex_);
    for (;;) {
      changed_.wait(lock, [&] { return turn_ < 0 && (waits_[0] || done_[0]) && (waits_[1] || done_[1]); });
      if (done_[0] && done_[1]) return;
      int next = done_[0] ? 1 : 0;
      if (!done_[0] && !done_[1]) {
        if (depth == path.size()) path.push_back(chance != nullptr ? static_cast<int>((*chance)() & 1) : 0);
        next = path[depth++];
      }
      turn_ = next;
      changed_.notify_all();
    }
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::array<bool, 2> waits_{};
  std::array<bool, 2> done_{};
  int turn_ = -1;
};

// Advances to the next run's choices; returns false after all were made.
bool advance(std::vector<int>& path) {
  while (!path.empty() && path.back() == 1) path.pop_back();
  if (path.empty()) return false;
  path.back() = 1;
  return true;
}

struct Outcome {
  Status status = Status::ok;
  std::string message;
  state::SaveResult saved;
  std::int64_t lists = 0;
};

state::CheckpointOptions options_of(std::int64_t keep_last) {
  state::CheckpointOptions options;
  options.keep_last = keep_last;
  options.sleep = [](std::int64_t) {};
  return options;
}

struct Race {
  std::array<Puts, 2> puts{};
  std::int64_t keep_last = 0;
  std::string part;  // the order of requests matters if their line contains this
  std::array<int, 2> steps{11, 12};
  std::int64_t sampled = 0;  // number of random orders; 0: all
};

// One run: both have opened the store, which contains two checkpoints, and save concurrently.
std::array<Outcome, 2> race(const Race& given, const std::shared_ptr<Bucket>& bucket, std::vector<int>& path,
                            std::mt19937* chance) {
  Turns turns;
  std::array<Outcome, 2> outcomes;
  std::array<std::shared_ptr<Requests>, 2> requests;
  std::array<std::unique_ptr<state::Checkpoint>, 2> writers;
  std::array<std::thread, 2> threads;
  for (std::size_t i = 0; i < 2; ++i) {
    requests[i] = std::make_shared<Requests>();
    requests[i]->puts = given.puts[i];
    writers[i] =
        std::make_unique<state::Checkpoint>(std::make_shared<BucketClient>(bucket, requests[i]), options_of(given.keep_last));
  }
  for (std::size_t i = 0; i < 2; ++i) {
    requests[i]->log.clear();
    requests[i]->before = [&, i](const std::string& line) {
      if (line.find(given.part) != std::string::npos) turns.arrive(i);
    };
    threads[i] = std::thread([&, i] {
      outcomes[i].status = status_of([&] { outcomes[i].saved = save_step(*writers[i], given.steps[i]); }, &outcomes[i].message);
      outcomes[i].lists = requests[i]->count("list commits/");
      turns.finish(i);
    });
  }
  turns.run(path, chance);
  for (std::thread& thread : threads) thread.join();
  // A fenced writer stays fenced, whatever the store returns later; opening again works.
  for (std::size_t i = 0; i < 2; ++i) {
    requests[i]->before = {};
    if (outcomes[i].status != Status::busy) continue;
    EXPECT_EQ(status_of([&] { save_step(*writers[i], 50); }), Status::busy);
  }
  return outcomes;
}

// All orders take minutes with sanitizers.
#ifdef CKPT_SANITIZED
constexpr std::int64_t max_runs = 120;
constexpr std::int64_t runs_by_chance = 120;
#else
constexpr std::int64_t max_runs = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t runs_by_chance = 1000;
#endif

// Runs every order and returns their number. always_one: one of both wins in each.
std::int64_t race_in_every_order(const Race& given, bool always_one) {
  std::vector<int> path;
  std::mt19937 chance(20);
  std::int64_t runs = 0;
  do {
    const auto bucket = std::make_shared<Bucket>();
    {
      state::Checkpoint first(std::make_shared<BucketClient>(bucket), options_of(0));
      save_step(first, 1);
      save_step(first, 2);
    }
    const auto outcomes = race(given, bucket, path, given.sampled > 0 ? &chance : nullptr);
    ++runs;
    std::set<std::int64_t> sequences;
    int acknowledged = 0;
    state::Checkpoint reader(std::make_shared<BucketClient>(bucket), {.read_only = true});
    for (std::size_t i = 0; i < 2; ++i) {
      const Outcome& outcome = outcomes[i];
      if (outcome.status != Status::ok) {
        EXPECT_EQ(outcome.status, Status::busy) << outcome.message;
        EXPECT_NE(outcome.message.find("another writer"), std::string::npos) << outcome.message;
        continue;
      }
      ++acknowledged;
      EXPECT_TRUE(sequences.insert(outcome.saved.commit_sequence).second) << "both have " << outcome.saved.commit_sequence;
      Model model(-1);
      state::LoadOptions named;
      named.name = outcome.saved.name;
      reader.load(model.state, named);
      EXPECT_EQ(model.value(), static_cast<float>(given.steps[i]));
    }
    EXPECT_LE(acknowledged, 1);
    if (always_one) {
      EXPECT_EQ(acknowledged, 1);
    }
    // Without a winner, the first writer has used up its retries, and its checkpoint remains.
    if (acknowledged == 0) {
      EXPECT_EQ(std::max(outcomes[0].lists, outcomes[1].lists), 8);
    }
    Model newest(-1);
    EXPECT_GE(reader.load(newest.state, {}).step, acknowledged == 0 ? 2 : 11);
    state::Checkpoint next(std::make_shared<BucketClient>(bucket), options_of(0));
    EXPECT_EQ(save_step(next, 20).step, 20);
    reader.load(newest.state, {});
    EXPECT_EQ(newest.value(), 20);
    if (testing::Test::HasFailure()) {
      ADD_FAILURE() << "run " << runs;
      return runs;
    }
    if (given.sampled > 0) path.clear();
  } while (runs < max_runs && (given.sampled > 0 ? runs < given.sampled : advance(path)));
  return runs;
}

TEST(ObjectsRace, ConditionalPutsInEveryOrder) {
  EXPECT_GT(race_in_every_order({{Puts::conditional, Puts::conditional}, 0, "", {11, 12}, 0}, true), 100);
}

TEST(ObjectsRace, ConditionalPutsWithRetentionInRandomOrders) {
  EXPECT_EQ(race_in_every_order({{Puts::conditional, Puts::conditional}, 1, "", {12, 11}, runs_by_chance}, true), runs_by_chance);
}

TEST(ObjectsRace, ConditionalPutsWithRetention) {
  EXPECT_GT(race_in_every_order({{Puts::conditional, Puts::conditional}, 1, "commits/", {11, 12}, 0}, true), 5);
}

TEST(ObjectsRace, UnsupportedConditionalPuts) {
  EXPECT_GT(race_in_every_order({{Puts::unsupported, Puts::unsupported}, 0, "commits/", {11, 12}, 0}, false), 100);
}

TEST(ObjectsRace, UnsupportedConditionalPutsWithRetention) {
  EXPECT_GT(race_in_every_order({{Puts::unsupported, Puts::unsupported}, 1, "", {12, 11}, runs_by_chance}, false), 100);
}

TEST(ObjectsRace, IgnoredConditions) {
  EXPECT_GT(race_in_every_order({{Puts::ignore_condition, Puts::ignore_condition}, 0, "commits/", {12, 11}, 0}, false), 100);
}

TEST(ObjectsRace, OneWriterWithoutConditionalPuts) {
  EXPECT_GT(race_in_every_order({{Puts::conditional, Puts::unsupported}, 0, "commits/", {11, 12}, 0}, false), 100);
  EXPECT_GT(race_in_every_order({{Puts::ignore_condition, Puts::conditional}, 0, "commits/", {11, 12}, 0}, false), 100);
}

// A writer was suspended while another one saved and its retention removed the record that would have refused the first one.
TEST(ObjectsRace, ASuspendedWriterIsFenced) {
  for (const Puts puts : {Puts::conditional, Puts::unsupported, Puts::ignore_condition}) {
    const auto bucket = std::make_shared<Bucket>();
    const auto requests = std::make_shared<Requests>();
    requests->puts = puts;
    state::Checkpoint old(std::make_shared<BucketClient>(bucket, requests), options_of(1));
    save_step(old, 1);
    state::Checkpoint young(std::make_shared<BucketClient>(bucket, requests), options_of(1));
    for (int step = 2; step <= 4; ++step) save_step(young, step);
    EXPECT_EQ(bucket->count("commits/"), 1);
    std::string message;
    EXPECT_EQ(status_of([&] { save_step(old, 100); }, &message), Status::busy);
    EXPECT_NE(message.find("step-000000000004"), std::string::npos) << message;
    EXPECT_EQ(bucket->count("commits/"), 1);
    EXPECT_EQ(bucket->count("step-000000000100"), 0);
    EXPECT_EQ(status_of([&] { save_step(old, 101); }, &message), Status::busy);
    EXPECT_NE(message.find("reopen the storage"), std::string::npos) << message;
    EXPECT_EQ(status_of([&] { old.prune("last:1", false, 9); }), Status::busy);
    EXPECT_EQ(status_of([&] { old.remove(young.latest().name); }), Status::busy);
    EXPECT_EQ(status_of([&] { old.pin(4); }), Status::busy);
    Model model(-1);
    EXPECT_EQ(old.load(model.state, {}).step, 4);
    save_step(young, 5);
    state::Checkpoint again(std::make_shared<BucketClient>(bucket, requests), options_of(1));
    save_step(again, 101);
    EXPECT_EQ(young.latest().step, 101);
  }
}

// Its listings are delayed, and the record that would have refused it is gone: the record after it is read.
TEST(ObjectsRace, AnOvertakenWriterWithADelayedListingIsRefused) {
  const auto bucket = std::make_shared<Bucket>();
  state::Checkpoint young(std::make_shared<BucketClient>(bucket), options_of(1));
  save_step(young, 1);
  const auto late = std::make_shared<Requests>();
  late->listed = bucket->objects;
  late->after = [&](const std::string& line) {  // it sees its own record
    const std::string put = "put_if_absent ";
    if (!line.starts_with(put + "commits/")) return;
    const std::string path = line.substr(put.size());
    (*late->listed)[path] = bucket->objects.at(path);
  };
  save_step(young, 2);
  save_step(young, 3);
  state::Checkpoint old(std::make_shared<BucketClient>(bucket, late), options_of(1));
  std::string message;
  EXPECT_EQ(status_of([&] { save_step(old, 3); }, &message), Status::busy);
  EXPECT_NE(message.find("step-000000000003"), std::string::npos) << message;
  EXPECT_EQ(bucket->count("commits/"), 1);
  Model model(-1);
  EXPECT_EQ(young.load(model.state, {}).step, 3);
}

// Delayed retention of a writer must not remove anything of a writer that has saved since.
TEST(ObjectsRace, DelayedRetentionRemovesNothingOfAnotherWriter) {
  const auto bucket = std::make_shared<Bucket>();
  const auto requests = std::make_shared<Requests>();
  state::Checkpoint slow(std::make_shared<BucketClient>(bucket, requests), options_of(1));
  save_step(slow, 8);
  Warnings warnings;
  bool went_on = false;
  requests->before = [&](const std::string& line) {
    if (line != "list " || std::exchange(went_on, true)) return;  // its retention's listing
    state::Checkpoint other(std::make_shared<BucketClient>(bucket), options_of(0));
    save_step(other, 3);  // a roll-back
  };
  save_step(slow, 9);
  EXPECT_TRUE(warnings.mention("another writer has committed"));
  state::Checkpoint reader(std::make_shared<BucketClient>(bucket), {.read_only = true});
  EXPECT_EQ(reader.of_step(3).condition, state::Condition::complete);
  EXPECT_EQ(status_of([&] { save_step(slow, 10); }), Status::busy);
}

}  // namespace
