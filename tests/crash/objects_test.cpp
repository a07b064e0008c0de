// Every crash of every scenario of an object store: the library's open and load find the newest acknowledged checkpoint, or the one
// with a record that was being put. Also tests this test: a protocol with one mistake must be detected.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <optional>
#include <utility>

#include "base/log.h"
#include "object_scenario.h"

namespace {

using namespace ckpt::tests;

#ifdef CKPT_SANITIZED
constexpr ObjectEnumeration depth{4, 1};
constexpr int delayed_scenarios = 2;
#elif defined(CKPT_TEST_LONG)
constexpr ObjectEnumeration depth{8, 40};
constexpr int delayed_scenarios = 60;
#else
constexpr ObjectEnumeration depth{4, 3};
constexpr int delayed_scenarios = 12;
#endif

class CrashObjects : public testing::Test {
 protected:
  CrashObjects() {
    ckpt::base::set_log(ckpt::base::LogLevel::warning, [](ckpt::base::LogLevel, const char*, const char*) {});
  }
  ~CrashObjects() override { ckpt::base::set_log(ckpt::base::LogLevel::warning, {}); }
};

Count enumerate(const std::vector<ObjectScenario>& scenarios, const ObjectEnumeration& options) {
  ObjectEnumerator enumerator(options);
  for (const ObjectScenario& scenario : scenarios) enumerator.run(scenario);
  return enumerator.count();
}

TEST_F(CrashObjects, AcknowledgedSavesAreNeverLost) {
  const std::vector<ObjectScenario> scenarios = object_scenarios(delayed_scenarios);
  const Count count = enumerate(scenarios, depth);
  std::printf(
      "crash: %zu scenarios of an object store, %lld crashes, %lld examined (delayed listings: the last %zu changes, %d views), "
      "%lld "
      "with a checkpoint, %lld violations\n",
      scenarios.size(), static_cast<long long>(count.images), static_cast<long long>(count.examined), depth.listing_delay,
      depth.listing_views, static_cast<long long>(count.loaded), static_cast<long long>(count.bad()));
  EXPECT_EQ(count.bad(), 0) << count.first;
  EXPECT_GT(count.images, 1000);
  EXPECT_GT(count.loaded, count.images / 2);  // most stores have a checkpoint to load
}

// The scenarios contain what their names promise.
TEST_F(CrashObjects, EachScenarioContainsItsEvent) {
  int acknowledged = 0;
  int delayed = 0;
  int delayed_failures = 0;
  for (const ObjectScenario& scenario : object_scenarios(delayed_scenarios)) {
    const auto good = std::ranges::count_if(scenario.requests, [](const Request& request) { return request.acknowledged != 0; });
    acknowledged += static_cast<int>(good);
    if (scenario.name.starts_with("delayed")) {
      delayed += static_cast<int>(good);
      delayed_failures += static_cast<int>(std::ssize(scenario.steps) - good);
    }
    if (!scenario.name.ends_with("overtaken by three")) continue;
    EXPECT_EQ(good, 4) << scenario.name;  // all except the overtaken one
    const auto is_record = [](const Request& request) { return request.line.starts_with("remove commits/"); };
    EXPECT_GT(std::ranges::count_if(scenario.requests, is_record), 0) << scenario.name;
  }
  EXPECT_GT(acknowledged, 100);
  EXPECT_GT(delayed, 0);
  EXPECT_GT(delayed_failures, 0);
}

// ---- Mutations: edit the requests that reached the store, while the code assumes the original ones ----

using ObjectMutation = std::function<void(std::vector<Request>&)>;

Count mutated(const ObjectMutation& mutation) {
  std::vector<ObjectScenario> scenarios = object_scenarios(0);
  for (ObjectScenario& scenario : scenarios) mutation(scenario.requests);
  return enumerate(scenarios, {0, 0});
}

// Visits the requests of every save, from its first one to the one that acknowledges it.
void for_each_save(std::vector<Request>& requests, const std::function<void(std::size_t record, std::size_t list)>& change) {
  for (std::size_t record = 0; record < requests.size(); ++record) {
    if (requests[record].save == 0) continue;
    for (std::size_t list = record; list < requests.size(); ++list) {
      if (requests[list].acknowledged == requests[record].save) change(record, list);
    }
  }
}

// Moves the last request with this line ending from before the record to directly after the acknowledging answer.
ObjectMutation moved_after_the_commit(const std::string& end) {
  return [end](std::vector<Request>& requests) {
    for_each_save(requests, [&](std::size_t record, std::size_t list) {
      for (std::size_t i = record; i-- > 0;) {
        if (!requests[i].line.ends_with(end)) continue;
        std::rotate(requests.begin() + static_cast<std::ptrdiff_t>(i), requests.begin() + static_cast<std::ptrdiff_t>(i) + 1,
                    requests.begin() + static_cast<std::ptrdiff_t>(list) + 1);
        return;
      }
    });
  };
}

std::int64_t violations(const Count& count, Violation kind) { return count.violations[static_cast<std::size_t>(kind)]; }

TEST_F(CrashObjects, UnmutatedIsClean) {
  const Count count = mutated([](std::vector<Request>&) {});
  EXPECT_EQ(count.bad(), 0) << count.first;
}

// The record shows that the manifest is missing: the checkpoint is damaged, and not mistaken for an unfinished save.
TEST_F(CrashObjects, CommitBeforeTheManifestIsDetected) {
  EXPECT_GT(violations(mutated(moved_after_the_commit("/manifest.json")), Violation::damaged), 0);
}

TEST_F(CrashObjects, CommitBeforeATensorFileIsDetected) {
  EXPECT_GT(violations(mutated(moved_after_the_commit(".safetensors")), Violation::damaged), 0);
}

TEST_F(CrashObjects, AcknowledgementBeforeTheRecordIsDetected) {
  const Count count = mutated([](std::vector<Request>& requests) {
    for_each_save(requests, [&](std::size_t record, std::size_t list) {
      std::swap(requests[record - 1].acknowledged, requests[list].acknowledged);
    });
  });
  EXPECT_GT(violations(count, Violation::lost), 0);
}

// The purpose of the listing after the record: a writer that was overtaken, and got its record in only because of the others'
// retention, is not acknowledged.
TEST_F(CrashObjects, AcknowledgementBeforeTheListingIsDetected) {
  const Count count = mutated([](std::vector<Request>& requests) {
    for (Request& request : requests) {
      if (request.save != 0 && !request.changes.empty()) request.acknowledged = request.save;
    }
  });
  EXPECT_GT(violations(count, Violation::lost), 0);
}

// The objects that make it a checkpoint exist while the writer is still doing something else.
TEST_F(CrashObjects, FindingASaveBeforeItsRecordIsDetected) {
  const Count count = mutated([](std::vector<Request>& requests) {
    std::vector<Request> changed;
    for (Request& request : requests) {
      if (request.save != 0) {
        changed.push_back({"the record, too early", std::exchange(request.changes, {}), 0, 0});
        changed.push_back({"something else", {{"other", std::nullopt, "text"}}, 0, 0});
      }
      changed.push_back(std::move(request));
    }
    requests = std::move(changed);
  });
  EXPECT_GT(violations(count, Violation::early), 0);
}

// A removal starts with the record; otherwise the remaining objects would look like a checkpoint with missing files.
TEST_F(CrashObjects, RemovalOfFilesBeforeTheirRecordIsDetected) {
  const Count count = mutated([](std::vector<Request>& requests) {
    for (auto record = requests.begin(); record != requests.end(); ++record) {
      if (!record->line.starts_with("remove commits/")) continue;
      const auto files = std::find_if(record, requests.end(),
                                      [](const Request& request) { return request.line.starts_with("remove_many step-"); });
      if (files != requests.end()) record = std::rotate(record, files, files + 1);
    }
  });
  EXPECT_GT(violations(count, Violation::damaged), 0);
}

// The effect of delayed listings in a store that does not refuse an existing name.
TEST_F(CrashObjects, DelayedListingsAreDetectedWithoutConditionalPuts) {
  ObjectEnumeration options{4, 3};  // with fewer listings the first mutation is not detected
  options.delayed_puts = Puts::ignore_condition;
  std::vector<ObjectScenario> scenarios = object_scenarios(0);
  std::erase_if(scenarios, [](const ObjectScenario& scenario) { return scenario.puts != Puts::conditional; });
  EXPECT_GT(enumerate(scenarios, options).bad(), 0);
}

}  // namespace
