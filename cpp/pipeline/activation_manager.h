// Keeps the activations of a stage's micro-batches from forward to backward, according to its policy, and recomputes the others.
// Thread-safe: strategies, the stage's forward, the clock and the tracker's handlers are called with no lock held. Inside the
// first three, calls that query or change this manager fail with Error(invalid_state); reading works.
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
  std::int64_t stored_utc_ns = 0;  // stored_at_ns on the system's clock
  std::int64_t hits = 0;           // number of reads since it was stored
};

// Current usage.
struct Usage {
  std::int64_t bytes = 0;
  std::int64_t count = 0;
};

class ActivationManager {
 public:
  // Runs the stage's forward for one micro-batch.
  using Forward = std::function<TensorPtr(const TensorPtr& input, std::int64_t micro_batch)>;

  // name: the stage's, passed to strategies and used in the tracker. tracker, clock: not nullptr. forward may be empty.
  ActivationManager(Policy policy, std::string name, std::shared_ptr<memory::Tracker> tracker,
                    std::shared_ptr<const base::Clock> clock = base::monotonic_clock(), Forward forward = {});
  ~ActivationManager();
  ActivationManager(const ActivationManager&) = delete;
  ActivationManager& operator=(const ActivationManager&) = delete;

  const std::string& name() const noexcept { return name_; }
  // The policy as given; active_policy() is the one that automatic selected for this step.
  Policy policy() const;
  Policy active_policy() const;
  // Applies to later stores.
  void set_policy(Policy policy);

  // Clears the manager and selects the policy if it is automatic. micro_batches: as Ledger::begin_step.
  void begin_step(std::int64_t micro_batches);

  bool should_checkpoint(std::int64_t micro_batch, const strategy::Activation& activation);
  // Returns whether the activation was kept: as a copy, or the tensor itself if the caller hands it over.
  bool store(std::int64_t micro_batch, const tensor::Tensor& activation);
  bool store_moved(std::int64_t micro_batch, TensorPtr activation);
  // Returns a read-only view that keeps the memory alive; nullptr if it is not stored. Error(unsupported) for activations in a
  // pipeline stage's arena.
  TensorPtr get(std::int64_t micro_batch);
  bool has(std::int64_t micro_batch) const;
  // Fails with Error(invalid_state) if the manager has no forward.
  TensorPtr recompute(const TensorPtr& input, std::int64_t micro_batch);
  TensorPtr get_or_compute(const TensorPtr& input, std::int64_t micro_batch);
  void clear();

  Usage usage() const;
  std::int64_t estimate_memory_usage() const { return usage().bytes; }
  std::int64_t count() const { return usage().count; }
  // Fails with Error(not_found).
  CheckpointMetadata metadata(std::int64_t micro_batch) const;
  std::vector<std::int64_t> micro_batches() const;

  // ---- For the pipeline that owns the manager's stage ----

  // Begins a step of the pipeline. Returns an empty ledger with the step's policy, by which the stage decides in advance what it
  // will keep. Until end_planned_step, calls that would change this manager fail with Error(busy), or with Error(invalid_state)
  // on threads inside the pipeline. own_bytes: the pipeline's own resident bytes, which do not count as pressure. stages: the
  // number of stages that share the remainder of the limit.
  Ledger begin_planned_step(std::int64_t micro_batches, const void* pipeline, std::int64_t own_bytes, std::int64_t stages);
  // Records that a chunk of the stage holds this many bytes of a micro-batch; the stage owns the tensors.
  void keep(std::int64_t micro_batch, std::int64_t bytes);
  // Records that one chunk no longer holds them; the micro-batch is removed with the last.
  void release_kept(std::int64_t micro_batch, std::int64_t bytes);
  // Records that its tapes were evicted for a newer micro-batch.
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

  // Call with mutex_ held.
  void refuse_while_planned() const;
  Policy checked_policy(std::int64_t micro_batch) const;
  std::unique_ptr<Stored> take_out(std::int64_t micro_batch);
  Entries take_all();

  const std::string name_;
  const std::shared_ptr<memory::Tracker> tracker_;
  const memory::LayerId layer_;
  const std::shared_ptr<const base::Clock> clock_;
  const Forward forward_;
  mutable std::atomic<std::int64_t> usable_bytes_{0};  // by this process, after the first query
  std::atomic<std::int32_t> logged_kind_{0};           // the kind that automatic selected and logged last

  mutable base::ForkMutex mutex_;  // guards everything below
  Policy policy_;
  Ledger ledger_;
  Entries entries_;
  std::int64_t bytes_ = 0;          // of all entries
  const void* pipeline_ = nullptr;  // during a step of it
  std::uint64_t step_generation_ = 0;
};

}  // namespace ckpt::pipeline
