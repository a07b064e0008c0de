#include "plan/budget.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "plan/placement.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

struct Candidate {
  std::shared_ptr<const Schedule> schedule;
  PlanReport report;
};

// recompute-all runs n(n-1)/2 forwards: past this many layers it is neither placed nor wanted.
constexpr std::int64_t longest_recompute_all = 1000;

std::vector<Candidate> candidates(const ChainProfile& profile) {
  std::vector<std::shared_ptr<const Schedule>> schedules = {make_store_all(profile)};
  for (std::int64_t segments = 2; segments <= profile.layers(); ++segments) schedules.push_back(make_periodic(profile, segments));
  if (profile.layers() <= longest_recompute_all) schedules.push_back(make_recompute_all(profile));
  std::vector<Candidate> all;
  for (auto& schedule : schedules) {
    const PlanReport report = verify(*schedule, profile);
    all.push_back({std::move(schedule), report});
  }
  return all;
}

std::int64_t reserved_bytes(const Candidate& candidate, const ChainProfile& profile) {
  return place(make_program(*candidate.schedule, profile)).arena_bytes;
}

}  // namespace

std::shared_ptr<const Schedule> make_for_budget(const ChainProfile& profile, std::int64_t budget_bytes) {
  base::require(budget_bytes > 0, "budget_bytes is ", budget_bytes, "; at least 1");
  profile.require_complete();
  std::vector<Candidate> all = candidates(profile);
  const auto cost = [](const Candidate& each) { return std::tie(each.report.seconds, each.report.recomputed_forwards); };
  std::stable_sort(all.begin(), all.end(), [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); });
  for (const Candidate& each : all) {
    if (each.report.peak_bytes[0] > budget_bytes) continue;  // an arena is never smaller than what lives in it
    if (reserved_bytes(each, profile) <= budget_bytes) return each.schedule;
  }
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.report.peak_bytes[0] < b.report.peak_bytes[0]; });
  for (const Candidate& each : all) {
    if (each.report.peak_bytes[0] < smallest) smallest = std::min(smallest, reserved_bytes(each, profile));
  }
  base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ", smallest);
}

}  // namespace ckpt::plan
