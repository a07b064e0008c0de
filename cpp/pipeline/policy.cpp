#include "pipeline/policy.h"

#include <algorithm>

#include "base/error.h"
#include "memory/probe.h"

namespace ckpt::pipeline {

using base::require;

void check(const Policy& policy) {
  const auto kind = static_cast<std::int32_t>(policy.kind);
  require(kind >= 1 && kind <= 6, "policy.kind is ", kind, "; 1 .. 6 (CKPT_ACTIVATION_*)");
  require(policy.interval >= 0, "policy.interval is ", policy.interval, "; at least 0 (0: all)");
  require(policy.threshold_bytes >= 0, "policy.threshold_bytes is ", policy.threshold_bytes, "; at least 0");
  require(policy.kind != Policy::Kind::strategy || policy.strategy != nullptr, "policy.strategy is NULL");
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

Policy policy_for_pressure(const Policy& automatic, double pressure) {
  Policy policy = automatic;
  if (pressure < 0.5) {
    policy.kind = Policy::Kind::store_all;
  } else if (pressure < 0.7) {
    policy.kind = Policy::Kind::selective;
    policy.interval = std::max<std::int64_t>(2, policy.interval);
  } else if (pressure < 0.9) {
    policy.kind = Policy::Kind::memory_based;
  } else {
    policy.kind = Policy::Kind::recompute_all;
  }
  return policy;
}

double pressure_of(const memory::Tracker& tracker) {
  const std::int64_t limit = tracker.limit().bytes;
  const std::int64_t bytes = limit > 0 ? limit : memory::probe_system_memory().total_bytes;
  return static_cast<double>(tracker.stats().current_bytes) / static_cast<double>(std::max<std::int64_t>(1, bytes));
}

}  // namespace ckpt::pipeline
