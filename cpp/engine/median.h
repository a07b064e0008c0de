// Returns the median of a few numbers.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ckpt::engine {

// For an even count, the lower of the two middle ones. count >= 1.
template <class Number>
Number median(std::vector<Number> numbers) {
  const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>((numbers.size() - 1) / 2);
  std::nth_element(numbers.begin(), middle, numbers.end());
  return *middle;
}

}  // namespace ckpt::engine
