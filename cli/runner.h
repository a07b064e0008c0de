// Runs steps under a schedule, or under those of a follower: the executor is made again only when the schedule changed.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <ckpt/ckpt.hpp>

namespace ckpt::cli {

class Runner {
 public:
  // One schedule for all steps.
  Runner(const Chain& chain, Schedule schedule, const ckpt_tensor_spec& input, const ckpt_schedule_executor_options& options);
  // The schedule before each step is the follower's.
  Runner(const Chain& chain, Follower follower, const ckpt_tensor_spec& input, const ckpt_schedule_executor_options& options);

  // Stages instead of one executor.
  Runner(const Chain& chain, Pipeline pipeline, const MemoryTracker& tracker);

  // Returns the loss.
  double run(const ckpt_step& step);

  // Of the schedule in use.
  std::string schedule_name() const;
  // nullptr when there are no stages.
  Pipeline* pipeline() { return pipeline_ ? &*pipeline_ : nullptr; }
  // Of all executors so far: counts are summed, peaks are the highest.
  ckpt_schedule_executor_stats stats() const;

 private:
  void use(Schedule schedule);

  ckpt_schedule_executor_stats pipeline_stats() const;

  const Chain& chain_;
  ckpt_tensor_spec input_{};
  ckpt_schedule_executor_options options_ = CKPT_SCHEDULE_EXECUTOR_OPTIONS_INIT;
  mutable std::optional<Pipeline> pipeline_;
  const MemoryTracker* tracker_ = nullptr;  // of the pipeline
  std::optional<Follower> follower_;
  std::optional<Schedule> schedule_;
  std::optional<Executor> executor_;
  ckpt_schedule_executor_stats former_ = CKPT_SCHEDULE_EXECUTOR_STATS_INIT;  // of executors that are gone
};

}  // namespace ckpt::cli
