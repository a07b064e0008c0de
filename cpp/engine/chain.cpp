#include "engine/chain.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/entered.h"
#include "engine/kernels.h"

namespace ckpt::engine {

using base::fail;
using base::require;
using base::Status;

Chain::Chain(std::int64_t first_layer) : first_layer_(first_layer) {
  require(first_layer >= 0, "first_layer is ", first_layer, "; expected at least 0");
}

void Chain::add(std::shared_ptr<Layer> layer) {
  const Layer* const tied_to = layer->tied_to();
  const bool has_it = std::any_of(layers_.begin(), layers_.end(), [&](const auto& other) { return other.get() == tied_to; });
  if (tied_to != nullptr && !has_it) {
    fail(Status::invalid_argument, "layer ", base::quote(layer->name()), " is tied to layer ", base::quote(tied_to->name()),
         ", expected an earlier layer of the chain");
  }
  const std::int64_t number = numbers_.empty() ? first_layer_ : numbers_.back() + 1;
  add(std::move(layer), number);
}

void Chain::add(std::shared_ptr<Layer> layer, std::int64_t number) {
  if (frozen_) fail(Status::invalid_state, "chain is used by an executor: expected no further layers");
  for (const auto& other : layers_) {
    if (other->name() == layer->name())
      fail(Status::already_exists, "layer ", base::quote(layer->name()), " is in the chain already");
  }
  for (const Parameter& parameter : layer->parameters()) {
    const std::int64_t count = parameter.value->shape().elements();
    for (std::int64_t begin = 0; begin < count; begin += elements_per_part)
      parts_.push_back({parameters_.size(), begin, std::min(count, begin + elements_per_part)});
    parameters_.push_back(parameter);
  }
  inputs_.push_back({layers()});
  layers_.push_back(std::move(layer));
  numbers_.push_back(number);
}

void Chain::add(std::shared_ptr<Layer> layer, std::span<const std::int64_t> inputs) {
  plan::require_inputs(inputs, layers());
  std::vector<std::int64_t> read(inputs.begin(), inputs.end());  // nothing fails after the layer has been added
  add(std::move(layer));
  inputs_.back() = std::move(read);
}

bool Chain::is_graph() const noexcept {
  for (std::int64_t i = 0; i < layers(); ++i) {
    if (inputs(i).size() != 1 || inputs(i)[0] != i) return true;
  }
  return false;
}

bool Chain::needs_blas() const {
  return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->needs_blas(); });
}

bool Chain::needs_targets() const {
  return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->needs_targets(); });
}

void Chain::initialize(std::uint64_t seed) {
  for (std::int64_t i = 0; i < layers(); ++i) {
    // The number does not depend on how the chain is split.
    layer(i).initialize(seed, number(i));
  }
  zero_gradients();
}

void Chain::zero_gradients() {
  for_each_part([this](std::size_t i, std::int64_t begin, std::int64_t end) { zero_gradients(i, begin, end); });
  discard_gradients();
}

void Chain::zero_gradients(std::size_t i, std::int64_t begin, std::int64_t end) const {
  const tensor::Tensor& gradient = *parameters_[i].gradient;
  with_float(gradient.dtype(), [&](auto zero) {
    std::fill(gradient.data_as<decltype(zero)>() + begin, gradient.data_as<decltype(zero)>() + end, zero);
  });
}

void Chain::scale_gradients(double factor, std::size_t i, std::int64_t begin, std::int64_t end) const {
  const tensor::Tensor& gradient = *parameters_[i].gradient;
  with_float(gradient.dtype(), [&](auto zero) {
    using T = decltype(zero);
    scale(gradient.data_as<T>() + begin, static_cast<T>(factor), end - begin);
  });
}

void Chain::discard_gradients() {
  for (const auto& layer : layers_) layer->discard_gradients();
}

void Chain::gather_gradients() {
  for (const auto& layer : layers_) layer->gather_gradients();
}

