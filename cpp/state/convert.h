// Elements of one type as those of another, one by one: integers of 8 to 64 bits and floating-point numbers of 16 to 64.
#pragma once

#include <cstddef>

#include "state/load_options.h"
#include "tensor/dtype.h"

namespace ckpt::state {

// Converts count elements and returns count; or the number of the first that the other type has no place for, and may have written
// those before it. to may be nullptr: nothing is written. Neither needs to be aligned.
using Converter = std::size_t (*)(const std::byte* from, std::byte* to, std::size_t count);

// nullptr when how does not permit it. Floating point is rounded to the nearest, ties to even; infinities and NaNs stay what they
// are; a finite number does not become an infinity; integers come from whole numbers only.
Converter find_converter(tensor::Dtype from, tensor::Dtype to, Conversion how);

}  // namespace ckpt::state
