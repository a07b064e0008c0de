// A vector for each token, plus one for its position.
#pragma once

#include <cstdint>
#include <string>

#include "engine/layer.h"

namespace ckpt::engine {

class TokenEmbedding final : public Layer {
 public:
  TokenEmbedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width, bool positions,
                 tensor::Dtype dtype);

  TensorSpec output(const TensorSpec& input) const override;
  std::uint32_t flags() const override;
  void forward(const RunContext& context, const ForwardBuffers& buffers) override;
  void backward(const RunContext& context, const BackwardBuffers& buffers) override;
  void initialize(std::uint64_t seed, std::int64_t layer_number) override;

  std::int64_t vocabulary() const { return vocabulary_; }
  std::int64_t width() const { return width_; }
  tensor::Dtype dtype() const { return dtype_; }
  // [vocabulary, width]
  const Parameter& tokens() const { return parameter(0); }

 private:
  template <class T>
  void run_forward(const RunContext& context, const ForwardBuffers& buffers) const;
  template <class T>
  void run_backward(const RunContext& context, const BackwardBuffers& buffers) const;

  std::int64_t vocabulary_;
  std::int64_t context_;
  std::int64_t width_;
  bool positions_;
  tensor::Dtype dtype_;
};

}  // namespace ckpt::engine
