// Calls every kernel of the engine on numbers that are the same on every machine, and collects the bytes written by each call.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <string>
#include <vector>

#include "engine/attend_kernels.h"
#include "engine/kernels.h"
#include "engine/norm_kernels.h"

namespace ckpt::engine::test {

struct KernelCall {
  std::string kernel;
  std::vector<unsigned char> written;
  bool within = true;  // nothing changed outside of the kernel's outputs
};

// mild: sums stay finite; wild: the largest finite numbers are among them, so that results overflow.
enum class Numbers : std::uint8_t { mild, wild };

constexpr std::int64_t kernel_counts[] = {0, 1, 15, 16, 17, 31, 33, 127, 128, 1000};

// Number i of a sequence: of ordinary size, or (two in five) tiny, denormal, negative zero, and huge for wild ones.
template <class T>
T kernel_number(Numbers numbers, std::uint64_t sequence, std::int64_t i) {
  using Limits = std::numeric_limits<T>;
  std::uint64_t mixed = sequence * 0x9E3779B97F4A7C15U + static_cast<std::uint64_t>(i) * 0xD1B54A32D192ED03U;
  for (int round = 0; round < 3; ++round) mixed = (mixed ^ (mixed >> 29)) * 0xBF58476D1CE4E5B9U;
  const T sign = (mixed >> 62 & 1U) != 0 ? T(-1) : T(1);
  const T ordinary = sign * static_cast<T>(mixed >> 40 & 0xFFFFFFU) * T(0x1p-22);  // below 4
  const bool wild = numbers == Numbers::wild;
  switch (mixed % 20) {
    case 0: return -T(0);
    case 1: return sign * Limits::denorm_min();
    case 2: return sign * (Limits::min() / T(3));
    case 3: return sign * Limits::min();
    case 4: return ordinary * (Limits::min() / Limits::epsilon());
    case 5: return ordinary * T(30);
    case 6: return wild ? sign * Limits::max() : ordinary * T(1e-6);
    case 7: return wild ? sign * (Limits::max() / T(64)) : T(0);
    default: return ordinary;
  }
}

// Rows of elements, `stride` apart, misaligned for every vector; bytes before, between and after them have a pattern.
template <class T>
class Guarded {
 public:
  Guarded(std::int64_t rows, std::int64_t columns, std::int64_t stride, std::int64_t offset)
      : rows_(rows),
        columns_(columns),
        stride_(stride),
        first_(16 + offset),
        elements_(static_cast<std::size_t>(first_ + rows * stride + 32)) {
    std::memset(elements_.data(), pattern, elements_.size() * sizeof(T));
  }
  Guarded(std::int64_t count, std::int64_t offset) : Guarded(1, count, count, offset) {}

  T* data() { return elements_.data() + first_; }

  template <class Number>
  void fill(const Number& number) {
    for (std::int64_t row = 0; row < rows_; ++row) {
      for (std::int64_t column = 0; column < columns_; ++column) data()[row * stride_ + column] = number(row * columns_ + column);
    }
  }

  void append_to(KernelCall& call) const {
    const std::int64_t size = static_cast<std::int64_t>(elements_.size());
    for (std::int64_t at = 0; at < size; ++at) {
      unsigned char bytes[sizeof(T)];
      std::memcpy(bytes, elements_.data() + at, sizeof(T));
      const std::int64_t element = at - first_;
      const bool inside = element >= 0 && element < rows_ * stride_ && element % stride_ < columns_;
      if (inside) call.written.insert(call.written.end(), bytes, bytes + sizeof(T));
      for (const unsigned char byte : bytes) call.within = call.within && (inside || byte == pattern);
    }
  }

 private:
  static constexpr unsigned char pattern = 0xA5;

  std::int64_t rows_;
  std::int64_t columns_;
  std::int64_t stride_;
  std::int64_t first_;
  std::vector<T> elements_;
};

// Calls each kernel of one type at least once; the same calls in the same order at every level.
template <class T>
class KernelCalls {
 public:
  KernelCalls(std::int64_t count, Numbers numbers, std::vector<KernelCall>& calls)
      : count_(count), numbers_(numbers), calls_(calls) {}

  void all() {
    activations();
    activations_backward();
    sums();
    dropouts();
    updates();
    norms();
    for (const std::int64_t rows : {1, 3}) attend_rows(rows);
    if (count_ <= attend_block<T>) {
      for (const bool diagonal : {false, true}) attend_blocks(diagonal);
    }
    rotations();
  }

