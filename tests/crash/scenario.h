// Stories of saves, as logs of what they did to the disk; and what a crash in them may not break.
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

// Groups of numbered states and whether the first of them changes with every second save only, so that saves link its file.
struct Contents {
  int groups = 2;
  bool incremental = false;
  bool background = false;  // saved by an AsyncManager; filled with something else as soon as a save is staged
};

// A state whose every element says which save it belongs to and where it stands.
class NumberedState {
 public:
  explicit NumberedState(const Contents& contents);
  void fill(int save);
  // The save whose state this is, -1 when it is that of none.
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
  int weight = 16;                  // how many more images than the others of its kind it gets: those are many, and much alike
  Image base;                       // what the disk held when it began
  Log log;                          // with its marks
  std::vector<std::int64_t> steps;  // of save number 1, 2, ...
  // Generations of these saves, from their results: a process that saves a lower step after a load rolls back. 0 for a save during
  // which the process was killed.
  std::vector<std::int64_t> generations;
};

// Runs a story on a storage and keeps the log.
class Narrator {
 public:
  explicit Narrator(std::string name, const Contents& contents = {});
  // Goes on where the crash of another scenario left the disk.
  Narrator(std::string name, const Scenario& before, const Image& left);

  // A process begins: opens, and loads what there is. The one before it has ended.
  void open(std::int64_t keep_last = 0);
  void save(std::int64_t step);
  // Pins the newest one of the step.
  void pin(std::int64_t step);
  void prune(const std::string& rules);
  // A save, during which the process dies after so many operations; the system lives on. False when that many were not needed.
  bool killed_save(std::int64_t step, std::int64_t operations);
  // Crashes before this point are not to be enumerated.
  void watch();
  Scenario finish();

 private:
  Scenario scenario_;
  std::shared_ptr<storage::Storage> disk_;
  std::shared_ptr<Recorder> recorder_ = std::make_shared<Recorder>();
  std::int64_t save_in_background(NumberedState& state, const state::SaveOptions& options);

  std::shared_ptr<state::Checkpoint> checkpoint_;
};

// First save, second save, a re-saved step, retention, pins, pruning, linked files, what follows killed saves, wide states, and
// crashes during the recovery from a crash.
std::vector<Scenario> all_scenarios();
std::vector<Scenario> short_scenarios();
// The same stories, and those of killed saves, run by saves in the background.
std::vector<Scenario> background_scenarios();

enum class Violation {
  none,
  lost,         // an acknowledged save was not found, nor a newer one
  wrong_bytes,  // something was loaded that never was saved
  damaged,      // a checkpoint is there whose manifest or sizes are wrong
  no_next,      // after recovery a save did not work
  unpinned,     // a pinned save is gone, or its pin
  early,        // a save was found before its commit record was put
};

struct Finding {
  Violation violation = Violation::none;
  std::string text;
};

struct Count {
  std::int64_t images = 0;    // drawn from the model
  std::int64_t distinct = 0;  // disks that differ from all before
  std::int64_t examined = 0;  // distinct ones, again for each acknowledgement that they must honour
  std::int64_t loaded = 0;    // of these: with something to load
  std::int64_t violations[7] = {};
  std::string first;  // the first violation

  std::int64_t bad() const { return std::accumulate(std::begin(violations) + 1, std::end(violations), std::int64_t{0}); }
};

// Images of one moment, times the scenario's weight: all that are examined by CKPT_TEST_LONG, the share of them that is examined
// otherwise, and as many as crash_mutation needs to notice every mutation. Those of a share are among those of a larger one.
constexpr std::uint64_t all_images = 600;
constexpr std::uint64_t share_of_images = 80;
constexpr std::uint64_t mutation_images = 32;
static_assert(mutation_images <= share_of_images && share_of_images <= all_images);

struct Enumeration {
  std::uint64_t most_images = all_images;
  state::Verify verify = state::Verify::full;
  bool stop_at_first = false;
};

// Crashes the scenario after each of its operations in every way, opens and loads each disk with the shipped code, and counts.
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
