// Saves of several ranks: a rank dies at each of its requests, combined with every moment at which rank 0 dies. On a disk, also
// with a power cut right after, and on an object store. Everything that any rank acknowledged is found, and nothing that was never
// saved.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <numeric>
#include <thread>

#include "base/log.h"
#include "disk_model.h"
#include "state/make_protocol.h"
#include "state/manager/checkpoint.h"
#include "state/object_store.h"
#include "state/thread_ranks.h"
#include "turns.h"

namespace {

using namespace ckpt;
using namespace ckpt::tests;

#if defined(CKPT_SANITIZED)
constexpr std::int64_t stride = 5;  // only every 5th moment of either rank is tried
constexpr std::uint64_t max_images = 3;
#elif defined(CKPT_TEST_LONG)
constexpr std::int64_t stride = 1;
constexpr std::uint64_t max_images = 100;
#else
constexpr std::int64_t stride = 1;
constexpr std::uint64_t max_images = 10;
#endif

// ---- A rank's access to the disk ----

struct SharedDisk {
  std::shared_ptr<storage::Storage> memory;
  std::shared_ptr<TurnScheduler> turns;
  std::int64_t without_syncs = -1;  // the rank with directory syncs that do nothing
  Log log = {};                     // of all ranks; written by the rank that holds the turn
};

class StagedFile final : public storage::File {
 public:
  StagedFile(std::unique_ptr<storage::File> file, std::string path, SharedDisk& disk, std::int64_t rank)
      : file_(std::move(file)), path_(std::move(path)), disk_(disk), rank_(rank) {}
  std::int64_t size() override {
    return disk_.turns->act(rank_, false, [&] { return file_->size(); });
  }
  std::int64_t read(std::int64_t offset, std::span<std::byte> bytes) override {
    return disk_.turns->act(rank_, false, [&] { return file_->read(offset, bytes); });
  }
  void write(std::int64_t offset, std::span<const std::byte> bytes) override {
    disk_.turns->act(rank_, true, [&] {
      file_->write(offset, bytes);
      disk_.log.push_back({Kind::write, path_, "", offset, std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size())});
    });
  }
  void sync() override {
    disk_.turns->act(rank_, true, [&] {
      file_->sync();
      disk_.log.push_back({Kind::sync, path_});
    });
  }

 private:
  const std::unique_ptr<storage::File> file_;
  const std::string path_;
  SharedDisk& disk_;
  const std::int64_t rank_;
};

class StagedStorage final : public storage::Storage {
 private:
  template <class Body>
  auto look(Body&& body) {
    return disk_.turns->act(rank_, false, std::forward<Body>(body));
  }
  template <class Body>
  auto change(const Operation& operation, Body&& body) {
    return disk_.turns->act(rank_, true, [&] {
      struct Record {
        Log& log;
        const Operation& operation;
        bool is_done = true;
        ~Record() {
          if (is_done) log.push_back(operation);
        }
      } record{disk_.log, operation};
      try {
        return body();
      } catch (...) {
        record.is_done = false;
        throw;
      }
    });
  }

