#include "engine/attend_kernels.h"

#include <algorithm>

#include "engine/kernel_math.h"

namespace ckpt::engine {
namespace {

template <class T>
CKPT_INLINE void update_softmax_body(T* scores, Block block, T scale, Running<T>* running, T* shrunk) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    T* const s = scores + row * attend_block<T>;
    const std::int64_t seen = block.seen(row);
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < seen; ++i) s[i] *= scale;
    const T max = lane_max(s, seen, running[row].max);
    shrunk[row] = fast_exp(running[row].max - max);
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < seen; ++i) s[i] = fast_exp(s[i] - max);
    std::fill(s + seen, s + block.columns, T(0));
    running[row] = {max, running[row].sum * shrunk[row] + lane_sum<T>(seen, [=](std::int64_t i) { return s[i]; })};
  }
}

template <class T>
CKPT_INLINE void probabilities_body(T* scores, std::int64_t stride, Block block, T scale, const T* log_sums) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    T* const s = scores + row * stride;
    const T log_sum = log_sums[row];
    const std::int64_t seen = block.seen(row);
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < seen; ++i) s[i] = fast_exp(s[i] * scale - log_sum);
    std::fill(s + seen, s + block.columns, T(0));
  }
}

template <class T>
CKPT_INLINE void score_gradients_body(const T* p, Block block, const T* shift, T scale, T* grad) {
  for (std::int64_t row = 0; row < block.rows; ++row) {
    const T* const from = p + row * attend_block<T>;
    T* const to = grad + row * attend_block<T>;
    const T by = shift[row];
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < block.columns; ++i) to[i] = from[i] * (to[i] - by) * scale;
  }
}

template <class T>
CKPT_INLINE void row_products_body(const T* a, const T* b, std::int64_t stride, std::int64_t rows, std::int64_t columns, T* sums) {
  for (std::int64_t row = 0; row < rows; ++row) {
    const T* const x = a + row * stride;
    const T* const y = b + row * stride;
    sums[row] = lane_sum<T>(columns, [=](std::int64_t i) { return x[i] * y[i]; });
  }
}

template <class T>
CKPT_INLINE void scale_rows_body(T* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, const T* factors) {
  for (std::int64_t row = 0; row < rows; ++row) {
    T* const to = x + row * stride;
    const T factor = factors[row];
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < columns; ++i) to[i] *= factor;
  }
}

// Deinterleaves even and odd elements: with interleaved ones, GCC 12 contracts to fused operations for AVX-512 despite
// -ffp-contract=off, which changes the bits.
template <class T>
CKPT_INLINE void rotate_body(T* x, const T* rotations, std::int64_t width, bool back) {
  constexpr int pairs = 16;
  const T way = back ? T(-1) : T(1);
  for (std::int64_t first = 0; first < width; first += std::int64_t{2} * pairs) {
    const std::int64_t here = std::min<std::int64_t>(pairs, (width - first) / 2);
    T* const at = x + first;
    const T* const rotation = rotations + first;
    T even[pairs];
    T odd[pairs];
    for (std::int64_t i = 0; i < here; ++i) even[i] = at[2 * i] * rotation[2 * i] - at[2 * i + 1] * (way * rotation[2 * i + 1]);
    for (std::int64_t i = 0; i < here; ++i) odd[i] = at[2 * i] * (way * rotation[2 * i + 1]) + at[2 * i + 1] * rotation[2 * i];
    for (std::int64_t i = 0; i < here; ++i) {
      at[2 * i] = even[i];
      at[2 * i + 1] = odd[i];
    }
  }
}

}  // namespace

CKPT_KERNEL(void, update_softmax, (float* scores, Block block, float scale, Running<float>* running, float* shrunk),
            (scores, block, scale, running, shrunk))
CKPT_KERNEL(void, update_softmax, (double* scores, Block block, double scale, Running<double>* running, double* shrunk),
            (scores, block, scale, running, shrunk))
CKPT_KERNEL(void, probabilities, (float* scores, std::int64_t stride, Block block, float scale, const float* log_sums),
            (scores, stride, block, scale, log_sums))
CKPT_KERNEL(void, probabilities, (double* scores, std::int64_t stride, Block block, double scale, const double* log_sums),
            (scores, stride, block, scale, log_sums))
CKPT_KERNEL(void, score_gradients, (const float* p, Block block, const float* shift, float scale, float* grad),
            (p, block, shift, scale, grad))
CKPT_KERNEL(void, score_gradients, (const double* p, Block block, const double* shift, double scale, double* grad),
            (p, block, shift, scale, grad))
CKPT_KERNEL(void, row_products,
            (const float* a, const float* b, std::int64_t stride, std::int64_t rows, std::int64_t columns, float* sums),
            (a, b, stride, rows, columns, sums))
CKPT_KERNEL(void, row_products,
            (const double* a, const double* b, std::int64_t stride, std::int64_t rows, std::int64_t columns, double* sums),
            (a, b, stride, rows, columns, sums))
CKPT_KERNEL(void, scale_rows, (float* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, const float* factors),
            (x, stride, rows, columns, factors))
CKPT_KERNEL(void, scale_rows, (double* x, std::int64_t stride, std::int64_t rows, std::int64_t columns, const double* factors),
            (x, stride, rows, columns, factors))
CKPT_KERNEL(void, rotate, (float* x, const float* rotations, std::int64_t width, bool back), (x, rotations, width, back))
CKPT_KERNEL(void, rotate, (double* x, const double* rotations, std::int64_t width, bool back), (x, rotations, width, back))

}  // namespace ckpt::engine
