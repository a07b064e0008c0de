// The matrix products of a transformer's training step without the engine, split as the engine splits them or whole.
#pragma once

#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <ckpt/engine.h>

namespace engine_step {

constexpr std::int64_t vocabulary = 256;

struct Model {
  std::string name;
  std::int64_t blocks = 0;
  std::int64_t width = 0;
  std::int64_t heads = 0;
  std::int64_t context = 0;
  std::int64_t batch = 0;
};

// Fills with numbers in -1/2 .. 1/2, the same in every run; none is subnormal, which would slow the processor down.
inline void fill(float* numbers, std::int64_t count) {
  std::uint32_t state = 12345;
  for (std::int64_t i = 0; i < count; ++i) {
    state = 1664525 * state + 1013904223;
    numbers[i] = static_cast<float>(state >> 8) * 0x1p-24F - 0.5F;
  }
}

inline std::vector<float> numbers(std::int64_t count) {
  std::vector<float> created(static_cast<std::size_t>(count));
  fill(created.data(), count);
  return created;
}

// The matrix products of the library that the engine loads, on one thread.
class Products {
 public:
  Products() {
    const char* const given = std::getenv("CKPT_OPENBLAS");
    void* library = given != nullptr && *given != '\0' ? ::dlopen(given, RTLD_NOW) : nullptr;
    for (const char* const name : {"libopenblas.so.0", "libopenblas.so"}) {
      if (library == nullptr) library = ::dlopen(name, RTLD_NOW);
    }
    if (library == nullptr) throw std::runtime_error("OpenBLAS not found");
    sgemm_ = reinterpret_cast<ckpt_sgemm_fn>(::dlsym(library, "cblas_sgemm"));
    const auto set_threads = reinterpret_cast<void (*)(int)>(::dlsym(library, "openblas_set_num_threads"));
    if (sgemm_ == nullptr || set_threads == nullptr) throw std::runtime_error("the loaded BLAS is not OpenBLAS");
    set_threads(1);
  }

  // C[m,n] = op(A) op(B) + beta C.
  void operator()(bool trans_a, bool trans_b, std::int64_t m, std::int64_t n, std::int64_t k, const float* a, std::int64_t lda,
                  const float* b, std::int64_t ldb, float beta, float* c, std::int64_t ldc) {
    const auto number = [](std::int64_t value) { return static_cast<int>(value); };
    sgemm_(101, trans_a ? 112 : 111, trans_b ? 112 : 111, number(m), number(n), number(k), 1, a, number(lda), b, number(ldb), beta,
           c, number(ldc));
    multiply_adds_ += m * n * k;
  }

  std::int64_t multiply_adds() const { return multiply_adds_; }

 private:
  ckpt_sgemm_fn sgemm_ = nullptr;
  std::int64_t multiply_adds_ = 0;
};

// Calls work(begin, size) over 0 .. count-1 in parts; the last part gets the remainder.
template <class Work>
void for_parts(std::int64_t count, std::int64_t part, Work&& work) {
  for (std::int64_t begin = 0; begin < count; begin += part) work(begin, std::min(part, count - begin));
}

enum class Cut { engine, whole };

// The engine's split of a linear product (cpp/engine/projection.cpp): keep both in step.
struct Parts {
  Parts(Cut cut, std::int64_t row_count, std::int64_t input_count, std::int64_t output_count)
      : rows(row_count), inputs(input_count), columns(output_count) {
    if (cut == Cut::whole) return;
    const auto eighth_in = [](std::int64_t of, std::int64_t multiple) {
      return ((of + 7) / 8 + multiple - 1) / multiple * multiple;
    };
    rows = std::clamp<std::int64_t>(eighth_in(row_count, 32), 32, 256);
    inputs = std::min<std::int64_t>(input_count, 512);
    columns = std::clamp<std::int64_t>(eighth_in(output_count, 64), 64, 384);
  }
  std::int64_t rows;     // of an output, and of the gradient of an input
  std::int64_t inputs;   // of the gradient of a weight: its rows
  std::int64_t columns;  // and its columns
};

// y += x W (the engine first stores the bias in y) and its gradients. transposed: y = x W^T, as for a head that shares an
// embedding's weight [outputs, inputs].
class Linear {
 public:
  Linear(std::int64_t rows, std::int64_t inputs, std::int64_t outputs, bool transposed = false)
      : rows_(rows),
        inputs_(inputs),
        outputs_(outputs),
        transposed_(transposed),
        x_(numbers(rows * inputs)),
        weight_(numbers(inputs * outputs)),
        y_(numbers(rows * outputs)),
        grad_weight_(numbers(inputs * outputs)) {}

