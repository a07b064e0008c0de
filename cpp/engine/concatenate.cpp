// Concatenation of values along one dimension, and its inverse, the slice. Both copy between rows of a whole value and rows of a
// part of it: a row holds the elements of one index of all dimensions before the axis.
#include <algorithm>
#include <cstring>

#include "engine/kernels.h"
#include "engine/layer.h"
#include "plan/profile.h"

namespace ckpt::engine {
namespace {

// The dimension that an axis (0: the last one) names.
std::int64_t axis_of(std::int64_t axis, const TensorSpec& spec) { return axis == 0 ? spec.shape.ndim() - 1 : axis; }

TensorSpec with_length(const TensorSpec& spec, std::int64_t axis, std::int64_t length) {
  std::vector<std::int64_t> dimensions(spec.shape.dimensions().begin(), spec.shape.dimensions().end());
  dimensions[static_cast<std::size_t>(axis)] = length;
  return {spec.dtype, tensor::Shape(dimensions)};
}

std::int64_t product_of(const tensor::Shape& shape, std::int64_t begin, std::int64_t end) {
  std::int64_t product = 1;
  for (std::int64_t i = begin; i < end; ++i) product *= shape[i];
  return product;
}

// Elements `begin .. begin + length - 1` of every row of a value.
template <class T>
struct Rows {
  T* data;
  std::int64_t row_length;
  std::int64_t begin;

  T* row(std::int64_t number) const { return data + number * row_length + begin; }
};

// Calls work(row) for each row of `length` elements, on all threads.
template <class Work>
void for_rows(base::ThreadPool& pool, std::int64_t rows, std::int64_t length, const Work& work) {
  for_parts(pool, rows, std::max<std::int64_t>(1, elements_per_part / std::max<std::int64_t>(1, length)),
            [&](std::int64_t begin, std::int64_t end) {
              for (std::int64_t row = begin; row < end; ++row) work(row);
            });
}

template <class T>
void move_row(const T* from, T* to, std::int64_t length, bool adds) {
  if (adds) {
    add(from, to, length);
  } else if (length > 0) {
    std::memcpy(to, from, static_cast<std::size_t>(length) * sizeof(T));
  }
}

class ConcatenateLayer final : public Layer {
 public:
  ConcatenateLayer(std::string name, std::int64_t axis) : Layer(std::move(name)), axis_(axis) {}

  TensorSpec output(const TensorSpec& input) const override { return output_for({&input, 1}); }

  TensorSpec output_for(std::span<const TensorSpec> inputs) const override {
    require_input(inputs.size() >= 2, "inputs: found ", inputs.size(), "; expected at least 2");
    const TensorSpec& first = inputs[0];
    const std::int64_t axis = axis_of(axis_, first);
    require_input(is_float(first.dtype) && axis >= 1 && axis < first.shape.ndim(), "input 0 is ", to_text(first),
                  "; expected F32 or F64 with at least ", std::max<std::int64_t>(axis_ + 1, 2), " dimensions");
    std::int64_t length = 0;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      const bool fits =
          inputs[i].shape.ndim() == first.shape.ndim() && with_length(inputs[i], axis, 1) == with_length(first, axis, 1);
      require_input(fits, "input ", i, " is ", to_text(inputs[i]), "; expected ", to_text(first), " except in dimension ", axis);
      require_input(!__builtin_add_overflow(length, inputs[i].shape[axis], &length), "the sum of the lengths exceeds INT64_MAX");
    }
    return with_length(first, axis, length);
  }

  std::uint32_t flags() const override { return plan::deterministic | plan::adds_gradient; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    for_inputs(
        context, [&]<class T>(T, std::size_t i, std::int64_t rows, std::int64_t begin, std::int64_t length, std::int64_t all) {
          const Rows<const T> from{static_cast<const T*>(buffers.inputs[i]), length, 0};
          const Rows<T> to{static_cast<T*>(buffers.output), all, begin};
          for_rows(*context.pool, rows, length, [&](std::int64_t row) { move_row(from.row(row), to.row(row), length, false); });
        });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    for_inputs(
        context, [&]<class T>(T, std::size_t i, std::int64_t rows, std::int64_t begin, std::int64_t length, std::int64_t all) {
          const Rows<const T> from{static_cast<const T*>(buffers.grad_output), all, begin};
          const Rows<T> to{static_cast<T*>(buffers.grad_inputs[i].data), length, 0};
          const bool adds = buffers.grad_inputs[i].adds;
          for_rows(*context.pool, rows, length, [&](std::int64_t row) { move_row(from.row(row), to.row(row), length, adds); });
        });
  }

