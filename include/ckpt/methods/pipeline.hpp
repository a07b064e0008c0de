// Generated from include/ckpt by tools/api: do not edit.
// pipeline.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PIPELINE_HPP
#define CKPT_METHODS_PIPELINE_HPP

#include <ckpt/pipeline.h>
#include <ckpt/base.hpp>
#include <ckpt/plan.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/pipeline.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ckpt {

class ActivationManager;

template <class Self>
class ActivationManagerMethods : public detail::Object<Self, ckpt_activation_manager, ckpt_activation_manager_release> {
  using Base = detail::Object<Self, ckpt_activation_manager, ckpt_activation_manager_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Changes the policy for later stores; stored activations are kept. Intended for use between steps.
  Self& set_policy(const ActivationPolicy& policy) {
    const ckpt_activation_policy given_policy = detail::to_c(policy);
    check(ckpt_activation_manager_set_policy(handle(), &given_policy));
    return static_cast<Self&>(*this);
  }
  // Returns the policy in force: under AUTOMATIC the selected one. policy.strategy is set to nullptr: no reference is returned.
  ActivationPolicy policy() const {
    ckpt_activation_policy result = CKPT_ACTIVATION_POLICY_INIT;
    check(ckpt_activation_manager_get_policy(handle(), &result));
    return detail::from_c(result);
  }
  // Clears the manager and sets the number of micro-batches (>= 0) of the step, which determines the last one. 0: not known;
  // then the newest counts as the last until a newer one is stored, and an activation that was kept only as the last is dropped
  // then.
  void begin_step(std::int32_t micro_batches = 0) {
    check(ckpt_activation_manager_begin_step(handle(), micro_batches));
  }
  // Returns true when a store of this many bytes (>= 0) would be kept now, else false. micro_batch: 0 .. micro_batches-1;
  // another one: Status::out_of_range. Asks the strategy, if there is one, which counts the question.
  bool should_checkpoint(std::int32_t micro_batch, std::int64_t bytes = 0) {
    ckpt_bool result = 0;
    check(ckpt_activation_manager_should_checkpoint(handle(), micro_batch, bytes, &result));
    return result != 0;
  }
  // Applies the policy, and stores a copy of the activation if it is to be kept: returns true or false. An activation that is
  // stored already for this micro-batch is replaced; it is dropped if the new one is not kept.
  bool store(std::int32_t micro_batch, const Tensor& activation) {
    ckpt_bool result = 0;
    check(ckpt_activation_manager_store(handle(), micro_batch, activation.handle(), &result));
    return result != 0;
  }
  // Returns a new read-only reference to the stored activation, or std::nullopt when it is not stored; this is not an error. The
  // memory is kept until the reference is released, also if the manager drops the activation.
  std::optional<Tensor> activation(std::int32_t micro_batch) const {
    ckpt_tensor* result = nullptr;
    check(ckpt_activation_manager_get_activation(handle(), micro_batch, &result));
    return result == nullptr ? std::nullopt : std::optional(Tensor::adopt(result));
  }
  // Returns true when the activation is stored, else false.
  bool has_activation(std::int32_t micro_batch) const {
    ckpt_bool result = 0;
    check(ckpt_activation_manager_has_activation(handle(), micro_batch, &result));
    return result != 0;
  }
  // Runs the stage's forward on input: returns a new reference. Nothing is stored. Status::invalid_state when the manager has no
  // forward.
  Tensor recompute(const Tensor& input, std::int32_t micro_batch) {
    ckpt_tensor* result = nullptr;
    check(ckpt_activation_manager_recompute(handle(), input.handle(), micro_batch, &result));
    return Tensor::adopt(result);
  }
  // Returns the result of ActivationManager::activation, or, if nothing is stored, of ActivationManager::recompute. input is
  // only read in the second case, but must not be nullptr.
  Tensor get_or_compute(const Tensor& input, std::int32_t micro_batch) {
    ckpt_tensor* result = nullptr;
    check(ckpt_activation_manager_get_or_compute(handle(), input.handle(), micro_batch, &result));
    return Tensor::adopt(result);
  }
  // Drops all stored activations; the tracker's count of this manager is 0 then.
  void clear() {
    check(ckpt_activation_manager_clear(handle()));
  }
  // Returns information about a stored activation; Status::not_found when it is not stored.
  ActivationMetadata metadata(std::int32_t micro_batch) const {
    ckpt_activation_metadata result = CKPT_ACTIVATION_METADATA_INIT;
    check(ckpt_activation_manager_get_metadata(handle(), micro_batch, &result));
    return detail::from_c(result);
  }
  // Lists the stored micro-batches, ascending.
  std::vector<std::int32_t> list() const {
    const auto ask = [&](std::int32_t* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_activation_manager_list(handle(), list, capacity, count);
    };
    return detail::list_of<std::int32_t>(0, ask);
  }
};

