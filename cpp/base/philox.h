// Philox4x32-10: random blocks from a counter and a key, without state and identical on every machine.
// Source: Salmon, Moraes, Dror, Shaw, "Parallel random numbers: as easy as 1, 2, 3", SC 2011.
#pragma once

#include <array>
#include <cstdint>

namespace ckpt::base {

using PhiloxCounter = std::array<std::uint32_t, 4>;
using PhiloxKey = std::array<std::uint32_t, 2>;

constexpr PhiloxCounter philox4x32(PhiloxCounter counter, PhiloxKey key) {
  constexpr std::uint64_t multiplier0 = 0xD2511F53;
  constexpr std::uint64_t multiplier1 = 0xCD9E8D57;
  constexpr std::uint32_t weyl0 = 0x9E3779B9;
  constexpr std::uint32_t weyl1 = 0xBB67AE85;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t product0 = multiplier0 * counter[0];
    const std::uint64_t product1 = multiplier1 * counter[2];
    counter = {static_cast<std::uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(product1),
               static_cast<std::uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(product0)};
    key[0] += weyl0;
    key[1] += weyl1;
  }
  return counter;
}

constexpr std::uint32_t low_word(std::uint64_t value) { return static_cast<std::uint32_t>(value); }
constexpr std::uint32_t high_word(std::uint64_t value) { return static_cast<std::uint32_t>(value >> 32); }

// Derives an independent key for (seed, a, b): one block of Philox with the seed as key and the pair as counter.
constexpr PhiloxKey philox_derive_key(std::uint64_t seed, std::uint64_t a, std::uint64_t b) {
  const PhiloxCounter block = philox4x32({low_word(a), high_word(a), low_word(b), high_word(b)}, {low_word(seed), high_word(seed)});
  return {block[0], block[1]};
}

// Uniform in [0, 1) with 24 bits, from one random word.
constexpr float uniform_from_word(std::uint32_t word) { return static_cast<float>(word >> 8) * 0x1.0p-24F; }

}  // namespace ckpt::base
