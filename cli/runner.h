// Runs steps under a fixed schedule or under those of a follower; the executor is recreated only if the schedule changes.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "plans.h"
#include "requested_budget.h"

namespace ckpt::cli {

class Runner {
 public:
  // One schedule for all steps.
  Runner(const Chain& chain, Profile profile, Schedule schedule, const TensorSpec& input, const ScheduleExecutorOptions& options);
  // The follower chooses the schedule before each step. Throws, also before a step, if that schedule reserves more than the budget.
  Runner(const Chain& chain, Profile profile, Follower follower, const TensorSpec& input, const ScheduleExecutorOptions& options,
         const RequestedBudget& budget);

  // Stages instead of one executor.
  Runner(const Chain& chain, Pipeline pipeline, const MemoryTracker& tracker);

  // Returns the loss.
  double run(const Step& step);
  // Returns the loss of a step's data without learning from it. Not available with stages.
  double evaluate(const Step& step) { return executor_->evaluate(step, chain_.layer_count()); }

  // Name of the current schedule.
  std::string schedule_name() const;
  // The current plan, or that of each stage.
  std::vector<Plan> plans() const;
  // Bytes reserved for activations under the current schedule, without the queues between stages.
  std::int64_t arena_bytes() const;
  // nullptr without stages.
  Pipeline* pipeline() { return pipeline_ ? &*pipeline_ : nullptr; }
  // Statistics over all executors so far: counts are summed, peaks are maxima.
  ScheduleExecutorStats stats() const;

 private:
  void use(Schedule schedule);
  Plan plan() const;  // of the current executor

  ScheduleExecutorStats pipeline_stats() const;

  const Chain& chain_;
  std::shared_ptr<const Profile> profile_;  // nullptr: the pipeline's own
  TensorSpec input_{};
  ScheduleExecutorOptions options_;
  mutable std::optional<Pipeline> pipeline_;
  const MemoryTracker* tracker_ = nullptr;  // the pipeline's tracker
  std::optional<Follower> follower_;
  RequestedBudget budget_;  // limit of the follower's schedules
  std::optional<Schedule> schedule_;
  std::optional<ScheduleExecutor> executor_;
  ScheduleExecutorStats former_;  // of previous executors
};

}  // namespace ckpt::cli
