// Generated from include/ckpt by tools/api: do not edit.
// strategy_callbacks.hpp - callbacks of strategy.h that call members of objects.
// clang-format off
#ifndef CKPT_METHODS_STRATEGY_CALLBACKS_HPP
#define CKPT_METHODS_STRATEGY_CALLBACKS_HPP

#include <ckpt/strategy.h>
#include <ckpt/base.hpp>
#include <ckpt/values/strategy.hpp>

#include <cstdint>

namespace ckpt::detail {

// A ckpt_strategy_decide_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_strategy_decide(const ckpt_strategy_question* question, ckpt_bool* answer, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *answer = (object.*member)(from_c(*question)) ? 1 : 0; });
}

// A ckpt_strategy_reset_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_strategy_reset(void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(); });
}

// A ckpt_strategy_access_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_strategy_access(const char* layer_name, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { (object.*member)(layer_name); });
}

// A ckpt_strategy_factory_fn that calls a member of the object that user_data points to.
template <auto member>
std::int32_t call_strategy_factory(const char* arguments, ckpt_strategy** strategy, void* user_data) noexcept {
  return call_member<member>(user_data, [&](auto& object) { *strategy = (object.*member)(arguments).detach(); });
}

}  // namespace ckpt::detail

#endif
