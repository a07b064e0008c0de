#include "held_out.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

constexpr std::int64_t max_batches = 8;  // bounds the time at the end of a short run

}  // namespace

std::optional<HeldOut> evaluate_held_out(const TextData& data, Runner& runner, Tensor& tokens, Tensor& targets) {
  if (data.held_out_bytes() == 0 || runner.pipeline() != nullptr) return std::nullopt;
  HeldOut held_out;
  held_out.bytes = data.held_out_bytes();
  held_out.batches = std::min(max_batches, data.held_out_batches());
  held_out.unigram_entropy = data.unigram_entropy();
  Step step;
  step.input = tokens;
  step.targets = targets;
  for (std::int64_t i = 0; i < held_out.batches; ++i) {
    data.held_out_batch(i, tokens.data_as<std::uint8_t>(), targets.data_as<std::uint8_t>());
    held_out.loss += runner.evaluate(step) / static_cast<double>(held_out.batches);
  }
  return held_out;
}

nlohmann::json held_out_json(const HeldOut& held_out) {
  return {{"held_out_loss", held_out.loss}, {"held_out_batches", held_out.batches}, {"unigram_entropy", held_out.unigram_entropy}};
}

std::string held_out_text(const HeldOut& held_out) {
  if (held_out.batches == 0)
    return cat("no held-out loss: the held-out text of ", held_out.bytes, " bytes is shorter than a batch");
  return cat("held-out loss ", fixed_text(held_out.loss, 6), " nats per byte in ", held_out.batches,
             held_out.batches == 1 ? " batch" : " batches", "; the text's unigram entropy is ",
             fixed_text(held_out.unigram_entropy, 6));
}

}  // namespace ckpt::cli
