// Decides when to make a checkpoint, and learns costs and failures from what is recorded. Times are seconds on any clock that does
// not go backwards; the caller passes them. Synchronised; of a fixed size whatever it has seen.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "adaptive/forecast.h"
#include "adaptive/threshold.h"
#include "base/fork_mutex.h"
#include "state/coordinator.h"

namespace ckpt::adaptive {

constexpr double unlimited = std::numeric_limits<double>::infinity();

struct ControllerOptions {
  Policy policy = Policy::automatic;
  double mtbf_seconds = 0;          // for young and daly
  double interval_seconds = 0;      // for fixed
  double keep = 1;                  // of what bayes knows at each failure, above 0, at most 1
  double initial_cost_seconds = 0;  // of a save; 0: unknown, so that the first one is made early
  double first_seconds = 600;       // when the cost is unknown, the first save comes no later
  double poll_seconds = 0;          // between questions; 0: as long as the observed tasks last on average
  double min_interval_seconds = 0;
  double max_interval_seconds = unlimited;
  double max_overhead_share = 1;  // of the time, spent in saves
  std::int64_t budget_saves = std::numeric_limits<std::int64_t>::max();
  double budget_window_seconds = unlimited;  // windows follow one another
  ThresholdOptions threshold_options;
  bool weighs_experts = true;  // false where no caller will ask this knowledge of the automatic policy
};

enum class Reason : std::int32_t {
  not_due = 0,
  due,
  first_save,      // early, to learn what a save costs
  task_is_long,    // threshold: yes
  task_is_short,   // threshold: no, or no slot left
  save_in_flight,  // the one before is not durable yet
  budget_is_spent,
  preemption,        // the process will end: save now
  preemption_short,  // the process will end before a save could be durable
  preemption_saved,  // the process will end, and a save is durable
};

struct Decision {
  bool checkpoint = false;
  Reason reason = Reason::not_due;
  Policy policy = Policy::automatic;
  double interval_seconds = 0;    // wanted between two saves now; 0 for threshold
  double risk = 0;                // probability of a failure within that interval
  double cost_seconds = 0;        // of a save: measured, given or assumed
  double since_last_seconds = 0;  // since the last save, or since work began
  double due_seconds = 0;         // when a save is wanted; 0 for threshold
};

struct ControllerInfo {
  bool running = false;
  bool save_in_flight = false;
  std::int64_t failures = 0;
  std::int64_t saves = 0;
  double cost_seconds = 0;     // mean of the last saves' stalls; 0 when none was measured
  double durable_seconds = 0;  // mean of the last saves' times until they were durable; 0 as above
  double unjudged_overhead_seconds = 0;
  double last_seen_seconds = 0;
  double mtbf_seconds = 0;  // 1 / hazard now
  double threshold = 0;
  std::int64_t threshold_used = 0;
  Hedge::Weights weights{};
};

class Controller {
 public:
  static constexpr std::int32_t format_version = 1;

  explicit Controller(const ControllerOptions& options);
  Controller(const Controller&) = delete;
  Controller& operator=(const Controller&) = delete;

  // A run begins now: error(invalid_state) when one is going on.
  void begin_run(double now);
  // A process goes on after from_json: a run that the JSON left going on has failed since its last sign of life, half an interval
  // after that sign but not later than now; else a run begins. now may be on a new clock.
  void resume(double now);

  // Changes nothing. Errors: invalid_state when no run is going on.
  Decision decide(double now) const;
  // The same answer for all processes: that of rank 0, which alone needs a run that is going on. All must call it. Rank 0 notes the
  // longest stall of all ranks for each of its saves: it asks them after a save, until none of them is still in it.
  // An error of one rank is thrown on all ranks. That includes errors in its arguments, since they are read inside the call; only
  // the timeout is needed before that. A negative one is such an error, and ten minutes then limit its report.
  struct DecideArguments {
    Controller* controller = nullptr;
    double now = 0;
  };
  static Decision decide_all(state::Coordinator& coordinator, state::Coordinator::Timeout timeout,
                             const std::function<DecideArguments()>& read);
  Decision decide_all(state::Coordinator& coordinator, double now, state::Coordinator::Timeout timeout) {
    return decide_all(coordinator, timeout, [&] { return DecideArguments{this, now}; });
  }