template <class Self>
class PipelineMethods : public detail::Object<Self, ckpt_pipeline, ckpt_pipeline_release> {
  using Base = detail::Object<Self, ckpt_pipeline, ckpt_pipeline_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Requests that the running step fails with Status::cancelled; does not wait. Without a running step it does nothing. May be
  // called on any thread, also inside a layer. Not async-signal-safe: in a signal handler set a flag that another thread reads.
  void cancel() {
    check(ckpt_pipeline_cancel(handle()));
  }
  // Lists the first layers of the pieces.
  std::vector<std::int64_t> begins() const {
    const auto ask = [&](std::int64_t* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_pipeline_get_begins(handle(), list, capacity, count);
    };
    return detail::list_of<std::int64_t>(0, ask);
  }
  // Returns a stage's manager, as a new reference: its policy determines at the begin of a step the micro-batches with tapes
  // that are kept. Its recompute runs the stage's forward with the last step's keys; Status::unsupported for stages of several
  // chunks, and for layers that need targets, have ambient state or are not deterministic.
  ActivationManager manager(std::int32_t stage) const;
  // Returns the schedule of a stage's whole step, all micro-batches, with SEND and RECEIVE: a new reference. Only the pipeline
  // can run it.
  Schedule schedule(std::int32_t stage) const {
    ckpt_schedule* result = nullptr;
    check(ckpt_pipeline_get_schedule(handle(), stage, &result));
    return Schedule::adopt(result);
  }
  // Returns the profile that the schedule of Pipeline::schedule is verified against: the stage's layers for one micro-batch;
  // between two chunks one layer that is not run. A new reference.
  Profile profile(std::int32_t stage) const {
    ckpt_profile* result = nullptr;
    check(ckpt_pipeline_get_profile(handle(), stage, &result));
    return Profile::adopt(result);
  }
  // Returns the measurements of a stage since the pipeline was created.
  PipelineStats stats(std::int32_t stage) const {
    ckpt_pipeline_stats result = CKPT_PIPELINE_STATS_INIT;
    check(ckpt_pipeline_get_stats(handle(), stage, &result));
    return detail::from_c(result);
  }
  // Returns the timeline of the last successful step as Chrome's trace events (JSON; chrome://tracing and Perfetto show it).
  // Source: "Trace Event Format".
  std::string trace_json() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_pipeline_get_trace_json(handle(), buffer, capacity, needed);
    });
  }
};

// Splits a chain into pieces of equal time. Among the splits within 5% of the best time, selects the one with the most even
// memory: the bytes that store-all keeps, times the micro-batches in flight. profile: of one micro-batch. Reads only order,
// stages, chunks and micro_batches of options.
inline std::vector<std::int64_t> pipeline_split(const Profile& profile, const PipelineOptions& options) {
  const ckpt_pipeline_options given_options = detail::to_c(options);
  const auto ask = [&](std::int64_t* list, std::int64_t capacity, std::int64_t* count) {
    return ckpt_pipeline_split(profile.handle(), &given_options, list, capacity, count);
  };
  return detail::list_of<std::int64_t>(0, ask);
}

// Returns the maximum number of micro-batches of a piece (0 .. pieces-1) that are between their forward and the end of their
// backward. Reads the same options as Pipeline::split.
inline std::int32_t pipeline_in_flight(const PipelineOptions& options, std::int32_t piece) {
  const ckpt_pipeline_options given_options = detail::to_c(options);
  std::int32_t result = 0;
  check(ckpt_pipeline_get_in_flight(&given_options, piece, &result));
  return result;
}

}  // namespace ckpt

#endif
