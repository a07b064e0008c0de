// The verifier against published chains: integer sizes and times, store-all and periodic schedules with their known time and peak.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "plan/verifier.h"

namespace ckpt::plan {
namespace {

// In the reference a stage's taped data includes its output, and its backward reads both ends.
ChainProfile profile_of(const nlohmann::json& chain) {
  ChainProfile profile(chain["a"][0].get<std::int64_t>());
  const auto layers = chain["L"].get<std::size_t>();
  for (std::size_t i = 0; i < layers; ++i) {
    LayerProfile layer;
    layer.name = "stage" + std::to_string(i + 1);
    layer.flags = needs_input | needs_output | deterministic;
    layer.output_bytes = chain["a"][i + 1].get<std::int64_t>();
    layer.options = {{chain["abar"][i + 1].get<std::int64_t>() - layer.output_bytes, chain["fwd_tmp"][i].get<std::int64_t>(),
                      chain["bwd_tmp"][i].get<std::int64_t>(), chain["fw"][i].get<double>(), chain["bw"][i].get<double>()}};
    profile.add_layer(layer);
  }
  return profile;
}

TEST(Reference, StoreAllAndPeriodicHaveThePublishedCosts) {
  const char* const shared = std::getenv("CKPT_SHARED");
  std::ifstream file(std::string(shared == nullptr ? "." : shared) + "/reference/rotor.json");
  if (!file) GTEST_SKIP() << "SKIP: the reference data (reference/rotor.json) is not on this machine";
  const nlohmann::json reference = nlohmann::json::parse(file);
  for (const auto& chain : reference["chains"]) {
    SCOPED_TRACE(chain["name"].get<std::string>());
    const ChainProfile profile = profile_of(chain);
    const PlanReport store_all = verify(*make_store_all(profile), profile);
    EXPECT_EQ(store_all.peak_bytes[0], chain["store_all"]["peak"].get<std::int64_t>());
    EXPECT_DOUBLE_EQ(store_all.step_seconds, chain["store_all"]["time"].get<double>());
    for (const auto& row : chain["periodic"]) {
      const auto segments = row["segments"].get<std::int64_t>();
      const PlanReport report = verify(*make_periodic(profile, segments), profile);
      EXPECT_EQ(report.peak_bytes[0], row["peak"].get<std::int64_t>()) << segments << " segments";
      EXPECT_DOUBLE_EQ(report.step_seconds, row["time"].get<double>()) << segments << " segments";
    }
  }
}

}  // namespace
}  // namespace ckpt::plan
