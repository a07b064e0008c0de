// pipeline.hpp - the C++17 face of pipeline.h: activation checkpoint managers and pipelines of stages.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
#ifndef CKPT_PIPELINE_HPP
#define CKPT_PIPELINE_HPP

#include <ckpt/pipeline.h>
#include <ckpt/base.hpp>
#include <ckpt/engine.hpp>
#include <ckpt/memory.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/tensor.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// Which micro-batches' activations stay; see CKPT_ACTIVATION_*. A strategy must outlive the policy, not what is made with it.
struct ActivationPolicy {
  static ckpt_activation_policy of(std::int32_t kind) {
    ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
    policy.kind = kind;
    return policy;
  }
  static ckpt_activation_policy store_all() { return of(CKPT_ACTIVATION_POLICY_KIND_STORE_ALL); }
  static ckpt_activation_policy recompute_all() { return of(CKPT_ACTIVATION_POLICY_KIND_RECOMPUTE_ALL); }
  static ckpt_activation_policy selective(std::int64_t interval) {
    ckpt_activation_policy policy = of(CKPT_ACTIVATION_POLICY_KIND_SELECTIVE);
    policy.interval = interval;
    return policy;
  }
  static ckpt_activation_policy memory_based(std::int64_t threshold_bytes) {
    ckpt_activation_policy policy = of(CKPT_ACTIVATION_POLICY_KIND_MEMORY_BASED);
    policy.threshold_bytes = threshold_bytes;
    return policy;
  }
  static ckpt_activation_policy strategy(const Strategy& strategy) {
    ckpt_activation_policy policy = of(CKPT_ACTIVATION_POLICY_KIND_STRATEGY);
    policy.strategy = strategy.handle();
    return policy;
  }
  // memory_limit_bytes 0: what the process may use.
  static ckpt_activation_policy automatic(std::int64_t memory_limit_bytes = 0) {
    ckpt_activation_policy policy = of(CKPT_ACTIVATION_POLICY_KIND_AUTOMATIC);
    policy.memory_limit_bytes = memory_limit_bytes;
    return policy;
  }
};

// The forward of a stage; may throw: the exception's text becomes part of the error.
using StageForward = std::function<Tensor(const Tensor& input, std::int64_t micro_batch)>;

class ActivationManager {
 public:
  explicit ActivationManager(const ckpt_activation_policy& policy = CKPT_ACTIVATION_POLICY_INIT, StageForward forward = {},
                             const ckpt_activation_manager_options& options = CKPT_ACTIVATION_MANAGER_OPTIONS_INIT) {
    if (!forward) {
      check(ckpt_activation_manager_create(&policy, &options, nullptr, nullptr, nullptr, handle_.out()));
      return;
    }
    auto owned = std::make_unique<StageForward>(std::move(forward));
    check(
        ckpt_activation_manager_create(&policy, &options, call_forward, owned.get(), detail::destroy<StageForward>, handle_.out()));
    static_cast<void>(owned.release());
  }
  static ActivationManager adopt(ckpt_activation_manager* manager) { return ActivationManager(manager); }

