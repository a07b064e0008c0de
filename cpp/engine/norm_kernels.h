// Normalization of rows: y = (x - mean) / deviation * weight + bias, or without mean and bias. Sums have 16 lanes, folded in a
// fixed order, so the instruction set does not change results.
#pragma once

#include <cstdint>

namespace ckpt::engine {

// The statistics of a row that backward needs: its mean (0 if none is subtracted) and the reciprocal of its deviation.
template <class T>
struct RowStatistics {
  T mean = 0;
  T reciprocal = 0;
};

RowStatistics<float> layer_norm_statistics(const float* x, std::int64_t width, float epsilon);
RowStatistics<double> layer_norm_statistics(const double* x, std::int64_t width, double epsilon);
RowStatistics<float> rms_norm_statistics(const float* x, std::int64_t width, float epsilon);
RowStatistics<double> rms_norm_statistics(const double* x, std::int64_t width, double epsilon);

// bias: nullptr for none.
void normalize(const float* x, RowStatistics<float> row, const float* weight, const float* bias, float* y, std::int64_t width);
void normalize(const double* x, RowStatistics<double> row, const double* weight, const double* bias, double* y, std::int64_t width);

// grad_x of a row; with_mean: the mean was subtracted.
void normalize_backward(const float* x, RowStatistics<float> row, const float* weight, const float* grad_y, float* grad_x,
                        std::int64_t width, bool with_mean);
void normalize_backward(const double* x, RowStatistics<double> row, const double* weight, const double* grad_y, double* grad_x,
                        std::int64_t width, bool with_mean);

// Adds a row's contribution for columns begin .. end-1 to the gradients of weight and bias (nullptr for none).
void add_norm_gradients(const float* x, RowStatistics<float> row, const float* grad_y, std::int64_t begin, std::int64_t end,
                        float* grad_weight, float* grad_bias);
void add_norm_gradients(const double* x, RowStatistics<double> row, const double* grad_y, std::int64_t begin, std::int64_t end,
                        double* grad_weight, double* grad_bias);

}  // namespace ckpt::engine
