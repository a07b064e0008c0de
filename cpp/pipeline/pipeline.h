// A chain cut into stages that work on several micro-batches of a step at once, each on a thread of its own.
//
// Synchronised: one step runs at a time; what is asked while one runs fails with Error(busy), or Error(invalid_state) inside it, on
// a thread that is in a callback. But for cancel(), begins() and manager(), which always work.
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
  Policy policy;                     // of every stage's manager
  PlanChoice choice;
  std::int32_t threads_per_stage = 1;
  std::int64_t queue_places = 0;   // between neighbours; 0: as many as the order needs
  std::int32_t measured_runs = 3;  // of the profile that splits and budgets go by; 0: bytes only
  std::shared_ptr<memory::Tracker> tracker;
  engine::ExecutorChecks checks;  // of every stage's executor
};

// Where a balanced split of this profile (of one micro-batch) cuts.
std::vector<std::int64_t> balanced_begins(const plan::ChainProfile& profile, const Layout& layout);

class Pipeline : public std::enable_shared_from_this<Pipeline> {
 public:
  // input: of the whole batch, whose samples the micro-batches must divide.
  static std::shared_ptr<Pipeline> create(std::shared_ptr<engine::Chain> chain, const engine::TensorSpec& input,
                                          const PipelineOptions& options);
  ~Pipeline();
  Pipeline(const Pipeline&) = delete;
  Pipeline& operator=(const Pipeline&) = delete;

  // One step of the whole batch. Gradients are those of the mean of the micro-batches' losses. Returns that mean, or NaN where the
  // output is not one number. losses: empty, or one a micro-batch. timeout_ns: -1 for ever.
  // Error of the stage that failed; Error(cancelled), Error(timeout): all stages have stopped by then, at the end of the layer that
  // each was in. The next step works.
  double run(const engine::Step& batch, std::int64_t timeout_ns, std::span<double> losses);
  // Ends the step that is running, if one is. Any thread, any time.
  void cancel();

  const Layout& layout() const noexcept { return options_.layout; }
  const std::vector<std::int64_t>& begins() const noexcept { return begins_; }
  const std::shared_ptr<ActivationManager>& manager(std::int32_t stage) const;
  std::shared_ptr<const plan::Schedule> schedule(std::int32_t stage);
  plan::ChainProfile profile(std::int32_t stage);
  std::shared_ptr<const plan::Schedule> chunk_schedule(std::int32_t stage, std::int32_t chunk);
  StageStats stats(std::int32_t stage);
  // Bytes that the queues behind a stage's pieces reserve.
  std::int64_t queue_bytes(std::int32_t stage);
  // Of the last step that ended well.
  Timeline timeline();

 private:
  class Port;
  class Turn;
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

  enum class Taken : std::uint8_t { no, for_a_look, for_a_step };
  std::atomic<Taken> taken_{Taken::no};  // by the one call that may use all below
  std::vector<std::unique_ptr<Stage>> stages_;
  std::vector<std::unique_ptr<Link>> activations_;  // behind piece k
  std::vector<std::unique_ptr<Link>> gradients_;    // before piece k+1, towards piece k
  std::vector<engine::Step> steps_;                 // of the step that runs, by micro-batch
  std::vector<double> losses_;
  std::int64_t begin_ns_ = 0;
  std::int64_t step_ns_ = 0;
  engine::Step keys_;                                                       // of the last step, without tensors
  const std::shared_ptr<const void> existence_ = std::make_shared<char>();  // expires with the pipeline
  plan::StepPeak step_peak_;
  std::optional<std::int64_t> peak_bytes_;  // of the last step that ran, all stages together
  std::int64_t unpredicted_bytes_ = 0;      // of that step

  std::mutex error_mutex_;  // for the two below
  std::exception_ptr error_;
  bool running_ = false;

  std::atomic<bool> stop_{false};         // the step
  std::atomic<bool> quit_{false};         // the threads
  std::atomic<std::uint64_t> ticket_{0};  // grows with every step
  std::atomic<std::int32_t> working_{0};  // stages that have not finished it
  base::WaitPoint posted_;
  base::WaitPoint done_;
  std::vector<std::unique_ptr<Worker>> workers_;
};

}  // namespace ckpt::pipeline