 private:
  // Returns numbers from a separate sequence.
  Guarded<T> some(std::int64_t rows, std::int64_t stride) {
    const std::uint64_t sequence = ++sequence_;
    Guarded<T> array(rows, count_, stride, static_cast<std::int64_t>(sequence * 2 % 7 + 1));
    array.fill([&](std::int64_t i) { return kernel_number<T>(numbers_, sequence, i); });
    return array;
  }
  Guarded<T> some() { return some(1, count_); }
  Guarded<T> none() { return Guarded<T>(count_, 3); }
  // Like some(), without negative numbers.
  Guarded<T> some_squares() {
    Guarded<T> array = some();
    for (std::int64_t i = 0; i < count_; ++i) array.data()[i] = array.data()[i] < T(0) ? -array.data()[i] : array.data()[i];
    return array;
  }
  std::vector<T> some_factors(std::int64_t count) {
    const std::uint64_t sequence = ++sequence_;
    std::vector<T> factors;
    for (std::int64_t i = 0; i < count; ++i) factors.push_back(kernel_number<T>(Numbers::mild, sequence, i));
    return factors;
  }

  template <class... Arrays>
  void wrote(const char* kernel, const Arrays&... arrays) {
    KernelCall call;
    call.kernel = kernel;
    (arrays.append_to(call), ...);
    calls_.push_back(std::move(call));
  }
  template <class Value>
  void answered(const char* kernel, Value value) {
    KernelCall call;
    call.kernel = kernel;
    call.written.resize(sizeof(value));
    std::memcpy(call.written.data(), &value, sizeof(value));
    calls_.push_back(std::move(call));
  }

  void activations() {
    Guarded<T> x = some();
    Guarded<T> up = some();
    Guarded<T> y = none();
    gelu(x.data(), y.data(), count_);
    wrote("gelu", y);
    relu(x.data(), y.data(), count_);
    wrote("relu", y);
    silu_multiply(x.data(), up.data(), y.data(), count_);
    wrote("silu_multiply", y);
    gelu(x.data(), x.data(), count_);  // in place, as in layers that do not need their input
    wrote("gelu", x);
  }

  void activations_backward() {
    Guarded<T> x = some();
    Guarded<T> up = some();
    Guarded<T> grad_y = some();
    Guarded<T> grad_x = none();
    Guarded<T> grad_up = none();
    gelu_backward(x.data(), grad_y.data(), grad_x.data(), count_);
    wrote("gelu_backward", grad_x);
    relu_backward(x.data(), grad_y.data(), grad_x.data(), count_);
    wrote("relu_backward", grad_x);
    silu_multiply_backward(x.data(), up.data(), grad_y.data(), grad_x.data(), grad_up.data(), count_);
    wrote("silu_multiply_backward", grad_x, grad_up);
    gelu_backward(x.data(), grad_y.data(), grad_y.data(), count_);
    wrote("gelu_backward", grad_y);
  }

  void sums() {
    Guarded<T> x = some();
    Guarded<T> y = some();
    answered("log_sum_exp", log_sum_exp(x.data(), count_));
    answered("sum_of_squares", sum_of_squares(x.data(), count_));
    answered("all_finite", all_finite(x.data(), count_));
    add(x.data(), y.data(), count_);
    wrote("add", y);
    multiply(x.data(), x.data(), y.data(), count_);
    wrote("multiply", y);
    add_product(x.data(), y.data(), y.data(), count_);
    wrote("add_product", y);
    exp_shifted(x.data(), T(0.75), T(-0.3), y.data(), count_);
    wrote("exp_shifted", y);
    scale(x.data(), T(1.1), count_);
    wrote("scale", x);
    Guarded<T> rows = some(5, count_);
    add_column_sums(rows.data(), 5, count_, count_ / 3, count_, y.data());
    wrote("add_column_sums", y);
  }

  void dropouts() {
    constexpr std::uint32_t threshold = 0x40000000;
    Guarded<T> x = some();
    Guarded<T> y = none();
    Guarded<std::uint32_t> words((count_ + 63) / 64 * 64, 1);
    Guarded<std::uint8_t> mask((count_ + 7) / 8, 3);
    random_words({0x12345678, 0x9ABCDEF0}, 7, (std::int64_t{1} << 40) + 5, 4 * count_, count_, words.data());
    wrote("random_words", words);
    dropout(x.data(), words.data(), threshold, T(4) / T(3), y.data(), count_);
    wrote("dropout", y);
    pack_mask(words.data(), threshold, mask.data(), count_);
    wrote("pack_mask", mask);
    dropout_masked(x.data(), mask.data(), T(4) / T(3), y.data(), count_);
    wrote("dropout_masked", y);
  }

