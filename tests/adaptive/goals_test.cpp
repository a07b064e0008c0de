// What the automatic policy is for, measured with fixed seeds: close to Daly's interval with the true MTBF where that is best,
// better on machines whose failures cluster, cheap before it knows anything, and cheap when nothing fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <sstream>

#include "adaptive/simulation.h"
#include "base/text.h"

namespace ckpt::adaptive {
namespace {

using base::cat;

#ifdef CKPT_SANITIZED
constexpr std::int64_t fewer = 20;  // one in so many replicas
constexpr double slack = 0.01;      // for the noise that this leaves
#else
constexpr std::int64_t fewer = 1;
constexpr double slack = 0;
#endif

SimulationResult exponential(double mtbf_hours, double cost, std::int64_t failures, std::int64_t replicas) {
  SimulationOptions options;
  options.law = cat("exponential:", mtbf_hours * 3600);
  options.machine.cost = cost;
  options.machine.seed = 11;
  options.failures = failures;
  options.replicas = std::max<std::int64_t>(1, replicas / fewer);
  options.policies = "auto";
  return simulate(options);
}

TEST(AdaptiveGoals, ColdStartCostsAtMostOnePercentAtTenFailures) {
  for (const double cost : {30.0, 300.0}) {
    for (const double hours : {1.0, 1.5, 3.0, 8.0, 24.0, 100.0, 720.0}) {
      const SimulationResult result = exponential(hours, cost, 10, 1500);
      const double extra = extra_wall(result.policies[0], result.daly, 0, 10);
      EXPECT_LE(extra, 0.01 + slack) << hours << " h, cost " << cost;
      RecordProperty(cat("cold_", hours, "h_", cost), cat(100 * extra));
    }
  }
}

TEST(AdaptiveGoals, AfterAHundredFailuresDalyIsMatchedOnExponentialFailures) {
  for (const double cost : {30.0, 300.0}) {
    for (const double hours : {1.0, 6.0, 48.0}) {
      const SimulationResult result = exponential(hours, cost, 300, 100);
      const double extra = extra_wall(result.policies[0], result.daly, 100, 300);
      EXPECT_LE(extra, 0.005 + slack) << hours << " h, cost " << cost;
    }
  }
}

TEST(AdaptiveGoals, FailureFreeRunsSaveForNoLongerThanTheSquareRoot) {
  for (const double cost : {1.0, 30.0, 300.0, 1800.0}) {
    for (const double poll : {1.0, 30.0}) {
      ControllerOptions options;
      options.poll_seconds = poll;
      Controller controller(options);
      controller.begin_run(0);
      double saved = 0;
      double now = 0;
      while (now < 4e6) {
        const double due = controller.decide(now).due_seconds;
        now += poll * std::max(1.0, std::ceil((due - now) / poll - 0.5));
        while (!controller.decide(now).checkpoint) now += poll;
        controller.begin_save(now);
        now += cost;
        controller.commit_save(now, cost, cost);
        saved += cost;
        ASSERT_LE(saved, std::sqrt(2 * cost * (now + 3600))) << "cost " << cost << ", poll " << poll << ", after " << now << " s";
      }
    }
  }
}

std::string read(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(AdaptiveGoals, RealTracesAreServedBetterThanByTheTrueMtbf) {
#ifdef CKPT_SANITIZED
  GTEST_SKIP() << "SKIP: the same sums, an hour slower";
#endif
  const char* const shared = std::getenv("CKPT_SHARED");
  const std::string folder = std::string(shared == nullptr ? "." : shared) + "/traces/";
  const char* const names[] = {"lanl_sys2", "lanl_sys20", "spot_aws_v100_16node_aug2023", "titan_gpu_dbe_otb"};
  for (const auto& [cost, goal] : {std::pair{30.0, -0.003}, {300.0, -0.008}}) {
    std::vector<double> whole;
    std::vector<double> later;
    for (const char* const name : names) {
      SimulationOptions options;
      options.trace_csv = read(folder + name + ".csv");
      if (options.trace_csv.empty()) GTEST_SKIP() << "SKIP: the traces (traces/" << name << ".csv) are not on this machine";
      options.machine.cost = cost;
      options.policies = "auto";
      const SimulationResult result = simulate(options);
      whole.push_back(extra_wall(result.policies[0], result.daly, 0, result.wall.size()));
      later.push_back(extra_wall(result.policies[0], result.daly, 100, result.wall.size()));
      EXPECT_LE(whole.back(), 0.005) << name << ", cost " << cost;
      EXPECT_LE(later.back(), 0.005) << name << ", cost " << cost;
    }
    EXPECT_LE((whole[0] + whole[1] + whole[2] + whole[3]) / 4, goal) << "cost " << cost;
    EXPECT_LE((later[0] + later[1] + later[2] + later[3]) / 4, goal) << "cost " << cost;
  }
}

}  // namespace
}  // namespace ckpt::adaptive
