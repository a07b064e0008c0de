// Basic tensor arithmetic; operations that need a matrix product are in the engine. F32 and F64 only, other dtypes fail with
// Error(unsupported). Results are bitwise identical on every machine and for every number of threads: the shape alone fixes the
// order of additions. Not thread-safe.
#pragma once

#include "tensor/tensor.h"

namespace ckpt::tensor {

// Sets every element to value, rounded to the dtype. NaN and infinities are allowed; a finite value outside the dtype's range
// fails with Error(out_of_range).
void fill(Tensor& target, double value);

// target = factor * target, in the dtype's precision. factor must be finite and within the dtype's range.
void scale(Tensor& target, double factor);

// target = target + factor * source, with two roundings in the dtype's precision. Same dtype and shape.
void add_scaled(Tensor& target, double factor, const Tensor& source);

// Sums in F64 for both dtypes, by pairwise summation (Higham, "The accuracy of floating point summation", SIAM J. Sci. Comput.
// 14, 1993).
double sum(const Tensor& tensor);
// Sums a[i] * b[i] in the same way. Same dtype and shape.
double dot(const Tensor& a, const Tensor& b);

// The next two functions accept every dtype. copy: same dtype and shape; the memory may overlap.
void copy(Tensor& target, const Tensor& source);
// Compares dtype, shape and bytes: a NaN equals the same NaN, and 0 differs from -0.
bool bit_equal(const Tensor& a, const Tensor& b) noexcept;

}  // namespace ckpt::tensor
