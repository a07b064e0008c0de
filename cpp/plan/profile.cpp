#include "plan/profile.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/error.h"

namespace ckpt::plan {

using base::fail;
using base::require;
using base::Status;

namespace {

void require_bytes(const char* name, std::int64_t bytes) { require(bytes >= 0, name, " is ", bytes, "; expected at least 0"); }

void require_seconds(const char* what, double seconds) {
  require(std::isfinite(seconds) && seconds >= 0, what, " is ", seconds, "; expected a finite number of at least 0");
}

void check_option(const OptionProfile& option) {
  require_bytes("tape_bytes", option.tape_bytes);
  require_bytes("forward_workspace_bytes", option.forward_workspace_bytes);
  require_bytes("backward_workspace_bytes", option.backward_workspace_bytes);
  require_seconds("forward_seconds", option.forward_seconds);
  require_seconds("backward_seconds", option.backward_seconds);
  require_bytes("record_workspace_bytes", option.record_workspace_bytes);
  require_seconds("record_seconds", option.record_seconds);
  require_bytes("backward_peak_bytes", option.backward_peak_bytes);
}

void check_layer(const LayerProfile& layer) {
  base::require_name("name", layer.name);
  require((layer.flags & ~all_layer_flags) == 0, "flags is ", layer.flags, "; unknown bits");
  require_bytes("output_bytes", layer.output_bytes);
  require_bytes("ambient_bytes", layer.ambient_bytes);
  for (const OptionProfile& option : layer.options) check_option(option);
}

// Returns the reads of a layer in a chain.
GraphEdges::Reads chain_reads(std::int64_t number, const LayerProfile& layer) {
  return {{number}, std::vector<std::int64_t>(layer.has(needs_input) ? 1 : 0, number)};
}

// Fails unless all values are in the range and different. name: of the argument.
void require_values(const char* name, std::span<const std::int64_t> values, std::int64_t largest, const char* reason) {
  std::vector<std::int64_t> sorted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    require(values[i] >= 0 && values[i] <= largest, name, "[", i, "] is ", values[i], "; expected 0 .. ", largest, reason);
    sorted.push_back(values[i]);
  }
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail(Status::invalid_argument, name, " has value ", *twice, " twice; expected different values");
}

// Adds a * b.
void add_product(std::int64_t& total, std::int64_t a, std::int64_t b) {
  std::int64_t product = 0;
  if (__builtin_mul_overflow(a, b, &product) || __builtin_add_overflow(total, product, &total))
    fail(Status::out_of_range, "profile: the sum of all bytes exceeds INT64_MAX");
}

}  // namespace

void require_inputs(std::span<const std::int64_t> inputs, std::int64_t layer) {
  require(!inputs.empty(), "inputs_count is 0; expected at least 1");
  require_values("inputs", inputs, layer, ": a layer reads the input and values of earlier layers");
}

ChainProfile::ChainProfile(std::int64_t input_bytes) : input_bytes_(input_bytes) { require_bytes("input_bytes", input_bytes); }

ChainProfile ChainProfile::uniform(std::int64_t layers, LayerProfile layer) {
  require(layers >= 1, "layer_count is ", layers, "; expected at least 1");
  require_bytes("output_bytes", layer.output_bytes);
  ChainProfile profile(layer.output_bytes);
  require(layers == 1 || !layer.has(no_input_gradient), "flags is ", layer.flags,
          ": only layer 0 may lack an input gradient, but the uniform chain has layers: ", layers);
  profile.add_layer(std::move(layer));
  profile.uniform_layers_ = layers;
  return profile;
}

void ChainProfile::require_open(const char* what) const {
  if (is_uniform()) fail(Status::invalid_state, "profile is uniform and takes no further ", what);
}

void ChainProfile::add_layer(LayerProfile layer) {
  require_open("layers");
  check_layer(layer);
  for (const OptionProfile& option : layer.options) note_peak(option);
  layers_.push_back(std::move(layer));
  if (is_graph()) edges_->layers.push_back(chain_reads(layers() - 1, layers_.back()));
}

