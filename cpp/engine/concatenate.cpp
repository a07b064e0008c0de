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

// A part of each of a value's rows: elements begin .. begin + length - 1 of `all`.
struct Part {
  std::int64_t rows;
  std::int64_t begin;
  std::int64_t length;
  std::int64_t all;
};

// The elements begin .. end - 1 along the axis.
Part part_of(const tensor::Shape& shape, std::int64_t axis, std::int64_t begin, std::int64_t end) {
  const std::int64_t inner = product_of(shape, axis + 1, shape.ndim());
  return {product_of(shape, 0, axis), begin * inner, (end - begin) * inner, shape[axis] * inner};
}

// Rows of a value, from an element on.
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
    with_float(context.output->dtype, [&](auto zero) {
      using T = decltype(zero);
      for_inputs(context, [&](std::size_t i, const Part& part) {
        const Rows<const T> from{static_cast<const T*>(buffers.inputs[i]), part.length, 0};
        const Rows<T> to{static_cast<T*>(buffers.output), part.all, part.begin};
        for_rows(*context.pool, part.rows, part.length,
                 [&](std::int64_t row) { move_row(from.row(row), to.row(row), part.length, false); });
      });
    });
  }

  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(context.output->dtype, [&](auto zero) {
      using T = decltype(zero);
      for_inputs(context, [&](std::size_t i, const Part& part) {
        const Rows<const T> from{static_cast<const T*>(buffers.grad_output), part.all, part.begin};
        const Rows<T> to{static_cast<T*>(buffers.grad_inputs[i].data), part.length, 0};
        const bool adds = buffers.grad_inputs[i].adds;
        for_rows(*context.pool, part.rows, part.length,
                 [&](std::int64_t row) { move_row(from.row(row), to.row(row), part.length, adds); });
      });
    });
  }

 private:
  // Calls work(i, part) for each input i: its part of the output.
  template <class Work>
  void for_inputs(const RunContext& context, const Work& work) const {
    const std::int64_t axis = axis_of(axis_, *context.output);
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < context.inputs.size(); ++i) {
      const std::int64_t length = context.inputs[i].shape[axis];
      work(i, part_of(context.output->shape, axis, begin, begin + length));
      begin += length;
    }
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
    const Part cut = part(context);
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Rows<const T> from{static_cast<const T*>(buffers.input), cut.all, cut.begin};
      const Rows<T> to{static_cast<T*>(buffers.output), cut.length, 0};
      for_rows(*context.pool, cut.rows, cut.length,
               [&](std::int64_t row) { move_row(from.row(row), to.row(row), cut.length, false); });
    });
  }

  // Elements outside of the slice have the gradient 0.
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    const Part cut = part(context);
    const bool adds = !buffers.grad_inputs.empty() && buffers.grad_inputs[0].adds;
    with_float(context.input->dtype, [&](auto zero) {
      using T = decltype(zero);
      const Rows<const T> from{static_cast<const T*>(buffers.grad_output), cut.length, 0};
      const Rows<T> to{static_cast<T*>(buffers.grad_input), cut.all, 0};
      for_rows(*context.pool, cut.rows, cut.all, [&](std::int64_t row) {
        T* const all = to.row(row);
        if (!adds) {
          std::fill_n(all, cut.begin, zero);
          std::fill_n(all + cut.begin + cut.length, cut.all - cut.begin - cut.length, zero);
        }
        move_row(from.row(row), all + cut.begin, cut.length, adds);
      });
    });
  }

 private:
  Part part(const RunContext& context) const { return part_of(context.input->shape, axis_of(axis_, *context.input), begin_, end_); }

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
