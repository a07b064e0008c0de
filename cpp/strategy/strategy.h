// A strategy decides, layer by layer, whether to checkpoint the layer. The planner turns the decisions into a schedule, according
// to chosen(). All strategies are thread-safe, and a decision about a known layer allocates nothing.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "strategy/counters.h"
#include "tensor/shape.h"
#include "tensor/tensor.h"

namespace ckpt::strategy {

// A layer's activation, as strategies see it. Cheap to build: no allocation.
struct Activation {
  tensor::Dtype dtype = tensor::Dtype::u8;
  tensor::Shape shape;
  std::int64_t bytes = 1;

  // Errors as tensor::byte_size.
  Activation(tensor::Dtype dtype_, const tensor::Shape& shape_)
      : dtype(dtype_), shape(shape_), bytes(tensor::byte_size(dtype_, shape_)) {}
  explicit Activation(const tensor::Tensor& tensor) : dtype(tensor.dtype()), shape(tensor.shape()), bytes(tensor.bytes()) {}
  // If only the size is known: that many u8 elements. bytes >= 0.
  explicit Activation(std::int64_t bytes_) : shape({bytes_}), bytes(bytes_) {}
};

// The meaning of a yes. Numbers are those of CKPT_STRATEGY_CHOSEN_*.
enum class Chosen : std::int32_t {
  recompute = 1,  // a chosen layer keeps only its input and runs again in backward; every other layer is stored in full
  boundary = 2,   // the inputs of chosen layers are kept; each stretch between them is recomputed once, as a segment
};

// Memory of a follower's steps. A follower asks the strategy again before each step.
struct StepMemory {
  std::optional<std::int64_t> peak_bytes;  // highest live bytes of the last step; none before the first one
  std::int64_t unpredicted_bytes = 0;      // the excess over the prediction for that step
  // Predicts the highest live bytes of a step from the strategy's current answers: it asks the follower's strategy about every
  // layer.
  std::function<std::int64_t()> predict;
  std::weak_ptr<const void> follower;  // expires with the follower
};

class Strategy;
using StrategyPtr = std::shared_ptr<Strategy>;

// The parameters of a strategy. Fields that its kind does not use are 0 or empty. Views live as long as the strategy.
struct Parameters {
  std::string_view kind;      // the name in text and configuration; NUL-terminated
  std::int64_t interval = 0;  // interval; memory-aware: the current one
  std::int64_t threshold_bytes = 0;
  double max_share = 0;
  std::int64_t total_bytes = 0;  // memory-aware: also if the system reported it
  bool has_total = false;        // it was given explicitly
  bool has_tracker = false;
  bool has_clock = false;
  double large_factor = 0;
  std::int64_t rare_accesses = 0;
  double late_share = 0;
  std::span<const std::string> names = {};
  std::span<const std::string> excluded = {};
  std::span<const std::string> rules = {};
  std::span<const StrategyPtr> children = {};
};

class Strategy {
 public:
  virtual ~Strategy() = default;
  Strategy(const Strategy&) = delete;
  Strategy& operator=(const Strategy&) = delete;

  // layer_name: not empty. layer_index >= 0. Counts the query and the answer; if the decision throws, nothing is counted.
  bool should_checkpoint(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
    if (layer_name.empty() || layer_index < 0) [[unlikely]]
      refuse(layer_name, layer_index);
    const bool answer = decide(layer_name, activation, layer_index);
    counters_.count(answer, activation.bytes);
    return answer;
  }

  // "Interval(2)", "SizeBased(1MB)", ...
  virtual std::string name() const = 0;

  virtual Parameters parameters() const = 0;
  // Returns the values in its text form before the names and strategies. Fails with Error(unsupported) if text cannot express
  // them.
  virtual std::vector<std::string> text_values() const { return {}; }

  // Restores the state after construction, counters included, also of a composite's children. chosen() and bindings are kept.
  void reset() {
    clear_state();
    counters_.reset();
  }

  Counters counters() const noexcept { return counters_.read(); }

  // The default chosen() of the kind.
  Chosen default_chosen() const noexcept { return default_chosen_; }
  Chosen chosen() const noexcept { return chosen_.load(std::memory_order_relaxed); }
  void set_chosen(Chosen chosen) noexcept { chosen_.store(chosen, std::memory_order_relaxed); }

  // Called when the executor read or wrote this layer's activation: smart counts it, others ignore it.
  virtual void observe_access(std::string_view /*layer_name*/) {}

  // Called before a follower asks about every layer of the next step: memory-aware adjusts its interval, others ignore it. Equal
  // memory gives equal answers: neither a clock nor the process's memory influences them.
  virtual void begin_step(const StepMemory& /*memory*/) {}

  // Returns the nesting depth of strategies; 1 without children.
  virtual int depth() const noexcept { return 1; }

 protected:
  // Fails with Error(unsupported) for a property that the text form cannot express.
  [[noreturn]] void refuse_text(std::string_view what) const;
  explicit Strategy(Chosen usual = Chosen::recompute) : default_chosen_(usual), chosen_(usual) {}

 private:
  virtual bool decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) = 0;
  virtual void clear_state() {}
  [[noreturn]] static void refuse(std::string_view layer_name, std::int64_t layer_index);

  const Chosen default_chosen_;
  std::atomic<Chosen> chosen_;
  StripedCounters counters_;
};

// Selects every interval-th layer, beginning with layer 0. interval >= 1. Its chosen() is boundary by default.
StrategyPtr make_interval(std::int64_t interval = 2);

}  // namespace ckpt::strategy
