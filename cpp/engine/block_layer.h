// Half of a transformer block: y = x + dropout(middle(norm(x) W_in + b_in) W_out + b_out). The layer's option determines which
// intermediate results are kept in the tape; the others are recomputed, with the same bits.
#pragma once

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <string>
#include <utility>

#include "engine/drop.h"
#include "engine/initial.h"
#include "engine/kernels.h"
#include "engine/layer.h"
#include "engine/projection.h"
#include "engine/row_norm.h"
#include "plan/profile.h"

namespace ckpt::engine {

// The intermediate results that an option keeps: norm(x), the input of the middle, its output, and its extra results. The norm's
// statistics are always kept.
struct Kept {
  bool normed = false;
  bool in = false;
  bool out = false;
  bool extra = false;
};

// Splits a buffer into consecutive pieces; all are nullptr if the buffer is.
template <class T>
class Pieces {
 public:
  explicit Pieces(void* buffer) : next_(static_cast<T*>(buffer)) {}
  T* take(std::int64_t numbers) { return next_ == nullptr ? nullptr : std::exchange(next_, next_ + numbers); }
  T* take_if(bool wanted, std::int64_t numbers) { return wanted ? take(numbers) : nullptr; }

 private:
  T* next_;
};

// Fails with Error(out_of_range) above INT64_MAX.
inline std::int64_t product(std::initializer_list<std::int64_t> factors) {
  std::int64_t all = 1;
  for (const std::int64_t each : factors) {
    if (__builtin_mul_overflow(all, each, &all))
      base::fail(base::Status::out_of_range, "the layer's buffers exceed INT64_MAX bytes");
  }
  return all;
}

// Middle: see attention.cpp and mlp.cpp. in_width() and out_width() are the lengths of its rows; kept(option) for option_count
// options; extra_numbers is the size of its extra results for an option, scratch_numbers the size of its scratch memory;
// over_input: its output may overwrite its input.
template <class Middle>
class BlockLayer final : public Layer {
 public:
  BlockLayer(std::string name, Middle middle, std::int64_t width, Norm norm, double dropout, tensor::Dtype dtype)
      : Layer(std::move(name)),
        middle_(std::move(middle)),
        norm_(norm, width, epsilon),
        in_(width, middle_.in_width()),
        out_(middle_.out_width(), width),
        drop_(dropout, site),
        has_dropout_(dropout > 0),
        width_(width),
        dtype_(dtype) {
    add_parameter("norm.weight", dtype, {width});
    if (norm_.has_bias()) add_parameter("norm.bias", dtype, {width});
    add_projection(Middle::in_name, width, middle_.in_width());
    add_projection(Middle::out_name, middle_.out_width(), width);
  }

  TensorSpec output(const TensorSpec& input) const override {
    require_input(input.dtype == dtype_ && middle_.fits(input) && input.row_length() == width_, "the input is ", to_text(input),
                  "; expected ", tensor::dtype_name(dtype_), Middle::leading, width_, "]");
    return input;
  }

  std::uint32_t flags() const override { return plan::needs_input | plan::deterministic; }
  bool needs_blas() const override { return true; }
  std::int32_t options() const override { return Middle::option_count; }

  OptionNeeds needs(const TensorSpec& input, std::int32_t option) const override {
    try {
      return needs_of(input, option);
    } catch (const base::Error& error) {
      base::fail(error.status(), "layer ", base::quote(name()), ": the input is ", to_text(input), "; ", error.message());
    }
  }