 public:
  StagedStorage(SharedDisk& disk, std::int64_t rank) : disk_(disk), rank_(rank) {}
  std::unique_ptr<storage::File> create(const std::string& path) override {
    return change({Kind::create, path}, [&] { return file(disk_.memory->create(path), path); });
  }
  std::unique_ptr<storage::File> open(const std::string& path) override {
    return look([&] { return file(disk_.memory->open(path), path); });
  }
  bool link(const std::string& from, const std::string& to) override {
    return change({Kind::link, from, to}, [&] { return disk_.memory->link(from, to); });
  }
  void rename(const std::string& from, const std::string& to) override {
    change({Kind::rename, from, to}, [&] { disk_.memory->rename(from, to); });
  }
  void remove(const std::string& path) override {
    change({Kind::remove, path}, [&] { disk_.memory->remove(path); });
  }
  void remove_directory(const std::string& path) override {
    change({Kind::remove_directory, path}, [&] { disk_.memory->remove_directory(path); });
  }
  void make_directory(const std::string& path) override {
    change({Kind::make_directory, path}, [&] { disk_.memory->make_directory(path); });
  }
  void sync_directory(const std::string& path) override {
    if (rank_ == disk_.without_syncs) return;
    change({Kind::sync_directory, path}, [&] { disk_.memory->sync_directory(path); });
  }
  std::vector<storage::Entry> list(const std::string& path) override {
    return look([&] { return disk_.memory->list(path); });
  }
  std::int64_t size(const std::string& path) override {
    return look([&] { return disk_.memory->size(path); });
  }
  std::unique_ptr<storage::Lock> lock(const std::string& path) override {
    return look([&] { return disk_.memory->lock(path); });
  }
  const std::string& name() const override { return disk_.memory->name(); }

 private:
  std::unique_ptr<storage::File> file(std::unique_ptr<storage::File> opened, const std::string& path) {
    return std::make_unique<StagedFile>(std::move(opened), path, disk_, rank_);
  }

  SharedDisk& disk_;
  const std::int64_t rank_;
};

// ---- The saved state ----

std::shared_ptr<tensor::Tensor> numbers(std::initializer_list<std::int64_t> lengths, std::int64_t first) {
  auto tensor = tensor::Tensor::create(tensor::Dtype::f32, tensor::Shape(lengths));
  std::iota(tensor->data_as<float>(), tensor->data_as<float>() + tensor->shape().elements(), static_cast<float>(first));
  return tensor;
}

// The tensors of a save have values counted from its number x 1000: rows of a sharded tensor, and whole ones; the last group
// changes only with every second save.
state::State share_of(std::int64_t rank, std::int64_t ranks, int save) {
  state::State state;
  const std::int64_t begin = 13 * rank / ranks;
  const std::int64_t end = 13 * (rank + 1) / ranks;
  state.add_sharded("model", "weight", tensor::Dtype::f32, {13, 4});
  state.add_block("model", "weight", {begin, 0}, numbers({end - begin, 4}, 1000 * save + 4 * begin));
  state.add_tensor("model", "bias", numbers({5}, 1000 * save));
  state.add_tensor("rare", "table", numbers({70, 10}, 1000 * ((save + 1) / 2)));
  state.set_rarely_changes("rare", true);
  state.set_json("save", base::cat(save));
  state.set_json("rank", base::cat(rank));
  return state;
}

// Returns the number of the save that the whole tensors of a disk's newest checkpoint belong to; -1 if they match no save.
int newest(state::Checkpoint& checkpoint, std::string& problem) {
  state::State state;
  const std::vector<std::shared_ptr<tensor::Tensor>> tensors{numbers({13, 4}, 0), numbers({5}, 0), numbers({70, 10}, 0)};
  state.add_tensor("model", "weight", tensors[0]);
  state.add_tensor("model", "bias", tensors[1]);
  state.add_tensor("rare", "table", tensors[2]);
  const state::LoadResult result = checkpoint.load(state, {});
  const int save = static_cast<int>(result.step);
  if (result.skipped > 0) problem = "a newer one was skipped";
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const float first = i < 2 ? static_cast<float>(1000 * save) : static_cast<float>(1000 * ((save + 1) / 2));
    for (std::int64_t at = 0; at < tensors[i]->shape().elements(); ++at) {
      if (tensors[i]->data_as<float>()[at] != first + static_cast<float>(at)) return -1;
    }
  }
  return state.values().at("save") == base::cat(save) ? save : -1;
}

// ---- Stories ----

enum class Place { disk, objects };

struct RankScenario {
  Place place = Place::disk;
  std::int64_t ranks = 2;
  bool in_background = false;
  bool in_turns = true;
  std::int64_t first = 0;
  std::int64_t keep_last = 0;
  std::int64_t without_syncs = -1;  // see SharedDisk
};

