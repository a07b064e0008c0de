#include "learning_rate.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

bool decays(const TrainOptions& options) { return options.rate_kind != "constant"; }

}  // namespace

LearningRateSchedule learning_rates(const TrainOptions& options) {
  LearningRateSchedule rates;
  rates.peak_rate = options.learning_rate;
  rates.warm_up_steps = options.warm_up_steps;
  if (!decays(options)) return rates;
  rates.kind = options.rate_kind == "cosine" ? LearningRateKind::cosine : LearningRateKind::linear;
  rates.last_rate = options.last_rate;
  rates.step_count = options.steps;
  return rates;
}

nlohmann::json learning_rate_json(const TrainOptions& options) {
  nlohmann::json rates = {
      {"learning_rate", options.learning_rate}, {"rate_kind", options.rate_kind}, {"warm_up", options.warm_up_steps}};
  if (!decays(options)) return rates;
  rates["last_rate"] = options.last_rate;
  rates["rate_steps"] = options.steps;
  return rates;
}

void check_learning_rates(const TrainOptions& options) {
  if (!decays(options)) {
    if (options.last_rate > 0) throw std::invalid_argument("--last-rate: requires --rate-kind linear or cosine");
    return;
  }
  if (options.last_rate > options.learning_rate)
    throw std::invalid_argument(cat("--last-rate ", options.last_rate, " exceeds --learning-rate ", options.learning_rate));
  if (options.warm_up_steps > options.steps)
    throw std::invalid_argument(cat("--warm-up ", options.warm_up_steps, " exceeds --steps ", options.steps));
}

}  // namespace ckpt::cli
