#include "strategy/custom.h"

#include "base/error.h"
#include "strategy/inside.h"

namespace ckpt::strategy {

Custom::Custom(CustomHooks hooks) : hooks_(std::move(hooks)) {
  base::require_name("name", hooks_.name);
  base::require(hooks_.decide != nullptr, "decide is NULL");
}

bool Custom::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const Inside inside(this);
  return hooks_.decide(layer_name, activation, layer_index);
}

void Custom::observe_access(std::string_view layer_name) {
  const Inside inside(this);
  if (hooks_.access) hooks_.access(layer_name);
}

void Custom::clear_state() {
  const Inside inside(this);
  if (hooks_.reset) hooks_.reset();
}

}  // namespace ckpt::strategy
