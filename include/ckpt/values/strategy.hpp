// Generated from include/ckpt by tools/api: do not edit.
// strategy.hpp - the values of strategy.h in C++: its enums, options and results.
// clang-format off
#ifndef CKPT_VALUES_STRATEGY_HPP
#define CKPT_VALUES_STRATEGY_HPP

#include <ckpt/strategy.h>
#include <ckpt/values/value.hpp>
#include <ckpt/values/tensor.hpp>

namespace ckpt {

// The meaning of a strategy's yes for the layer.
enum class StrategyChosen : std::int32_t {
  // the default of the kind of strategy: StrategyChosen::boundary for interval, StrategyChosen::recompute for all others
  default_ = CKPT_STRATEGY_CHOSEN_DEFAULT,
  // a chosen layer keeps only its input and runs again in backward; all others are stored
  recompute = CKPT_STRATEGY_CHOSEN_RECOMPUTE,
  // inputs of chosen layers are kept, and the layers between them are recomputed as one segment
  boundary = CKPT_STRATEGY_CHOSEN_BOUNDARY,
};

// A list of names, globs or rules of a strategy.
enum class StrategyList : std::int32_t {
  // the names and globs of chosen layers
  names = CKPT_STRATEGY_LIST_NAMES,
  // the names and globs of excluded layers
  excluded = CKPT_STRATEGY_LIST_EXCLUDED,
  // the rules of first
  rules = CKPT_STRATEGY_LIST_RULES,
};

// Objects and values that a text refers to. Every one that is set must be used by the text.
struct StrategyOptions {
  // for memory-aware: tracker of the live bytes, in a step in addition to those of the executors; kept alive. nullptr: live
  // bytes of the executors, or outside of steps the resident bytes of the process
  detail::Borrowed<ckpt_memory_tracker> tracker = {};
  // for memory-aware: clock for its adjustments; kept alive; nullptr: the monotonic clock
  detail::Borrowed<ckpt_clock> clock = {};
  // for memory-aware: total memory in bytes, >= 0, if the text does not specify it; 0: the memory that the process may use
  std::int64_t total_bytes = 0;
};
namespace detail {
inline ckpt_strategy_options to_c(const StrategyOptions& from) {
  ckpt_strategy_options to = CKPT_STRATEGY_OPTIONS_INIT;
  put(from.tracker, to.tracker);
  put(from.clock, to.clock);
  put(from.total_bytes, to.total_bytes);
  return to;
}
}  // namespace detail

// A question to a strategy about one layer. Borrowed for the call.
struct StrategyQuestion {
  // element type of the layer's activation
  DType dtype = DType{0};
  // name of the layer: UTF-8, not empty
  std::string_view layer_name = {};
  // lengths of the activation's dimensions
  Shape shape = {};
  // size of the activation in bytes
  std::int64_t bytes = 0;
  // index of the layer in its chain, from 0
  std::int64_t layer_index = 0;
};
namespace detail {
inline StrategyQuestion from_c(const ckpt_strategy_question& from) {
  StrategyQuestion to;
  take(to.dtype, from.dtype);
  take(to.layer_name, from.layer_name);
  take(to.shape, from.shape, from.ndim);
  take(to.bytes, from.bytes);
  take(to.layer_index, from.layer_index);
  return to;
}
}  // namespace detail

// Counters of a strategy since it was created or reset. Failed questions are not counted.
struct StrategyCounters {
  // number of layers about which it was asked
  std::int64_t asked_layers = 0;
  // number of layers that were answered with yes
  std::int64_t chosen_layers = 0;
  // bytes of the activations of these layers; at most 2^63 - 1
  std::int64_t chosen_bytes = 0;
};
namespace detail {
inline StrategyCounters from_c(const ckpt_strategy_counters& from) {
  StrategyCounters to;
  take(to.asked_layers, from.asked_layers);
  take(to.chosen_layers, from.chosen_layers);
  take(to.chosen_bytes, from.chosen_bytes);
  return to;
}
}  // namespace detail

// The configuration of a strategy. Numbers that do not apply to its kind are 0.
struct StrategyInfo {
  // for memory-aware: true when it was created with a tracker, else false
  bool has_tracker = false;
  // kind of strategy: "interval", "selective", ..., "custom"; static string. A strategy of a registered kind has the kind of
  // the strategy that its factory created
  std::string kind = {};
  // for interval: n, where every n-th layer is chosen; for memory-aware: the current n
  std::int64_t interval = 0;
  // for size: activations of at least this many bytes are chosen
  std::int64_t threshold_bytes = 0;
  // for memory-aware: share of total memory above which more layers are chosen
  double max_share = 0;
  // for memory-aware: total memory in bytes, as set, or the memory that the process may use
  std::int64_t total_bytes = 0;
  // for smart: a layer with more than this many times the mean bytes is chosen
  double large_factor = 0;
  // for smart: a layer accessed fewer times than this is chosen
  std::int64_t rare_accesses = 0;
  // for smart: a layer with an index above this share of the number of known layers is chosen
  double late_share = 0;
  // for selective: number of names and globs of chosen layers
  std::int64_t names_count = 0;
  // for selective, size and smart: number of names and globs of excluded layers
  std::int64_t excluded_count = 0;
  // for first: number of rules
  std::int64_t rules_count = 0;
  // for any, all, not and first: number of children
  std::int64_t children_count = 0;
  // for memory-aware: true when it was created with a clock, else false
  bool has_clock = false;
  // for memory-aware: true when total_bytes was set, false when it was determined from the system
  bool has_total = false;
};
namespace detail {
inline StrategyInfo from_c(const ckpt_strategy_info& from) {
  StrategyInfo to;
  take(to.has_tracker, from.has_tracker);
  take(to.kind, from.kind);
  take(to.interval, from.interval);
  take(to.threshold_bytes, from.threshold_bytes);
  take(to.max_share, from.max_share);
  take(to.total_bytes, from.total_bytes);
  take(to.large_factor, from.large_factor);
  take(to.rare_accesses, from.rare_accesses);
  take(to.late_share, from.late_share);
  take(to.names_count, from.names_count);
  take(to.excluded_count, from.excluded_count);
  take(to.rules_count, from.rules_count);
  take(to.children_count, from.children_count);
  take(to.has_clock, from.has_clock);
  take(to.has_total, from.has_total);
  return to;
}
}  // namespace detail

}  // namespace ckpt

#endif
