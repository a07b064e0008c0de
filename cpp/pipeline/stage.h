// One stage of a pipeline: its chunks of the chain, their plans, the manager that decides which micro-batches stay taped, and the
// executor of the whole step. Everything except run() is used only by the thread that owns the pipeline.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/executor.h"
#include "pipeline/activation_manager.h"
#include "pipeline/link.h"
#include "pipeline/stage_schedule.h"
#include "pipeline/timeline.h"
#include "plan/verifier.h"

namespace ckpt::pipeline {

// How one micro-batch runs through a chunk.
struct PlanChoice {
  strategy::StrategyPtr strategy;                                // asked about each layer, if given
  std::vector<std::shared_ptr<const plan::Schedule>> schedules;  // by piece, if given
  std::int64_t budget_bytes = 0;                                 // of each stage: selects the fastest plan that fits; 0: no budget

  bool asks_strategy() const { return strategy != nullptr && schedules.empty(); }
};

struct StageStats {
  engine::ExecutorStats executor;             // of all executors so far: counts are sums, peaks are maxima
  std::int64_t first_layer = 0;               // global number, of chunk 0
  std::int64_t layers = 0;                    // of all chunks
  std::int32_t in_flight = 0;                 // the most micro-batches of chunk 0
  std::int64_t kept_micro_batches = 0;        // number of micro-batches with tapes that stayed, in all steps
  std::int64_t recomputed_micro_batches = 0;  // number of the others
  std::int64_t busy_ns = 0;                   // compute time of the last step
};

// The properties of the whole pipeline that a stage needs.
struct StageContext {
  Layout layout;
  std::int32_t stage = 0;
  std::vector<std::int64_t> begins;  // of all pieces, and the chain's end
  std::shared_ptr<engine::Chain> chain;
  std::shared_ptr<const plan::ChainProfile> profile;  // of the chain, for one micro-batch
  std::vector<engine::TensorSpec> specs;              // of the chain's x_0 .. x_n, for one micro-batch
  std::shared_ptr<base::ThreadPool> pool;
  std::shared_ptr<memory::Tracker> tracker;
  PlanChoice choice;
  std::shared_ptr<plan::RunObserver> observer;  // of this stage's runs
  const void* pipeline = nullptr;               // for the errors of its managers during a step
  engine::ExecutorChecks checks;
};

class Stage {
 public:
  // Makes the plans and the executor before the first step.
  Stage(StageContext context, std::shared_ptr<ActivationManager> manager);

  // ---- Before a step, in this order ----

  // Chooses the plans: once, or before each step if a strategy chooses them. own_bytes: the whole pipeline's.
  void choose_plans(std::int64_t own_bytes);
  // Begins the step with the manager. Returns the effective policy.
  const Policy& begin_step(std::int64_t own_bytes);
  // Asks the manager which micro-batches stay, and creates a new executor if that or the plans have changed.
  void prepare();

  // Predicts the highest live bytes of the next step, from the strategy that chooses the plans, or the strategy of the manager's
  // policy.
  std::int64_t peak_of_new_plans() const;
  std::int64_t peak_of_new_decisions() const;
  // The prediction for the executor's schedule.
  std::int64_t predicted_peak() const { return predicted_peak_; }

  // Runs the forward of the whole stage for one micro-batch without keeping anything. Error(unsupported) for a stage of several
  // chunks and for layers that are not a function of their input.
  TensorPtr forward(const tensor::Tensor& input, const engine::Step& keys, std::int32_t micro_batch);

  engine::Executor& executor() { return *executor_; }
  const std::shared_ptr<ActivationManager>& manager() const { return manager_; }
  const std::shared_ptr<const plan::Schedule>& schedule() const { return schedule_; }
  const plan::ChainProfile& profile() const { return *profile_; }
  // The plan for one micro-batch of a chunk.
  const ChunkPlan& chunk(std::int64_t chunk) const { return plans_[static_cast<std::size_t>(chunk)]; }
  // The bytes that one micro-batch holds of a chunk after its forward part, in addition to its input.
  std::int64_t held_bytes(std::int64_t chunk) const { return chunk_bytes_[static_cast<std::size_t>(chunk)]; }
  // By micro-batch, of the step that was prepared.
  const std::vector<Decision>& decisions() const { return *decisions_; }
  // The bytes of the arena, after the first step; until then the memory is not resident.
  std::int64_t resident_bytes() const;
  StageStats stats() const;
  void count_step();

 private:
  std::vector<ChunkPlan> new_plans() const;
  void choose_for_budget(const std::vector<Decision>& decisions);
  void use_plans(std::vector<ChunkPlan> plans);
  std::vector<Decision> new_decisions() const;
  std::int64_t peak_of(const std::vector<ChunkPlan>& plans, const std::vector<Decision>& decisions) const;
  void log_plans() const;
  void log_decisions() const;
  std::int64_t begin_of(std::int64_t chunk) const;
  std::int64_t end_of(std::int64_t chunk) const;
  void build_chain();
  engine::ChainShape shape() const;
  void use(const std::vector<Decision>& decisions);

  StageContext context_;
  std::shared_ptr<ActivationManager> manager_;
  std::shared_ptr<engine::Chain> chain_;  // the chunks, separated by layers that never run
  std::vector<ChunkPlan> plans_;          // by chunk; without schedules until they are chosen
  std::unique_ptr<plan::ChainProfile> profile_;
  std::vector<std::int64_t> chunk_bytes_;  // held_bytes by chunk
  std::int64_t held_bytes_ = 0;            // of all chunks
  std::optional<Ledger> ledger_;           // of the step being prepared
  std::optional<std::vector<Decision>> decisions_;
  std::int64_t predicted_peak_ = 0;
  std::shared_ptr<const plan::Schedule> schedule_;
  std::unique_ptr<engine::Executor> executor_;
  StageStats former_;  // of previous executors
};

}  // namespace ckpt::pipeline
