// y = x W + b, in blocks of rows: the matrix products of layers, in parts that the shapes determine. Parts are long, because
// short products reach only a fraction of the rate of long ones.
#pragma once

#include <cstdint>

#include "base/thread_pool.h"
#include "engine/layer.h"

namespace ckpt::engine {

// W [inputs, outputs] and b [outputs] of a layer. Call only during a BlasSession.
class Projection {
 public:
  Projection(std::int64_t inputs, std::int64_t outputs) : inputs_(inputs), outputs_(outputs) {}

  // addend: nullptr, or [rows, outputs], which is added; may be y.
  template <class T>
  void forward(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* weight, const T* bias, const T* addend, T* y) const;
  // grad_x = grad_y W^T.
  template <class T>
  void input_gradient(base::ThreadPool& pool, std::int64_t rows, const T* grad_y, const T* weight, T* grad_x) const;
  // Adds to the gradients of W and b.
  template <class T>
  void add_gradients(base::ThreadPool& pool, std::int64_t rows, const T* x, const T* grad_y, T* grad_weight, T* grad_bias) const;

 private:
  std::int64_t inputs_;
  std::int64_t outputs_;
};

// Returns the rows of one part of a product with this many rows.
std::int64_t rows_of_product_part(std::int64_t rows);

// grad_weight[inputs, outputs] += x^T grad_y, x [rows, inputs], grad_y [rows, outputs].
template <class T>
void add_weight_gradient(base::ThreadPool& pool, std::int64_t rows, std::int64_t inputs, std::int64_t outputs, const T* x,
                         const T* grad_y, T* grad_weight);

}  // namespace ckpt::engine
