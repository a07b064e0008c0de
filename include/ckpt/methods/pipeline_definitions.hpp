// Generated from include/ckpt by tools/api: do not edit.
// pipeline_definitions.hpp - methods that name other classes of the header.
// clang-format off
#ifndef CKPT_METHODS_PIPELINE_DEFINITIONS_HPP
#define CKPT_METHODS_PIPELINE_DEFINITIONS_HPP

#include <ckpt/pipeline.hpp>

namespace ckpt {

template <class Self>
ActivationManager PipelineMethods<Self>::manager(std::int32_t stage) const {
  ckpt_activation_manager* result = nullptr;
  check(ckpt_pipeline_get_manager(handle(), stage, &result));
  return ActivationManager::adopt(result);
}

}  // namespace ckpt

#endif
