#include "runner.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "planner.h"
#include "text.h"

namespace ckpt::cli {
namespace {

void add(ScheduleExecutorStats& sum, const ScheduleExecutorStats& more) {
  sum.steps += more.steps;
  sum.forwards += more.forwards;
  sum.recomputed_forwards += more.recomputed_forwards;
  sum.live_bytes = more.live_bytes;
  sum.peak_live_bytes = std::max(sum.peak_live_bytes, more.peak_live_bytes);
  sum.reserved_bytes = std::max(sum.reserved_bytes, more.reserved_bytes);
  sum.run += more.run;
}

}  // namespace

Runner::Runner(const Chain& chain, Profile profile, Schedule schedule, const TensorSpec& input,
               const ScheduleExecutorOptions& options)
    : chain_(chain), profile_(std::make_shared<Profile>(std::move(profile))), input_(input), options_(options) {
  use(std::move(schedule));
}

Runner::Runner(const Chain& chain, Profile profile, Follower follower, const TensorSpec& input,
               const ScheduleExecutorOptions& options, const RequestedBudget& budget)
    : chain_(chain),
      profile_(std::make_shared<Profile>(std::move(profile))),
      input_(input),
      options_(options),
      follower_(std::move(follower)),
      budget_(budget) {
  options_.follower = *follower_;
  use(follower_->next());
}

Runner::Runner(const Chain& chain, Pipeline pipeline, const MemoryTracker& tracker)
    : chain_(chain), pipeline_(std::move(pipeline)), tracker_(&tracker) {}

std::string Runner::schedule_name() const {
  if (!pipeline_) return std::string(schedule_->name());
  return std::to_string(pipeline_->stages()) + " stages, " + std::to_string(pipeline_->micro_batches()) + " micro-batches";
}

Plan Runner::plan() const {
  Plan plan = {profile_, schedule_->share(), false};
  const ScheduleExecutorStats stats = executor_->stats();
  if (stats.steps == 0) return plan;
  plan.measured_seconds = std::chrono::duration<double>(stats.run).count() / static_cast<double>(stats.steps);
  plan.refined_seconds = schedule_->verify(executor_->refine(*profile_)).step_seconds;
  return plan;
}

std::vector<Plan> Runner::plans() const {
  std::vector<Plan> plans;
  if (!pipeline_) plans.push_back(plan());
  for (std::int32_t stage = 0; pipeline_ && stage < pipeline_->stages(); ++stage)
    plans.push_back({std::make_shared<Profile>(pipeline_->profile(stage)), pipeline_->schedule(stage), true});
  return plans;
}

std::int64_t Runner::arena_bytes() const {
  if (!pipeline_) return executor_->stats().reserved_bytes;
  std::int64_t bytes = 0;
  for (std::int32_t stage = 0; stage < pipeline_->stages(); ++stage) bytes += pipeline_->stats(stage).reserved_bytes;
  return bytes;
}

double Runner::run(const Step& step) {
  if (pipeline_) return pipeline_->run(step);
  if (follower_ && stats().steps > 0) {
    bool changed = false;
    Schedule schedule = follower_->next(&changed);
    if (changed) use(std::move(schedule));
  }
  return executor_->run(step);
}

void Runner::use(Schedule schedule) {
  require_fit(schedule, *profile_, budget_, "--strategy: the schedule " + printable(schedule.name()));
  ScheduleExecutor executor(chain_, schedule, input_, options_);
  if (executor_) add(former_, executor_->stats());
  schedule_ = std::move(schedule);
  executor_ = std::move(executor);
}

// Counts are sums over the stages; the peak is that of all stages together, queues included.
ScheduleExecutorStats Runner::pipeline_stats() const {
  ScheduleExecutorStats all;
  for (std::int32_t stage = 0; stage < pipeline_->stages(); ++stage) {
    const PipelineStats stats = pipeline_->stats(stage);
    all.steps = stats.steps;
    all.forwards += stats.forwards;
    all.recomputed_forwards += stats.recomputed_forwards;
    all.reserved_bytes += stats.reserved_bytes + stats.queue_bytes;
  }
  all.peak_live_bytes = tracker_->stats().peak_bytes;
  return all;
}

ScheduleExecutorStats Runner::stats() const {
  if (pipeline_) return pipeline_stats();
  ScheduleExecutorStats all = former_;
  add(all, executor_->stats());
  return all;
}

}  // namespace ckpt::cli