  void set_policy(const ckpt_activation_policy& policy) { check(ckpt_activation_manager_set_policy(handle(), &policy)); }
  // The one in force; its strategy is NULL.
  ckpt_activation_policy policy() const {
    ckpt_activation_policy policy = CKPT_ACTIVATION_POLICY_INIT;
    check(ckpt_activation_manager_get_policy(handle(), &policy));
    return policy;
  }
  // No number: not known.
  void begin_step(std::optional<std::int64_t> micro_batches = std::nullopt) {
    check(ckpt_activation_manager_begin_step(handle(), micro_batches.value_or(-1)));
  }
  bool should_checkpoint(std::int64_t micro_batch, std::int64_t bytes) {
    std::int32_t answer = 0;
    check(ckpt_activation_manager_should_checkpoint(handle(), micro_batch, bytes, &answer));
    return answer != 0;
  }
  // Whether it was kept.
  bool store(std::int64_t micro_batch, const Tensor& activation) {
    std::int32_t kept = 0;
    check(ckpt_activation_manager_store(handle(), micro_batch, activation.handle(), &kept));
    return kept != 0;
  }
  // Without a copy. When it throws, the activation is gone all the same.
  bool store(std::int64_t micro_batch, Tensor&& activation) {
    Tensor given = std::move(activation);
    std::int32_t kept = 0;
    ckpt_tensor_retain(given.handle());  // the reference that the manager takes; this one goes at the end
    const ckpt_status status = ckpt_activation_manager_store_moved(handle(), micro_batch, given.handle(), &kept);
    if (status != CKPT_OK) ckpt_tensor_release(given.handle());
    check(status);
    return kept != 0;
  }
  std::optional<Tensor> get(std::int64_t micro_batch) {
    ckpt_tensor* found = nullptr;
    check(ckpt_activation_manager_get_activation(handle(), micro_batch, &found));
    if (found == nullptr) return std::nullopt;
    return Tensor::adopt(found);
  }
  bool has(std::int64_t micro_batch) const {
    std::int32_t found = 0;
    check(ckpt_activation_manager_has_activation(handle(), micro_batch, &found));
    return found != 0;
  }
  Tensor recompute(const Tensor& input, std::int64_t micro_batch) {
    ckpt_tensor* made = nullptr;
    check(ckpt_activation_manager_recompute(handle(), input.handle(), micro_batch, &made));
    return Tensor::adopt(made);
  }
  Tensor get_or_compute(const Tensor& input, std::int64_t micro_batch) {
    ckpt_tensor* found = nullptr;
    check(ckpt_activation_manager_get_or_compute(handle(), input.handle(), micro_batch, &found));
    return Tensor::adopt(found);
  }
  void clear() { check(ckpt_activation_manager_clear(handle())); }
  std::int64_t memory_usage() const {
    std::int64_t bytes = 0;
    check(ckpt_activation_manager_get_memory_usage(handle(), &bytes, nullptr));
    return bytes;
  }
  std::int64_t count() const {
    std::int64_t count = 0;
    check(ckpt_activation_manager_get_memory_usage(handle(), nullptr, &count));
    return count;
  }
  ckpt_activation_metadata metadata(std::int64_t micro_batch) const {
    ckpt_activation_metadata metadata = CKPT_ACTIVATION_METADATA_INIT;
    check(ckpt_activation_manager_get_metadata(handle(), micro_batch, &metadata));
    return metadata;
  }
  // The stored ones, ascending.
  std::vector<std::int64_t> micro_batches() const {
    std::vector<std::int64_t> all;
    std::int64_t count = 0;
    check(ckpt_activation_manager_list(handle(), nullptr, 0, &count));
    while (static_cast<std::int64_t>(all.size()) < count) {  // another thread may store meanwhile
      all.resize(static_cast<std::size_t>(count));
      check(ckpt_activation_manager_list(handle(), all.data(), static_cast<std::int64_t>(all.size()), &count));
    }
    all.resize(static_cast<std::size_t>(count));
    return all;
  }
  ckpt_activation_manager* handle() const noexcept { return handle_.get(); }

 private:
  explicit ActivationManager(ckpt_activation_manager* manager) noexcept : handle_(manager) {}
  static std::int32_t call_forward(ckpt_tensor* input, std::int64_t micro_batch, ckpt_tensor** output, void* user_data) noexcept {
    return detail::callback_status([&] {
      ckpt_tensor_retain(input);
      const Tensor given = Tensor::adopt(input);
      const Tensor made = (*static_cast<StageForward*>(user_data))(given, micro_batch);
      ckpt_tensor_retain(made.handle());
      *output = made.handle();
    });
  }
  detail::Handle<ckpt_activation_manager, ckpt_activation_manager_release> handle_;
};

