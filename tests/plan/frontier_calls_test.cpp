// Every call of the library computes a frontier again: C++ and the languages over SWIG call it only once.
#include <dlfcn.h>
#include <gtest/gtest.h>

#include <ckpt/ckpt.hpp>

#include "calls.hpp"

namespace {

int calls = 0;
std::int64_t more = 0;  // additional points that the library is made to report

ckpt::Profile chain_of(int layers) {
  ckpt::Profile profile(1'000'000);
  for (int i = 0; i < layers; ++i) {
    ckpt::LayerProfile layer;
    layer.output_bytes = 1'000'000 + 100'000 * (i % 3);
    ckpt::OptionProfile option;
    option.tape_bytes = 2'000'000;
    option.forward_seconds = 0.001;
    option.backward_seconds = 0.002;
    profile.add_layer("layer", layer).add_option(option);
  }
  return profile;
}

}  // namespace

// Replaces the library's function.
extern "C" CKPT_API ckpt_status ckpt_profile_get_frontier(const ckpt_profile* profile, const char* planner,
                                                          ckpt_frontier_point* points, int64_t capacity, int64_t* count) {
  using Function = decltype(&ckpt_profile_get_frontier);
  static const auto library = reinterpret_cast<Function>(dlsym(RTLD_NEXT, "ckpt_profile_get_frontier"));
  ++calls;
  const ckpt_status status = library(profile, planner, points, capacity, count);
  if (status == CKPT_OK) *count += more;
  return status;
}

TEST(FrontierCalls, CallTheLibraryOnce) {
  const ckpt::Profile profile = chain_of(12);
  for (const char* const planner : {"chain", "tapes"}) {
    calls = 0;
    const auto points = profile.frontier(planner);
    EXPECT_EQ(calls, 1);
    EXPECT_GT(points.size(), 5U);
    calls = 0;
    EXPECT_EQ(ckpt_swig::profile_get_frontier(profile.handle(), planner).list.size(), points.size());
    EXPECT_EQ(calls, 1);
  }
}

TEST(FrontierCalls, CallTheLibraryTwiceForVeryManyPoints) {
  const ckpt::Profile profile = chain_of(6);
  const std::size_t points = profile.frontier("chain").size();
  more = 10'000;
  calls = 0;
  EXPECT_EQ(profile.frontier("chain").size(), points + 10'000);
  EXPECT_EQ(calls, 2);
  calls = 0;
  EXPECT_EQ(ckpt_swig::profile_get_frontier(profile.handle(), "chain").list.size(), points + 10'000);
  EXPECT_EQ(calls, 2);
  more = 0;
}

TEST(FrontierCalls, FailWithOneCall) {
  const ckpt::Profile profile = chain_of(3);
  calls = 0;
  EXPECT_THROW(profile.frontier("nothing"), ckpt::Error);
  EXPECT_THROW(ckpt_swig::profile_get_frontier(profile.handle(), "nothing"), ckpt_swig::StatusError);
  EXPECT_EQ(calls, 2);
}