  void updates() {
    Guarded<T> w = some();
    Guarded<T> m = some();
    Guarded<T> v = some_squares();
    Guarded<T> g = some();
    adamw_update(w.data(), m.data(), v.data(), g.data(), {T(1e-3), T(0.9), T(0.999), T(1e-8), T(0.01), T(0.19), T(0.002)}, count_);
    wrote("adamw_update", w, m, v);
    sgd_update(w.data(), m.data(), g.data(), T(0.1), T(0.9), count_);
    wrote("sgd_update", w, m);
  }

  void norms() {
    Guarded<T> x = some();
    Guarded<T> weight = some();
    Guarded<T> bias = some();
    Guarded<T> grad_y = some();
    Guarded<T> y = none();
    for (const bool with_mean : {true, false}) {
      const RowStatistics<T> row =
          with_mean ? layer_norm_statistics(x.data(), count_, T(1e-5)) : rms_norm_statistics(x.data(), count_, T(1e-5));
      answered(with_mean ? "layer_norm_statistics" : "rms_norm_statistics", row);
      const RowStatistics<T> given = {with_mean ? T(0.3) : T(0), T(1.7)};  // rows with overflowed sums would be all NaN
      for (const RowStatistics<T>& each : {row, given}) {
        normalize(x.data(), each, weight.data(), with_mean ? bias.data() : nullptr, y.data(), count_);
        wrote("normalize", y);
        normalize_backward(x.data(), each, weight.data(), grad_y.data(), y.data(), count_, with_mean);
        wrote("normalize_backward", y);
        Guarded<T> grad_weight = some();
        Guarded<T> grad_bias = some();
        add_norm_gradients(x.data(), each, grad_y.data(), count_ / 3, count_, grad_weight.data(),
                           with_mean ? grad_bias.data() : nullptr);
        wrote("add_norm_gradients", grad_weight, grad_bias);
      }
    }
  }

  void attend_rows(std::int64_t rows) {
    const std::int64_t stride = count_ + 5;
    const std::vector<T> factors = some_factors(rows);
    Guarded<T> a = some(rows, stride);
    Guarded<T> b = some(rows, stride);
    Guarded<T> row_sums(rows, 1);
    row_products(a.data(), b.data(), stride, rows, count_, row_sums.data());
    wrote("row_products", row_sums);
    scale_rows(a.data(), stride, rows, count_, factors.data());
    wrote("scale_rows", a);
    probabilities(b.data(), stride, {rows, count_, false}, T(0.125), factors.data());
    wrote("probabilities", b);
    if (count_ < rows) return;
    probabilities(a.data(), stride, {rows, count_, true}, T(0.125), factors.data());
    wrote("probabilities", a);
  }

  // Two blocks; the second continues where the first ended.
  void attend_blocks(bool diagonal) {
    const std::int64_t rows = diagonal ? count_ : 3;
    const Block block = {rows, count_, diagonal};
    std::vector<Running<T>> running(static_cast<std::size_t>(rows), {-std::numeric_limits<T>::infinity(), T(0)});
    Guarded<Running<T>> state(rows, 1);
    state.fill([&](std::int64_t row) { return running[static_cast<std::size_t>(row)]; });
    Guarded<T> shrunk(rows, 5);
    for (int part = 0; part < 2; ++part) {
      Guarded<T> scores = some(rows, attend_block<T>);
      update_softmax(scores.data(), block, T(0.125), state.data(), shrunk.data());
      wrote("update_softmax", scores, state, shrunk);
    }
    const std::vector<T> shifts = some_factors(rows);
    Guarded<T> p = some(rows, attend_block<T>);
    Guarded<T> grad = some(rows, attend_block<T>);
    score_gradients(p.data(), block, shifts.data(), T(0.125), grad.data());
    wrote("score_gradients", grad);
  }

  void rotations() {
    for (const bool back : {false, true}) {
      Guarded<T> x = some();
      Guarded<T> angles = some();
      rotate(x.data(), angles.data(), count_, back);
      wrote("rotate", x);
    }
  }

  std::int64_t count_;
  Numbers numbers_;
  std::vector<KernelCall>& calls_;
  std::uint64_t sequence_ = 0;
};

template <class T>
std::vector<KernelCall> kernel_calls(std::int64_t count, Numbers numbers) {
  std::vector<KernelCall> calls;
  KernelCalls<T>(count, numbers, calls).all();
  return calls;
}

}  // namespace ckpt::engine::test
