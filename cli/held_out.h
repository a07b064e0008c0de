// What a trained model makes of text that it was not trained on.
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
  std::int64_t bytes = 0;      // of the text that is held out
  std::int64_t batches = 0;    // that were looked at; 0: the text is too short for one
  double loss = 0;             // their mean, in nats a byte
  double unigram_entropy = 0;  // of the whole text, in nats a byte
};

// Overwrites tokens and targets, which are of a batch. Nothing where no text is held out, and with stages, which do not evaluate.
std::optional<HeldOut> evaluate_held_out(const TextData& data, Runner& runner, Tensor& tokens, Tensor& targets);

nlohmann::json held_out_json(const HeldOut& held_out);

// One line, for people.
std::string held_out_text(const HeldOut& held_out);

}  // namespace ckpt::cli