 private:
  // Calls work(T{}, i, rows, begin, length, all) for each input i, whose rows are elements begin .. begin + length - 1 of the
  // output's rows, which have `all` elements.
  template <class Work>
  void for_inputs(const RunContext& context, const Work& work) const {
    const tensor::Shape& shape = context.output->shape;
    const std::int64_t axis = axis_of(axis_, *context.output);
    const std::int64_t rows = product_of(shape, 0, axis);
    const std::int64_t inner = product_of(shape, axis + 1, shape.ndim());
    with_float(context.output->dtype, [&](auto zero) {
      std::int64_t begin = 0;
      for (std::size_t i = 0; i < context.inputs.size(); ++i) {
        const std::int64_t length = context.inputs[i].shape[axis] * inner;
        work(zero, i, rows, begin, length, shape[axis] * inner);
        begin += length;
      }
    });
  }

  std::int64_t axis_;
};

class SliceLayer final : public Layer {
 public:
  SliceLayer(std::string name, std::int64_t begin, std::int64_t end, std::int64_t axis)
      : Layer(std::move(name)), begin_(begin), end_(end), axis_(axis) {}

  TensorSpec output(const TensorSpec& input) const override {
    const std::int64_t axis = axis_of(axis_, input);
    require_input(is_float(input.dtype) && axis >= 1 && axis < input.shape.ndim(), "the input is ", to_text(input),
                  "; expected F32 or F64 with at least ", std::max<std::int64_t>(axis_ + 1, 2), " dimensions");
    require_input(end_ <= input.shape[axis], "end is ", end_, "; expected at most ", input.shape[axis],
                  ", the length of dimension ", axis);
    return with_length(input, axis, end_ - begin_);
  }

  std::uint32_t flags() const override { return plan::deterministic | plan::adds_gradient; }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    const Extent extent = extent_of(context);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Rows<const T> from{static_cast<const T*>(buffers.input), extent.all, extent.begin};
      const Rows<T> to{static_cast<T*>(buffers.output), extent.length, 0};
      for_rows(*context.pool, extent.rows, extent.length,
               [&](std::int64_t row) { move_row(from.row(row), to.row(row), extent.length, false); });
    });
  }

  // Elements outside of the slice have the gradient 0.
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    const Extent extent = extent_of(context);
    const bool adds = !buffers.grad_inputs.empty() && buffers.grad_inputs[0].adds;
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Rows<const T> from{static_cast<const T*>(buffers.grad_output), extent.length, 0};
      const Rows<T> to{static_cast<T*>(buffers.grad_input), extent.all, 0};
      for_rows(*context.pool, extent.rows, extent.all, [&](std::int64_t row) {
        T* const all = to.row(row);
        if (!adds) {
          std::fill_n(all, extent.begin, zero);
          std::fill_n(all + extent.begin + extent.length, extent.all - extent.begin - extent.length, zero);
        }
        move_row(from.row(row), all + extent.begin, extent.length, adds);
      });
    });
  }

 private:
  struct Extent {
    std::int64_t rows;
    std::int64_t begin;
    std::int64_t length;
    std::int64_t all;  // elements of a row of the input
  };

  Extent extent_of(const RunContext& context) const {
    const tensor::Shape& shape = context.input->shape;
    const std::int64_t axis = axis_of(axis_, *context.input);
    const std::int64_t inner = product_of(shape, axis + 1, shape.ndim());
    return {product_of(shape, 0, axis), begin_ * inner, (end_ - begin_) * inner, shape[axis] * inner};
  }

  std::int64_t begin_;
  std::int64_t end_;
  std::int64_t axis_;
};

void require_axis(std::int64_t axis) {
  base::require(axis >= 0 && axis < tensor::largest_ndim, "axis is ", axis, "; expected 0 (the last dimension) .. ",
                tensor::largest_ndim - 1);
}

}  // namespace

std::shared_ptr<Layer> make_concatenate(std::string name, std::int64_t axis) {
  require_axis(axis);
  return std::make_shared<ConcatenateLayer>(std::move(name), axis);
}

std::shared_ptr<Layer> make_slice(std::string name, std::int64_t begin, std::int64_t end, std::int64_t axis) {
  base::require(begin >= 0, "begin is ", begin, "; expected at least 0");
  base::require(end > begin, "end is ", end, "; expected above begin, ", begin);
  require_axis(axis);
  return std::make_shared<SliceLayer>(std::move(name), begin, end, axis);
}

}  // namespace ckpt::engine
