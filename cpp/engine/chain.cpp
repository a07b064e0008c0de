#include "engine/chain.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "base/entered.h"
#include "engine/kernels.h"

namespace ckpt::engine {

using base::fail;
using base::require;
using base::Status;

Chain::Chain(std::int64_t first_layer) : first_layer_(first_layer) {
  require(first_layer >= 0, "first_layer is ", first_layer, "; at least 0");
}

void Chain::add(std::shared_ptr<Layer> layer) {
  const std::int64_t number = numbers_.empty() ? first_layer_ : numbers_.back() + 1;
  add(std::move(layer), number);
}

void Chain::add(std::shared_ptr<Layer> layer, std::int64_t number) {
  if (frozen_) fail(Status::invalid_state, "chain: an executor uses it already");
  for (const auto& other : layers_) {
    if (other->name() == layer->name())
      fail(Status::already_exists, "layer ", base::quoted(layer->name()), " is in the chain already");
  }
  for (const Parameter& parameter : layer->parameters()) parameters_.push_back(parameter);
  layers_.push_back(std::move(layer));
  numbers_.push_back(number);
}

bool Chain::needs_blas() const {
  return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->needs_blas(); });
}

bool Chain::needs_targets() const {
  return std::any_of(layers_.begin(), layers_.end(), [](const auto& layer) { return layer->needs_targets(); });
}

void Chain::initialize(std::uint64_t seed) {
  for (std::int64_t i = 0; i < layers(); ++i) {
    // A number that does not depend on how the chain is split.
    layer(i).initialize(seed, number(i));
  }
  zero_gradients();
}

void Chain::zero_gradients() {
  for (const Parameter& parameter : parameters_) {
    std::memset(parameter.gradient->data(), 0, static_cast<std::size_t>(parameter.gradient->bytes()));
  }
}

double Chain::clip_gradients(double max_norm) {
  require(std::isfinite(max_norm) && max_norm > 0, "max_norm is ", max_norm, "; finite and above 0");
  double squares = 0;
  for (const Parameter& parameter : parameters_) {
    with_float(parameter.gradient->dtype(), [&](auto zero) {
      squares += sum_of_squares(parameter.gradient->data_as<decltype(zero)>(), parameter.gradient->shape().elements());
    });
  }
  const double norm = std::sqrt(squares);
  if (norm <= max_norm) return norm;
  for (const Parameter& parameter : parameters_) {
    with_float(parameter.gradient->dtype(), [&](auto zero) {
      using T = decltype(zero);
      scale(parameter.gradient->data_as<T>(), static_cast<T>(max_norm / norm), parameter.gradient->shape().elements());
    });
  }
  return norm;
}

ChainShape Chain::shape(const TensorSpec& input) const {
  if (layers_.empty()) fail(Status::invalid_state, "chain has no layers");
  require(input.samples() >= 1, "input is ", to_text(input), "; at least one sample");
  const base::Entered entered(this);
  ChainShape shape{{input}, plan::ChainProfile(input.bytes())};
  for (const auto& layer : layers_) {
    const TensorSpec output = layer->output(shape.specs.back());
    plan::LayerProfile row;
    row.name = layer->name();
    row.flags = layer->flags();
    row.output_bytes = output.bytes();
    row.ambient_bytes = layer->ambient_bytes();
    row.output = strategy::Activation(output.dtype, output.shape);
    for (std::int32_t option = 0; option < layer->options(); ++option) {
      const OptionNeeds needs = layer->needs(shape.specs.back(), option);
      row.options.push_back({.tape_bytes = needs.tape_bytes,
                             .forward_workspace_bytes = needs.forward_workspace_bytes,
                             .backward_workspace_bytes = needs.backward_workspace_bytes,
                             .record_workspace_bytes = needs.record_workspace_bytes,
                             .has_record = needs.has_record});
    }
    shape.profile.add_layer(std::move(row));
    shape.specs.push_back(output);
  }
  shape.profile.require_complete();
  return shape;
}

}  // namespace ckpt::engine
