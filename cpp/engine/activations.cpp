// ReLU and GELU: element-wise, with a backward that reads the input.
#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// forward(x, y, count) and backward(x, grad_y, grad_x, count) for float and double.
template <class Function>
class ElementwiseLayer final : public Layer {
 public:
  using Layer::Layer;

  TensorSpec output(const TensorSpec& input) const override {
    require_input(is_float(input.dtype), "the input is ", to_text(input), "; expected F32 or F64");
    return input;
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic | plan::in_place; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      T* const y = static_cast<T*>(buffers.output);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part,
                [&](std::int64_t begin, std::int64_t end) { Function::forward(x + begin, y + begin, end - begin); });
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    if (buffers.grad_input == nullptr) return;
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const T* const x = static_cast<const T*>(buffers.input);
      const T* const grad_y = static_cast<const T*>(buffers.grad_output);
      T* const grad_x = static_cast<T*>(buffers.grad_input);
      for_parts(*context.pool, context.input->shape.elements(), elements_per_part, [&](std::int64_t begin, std::int64_t end) {
        Function::backward(x + begin, grad_y + begin, grad_x + begin, end - begin);
      });
    });
  }
};

struct Relu {
  template <class T>
  static void forward(const T* x, T* y, std::int64_t count) {
    relu(x, y, count);
  }
  template <class T>
  static void backward(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
    relu_backward(x, grad_y, grad_x, count);
  }
};

struct Gelu {
  template <class T>
  static void forward(const T* x, T* y, std::int64_t count) {
    gelu(x, y, count);
  }
  template <class T>
  static void backward(const T* x, const T* grad_y, T* grad_x, std::int64_t count) {
    gelu_backward(x, grad_y, grad_x, count);
  }
};

}  // namespace

std::shared_ptr<Layer> make_relu(std::string name) { return std::make_shared<ElementwiseLayer<Relu>>(std::move(name)); }

std::shared_ptr<Layer> make_gelu(std::string name) { return std::make_shared<ElementwiseLayer<Gelu>>(std::move(name)); }

}  // namespace ckpt::engine
