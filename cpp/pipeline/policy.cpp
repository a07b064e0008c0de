#include "pipeline/policy.h"

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "strategy/resident.h"

namespace ckpt::pipeline {

using base::require;

namespace {

// Returns true if memory pressure can change this strategy's answers from no to yes, because of a memory-aware strategy in it.
// is_inverted: an odd number of "not" surrounds this one.
bool keeps_more_under_pressure(const strategy::Strategy& strategy, bool is_inverted = false) {
  const strategy::Parameters parameters = strategy.parameters();
  if (parameters.kind == "memory-aware") return !is_inverted;
  const bool inverts = parameters.kind == "not";
  return std::ranges::any_of(parameters.children,
                             [&](const auto& child) { return keeps_more_under_pressure(*child, is_inverted != inverts); });
}

}  // namespace

void check(const Policy& policy) {
  const auto kind = static_cast<std::int32_t>(policy.kind);
  require(kind >= 1 && kind <= 6, "policy.kind is ", kind, "; expected 1 .. 6 (CKPT_ACTIVATION_*)");
  require(policy.interval >= 0, "policy.interval is ", policy.interval, "; expected at least 0 (0: all)");
  require(policy.threshold_bytes >= 0, "policy.threshold_bytes is ", policy.threshold_bytes, "; expected at least 0");
  require(policy.memory_limit_bytes >= 0, "policy.memory_limit_bytes is ", policy.memory_limit_bytes,
          "; expected at least 0 (0: the memory available to the process)");
  if (policy.kind != Policy::Kind::strategy) return;
  require(policy.strategy != nullptr, "policy.strategy is NULL");
  // memory-aware answers yes more often under pressure, but here a yes keeps an activation.
  const bool is_itself = policy.strategy->parameters().kind == "memory-aware";
  require(!keeps_more_under_pressure(*policy.strategy), "policy.strategy ", is_itself ? "is" : "contains",
          " memory-aware, which would keep more under pressure; expected its inverse, as not(memory-aware), or the policy kind ",
          "AUTOMATIC");
}

std::string to_text(const Policy& policy) {
  switch (policy.kind) {
    case Policy::Kind::store_all: return "store-all";
    case Policy::Kind::recompute_all: return "recompute-all";
    case Policy::Kind::selective: return base::cat("selective(", policy.interval, ")");
    case Policy::Kind::memory_based: return base::cat("memory-based(", policy.threshold_bytes, ")");
    case Policy::Kind::strategy: return policy.strategy->name();
    case Policy::Kind::automatic: return "automatic";
  }
  return "unknown";
}

Policy policy_for_pressure(const Policy& automatic, const Pressure& pressure, std::int64_t stages) {
  Policy policy = automatic;
  policy.is_picked = true;
  policy.threshold_bytes = pressure.left_bytes() / stages;
  const double share = pressure.share();
  if (share < 0.5) {
    policy.kind = Policy::Kind::store_all;
  } else if (share < 0.7) {
    policy.kind = Policy::Kind::selective;
    policy.interval = std::max<std::int64_t>(2, policy.interval);
  } else if (share < 0.9) {
    policy.kind = Policy::Kind::memory_based;
    policy.interval = std::max<std::int64_t>(2, policy.interval);
    policy.threshold_bytes = std::min(policy.threshold_bytes, automatic.threshold_bytes);
  } else {
    policy.kind = Policy::Kind::recompute_all;
  }
  return policy;
}

std::string to_text(const Pressure& pressure) {
  return base::cat(std::round(pressure.share() * 1000) / 1000, ": ", pressure.used_bytes, " of ", pressure.total_bytes, " bytes ",
                   pressure.of_tracker ? "live in the tracker" : "resident");
}

Pressure pressure_of(const memory::Tracker& tracker, std::int64_t total_bytes, std::int64_t own_bytes) {
  const std::int64_t limit = tracker.limit().bytes;
  const std::optional<std::int64_t> resident = limit > 0 ? std::nullopt : strategy::resident_bytes();
  if (!resident) return {true, tracker.stats().current_bytes, std::max<std::int64_t>(1, limit > 0 ? limit : total_bytes)};
  return {false, std::max<std::int64_t>(0, *resident - own_bytes), std::max<std::int64_t>(1, total_bytes)};
}

}  // namespace ckpt::pipeline