std::string to_text(const RankScenario& scenario) {
  return base::cat(scenario.place == Place::disk ? "disk" : "objects", ", ", scenario.ranks, " ranks",
                   scenario.in_background ? ", background" : "", scenario.in_turns ? ", in turns" : "", ", first ", scenario.first,
                   ", keep ", scenario.keep_last);
}

// The storage before a run, and the run's result.
struct Ended {
  Image image;                                 // before
  Log log;                                     // of a disk
  std::map<std::string, std::string> objects;  // objects afterwards, in an object store
  bool is_acknowledged = false;                // by any rank
  int saved = 0;                               // number of ranks that completed the save
  std::vector<std::int64_t> changes;           // by rank
  std::string errors;
};

// Runs one save of all ranks; each dies after its number of changes. step is the save's number.
Ended run(const RankScenario& scenario, const Ended& before, int save, const std::vector<std::int64_t>& deaths) {
  Ended ended;
  DiskModel model(before.image);
  for (const Operation& operation : before.log) model.apply(operation);
  ended.image = model.now();
  const auto turns = std::make_shared<TurnScheduler>(scenario.ranks, scenario.in_turns, scenario.first);
  SharedDisk disk{disk_of(ended.image), turns, scenario.without_syncs};
  const auto bucket = std::make_shared<Bucket>();
  bucket->objects = before.objects;
  const bool dies = std::ranges::any_of(deaths, [](std::int64_t each) { return each != never; });
  const auto threads = std::make_shared<ThreadRanks>(scenario.ranks);
  std::atomic<int> saved{0};
  const auto errors = threads->run([&](std::int64_t rank) {
    struct Leave {
      TurnScheduler& turns;
      std::int64_t rank;
      ~Leave() { turns.leave(rank); }
    } const leave{*turns, rank};
    std::shared_ptr<storage::Storage> storage;
    if (scenario.place == Place::disk) {
      storage = std::make_shared<StagedStorage>(disk, rank);
    } else {
      const auto requests = std::make_shared<Requests>();
      requests->before = [&turns, rank](const std::string& line) {
        turns->begin(rank, !line.starts_with("get") && !line.starts_with("head") && !line.starts_with("list"));
      };
      requests->after = [&turns](const std::string&) { turns->end(); };
      storage = std::make_shared<BucketClient>(bucket, requests);
    }
    state::CheckpointOptions options;
    options.coordinator = std::make_shared<TurnCoordinator>(turns, threads->coordinator(rank));
    options.timeout_ns = dies ? 20'000'000 : 60'000'000'000;
    options.keep_last = scenario.keep_last;
    options.sleep = [&turns, rank](std::int64_t ns) {
      turns->wait(rank);
      // Otherwise a rank that waits for a dead one would poll thousands of times until its timeout.
      if (ns >= 100'000'000) std::this_thread::sleep_for(std::chrono::milliseconds(5));
    };
    state::Checkpoint checkpoint(storage, options);
    turns->watch(rank, deaths[static_cast<std::size_t>(rank)]);
    state::SaveOptions how;
    how.step = save;
    state::GroupSave agreed = checkpoint.agree(share_of(rank, scenario.ranks, save), how);
    state::SaveSource source;
    checkpoint.save_agreed(agreed, source, scenario.in_background);
    ++saved;
  });
  for (std::size_t rank = 0; rank < errors.size(); ++rank) {
    if (errors[rank]) ended.errors += base::cat(rank, ": ", errors[rank]->message(), "\n");
  }
  for (std::int64_t rank = 0; rank < scenario.ranks; ++rank) ended.changes.push_back(turns->changes(rank));
  ended.saved = saved;
  ended.is_acknowledged = saved > 0;
  ended.log = std::move(disk.log);
  ended.objects = bucket->objects;
  return ended;
}

