#include "plan/budget.h"

#include <algorithm>
#include <limits>
#include <string>
#include <tuple>
#include <vector>

#include "base/error.h"
#include "base/log.h"
#include "plan/placement.h"
#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

// Runs of layers that are looked at for recompute-all, and again for all periodic schedules together: some tenths of a second.
constexpr std::int64_t most_runs = std::int64_t{1} << 21;

struct Candidate {
  std::shared_ptr<const Schedule> schedule;
  PlanReport report;
};

class Candidates {
 public:
  explicit Candidates(const ChainProfile& profile) : profile_(profile) {
    consider(make_store_all(profile));
    consider_periodic();
    consider_recompute_all();
    const auto cost = [](const Candidate& each) { return std::tie(each.report.seconds, each.report.recomputed_forwards); };
    std::stable_sort(all_.begin(), all_.end(), [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); });
  }

  // The cheapest first.
  const std::vector<Candidate>& all() const { return all_; }

  // In one line; "" when nothing was.
  std::string left_out() const {
    std::string text = too_long_;
    if (unfit_ > 0) {
      text += base::cat(text.empty() ? "" : "; ", unfit_, unfit_ == 1 ? " schedule that does" : " schedules that do",
                        " not fit this chain (", why_unfit_, ")");
    }
    return text;
  }

 private:
  void consider(std::shared_ptr<const Schedule> schedule) {
    try {
      const PlanReport report = verify(*schedule, profile_);
      all_.push_back({std::move(schedule), report});
    } catch (const base::Error& error) {
      if (error.status() != base::Status::invalid_schedule) throw;
      if (unfit_++ == 0) why_unfit_ = base::cat(schedule->name(), ": ", error.message());
    }
  }

  // Each runs layers twice at most. For long chains every number of segments up to 32, then numbers that grow by an eighth.
  void consider_periodic() {
    const std::int64_t layers = profile_.layers();
    const bool every = layers <= most_runs / (2 * layers);
    std::int64_t tried = 0;
    for (std::int64_t segments = 2; segments <= layers; segments += every || segments < 32 ? 1 : segments / 8, ++tried)
      consider(make_periodic(profile_, segments));
    if (!every)
      leave_out(base::cat(layers - 1 - tried, " of ", layers - 1, " periodic schedules, of which ", tried, " were tried"));
  }

  void consider_recompute_all() {
    const std::int64_t layers = profile_.layers();
    if (layers <= 2 * most_runs / layers) return consider(make_recompute_all(profile_));
    leave_out(base::cat("recompute-all, which runs layers more than ", most_runs, " times"));
  }

  void leave_out(const std::string& what) { too_long_ += base::cat(too_long_.empty() ? "" : "; ", what); }

  const ChainProfile& profile_;
  std::vector<Candidate> all_;
  std::string too_long_;
  std::int64_t unfit_ = 0;
  std::string why_unfit_;  // the first one
};

std::int64_t smallest_budget(std::vector<Candidate> all, const ChainProfile& profile) {
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.report.peak_bytes[0] < b.report.peak_bytes[0]; });
  for (const Candidate& each : all) {
    // An arena is never smaller than what lives in it.
    if (each.report.peak_bytes[0] < smallest) smallest = std::min(smallest, arena_bytes(*each.schedule, profile));
  }
  return smallest;
}

std::shared_ptr<const Schedule> chosen(const Candidate& candidate, std::int64_t budget_bytes, std::int64_t reserved,
                                       const std::string& left_out) {
  const PlanReport& report = candidate.report;
  base::log(base::LogLevel::info, "plan",
            base::cat("schedule ", base::quoted(candidate.schedule->name()), " for a budget of ", budget_bytes, " bytes: reserves ",
                      reserved, ", live at most ", report.peak_bytes[0], ", ", report.seconds, " s, ", report.recomputed_forwards,
                      " forwards again", left_out.empty() ? "" : "; left out: ", left_out));
  return left_out.empty() ? candidate.schedule : with_left_out(*candidate.schedule, left_out);
}

}  // namespace

std::shared_ptr<const Schedule> make_for_budget(const ChainProfile& profile, std::int64_t budget_bytes) {
  base::require(budget_bytes > 0, "budget_bytes is ", budget_bytes, "; at least 1");
  profile.require_complete();
  const Candidates candidates(profile);
  const std::string left_out = candidates.left_out();
  for (const Candidate& each : candidates.all()) {
    if (each.report.peak_bytes[0] > budget_bytes) continue;
    const std::int64_t reserved = arena_bytes(*each.schedule, profile);
    if (reserved <= budget_bytes) return chosen(each, budget_bytes, reserved, left_out);
  }
  base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for this chain is ",
             smallest_budget(candidates.all(), profile), left_out.empty() ? "" : "; left out: ", left_out);
}

}  // namespace ckpt::plan
