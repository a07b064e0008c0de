#include "pipeline/activation_manager.h"

#include <cstring>
#include <utility>

#include "base/error.h"

namespace ckpt::pipeline {

using base::fail;
using base::require;
using base::Status;

// A tensor that the tracker counts as long as it is stored.
struct ActivationManager::Stored {
  Stored(TensorPtr given, std::shared_ptr<memory::Tracker> counted_by, memory::LayerId layer, std::int64_t now_ns)
      : tensor(std::move(given)), tracker(std::move(counted_by)), stored_ns(now_ns) {
    if (tensor->bytes() > 0) allocation = tracker->allocate(layer, tensor->bytes());
  }
  ~Stored() {
    if (allocation == 0) return;
    try {
      tracker->free(allocation);
    } catch (...) {
      // Freed behind our back through the tracker's own interface: nothing is left to undo.
    }
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

  TensorPtr tensor;
  std::shared_ptr<memory::Tracker> tracker;
  memory::AllocationId allocation = 0;
  std::int64_t stored_ns = 0;
  std::int64_t hits = 0;
};

namespace {

TensorPtr copy_of(const tensor::Tensor& original) {
  TensorPtr copy = tensor::Tensor::create(original.dtype(), original.shape());
  if (original.bytes() > 0) std::memcpy(copy->data(), original.data(), static_cast<std::size_t>(original.bytes()));
  return copy;
}

TensorPtr read_only_view(const TensorPtr& kept) {
  return tensor::Tensor::borrow(
      kept->data(), kept->dtype(), kept->shape(), [kept] {}, true);
}

}  // namespace

ActivationManager::ActivationManager(Policy policy, std::string name, std::shared_ptr<memory::Tracker> tracker,
                                     std::shared_ptr<const base::Clock> clock, Forward forward)
    : name_(std::move(name)),
      tracker_(std::move(tracker)),
      layer_(tracker_->layer(name_)),
      clock_(std::move(clock)),
      forward_(std::move(forward)),
      policy_(std::move(policy)),
      ledger_((check(policy_), resolved(policy_))) {}

ActivationManager::~ActivationManager() = default;

Policy ActivationManager::resolved(const Policy& policy) const {
  return policy.kind == Policy::Kind::automatic ? policy_for_pressure(policy, pressure_of(*tracker_)) : policy;
}

Policy ActivationManager::policy() const {
  const std::lock_guard lock(mutex_);
  return policy_;
}

Policy ActivationManager::active_policy() const {
  const std::lock_guard lock(mutex_);
  return ledger_.policy();
}

void ActivationManager::set_policy(Policy policy) {
  check(policy);
  Policy active = resolved(policy);
  const std::lock_guard lock(mutex_);
  ledger_.set_policy(std::move(active));
  std::swap(policy_, policy);  // the former one goes without the lock: a strategy's destroy function may call back
}

void ActivationManager::begin_step(std::int64_t micro_batches) {
  require(micro_batches >= unknown_count, "micro_batches is ", micro_batches, "; at least 0, or -1 when not known");
  clear();  // before the pressure is looked at: what this manager held is no reason to keep less
  Policy active = resolved(policy());
  Entries gone;
  const std::lock_guard lock(mutex_);
  ledger_.set_policy(std::move(active));
  ledger_.begin_step(micro_batches);
  entries_.swap(gone);
}

Ledger ActivationManager::begin_planned_step(std::int64_t micro_batches) {
  begin_step(micro_batches);
  const std::lock_guard lock(mutex_);
  return ledger_;
}

bool ActivationManager::ask_strategy(const Policy& policy, std::int64_t micro_batch, const strategy::Activation& activation) const {
  if (policy.kind != Policy::Kind::strategy) return false;
  return policy.strategy->should_checkpoint(name_, activation, micro_batch);
}

bool ActivationManager::should_checkpoint(std::int64_t micro_batch, const strategy::Activation& activation) {
  {
    const std::lock_guard lock(mutex_);
    ledger_.check_index(micro_batch);
  }
  const bool says = ask_strategy(active_policy(), micro_batch, activation);
  const std::lock_guard lock(mutex_);
  return ledger_.would_keep(micro_batch, activation.bytes, says);
}

bool ActivationManager::store(std::int64_t micro_batch, const tensor::Tensor& activation) {
  return store_as(micro_batch, activation, [&] { return copy_of(activation); });
}

bool ActivationManager::store_given_up(std::int64_t micro_batch, TensorPtr activation) {
  const tensor::Tensor& tensor = *activation;
  return store_as(micro_batch, tensor, [&] { return activation; });
}

template <class Make>
bool ActivationManager::store_as(std::int64_t micro_batch, const tensor::Tensor& activation, Make&& make) {
  {
    const std::lock_guard lock(mutex_);
    ledger_.check_index(micro_batch);
  }
  const bool says = ask_strategy(active_policy(), micro_batch, strategy::Activation(activation));
  bool wanted = false;
  {
    const std::lock_guard lock(mutex_);
    wanted = ledger_.would_keep(micro_batch, activation.bytes(), says);
  }
  std::unique_ptr<Stored> stored;
  if (wanted) stored = std::make_unique<Stored>(make(), tracker_, layer_, clock_->now_ns());

  std::vector<std::unique_ptr<Stored>> gone;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const Ledger::Outcome outcome = ledger_.store(micro_batch, activation.bytes(), says);
  const auto take_out = [&](std::int64_t index) {
    const auto found = entries_.find(index);
    if (found == entries_.end()) return;
    gone.push_back(std::move(found->second));
    entries_.erase(found);
  };
  for (const std::int64_t index : outcome.dropped) take_out(index);
  take_out(micro_batch);
  // Another thread's store may have taken the room meanwhile, or made some.
  if (!outcome.kept || stored == nullptr) {
    ledger_.remove(micro_batch);
    gone.push_back(std::move(stored));
    return false;
  }
  entries_[micro_batch] = std::move(stored);
  return true;
}

TensorPtr ActivationManager::get(std::int64_t micro_batch) {
  TensorPtr kept;
  {
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(micro_batch);
    if (found == entries_.end()) return nullptr;
    ++found->second->hits;
    kept = found->second->tensor;
  }
  return read_only_view(kept);
}

bool ActivationManager::has(std::int64_t micro_batch) const {
  const std::lock_guard lock(mutex_);
  return entries_.contains(micro_batch);
}

TensorPtr ActivationManager::recompute(const TensorPtr& input, std::int64_t micro_batch) {
  {
    const std::lock_guard lock(mutex_);
    ledger_.check_index(micro_batch);
  }
  if (!forward_) fail(Status::invalid_state, "manager ", base::quoted(name_), " was made without a forward function");
  TensorPtr output = forward_(input, micro_batch);
  if (output == nullptr) fail(Status::callback, "the forward function of manager ", base::quoted(name_), " gave no tensor");
  return output;
}

TensorPtr ActivationManager::get_or_compute(const TensorPtr& input, std::int64_t micro_batch) {
  TensorPtr stored = get(micro_batch);
  return stored != nullptr ? stored : recompute(input, micro_batch);
}

void ActivationManager::clear() {
  Entries gone;
  const std::lock_guard lock(mutex_);
  for (const auto& [index, stored] : entries_) ledger_.remove(index);
  entries_.swap(gone);
}

std::int64_t ActivationManager::estimate_memory_usage() const {
  const std::lock_guard lock(mutex_);
  return ledger_.bytes();
}

std::int64_t ActivationManager::count() const {
  const std::lock_guard lock(mutex_);
  return static_cast<std::int64_t>(entries_.size());
}

CheckpointMetadata ActivationManager::metadata(std::int64_t micro_batch) const {
  const std::lock_guard lock(mutex_);
  const auto found = entries_.find(micro_batch);
  if (found == entries_.end()) fail(Status::not_found, "micro_batch is ", micro_batch, "; its activation is not stored");
  const Stored& stored = *found->second;
  return {micro_batch, stored.tensor->bytes(), stored.tensor->dtype(), stored.tensor->shape(), stored.stored_ns, stored.hits};
}

std::vector<std::int64_t> ActivationManager::micro_batches() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::int64_t> all;
  for (const auto& [index, stored] : entries_) all.push_back(index);
  return all;
}

}  // namespace ckpt::pipeline
