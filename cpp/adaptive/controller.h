// Decides when to make a checkpoint, and learns costs and failure rates from recorded events. Times are seconds on any clock that
// does not go backwards; the caller passes them. Thread-safe; fixed size regardless of the number of events.
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
  double keep = 1;                  // fraction of the bayes estimate kept at each failure, above 0, at most 1
  double initial_cost_seconds = 0;  // of a save; 0: unknown, so that the first save is made early
  double first_seconds = 600;       // if the cost is unknown, the latest time of the first save
  double poll_seconds = 0;          // between queries; 0: the mean duration of the observed tasks
  double min_interval_seconds = 0;
  double max_interval_seconds = unlimited;
  double max_overhead_share = 1;  // of the time, spent in saves
  std::int64_t budget_saves = std::numeric_limits<std::int64_t>::max();
  double budget_window_seconds = unlimited;  // windows are consecutive
  ThresholdOptions threshold_options;
  bool weighs_experts = true;  // false if the automatic policy is never used with this state
};

enum class Reason : std::int32_t {
  not_due = 0,
  due,
  first_save,      // early, to measure the cost of a save
  task_is_long,    // threshold: save
  task_is_short,   // threshold: do not save, or no slot left
  save_in_flight,  // the previous save is not durable yet
  budget_is_spent,
  preemption,        // the process will be terminated: save now
  preemption_short,  // the process will be terminated before a save could be durable
  preemption_saved,  // the process will be terminated, and a save is durable
};

struct Decision {
  bool checkpoint = false;
  Reason reason = Reason::not_due;
  Policy policy = Policy::automatic;
  double interval_seconds = 0;    // the desired time between two saves; 0 for threshold
  double risk = 0;                // probability of a failure within that interval
  double cost_seconds = 0;        // of a save: measured, given or assumed
  double since_last_seconds = 0;  // since the last save, or since work began
  double due_seconds = 0;         // when a save is due; 0 for threshold
};

struct ControllerInfo {
  bool running = false;
  bool save_in_flight = false;
  std::int64_t failures = 0;
  std::int64_t saves = 0;
  double cost_seconds = 0;     // mean stall of the last saves; 0 if none was measured
  double durable_seconds = 0;  // mean time until the last saves were durable; 0 as above
  double unjudged_overhead_seconds = 0;
  double last_seen_seconds = 0;
  double mtbf_seconds = 0;  // 1 / current hazard rate
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

  // Begins a run now: Error(invalid_state) if one is active.
  void begin_run(double now);
  // Continues in a new process after from_json. A run that was active in the JSON has failed after its last recorded time: half
  // an interval later, but not after now. Otherwise a run begins. now may be on a new clock.
  void resume(double now);

  // Changes nothing. Fails with Error(invalid_state) if no run is active.
  Decision decide(double now) const;
  // Returns the same answer on all processes: that of rank 0, the only rank that needs an active run. All ranks must call it.
  // Rank 0 records the longest stall of all ranks for each of its saves: it gathers them after a save, until no rank is still in
  // it. An error of one rank is thrown on all ranks, including errors in its arguments, since they are read inside the call; only
  // the timeout is needed before that. A negative timeout is such an error, and is then reported within ten minutes.
  struct DecideArguments {
    Controller* controller = nullptr;
    double now = 0;
  };
  static Decision decide_all(state::Coordinator& coordinator, state::Coordinator::Timeout timeout,
                             const std::function<DecideArguments()>& read);
  Decision decide_all(state::Coordinator& coordinator, double now, state::Coordinator::Timeout timeout) {
    return decide_all(coordinator, timeout, [&] { return DecideArguments{this, now}; });
  }

  // A save: begin when it starts, commit when it is durable. stall: the time that work stopped for it; durable: the time since
  // begin.
  void begin_save(double now);
  void commit_save(double now, double stall, double durable);
  void abort_save(double now);
  // The same for a background save that ends on another thread: begin returns the number to pass to the end. The end
  // uses the last time passed as now, and does nothing if another save was begun or the run has failed or ended meanwhile.
  struct SaveCost {
    double stall = 0;
    double durable = 0;
  };
  std::int64_t begin_background_save(double now);
  void end_background_save(std::int64_t number, const std::optional<SaveCost>& committed);

  void observe_task(std::string_view name, double seconds);
  void record_failure(double now);
  // Work continues after a failure. saved: work that does not have to be repeated; overhead: the cost of the loaded checkpoint.
  void record_recovery(double now, double saved_seconds, double overhead);
  // Ends the run without a failure.
  void record_clean_exit(double now);
  // Announces that the process will be terminated in left_seconds.
  void preemption_notice(double now, double left_seconds);

  ControllerInfo info() const;
  // Returns the history of the threshold rule, oldest first.
  std::vector<Threshold::Task> tasks() const;

  std::string to_json() const;
  // Restores the state of another controller; options are kept. Fails without a change with Error(corrupt) if text is not from
  // to_json, Error(unsupported) if it has a later version.
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

  // All mutable state, in one struct so that it can be swapped.
  struct Memory {
    Memory(double keep, const ThresholdOptions& options) : forecast(keep), threshold(options) {}
    Forecast forecast;
    Threshold threshold;
    Recent stalls;
    Recent durables;
    // The save number of each stall entry; 0: a save about which other ranks can no longer be asked.
    std::array<std::int64_t, measured_saves> stall_saves{};
    bool asks_ranks = false;  // a rank may still report a longer stall
    bool running = false;
    bool in_flight = false;
    bool noticed = false;  // a preemption was announced
    bool notice_saved = false;
    double last_seen = 0;
    double gap_begin = 0;     // time of the last failure, or of the run's begin
    double work_age = 0;      // from there until work began
    double saved_at = 0;      // begin of the work at risk
    double begun_at = 0;      // begin of the save in flight
    double deadline = 0;      // of the preemption
    double window_begin = 0;  // of the budget
    std::int64_t window_saves = 0;
    double unjudged_overhead = 0;
    double task_seconds = 0;  // moving average
    double last_task_seconds = 0;
  };

  // A rank's records of its last saves, as gathered by rank 0.
  struct Stalls {
    std::int64_t in_flight = 0;  // number of the save; 0: none
    std::array<std::int64_t, measured_saves> saves{};
    std::array<double, measured_saves> seconds{};
  };
  static void check_stalls(const Stalls& stalls);

  double cost() const;
  double poll() const;
  // The number of the save begun last, the same on all ranks.
  std::int64_t save_number() const { return saves_begun_ + save_offset_; }
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
  mutable base::ForkMutex mutex_;  // user code never runs under it
  Memory memory_;
  std::int64_t saves_begun_ = 0;
  std::int64_t save_offset_ = 0;  // number of saves that rank 0 had begun before this controller was created
  // Inputs of the next decisions, recomputed on each change.
  double interval_ = 0;
  double due_ = 0;
  double risk_ = 0;
};

static_assert(sizeof(Controller) <= std::size_t{64} << 10);

}  // namespace ckpt::adaptive
