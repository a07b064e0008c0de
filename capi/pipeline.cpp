#include "pipeline.h"

#include "strategy.h"

using namespace ckpt::base;
using namespace ckpt::capi;
namespace pipeline = ckpt::pipeline;
using pipeline::Policy;

static_assert(CKPT_ACTIVATION_STORE_ALL == static_cast<int>(Policy::Kind::store_all));
static_assert(CKPT_ACTIVATION_RECOMPUTE_ALL == static_cast<int>(Policy::Kind::recompute_all));
static_assert(CKPT_ACTIVATION_SELECTIVE == static_cast<int>(Policy::Kind::selective));
static_assert(CKPT_ACTIVATION_MEMORY_BASED == static_cast<int>(Policy::Kind::memory_based));
static_assert(CKPT_ACTIVATION_STRATEGY == static_cast<int>(Policy::Kind::strategy));
static_assert(CKPT_ACTIVATION_AUTOMATIC == static_cast<int>(Policy::Kind::automatic));

namespace {

constexpr ckpt_activation_policy default_policy = CKPT_ACTIVATION_POLICY_INIT;
static_assert(default_policy.threshold_bytes == pipeline::default_threshold_bytes);

}  // namespace

// ---- Policies ----

pipeline::Policy ckpt::capi::policy_argument(const ckpt_activation_policy* policy) {
  const auto given = options_argument(policy, default_policy, sizeof(ckpt_activation_policy), "policy");
  Policy result;
  require(given.kind >= CKPT_ACTIVATION_STORE_ALL && given.kind <= CKPT_ACTIVATION_AUTOMATIC, "policy.kind is ", given.kind,
          "; 1 .. 6 (CKPT_ACTIVATION_*)");
  result.kind = static_cast<Policy::Kind>(given.kind);
  result.interval = given.interval;
  result.threshold_bytes = given.threshold_bytes;
  if (given.kind == CKPT_ACTIVATION_STRATEGY) result.strategy = checked(given.strategy, "policy.strategy")->object;
  pipeline::check(result);
  return result;
}

void ckpt_activation_policy_init(ckpt_activation_policy* policy) {
  if (policy != nullptr) *policy = default_policy;
}
