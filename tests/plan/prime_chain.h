// Random chains that use every property of a layer.
#pragma once

#include <random>
#include <string>

#include "plan/profile.h"

namespace ckpt::plan::test {

// Bytes are primes, seconds are integers, everything else is random. max_options: per layer; more_flags: for each layer.
inline ChainProfile prime_chain(std::mt19937& random, std::int64_t n, std::int64_t max_options = 2, std::uint32_t more_flags = 0) {
  constexpr std::int64_t primes[] = {2,  3,  5,  7,  11, 13, 17, 19, 23, 29, 31, 37, 41,
                                     43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97};
  const auto up_to = [&](std::int64_t max) { return static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(max + 1)); };
  const auto once_in = [&](std::int64_t count) { return up_to(count - 1) == 0; };
  const auto prime = [&] { return primes[up_to(std::ssize(primes) - 1)]; };
  ChainProfile profile(prime());
  for (std::int64_t i = 0; i < n; ++i) {
    LayerProfile layer;
    layer.name = "layer" + std::to_string(i);
    layer.flags = (once_in(4) ? 0 : needs_input) | (once_in(3) ? needs_output : 0) | (once_in(10) ? 0 : deterministic) |
                  (once_in(4) ? in_place : 0) | (i == 0 && once_in(2) ? no_input_gradient : 0) | more_flags;
    layer.output_bytes = prime();
    layer.ambient_bytes = once_in(4) ? prime() : 0;
    for (std::int64_t o = up_to(max_options - 1); o >= 0; --o) {
      OptionProfile option;
      option.tape_bytes = once_in(6) ? 0 : prime();
      option.forward_workspace_bytes = once_in(2) ? 0 : prime();
      option.backward_workspace_bytes = once_in(2) ? 0 : prime();
      option.forward_seconds = static_cast<double>(1 + up_to(19));
      option.backward_seconds = static_cast<double>(1 + up_to(29));
      // Recording alone is not slower than running forward; a layer that computes its output anyway gains nothing.
      if (!layer.has(needs_output) && once_in(3)) {
        option.has_record = true;
        option.record_seconds =
            option.forward_seconds - static_cast<double>(up_to(static_cast<std::int64_t>(option.forward_seconds) / 2));
        option.record_workspace_bytes = once_in(2) ? 0 : prime();
      }
      layer.options.push_back(option);
    }
    profile.add_layer(layer);
  }
  return profile;
}

// The same chain for a framework: with additional flags, and with a reported peak of some backwards: more or less than the sum of
// its parts, or less than the bytes before and after it.
inline ChainProfile framework_chain(std::mt19937& random, const ChainProfile& of) {
  ChainProfile profile(of.bytes_of(0));
  for (std::int64_t i = 0; i < of.layers(); ++i) {
    LayerProfile layer = of.layer(i);
    for (OptionProfile& option : layer.options) {
      const std::int64_t sum = option.tape_bytes + 2 * layer.output_bytes + profile.bytes_of(i) + option.backward_workspace_bytes;
      if (random() % 3 != 0) option.backward_peak_bytes = 1 + static_cast<std::int64_t>(random() % static_cast<std::uint64_t>(sum));
    }
    profile.add_layer(layer);
  }
  profile.set_flags(static_cast<std::uint32_t>(random() % (all_profile_flags + 1)));
  return profile;
}

// The same chain with a RECORD in every option, with separate seconds and workspace, also of layers that read their output.
inline ChainProfile recorded_chain(std::mt19937& random, const ChainProfile& of) {
  ChainProfile profile(of.bytes_of(0));
  for (std::int64_t i = 0; i < of.layers(); ++i) {
    LayerProfile layer = of.layer(i);
    for (OptionProfile& option : layer.options) {
      option.has_record = true;
      option.record_seconds = static_cast<double>(1 + random() % 20);
      option.record_workspace_bytes = static_cast<std::int64_t>(random() % 100);
    }
    profile.add_layer(layer);
  }
  profile.set_flags(of.flags());
  return profile;
}

// Sizes of several times the arena's alignment, so that padding between buffers matters.
inline ChainProfile larger_chain(std::mt19937& random, std::int64_t n, std::uint32_t more_flags = 0) {
  const ChainProfile small = prime_chain(random, n, 2, more_flags);
  ChainProfile profile(small.bytes_of(0) * 10);
  for (std::int64_t i = 0; i < n; ++i) {
    LayerProfile layer = small.layer(i);
    layer.output_bytes *= 10;
    layer.ambient_bytes *= 10;
    for (OptionProfile& option : layer.options) {
      option.tape_bytes *= 10;
      option.forward_workspace_bytes *= 10;
      option.backward_workspace_bytes *= 10;
      option.record_workspace_bytes *= 10;
    }
    profile.add_layer(layer);
  }
  return profile;
}

}  // namespace ckpt::plan::test
