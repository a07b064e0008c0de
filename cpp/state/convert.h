// Converts elements between types: integers of 8 to 64 bits and floating-point numbers of 16 to 64 bits.
#pragma once

#include <cstddef>

#include "state/load_options.h"
#include "tensor/dtype.h"

namespace ckpt::state {

// Converts count elements and returns count. If an element cannot be represented, returns its index; the elements before it may
// have been written. to: nullptr checks without writing. Neither pointer needs to be aligned.
using Converter = std::size_t (*)(const std::byte* from, std::byte* to, std::size_t count);

// Returns nullptr if `how` does not permit the conversion. Floating point is rounded to nearest, ties to even; infinities and NaNs
// are preserved; a finite number never becomes an infinity; integers are converted only from integral values.
Converter find_converter(tensor::Dtype from, tensor::Dtype to, Conversion how);

}  // namespace ckpt::state
