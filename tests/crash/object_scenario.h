// Sequences of saves in an object store, as logs of requests; and the guarantees that a crash among them must not violate. The
// store itself is the model of tests/state/object_store.h.
//
// - An answered request has taken full effect. The request in progress when the process dies may have taken effect:
//   a put or a removal has or has not, and a removal of many files has removed any subset. An upload's parts are in no listing
// before
//   the request that completes it, so they do not change the store.
// - A listing may be delayed: each of the last changes (its depth) may independently be visible in it or not: a file that was put
// may be
//   missing, a removed one may still be listed. Reads and puts are never delayed. That is weaker than the consistency that object
// stores
//   guarantee.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "scenario.h"
#include "state/manager/checkpoint.h"
#include "state/object_store.h"

namespace ckpt::tests {

using Objects = std::map<std::string, std::string>;

// One object that a request has put, replaced or removed.
struct Change {
  std::string path;
  std::optional<std::string> before;
  std::optional<std::string> after;
};

// Returns the changes of the objects between two moments.
std::vector<Change> changes_between(const Objects& before, const Objects& after);
void apply(Objects& objects, const Change& change);

struct Request {
  std::string line;  // "put step-.../manifest.json"
  std::vector<Change> changes;
  int save = 0;          // the save of the commit record that it puts
  int acknowledged = 0;  // this save must not be lost after its answer
};

struct ObjectScenario {
  std::string name;
  Puts puts = Puts::conditional;
  Objects base;                     // the store's initial objects
  std::vector<Request> requests;    //
  std::vector<std::int64_t> steps;  // of save number 1, 2, ...
  std::size_t watched_from = 0;     // crashes in earlier requests are not enumerated
};

// Delays the listings of a client.
class DelayedListings {
 public:
  DelayedListings(std::shared_ptr<Bucket> bucket, std::vector<Change> history, std::size_t depth, std::uint64_t seed)
      : bucket_(std::move(bucket)), history_(std::move(history)), depth_(depth), chance_(seed) {}
  // From now on, for the client with these requests; its own changes are delayed, too.
  void attach(const std::shared_ptr<Requests>& requests);

 private:
  Objects view();

  std::shared_ptr<Bucket> bucket_;
  std::vector<Change> history_;
  std::size_t depth_;
  std::mt19937_64 chance_;
  Objects last_;
};

// Runs a scenario and keeps its log.
class ObjectScenarioRunner {
 public:
  ObjectScenarioRunner(std::string name, Puts puts);

  // Starts a process: opens, and loads the newest checkpoint, if any.
  void open(std::int64_t keep_last);
  // Its listings are delayed from here on: a save may then fail, and is not acknowledged.
  void open_with_delay(std::int64_t keep_last, std::size_t depth, std::uint64_t seed);
  // Returns false if the save failed.
  bool save(std::int64_t step);
  // A save during which the process dies before its request with that number or, with is_done, before that request's answer.
  // Returns false if the save needed fewer requests.
  bool killed_save(std::int64_t step, std::int64_t number, bool is_done);
  // A save that detects, just before it puts its record, that another writer has saved all of these steps.
  void overtaken_save(std::int64_t step, const std::vector<std::int64_t>& others, std::int64_t keep_last);
  void watch() { scenario_.watched_from = scenario_.requests.size(); }
  ObjectScenario finish() { return std::move(scenario_); }

 private:
  std::shared_ptr<Requests> client();
  void end_request(const std::string& line);

  ObjectScenario scenario_;
  std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
  Objects before_;  // objects before the current request
  int saving_ = 0;  // the number of the current save
  std::shared_ptr<Requests> requests_;
  std::shared_ptr<state::Checkpoint> writer_;
  std::shared_ptr<DelayedListings> listings_;
};

// First and further saves, a re-saved step, retention, a restart after a kill at each request, writers that are overtaken, and
// delayed listings; on stores that refuse an existing name, that report that they cannot, and that silently do not. delayed_seeds:
// the number of scenarios with delayed listings.
std::vector<ObjectScenario> object_scenarios(int delayed_seeds);

struct ObjectEnumeration {
  std::size_t listing_delay = 4;          // how many of the last changes a delayed listing may miss
  int listing_views = 3;                  // listings tried for each store after a crash
  Puts delayed_puts = Puts::conditional;  // the store's behaviour after a writer with delayed listings has detected that it refuses
};

// Crashes a scenario at each of its requests in every way, opens and loads the remaining objects with the library's code, with
// current and with delayed listings, continues with both, and counts.
class ObjectEnumerator {
 public:
  explicit ObjectEnumerator(const ObjectEnumeration& options) : options_(options) {}
  void run(const ObjectScenario& scenario);
  const Count& count() const { return count_; }

 private:
  struct Crash;
  void look(const Crash& crash);
  Finding examine(const Crash& crash);
  Finding continues_with_delayed_listings(const Crash& crash, std::uint64_t seed);

  ObjectEnumeration options_;
  Count count_;
};

}  // namespace ckpt::tests
