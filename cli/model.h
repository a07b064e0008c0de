// The byte-level models that `ckpt train` trains, `ckpt plan` plans and `ckpt sample` asks.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <ckpt/ckpt.hpp>

#include "data.h"

namespace ckpt::cli {

constexpr std::int64_t byte_values = 256;
constexpr double dropout_probability = 0.1;

// "transformer": a token embedding, blocks of attention and mlp, a norm, and a head that shares the embedding's weight; it learns
// the byte behind each byte of its context. "mlp": an embedding of the last 16 bytes and 16 hidden blocks of linear, GELU and
// dropout; it learns the next byte, and its sizes are fixed.
struct ModelOptions {
  std::string name = "transformer";
  std::int64_t blocks = 4;     // the four sizes are those of a transformer
  std::int64_t width = 128;    // of a byte's vector
  std::int64_t heads = 4;      // of an attention; they divide the width
  std::int64_t context = 128;  // bytes that it sees
  std::int64_t batch = 16;     // samples a step

  bool is_transformer() const { return name == "transformer"; }
};

// Samples a step where nobody says how many.
std::int64_t usual_batch(const ModelOptions& model);

// With first parameter values from seed. Throws std::invalid_argument for sizes that do not fit each other.
Chain make_model(const ModelOptions& model, std::uint64_t seed);

// What it reads of a text in a step.
Reading reading_of(const ModelOptions& model);
TensorSpec model_input(const ModelOptions& model);
TensorSpec model_targets(const ModelOptions& model);

// Bytes whose next one a step learns.
std::int64_t tokens_per_step(const ModelOptions& model);

// Its layers' bytes and seconds, timed on the pool's threads.
Profile profile_model(Chain& chain, const ModelOptions& model, const WorkerPool& pool);

// Name and sizes by key, without the batch.
nlohmann::json model_json(const ModelOptions& model);

// "transformer, 4 blocks, width 128, 4 heads, context 128"; from what model_json() made.
std::string model_text(const nlohmann::json& model);

}  // namespace ckpt::cli
