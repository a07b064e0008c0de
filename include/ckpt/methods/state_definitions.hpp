// Generated from include/ckpt by tools/api: do not edit.
// state_definitions.hpp - methods that name other classes of the header.
// clang-format off
#ifndef CKPT_METHODS_STATE_DEFINITIONS_HPP
#define CKPT_METHODS_STATE_DEFINITIONS_HPP

#include <ckpt/state.hpp>

namespace ckpt {

template <class Self>
Coordinator CheckpointManagerMethods<Self>::coordinator() const {
  ckpt_coordinator* result = nullptr;
  check(ckpt_checkpoint_manager_get_coordinator(handle(), &result));
  return Coordinator::adopt(result);
}

template <class Self>
SaveResult CheckpointManagerMethods<Self>::save(const State& state, const SaveOptions& options) {
  const ckpt_save_options given_options = detail::to_c(options);
  ckpt_save_result result = CKPT_SAVE_RESULT_INIT;
  check(ckpt_checkpoint_manager_save(handle(), state.handle(), &given_options, &result));
  return detail::from_c(result);
}

}  // namespace ckpt

#endif
