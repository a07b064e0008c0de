#include "engine/norm_kernels.h"

#include <cmath>

#include "engine/kernel_math.h"

namespace ckpt::engine {
namespace {

// In two passes: the variance is computed after subtracting the mean.
template <class T>
CKPT_INLINE RowStatistics<T> layer_norm_statistics_body(const T* x, std::int64_t width, T epsilon) {
  const T mean = lane_sum<T>(width, [=](std::int64_t i) { return x[i]; }) / static_cast<T>(width);
  const T variance = lane_sum<T>(width, [=](std::int64_t i) { return (x[i] - mean) * (x[i] - mean); }) / static_cast<T>(width);
  return {mean, T(1) / std::sqrt(variance + epsilon)};
}

template <class T>
CKPT_INLINE RowStatistics<T> rms_norm_statistics_body(const T* x, std::int64_t width, T epsilon) {
  const T square = lane_sum<T>(width, [=](std::int64_t i) { return x[i] * x[i]; }) / static_cast<T>(width);
  return {T(0), T(1) / std::sqrt(square + epsilon)};
}

template <class T>
CKPT_INLINE void normalize_body(const T* x, RowStatistics<T> row, const T* weight, const T* bias, T* y, std::int64_t width) {
  if (bias == nullptr) {
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < width; ++i) y[i] = (x[i] - row.mean) * row.reciprocal * weight[i];
  } else {
    CKPT_ELEMENTWISE for (std::int64_t i = 0; i < width; ++i) y[i] = (x[i] - row.mean) * row.reciprocal * weight[i] + bias[i];
  }
}

// With u = (x - mean) r and g = grad_y weight: grad_x = r (g - mean(g) - u mean(g u)); without a mean, the term mean(g) is
// omitted.
template <class T>
CKPT_INLINE void normalize_backward_body(const T* x, RowStatistics<T> row, const T* weight, const T* grad_y, T* grad_x,
                                         std::int64_t width, bool with_mean) {
  const auto along = [=](std::int64_t i) { return grad_y[i] * weight[i] * ((x[i] - row.mean) * row.reciprocal); };
  const T slope = lane_sum<T>(width, along) / static_cast<T>(width);
  const T shift =
      with_mean ? lane_sum<T>(width, [=](std::int64_t i) { return grad_y[i] * weight[i]; }) / static_cast<T>(width) : T(0);
  CKPT_ELEMENTWISE for (std::int64_t i = 0; i < width; ++i) {
    const T u = (x[i] - row.mean) * row.reciprocal;
    grad_x[i] = row.reciprocal * (grad_y[i] * weight[i] - shift - u * slope);
  }
}

template <class T>
CKPT_INLINE void add_norm_gradients_body(const T* x, RowStatistics<T> row, const T* grad_y, std::int64_t begin, std::int64_t end,
                                         T* grad_weight, T* grad_bias) {
  CKPT_ELEMENTWISE for (std::int64_t i = begin; i < end; ++i) grad_weight[i] += grad_y[i] * ((x[i] - row.mean) * row.reciprocal);
  if (grad_bias == nullptr) return;
  CKPT_ELEMENTWISE for (std::int64_t i = begin; i < end; ++i) grad_bias[i] += grad_y[i];
}

}  // namespace

CKPT_KERNEL(RowStatistics<float>, layer_norm_statistics, (const float* x, std::int64_t width, float epsilon), (x, width, epsilon))
CKPT_KERNEL(RowStatistics<double>, layer_norm_statistics, (const double* x, std::int64_t width, double epsilon),
            (x, width, epsilon))
CKPT_KERNEL(RowStatistics<float>, rms_norm_statistics, (const float* x, std::int64_t width, float epsilon), (x, width, epsilon))
CKPT_KERNEL(RowStatistics<double>, rms_norm_statistics, (const double* x, std::int64_t width, double epsilon), (x, width, epsilon))
CKPT_KERNEL(void, normalize,
            (const float* x, RowStatistics<float> row, const float* weight, const float* bias, float* y, std::int64_t width),
            (x, row, weight, bias, y, width))
CKPT_KERNEL(void, normalize,
            (const double* x, RowStatistics<double> row, const double* weight, const double* bias, double* y, std::int64_t width),
            (x, row, weight, bias, y, width))
CKPT_KERNEL(void, normalize_backward,
            (const float* x, RowStatistics<float> row, const float* weight, const float* grad_y, float* grad_x, std::int64_t width,
             bool with_mean),
            (x, row, weight, grad_y, grad_x, width, with_mean))
CKPT_KERNEL(void, normalize_backward,
            (const double* x, RowStatistics<double> row, const double* weight, const double* grad_y, double* grad_x,
             std::int64_t width, bool with_mean),
            (x, row, weight, grad_y, grad_x, width, with_mean))
CKPT_KERNEL(void, add_norm_gradients,
            (const float* x, RowStatistics<float> row, const float* grad_y, std::int64_t begin, std::int64_t end,
             float* grad_weight, float* grad_bias),
            (x, row, grad_y, begin, end, grad_weight, grad_bias))
CKPT_KERNEL(void, add_norm_gradients,
            (const double* x, RowStatistics<double> row, const double* grad_y, std::int64_t begin, std::int64_t end,
             double* grad_weight, double* grad_bias),
            (x, row, grad_y, begin, end, grad_weight, grad_bias))

}  // namespace ckpt::engine