struct Counted {
  std::int64_t runs = 0;
  std::int64_t storages = 0;  // examined storages
  std::int64_t acknowledged = 0;
  std::int64_t with_second = 0;
  std::int64_t violations = 0;
  std::string first;  // the first violation
};

// Returns the problem of a storage after the ranks died during save 2; "" if there is none.
std::string problem_of(const std::shared_ptr<storage::Storage>& storage, bool is_acknowledged, Counted& counted) {
  try {
    for (const state::Found& found : state::make_protocol(storage)->list()) {
      if (found.condition != state::Condition::complete && found.condition != state::Condition::unfinished)
        return base::cat(found.name, ": ", found.problem);
    }
    state::Checkpoint checkpoint(storage, {});
    std::string problem;
    const int save = newest(checkpoint, problem);
    counted.with_second += save == 2 ? 1 : 0;
    if (save != 2 && (save != 1 || is_acknowledged)) return base::cat("save ", save, " was found");
    return problem;
  } catch (const base::Error& error) {
    return error.message();
  }
}

// The next run of several ranks must resume.
std::string problem_of_next_run(const std::shared_ptr<storage::Storage>& storage) {
  const auto threads = std::make_shared<ThreadRanks>(2);
  const auto errors = threads->run([&](std::int64_t rank) {
    state::CheckpointOptions options;
    options.coordinator = threads->coordinator(rank);
    state::Checkpoint checkpoint(storage, options);
    state::SaveOptions how;
    how.step = 3;
    checkpoint.save(share_of(rank, 2, 3), how);
  });
  for (const auto& error : errors) {
    if (error) return error->message();
  }
  state::Checkpoint checkpoint(storage, {});
  std::string problem;
  const int save = newest(checkpoint, problem);
  return save == 3 ? problem : base::cat("after a save of step 3, save ", save, " was found");
}

template <class What>
void examine(const std::shared_ptr<storage::Storage>& storage, bool is_acknowledged, const What& what, Counted& counted) {
  std::string problem = problem_of(storage, is_acknowledged, counted);
  if (++counted.storages % 64 == 0 && problem.empty()) problem = problem_of_next_run(storage);
  if (problem.empty()) return;
  ++counted.violations;
  if (counted.first.empty()) counted.first = base::cat(problem, "; ", what());
}

template <class What>
void look_at(const RankScenario& scenario, const Ended& ended, const What& what, Counted& counted) {
  ++counted.runs;
  counted.acknowledged += ended.is_acknowledged ? 1 : 0;
  if (scenario.place == Place::objects) {
    const auto bucket = std::make_shared<Bucket>();
    bucket->objects = ended.objects;
    return examine(std::make_shared<BucketClient>(bucket), ended.is_acknowledged, what, counted);
  }
  DiskModel model(ended.image);
  for (const Operation& operation : ended.log) model.apply(operation);
  examine(disk_of(model.now()), ended.is_acknowledged, what, counted);
  model.crash(max_images, static_cast<std::uint64_t>(counted.runs), [&](const Image& image) {
    const auto cut = [&] { return base::cat(what(), ", then a power cut:\n", describe(image)); };
    examine(disk_of(image), ended.is_acknowledged, cut, counted);
  });
}

