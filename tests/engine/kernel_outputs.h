// What every kernel makes of fixed numbers, as bytes: equal for every level of instructions and every compiler.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <random>
#include <stdexcept>
#include <vector>

#include "engine/attend_kernels.h"
#include "engine/kernels.h"
#include "engine/norm_kernels.h"

namespace ckpt::engine::test {

constexpr std::array<std::int64_t, 12> kernel_counts = {0, 1, 3, 15, 16, 17, 31, 33, 127, 128, 300, 1000};

inline void require_kernel(bool condition, const char* what) {
  if (!condition) throw std::logic_error(what);
}

// Numbers of all kinds that are finite: usual ones, tiny, large, zeros of both signs.
template <class T>
std::vector<T> numbers(std::int64_t count, std::uint32_t seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> usual(-4, 4);
  const std::array<T, 8> odd = {
      T(0), T(-0.0), std::numeric_limits<T>::denorm_min(), std::numeric_limits<T>::min(), T(-1e-20), T(1e4), T(-1e4), T(88)};
  std::vector<T> all;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::uint32_t which = static_cast<std::uint32_t>(random() % 64);
    all.push_back(which < odd.size() ? odd[which] : static_cast<T>(usual(random)));
  }
  return all;
}

// Memory that a kernel writes to, one number behind an alignment, with numbers around it that must stay.
template <class T>
class Written {
 public:
  explicit Written(std::vector<T> values) : all_(values.size() + 2 * margin, mark) {
    std::copy(values.begin(), values.end(), all_.begin() + margin);
  }
  T* data() { return all_.data() + margin; }
  // The bytes, after a look at the margins.
  std::vector<std::byte> bytes() const {
    for (std::size_t i = 0; i < margin; ++i)
      require_kernel(all_[i] == mark && all_[all_.size() - 1 - i] == mark, "a kernel wrote beyond its numbers");
    const auto* const from = reinterpret_cast<const std::byte*>(all_.data());
    return {from, from + all_.size() * sizeof(T)};
  }

 private:
  static constexpr std::size_t margin = 33;
  static constexpr T mark = T(77);
  std::vector<T> all_;
};

using Bytes = std::vector<std::byte>;

template <class T>
void append(Bytes& bytes, const Written<T>& written) {
  const Bytes more = written.bytes();
  bytes.insert(bytes.end(), more.begin(), more.end());
}
template <class T>
void append_value(Bytes& bytes, T value) {
  const auto* const from = reinterpret_cast<const std::byte*>(&value);
  bytes.insert(bytes.end(), from, from + sizeof value);
}

template <class T>
Bytes elementwise(std::int64_t count) {
  Bytes bytes;
  const std::vector<T> x = numbers<T>(count, 1);
  const std::vector<T> g = numbers<T>(count, 2);
  const std::vector<T> u = numbers<T>(count, 3);
  const auto made = [&](const std::function<void(T*)>& kernel) {
    Written<T> y(numbers<T>(count, 4));
    kernel(y.data());
    append(bytes, y);
  };
  made([&](T* y) { gelu(x.data(), y, count); });
  made([&](T* y) { gelu_backward(x.data(), g.data(), y, count); });
  made([&](T* y) { silu_multiply(x.data(), u.data(), y, count); });
  made([&](T* y) { relu(x.data(), y, count); });
  made([&](T* y) { relu_backward(x.data(), g.data(), y, count); });
  made([&](T* y) { add(x.data(), y, count); });
  made([&](T* y) { scale(y, T(0.3), count); });
  made([&](T* y) { exp_shifted(x.data(), T(0.7), T(0.1), y, count); });
  made([&](T* y) { add_column_sums(g.data(), 1, count, 0, count, y); });
  Written<T> up(u);
  made([&](T* y) { silu_multiply_backward(x.data(), u.data(), g.data(), y, up.data(), count); });
  append(bytes, up);
  Written<T> v(numbers<T>(count, 5));
  made([&](T* y) { sgd_update(y, v.data(), g.data(), T(0.1), T(0.9), count); });
  Written<T> m(numbers<T>(count, 6));
  std::vector<T> squares = numbers<T>(count, 7);
  for (T& each : squares) each *= each;
  Written<T> second(squares);
  const AdamwFactors<T> factors = {T(1e-3), T(0.9), T(0.999), T(1e-8), T(0.01), T(0.1), T(0.001)};
  made([&](T* y) { adamw_update(y, m.data(), second.data(), g.data(), factors, count); });
  for (const Written<T>* each : {&v, &m, &second}) append(bytes, *each);
  append_value(bytes, sum_of_squares(x.data(), count));
  append_value(bytes, all_finite(x.data(), count));
  if (count > 0) append_value(bytes, log_sum_exp(x.data(), count));
  return bytes;
}

