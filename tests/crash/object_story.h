// Stories of saves in an object store, as logs of requests; and what a crash among them may not break. The store itself is the
// model of tests/state/object_store.h.
//
// - A request whose answer has come has done all it does. Of the one that is under way when the process dies, any part may have
//   happened: a put or a removal has or has not, and of a removal of many files any subset. An upload's parts are in no listing
//   before the request that completes it: whatever of them is there, the store is the same.
// - A list may be late: each of the last changes (its depth) is shown in it or is not, one by one: a file that was put may be
// missing,
//   one that was removed may still be there. Reads and puts are never late. That is weaker than the flag of object stores promises.
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

// What became of the objects between two moments.
std::vector<Change> changes_between(const Objects& before, const Objects& after);
void apply(Objects& objects, const Change& change);

struct Request {
  std::string line;  // "put step-.../manifest.json"
  std::vector<Change> changes;
  int save = 0;          // whose commit record it puts
  int acknowledged = 0;  // from its answer on this save must never be lost
};

struct ObjectStory {
  std::string name;
  Puts puts = Puts::honest;
  Objects base;                     // what the store held when it began
  std::vector<Request> requests;    //
  std::vector<std::int64_t> steps;  // of save number 1, 2, ...
  std::size_t watched_from = 0;     // crashes among the requests before are not enumerated
};

// A client's lists, made late.
class LateLists {
 public:
  LateLists(std::shared_ptr<Bucket> bucket, std::vector<Change> history, std::size_t depth, std::uint64_t seed)
      : bucket_(std::move(bucket)), history_(std::move(history)), depth_(depth), chance_(seed) {}
  // From now on, for the client with these requests; its own changes are late to it, too.
  void attach(const std::shared_ptr<Requests>& requests);

 private:
  Objects view();

  std::shared_ptr<Bucket> bucket_;
  std::vector<Change> history_;
  std::size_t depth_;
  std::mt19937_64 chance_;
  Objects last_;
};

// Runs a story and keeps its log.
class ObjectNarrator {
 public:
  ObjectNarrator(std::string name, Puts puts);

  // A process begins: opens, and loads what there is.
  void open(std::int64_t keep_last);
  // Its lists are late from here on: a save may fail then, and is not acknowledged.
  void open_late(std::int64_t keep_last, std::size_t depth, std::uint64_t seed);
  // False when it failed.
  bool save(std::int64_t step);
  // A save, during which the process dies before its request of that number, or, is_done, before that one's answer. False when so
  // many were not needed.
  bool killed_save(std::int64_t step, std::int64_t number, bool is_done);
  // A save that finds, when it is about to put its record, that another writer has saved all of these.
  void overtaken_save(std::int64_t step, const std::vector<std::int64_t>& others, std::int64_t keep_last);
  void watch() { story_.watched_from = story_.requests.size(); }
  ObjectStory finish() { return std::move(story_); }

 private:
  std::shared_ptr<Requests> client();
  void end_request(const std::string& line);

  ObjectStory story_;
  std::shared_ptr<Bucket> bucket_ = std::make_shared<Bucket>();
  Objects before_;  // what was there before the request that runs
  int saving_ = 0;  // the number of the save that runs
  std::shared_ptr<Requests> requests_;
  std::shared_ptr<state::Checkpoint> writer_;
  std::shared_ptr<LateLists> late_;
};

// First and further saves, a re-saved step, retention, what follows a process that was killed at each request, writers that are
// overtaken, and lists that are late; with stores that refuse a taken name, say that they cannot, and do not. late_seeds: how many
// stories have late lists.
std::vector<ObjectStory> object_stories(int late_seeds);

struct ObjectEnumeration {
  std::size_t late_depth = 4;     // how many of the last changes a late list may lack
  int late_views = 3;             // of each store that a crash leaves
  Puts late_puts = Puts::honest;  // what the store does once a writer with late lists has found out that it refuses
};

// Crashes a story at each of its requests in every way, opens and loads what is left with the shipped code, with lists that are as
// they are and lists that are late, goes on with both, and counts.
class ObjectEnumerator {
 public:
  explicit ObjectEnumerator(const ObjectEnumeration& options) : options_(options) {}
  void run(const ObjectStory& story);
  const Count& count() const { return count_; }

 private:
  struct Crash;
  void look(const Crash& crash);
  Finding examine(const Crash& crash);
  Finding go_on_with_late_lists(const Crash& crash, std::uint64_t seed);

  ObjectEnumeration options_;
  Count count_;
};

}  // namespace ckpt::tests
