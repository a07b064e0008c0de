// pipeline.hpp - the C++17 interface of pipeline.h: activation checkpoint managers and pipelines of stages.
#ifndef CKPT_PIPELINE_HPP
#define CKPT_PIPELINE_HPP

#include <ckpt/engine.hpp>
#include <ckpt/memory.hpp>
#include <ckpt/methods/pipeline.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/strategy.hpp>
#include <ckpt/tensor.hpp>

namespace ckpt {

// The forward of a stage; may throw: the exception's message becomes part of the error.
using StageForward = std::function<Tensor(const Tensor& input, std::int32_t micro_batch)>;

class ActivationManager : public ActivationManagerMethods<ActivationManager> {
 public:
  using ActivationManagerMethods::ActivationManagerMethods;
  explicit ActivationManager(const ActivationPolicy& activation_policy = {}, StageForward forward = {},
                             const ActivationManagerOptions& manager_options = {})
      : ActivationManagerMethods(detail::Empty()) {
    const ckpt_activation_policy policy = detail::to_c(activation_policy);
    const ckpt_activation_manager_options options = detail::to_c(manager_options);
    auto owned = forward ? std::make_unique<StageForward>(std::move(forward)) : nullptr;
    check(ckpt_activation_manager_create(&policy, &options, owned ? call_forward : nullptr, owned.get(),
                                         owned ? detail::destroy<StageForward> : nullptr, out()));
    static_cast<void>(owned.release());
  }

  using ActivationManagerMethods::store;
  // Stores the activation without a copy. If it throws, the activation is released, too.
  bool store(std::int32_t micro_batch, Tensor&& activation) {
    Tensor given = std::move(activation);
    const auto kept = detail::result_of<ckpt_bool>(ckpt_activation_manager_store_moved, handle(), micro_batch, given.handle());
    static_cast<void>(given.detach());
    return kept != 0;
  }
  std::int64_t memory_usage() const {
    std::int64_t bytes = 0;
    check(ckpt_activation_manager_get_memory_usage(handle(), &bytes, nullptr));
    return bytes;
  }
  std::int64_t count() const {
    return detail::result_of<std::int64_t>(ckpt_activation_manager_get_memory_usage, handle(), nullptr);
  }

 private:
  static std::int32_t call_forward(ckpt_tensor* input, std::int32_t micro_batch, ckpt_tensor** output, void* user_data) noexcept {
    return detail::callback_status([&] {
      ckpt_tensor_retain(input);
      const Tensor given = Tensor::adopt(input);
      const Tensor created = (*static_cast<StageForward*>(user_data))(given, micro_batch);
      ckpt_tensor_retain(created.handle());
      *output = created.handle();
    });
  }
};

class Pipeline : public PipelineMethods<Pipeline> {
 public:
  using PipelineMethods::PipelineMethods;
  // schedules: empty, or the plan of each piece. policy: policy of every stage's activation manager.
  Pipeline(const Chain& chain, const TensorSpec& input, const PipelineOptions& options, const ActivationPolicy& policy = {},
           const std::vector<const Schedule*>& schedules = {})
      : PipelineMethods(detail::Empty()), micro_batches_(options.micro_batches), stages_(options.stages) {
    const ckpt_tensor_spec spec = detail::to_c(input);
    const ckpt_activation_policy wanted = detail::to_c(policy);
    std::vector<ckpt_schedule*> plans;
    plans.reserve(schedules.size());
    for (const Schedule* schedule : schedules) plans.push_back(schedule == nullptr ? nullptr : schedule->handle());
    ckpt_pipeline_options given = detail::to_c(options);
    given.policy = &wanted;
    given.schedules = plans.empty() ? nullptr : plans.data();
    given.schedules_count = static_cast<std::int64_t>(plans.size());
    check(ckpt_pipeline_create(chain.handle(), &spec, &given, out()));
  }

  // Returns the mean loss, or NaN when the output is not one number.
  double run(const Step& step, std::chrono::nanoseconds timeout = forever) { return run_step(step, timeout, nullptr); }
  // Also returns the loss of each micro-batch.
  double run(const Step& step, std::vector<double>& losses, std::chrono::nanoseconds timeout = forever) {
    losses.resize(static_cast<std::size_t>(micro_batches_));
    return run_step(step, timeout, losses.data());
  }

  std::int32_t stages() const noexcept { return stages_; }
  std::int32_t micro_batches() const noexcept { return micro_batches_; }
  // Returns the timeline of the last successful step. step_time, if not nullptr, receives its duration.
  std::vector<PipelineInterval> timeline(std::chrono::nanoseconds* step_time = nullptr) {
    std::int64_t step_ns = 0;
    const auto intervals =
        detail::list_of<ckpt_pipeline_interval>({}, [&](ckpt_pipeline_interval* list, std::int64_t capacity, std::int64_t* count) {
          return ckpt_pipeline_get_timeline(handle(), list, capacity, count, &step_ns);
        });
    if (step_time != nullptr) *step_time = std::chrono::nanoseconds(step_ns);
    return detail::values_of(intervals, [](const auto& each) { return detail::from_c(each); });
  }

 private:
  double run_step(const Step& step, std::chrono::nanoseconds timeout, double* losses) {
    const ckpt_step given = detail::to_c(step);
    double loss = 0;
    check(ckpt_pipeline_run(handle(), &given, timeout.count(), &loss, losses));
    return loss;
  }

  std::int32_t micro_batches_;
  std::int32_t stages_;
};

}  // namespace ckpt

#include <ckpt/methods/pipeline_definitions.hpp>

#endif  // CKPT_PIPELINE_HPP