// The sums of the parts are added in order.
double Chain::gradient_norm() {
  run_parts([this](std::int64_t number) {
    Part& part = parts_[static_cast<std::size_t>(number)];
    const tensor::Tensor& gradient = *parameters_[part.parameter].gradient;
    with_float(gradient.dtype(), [&](auto zero) {
      part.squares = sum_of_squares(gradient.data_as<decltype(zero)>() + part.begin, part.end - part.begin);
    });
  });
  double squares = 0;
  for (const Part& part : parts_) squares += part.squares;
  const double norm = std::sqrt(squares);
  if (!std::isfinite(norm)) fail(Status::out_of_range, "the norm of the gradients is ", norm, "; expected a finite number");
  return norm;
}

double Chain::clip_gradients(double max_norm) {
  require(std::isfinite(max_norm) && max_norm > 0, "max_norm is ", max_norm, "; expected a finite number above 0");
  const double norm = gradient_norm();
  if (norm <= max_norm) return norm;
  for_each_part([&](std::size_t i, std::int64_t begin, std::int64_t end) { scale_gradients(max_norm / norm, i, begin, end); });
  return norm;
}

plan::LayerProfile Chain::profile_of(const Layer& layer, std::span<const TensorSpec> inputs, const TensorSpec& output) const {
  plan::LayerProfile row;
  row.name = layer.name();
  row.flags = layer.flags();
  row.output_bytes = output.bytes();
  row.ambient_bytes = layer.ambient_bytes();
  row.output = strategy::Activation(output.dtype, output.shape);
  for (std::int32_t option = 0; option < layer.options(); ++option) {
    const OptionNeeds needs = layer.needs_for(inputs, option);
    row.options.push_back({.tape_bytes = needs.tape_bytes,
                           .forward_workspace_bytes = needs.forward_workspace_bytes,
                           .backward_workspace_bytes = needs.backward_workspace_bytes,
                           .record_workspace_bytes = needs.record_workspace_bytes,
                           .has_record = needs.has_record});
  }
  return row;
}

ChainShape Chain::shape(const TensorSpec& input) const {
  if (layers_.empty()) fail(Status::invalid_state, "chain has no layers");
  require(input.samples() >= 1, "input is ", to_text(input), "; expected at least one sample");
  const base::Entered entered(this);
  ChainShape shape{{input}, plan::ChainProfile(input.bytes())};
  const bool graph = is_graph();
  const std::vector<std::int64_t> readers = readers_of_values();
  for (std::int64_t i = 0; i < layers(); ++i) {
    std::vector<TensorSpec> read;
    for (const std::int64_t value : inputs(i)) read.push_back(shape.specs[static_cast<std::size_t>(value)]);
    const TensorSpec output = layer(i).output_for(read);
    plan::LayerProfile row = profile_of(layer(i), read, output);
    // A layer can run in place only on a value that no other layer reads.
    const bool reads_alone = inputs(i).size() == 1 && inputs(i)[0] == i && readers[static_cast<std::size_t>(i)] == 1;
    if (!reads_alone) row.flags &= ~plan::in_place;
    shape.profile.add_layer(std::move(row));
    shape.specs.push_back(output);
    if (graph) shape.inputs.push_back(std::move(read));
  }
  if (graph) set_reads(shape.profile);
  shape.profile.require_summable();
  return shape;
}

// Returns the number of layers that read each value.
std::vector<std::int64_t> Chain::readers_of_values() const {
  std::vector<std::int64_t> readers(static_cast<std::size_t>(layers()) + 1);
  for (const auto& values : inputs_) {
    for (const std::int64_t value : values) ++readers[static_cast<std::size_t>(value)];
  }
  return readers;
}

void Chain::set_reads(plan::ChainProfile& profile) const {
  for (std::int64_t i = 0; i < layers(); ++i)
    profile.set_inputs(i, inputs(i), profile.layer(i).has(plan::needs_input) ? inputs(i) : std::span<const std::int64_t>());
}

}  // namespace ckpt::engine
