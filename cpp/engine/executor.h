// Runs one schedule over one chain for one input shape, step after step. Makes no decisions: those are in the schedule.
//
// The same executor runs a pipeline's stage: its schedule contains all micro-batches of the step, and it sends and receives
// through a port.
//
// All buffers of tier 0 are in one arena, at offsets fixed before the first step, so a step allocates no memory. Not thread-safe.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/clock.h"
#include "base/thread_pool.h"
#include "engine/arena.h"
#include "engine/chain.h"
#include "engine/forward_pass.h"
#include "engine/recompute_check.h"
#include "engine/step.h"
#include "engine/step_times.h"
#include "engine/write_check.h"
#include "memory/tracker.h"
#include "plan/observer.h"
#include "plan/placement.h"

namespace ckpt::storage {
class Storage;
}

namespace ckpt::engine {

class Tiers;

// Storages for the items of each tier except 0, copied asynchronously while layers run; nullptr: memory, copied synchronously.
using TierStorages = std::array<std::shared_ptr<storage::Storage>, plan::tiers>;

// A stage's connection to its neighbours. Called on the thread that runs the executor; an exception ends the step.
class StagePort {
 public:
  virtual ~StagePort() = default;
  // Called before each operation.
  virtual void begins(const plan::Operation& operation) = 0;
  virtual void send(const plan::Operation& operation, const void* data, std::int64_t bytes) = 0;
  virtual void receive(const plan::Operation& operation, void* data, std::int64_t bytes) = 0;
};

struct ExecutorStats {
  std::int64_t steps = 0;
  std::int64_t forwards = 0;
  std::int64_t recomputed_forwards = 0;
  std::int64_t live_bytes = 0;
  std::int64_t peak_live_bytes = 0;
  std::int64_t reserved_bytes = 0;
  std::int64_t run_ns = 0;
  std::int64_t transfer_wait_ns = 0;
  std::array<std::int64_t, plan::tiers> stored_bytes{};
  std::array<std::int64_t, plan::tiers> loaded_bytes{};
};

// Optional checks during a step. Each costs time.
struct ExecutorChecks {
  RecomputeCheck recompute = RecomputeCheck::none;
  bool writes = false;  // layers write only where allowed
  bool finite = false;  // outputs are finite
};

class Executor {
 public:
  // budget_bytes 0: none. pool and tracker are not nullptr. observer, if given, is notified of each layer that runs and of live
  // bytes. Fails with Error(over_budget) if the arena would be larger; with Error(invalid_schedule) if the schedule does not fit
  // the chain.
  Executor(std::shared_ptr<Chain> chain, const plan::Schedule& schedule, const TensorSpec& input, std::int64_t budget_bytes,
           std::shared_ptr<base::ThreadPool> pool, std::shared_ptr<memory::Tracker> tracker,
           std::shared_ptr<plan::RunObserver> observer = nullptr, ExecutorChecks checks = {}, const TierStorages& storages = {});
  // shape: the chain's, obtained before.
  Executor(std::shared_ptr<Chain> chain, const plan::Schedule& schedule, ChainShape shape, std::int64_t budget_bytes,
           std::shared_ptr<base::ThreadPool> pool, std::shared_ptr<memory::Tracker> tracker,
           std::shared_ptr<plan::RunObserver> observer = nullptr, ExecutorChecks checks = {}, const TierStorages& storages = {});
  ~Executor();
  Executor(const Executor&) = delete;
  Executor& operator=(const Executor&) = delete;

  // Returns x_n if it has one element, else NaN. After an error the next run works.
  double run(const Step& step);

  // Runs the first layers forward once, without dropout. Returns their output if it has one element, else NaN.
  double evaluate(const Step& step, std::int64_t layers);

  // As run, for a stage's schedule: steps and losses by micro-batch (only the last stage writes losses). Inputs arrive through
  // the port; accumulate is the caller's responsibility.
  void run_stage(std::span<const Step> steps, StagePort& port, std::span<double> losses);

  const ExecutorStats& stats() const noexcept { return stats_; }

  // Returns a copy of a profile of this chain and input, with the layers' seconds of the last steps. Error(invalid_argument) for
  // the profile of another chain, Error(invalid_state) before the first step.
  plan::ChainProfile refined(const plan::ChainProfile& profile) const;
  // Discards the times so far, for example of warm-up steps.
  void reset_times() noexcept { times_.reset(); }

 private:
  void change_live_bytes(std::int64_t by) noexcept;
  void check(const Step& step) const;
  void check_beginning(const Step& step) const;
  void check_ends(const Step& step) const;
  void run_timed(std::span<const Step> steps, StagePort* port, std::span<double> results);
  void resolve_buffers();
  void resolve_operands();
  memory::LayerId tracker_layer(const plan::BufferInfo& buffer);
  void run_instructions(std::span<const Step> steps, StagePort* port, std::span<double> results);
  void require_in_place() const;
  void allocate(std::int64_t buffer);
  void become(std::size_t change);
  void free(std::int64_t buffer);
  void free_everything() noexcept;
  void hold(std::size_t id, const plan::BufferInfo& info);
  void begin_copy(std::int64_t operation);
  void await_copy(std::int64_t operation);
  void run_operation(const plan::Operation& operation, const Step& step, StagePort* port, double& result);
  void run_layer(const plan::Operation& operation, const Step& step);
  void run_exchange(const plan::Operation& operation, StagePort& port);
  void run_forward(const plan::Operation& operation, const Step& step);
  void run_backward(const plan::Operation& operation, const Step& step);
  std::span<const void* const> inputs_of(const plan::Operation& operation);
  void finish_gradients(const plan::Operation& operation, const Step& step);
  bool makes_input_gradient() const;
  void check_finite(const plan::Operation& operation) const;
  void run_turn(const plan::Operation& operation, const Step& step, double& result);
  RunContext context_of(const plan::Operation& operation, const Step& step) const;
  void* address(plan::BufferId buffer) const { return buffer < 0 ? nullptr : addresses_[static_cast<std::size_t>(buffer)]; }

  std::shared_ptr<Chain> chain_;
  std::shared_ptr<base::ThreadPool> pool_;
  std::shared_ptr<memory::Tracker> tracker_;
  ChainShape shape_;
  plan::Program program_;
  std::shared_ptr<tensor::BufferPool> buffers_;
  std::optional<Arena> arena_;
  std::unique_ptr<Tiers> tiers_;
  std::vector<void*> addresses_;                   // by BufferId; nullptr for empty buffers and those of slower tiers
  std::vector<memory::LayerId> tracker_layers_;    // by BufferId
  std::vector<memory::LayerId> change_layers_;     // by the program's changes
  std::vector<std::int64_t> live_lengths_;         // by BufferId: live bytes in tier 0
  std::vector<memory::AllocationId> allocations_;  // by BufferId; 0 while not live
  std::vector<const void*> inputs_;                // of the current layer
  std::vector<InputGradient> input_gradients_;     // of the current layer
  plan::StageRole role_;
  std::shared_ptr<plan::RunObserver> observer_;  // nullptr: no observer
  std::optional<RecomputeChecker> recompute_checker_;
  std::optional<WriteChecker> write_checker_;
  bool checks_finite_;
  std::optional<ForwardPass> forward_pass_;  // created by the first evaluation
  StepTimes times_;
  ExecutorStats stats_;
};

}  // namespace ckpt::engine
