// The planners for adjoint codes against published numbers: the actions of their schedules are counted.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "adjoint.h"
#include "plan/planners.h"

namespace ckpt::plan::test {
namespace {

class AdjointReference : public testing::Test {
 protected:
  void SetUp() override {
    const char* const shared = std::getenv("CKPT_SHARED");
    std::ifstream file(std::string(shared == nullptr ? "." : shared) + "/reference/revolve.json");
    if (!file) GTEST_SKIP() << "SKIP: the reference data (reference/revolve.json) is not on this machine";
    reference = nlohmann::json::parse(file);
  }

  nlohmann::json reference;
};

AdjointCode obey(const ChainProfile& profile, const std::string& planner) {
  const AdjointCode code = run(make_by_text(profile, planner));
  EXPECT_EQ(code.wrong, "") << planner;
  return code;
}

TEST_F(AdjointReference, Revolve) {
  EXPECT_FALSE(reference["revolve"].empty());
  for (const auto& row : reference["revolve"]) {
    const AdjointCode code = obey(time_steps(row["n"].get<std::int64_t>()), "revolve:" + row["s"].dump());
    EXPECT_EQ(code.forwards, row["extra_forward_steps"].get<std::int64_t>()) << row;
    EXPECT_EQ(code.forwards + code.recorded, row["total_forward_steps"].get<std::int64_t>()) << row;
  }
}

TEST_F(AdjointReference, Mixed) {
  EXPECT_FALSE(reference["mixed"].empty());
  for (const auto& row : reference["mixed"]) {
    const AdjointCode code = obey(time_steps(row["n"].get<std::int64_t>(), deterministic), "mixed:" + row["s"].dump());
    EXPECT_EQ(code.forwards + code.recorded, row["total_forward_steps_mixed"].get<std::int64_t>()) << row;
  }
}

double seconds_on_two_levels(const nlohmann::json& row, const std::string& disk_slots) {
  constexpr double bytes = 10;
  ChainProfile profile = time_steps(row["n"].get<std::int64_t>());
  profile.set_tier(
      1, {.write_bytes_per_second = bytes / row["wd"].get<double>(), .read_bytes_per_second = bytes / row["rd"].get<double>()});
  LayerProfile step = profile.layer(0);
  step.options[0].forward_seconds = row["uf"].get<double>();
  step.options[0].backward_seconds = row["ub"].get<double>() - row["uf"].get<double>();  // ub includes the recorded forward
  ChainProfile timed = ChainProfile::uniform(row["n"].get<std::int64_t>(), step);
  timed.set_tier(1, profile.tier(1));
  const AdjointCode code = obey(timed, "two-level:" + row["ram"].dump() + "," + disk_slots);
  return static_cast<double>(code.forwards) * row["uf"].get<double>() +
         static_cast<double>(code.recorded) * row["ub"].get<double>() +
         static_cast<double>(code.stores[1]) * row["wd"].get<double>() +
         static_cast<double>(code.loads[1]) * row["rd"].get<double>();
}

TEST_F(AdjointReference, TwoLevels) {
  EXPECT_FALSE(reference["two_level"].empty());
  for (const auto& row : reference["two_level"]) {
    EXPECT_NEAR(seconds_on_two_levels(row, row["disk"].dump()), row["hopt_optimal_cost"].get<double>(), 1e-9) << row;
  }
}

TEST_F(AdjointReference, DiskWithoutLimit) {
  EXPECT_FALSE(reference["disk_unlimited"].empty());
  for (const auto& row : reference["disk_unlimited"]) {
    EXPECT_NEAR(seconds_on_two_levels(row, "0"), row["bruteforce"].get<double>(), 1e-9) << row;
  }
}

}  // namespace
}  // namespace ckpt::plan::test
