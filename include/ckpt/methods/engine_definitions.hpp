// Generated from include/ckpt by tools/api: do not edit.
// engine_definitions.hpp - methods that name other classes of the header.
// clang-format off
#ifndef CKPT_METHODS_ENGINE_DEFINITIONS_HPP
#define CKPT_METHODS_ENGINE_DEFINITIONS_HPP

#include <ckpt/engine.hpp>

namespace ckpt {

template <class Self>
Self& ChainMethods<Self>::add(const Layer& layer) {
  check(ckpt_chain_add(handle(), layer.handle()));
  return static_cast<Self&>(*this);
}

inline ScheduleExecutor::ScheduleExecutor(const Chain& chain, const Schedule& schedule, const TensorSpec& input,
                                          const ScheduleExecutorOptions& options) : Object(detail::Empty()) {
  const ckpt_tensor_spec given_input = detail::to_c(input);
  const ckpt_schedule_executor_options given_options = detail::to_c(options);
  check(ckpt_schedule_executor_create(chain.handle(), schedule.handle(), &given_input, &given_options, this->out()));
}

template <class Self>
Self OptimizerMethods<Self>::sgd(const Chain& chain, double learning_rate, double momentum) {
  ckpt_optimizer* result = nullptr;
  check(ckpt_optimizer_create_sgd(chain.handle(), learning_rate, momentum, &result));
  return Self::adopt(result);
}

template <class Self>
Self OptimizerMethods<Self>::adamw(const Chain& chain, const AdamWOptions& options) {
  const ckpt_adamw_options given_options = detail::to_c(options);
  ckpt_optimizer* result = nullptr;
  check(ckpt_optimizer_create_adamw(chain.handle(), &given_options, &result));
  return Self::adopt(result);
}

}  // namespace ckpt

#endif