// Where a chain is cut; see ckpt_pipeline_split.
inline std::vector<std::int64_t> pipeline_split(const Profile& profile, const ckpt_pipeline_options& options) {
  std::int64_t count = 0;
  check(ckpt_pipeline_split(profile.handle(), &options, nullptr, 0, &count));
  std::vector<std::int64_t> begins(static_cast<std::size_t>(count));
  check(ckpt_pipeline_split(profile.handle(), &options, begins.data(), count, &count));
  return begins;
}

inline std::int32_t pipeline_in_flight(const ckpt_pipeline_options& options, std::int32_t piece) {
  std::int32_t in_flight = 0;
  check(ckpt_pipeline_get_in_flight(&options, piece, &in_flight));
  return in_flight;
}

class Pipeline {
 public:
  Pipeline(const Chain& chain, const ckpt_tensor_spec& input, const ckpt_pipeline_options& options)
      : micro_batches_(options.micro_batches), stages_(options.stages) {
    check(ckpt_pipeline_create(chain.handle(), &input, &options, handle_.out()));
  }

  // Returns the mean loss, or NaN when the output is not one number.
  double run(const ckpt_step& step, std::int64_t timeout_ns = -1) {
    double loss = 0;
    check(ckpt_pipeline_run(handle(), &step, timeout_ns, &loss, nullptr));
    return loss;
  }
  // The same, with each micro-batch's loss.
  double run(const ckpt_step& step, std::vector<double>& losses, std::int64_t timeout_ns = -1) {
    double loss = 0;
    losses.resize(static_cast<std::size_t>(micro_batches_));
    check(ckpt_pipeline_run(handle(), &step, timeout_ns, &loss, losses.data()));
    return loss;
  }
  // Any thread.
  void cancel() { check(ckpt_pipeline_cancel(handle())); }

  std::int32_t stages() const noexcept { return stages_; }
  std::int32_t micro_batches() const noexcept { return micro_batches_; }
  std::vector<std::int64_t> begins() const {
    std::int64_t count = 0;
    check(ckpt_pipeline_get_begins(handle(), nullptr, 0, &count));
    std::vector<std::int64_t> begins(static_cast<std::size_t>(count));
    check(ckpt_pipeline_get_begins(handle(), begins.data(), count, &count));
    return begins;
  }
  ActivationManager manager(std::int32_t stage) {
    ckpt_activation_manager* manager = nullptr;
    check(ckpt_pipeline_get_manager(handle(), stage, &manager));
    return ActivationManager::adopt(manager);
  }
  Schedule schedule(std::int32_t stage) {
    ckpt_schedule* schedule = nullptr;
    check(ckpt_pipeline_get_schedule(handle(), stage, &schedule));
    return Schedule::adopt(schedule);
  }
  Profile profile(std::int32_t stage) {
    ckpt_profile* profile = nullptr;
    check(ckpt_pipeline_get_profile(handle(), stage, &profile));
    return Profile::adopt(profile);
  }
  ckpt_pipeline_stats stats(std::int32_t stage) {
    ckpt_pipeline_stats stats = CKPT_PIPELINE_STATS_INIT;
    check(ckpt_pipeline_get_stats(handle(), stage, &stats));
    return stats;
  }
  // Of the last step that ended well. step_ns, when given, receives how long it took.
  std::vector<ckpt_pipeline_interval> timeline(std::int64_t* step_ns = nullptr) {
    std::int64_t count = 0;
    check(ckpt_pipeline_get_timeline(handle(), nullptr, 0, &count, nullptr));
    std::vector<ckpt_pipeline_interval> intervals(static_cast<std::size_t>(count));
    check(ckpt_pipeline_get_timeline(handle(), intervals.data(), count, &count, step_ns));
    return intervals;
  }
  std::string trace_json() {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_pipeline_get_trace_json(handle(), buffer, capacity, needed);
    });
  }
  ckpt_pipeline* handle() const noexcept { return handle_.get(); }

 private:
  std::int32_t micro_batches_;
  std::int32_t stages_;
  detail::Handle<ckpt_pipeline, ckpt_pipeline_release> handle_;
};

}  // namespace ckpt

#endif  // CKPT_PIPELINE_HPP
