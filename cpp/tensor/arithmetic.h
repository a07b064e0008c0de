// The little arithmetic that tensors know: whatever needs a matrix product belongs to the engine. F32 and F64 only, other dtypes
// fail with Error(unsupported). Results are the same on every machine and for every number of threads: the order of all additions
// is fixed by the shape. Not synchronised.
#pragma once

#include "tensor/tensor.h"

namespace ckpt::tensor {

// Every element becomes value, rounded to the dtype. NaN and infinities are allowed; a finite value that the dtype cannot hold
// fails with Error(out_of_range).
void fill(Tensor& target, double value);

// target = factor * target, in the dtype's own precision. factor must be finite and within the dtype's range.
void scale(Tensor& target, double factor);

// target = target + factor * source, two roundings in the dtype's own precision. Same dtype and shape.
void add_scaled(Tensor& target, double factor, const Tensor& source);

// In F64 for both dtypes, by pairwise summation (Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput. 14,
// 1993).
double sum(const Tensor& tensor);
// Sum of a[i] * b[i], as sum() adds. Same dtype and shape.
double dot(const Tensor& a, const Tensor& b);

// These two know every dtype. copy: same dtype and shape; the memory may overlap.
void copy(Tensor& target, const Tensor& source);
// Same dtype, shape and bytes. So NaN equals the same NaN, and 0 does not equal -0.
bool bit_equal(const Tensor& a, const Tensor& b) noexcept;

}  // namespace ckpt::tensor