  // A save: begin when it starts, commit when it is durable. stall: how long work stood still for it; durable: from begin on.
  void begin_save(double now);
  void commit_save(double now, double stall, double durable);
  void abort_save(double now);
  // The same for a save in the background, whose end another thread reports: begin returns the number that the end must come with.
  // The end takes the last time seen for now, and does nothing when another save was begun or the run has failed or ended
  // meanwhile.
  struct SaveCost {
    double stall = 0;
    double durable = 0;
  };
  std::int64_t begin_background_save(double now);
  void end_background_save(std::int64_t number, const std::optional<SaveCost>& committed);

  void observe_task(std::string_view name, double seconds);
  void record_failure(double now);
  // Work goes on after a failure. saved: work that needs not be done again; overhead: what the loaded checkpoint had cost.
  void record_recovery(double now, double saved_seconds, double overhead);
  // The run ends without a failure.
  void record_clean_exit(double now);
  // The process will be ended in left_seconds.
  void preemption_notice(double now, double left_seconds);

  ControllerInfo info() const;
  // Those that the threshold rule remembers, the oldest first.
  std::vector<Threshold::Task> tasks() const;

  std::string to_json() const;
  // Takes over what another controller knew; options stay. Error(corrupt) and no change when text is not to_json's, unsupported
  // when it is of a later version.
  void from_json(std::string_view text);

 private:
  static constexpr std::size_t measured_saves = 8;

  // The last few values, and their mean.
  struct Recent {
    std::array<double, measured_saves> values{};
    std::int64_t count = 0;
    std::size_t next() const { return static_cast<std::size_t>(count) % measured_saves; }
    void add(double value) {
      values[next()] = value;
      ++count;
    }
    double mean() const;
  };

  // All that changes, in one piece so that it can be swapped.
  struct Memory {
    Memory(double keep, const ThresholdOptions& options) : forecast(keep), threshold(options) {}
    Forecast forecast;
    Threshold threshold;
    Recent stalls;
    Recent durables;
    // The numbers of the saves whose stalls are at the same places; 0: a save that other ranks cannot be asked about any more.
    std::array<std::int64_t, measured_saves> stall_saves{};
    bool asks_ranks = false;  // one of them may have stood still for longer
    bool running = false;
    bool in_flight = false;
    bool noticed = false;  // a preemption
    bool notice_saved = false;
    double last_seen = 0;
    double gap_begin = 0;     // the last failure, or where the run began
    double work_age = 0;      // from there until work began
    double saved_at = 0;      // since when work is at risk
    double begun_at = 0;      // the save in flight
    double deadline = 0;      // of the preemption
    double window_begin = 0;  // of the budget
    std::int64_t window_saves = 0;
    double unjudged_overhead = 0;
    double task_seconds = 0;  // running mean
    double last_task_seconds = 0;
  };

  // What a rank has noted of its last saves, as it goes to rank 0.
  struct Stalls {
    std::int64_t in_flight = 0;  // number of the save; 0: none
    std::array<std::int64_t, measured_saves> saves{};
    std::array<double, measured_saves> seconds{};
  };
  static void check_stalls(const Stalls& stalls);

  double cost() const;
  double poll() const;
  // Of the save that was begun last, the same on all ranks.
  std::int64_t save_number() const { return saves_begun_ + behind_; }
  bool asks_ranks() const;
  Stalls stalls() const;
  void note_longest(std::span<const Stalls> of_ranks);
  std::int64_t last_save_number() const;
  void count_saves_like(std::int64_t number);
  void see(double now, bool needs_run = true);
  void begin_locked(double now);
  void commit_locked(double now, const SaveCost& cost);
  void plan_next();
  Decision decide_locked(double now) const;
  void start(double now);

  ControllerOptions options_;
  mutable base::ForkMutex mutex_;  // the user's code never runs under it
  Memory memory_;
  std::int64_t saves_begun_ = 0;
  std::int64_t behind_ = 0;  // how many saves rank 0 had begun before this controller was made
  // What the next decisions need, computed when something changes.
  double interval_ = 0;
  double due_ = 0;
  double risk_ = 0;
};

static_assert(sizeof(Controller) <= std::size_t{64} << 10);

}  // namespace ckpt::adaptive
