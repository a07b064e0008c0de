// What planning must know of a chain: bytes and seconds of every layer under each of its options.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "strategy/strategy.h"

namespace ckpt::plan {

constexpr std::uint32_t needs_input = 1;
constexpr std::uint32_t needs_output = 2;
constexpr std::uint32_t deterministic = 4;
constexpr std::uint32_t no_input_gradient = 8;
constexpr std::uint32_t all_layer_flags = 15;

struct OptionProfile {
  std::int64_t tape_bytes = 0;
  std::int64_t forward_workspace_bytes = 0;
  std::int64_t backward_workspace_bytes = 0;
  double forward_seconds = 0;
  double backward_seconds = 0;
};

struct LayerProfile {
  std::string name;
  std::uint32_t flags = needs_input | deterministic;
  std::int64_t output_bytes = 0;
  std::int64_t ambient_bytes = 0;
  strategy::Activation output{std::int64_t{0}};  // what strategies are asked about; its bytes are output_bytes
  std::vector<OptionProfile> options;

  bool has(std::uint32_t flag) const { return (flags & flag) != 0; }
};

class ChainProfile {
 public:
  explicit ChainProfile(std::int64_t input_bytes);

  // Checks the values; Error(invalid_argument) names the wrong one.
  void add_layer(LayerProfile layer);
  void add_option(const OptionProfile& option);

  std::int64_t layers() const { return static_cast<std::int64_t>(layers_.size()); }
  const LayerProfile& layer(std::int64_t i) const { return layers_[static_cast<std::size_t>(i)]; }
  // Bytes of x_i, 0 <= i <= layers().
  std::int64_t bytes_of(std::int64_t i) const { return i == 0 ? input_bytes_ : layer(i - 1).output_bytes; }

  // Error(invalid_state) unless there is a layer, every layer has an option, and the sum of all bytes fits 63 bits.
  void require_complete() const;

 private:
  std::int64_t input_bytes_;
  std::vector<LayerProfile> layers_;
};

}  // namespace ckpt::plan
