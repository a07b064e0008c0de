// The byte-level models of `ckpt train`, `ckpt plan` and `ckpt sample`.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>

#include <ckpt/ckpt.hpp>

#include "data.h"

namespace ckpt::cli {

constexpr std::int64_t byte_values = 256;
constexpr double dropout_probability = 0.1;

// "transformer": a token embedding, blocks of attention and mlp, a norm, and a head that shares the embedding's weight; it predicts
// the byte after each byte of its context. "mlp": an embedding of the last 16 bytes and 16 hidden blocks of linear, GELU and
// dropout; it predicts only the next byte, and its sizes are fixed.
struct ModelOptions {
  std::string name = "transformer";
  std::int64_t blocks = 4;     // the four sizes apply to transformer only
  std::int64_t width = 128;    // elements of a byte's vector
  std::int64_t heads = 4;      // per attention; must divide the width
  std::int64_t context = 128;  // bytes of input
  std::int64_t batch = 16;     // samples per step

  bool is_transformer() const { return name == "transformer"; }
};

// Returns the default number of samples per step.
std::int64_t usual_batch(const ModelOptions& model);

// Returns the chain with initial parameter values from seed. Throws std::invalid_argument if the sizes are inconsistent.
Chain make_model(const ModelOptions& model, std::uint64_t seed);

// Returns how the model reads a text in a step.
Reading reading_of(const ModelOptions& model);
TensorSpec model_input(const ModelOptions& model);
TensorSpec model_targets(const ModelOptions& model);

// Returns the number of bytes that a step predicts.
std::int64_t tokens_per_step(const ModelOptions& model);

// Returns the layers' bytes and their seconds, measured on the pool's threads.
Profile profile_model(Chain& chain, const ModelOptions& model, const WorkerPool& pool);

// Returns name and sizes by key, without the batch.
nlohmann::json model_json(const ModelOptions& model);

// Returns "transformer, 4 blocks, width 128, 4 heads, context 128" for the result of model_json().
std::string model_text(const nlohmann::json& model);

}  // namespace ckpt::cli