void ChainProfile::add_option(const OptionProfile& option) {
  require_open("options");
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layer: expected a layer before its option");
  check_option(option);
  note_peak(option);
  layers_.back().options.push_back(option);
}

void ChainProfile::set_option(std::int64_t layer, std::int32_t number, const OptionProfile& option) {
  require_open("options");
  check_option(option);
  note_peak(option);
  layers_[static_cast<std::size_t>(layer)].options[static_cast<std::size_t>(number)] = option;
}

GraphEdges& ChainProfile::edges() {
  if (!is_graph()) {
    require_open("inputs");
    edges_.emplace();
    for (std::int64_t i = 0; i < layers(); ++i) edges_->layers.push_back(chain_reads(i, layer(i)));
  }
  return *edges_;
}

void ChainProfile::set_inputs(std::int64_t number, std::span<const std::int64_t> inputs, std::span<const std::int64_t> needed) {
  if (number < 0 || number >= layers()) fail(Status::out_of_range, "layer is ", number, "; the profile has ", layers());
  require_inputs(inputs, number);
  require_values("needed", needed, number, "");
  for (const std::int64_t value : needed) {
    require(std::ranges::find(inputs, value) != inputs.end(), "needed has value ", value, "; expected values that inputs has, too");
  }
  GraphEdges::Reads& reads = edges().layers[static_cast<std::size_t>(number)];
  reads = {{inputs.begin(), inputs.end()}, {needed.begin(), needed.end()}};
  LayerProfile& layer = layers_[static_cast<std::size_t>(number)];
  layer.flags = needed.empty() ? layer.flags & ~needs_input : layer.flags | needs_input;
}

void ChainProfile::set_outputs(std::span<const std::int64_t> values) {
  require(!values.empty(), "values_count is 0; expected at least 1");
  require_values("values", values, layers(), "");
  require(std::ranges::find(values, 0) == values.end(), "values has value 0; expected values that layers compute");
  std::vector<std::int64_t>& outputs = edges().outputs;
  outputs.assign(values.begin(), values.end());
  std::ranges::sort(outputs);
}

GraphEdges::Reads ChainProfile::reads_of(std::int64_t number) const {
  return is_graph() ? reads(number) : chain_reads(number, layer(number));
}

std::vector<std::int64_t> ChainProfile::outputs() const {
  return is_graph() && !edges_->outputs.empty() ? edges_->outputs : std::vector{layers()};
}

void ChainProfile::set_tier(std::int32_t tier, const TierProfile& profile) {
  require(tier >= 1 && tier < tiers, "tier is ", tier, "; expected 1 .. ", tiers - 1);
  require_bytes("capacity_bytes", profile.capacity_bytes);
  require_seconds("latency_seconds", profile.latency_seconds);
  const auto require_rate = [](const char* what, double rate) {
    require(std::isfinite(rate) && rate >= 0, what, " is ", rate, "; expected a finite number of at least 0 (0: no limit)");
  };
  require_rate("write_bytes_per_second", profile.write_bytes_per_second);
  require_rate("read_bytes_per_second", profile.read_bytes_per_second);
  tiers_[static_cast<std::size_t>(tier)] = profile;
}

void ChainProfile::set_flags(std::uint32_t flags) {
  require((flags & ~all_profile_flags) == 0, "flags is ", flags, "; unknown bits");
  flags_ = flags;
}

void ChainProfile::require_whole() const {
  if (layers_.empty()) fail(Status::invalid_state, "profile has no layers");
  for (const LayerProfile& layer : layers_) {
    if (layer.options.empty())
      fail(Status::invalid_state, "profile: layer ", base::quote(layer.name), ": expected at least one option");
  }
  if (is_graph()) return require_valid_graph();
  for (std::int64_t i = 1; i < std::ssize(layers_); ++i) {
    require(!layer(i).has(no_input_gradient), "profile: layer ", i, " (", layer(i).name, ") has the flag NO_INPUT_GRADIENT; ",
            "expected it only in layer 0");
  }
}

