#include "sample.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <utility>
#include <vector>

#include <ckpt/ckpt.hpp>

#include "identity.h"
#include "model.h"
#include "place.h"

namespace ckpt::cli {
namespace {

// SplitMix64: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}

  // Returns a number with 53 random bits in [0, 1).
  double next() {
    state_ += 0x9e3779b97f4a7c15U;
    std::uint64_t bits = state_;
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9U;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111ebU;
    bits ^= bits >> 31;
    return static_cast<double>(bits >> 11) * 0x1p-53;
  }

 private:
  std::uint64_t state_;
};

// Draws a byte from the softmax of logits / temperature.
std::uint8_t pick(const float* logits, double temperature, Draws& draws) {
  const float* const best = std::max_element(logits, logits + byte_values);
  const auto most_probable = static_cast<std::uint8_t>(best - logits);
  if (temperature == 0) return most_probable;
  std::vector<double> weights(byte_values);
  double sum = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    weights[i] = std::exp((static_cast<double>(logits[i]) - static_cast<double>(*best)) / temperature);
    sum += weights[i];
  }
  double left = draws.next() * sum;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    left -= weights[i];
    if (left < 0) return static_cast<std::uint8_t>(i);
  }
  return most_probable;  // rounding: the probabilities sum to slightly less than 1
}

// Loads the parameters of the newest valid checkpoint.
void load(CheckpointManager& checkpoint, const Chain& chain) {
  State state;
  for (const Parameter& parameter : chain.parameters()) state.add("model", parameter.name, parameter.value);
  LoadOptions options;
  options.partial = true;  // the optimizer is not loaded
  if (checkpoint.load(state, options).missing > 0)
    throw std::runtime_error("the checkpoint does not contain all parameters of its model");
}

// Evaluates the chain on one sample.
class NextByte {
 public:
  NextByte(Chain chain, const ModelOptions& model, const WorkerPool& pool)
      : chain_(std::move(chain)),
        context_(static_cast<std::size_t>(model.context)),
        executor_(make_executor(chain_, model, pool)),
        tokens_(DType::u8, {1, model.context}),
        logits_(DType::f32, {1, model.context, byte_values}) {}

  // Returns the logits of the byte after text, which must not be empty; uses its last bytes if it is longer than the context. A
  // byte only attends to earlier bytes, so the padding after a short text has no effect.
  const float* logits_after(const std::string& text) {
    const std::size_t count = std::min(text.size(), context_);
    auto* const tokens = tokens_.data_as<std::uint8_t>();
    std::memset(tokens, 0, context_);
    std::copy_n(text.end() - static_cast<std::ptrdiff_t>(count), count, tokens);
    Step step;
    step.input = tokens_;
    step.output = logits_;
    executor_.evaluate(step, chain_.layer_count() - 1);  // without the loss
    const float* const logits = logits_.data_as<float>() + (count - 1) * byte_values;
    if (!std::all_of(logits, logits + byte_values, [](float value) { return std::isfinite(value); }))
      throw std::runtime_error("the model's logits are not finite");
    return logits;
  }

 private:
  // No step is run, so the schedule that reserves the least memory is sufficient.
  static ScheduleExecutor make_executor(Chain& chain, const ModelOptions& model, const WorkerPool& pool) {
    const Profile profile = chain.profile(model_input(model));
    ScheduleExecutorOptions options;
    options.pool = pool;
    return ScheduleExecutor(chain, Schedule::create(profile, "recompute-all"), model_input(model), options);
  }

  Chain chain_;
  std::size_t context_;
  ScheduleExecutor executor_;
  Tensor tokens_;
  Tensor logits_;
};

}  // namespace

void sample(const SampleOptions& options) {
  CheckpointManager checkpoint = CheckpointManager::read_only(open_place(options.directory));
  if (!checkpoint.latest()) throw Error(Status::not_found, options.directory + " contains no checkpoint");
  const nlohmann::json identity = newest_identity(checkpoint);
  if (identity.is_null()) throw std::runtime_error(options.directory + " contains no checkpoint of ckpt train");
  const ModelOptions model = transformer_of(identity);
  const WorkerPool pool(options.threads);
  Chain chain = make_model(model, options.seed);
  load(checkpoint, chain);
  NextByte next(std::move(chain), model, pool);
  Draws draws(options.seed);
  std::string text = options.prompt;
  (void)std::fwrite(text.data(), 1, text.size(), stdout);
  for (std::int64_t i = 0; i < options.length && std::ferror(stdout) == 0; ++i) {
    const std::uint8_t byte = pick(next.logits_after(text), options.temperature, draws);
    (void)std::putc(byte, stdout);
    (void)std::fflush(stdout);
    text += static_cast<char>(byte);
    const auto context = static_cast<std::size_t>(model.context);
    if (text.size() > context) text.erase(0, text.size() - context);
  }
}

}  // namespace ckpt::cli
