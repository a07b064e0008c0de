#include "plan/budget.h"

#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>
#include <vector>

#include "base/error.h"
#include "plan/placement.h"

namespace ckpt::plan {
namespace {

// The most layer runs examined for recompute-all, and again for all periodic schedules together: a few tenths of a second.
constexpr std::int64_t max_runs = std::int64_t{1} << 21;

// Stores no schedule: a stage's schedule is a long list, and recreating it is cheap.
struct Candidate {
  SimplePlan plan;
  PlanReport report;
};

class Candidates {
 public:
  explicit Candidates(const SearchSpace& space) : space_(space) {
    consider(make_store_all);
    consider_periodic();
    consider_recompute_all();
    const auto cost = [](const Candidate& each) { return std::tie(each.report.step_seconds, each.report.recomputed_forwards); };
    std::stable_sort(all_.begin(), all_.end(), [&](const Candidate& a, const Candidate& b) { return cost(a) < cost(b); });
  }

  // Cheapest first.
  const std::vector<Candidate>& all() const { return all_; }

  // Returns one line; "" if nothing was left out.
  std::string left_out() const {
    std::string text = too_long_;
    if (unfit_ > 0) {
      text += base::cat(text.empty() ? "" : "; ", unfit_, unfit_ == 1 ? " schedule that does" : " schedules that do",
                        " not fit this chain (", why_unfit_, ")");
    }
    return text;
  }

 private:
  void consider(SimplePlan plan) {
    const SchedulePtr schedule = space_.step_by(plan);
    try {
      const PlanReport report = verify(*schedule, space_.profile);
      all_.push_back({std::move(plan), report});
    } catch (const base::Error& error) {
      if (error.status() != base::Status::invalid_schedule) throw;
      if (unfit_++ == 0) why_unfit_ = base::cat(schedule->name(), ": ", error.message());
    }
  }

  // Each candidate runs layers at most twice. For long chains: every number of segments up to 32, then numbers that grow by an
  // eighth.
  void consider_periodic() {
    const std::int64_t max = space_.longest_piece;
    const bool every = max <= max_runs / (2 * space_.layer_runs);
    std::int64_t tried = 0;
    for (std::int64_t segments = 2; segments <= max; segments += every || segments < 32 ? 1 : segments / 8, ++tried) {
      consider([segments](const ChainProfile& chain) { return make_periodic(chain, std::min(segments, chain.layers())); });
    }
    if (tried < max - 1) leave_out(base::cat(max - 1 - tried, " of ", max - 1, " periodic schedules (", tried, " were tried)"));
  }

  void consider_recompute_all() {
    if (space_.layer_runs <= 2 * max_runs / space_.longest_piece) return consider(make_recompute_all);
    leave_out(base::cat("recompute-all, which runs layers more than ", max_runs, " times"));
  }

  void leave_out(const std::string& what) { too_long_ += base::cat(too_long_.empty() ? "" : "; ", what); }

  const SearchSpace& space_;
  std::vector<Candidate> all_;
  std::string too_long_;
  std::int64_t unfit_ = 0;
  std::string why_unfit_;  // reason of the first one
};

std::int64_t smallest_budget(std::vector<Candidate> all, const SearchSpace& space) {
  if (all.empty()) return -1;
  std::int64_t smallest = std::numeric_limits<std::int64_t>::max();
  std::stable_sort(all.begin(), all.end(),
                   [](const Candidate& a, const Candidate& b) { return a.report.peak_bytes[0] < b.report.peak_bytes[0]; });
  for (const Candidate& each : all) {
    // An arena is never smaller than its live bytes.
    if (each.report.peak_bytes[0] < smallest)
      smallest = std::min(smallest, budgeted_bytes(*space.step_by(each.plan), space.profile));
  }
  return smallest;
}

std::string left_out_note(const SearchResult& result) {
  return result.left_out.empty() ? std::string() : base::cat("; left out: ", result.left_out);
}

}  // namespace

SearchResult find_cheapest(const SearchSpace& space, std::int64_t budget_bytes) {
  const Candidates candidates(space);
  SearchResult result;
  result.left_out = candidates.left_out();
  for (const Candidate& each : candidates.all()) {
    if (each.report.peak_bytes[0] <= budget_bytes) {
      SchedulePtr schedule = space.step_by(each.plan);
      const std::int64_t reserved = budgeted_bytes(*schedule, space.profile);
      if (reserved <= budget_bytes) {
        result.cheapest = Cheapest{each.plan, std::move(schedule), each.report, reserved};
        return result;
      }
    }
    ++result.too_large;
  }
  result.smallest_bytes = smallest_budget(candidates.all(), space);
  return result;
}

void fail_over_budget(const SearchResult& result, std::int64_t budget_bytes, const std::string& chain) {
  if (result.smallest_bytes < 0)
    base::fail(base::Status::invalid_schedule, chain, ": no schedule fits the chain", left_out_note(result));
  base::fail(base::Status::over_budget, "budget_bytes is ", budget_bytes, "; the smallest that works for ", chain, " is ",
             result.smallest_bytes, left_out_note(result));
}

}  // namespace ckpt::plan
