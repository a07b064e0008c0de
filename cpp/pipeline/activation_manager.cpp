#include "pipeline/activation_manager.h"

#include <cstring>
#include <mutex>
#include <utility>

#include "base/entered.h"
#include "base/error.h"
#include "base/log.h"
#include "memory/probe.h"

namespace ckpt::pipeline {

using base::fail;
using base::require;
using base::Status;
using Lock = std::lock_guard<base::ForkMutex>;

// A tensor that the tracker counts while it is stored, or bytes held and counted by a stage.
struct ActivationManager::Stored {
  Stored(std::int64_t held_bytes, std::int64_t now_ns) : bytes(held_bytes), stored_at_ns(now_ns) {}
  Stored(TensorPtr given, std::shared_ptr<memory::Tracker> counted_by, memory::LayerId layer, std::int64_t now_ns)
      : tensor(std::move(given)), bytes(tensor->bytes()), tracker(std::move(counted_by)), stored_at_ns(now_ns) {
    if (bytes > 0) allocation = tracker->allocate(layer, bytes);
  }
  ~Stored() {
    if (allocation == 0) return;
    try {
      tracker->free(allocation);
    } catch (...) {
      // Already freed directly through the tracker's interface: nothing to undo.
    }
  }
  Stored(const Stored&) = delete;
  Stored& operator=(const Stored&) = delete;

