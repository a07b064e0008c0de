// Mean over the rows of -log softmax(x)[target].
#include "engine/indices.h"
#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

class SoftmaxCrossEntropyLayer final : public Layer {
 public:
  using Layer::Layer;

  TensorSpec output(const TensorSpec& input) const override {
    require_input(is_float(input.dtype) && input.has_rows() && input.shape.elements() >= 1, "the input is ", to_text(input),
                  "; expected F32 or F64 [samples, ..., classes], each at least 1");
    return {input.dtype, {1}};
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  bool needs_targets() const override { return true; }
  TensorSpec placeholder_targets(const TensorSpec& input) const override { return {tensor::Dtype::i32, input.rows_shape()}; }

  // The tape is each row's log-sum-exp, from which backward computes the softmax; the workspace is each row's loss.
  OptionNeeds needs(const TensorSpec& input, std::int32_t) const override {
    return {.tape_bytes = input.rows() * tensor::dtype_bits(input.dtype) / 8,
            .forward_workspace_bytes = input.rows() * static_cast<std::int64_t>(sizeof(double))};
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    const std::int64_t rows = context.input->rows();
    const std::int64_t classes = context.input->row_length();
    const tensor::Tensor& targets = checked_targets(context);
    double* const losses = static_cast<double*>(buffers.workspace);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      T* const tape = static_cast<T*>(buffers.tape);
      for_parts(*context.pool, rows, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          const std::int64_t target = target_at(targets, i, classes);
          const T normalizer = log_sum_exp(x + i * classes, classes);
          if (tape != nullptr) tape[i] = normalizer;
          losses[i] = static_cast<double>(normalizer) - static_cast<double>(x[i * classes + target]);
        }
      });
      double sum = 0;
      for (std::int64_t i = 0; i < rows; ++i) sum += losses[i];
      *static_cast<T*>(buffers.output) = static_cast<T>(sum / static_cast<double>(rows));
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    if (buffers.grad_input == nullptr) return;
    const std::int64_t rows = context.input->rows();
    const std::int64_t classes = context.input->row_length();
    const tensor::Tensor& targets = checked_targets(context);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      const T* const tape = static_cast<const T*>(buffers.tape);
      T* const grad_x = static_cast<T*>(buffers.grad_input);
      const T scale = *static_cast<const T*>(buffers.grad_output) / static_cast<T>(rows);
      for_parts(*context.pool, rows, rows_per_part, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; ++i) {
          exp_shifted(x + i * classes, tape[i], scale, grad_x + i * classes, classes);
          grad_x[i * classes + target_at(targets, i, classes)] -= scale;
        }
      });
    });
  }

 private:
  const tensor::Tensor& checked_targets(const RunContext& context) const {
    require_input(context.targets != nullptr, "the step has no targets");
    const tensor::Tensor& targets = *context.targets;
    const tensor::Shape wanted = context.input->rows_shape();
    require_input(is_index(targets.dtype()) && targets.shape() == wanted, "targets are ",
                  to_text(TensorSpec{targets.dtype(), targets.shape()}), "; expected U8 or I32 ", to_text(wanted));
    return targets;
  }

  std::int64_t target_at(const tensor::Tensor& targets, std::int64_t i, std::int64_t classes) const {
    const std::int64_t target = index_at(targets.data(), targets.dtype(), i);
    if (target < 0 || target >= classes) {
      base::fail(base::Status::out_of_range, "layer ", base::quote(name()), ": target ", i, " is ", target, "; expected 0 .. ",
                 classes - 1);
    }
    return target;
  }
};

}  // namespace

std::shared_ptr<Layer> make_softmax_cross_entropy(std::string name) {
  return std::make_shared<SoftmaxCrossEntropyLayer>(std::move(name));
}

}  // namespace ckpt::engine
