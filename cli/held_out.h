// Evaluates a trained model on the held-out text.
#pragma once

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>

#include <ckpt/ckpt.hpp>

#include "data.h"
#include "runner.h"

namespace ckpt::cli {

struct HeldOut {
  std::int64_t bytes = 0;      // length of the held-out text
  std::int64_t batches = 0;    // evaluated; 0: the text is too short for one
  double loss = 0;             // mean over the batches, in nats per byte
  double unigram_entropy = 0;  // of the whole text, in nats per byte
};

// Overwrites tokens and targets, each of the size of a batch. Returns nothing if no text is held out, and for pipelines, which
// cannot evaluate.
std::optional<HeldOut> evaluate_held_out(const TextData& data, Runner& runner, Tensor& tokens, Tensor& targets);

nlohmann::json held_out_json(const HeldOut& held_out);

// Returns one line for display.
std::string held_out_text(const HeldOut& held_out);

}  // namespace ckpt::cli
