// Generated from include/ckpt by tools/api: do not edit.
// strategy.hpp - the classes and functions that are one call of C.
// clang-format off
#ifndef CKPT_METHODS_STRATEGY_HPP
#define CKPT_METHODS_STRATEGY_HPP

#include <ckpt/strategy.h>
#include <ckpt/base.hpp>
#include <ckpt/tensor.hpp>
#include <ckpt/values/strategy.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ckpt {

template <class Self>
class StrategyMethods : public detail::Object<Self, ckpt_strategy, ckpt_strategy_release> {
  using Base = detail::Object<Self, ckpt_strategy, ckpt_strategy_release>;

 public:
  using Base::Base;
  using Base::handle;
  // Decides whether to checkpoint one layer: returns true or false. layer_name: not blank. activation: only its type and shape
  // are read. layer_index >= 0. Allocates nothing unless a smart strategy is asked about a new layer. Status::callback if a
  // custom strategy failed.
  bool should_checkpoint(const std::string& layer_name, const Tensor& activation, std::int64_t layer_index) {
    ckpt_bool result = 0;
    check(ckpt_strategy_should_checkpoint(handle(), layer_name.c_str(), activation.handle(), layer_index, &result));
    return result != 0;
  }
  // Decides whether to checkpoint one layer as Strategy::should_checkpoint, without a tensor, from its element type (DType) and
  // its shape of ndim (0 .. 8) dimensions.
  bool should_checkpoint(const std::string& layer_name, DType dtype, const std::vector<std::int64_t>& shape,
                         std::int64_t layer_index) {
    ckpt_bool result = 0;
    check(ckpt_strategy_should_checkpoint_shape(handle(), layer_name.c_str(), static_cast<ckpt_dtype>(dtype), shape.data(),
                                                static_cast<std::int32_t>(shape.size()), layer_index, &result));
    return result != 0;
  }
  // Reports that the layer's activation was used. Smart counts it for known layers; composites notify their children. Executors
  // call this; call it if the program runs layers without an executor.
  void observe_access(const std::string& layer_name) {
    check(ckpt_strategy_observe_access(handle(), layer_name.c_str()));
  }
  // Returns the strategy's name, for example "Interval(2)", "SizeBased(1MB)" or "Any(Smart, Interval(8))".
  std::string name() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_strategy_get_name(handle(), buffer, capacity, needed);
    });
  }
  // Resets the strategy to its state after creation, counters included; for a composite its children, too. The meaning of a yes
  // stays as set.
  void reset() {
    check(ckpt_strategy_reset(handle()));
  }
  // Returns the meaning of a yes: StrategyChosen::recompute or StrategyChosen::boundary.
  StrategyChosen chosen() const {
    ckpt_strategy_chosen result = 0;
    check(ckpt_strategy_get_chosen(handle(), &result));
    return static_cast<StrategyChosen>(result);
  }
  // Sets the meaning of a yes: StrategyChosen::recompute, StrategyChosen::boundary, or StrategyChosen::default_ for the default
  // of the kind. Existing schedules do not change.
  Self& set_chosen(StrategyChosen chosen) {
    check(ckpt_strategy_set_chosen(handle(), static_cast<ckpt_strategy_chosen>(chosen)));
    return static_cast<Self&>(*this);
  }
  // Returns the strategy's counters: a snapshot while other threads ask.
  StrategyCounters counters() const {
    ckpt_strategy_counters result = CKPT_STRATEGY_COUNTERS_INIT;
    check(ckpt_strategy_get_counters(handle(), &result));
    return detail::from_c(result);
  }
  // Returns the strategy's configuration.
  StrategyInfo info() const {
    ckpt_strategy_info result = CKPT_STRATEGY_INFO_INIT;
    check(ckpt_strategy_get_info(handle(), &result));
    return detail::from_c(result);
  }
  // Returns a new reference to the child at index (0 .. children_count - 1, else Status::out_of_range), to be released; the last
  // child of first is the fallback.
  Self child(std::int64_t index) const {
    ckpt_strategy* result = nullptr;
    check(ckpt_strategy_get_child(handle(), index, &result));
    return Self::adopt(result);
  }
  // Returns the text from which Strategy::create creates an equal strategy. The text does not contain the meaning of a yes.
  // Status::unsupported for objects that text cannot express, which the message names: custom strategies, a tracker and a clock.
  // Status::out_of_range above 16 MiB, which is possible with shared children.
  std::string text() const {
    return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
      return ckpt_strategy_get_text(handle(), buffer, capacity, needed);
    });
  }
  // Returns another reference to the same object.
  Self share() const noexcept {
    ckpt_strategy_retain(handle());
    return Self::adopt(handle());
  }
};

// Returns the kinds that text can use, separated by ", ". Synchronized.
inline std::string known_strategy_kinds() {
  return detail::text_of([&](char* buffer, std::int64_t capacity, std::int64_t* needed) {
    return ckpt_strategy_get_known_kinds(buffer, capacity, needed);
  });
}

}  // namespace ckpt

#endif