template <class T>
Bytes random_and_masks(std::int64_t count) {
  Bytes bytes;
  Written<std::uint32_t> words(std::vector<std::uint32_t>(static_cast<std::size_t>((count + 63) / 64 * 64)));
  random_words({17, 4}, 1, 5, 8, count, words.data());
  append(bytes, words);
  Written<std::uint8_t> mask(std::vector<std::uint8_t>(static_cast<std::size_t>((count + 7) / 8)));
  pack_mask(words.data(), 1U << 31, mask.data(), count);
  append(bytes, mask);
  const std::vector<T> x = numbers<T>(count, 1);
  Written<T> dropped(x);
  dropout(x.data(), words.data(), 1U << 31, T(2), dropped.data(), count);
  Written<T> masked(x);
  dropout_masked(x.data(), mask.data(), T(2), masked.data(), count);
  require_kernel(dropped.bytes() == masked.bytes(), "dropped and masked differ");
  append(bytes, dropped);
  return bytes;
}

template <class T>
Bytes norms(std::int64_t count) {
  Bytes bytes;
  if (count == 0) return bytes;
  const std::vector<T> x = numbers<T>(count, 1);
  const std::vector<T> w = numbers<T>(count, 2);
  const std::vector<T> b = numbers<T>(count, 3);
  const std::vector<T> g = numbers<T>(count, 4);
  for (const RowStatistics<T> row :
       {layer_norm_statistics(x.data(), count, T(1e-5)), rms_norm_statistics(x.data(), count, T(1e-5))}) {
    append_value(bytes, row.mean);
    append_value(bytes, row.reciprocal);
    for (const T* bias : {b.data(), static_cast<const T*>(nullptr)}) {
      Written<T> y(x);
      normalize(x.data(), row, w.data(), bias, y.data(), count);
      append(bytes, y);
    }
    for (const bool with_mean : {false, true}) {
      Written<T> grad(g);
      normalize_backward(x.data(), row, w.data(), g.data(), grad.data(), count, with_mean);
      Written<T> in_place(g);
      normalize_backward(x.data(), row, w.data(), in_place.data(), in_place.data(), count, with_mean);
      require_kernel(grad.bytes() == in_place.bytes(), "grad and in_place differ");
      append(bytes, grad);
    }
    Written<T> grad_weight(w);
    Written<T> grad_bias(b);
    add_norm_gradients(x.data(), row, g.data(), count / 3, count, grad_weight.data(), grad_bias.data());
    append(bytes, grad_weight);
    append(bytes, grad_bias);
  }
  return bytes;
}

// Of a block with so many rows and columns.
template <class T>
Bytes attention(std::int64_t count) {
  Bytes bytes;
  const std::int64_t size = std::min(count, attend_block<T>);
  if (size == 0) return bytes;
  const std::size_t all = static_cast<std::size_t>(attend_block<T> * attend_block<T>);
  const std::vector<T> scores = numbers<T>(static_cast<std::int64_t>(all), 1);
  const std::vector<T> by_row = numbers<T>(attend_block<T>, 2);
  for (const Block block : {Block{size, size, true}, Block{size, attend_block<T>, false}}) {
    Written<T> s(scores);
    std::vector<Running<T>> running(static_cast<std::size_t>(size), {-std::numeric_limits<T>::infinity(), T(0)});
    Written<T> shrunk(by_row);
    soften(s.data(), block, T(0.2), running.data(), shrunk.data());
    append(bytes, s);
    append(bytes, shrunk);
    for (const Running<T>& each : running) {
      append_value(bytes, each.most);
      append_value(bytes, each.sum);
    }
    Written<T> p(scores);
    probabilities(p.data(), attend_block<T>, block, T(0.2), by_row.data());
    Written<T> grad(numbers<T>(static_cast<std::int64_t>(all), 3));
    score_gradients(p.data(), block, by_row.data(), T(0.2), grad.data());
    append(bytes, p);
    append(bytes, grad);
  }
  Written<T> sums(by_row);
  row_products(scores.data(), scores.data() + 1, attend_block<T>, size - 1, size, sums.data());
  append(bytes, sums);
  Written<T> scaled(scores);
  scale_rows(scaled.data(), attend_block<T>, size, size, by_row.data());
  turn(scaled.data(), scores.data(), size / 2 * 2, false);
  turn(scaled.data() + attend_block<T>, scores.data(), size / 2 * 2, true);
  append(bytes, scaled);
  return bytes;
}

}  // namespace ckpt::engine::test
