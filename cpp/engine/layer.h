// One layer of a chain: shapes, requirements of backward, forward and backward. Results must depend only on arguments and ambient
// state, never on the number of threads: the shapes alone determine how work is split into parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/error.h"
#include "base/thread_pool.h"
#include "tensor/tensor.h"

namespace ckpt::engine {

// dtype and shape of an activation; the first dimension counts samples. Layers that work row by row accept any dimensions between
// the first and the last one, which is a row's length.
struct TensorSpec {
  tensor::Dtype dtype = tensor::Dtype::f32;
  tensor::Shape shape;

  std::int64_t bytes() const { return tensor::byte_size(dtype, shape); }
  std::int64_t samples() const { return shape.ndim() == 0 ? 1 : shape[0]; }
  // Returns the elements of one sample.
  std::int64_t width() const { return samples() == 0 ? 0 : shape.elements() / samples(); }
  // Returns false for fewer than two dimensions.
  bool has_rows() const { return shape.ndim() >= 2; }
  std::int64_t row_length() const { return shape[shape.ndim() - 1]; }
  // Rows must not be empty.
  std::int64_t rows() const { return shape.elements() / row_length(); }
  // Returns all dimensions except the last.
  tensor::Shape rows_shape() const { return tensor::Shape(shape.dimensions().first(static_cast<std::size_t>(shape.ndim() - 1))); }
  tensor::Shape with_row_length(std::int64_t length) const {
    std::vector<std::int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end());
    if (!dimensions.empty()) dimensions.back() = length;  // the test avoids -Warray-bounds of GCC 14
    return tensor::Shape(dimensions);
  }
  friend bool operator==(const TensorSpec&, const TensorSpec&) = default;
};

std::string to_text(const TensorSpec& spec);

struct OptionNeeds {
  std::int64_t tape_bytes = 0;
  std::int64_t forward_workspace_bytes = 0;
  std::int64_t backward_workspace_bytes = 0;
  bool has_record = false;  // can record without making its output
  std::int64_t record_workspace_bytes = 0;
};

// A trained value and its gradient, of equal dtype and shape.
struct Parameter {
  std::string name;  // "<layer>.<parameter>"
  std::shared_ptr<tensor::Tensor> value;
  std::shared_ptr<tensor::Tensor> gradient;
};

// Where and when a layer runs.
struct RunContext {
  const TensorSpec* input = nullptr;     // the first one
  std::span<const TensorSpec> inputs{};  // all of them
  const TensorSpec* output = nullptr;
  std::int32_t option = 0;
  std::int32_t micro_batch = 0;
  bool recomputation = false;
  std::int64_t layer = 0;  // global
  std::int64_t step = 0;
  std::uint64_t seed = 0;
  std::int64_t first_sample = 0;            // global
  const tensor::Tensor* targets = nullptr;  // of the step; nullptr if it has none
  base::ThreadPool* pool = nullptr;
  bool evaluation = false;  // dropout is disabled
};

// Borrowed buffers, 64-byte aligned; nullptr if unused.
struct ForwardBuffers {
  const void* input = nullptr;  // the first one
  void* output = nullptr;
  void* tape = nullptr;  // nullptr: run without recording
  void* workspace = nullptr;
  std::span<const void* const> inputs{};  // all of them
};

// The gradient of one of a layer's inputs.
struct InputGradient {
  void* data = nullptr;  // nullptr if flagged no_input_gradient
  bool adds = false;     // add to it, instead of writing it; only if flagged adds_gradient
};

struct BackwardBuffers {
  const void* input = nullptr;   // if flagged needs_input
  const void* output = nullptr;  // if flagged needs_output
  const void* tape = nullptr;
  const void* grad_output = nullptr;
  void* grad_input = nullptr;  // nullptr if flagged no_input_gradient
  void* workspace = nullptr;
  std::span<const void* const> inputs{};         // all of them; input is the first
  std::span<const InputGradient> grad_inputs{};  // of all inputs; grad_input is the first
};

class Layer {
 public:
  explicit Layer(std::string name);
  virtual ~Layer() = default;
  Layer(const Layer&) = delete;
  Layer& operator=(const Layer&) = delete;

  const std::string& name() const noexcept { return name_; }

  // Returns dtype and shape of the output; Error(invalid_argument) for an input that does not fit.
  virtual TensorSpec output(const TensorSpec& input) const = 0;
  // The same for any number of inputs. Layers that read several override it; by default a layer reads one.
  virtual TensorSpec output_for(std::span<const TensorSpec> inputs) const;
  virtual std::uint32_t flags() const = 0;  // as in plan/profile.h
  virtual std::int32_t options() const { return 1; }
  // Default: a layer without a tape, for which recording is free.
  virtual OptionNeeds needs(const TensorSpec& /*input*/, std::int32_t /*option*/) const { return {.has_record = true}; }
  // The same for any number of inputs that output_for accepts.
  virtual OptionNeeds needs_for(std::span<const TensorSpec> inputs, std::int32_t option) const { return needs(inputs[0], option); }
  virtual bool needs_targets() const { return false; }
  // Returns the spec of zeros that replace targets when a profile is made without data. Large enough for a custom layer that
  // reads them as any type of at most 32 bits.
  virtual TensorSpec placeholder_targets(const TensorSpec& input) const { return {tensor::Dtype::i32, {input.samples()}}; }
  virtual bool needs_blas() const { return false; }

