#include "model.h"

#include <string>

#include "data.h"

namespace ckpt::cli {
namespace {

constexpr std::int32_t profiled_steps = 3;

}  // namespace

static_assert(embedding_width * context_bytes == hidden_width);

Chain make_model(std::uint64_t seed) {
  Chain chain;
  chain.add(Layer("embedding", "embedding", byte_values, context_bytes, embedding_width));
  for (int i = 0; i < hidden_blocks; ++i) {
    const std::string block = "block." + std::to_string(i);
    chain.add(Layer(block + ".linear", "linear", hidden_width, hidden_width));
    chain.add(Layer(block + ".gelu", "gelu"));
    chain.add(Layer(block + ".dropout", "dropout", dropout_probability));
  }
  chain.add(Layer("head", "linear", hidden_width, byte_values));
  chain.add(Layer("loss", "softmax_cross_entropy"));
  chain.initialize(seed);
  return chain;
}

TensorSpec model_input(std::int64_t batch) { return {DType::u8, {batch, context_bytes}}; }

Profile profile_model(Chain& chain, std::int64_t batch, const WorkerPool& pool) {
  return chain.profile(model_input(batch), profiled_steps, pool);
}

}  // namespace ckpt::cli