  void forward(Products& multiply, Cut cut) {
    for_parts(rows_, Parts(cut, rows_, inputs_, outputs_).rows, [&](std::int64_t row, std::int64_t rows) {
      multiply(false, transposed_, rows, outputs_, inputs_, &x_[index(row * inputs_)], inputs_, weight_.data(), weight_columns(),
               transposed_ ? 0 : 1, &y_[index(row * outputs_)], outputs_);
    });
  }

  void backward(Products& multiply, Cut cut, const float* grad_y, float* grad_x) {
    for_parts(rows_, Parts(cut, rows_, inputs_, outputs_).rows, [&](std::int64_t row, std::int64_t rows) {
      multiply(false, !transposed_, rows, inputs_, outputs_, grad_y + row * outputs_, outputs_, weight_.data(), weight_columns(), 0,
               grad_x + row * inputs_, inputs_);
    });
    // The gradient of the weight [left, right] is left^T right.
    const auto left = transposed_ ? std::pair(grad_y, outputs_) : std::pair(static_cast<const float*>(x_.data()), inputs_);
    const auto right = transposed_ ? std::pair(static_cast<const float*>(x_.data()), inputs_) : std::pair(grad_y, outputs_);
    const Parts parts(cut, rows_, left.second, right.second);
    for_parts(left.second, parts.inputs, [&](std::int64_t input, std::int64_t inputs) {
      for_parts(right.second, parts.columns, [&](std::int64_t column, std::int64_t columns) {
        multiply(true, false, inputs, columns, rows_, left.first + input, left.second, right.first + column, right.second, 1,
                 &grad_weight_[index(input * right.second + column)], right.second);
      });
    });
  }

  const float* y() const { return y_.data(); }

 private:
  static std::size_t index(std::int64_t at) { return static_cast<std::size_t>(at); }
  std::int64_t weight_columns() const { return transposed_ ? inputs_ : outputs_; }

  std::int64_t rows_;
  std::int64_t inputs_;
  std::int64_t outputs_;
  bool transposed_;
  std::vector<float> x_;
  std::vector<float> weight_;
  std::vector<float> y_;
  std::vector<float> grad_weight_;
};

// Scores and values of every sample and head, in blocks on and below the diagonal, as under option 0: probabilities are kept, so
// backward does not recompute the scores. Both splits are the same here.
class Attention {
 public:
  explicit Attention(const Model& model)
      : model_(model),
        size_(model.width / model.heads),
        probabilities_(numbers(model.batch * model.heads * model.context * model.context)),
        output_(numbers(model.batch * model.context * model.width)),
        grad_scores_(numbers(block * block)) {}

  void forward(Products& multiply, const float* qkv) {
    for_blocks([&](const Block& at) {
      multiply(false, true, at.queries, at.keys, size_, qkv + at.query, stride(), qkv + at.key + width(), stride(), 0,
               probability(at), model_.context);
      multiply(false, false, at.queries, size_, at.keys, probability(at), model_.context, qkv + at.key + 2 * width(), stride(),
               at.is_first ? 0 : 1, &output_[static_cast<std::size_t>(at.output)], width());
    });
  }

  void backward(Products& multiply, const float* qkv, const float* grad_output, float* grad_qkv) {
    float* const grad_scores = grad_scores_.data();
    for_blocks([&](const Block& at) {
      const float* const grad = grad_output + at.output;
      multiply(false, true, at.queries, at.keys, size_, grad, width(), qkv + at.key + 2 * width(), stride(), 0, grad_scores, block);
      multiply(true, false, at.keys, size_, at.queries, probability(at), model_.context, grad, width(), 1,
               grad_qkv + at.key + 2 * width(), stride());
      multiply(false, false, at.queries, size_, at.keys, grad_scores, block, qkv + at.key + width(), stride(), 1,
               grad_qkv + at.query, stride());
      multiply(true, false, at.keys, size_, at.queries, grad_scores, block, qkv + at.query, stride(), 1,
               grad_qkv + at.key + width(), stride());
    });
  }

