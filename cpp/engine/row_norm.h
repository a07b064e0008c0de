// The norm of each row: layer norm or RMS norm, for the layers that contain one.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "engine/layer.h"
#include "engine/norm_kernels.h"

namespace ckpt::engine {

// Statistics are values_a_row() numbers per row. bias and grad_bias are not read if the norm has no bias.
class RowNorm {
 public:
  RowNorm(Norm kind, std::int64_t width, double epsilon) : kind_(kind), width_(width), epsilon_(epsilon) {}

  bool has_bias() const { return kind_ == Norm::layer_norm; }
  std::int64_t values_a_row() const { return kind_ == Norm::layer_norm ? 2 : 1; }

  // y nullptr: only the statistics; statistics nullptr: they are not kept.
  template <class T>
  void forward(base::ThreadPool& pool, std::int64_t rows, const T* x, T* statistics, const T* weight, const T* bias, T* y) const;
  // Computes the same y from kept statistics.
  template <class T>
  void again(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* weight, const T* bias,
             T* y) const;
  // grad_x = gradient through the norm, plus addend (nullptr: nothing); grad_x may be grad_y.
  template <class T>
  void input_gradient(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* weight, const T* grad_y,
                      const T* addend, T* grad_x) const;
  // Adds to the gradients of weight and bias.
  template <class T>
  void add_gradients(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* statistics, const T* grad_y, T* grad_weight,
                     T* grad_bias) const;

 private:
  template <class T>
  RowStatistics<T> statistics_of(const T* row) const;

  Norm kind_;
  std::int64_t width_;
  double epsilon_;
};

}  // namespace ckpt::engine
