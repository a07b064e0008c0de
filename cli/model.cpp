#include "model.h"

#include <string>

#include "data.h"

namespace ckpt::cli {

static_assert(embedding_width * context_bytes == hidden_width);

Chain make_model(std::uint64_t seed) {
  Chain chain;
  chain.add(Layer::embedding("embedding", byte_values, context_bytes, embedding_width));
  for (int i = 0; i < hidden_blocks; ++i) {
    const std::string block = "block." + std::to_string(i);
    chain.add(Layer::linear(block + ".linear", hidden_width, hidden_width));
    chain.add(Layer::gelu(block + ".gelu"));
    chain.add(Layer::dropout(block + ".dropout", dropout_probability));
  }
  chain.add(Layer::linear("head", hidden_width, byte_values));
  chain.add(Layer::softmax_cross_entropy("loss"));
  chain.initialize(seed);
  return chain;
}

}  // namespace ckpt::cli
