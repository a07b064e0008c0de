#include "strided.h"

#include <algorithm>
#include <cstring>

namespace ckpt::cli {

// Advances the source's index in the target's order.
void copy_strided(const char* from, const std::vector<std::int64_t>& shape, const std::vector<std::int64_t>& strides,
                  std::size_t element_bytes, char* to) {
  if (std::find(shape.begin(), shape.end(), 0) != shape.end()) return;
  std::vector<std::int64_t> index(shape.size(), 0);
  std::int64_t source = 0;
  for (bool more = true; more; to += element_bytes) {
    std::memcpy(to, from + static_cast<std::size_t>(source) * element_bytes, element_bytes);
    more = false;
    for (std::size_t d = shape.size(); d-- > 0 && !more;) {
      source += strides[d];
      more = ++index[d] < shape[d];
      if (more) break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
}

}  // namespace ckpt::cli
