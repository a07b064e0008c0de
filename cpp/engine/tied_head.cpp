// y = x W^T with the weight of an embedding.
#include <cstring>

#include "engine/blas.h"
#include "engine/kernels.h"
#include "engine/layer.h"
#include "engine/projection.h"
#include "engine/token_embedding.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// Accumulates its gradient separately and adds it to the embedding's after a step: the two layers may run on different threads,
// and sums must have the same order in any split of a chain.
class TiedHead final : public Layer {
 public:
  TiedHead(std::string name, std::shared_ptr<const TokenEmbedding> embedding)
      : Layer(std::move(name)),
        embedding_(std::move(embedding)),
        gradient_(tensor::Tensor::create(embedding_->dtype(), {embedding_->vocabulary(), embedding_->width()})) {
    discard_gradients();
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == embedding_->dtype() && input.has_rows() && input.row_length() == embedding_->width(),
                  "the input is ", to_text(input), "; expected ", tensor::dtype_name(embedding_->dtype()), "[samples, ..., ",
                  embedding_->width(), "]");
    return {input.dtype, input.with_row_length(embedding_->vocabulary())};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  bool needs_blas() const override { return true; }
  const Layer* tied_to() const override { return embedding_.get(); }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(embedding_->dtype(), [&](auto zero) {
      using T = decltype(zero);
      product_of_rows(*context.pool, context.input->rows(), true, embedding_->vocabulary(), embedding_->width(),
                      static_cast<const T*>(buffers.input), static_cast<T*>(buffers.output));
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(embedding_->dtype(), [&](auto zero) {
      using T = decltype(zero);
      const std::int64_t rows = context.input->rows();
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      if (buffers.grad_input != nullptr) {
        product_of_rows(*context.pool, rows, false, embedding_->width(), embedding_->vocabulary(), grad_y,
                        static_cast<T*>(buffers.grad_input));
      }
      add_weight_gradient(*context.pool, rows, embedding_->vocabulary(), embedding_->width(), grad_y,
                          static_cast<const T*>(buffers.input), gradient_->data_as<T>());
    });
  }

  void gather_gradients() override {
    with_float(embedding_->dtype(), [&](auto zero) {
      using T = decltype(zero);
      add(gradient_->data_as<T>(), embedding_->tokens().gradient->data_as<T>(), gradient_->shape().elements());
    });
    discard_gradients();
  }
  void discard_gradients() override { std::memset(gradient_->data(), 0, static_cast<std::size_t>(gradient_->bytes())); }

 private:
  // out[rows, columns] = in[rows, inner] op(W)
  template <class T>
  void product_of_rows(base::ThreadPool& pool, std::int64_t rows, bool transposed, std::int64_t columns, std::int64_t inner,
                       const T* in, T* out) const {
    const T* const weight = embedding_->tokens().value->data_as<T>();
    for_parts(pool, rows, rows_of_product_part(rows), [&](std::int64_t begin, std::int64_t end) {
      gemm(false, transposed, end - begin, columns, inner, in + begin * inner, inner, weight, embedding_->width(), T{0},
           out + begin * columns, columns);
    });
  }

  std::shared_ptr<const TokenEmbedding> embedding_;
  std::shared_ptr<tensor::Tensor> gradient_;
};

}  // namespace

std::shared_ptr<Layer> make_tied_head(std::string name, std::shared_ptr<Layer> embedding) {
  base::require(embedding != nullptr, "embedding is NULL");
  const std::string given = embedding->name();
  auto tokens = std::dynamic_pointer_cast<const TokenEmbedding>(std::move(embedding));
  base::require(tokens != nullptr, "embedding is layer ", base::quote(given), "; expected a layer of kind token_embedding");
  return std::make_shared<TiedHead>(std::move(name), std::move(tokens));
}

}  // namespace ckpt::engine
