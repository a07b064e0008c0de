#include "strategy/selective.h"

#include "base/error.h"

namespace ckpt::strategy {

Selective::Selective(std::span<const std::string> names, std::span<const std::string> excluded)
    : names_("names", names), excluded_("excluded", excluded) {
  std::string both;
  for (const std::string& name : names_.literals()) {
    if (excluded_.has_literal(name)) both += (both.empty() ? "" : ", ") + name;
  }
  base::require(both.empty(), "layers cannot be both chosen and excluded: ", both);
}

Parameters Selective::parameters() const {
  Parameters parameters{.kind = "selective"};
  parameters.names = names_.patterns();
  parameters.excluded = excluded_.patterns();
  return parameters;
}

}  // namespace ckpt::strategy
