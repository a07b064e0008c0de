// The middle of a few numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ckpt::engine {

// Of an even number of them the lower of the two in the middle. There is at least one.
template <class Number>
Number median(std::vector<Number> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace ckpt::engine