void ChainProfile::require_valid_graph() const {
  std::vector<std::int64_t> readers(static_cast<std::size_t>(layers()) + 1);
  for (const GraphEdges::Reads& each : edges_->layers) {
    for (const std::int64_t value : each.inputs) ++readers[static_cast<std::size_t>(value)];
  }
  for (const std::int64_t value : outputs()) ++readers[static_cast<std::size_t>(value)];
  for (std::int64_t i = 0; i < layers(); ++i) {
    const LayerProfile& each = layer(i);
    const std::vector<std::int64_t>& inputs = reads(i).inputs;
    require(readers[static_cast<std::size_t>(i) + 1] > 0, "profile: no layer reads value ", i + 1, " of layer ", i, " (", each.name,
            "); expected a path to an output");
    require(!each.has(no_input_gradient) || inputs == std::vector{std::int64_t{0}}, "profile: layer ", i, " (", each.name,
            ") has the flag NO_INPUT_GRADIENT; expected it only in layers that read only value 0");
    require(!each.has(in_place) || (inputs == std::vector{i} && readers[static_cast<std::size_t>(i)] == 1), "profile: layer ", i,
            " (", each.name, ") has the flag IN_PLACE; expected it to read only value ", i, ", and no other layer to read it");
  }
}

double ChainProfile::longest_seconds() const {
  double longest = 0;
  const auto n = static_cast<double>(layers());
  for (std::size_t i = 0; i < layers_.size(); ++i) {
    double forward = 0;
    double backward = 0;
    for (const OptionProfile& option : layers_[i].options) {
      forward = std::max({forward, option.forward_seconds, option.has_record ? option.record_seconds : 0.0});
      backward = std::max(backward, option.backward_seconds);
    }
    const double runs = (n - static_cast<double>(i) + 1) * (is_graph() ? 2 : 1);
    longest += is_uniform() ? n * ((n + 1) / 2 * forward + backward) : runs * forward + backward;
  }
  if (!std::isfinite(longest)) fail(Status::out_of_range, "profile: the sum of all seconds exceeds the range of a double");
  return longest;
}

void ChainProfile::require_complete() const {
  if (is_graph()) {
    fail(Status::unsupported,
         "profile is a graph: expected a chain; the planners graph:BYTES, auto:BYTES and store-all plan graphs");
  }
  require_summable();
}

void ChainProfile::require_summable() const {
  require_whole();
  const std::int64_t each = is_uniform() ? uniform_layers_ : 1;
  std::int64_t total = input_bytes_;
  // Items that stay with the caller may exist a second time.
  if (flags_ != 0) {
    add_product(total, bytes_of(0), 1);
    for (const std::int64_t value : outputs()) add_product(total, bytes_of(value), 1);
  }
  for (const LayerProfile& layer : layers_) {
    // Output twice: an item and its gradient; in a graph also a second gradient that is added to it. Ambient state twice: saved and
    // current during a recomputation.
    for (const std::int64_t bytes : {layer.output_bytes, layer.ambient_bytes}) {
      add_product(total, bytes, each);
      add_product(total, bytes, each);
    }
    if (is_graph()) add_product(total, layer.output_bytes, 1);
    for (const OptionProfile& option : layer.options) {
      for (const std::int64_t bytes : {option.tape_bytes, option.forward_workspace_bytes, option.backward_workspace_bytes,
                                       option.record_workspace_bytes, option.backward_peak_bytes})
        add_product(total, bytes, each);
    }
  }
}

LayerFlags::LayerFlags(const ChainProfile& profile) {
  if (profile.is_uniform()) {
    every_ = profile.layer(0).flags;
    return;
  }
  for (std::int64_t i = 0; i < profile.layers(); ++i) each_.push_back(static_cast<std::uint8_t>(profile.layer(i).flags));
}

}  // namespace ckpt::plan