 private:
  static constexpr std::int64_t block = 128;

  // Positions of its first query, key, output and probability. A key is width after its row's query, a value twice that.
  struct Block {
    std::int64_t queries;
    std::int64_t keys;
    std::int64_t query;
    std::int64_t key;
    std::int64_t output;
    std::int64_t probability;
    bool is_first;  // of its queries
  };

  template <class Work>
  void for_blocks(Work&& work) {
    for (std::int64_t head = 0; head < model_.batch * model_.heads; ++head) {
      const std::int64_t first_row = head / model_.heads * model_.context;
      const std::int64_t column = head % model_.heads * size_;
      for_parts(model_.context, block, [&](std::int64_t query, std::int64_t queries) {
        for_parts(query + queries, block, [&](std::int64_t key, std::int64_t keys) {
          work(Block{queries, keys, (first_row + query) * stride() + column, (first_row + key) * stride() + column,
                     (first_row + query) * width() + column, (head * model_.context + query) * model_.context + key, key == 0});
        });
      });
    }
  }
  float* probability(const Block& at) { return &probabilities_[static_cast<std::size_t>(at.probability)]; }
  std::int64_t width() const { return model_.width; }
  std::int64_t stride() const { return 3 * model_.width; }

  Model model_;
  std::int64_t size_;  // of a head
  std::vector<float> probabilities_;
  std::vector<float> output_;
  std::vector<float> grad_scores_;
};

// All products of a step. Every layer has its own memory, as in the engine; gradients of activations share memory.
class Replay {
 public:
  explicit Replay(const Model& model)
      : rows_(model.batch * model.context),
        head_(rows_, model.width, vocabulary, true),
        grad_y_(numbers(rows_ * std::max(4 * model.width, vocabulary))),
        grad_x_(numbers(rows_ * 4 * model.width)),
        grad_input_(numbers(rows_ * model.width)) {
    for (std::int64_t i = 0; i < model.blocks; ++i) {
      blocks_.push_back({Linear(rows_, model.width, 3 * model.width), Attention(model), Linear(rows_, model.width, model.width),
                         Linear(rows_, model.width, 4 * model.width), Linear(rows_, 4 * model.width, model.width)});
    }
  }

  void step(Cut cut) {
    for (Block& block : blocks_) {
      block.qkv.forward(multiply_, cut);
      block.attention.forward(multiply_, block.qkv.y());
      for (Linear* const linear : {&block.out, &block.up, &block.down}) linear->forward(multiply_, cut);
    }
    head_.forward(multiply_, cut);
    head_.backward(multiply_, cut, grad_y_.data(), grad_x_.data());
    for (std::size_t i = blocks_.size(); i-- > 0;) {
      Block& block = blocks_[i];
      for (Linear* const linear : {&block.down, &block.up, &block.out})
        linear->backward(multiply_, cut, grad_y_.data(), grad_x_.data());
      block.attention.backward(multiply_, block.qkv.y(), grad_y_.data(), grad_x_.data());
      block.qkv.backward(multiply_, cut, grad_x_.data(), grad_input_.data());
    }
  }

  // Returns the multiply-adds of one step; throws if the parts do not add up to the whole.
  std::int64_t multiply_adds() {
    const auto of = [&](Cut cut) {
      const std::int64_t before = multiply_.multiply_adds();
      step(cut);
      return multiply_.multiply_adds() - before;
    };
    const std::int64_t in_parts = of(Cut::engine);
    const std::int64_t whole = of(Cut::whole);
    if (in_parts != whole) {
      throw std::logic_error("the products in parts have " + std::to_string(in_parts) + " multiply-adds, whole ones " +
                             std::to_string(whole));
    }
    return whole;
  }

 private:
  struct Block {
    Linear qkv;
    Attention attention;
    Linear out;
    Linear up;
    Linear down;
  };

  Products multiply_;
  std::int64_t rows_;
  Linear head_;
  std::vector<float> grad_y_;
  std::vector<float> grad_x_;
  std::vector<float> grad_input_;  // of a block: each block starts from grad_y_, so that numbers do not grow from block to block
  std::vector<Block> blocks_;
};

}  // namespace engine_step