// Combines each moment of rank `other` with each moment of rank 0; `never` is one of the moments.
void enumerate(const RankScenario& scenario, Counted& counted) {
  const std::vector<std::int64_t> alive(static_cast<std::size_t>(scenario.ranks), never);
  const Ended first = run(scenario, {}, 1, alive);
  ASSERT_EQ(first.saved, scenario.ranks) << to_text(scenario) << first.errors;
  const Ended whole = run(scenario, first, 2, alive);
  ASSERT_EQ(whole.saved, scenario.ranks) << to_text(scenario) << whole.errors;
  look_at(
      scenario, whole, [&] { return to_text(scenario); }, counted);
  const auto moments = [&](std::int64_t rank) {
    std::vector<std::int64_t> out;
    for (std::int64_t at = 0; at < whole.changes[static_cast<std::size_t>(rank)]; at += stride) out.push_back(at);
    out.push_back(never);
    return out;
  };
  for (std::int64_t other = 1; other < scenario.ranks; ++other) {
    for (const std::int64_t of_other : moments(other)) {
      for (const std::int64_t of_first : moments(0)) {
        std::vector<std::int64_t> deaths = alive;
        deaths[0] = of_first;
        deaths[static_cast<std::size_t>(other)] = of_other;
        const Ended ended = run(scenario, first, 2, deaths);
        const auto what = [&] {
          const auto moment = [](std::int64_t at) {
            return at == never ? std::string("never") : base::cat("after ", at, " changes");
          };
          return base::cat(to_text(scenario), "; rank 0 dies ", moment(of_first), ", rank ", other, ' ', moment(of_other));
        };
        look_at(scenario, ended, what, counted);
        if (counted.violations > 0) return;
      }
    }
  }
}

class CrashRanks : public testing::Test {
 protected:
  CrashRanks() {
    base::set_log(base::LogLevel::warning, [](base::LogLevel, const char*, const char*) {});
  }
  ~CrashRanks() override { base::set_log(base::LogLevel::warning, {}); }

  Counted enumerate_all(Place place, bool in_background) {
    Counted counted;
    for (const RankScenario& scenario :
         {RankScenario{place, 2, in_background, true, 0, 0}, RankScenario{place, 2, in_background, false, 0, 1},
          RankScenario{place, 2, in_background, false, 1, 0}, RankScenario{place, 3, in_background, false, 2, 1}}) {
#ifndef CKPT_TEST_LONG
      if (scenario.ranks > 2) continue;
#endif
      if (counted.violations == 0) enumerate(scenario, counted);
    }
    std::printf("crash: ranks: %lld runs, %lld storages after them, %lld acknowledged, %lld with the second save\n",
                static_cast<long long>(counted.runs), static_cast<long long>(counted.storages),
                static_cast<long long>(counted.acknowledged), static_cast<long long>(counted.with_second));
    EXPECT_EQ(counted.violations, 0) << counted.first;
    // Both outcomes of a save occur.
    EXPECT_GT(counted.acknowledged, 3);
    EXPECT_LT(counted.acknowledged, counted.runs);
    EXPECT_GE(counted.with_second, counted.acknowledged);
    EXPECT_LT(counted.with_second, counted.storages);
    return counted;
  }
};

TEST_F(CrashRanks, AcknowledgedSavesAreNeverLostOnADisk) { enumerate_all(Place::disk, false); }
TEST_F(CrashRanks, AcknowledgedBackgroundSavesAreNeverLostOnADisk) { enumerate_all(Place::disk, true); }
TEST_F(CrashRanks, AcknowledgedSavesAreNeverLostInAnObjectStore) { enumerate_all(Place::objects, false); }
TEST_F(CrashRanks, AcknowledgedBackgroundSavesAreNeverLostInAnObjectStore) { enumerate_all(Place::objects, true); }

// Tests this test: each rank's syncs are needed, also those by which a background rank makes rank 0's commit durable before it
// acknowledges.
TEST_F(CrashRanks, MissingSyncsAreDetected) {
  for (const RankScenario& scenario :
       {RankScenario{Place::disk, 2, false, true, 0, 0, 0}, RankScenario{Place::disk, 2, true, true, 0, 0, 1}}) {
    // The order of the ranks' background threads varies between runs on a loaded machine, and in some orders no sync of this rank
    // is needed.
    constexpr int max_tries = 5;
    Counted counted;
    for (int tries = 0; tries < max_tries && counted.violations == 0; ++tries) enumerate(scenario, counted);
    EXPECT_GT(counted.violations, 0) << to_text(scenario);
  }
}

}  // namespace
