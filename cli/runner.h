// Runs steps under a schedule, or under those of a follower: the executor is made again only when the schedule changed.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "asked_budget.h"
#include "plans.h"

namespace ckpt::cli {

class Runner {
 public:
  // One schedule for all steps.
  Runner(const Chain& chain, Profile profile, Schedule schedule, const TensorSpec& input, const ScheduleExecutorOptions& options);
  // The follower chooses the schedule before each step. Throws, also before a step, if that schedule reserves more than the budget.
  Runner(const Chain& chain, Profile profile, Follower follower, const TensorSpec& input, const ScheduleExecutorOptions& options,
         const AskedBudget& budget);

  // Stages instead of one executor.
  Runner(const Chain& chain, Pipeline pipeline, const MemoryTracker& tracker);

  // Returns the loss.
  double run(const Step& step);
  // The loss of a step's data, of which nothing is learned. Not with stages.
  double evaluate(const Step& step) { return executor_->evaluate(step, chain_.layer_count()); }

  // Of the schedule in use.
  std::string schedule_name() const;
  // In use: one, or that of each stage.
  std::vector<Plan> plans() const;
  // What activations reserve under the schedule in use, queues between stages left out.
  std::int64_t arena_bytes() const;
  // nullptr when there are no stages.
  Pipeline* pipeline() { return pipeline_ ? &*pipeline_ : nullptr; }
  // Of all executors so far: counts are summed, peaks are the highest.
  ScheduleExecutorStats stats() const;

 private:
  void use(Schedule schedule);
  Plan plan() const;  // of the executor in use

  ScheduleExecutorStats pipeline_stats() const;

  const Chain& chain_;
  std::shared_ptr<const Profile> profile_;  // nullptr: the pipeline's own
  TensorSpec input_{};
  ScheduleExecutorOptions options_;
  mutable std::optional<Pipeline> pipeline_;
  const MemoryTracker* tracker_ = nullptr;  // of the pipeline
  std::optional<Follower> follower_;
  AskedBudget budget_;  // of the follower's schedules
  std::optional<Schedule> schedule_;
  std::optional<ScheduleExecutor> executor_;
  ScheduleExecutorStats former_;  // of executors that are gone
};

}  // namespace ckpt::cli
