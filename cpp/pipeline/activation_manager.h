// Keeps the activations of a stage's micro-batches from forward to backward, as its policy says; what it did not keep is computed
// again. Synchronised: strategies, the stage's forward and the tracker's handlers are called with no lock held.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/clock.h"
#include "pipeline/ledger.h"
#include "tensor/tensor.h"

namespace ckpt::pipeline {

using TensorPtr = std::shared_ptr<tensor::Tensor>;

struct CheckpointMetadata {
  std::int64_t micro_batch = 0;
  std::int64_t bytes = 0;
  tensor::Dtype dtype = tensor::Dtype::u8;
  tensor::Shape shape;
  std::int64_t stored_ns = 0;  // on the manager's clock
  std::int64_t hits = 0;       // times it was read since it was stored
};

class ActivationManager {
 public:
  // Runs the stage's forward for one micro-batch.
  using Forward = std::function<TensorPtr(const TensorPtr& input, std::int64_t micro_batch)>;

  // name: the stage's, under which strategies are asked and the tracker counts. tracker, clock: not nullptr. forward may be empty.
  ActivationManager(Policy policy, std::string name, std::shared_ptr<memory::Tracker> tracker,
                    std::shared_ptr<const base::Clock> clock = base::monotonic_clock(), Forward forward = {});
  ~ActivationManager();
  ActivationManager(const ActivationManager&) = delete;
  ActivationManager& operator=(const ActivationManager&) = delete;

  const std::string& name() const noexcept { return name_; }
  // As given; active_policy() is the one that automatic picked for this step.
  Policy policy() const;
  Policy active_policy() const;
  // For what is stored from now on.
  void set_policy(Policy policy);

  // Clears, picks the policy if it is automatic. micro_batches: as Ledger::begin_step.
  void begin_step(std::int64_t micro_batches);

  bool should_checkpoint(std::int64_t micro_batch, const strategy::Activation& activation);
  // Returns whether the activation was kept. A copy is kept, or the tensor itself when the caller gives it up.
  bool store(std::int64_t micro_batch, const tensor::Tensor& activation);
  bool store_given_up(std::int64_t micro_batch, TensorPtr activation);
  // A read-only view that keeps the memory; nullptr when it is not stored.
  TensorPtr get(std::int64_t micro_batch);
  bool has(std::int64_t micro_batch) const;
  // Error(invalid_state) when the manager has no forward.
  TensorPtr recompute(const TensorPtr& input, std::int64_t micro_batch);
  TensorPtr get_or_compute(const TensorPtr& input, std::int64_t micro_batch);
  void clear();

  std::int64_t estimate_memory_usage() const;
  std::int64_t count() const;
  // Error(not_found).
  CheckpointMetadata metadata(std::int64_t micro_batch) const;
  std::vector<std::int64_t> micro_batches() const;

  // What this step will keep, decided beforehand by a stage: the policy of the step, with nothing stored.
  Ledger begin_planned_step(std::int64_t micro_batches);
  bool ask_strategy(const Policy& policy, std::int64_t micro_batch, const strategy::Activation& activation) const;

 private:
  struct Stored;
  using Entries = std::map<std::int64_t, std::unique_ptr<Stored>>;

  template <class Make>
  bool store_as(std::int64_t micro_batch, const tensor::Tensor& activation, Make&& make);
  Policy resolved(const Policy& policy) const;

  const std::string name_;
  const std::shared_ptr<memory::Tracker> tracker_;
  const memory::LayerId layer_;
  const std::shared_ptr<const base::Clock> clock_;
  const Forward forward_;

  mutable std::mutex mutex_;  // for all below
  Policy policy_;
  Ledger ledger_;
  Entries entries_;
};

}  // namespace ckpt::pipeline
