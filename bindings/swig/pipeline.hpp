// pipeline.hpp - functions of pipeline.h with arrays.
#ifndef CKPT_SWIG_PIPELINE_HPP
#define CKPT_SWIG_PIPELINE_HPP

#include <ckpt/ckpt.h>

#include "calls.hpp"

namespace ckpt_swig {

// begins, schedules: none (the library chooses), or one for each piece. policy: of every stage's manager, or NULL.
inline ckpt_status pipeline_create(ckpt_chain* chain, const ckpt_tensor_spec* input, const ckpt_pipeline_options* options,
                                   const int64_t* begins, int64_t count, ckpt_schedule* const* schedules, int64_t schedule_count,
                                   const ckpt_activation_policy* policy, ckpt_pipeline** pipeline) {
  ckpt_pipeline_options given = CKPT_PIPELINE_OPTIONS_INIT;
  if (options) given = *options;
  given.begins = count == 0 ? nullptr : begins;
  given.begins_count = count;
  given.schedules = schedule_count == 0 ? nullptr : schedules;
  given.schedules_count = schedule_count;
  given.policy = policy;
  return ckpt_pipeline_create(chain, input, &given, pipeline);
}

// micro_batches: the number in the pipeline's options. Returns the loss of each.
inline Numbers pipeline_run(ckpt_pipeline* pipeline, const ckpt_step* step, int64_t timeout_ns, int32_t micro_batches,
                            double* loss) {
  Numbers losses;
  losses.list.resize(static_cast<std::size_t>(micro_batches < 1 ? 1 : micro_batches));
  check(ckpt_pipeline_run(pipeline, step, timeout_ns, loss, losses.list.data()));
  return losses;
}

}  // namespace ckpt_swig

#endif  // CKPT_SWIG_PIPELINE_HPP
