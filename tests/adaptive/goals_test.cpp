// The goals of the automatic policy, measured with fixed seeds: close to Daly's interval with the true MTBF where that is optimal,
// better on machines with clustered failures, cheap before it has learned anything, and cheap when nothing fails.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <sstream>

#include "adaptive/intervals.h"
#include "adaptive/simulation.h"

namespace ckpt::adaptive {
namespace {

#ifdef CKPT_SANITIZED
constexpr std::uint64_t fewer = 20;  // divisor of the number of replicas
constexpr double slack = 0.01;       // for the remaining noise
#else
constexpr std::uint64_t fewer = 1;
constexpr double slack = 0;
#endif

// Returns the extra wall time of the automatic policy over Daly's interval with the true MTBF and cost, over failures first .. last
// - 1 of each replica.
double extra_on_exponential(double mtbf_hours, double cost, std::size_t first, std::size_t last, std::uint64_t replicas) {
  Machine machine;
  machine.cost = cost;
  const double mtbf = mtbf_hours * 3600;
  const double interval = daly_interval(cost, mtbf);
  double by_auto = 0;
  double by_daly = 0;
  for (std::uint64_t replica = 0; replica < std::max<std::uint64_t>(1, replicas / fewer); ++replica) {
    const Trace trace = draw_trace({1, mtbf}, 1, static_cast<std::int64_t>(last), 11, replica);
    const auto work = [&](const Progress& progress) { return progress[last - 1] - (first == 0 ? 0 : progress[first - 1]); };
    by_auto += work(run_controller({}, machine, trace));
    by_daly += work(run_fixed(interval, machine, trace));
  }
  return by_daly / by_auto - 1;
}

TEST(AdaptiveGoals, ColdStartCostsAtMostOnePercentAtTenFailures) {
  for (const double cost : {30.0, 300.0}) {
    for (const double hours : {1.0, 1.5, 4.0, 24.0, 720.0}) {
      // The variance is highest, and the margin smallest, where saves are expensive and failures frequent.
      const std::uint64_t replicas = hours > 10 ? 300 : cost > 100 ? 20000 : 2000;
      EXPECT_LE(extra_on_exponential(hours, cost, 0, 10, replicas), 0.01 + slack) << hours << " h, cost " << cost;
    }
  }
}

TEST(AdaptiveGoals, MatchesDalyAfterAHundredExponentialFailures) {
  for (const double cost : {30.0, 300.0}) {
    for (const double hours : {1.0, 6.0, 48.0}) {
      EXPECT_LE(extra_on_exponential(hours, cost, 100, 300, 60), 0.005 + slack) << hours << " h, cost " << cost;
    }
  }
}

TEST(AdaptiveGoals, FailureFreeRunsSaveForAtMostTheSquareRoot) {
  for (const double cost : {1.0, 30.0, 300.0, 1800.0}) {
    for (const double poll : {10.0, 30.0}) {
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

TEST(AdaptiveGoals, BeatsTheTrueMtbfOnRealTraces) {
  const char* const shared = std::getenv("CKPT_SHARED");
  const std::string folder = std::string(shared == nullptr ? "." : shared) + "/traces/";
  const char* const names[] = {"lanl_sys2", "lanl_sys20", "spot_aws_v100_16node_aug2023", "titan_gpu_dbe_otb"};
  for (const auto& [cost, goal] : {std::pair{30.0, -0.003}, {300.0, -0.008}}) {
    std::vector<double> whole;
    std::vector<double> later;
    for (const char* const name : names) {
      const std::string text = read(folder + name + ".csv");
      if (text.empty()) GTEST_SKIP() << "SKIP: the traces (traces/" << name << ".csv) are not on this machine";
      Machine machine;
      machine.cost = cost;
      const Trace trace = parse_trace(text);
      const double mtbf = std::accumulate(trace.begin(), trace.end(), 0.0) / static_cast<double>(trace.size());
      const PolicyResult by_auto = {"auto", run_controller({}, machine, trace)};
      const PolicyResult by_daly = {"daly", run_fixed(daly_interval(cost, mtbf), machine, trace)};
      whole.push_back(extra_wall(by_auto, by_daly, 0, trace.size()));
      later.push_back(extra_wall(by_auto, by_daly, 100, trace.size()));
      EXPECT_LE(whole.back(), 0.005) << name << ", cost " << cost;
      EXPECT_LE(later.back(), 0.005) << name << ", cost " << cost;
    }
    EXPECT_LE((whole[0] + whole[1] + whole[2] + whole[3]) / 4, goal) << "cost " << cost;
    EXPECT_LE((later[0] + later[1] + later[2] + later[3]) / 4, goal) << "cost " << cost;
  }
}

}  // namespace
}  // namespace ckpt::adaptive
