#include "engine/projection.h"

#include <algorithm>

#include "engine/blas.h"
#include "engine/kernels.h"

namespace ckpt::engine {
namespace {

constexpr std::int64_t sum_columns_per_part = 64;  // for sums over columns

std::int64_t round_up(std::int64_t value, std::int64_t to) { return (value + to - 1) / to * to; }

}  // namespace

std::int64_t rows_of_product_part(std::int64_t rows) {
  return std::clamp<std::int64_t>(round_up((rows + 7) / 8, rows_per_part), rows_per_part, 256);
}

// Works on tiles of the weight: with few inputs, whole rows would be few and short.
template <class T>
void add_weight_gradient(base::ThreadPool& pool, std::int64_t rows, std::int64_t inputs, std::int64_t outputs, const T* x,
                         const T* grad_y, T* grad_weight) {
  constexpr std::int64_t max_inputs = 512;
  const std::int64_t columns = std::clamp<std::int64_t>(round_up((outputs + 7) / 8, 64), 64, 384);
  const std::int64_t tiles_across = (outputs + columns - 1) / columns;
  const std::int64_t tiles_down = (inputs + max_inputs - 1) / max_inputs;
  pool.run(tiles_across * tiles_down, [&](std::int64_t tile) {
    const std::int64_t from = tile / tiles_across * max_inputs;
    const std::int64_t first = tile % tiles_across * columns;
    gemm(true, false, std::min(max_inputs, inputs - from), std::min(columns, outputs - first), rows, x + from, inputs,
         grad_y + first, outputs, T{1}, grad_weight + from * outputs + first, outputs);
  });
}

template <class T>
void Projection::forward(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* weight, const T* bias, const T* addend,
                         T* y) const {
  for_parts(pool, rows, rows_of_product_part(rows), [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t row = begin; row < end; ++row) {
      T* const to = y + row * outputs_;
      if (addend == nullptr) {
        std::copy_n(bias, outputs_, to);
      } else {
        if (addend != y) std::copy_n(addend + row * outputs_, outputs_, to);
        add(bias, to, outputs_);
      }
    }
    gemm(false, false, end - begin, outputs_, inputs_, x + begin * inputs_, inputs_, weight, outputs_, T{1}, y + begin * outputs_,
         outputs_);
  });
}

template <class T>
void Projection::input_gradient(base::ThreadPool& pool, std::int64_t rows, const T* grad_y, const T* weight, T* grad_x) const {
  for_parts(pool, rows, rows_of_product_part(rows), [&](std::int64_t begin, std::int64_t end) {
    gemm(false, true, end - begin, inputs_, outputs_, grad_y + begin * outputs_, outputs_, weight, outputs_, T{0},
         grad_x + begin * inputs_, inputs_);
  });
}

template <class T>
void Projection::add_gradients(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* grad_y, T* grad_weight,
                               T* grad_bias) const {
  add_weight_gradient(pool, rows, inputs_, outputs_, x, grad_y, grad_weight);
  for_parts(pool, outputs_, sum_columns_per_part,
            [&](std::int64_t begin, std::int64_t end) { add_column_sums(grad_y, rows, outputs_, begin, end, grad_bias); });
}

// NOLINTBEGIN(bugprone-macro-parentheses): types
#define CKPT_PROJECTION(T)                                                                                                \
  template void add_weight_gradient(base::ThreadPool&, std::int64_t, std::int64_t, std::int64_t, const T*, const T*, T*); \
  template void Projection::forward(base::ThreadPool&, std::int64_t, const T*, const T*, const T*, const T*, T*) const;   \
  template void Projection::input_gradient(base::ThreadPool&, std::int64_t, const T*, const T*, T*) const;                \
  template void Projection::add_gradients(base::ThreadPool&, std::int64_t, const T*, const T*, T*, T*) const;
CKPT_PROJECTION(float)
CKPT_PROJECTION(double)
#undef CKPT_PROJECTION
// NOLINTEND(bugprone-macro-parentheses)

}  // namespace ckpt::engine
