#include "strategy/custom.h"

#include "base/error.h"
#include "strategy/composite.h"

namespace ckpt::strategy {
namespace {

// Custom decisions that are under way on this thread, one inside the other.
constinit thread_local int open_decisions = 0;

struct OpenDecision {
  OpenDecision() { ++open_decisions; }
  ~OpenDecision() { --open_decisions; }
  OpenDecision(const OpenDecision&) = delete;
  OpenDecision& operator=(const OpenDecision&) = delete;
};

}  // namespace

Custom::Custom(CustomHooks hooks) : hooks_(std::move(hooks)) {
  base::require_name("name", hooks_.name);
  base::require(hooks_.decide != nullptr, "decide is NULL");
}

bool Custom::decide(std::string_view layer_name, const Activation& activation, std::int64_t layer_index) {
  const OpenDecision open;
  if (open_decisions > deepest_nesting) {
    base::fail(base::Status::invalid_state, "strategy ", base::quoted(hooks_.name), " asks itself in a circle");
  }
  return hooks_.decide(layer_name, activation, layer_index);
}

void Custom::observe_access(std::string_view layer_name) {
  if (hooks_.access) hooks_.access(layer_name);
}

void Custom::forget() {
  if (hooks_.reset) hooks_.reset();
}

}  // namespace ckpt::strategy
