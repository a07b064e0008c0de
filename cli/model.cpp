#include "model.h"

#include <string>

#include "data.h"

namespace ckpt::cli {

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

}  // namespace ckpt::cli
