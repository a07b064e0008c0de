// Generated from include/ckpt by tools/api: do not edit.
// pipeline.hpp - the methods of pipeline.h's objects that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_PIPELINE_HPP
#define CKPT_METHODS_PIPELINE_HPP

#include <ckpt/pipeline.h>
#include <ckpt/base.hpp>
#include <ckpt/values/pipeline.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

template <class Self>
class ActivationManagerMethods {
 public:
  // Changes the policy of what is stored from now on; what is stored already stays. Meant for between steps.
  void set_policy(const ActivationPolicy& policy) {
    const ckpt_activation_policy given_policy = detail::to_c(policy);
    check(ckpt_activation_manager_set_policy(handle(), &given_policy));
  }
  // Returns the policy in force: under AUTOMATIC the one that was picked. policy.strategy is set to nullptr: no reference is
  // returned.
  ActivationPolicy policy() const {
    ckpt_activation_policy result = CKPT_ACTIVATION_POLICY_INIT;
    check(ckpt_activation_manager_get_policy(handle(), &result));
    return detail::from_c(result);
  }
  // Returns 1 when a store of this many bytes (>= 0) would be kept now, else 0. micro_batch: 0 .. micro_batches-1; another one:
  // Status::out_of_range. A strategy is asked, and counts the question.
  bool should_checkpoint(std::int32_t micro_batch, std::int64_t bytes) {
    ckpt_bool result = 0;
    check(ckpt_activation_manager_should_checkpoint(handle(), micro_batch, bytes, &result));
    return result != 0;
  }
  // Returns 1 when the activation is stored, else 0.
  bool has_activation(std::int32_t micro_batch) const {
    ckpt_bool result = 0;
    check(ckpt_activation_manager_has_activation(handle(), micro_batch, &result));
    return result != 0;
  }
  // Drops all that is stored; the tracker's count of this manager is 0 then.
  void clear() {
    check(ckpt_activation_manager_clear(handle()));
  }
  // Returns the metadata for a stored activation; Status::not_found when it is not stored.
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

 private:
  ckpt_activation_manager* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

template <class Self>
class PipelineMethods {
 public:
  // Asks the step that is running to end with Status::cancelled; does not wait. Without one it does nothing. Any thread, also a
  // layer's.
  void cancel() {
    check(ckpt_pipeline_cancel(handle()));
  }
  // Returns the first layers of the pieces.
  std::vector<std::int64_t> begins() const {
    const auto ask = [&](std::int64_t* list, std::int64_t capacity, std::int64_t* count) {
      return ckpt_pipeline_get_begins(handle(), list, capacity, count);
    };
    return detail::list_of<std::int64_t>(0, ask);
  }
  // Returns what a stage measured since the pipeline was made.
  PipelineStats stats(std::int32_t stage) {
    ckpt_pipeline_stats result = CKPT_PIPELINE_STATS_INIT;
    check(ckpt_pipeline_get_stats(handle(), stage, &result));
    return detail::from_c(result);
  }
  // Returns the timeline of the last step that ended well as Chrome's trace events (JSON; chrome://tracing and Perfetto show
  // it). Source: "Trace Event Format".
  std::string trace_json() {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_pipeline_get_trace_json(handle(), buffer, capacity, needed);
    });
  }

 private:
  ckpt_pipeline* handle() const noexcept { return static_cast<const Self*>(this)->handle(); }
};

}  // namespace ckpt

#endif
