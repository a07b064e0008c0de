// The inputs of planning: bytes and seconds of every layer under each of its options.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "plan/action.h"
#include "strategy/strategy.h"

namespace ckpt::plan {

constexpr std::uint32_t needs_input = 1;
constexpr std::uint32_t needs_output = 2;
constexpr std::uint32_t deterministic = 4;
constexpr std::uint32_t no_input_gradient = 8;
constexpr std::uint32_t in_place = 16;
constexpr std::uint32_t adds_gradient = 32;
constexpr std::uint32_t all_layer_flags = 63;

// Flags of a whole chain.
constexpr std::uint32_t keeps_input = 1;
constexpr std::uint32_t keeps_output = 2;
constexpr std::uint32_t own_allocator = 4;
constexpr std::uint32_t all_profile_flags = 7;

struct OptionProfile {
  std::int64_t tape_bytes = 0;
  std::int64_t forward_workspace_bytes = 0;
  std::int64_t backward_workspace_bytes = 0;
  double forward_seconds = 0;
  double backward_seconds = 0;
  std::int64_t record_workspace_bytes = 0;  // with has_record
  double record_seconds = 0;                // with has_record
  bool has_record = false;                  // can record without making its output
  std::int64_t backward_peak_bytes = 0;     // 0: unknown
};

struct LayerProfile {
  std::string name;
  std::uint32_t flags = needs_input | deterministic;
  std::int64_t output_bytes = 0;
  std::int64_t ambient_bytes = 0;
  strategy::Activation output{std::int64_t{0}};  // as shown to strategies; its bytes are output_bytes
  std::vector<OptionProfile> options;

  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

// A tier slower than memory. 0: unlimited.
struct TierProfile {
  std::int64_t capacity_bytes = 0;
  double write_bytes_per_second = 0;
  double read_bytes_per_second = 0;
  double latency_seconds = 0;

  double write_seconds(std::int64_t bytes) const { return seconds(bytes, write_bytes_per_second); }
  double read_seconds(std::int64_t bytes) const { return seconds(bytes, read_bytes_per_second); }

 private:
  double seconds(std::int64_t bytes, double rate) const {
    return latency_seconds + (rate > 0 ? static_cast<double>(bytes) / rate : 0);
  }
};

// The reads of a graph's layers. Value 0 is the input, and layer i computes value i + 1.
struct GraphEdges {
  struct Reads {
    std::vector<std::int64_t> inputs;  // values that forward reads: without duplicates, none above the layer's number
    std::vector<std::int64_t> needed;  // those among them that backward reads
    friend bool operator==(const Reads&, const Reads&) = default;
  };
  std::vector<Reads> layers;
  std::vector<std::int64_t> outputs;  // values that TURN passes to the caller; empty: the last one
};

// Fails with Error(invalid_argument) unless a layer of a graph can read these values.
void require_inputs(std::span<const std::int64_t> inputs, std::int64_t layer);

// The profile of a chain, or of a graph.
class ChainProfile {
 public:
  explicit ChainProfile(std::int64_t input_bytes);
  // A chain of equal layers, stored once however many there are.
  static ChainProfile uniform(std::int64_t layers, LayerProfile layer);

  // Checks the values; Error(invalid_argument) names the invalid one.
  void add_layer(LayerProfile layer);
  void add_option(const OptionProfile& option);
  // Replaces an existing option. Not for a uniform chain.
  void set_option(std::int64_t layer, std::int32_t number, const OptionProfile& option);

  // Make the chain a graph. Check the values.
  void set_inputs(std::int64_t number, std::span<const std::int64_t> inputs, std::span<const std::int64_t> needed);
  void set_outputs(std::span<const std::int64_t> values);

  // Checks the values. tier: 1 .. tiers-1.
  void set_tier(std::int32_t tier, const TierProfile& profile);
  // Checks the bits.
  void set_flags(std::uint32_t flags);

  std::int64_t layers() const { return is_uniform() ? uniform_layers_ : static_cast<std::int64_t>(layers_.size()); }
  const LayerProfile& layer(std::int64_t i) const { return layers_[is_uniform() ? 0 : static_cast<std::size_t>(i)]; }
  bool is_uniform() const { return uniform_layers_ > 0; }
  std::uint32_t flags() const { return flags_; }
  bool has(std::uint32_t flag) const { return (flags_ & flag) != 0; }
  // Returns true if an option has backward_peak_bytes.
  bool knows_backward_peaks() const { return knows_backward_peaks_; }
  bool is_graph() const { return edges_.has_value(); }
  const std::optional<GraphEdges>& graph() const { return edges_; }
  // Only for a graph.
  const GraphEdges::Reads& reads(std::int64_t layer) const { return edges_->layers[static_cast<std::size_t>(layer)]; }
  // Also for a chain.
  GraphEdges::Reads reads_of(std::int64_t number) const;
  // The values that TURN passes to the caller, ascending.
  std::vector<std::int64_t> outputs() const;
  const TierProfile& tier(std::int32_t number) const { return tiers_[static_cast<std::size_t>(number)]; }
  // Bytes of x_i, 0 <= i <= layers().
  std::int64_t bytes_of(std::int64_t i) const { return i == 0 ? input_bytes_ : layer(i - 1).output_bytes; }

  // Fails with Error(invalid_state) unless the profile has layers, and every layer has an option; with Error(invalid_argument)
  // unless every value of a graph has a path to an output, and the layers' flags fit the graph.
  void require_whole() const;
  // Also fails with Error(out_of_range) unless the sum of all bytes fits in 63 bits: planners may then add without checks.
  void require_summable() const;
  // require_summable of a chain. Fails with Error(unsupported) for a graph.
  void require_complete() const;
  // Returns the seconds of the slowest schedule worth making: no layer runs more often than the number of layers after it. Fails
  // with Error(out_of_range) if they exceed the range of a double.
  double longest_seconds() const;

 private:
  // Fails with Error(invalid_state) for a uniform chain, which is complete.
  void require_open(const char* what) const;
  void require_valid_graph() const;
  // Makes the chain a graph that reads the same.
  GraphEdges& edges();
  void note_peak(const OptionProfile& option) { knows_backward_peaks_ = knows_backward_peaks_ || option.backward_peak_bytes > 0; }

  std::int64_t input_bytes_;
  std::vector<LayerProfile> layers_;
  std::uint32_t flags_ = 0;
  bool knows_backward_peaks_ = false;
  std::int64_t uniform_layers_ = 0;  // of a uniform chain, with the single layer layers_[0]
  std::optional<GraphEdges> edges_;  // of a graph
  std::array<TierProfile, tiers> tiers_;
};

// The flags of every layer, for code that does not keep the profile.
class LayerFlags {
 public:
  explicit LayerFlags(std::uint32_t of_every_layer) : every_(of_every_layer) {}
  explicit LayerFlags(const ChainProfile& profile);

  std::uint32_t of(std::int64_t layer) const { return each_.empty() ? every_ : each_[static_cast<std::size_t>(layer)]; }
  bool has(std::int64_t layer, std::uint32_t flag) const { return (of(layer) & flag) != 0; }
  std::uint32_t every() const { return every_; }
  const std::vector<std::uint8_t>& each() const { return each_; }

 private:
  std::uint32_t every_ = 0;
  std::vector<std::uint8_t> each_;  // empty if all are equal
};

}  // namespace ckpt::plan
