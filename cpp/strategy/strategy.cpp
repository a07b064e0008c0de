#include "strategy/strategy.h"

#include "base/error.h"

namespace ckpt::strategy {

void Strategy::refuse(std::string_view layer_name, std::int64_t layer_index) {
  base::require(!layer_name.empty(), "layer_name is empty");
  base::fail(base::Status::invalid_argument, "layer_index is ", layer_index, "; expected at least 0");
}

void Strategy::refuse_text(std::string_view what) const {
  base::fail(base::Status::unsupported, "strategy of kind ", parameters().kind, ": its text form cannot express ", what);
}

}  // namespace ckpt::strategy
