// A chain cut into stages that process several micro-batches of a step concurrently, each on a separate thread.
//
// Thread-safe. One step runs at a time; other calls during it fail with Error(busy), or with Error(invalid_state) on a thread
// inside one of its callbacks. Exceptions: cancel(), begins() and manager() always work.
#pragma once

#include <atomic>
#include <cstdint>
#include <exception>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "base/os/thread.h"
#include "base/wait_point.h"
#include "pipeline/stage.h"

namespace ckpt::pipeline {

struct PipelineOptions {
  Layout layout;
  std::vector<std::int64_t> begins;  // first layers of the pieces; empty: a balanced split
  Policy policy;                     // of each stage's manager
  PlanChoice choice;
  std::int32_t threads_per_stage = 1;
  std::int64_t queue_places = 0;   // between adjacent pieces; 0: as many as the order needs
  std::int32_t measured_runs = 3;  // runs for the profile on which splits and budgets are based; 0: bytes only
  std::shared_ptr<memory::Tracker> tracker;
  engine::ExecutorChecks checks;  // of each stage's executor
};

// Returns the cuts of a balanced split of this profile (of one micro-batch).
std::vector<std::int64_t> balanced_begins(const plan::ChainProfile& profile, const Layout& layout);

class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  // input: of the whole batch; the micro-batches must divide its samples.
  static std::shared_ptr<Pipeline> create(std::shared_ptr<engine::Chain> chain, const engine::TensorSpec& input,
                                          const PipelineOptions& options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // Runs one step of the whole batch. Gradients are those of the mean of the micro-batches' losses. Returns that mean, or NaN if
  // the output is not one number. losses: empty, or one per micro-batch. timeout_ns: -1 means no limit. Fails with the error of
  // the stage that failed, Error(cancelled) or Error(timeout): all stages have stopped by then, at the end of their current
  // layers. The next step works.
  double run(const engine::Step& batch, std::int64_t timeout_ns, std::span<double> losses);
  // Stops the current step, if any. Any thread, any time.
  void cancel();

  const Layout& layout() const noexcept { return options_.layout; }
  const std::vector<std::int64_t>& begins() const noexcept { return begins_; }
  const std::shared_ptr<ActivationManager>& manager(std::int32_t stage) const;
  std::shared_ptr<const plan::Schedule> schedule(std::int32_t stage);
  plan::ChainProfile profile(std::int32_t stage);
  std::shared_ptr<const plan::Schedule> chunk_schedule(std::int32_t stage, std::int32_t chunk);
  StageStats stats(std::int32_t stage);
  // Returns the bytes that the queues after a stage's pieces reserve.
  std::int64_t queue_bytes(std::int32_t stage);
  // Returns the timeline of the last step that succeeded.
  Timeline timeline();

 private:
  class Port;
  class ExclusiveCall;
  struct PlannedStep;
  struct Worker;

  Pipeline(std::shared_ptr<engine::Chain> chain, const engine::TensorSpec& input, PipelineOptions options);
  void start();
  void make_stages();
  void make_links();
  strategy::StepMemory step_memory(std::int64_t (Stage::*predicted)() const);
  void prepare();
  void end_planned_steps();
  std::int64_t own_bytes() const;
  void log_shape() const;
  std::size_t checked_stage(std::int32_t stage) const;
  std::vector<engine::Step> cut(const engine::Step& batch, std::vector<TensorPtr>& slices) const;
  void run_workers(std::int64_t timeout_ns);
  void serve(Worker& worker);
  void work(Worker& worker);
  void stop_step(std::exception_ptr error);
  TensorPtr forward_of(std::size_t stage, const TensorPtr& input, std::int64_t micro_batch);

  std::shared_ptr<engine::Chain> chain_;
  PipelineOptions options_;
  engine::TensorSpec batch_input_;
  engine::TensorSpec input_;  // of one micro-batch
  std::vector<engine::TensorSpec> specs_;
  std::shared_ptr<const plan::ChainProfile> profile_;
  std::vector<std::int64_t> begins_;
  std::uint64_t generation_ = base::fork_generation();

  enum class Taken : std::uint8_t { no, for_a_query, for_a_step };
  std::atomic<Taken> taken_{Taken::no};  // by the call with exclusive access to everything below
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<Link>> activations_;  // after piece k
  std::vector<std::unique_ptr<Link>> gradients_;    // before piece k+1, towards piece k
  std::vector<engine::Step> steps_;                 // of the current step, by micro-batch
  std::vector<double> losses_;
  std::int64_t begin_ns_ = 0;
  std::int64_t step_ns_ = 0;
  engine::Step keys_;                                                       // of the last step, without tensors
  const std::shared_ptr<const void> existence_ = std::make_shared<char>();  // expires with the pipeline
  plan::StepPeak step_peak_;
  std::optional<std::int64_t> peak_bytes_;  // of the last step that ran, all stages together
  std::int64_t unpredicted_bytes_ = 0;      // of that step

  std::mutex error_mutex_;  // guards the next two
  std::exception_ptr error_;
  bool running_ = false;

  std::atomic<bool> stop_{false};         // the step
  std::atomic<bool> quit_{false};         // the threads
  std::atomic<std::uint64_t> ticket_{0};  // incremented with every step
  std::atomic<std::int32_t> working_{0};  // stages that have not finished the step
  base::WaitPoint posted_;
  base::WaitPoint done_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace ckpt::pipeline