  void forward(const RunContext& context, const ForwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) { this->run_forward<decltype(zero)>(context, buffers); });
  }
  void record(const RunContext& context, const ForwardBuffers& buffers) override {
    if (buffers.tape != nullptr) with_float(dtype_, [&](auto zero) { this->run_record<decltype(zero)>(context, buffers); });
  }
  void backward(const RunContext& context, const BackwardBuffers& buffers) override {
    with_float(dtype_, [&](auto zero) { this->run_backward<decltype(zero)>(context, buffers); });
  }

  void initialize(std::uint64_t seed, std::int64_t layer_number) override {
    fill_all(*parameter(0).value, 1);
    if (norm_.has_bias()) fill_all(*parameter(1).value, 0);
    fill_uniform(*parameter(in_weight()).value, seed, layer_number, initial_bound, 1);
    fill_all(*parameter(in_weight() + 1).value, 0);
    // Scaled so that the residual stream keeps its magnitude with many blocks.
    fill_uniform(*parameter(out_weight()).value, seed, layer_number,
                 initial_bound / std::sqrt(static_cast<double>(layer_number) + 1), 2);
    fill_all(*parameter(out_weight() + 1).value, 0);
  }

 private:
  static constexpr double epsilon = 1e-5;
  static constexpr std::uint32_t site = 1;  // of the mask: 0 belongs to layers of kind dropout

  // Sizes of the intermediate results.
  struct Sizes {
    std::int64_t rows, statistics, x, in, out;
  };
  Sizes sizes_of(const TensorSpec& input) const {
    const std::int64_t rows = input.rows();
    return {rows, product({rows, norm_.values_a_row()}), product({rows, width_}), product({rows, middle_.in_width()}),
            product({rows, middle_.out_width()})};
  }
  std::int64_t bytes(std::initializer_list<std::int64_t> numbers) const {
    std::int64_t all = 0;
    for (const std::int64_t each : numbers) {
      if (__builtin_add_overflow(all, each, &all))
        base::fail(base::Status::out_of_range, "the layer's buffers exceed INT64_MAX bytes");
    }
    return product({all, tensor::dtype_bits(dtype_) / 8});
  }

  OptionNeeds needs_of(const TensorSpec& input, std::int32_t option) const {
    const Kept kept = middle_.kept(option);
    const Sizes sizes = sizes_of(input);
    const std::int64_t extra = middle_.extra_numbers(input, option);
    const std::int64_t scratch = middle_.scratch_numbers(input);
    const auto unless = [](bool is_kept, std::int64_t numbers) { return is_kept ? 0 : numbers; };
    OptionNeeds needs{.has_record = true};
    needs.tape_bytes = bytes({sizes.statistics, unless(!kept.normed, sizes.x), unless(!kept.in, sizes.in),
                              unless(!kept.out, sizes.out), unless(!kept.extra, extra)});
    // For a run without a tape, which needs the most.
    needs.forward_workspace_bytes = bytes({sizes.in, unless(Middle::over_input, sizes.out), scratch});
    needs.record_workspace_bytes = kept.in ? bytes({unless(kept.normed, sizes.x), scratch}) : 0;
    needs.backward_workspace_bytes =
        bytes({unless(kept.normed && !has_dropout_, sizes.x), unless(kept.in, sizes.in), unless(kept.out, sizes.out),
               unless(kept.extra, extra), sizes.out, unless(Middle::over_input, sizes.in), scratch});
    return needs;
  }

  // Positions in the tape; nullptr for results that are not kept.
  template <class T>
  struct Tape {
    T* statistics;
    T* normed;
    T* in;
    T* out;
    T* extra;
  };
  template <class T>
  Tape<T> tape_of(const RunContext& context, void* tape) const {
    const Kept kept = middle_.kept(context.option);
    const Sizes sizes = sizes_of(*context.input);
    Pieces<T> pieces(tape);
    T* const statistics = pieces.take(sizes.statistics);
    T* const normed = pieces.take_if(kept.normed, sizes.x);
    T* const in = pieces.take_if(kept.in, sizes.in);
    T* const out = pieces.take_if(kept.out, sizes.out);
    return {statistics, normed, in, out, pieces.take_if(kept.extra, middle_.extra_numbers(*context.input, context.option))};
  }

  // in = norm(x) W_in + b_in; stores the statistics if given.
  template <class T>
  void make_in(const RunContext& context, const void* input, T* statistics, T* normed, T* in) const {
    const std::int64_t rows = context.input->rows();
    norm_.forward(*context.pool, rows, static_cast<const T*>(input), statistics, value<T>(0), value<T>(1), normed);
    if (in == nullptr) return;
    in_.forward(*context.pool, rows, normed, value<T>(in_weight()), value<T>(in_weight() + 1), static_cast<const T*>(nullptr), in);
  }

  template <class T>
  void run_forward(const RunContext& context, const ForwardBuffers& buffers) const {
    const Sizes sizes = sizes_of(*context.input);
    const Tape<T> tape = tape_of<T>(context, buffers.tape);
    Pieces<T> workspace(buffers.workspace);
    T* const in = tape.in != nullptr ? tape.in : workspace.take(sizes.in);
    T* const out = tape.out != nullptr ? tape.out : Middle::over_input && tape.in == nullptr ? in : workspace.take(sizes.out);
    T* const scratch = workspace.take(middle_.scratch_numbers(*context.input));
    T* const y = static_cast<T*>(buffers.output);
    // y is unused until the end, so it serves as scratch.
    make_in(context, buffers.input, tape.statistics, tape.normed != nullptr ? tape.normed : y, in);
    middle_.forward(context, in, out, tape.extra, scratch);
    const T* const x = static_cast<const T*>(buffers.input);
    const bool drops = drop_.active(context);
    out_.forward(*context.pool, sizes.rows, out, value<T>(out_weight()), value<T>(out_weight() + 1), drops ? nullptr : x, y);
    if (!drops) return;
    drop_.apply(context, y, y, nullptr);
    for_parts(*context.pool, sizes.x, elements_per_part,
              [&](std::int64_t begin, std::int64_t end) { add(x + begin, y + begin, end - begin); });
  }

  // Skips the last product and everything that is not kept.
  template <class T>
  void run_record(const RunContext& context, const ForwardBuffers& buffers) const {
    const Tape<T> tape = tape_of<T>(context, buffers.tape);
    Pieces<T> workspace(buffers.workspace);
    T* const normed = tape.normed != nullptr ? tape.normed : workspace.take_if(tape.in != nullptr, sizes_of(*context.input).x);
    make_in(context, buffers.input, tape.statistics, normed, tape.in);
    if (tape.out != nullptr)
      middle_.forward(context, tape.in, tape.out, tape.extra, workspace.take(middle_.scratch_numbers(*context.input)));
  }

  template <class T>
  void run_backward(const RunContext& context, const BackwardBuffers& buffers) const {
    base::ThreadPool& pool = *context.pool;
    const Kept kept = middle_.kept(context.option);
    const Sizes sizes = sizes_of(*context.input);
    const Tape<T> tape = tape_of<T>(context, const_cast<void*>(buffers.tape));  // the tape is only read
    const T* const x = static_cast<const T*>(buffers.input);
    const T* const grad_y = static_cast<const T*>(buffers.grad_output);
    T* const grad_x = static_cast<T*>(buffers.grad_input);

    Pieces<T> workspace(buffers.workspace);
    T* const row_scratch = workspace.take_if(!kept.normed || has_dropout_, sizes.x);  // norm(x), or grad_y through the dropout
    T* const in = kept.in ? tape.in : workspace.take(sizes.in);
    T* const out = kept.out ? tape.out : workspace.take(sizes.out);
    T* const extra = kept.extra ? tape.extra : workspace.take(middle_.extra_numbers(*context.input, context.option));
    T* const grad_out = workspace.take(sizes.out);
    T* const grad_in = Middle::over_input ? grad_out : workspace.take(sizes.in);
    T* const scratch = workspace.take(middle_.scratch_numbers(*context.input));

    if (!kept.in) {
      norm_.again(pool, sizes.rows, x, tape.statistics, value<T>(0), value<T>(1), row_scratch);
      in_.forward(pool, sizes.rows, row_scratch, value<T>(in_weight()), value<T>(in_weight() + 1), static_cast<const T*>(nullptr),
                  in);
    }
    if (!kept.out) middle_.forward(context, in, out, extra, scratch);

    const T* grad_branch = grad_y;
    if (drop_.active(context)) {
      drop_.apply(context, grad_y, row_scratch, nullptr);
      grad_branch = row_scratch;
    }
    out_.input_gradient(pool, sizes.rows, grad_branch, value<T>(out_weight()), grad_out);
    out_.add_gradients(pool, sizes.rows, out, grad_branch, gradient<T>(out_weight()), gradient<T>(out_weight() + 1));
    middle_.backward(context, in, out, extra, grad_out, grad_in, scratch);

    const T* normed = tape.normed;
    if (!kept.normed) {
      norm_.again(pool, sizes.rows, x, tape.statistics, value<T>(0), value<T>(1), row_scratch);
      normed = row_scratch;
    }
    in_.add_gradients(pool, sizes.rows, normed, grad_in, gradient<T>(in_weight()), gradient<T>(in_weight() + 1));
    in_.input_gradient(pool, sizes.rows, grad_in, value<T>(in_weight()), grad_x);
    norm_.add_gradients(pool, sizes.rows, x, tape.statistics, grad_x, gradient<T>(0), gradient<T>(1));
    norm_.input_gradient(pool, sizes.rows, x, tape.statistics, value<T>(0), grad_x, grad_y, grad_x);
  }

  void add_projection(const std::string& projection, std::int64_t inputs, std::int64_t outputs) {
    add_parameter((projection + ".weight").c_str(), dtype_, {inputs, outputs});
    add_parameter((projection + ".bias").c_str(), dtype_, {outputs});
  }
  std::size_t in_weight() const { return norm_.has_bias() ? 2 : 1; }
  std::size_t out_weight() const { return in_weight() + 2; }
  template <class T>
  const T* value(std::size_t i) const {
    return parameter(i).value->template data_as<T>();
  }
  template <class T>
  T* gradient(std::size_t i) const {
    return parameter(i).gradient->template data_as<T>();
  }

  Middle middle_;
  RowNorm norm_;
  Projection in_;
  Projection out_;
  Drop drop_;
  bool has_dropout_;
  std::int64_t width_;
  tensor::Dtype dtype_;
};

}  // namespace ckpt::engine
