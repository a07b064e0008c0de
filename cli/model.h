// The byte-level model that `ckpt train` trains: embedding of the last 16 bytes, hidden blocks, the next byte.
#pragma once

#include <ckpt/ckpt.hpp>

#include <cstdint>

namespace ckpt::cli {

constexpr std::int64_t byte_values = 256;
constexpr std::int64_t embedding_width = 16;
constexpr std::int64_t hidden_width = 256;
constexpr int hidden_blocks = 16;
constexpr double dropout_probability = 0.1;

// With first parameter values from seed.
Chain make_model(std::uint64_t seed);

// Its input: tokens of so many samples.
TensorSpec model_input(std::int64_t batch);

// Its layers' bytes and seconds, timed on the pool's threads.
Profile profile_model(Chain& chain, std::int64_t batch, const WorkerPool& pool);

}  // namespace ckpt::cli
