// Initial values of parameters: identical on every machine and for every split of the chain.
#pragma once

#include <algorithm>
#include <cstdint>

#include "base/philox.h"
#include "engine/layer.h"

namespace ckpt::engine {

// For transformer weights: uniform with a standard deviation of 0.02.
constexpr double initial_bound = 0.02 * 1.7320508075688772;

// Uniform in [-bound, bound), keyed by (seed, layer number), counted by the element. number: of the parameter, in a layer that
// fills several this way.
inline void fill_uniform(const tensor::Tensor& tensor, std::uint64_t seed, std::int64_t layer_number, double bound,
                         std::uint32_t number = 0) {
  constexpr std::uint64_t purpose = 0x696e697469616c;  // "initial": distinct from the keys of dropout
  const base::PhiloxKey key = base::philox_derive_key(seed, static_cast<std::uint64_t>(layer_number), purpose);
  with_float(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    T* const values = tensor.data_as<T>();
    for (std::int64_t i = 0; i < tensor.shape().elements(); ++i) {
      const auto block = static_cast<std::uint64_t>(i / 4);
      const base::PhiloxCounter words = base::philox4x32({base::low_word(block), base::high_word(block), number, 0}, key);
      const double uniform = base::uniform_from_word(words[static_cast<std::size_t>(i % 4)]);
      values[i] = static_cast<T>((2 * uniform - 1) * bound);
    }
  });
}

inline void fill_all(const tensor::Tensor& tensor, double value) {
  with_float(tensor.dtype(), [&](auto zero) {
    using T = decltype(zero);
    std::fill_n(tensor.data_as<T>(), tensor.shape().elements(), static_cast<T>(value));
  });
}

}  // namespace ckpt::engine
