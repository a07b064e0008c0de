// pipeline.hpp - the C++17 face of pipeline.h: activation checkpoint managers and pipelines of stages.
//
// Everything here is inline and calls only the C API, so a program compiled with it runs with any later library of the same soname.
#ifndef CKPT_PIPELINE_HPP
#define CKPT_PIPELINE_HPP

#include <ckpt/pipeline.h>
#include <ckpt/base.hpp>
#include <ckpt/engine.hpp>
#include <ckpt/memory.hpp>
#include <ckpt/methods/pipeline.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/pipeline.hpp>

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ckpt {

// The forward of a stage; may throw: the exception's text becomes part of the error.
using StageForward = std::function<Tensor(const Tensor& input, std::int32_t micro_batch)>;

class ActivationManager : public ActivationManagerMethods<ActivationManager> {
 public:
  explicit ActivationManager(const ActivationPolicy& activation_policy = {}, StageForward forward = {},
                             const ActivationManagerOptions& manager_options = {}) {
    const ckpt_activation_policy policy = detail::to_c(activation_policy);
    const ckpt_activation_manager_options options = detail::to_c(manager_options);
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

  // 0: not known.
  void begin_step(std::int32_t micro_batches = 0) { check(ckpt_activation_manager_begin_step(handle(), micro_batches)); }
  // Whether it was kept.
  bool store(std::int32_t micro_batch, const Tensor& activation) {
    ckpt_bool kept = 0;
    check(ckpt_activation_manager_store(handle(), micro_batch, activation.handle(), &kept));
    return kept != 0;
  }
  // Without a copy. When it throws, the activation is gone all the same.
  bool store(std::int32_t micro_batch, Tensor&& activation) {
    Tensor given = std::move(activation);
    ckpt_bool kept = 0;
    ckpt_tensor_retain(given.handle());  // the reference that the manager takes; this one goes at the end
    const ckpt_status status = ckpt_activation_manager_store_moved(handle(), micro_batch, given.handle(), &kept);
    if (status != CKPT_OK) ckpt_tensor_release(given.handle());
    check(status);
    return kept != 0;
  }
  std::optional<Tensor> activation(std::int32_t micro_batch) {
    ckpt_tensor* found = nullptr;
    check(ckpt_activation_manager_get_activation(handle(), micro_batch, &found));
    if (found == nullptr) return std::nullopt;
    return Tensor::adopt(found);
  }
  Tensor recompute(const Tensor& input, std::int32_t micro_batch) {
    ckpt_tensor* made = nullptr;
    check(ckpt_activation_manager_recompute(handle(), input.handle(), micro_batch, &made));
    return Tensor::adopt(made);
  }
  Tensor get_or_compute(const Tensor& input, std::int32_t micro_batch) {
    ckpt_tensor* found = nullptr;
    check(ckpt_activation_manager_get_or_compute(handle(), input.handle(), micro_batch, &found));
    return Tensor::adopt(found);
  }
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
  ckpt_activation_manager* handle() const noexcept { return handle_.get(); }

 private:
  explicit ActivationManager(ckpt_activation_manager* manager) noexcept : handle_(manager) {}
  static std::int32_t call_forward(ckpt_tensor* input, std::int32_t micro_batch, ckpt_tensor** output, void* user_data) noexcept {
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
inline std::vector<std::int64_t> pipeline_split(const Profile& profile, const PipelineOptions& options) {
  const ckpt_pipeline_options given = detail::to_c(options);
  return detail::list_of<std::int64_t>(0, [&](std::int64_t* list, std::int64_t capacity, std::int64_t* count) {
    return ckpt_pipeline_split(profile.handle(), &given, list, capacity, count);
  });
}

inline std::int32_t pipeline_in_flight(const PipelineOptions& options, std::int32_t piece) {
  const ckpt_pipeline_options given = detail::to_c(options);
  std::int32_t in_flight = 0;
  check(ckpt_pipeline_get_in_flight(&given, piece, &in_flight));
  return in_flight;
}

class Pipeline : public PipelineMethods<Pipeline> {
 public:
  // schedules: none, or the plan of each piece. policy: of every stage's activation manager.
  Pipeline(const Chain& chain, const TensorSpec& input, const PipelineOptions& options, const ActivationPolicy& policy = {},
           const std::vector<const Schedule*>& schedules = {})
      : micro_batches_(options.micro_batches), stages_(options.stages) {
    const ckpt_tensor_spec spec = detail::to_c(input);
    const ckpt_activation_policy wanted = detail::to_c(policy);
    std::vector<ckpt_schedule*> plans;
    plans.reserve(schedules.size());
    for (const Schedule* schedule : schedules) plans.push_back(schedule == nullptr ? nullptr : schedule->handle());
    ckpt_pipeline_options given = detail::to_c(options);
    given.policy = &wanted;
    given.schedules = plans.empty() ? nullptr : plans.data();
    given.schedules_count = static_cast<std::int64_t>(plans.size());
    check(ckpt_pipeline_create(chain.handle(), &spec, &given, handle_.out()));
  }

  // Returns the mean loss, or NaN when the output is not one number.
  double run(const Step& step, std::chrono::nanoseconds timeout = forever) {
    const ckpt_step given = detail::to_c(step);
    double loss = 0;
    check(ckpt_pipeline_run(handle(), &given, timeout.count(), &loss, nullptr));
    return loss;
  }
  // The same, with each micro-batch's loss.
  double run(const Step& step, std::vector<double>& losses, std::chrono::nanoseconds timeout = forever) {
    const ckpt_step given = detail::to_c(step);
    double loss = 0;
    losses.resize(static_cast<std::size_t>(micro_batches_));
    check(ckpt_pipeline_run(handle(), &given, timeout.count(), &loss, losses.data()));
    return loss;
  }

  std::int32_t stages() const noexcept { return stages_; }
  std::int32_t micro_batches() const noexcept { return micro_batches_; }
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
  // Of the last step that ended well. step_time, when given, receives how long it took.
  std::vector<PipelineInterval> timeline(std::chrono::nanoseconds* step_time = nullptr) {
    std::int64_t step_ns = 0;
    const auto intervals =
        detail::list_of<ckpt_pipeline_interval>({}, [&](ckpt_pipeline_interval* list, std::int64_t capacity, std::int64_t* count) {
          return ckpt_pipeline_get_timeline(handle(), list, capacity, count, &step_ns);
        });
    if (step_time != nullptr) *step_time = std::chrono::nanoseconds(step_ns);
    return detail::values_of(intervals, [](const auto& each) { return detail::from_c(each); });
  }
  ckpt_pipeline* handle() const noexcept { return handle_.get(); }

 private:
  std::int32_t micro_batches_;
  std::int32_t stages_;
  detail::Handle<ckpt_pipeline, ckpt_pipeline_release> handle_;
};

}  // namespace ckpt

#endif  // CKPT_PIPELINE_HPP
