// Attention and mlp as plain loops of long double that only follow the formulas in include/ckpt/engine.h.
#pragma once

#include <cmath>
#include <string>
#include <vector>

#include "models.h"

namespace ckpt::engine::test {

using Real = long double;
using Reals = std::vector<Real>;

// A layer's parameters by their names without the layer's prefix.
class NamedValues {
 public:
  NamedValues(const Layer& layer) : layer_(layer) {}
  Reals operator[](const std::string& name) const {
    for (const Parameter& parameter : layer_.parameters()) {
      if (parameter.name != layer_.name() + "." + name) continue;
      const std::vector<double> numbers = numbers_of(*parameter.value);
      return {numbers.begin(), numbers.end()};
    }
    base::fail(base::Status::not_found, "no parameter ", base::quote(name));
  }

 private:
  const Layer& layer_;
};

inline Reals reference_norm(const NamedValues& values, Norm norm, const Reals& x, std::size_t width) {
  const Reals weight = values["norm.weight"];
  const Reals bias = norm == Norm::layer_norm ? values["norm.bias"] : Reals(width);
  Reals y(x.size());
  for (std::size_t row = 0; row < x.size(); row += width) {
    Real mean = 0;
    Real square = 0;
    for (std::size_t j = 0; norm == Norm::layer_norm && j < width; ++j) mean += x[row + j] / static_cast<Real>(width);
    for (std::size_t j = 0; j < width; ++j) square += (x[row + j] - mean) * (x[row + j] - mean) / static_cast<Real>(width);
    const Real scale = 1 / std::sqrt(square + 1e-5L);
    for (std::size_t j = 0; j < width; ++j) y[row + j] = (x[row + j] - mean) * scale * weight[j] + bias[j];
  }
  return y;
}

// Computes rows of x times weight [inputs, outputs], plus bias.
inline Reals reference_linear(const Reals& x, const Reals& weight, const Reals& bias) {
  const std::size_t outputs = bias.size();
  const std::size_t inputs = weight.size() / outputs;
  Reals y(x.size() / inputs * outputs);
  for (std::size_t row = 0; row < x.size() / inputs; ++row) {
    for (std::size_t j = 0; j < outputs; ++j) {
      Real sum = bias[j];
      for (std::size_t k = 0; k < inputs; ++k) sum += x[row * inputs + k] * weight[k * outputs + j];
      y[row * outputs + j] = sum;
    }
  }
  return y;
}

// Rotates each pair of one token's query or key.
inline void reference_turn(Real* head, std::size_t length, std::size_t token, Real base) {
  for (std::size_t i = 0; i + 1 < length; i += 2) {
    const Real angle = static_cast<Real>(token) * std::pow(base, -static_cast<Real>(i) / static_cast<Real>(length));
    const Real a = head[i];
    const Real b = head[i + 1];
    head[i] = a * std::cos(angle) - b * std::sin(angle);
    head[i + 1] = a * std::sin(angle) + b * std::cos(angle);
  }
}

// y: one sample's [tokens, width]; qkv: its [tokens, width + 2 key_heads D], rotated.
inline void reference_heads(const Reals& qkv, std::size_t first_row, std::size_t tokens, std::size_t heads, std::size_t key_heads,
                            std::size_t length, Reals& y) {
  const std::size_t columns = (heads + 2 * key_heads) * length;
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t key_column = (heads + head / (heads / key_heads)) * length;
    const std::size_t value_column = key_column + key_heads * length;
    for (std::size_t t = 0; t < tokens; ++t) {
      const Real* const query = &qkv[(first_row + t) * columns + head * length];
      Reals weights(t + 1);
      Real max = -INFINITY;
      for (std::size_t s = 0; s <= t; ++s) {
        for (std::size_t d = 0; d < length; ++d) weights[s] += query[d] * qkv[(first_row + s) * columns + key_column + d];
        weights[s] /= std::sqrt(static_cast<Real>(length));
        max = std::max(max, weights[s]);
      }
      Real sum = 0;
      for (Real& weight : weights) sum += weight = std::exp(weight - max);
      for (std::size_t d = 0; d < length; ++d) {
        Real mean = 0;
        for (std::size_t s = 0; s <= t; ++s) mean += weights[s] / sum * qkv[(first_row + s) * columns + value_column + d];
        y[(first_row + t) * heads * length + head * length + d] = mean;
      }
    }
  }
}

inline Reals reference_attention(const Layer& layer, const AttentionOptions& options, const Reals& x, std::size_t samples) {
  const NamedValues values(layer);
  const auto width = static_cast<std::size_t>(options.width);
  const auto heads = static_cast<std::size_t>(options.heads);
  const std::size_t key_heads = options.key_heads == 0 ? heads : static_cast<std::size_t>(options.key_heads);
  const std::size_t length = width / heads;
  const std::size_t tokens = x.size() / width / samples;
  Reals qkv = reference_linear(reference_norm(values, options.norm, x, width), values["qkv.weight"], values["qkv.bias"]);
  const std::size_t columns = (heads + 2 * key_heads) * length;
  for (std::size_t row = 0; options.rotary_base > 0 && row < samples * tokens; ++row) {
    for (std::size_t head = 0; head < heads + key_heads; ++head)
      reference_turn(&qkv[row * columns + head * length], length, row % tokens, static_cast<Real>(options.rotary_base));
  }
  Reals mixed(x.size());
  for (std::size_t sample = 0; sample < samples; ++sample)
    reference_heads(qkv, sample * tokens, tokens, heads, key_heads, length, mixed);
  Reals y = reference_linear(mixed, values["out.weight"], values["out.bias"]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  return y;
}

inline Reals reference_mlp(const Layer& layer, const MlpOptions& options, const Reals& x) {
  const NamedValues values(layer);
  const auto width = static_cast<std::size_t>(options.width);
  const auto hidden = static_cast<std::size_t>(options.hidden);
  const Reals up = reference_linear(reference_norm(values, options.norm, x, width), values["up.weight"], values["up.bias"]);
  const std::size_t columns = options.activation == Activation::swiglu ? 2 * hidden : hidden;
  Reals active(x.size() / width * hidden);
  for (std::size_t i = 0; i < active.size(); ++i) {
    const Real v = up[i / hidden * columns + i % hidden];
    if (options.activation == Activation::swiglu) {
      active[i] = v / (1 + std::exp(-v)) * up[i / hidden * columns + hidden + i % hidden];
    } else {
      active[i] = v / 2 * (1 + std::tanh(0.797884560802865355879892119868763737L * (v + 0.044715L * v * v * v)));
    }
  }
  Reals y = reference_linear(active, values["down.weight"], values["down.bias"]);
  for (std::size_t i = 0; i < x.size(); ++i) y[i] += x[i];
  return y;
}

}  // namespace ckpt::engine::test
