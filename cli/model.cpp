#include "model.h"

#include <stdexcept>

#include <nlohmann/json.hpp>

#include "text.h"

namespace ckpt::cli {
namespace {

using nlohmann::json;

constexpr std::int32_t profiled_steps = 3;

constexpr std::int64_t mlp_context = 16;
constexpr std::int64_t mlp_embedding_width = 16;
constexpr std::int64_t mlp_hidden_width = mlp_context * mlp_embedding_width;
constexpr int mlp_blocks = 16;

constexpr std::int64_t times_wider = 4;  // the inner width of a transformer's mlp

void add_mlp(Chain& chain) {
  chain.add(Layer("embedding", "embedding", byte_values, mlp_context, mlp_embedding_width));
  for (int i = 0; i < mlp_blocks; ++i) {
    const std::string block = cat("block.", i);
    chain.add(Layer(block + ".linear", "linear", mlp_hidden_width, mlp_hidden_width));
    chain.add(Layer(block + ".gelu", "gelu"));
    chain.add(Layer(block + ".dropout", "dropout", dropout_probability));
  }
  chain.add(Layer("head", "linear", mlp_hidden_width, byte_values));
}

void add_transformer(Chain& chain, const ModelOptions& model) {
  if (model.heads < 1 || model.width % model.heads != 0)
    throw std::invalid_argument(cat("--width ", model.width, ": expected a multiple of --heads ", model.heads));
  const std::string dropout = cat("dropout=", dropout_probability);
  const Layer embedding("embedding", "token_embedding", byte_values, model.context, model.width);
  chain.add(embedding);
  for (std::int64_t i = 0; i < model.blocks; ++i) {
    const std::string block = cat("blocks.", i);
    chain.add(Layer(block + ".attn", "attention", model.width, model.heads, dropout));
    chain.add(Layer(block + ".mlp", "mlp", model.width, times_wider * model.width, dropout));
  }
  chain.add(Layer("norm", "layer_norm", model.width));
  chain.add(Layer::tied_head("head", embedding));
}

}  // namespace

std::int64_t usual_batch(const ModelOptions& model) { return model.is_transformer() ? 16 : 256; }

Chain make_model(const ModelOptions& model, std::uint64_t seed) {
  Chain chain;
  if (model.is_transformer()) {
    add_transformer(chain, model);
  } else {
    add_mlp(chain);
  }
  chain.add(Layer("loss", "softmax_cross_entropy"));
  chain.initialize(seed);
  return chain;
}

Reading reading_of(const ModelOptions& model) {
  return {model.batch, model.is_transformer() ? model.context : mlp_context, model.is_transformer()};
}

TensorSpec model_input(const ModelOptions& model) { return {DType::u8, {model.batch, reading_of(model).context}}; }

TensorSpec model_targets(const ModelOptions& model) {
  return model.is_transformer() ? model_input(model) : TensorSpec{DType::u8, {model.batch}};
}

std::int64_t tokens_per_step(const ModelOptions& model) {
  return model.is_transformer() ? model.batch * model.context : model.batch;
}

Profile profile_model(Chain& chain, const ModelOptions& model, const WorkerPool& pool) {
  return chain.profile(model_input(model), profiled_steps, pool);
}

json model_json(const ModelOptions& model) {
  if (!model.is_transformer()) return {{"model", model.name}};
  return {
      {"model", model.name}, {"blocks", model.blocks}, {"width", model.width}, {"heads", model.heads}, {"context", model.context}};
}

std::string model_text(const json& model) {
  auto name = model.at("model").get<std::string>();
  if (!model.contains("blocks")) return name;
  const auto size = [&](const char* key) { return model.at(key).get<std::int64_t>(); };
  return cat(name, ", ", size("blocks"), size("blocks") == 1 ? " block" : " blocks", ", width ", size("width"), ", ", size("heads"),
             size("heads") == 1 ? " head" : " heads", ", context ", size("context"));
}

}  // namespace ckpt::cli