  TensorPtr tensor;  // nullptr: held by a stage
  std::int64_t bytes = 0;
  std::shared_ptr<memory::Tracker> tracker;
  memory::AllocationId allocation = 0;
  std::int64_t stored_at_ns = 0;
  std::int64_t stored_utc_ns = base::utc_ns();
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

constexpr const char* the_manager = "the activation manager";

}  // namespace

ActivationManager::ActivationManager(Policy policy, std::string name, std::shared_ptr<memory::Tracker> tracker,
                                     std::shared_ptr<const base::Clock> clock, Forward forward)
    : name_(std::move(name)),
      tracker_(std::move(tracker)),
      layer_(tracker_->layer(name_)),
      clock_(std::move(clock)),
      forward_(std::move(forward)),
      policy_(std::move(policy)),
      ledger_((check(policy_), resolved(policy_, 0, 1))) {}

ActivationManager::~ActivationManager() = default;

// ---- The policy ----

std::int64_t ActivationManager::total_bytes(const Policy& policy) const {
  if (policy.memory_limit_bytes > 0 || tracker_->limit().bytes > 0) return policy.memory_limit_bytes;
  if (usable_bytes_.load(std::memory_order_relaxed) == 0)
    usable_bytes_.store(memory::probe_system_memory().total_bytes, std::memory_order_relaxed);
  return usable_bytes_.load(std::memory_order_relaxed);
}

// Logs a choice at INFO if it differs from the last one, at DEBUG in each step.
Policy ActivationManager::resolved(Policy policy, std::int64_t own_bytes, std::int64_t stages) {
  if (policy.kind != Policy::Kind::automatic) return policy;
  const Pressure pressure = pressure_of(*tracker_, total_bytes(policy), own_bytes);
  Policy picked = policy_for_pressure(policy, pressure, stages);
  const auto kind = static_cast<std::int32_t>(picked.kind);
  base::write_log(logged_kind_.exchange(kind) == kind ? base::LogLevel::debug : base::LogLevel::info, "pipeline",
                  base::cat(base::quote(name_), ": automatic policy selects ", to_text(picked), " under pressure ",
                            to_text(pressure), "; keeps at most ", picked.threshold_bytes, " bytes"));
  return picked;
}

Policy ActivationManager::policy() const {
  const Lock lock(mutex_);
  return policy_;
}

Policy ActivationManager::active_policy() const {
  const Lock lock(mutex_);
  return ledger_.policy();
}

void ActivationManager::set_policy(Policy policy) {
  check(policy);
  base::Entered::refuse(this, the_manager);
  Policy active = resolved(policy, 0, 1);
  // The previous policies are destroyed without the lock: a strategy's destroy function may call back.
  const Lock lock(mutex_);
  refuse_while_planned();
  std::swap(policy_, policy);
  active = ledger_.exchange_policy(std::move(active));
}

void ActivationManager::begin_step(std::int64_t micro_batches) {
  require(micro_batches >= unknown_count, "micro_batches is ", micro_batches, "; expected at least 0, or -1 if unknown");
  base::Entered::refuse(this, the_manager);
  clear();  // before the pressure is measured: this manager's old contents must not count
  Policy active = resolved(policy(), 0, 1);
  Entries gone;
  const Lock lock(mutex_);
  refuse_while_planned();
  gone = take_all();
  active = ledger_.exchange_policy(std::move(active));
  ledger_.begin_step(micro_batches);
}

bool ActivationManager::ask_strategy(const Policy& policy, std::int64_t micro_batch, const strategy::Activation& activation) const {
  if (policy.kind != Policy::Kind::strategy) return false;
  const base::Entered inside(this);
  return policy.strategy->should_checkpoint(name_, activation, micro_batch);
}

Policy ActivationManager::checked_policy(std::int64_t micro_batch) const {
  ledger_.check_index(micro_batch);
  return ledger_.policy();
}

bool ActivationManager::should_checkpoint(std::int64_t micro_batch, const strategy::Activation& activation) {
  base::Entered::refuse(this, the_manager);
  const Policy policy = [&] {
    const Lock lock(mutex_);
    return checked_policy(micro_batch);
  }();
  const bool strategy_keeps = ask_strategy(policy, micro_batch, activation);
  const Lock lock(mutex_);
  return ledger_.would_keep(micro_batch, activation.bytes, strategy_keeps);
}

// ---- Storing ----

bool ActivationManager::store(std::int64_t micro_batch, const tensor::Tensor& activation) {
  return store_as(micro_batch, activation, [&] { return copy_of(activation); });
}

bool ActivationManager::store_moved(std::int64_t micro_batch, TensorPtr activation) {
  const tensor::Tensor& tensor = *activation;
  return store_as(micro_batch, tensor, [&] { return activation; });
}

std::unique_ptr<ActivationManager::Stored> ActivationManager::store_now(TensorPtr activation) const {
  const std::int64_t now_ns = [&] {
    const base::Entered inside(this);
    return clock_->now_ns();
  }();
  return std::make_unique<Stored>(std::move(activation), tracker_, layer_, now_ns);
}

template <class Make>
bool ActivationManager::store_as(std::int64_t micro_batch, const tensor::Tensor& activation, Make&& make) {
  base::Entered::refuse(this, the_manager);
  const Policy policy = [&] {
    const Lock lock(mutex_);
    refuse_while_planned();
    return checked_policy(micro_batch);
  }();
  const bool strategy_keeps = ask_strategy(policy, micro_batch, strategy::Activation(activation));
  const bool wanted = [&] {
    const Lock lock(mutex_);
    return ledger_.would_keep(micro_batch, activation.bytes(), strategy_keeps);
  }();
  std::unique_ptr<Stored> stored;
  if (wanted) stored = store_now(make());

  std::vector<std::unique_ptr<Stored>> gone;  // destroyed after the lock is released
  const Lock lock(mutex_);
  refuse_while_planned();
  const Ledger::Outcome outcome = ledger_.store(micro_batch, activation.bytes(), strategy_keeps);
  for (const std::int64_t index : outcome.dropped) gone.push_back(take_out(index));
  gone.push_back(take_out(micro_batch));
  // Another thread's store may have changed the available space meanwhile.
  if (!outcome.kept || stored == nullptr) {
    ledger_.drop(micro_batch);
    gone.push_back(std::move(stored));
    return false;
  }
  bytes_ += stored->bytes;
  entries_[micro_batch] = std::move(stored);
  return true;
}

std::unique_ptr<ActivationManager::Stored> ActivationManager::take_out(std::int64_t micro_batch) {
  const auto found = entries_.find(micro_batch);
  if (found == entries_.end()) return nullptr;
  std::unique_ptr<Stored> stored = std::move(found->second);
  bytes_ -= stored->bytes;
  entries_.erase(found);
  return stored;
}

ActivationManager::Entries ActivationManager::take_all() {
  ledger_.clear();
  bytes_ = 0;
  return std::exchange(entries_, {});
}

void ActivationManager::clear() {
  base::Entered::refuse(this, the_manager);
  Entries gone;
  const Lock lock(mutex_);
  refuse_while_planned();
  gone = take_all();
}

// ---- Reading ----

TensorPtr ActivationManager::get(std::int64_t micro_batch) {
  TensorPtr kept;
  {
    const Lock lock(mutex_);
    const auto found = entries_.find(micro_batch);
    if (found == entries_.end()) return nullptr;
    kept = found->second->tensor;
    if (kept == nullptr) {
      fail(Status::unsupported, "micro_batch is ", micro_batch,
           "; expected a tensor, found bytes in the arena of a pipeline's stage, which cannot be read");
    }
    ++found->second->hits;
  }
  return read_only_view(kept);
}

bool ActivationManager::has(std::int64_t micro_batch) const {
  const Lock lock(mutex_);
  return entries_.contains(micro_batch);
}

TensorPtr ActivationManager::recompute(const TensorPtr& input, std::int64_t micro_batch) {
  base::Entered::refuse(this, the_manager);
  {
    const Lock lock(mutex_);
    ledger_.check_index(micro_batch);
  }
  if (!forward_) fail(Status::invalid_state, "manager ", base::quote(name_), " has no forward function");
  const base::Entered inside(this);
  TensorPtr output = forward_(input, micro_batch);
  if (output == nullptr) fail(Status::callback, "the forward function of manager ", base::quote(name_), " returned no tensor");
  return output;
}

TensorPtr ActivationManager::get_or_compute(const TensorPtr& input, std::int64_t micro_batch) {
  base::Entered::refuse(this, the_manager);
  {
    const Lock lock(mutex_);
    refuse_while_planned();  // the stage cannot be called then
  }
  TensorPtr stored = get(micro_batch);
  return stored != nullptr ? stored : recompute(input, micro_batch);
}

Usage ActivationManager::usage() const {
  const Lock lock(mutex_);
  return {bytes_, static_cast<std::int64_t>(entries_.size())};
}

CheckpointMetadata ActivationManager::metadata(std::int64_t micro_batch) const {
  const Lock lock(mutex_);
  const auto found = entries_.find(micro_batch);
  if (found == entries_.end()) fail(Status::not_found, "micro_batch is ", micro_batch, "; its activation is not stored");
  const Stored& stored = *found->second;
  CheckpointMetadata metadata{micro_batch,         stored.bytes,         tensor::Dtype::u8, {stored.bytes},
                              stored.stored_at_ns, stored.stored_utc_ns, stored.hits};
  if (stored.tensor != nullptr) {
    metadata.dtype = stored.tensor->dtype();
    metadata.shape = stored.tensor->shape();
  }
  return metadata;
}

std::vector<std::int64_t> ActivationManager::micro_batches() const {
  const Lock lock(mutex_);
  std::vector<std::int64_t> all;
  for (const auto& [index, stored] : entries_) all.push_back(index);
  return all;
}

// ---- A pipeline's step ----

void ActivationManager::refuse_while_planned() const {
  if (pipeline_ == nullptr) return;
  if (step_generation_ != base::fork_generation())
    fail(Status::forked, "the stage's pipeline ran a step when this process was forked");
  base::Entered::refuse(pipeline_, "the stage's pipeline");
  fail(Status::busy, "the stage's pipeline is running a step");
}

Ledger ActivationManager::begin_planned_step(std::int64_t micro_batches, const void* pipeline, std::int64_t own_bytes,
                                             std::int64_t stages) {
  Entries gone;
  {
    const Lock lock(mutex_);
    pipeline_ = pipeline;
    step_generation_ = base::fork_generation();
    gone = take_all();
  }
  gone.clear();  // before the pressure is measured
  Policy active = resolved(policy(), own_bytes, stages);
  const Lock lock(mutex_);
  active = ledger_.exchange_policy(std::move(active));
  ledger_.begin_step(micro_batches);
  return ledger_;
}

void ActivationManager::keep(std::int64_t micro_batch, std::int64_t bytes) {
  auto first = std::make_unique<Stored>(bytes, clock_->now_ns());
  const Lock lock(mutex_);
  bytes_ += bytes;
  const auto [entry, is_first] = entries_.try_emplace(micro_batch, std::move(first));
  if (!is_first) entry->second->bytes += bytes;
}

void ActivationManager::release_kept(std::int64_t micro_batch, std::int64_t bytes) {
  const Lock lock(mutex_);
  const auto found = entries_.find(micro_batch);
  if (found == entries_.end()) return;
  bytes_ -= bytes;
  found->second->bytes -= bytes;
  if (found->second->bytes <= 0) take_out(micro_batch);
}

void ActivationManager::drop(std::int64_t micro_batch) {
  const Lock lock(mutex_);
  take_out(micro_batch);
}

void ActivationManager::end_planned_step() {
  Entries gone;
  const Lock lock(mutex_);
  gone = take_all();
  pipeline_ = nullptr;
}

}  // namespace ckpt::pipeline
