// Keeps the activations of a stage's micro-batches from forward to backward, as its policy says; what it did not keep is computed
// again. Synchronised: strategies, the stage's forward, the clock and the tracker's handlers are called with no lock held. Inside
// the first three, what asks or changes this manager is Error(invalid_state); reading works.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/fork_mutex.h"
#include "pipeline/ledger.h"
#include "tensor/tensor.h"

namespace ckpt::pipeline {

using TensorPtr = std::shared_ptr<tensor::Tensor>;

struct CheckpointMetadata {
  std::int64_t micro_batch = 0;
  std::int64_t bytes = 0;
  tensor::Dtype dtype = tensor::Dtype::u8;
  tensor::Shape shape;
  std::int64_t stored_at_ns = 0;   // on the manager's clock
  std::int64_t stored_utc_ns = 0;  // the same moment on the wall's
  std::int64_t hits = 0;           // times it was read since it was stored
};

// Of what is stored.
struct Usage {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
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
  // Returns whether the activation was kept. A copy is kept, or the tensor itself when the caller hands it over.
  bool store(std::int64_t micro_batch, const tensor::Tensor& activation);
  bool store_moved(std::int64_t micro_batch, TensorPtr activation);
  // A read-only view that keeps the memory; nullptr when it is not stored. Error(unsupported) for what a pipeline's stage keeps.
  TensorPtr get(std::int64_t micro_batch);
  bool has(std::int64_t micro_batch) const;
  // Error(invalid_state) when the manager has no forward.
  TensorPtr recompute(const TensorPtr& input, std::int64_t micro_batch);
  TensorPtr get_or_compute(const TensorPtr& input, std::int64_t micro_batch);
  void clear();

  Usage usage() const;
  std::int64_t estimate_memory_usage() const { return usage().bytes; }
  std::int64_t count() const { return usage().count; }
  // Error(not_found).
  CheckpointMetadata metadata(std::int64_t micro_batch) const;
  std::vector<std::int64_t> micro_batches() const;

  // ---- For the pipeline whose stage's manager it is ----

  // A step of the pipeline begins: the ledger of the step's policy, with nothing stored, by which the stage decides beforehand what
  // it will keep. Until end_planned_step what would change this manager is Error(busy), or Error(invalid_state) on threads inside
  // the pipeline. own_bytes: resident ones that are the pipeline's own, and no reason to keep less. stages: share what the limit
  // leaves.
  Ledger begin_planned_step(std::int64_t micro_batches, const void* pipeline, std::int64_t own_bytes, std::int64_t stages);
  // A chunk of the stage holds so many bytes of a micro-batch from now on; tensors of them are the stage's.
  void keep(std::int64_t micro_batch, std::int64_t bytes);
  // One chunk holds them no longer; the micro-batch goes with the last.
  void let_go(std::int64_t micro_batch, std::int64_t bytes);
  // Its tapes went for a newer one's.
  void drop(std::int64_t micro_batch);
  void end_planned_step();
  bool ask_strategy(const Policy& policy, std::int64_t micro_batch, const strategy::Activation& activation) const;

 private:
  struct Stored;
  using Entries = std::map<std::int64_t, std::unique_ptr<Stored>>;

  template <class Make>
  bool store_as(std::int64_t micro_batch, const tensor::Tensor& activation, Make&& make);
  std::unique_ptr<Stored> store_now(TensorPtr activation) const;
  Policy resolved(Policy policy, std::int64_t own_bytes, std::int64_t stages);
  std::int64_t total_bytes(const Policy& policy) const;

  // Under mutex_.
  void refuse_while_planned() const;
  Policy checked_policy(std::int64_t micro_batch) const;
  std::unique_ptr<Stored> take_out(std::int64_t micro_batch);
  Entries take_all();

  const std::string name_;
  const std::shared_ptr<memory::Tracker> tracker_;
  const memory::LayerId layer_;
  const std::shared_ptr<const base::Clock> clock_;
  const Forward forward_;
  mutable std::atomic<std::int64_t> usable_bytes_{0};  // by this process, once it was asked
  std::atomic<std::int32_t> logged_kind_{0};           // the kind that automatic picked last, as it was logged

  mutable base::ForkMutex mutex_;  // for all below
  Policy policy_;
  Ledger ledger_;
  Entries entries_;
  std::int64_t bytes_ = 0;          // of all entries
  const void* pipeline_ = nullptr;  // while a step of it runs
  std::uint64_t step_generation_ = 0;
};

}  // namespace ckpt::pipeline
