// Sequences of saves, as logs of their disk operations; and the guarantees that a crash in them must not violate.
#pragma once

#include <cstdint>
#include <iterator>
#include <memory>
#include <numeric>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "async/manager.h"
#include "disk_model.h"
#include "recorder.h"
#include "state/manager/checkpoint.h"

namespace ckpt::tests {

// Groups of numbered states, and whether the first of them changes only with every second save, so that saves link its file.
struct Contents {
  int groups = 2;
  bool incremental = false;
  bool background = false;  // saved by an AsyncManager; overwritten as soon as a save is staged
};

// A state in which every element encodes the number of its save and its own position.
class NumberedState {
 public:
  explicit NumberedState(const Contents& contents);
  void fill(int save);
  // Returns the number of the save with this state, -1 if there is none.
  int save() const;

  state::State state;

 private:
  float element(int save, std::size_t tensor, std::int64_t index) const;

  Contents contents_;
  std::vector<std::shared_ptr<tensor::Tensor>> tensors_;
};

struct Scenario {
  std::string name;
  Contents contents;
  int weight = 16;                  // factor on the number of its images: scenarios of other kinds are many and similar
  Image base;                       // the disk's initial contents
  Log log;                          // including markers
  std::vector<std::int64_t> steps;  // of save number 1, 2, ...
  // Generations of these saves, from their results: a process that saves a lower step after a load rolls back. 0 for a save during
  // which the process was killed.
  std::vector<std::int64_t> generations;
};

// Runs a scenario on a storage and keeps the log.
class ScenarioRunner {
 public:
  explicit ScenarioRunner(std::string name, const Contents& contents = {});
  // Continues from the disk that the crash of another scenario left.
  ScenarioRunner(std::string name, const Scenario& before, const Image& left);

  // Starts a process: opens, and loads the newest checkpoint, if any. The previous process has ended.
  void open(std::int64_t keep_last = 0);
  void save(std::int64_t step);
  // Pins the newest checkpoint of the step.
  void pin(std::int64_t step);
  void prune(const std::string& rules);
  // A save during which the process dies after that many operations; the system survives. Returns false if the save needed fewer.
  bool killed_save(std::int64_t step, std::int64_t operations);
  // Excludes crashes before this point from the enumeration.
  void watch();
  Scenario finish();

 private:
  Scenario scenario_;
  std::shared_ptr<storage::Storage> disk_;
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  std::int64_t save_in_background(NumberedState& state, const state::SaveOptions& options);

  std::shared_ptr<state::Checkpoint> checkpoint_;
};

// First save, second save, a re-saved step, retention, pins, pruning, linked files, saves after killed saves, large states, and
// crashes during the recovery from a crash.
std::vector<Scenario> all_scenarios();
std::vector<Scenario> short_scenarios();
// The same scenarios, and those of killed saves, with background saves.
std::vector<Scenario> background_scenarios();

enum class Violation {
  none,
  lost,         // neither an acknowledged save nor a newer one was found
  wrong_bytes,  // the loaded values were never saved
  damaged,      // a checkpoint has a wrong manifest or wrong sizes
  no_next,      // a save after recovery failed
  unpinned,     // a pinned save or its pin is missing
  early,        // a save was found before its commit record was written
};

struct Finding {
  Violation violation = Violation::none;
  std::string text;
};

struct Count {
  std::int64_t images = 0;    // drawn from the model
  std::int64_t distinct = 0;  // disks that differ from all before
  std::int64_t examined = 0;  // distinct ones, counted once for each acknowledgement that they must preserve
  std::int64_t loaded = 0;    // of these: with a checkpoint to load
  std::int64_t violations[7] = {};
  std::string first;  // the first violation

  std::int64_t bad() const { return std::accumulate(std::begin(violations) + 1, std::end(violations), std::int64_t{0}); }
};

// Images of one moment, times the scenario's weight: the number examined with CKPT_TEST_LONG, the share examined otherwise, and the
// number that crash_mutation needs to detect every mutation. A smaller share is a subset of a larger one.
constexpr std::uint64_t all_images = 600;
constexpr std::uint64_t share_of_images = 80;
constexpr std::uint64_t mutation_images = 32;
static_assert(mutation_images <= share_of_images && share_of_images <= all_images);

struct Enumeration {
  std::uint64_t max_images = all_images;
  state::Verify verify = state::Verify::full;
  bool stop_at_first = false;
};

// Crashes the scenario after each of its operations in every way, opens and loads each disk with the library's code, and counts.
class Enumerator {
 public:
  explicit Enumerator(const Enumeration& options) : options_(options) {}
  void run(const Scenario& scenario);
  const Count& count() const { return count_; }

 private:
  void look(const Scenario& scenario, const Image& image, int best, int pinned, std::size_t moment);

  Enumeration options_;
  Count count_;
  std::set<std::uint64_t> images_;
  std::set<std::uint64_t> cases_;
};

}  // namespace ckpt::tests
