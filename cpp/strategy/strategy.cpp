#include "strategy/strategy.h"

#include "base/error.h"

namespace ckpt::strategy {

void Strategy::refuse(std::string_view layer_name, std::int64_t layer_index) {
  base::require(!layer_name.empty(), "layer_name is empty");
  base::fail(base::Status::invalid_argument, "layer_index is ", layer_index, "; at least 0");
}

void Strategy::refuse_text(std::string_view what) const {
  base::fail(base::Status::unsupported, "text cannot say what this strategy of kind ", parameters().kind, " has: ", what);
}

}  // namespace ckpt::strategy