  // If the layer is flagged in_place, output may be the input's buffer, and grad_input that of grad_output.
  virtual void forward(const RunContext& context, const ForwardBuffers& buffers) = 0;
  // Writes the tape as forward does, without an output. Called only if needs() sets has_record.
  virtual void record(const RunContext& /*context*/, const ForwardBuffers& /*buffers*/) {}
  // Writes grad_input, and adds to the gradients of the layer's parameters.
  virtual void backward(const RunContext& context, const BackwardBuffers& buffers) = 0;

  // Adds the gradients that this layer made for another layer's parameters since they were zeroed, then discards them.
  virtual void gather_gradients() {}
  virtual void discard_gradients() {}
  // Returns the layer that owns parameters used by this one; nullptr: none.
  virtual const Layer* tied_to() const { return nullptr; }

  // Bytes of state outside the arguments that forward reads.
  virtual std::int64_t ambient_bytes() const { return 0; }
  virtual void save_ambient(void* /*state*/) const {}
  virtual void restore_ambient(const void* /*state*/) {}

  std::span<const Parameter> parameters() const noexcept { return parameters_; }
  // Initializes parameters from the seed; layer_number is the global one.
  virtual void initialize(std::uint64_t /*seed*/, std::int64_t /*layer_number*/) {}

 protected:
  void add_parameter(const char* parameter_name, tensor::Dtype dtype, const tensor::Shape& shape);
  const Parameter& parameter(std::size_t i) const { return parameters_[i]; }
  // Fails with Error(invalid_argument) and the layer's name.
  template <class... Pieces>
  void require_input(bool condition, const Pieces&... pieces) const {
    if (!condition) [[unlikely]]
      base::fail(base::Status::invalid_argument, "layer ", base::quote(name_), ": ", pieces...);
  }

 private:
  std::string name_;
  std::vector<Parameter> parameters_;
};

std::shared_ptr<Layer> make_linear(std::string name, std::int64_t inputs, std::int64_t outputs, tensor::Dtype dtype);
std::shared_ptr<Layer> make_relu(std::string name);
std::shared_ptr<Layer> make_gelu(std::string name);
std::shared_ptr<Layer> make_layer_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype);
std::shared_ptr<Layer> make_rms_norm(std::string name, std::int64_t width, double epsilon, tensor::Dtype dtype);
std::shared_ptr<Layer> make_embedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width,
                                      tensor::Dtype dtype);
// positions: whether each position has a learned vector.
std::shared_ptr<Layer> make_token_embedding(std::string name, std::int64_t vocabulary, std::int64_t context, std::int64_t width,
                                            bool positions, tensor::Dtype dtype);
// embedding: made by make_token_embedding; Error(invalid_argument) for others.
std::shared_ptr<Layer> make_tied_head(std::string name, std::shared_ptr<Layer> embedding);

enum class Norm : std::uint8_t { layer_norm, rms_norm };
enum class Activation : std::uint8_t { gelu, swiglu };

struct AttentionOptions {
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t key_heads = 0;  // 0: the same as heads
  Norm norm = Norm::layer_norm;
  double rotary_base = 0;  // 0: no rotary embedding
  double dropout = 0;
  tensor::Dtype dtype = tensor::Dtype::f32;
};
struct MlpOptions {
  std::int64_t width = 0;
  std::int64_t hidden = 0;
  Activation activation = Activation::gelu;
  Norm norm = Norm::layer_norm;
  double dropout = 0;
  tensor::Dtype dtype = tensor::Dtype::f32;
};
// The two halves of a transformer block, including norm and residual.
std::shared_ptr<Layer> make_attention(std::string name, const AttentionOptions& options);
std::shared_ptr<Layer> make_mlp(std::string name, const MlpOptions& options);
// The core of attention alone. key_heads 0: the same as heads.
std::shared_ptr<Layer> make_dot_product_attention(std::string name, std::int64_t heads, std::int64_t key_heads);
std::shared_ptr<Layer> make_dropout(std::string name, double probability);
// Layers that join or cut values. axis: 1 or more; 0: the last dimension.
std::shared_ptr<Layer> make_add(std::string name);
std::shared_ptr<Layer> make_multiply(std::string name);
std::shared_ptr<Layer> make_concatenate(std::string name, std::int64_t axis);
std::shared_ptr<Layer> make_slice(std::string name, std::int64_t begin, std::int64_t end, std::int64_t axis);
std::shared_ptr<Layer> make_softmax_cross_entropy(std::string name);

bool is_float(tensor::Dtype dtype) noexcept;

// Runs work<float> or work<double>: call(T{}) with the dtype's type. Only for F32 and F64.
template <class Work>
void with_float(tensor::Dtype dtype, Work&& work) {
  if (dtype == tensor::Dtype::f32) {
    work(float{});
  } else {
    work(double{});
  }
}

// Calls work for parts of count items, part_length each (the last takes the rest): determined by count alone.
template <class Work>
void for_parts(base::ThreadPool& pool, std::int64_t count, std::int64_t part_length, Work&& work) {
  const std::int64_t parts = (count + part_length - 1) / part_length;
  pool.run(parts, [&](std::int64_t part) {
    const std::int64_t begin = part * part_length;
    work(begin, begin + part_length < count ? begin + part_length : count);
  });
}

constexpr std::int64_t elements_per_part = 8192;
constexpr std::int64_t rows_per_part = 32;

}  // namespace ckpt::engine
